"""Whether the links to pages, and those from them, follow a power law."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Seed
from weft.core.wording import count, listed
from weft.graph.webgraph import WebGraph
from weft.structure.goodness import goodness
from weft.structure.powerlaw import Counted, PowerLaw, Search, fit
from weft.structure.rivals import Rival, rivals
from weft.structure.shape import Shape

Sets = Annotated[
    int, Field(ge=0, le=100_000, description="how many sets are drawn to test the fit; 0 for none")
]
Least = Annotated[int, Field(ge=10, description="how many pages a fitted tail has at least")]
RULED_OUT, STEEPEST, POINTS = 0.1, 5.99, 80


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """The degrees at one end of the links, the law fitted to them, and its rivals."""

    name: str
    pages: int
    links: int
    numbers: Counted
    law: PowerLaw | None = None
    p: float | None = None
    rivals: Sequence[Rival] = ()

    @property
    def none(self) -> float:
        """The share of pages without a link."""
        return 1 - len(self.numbers) / self.pages if self.pages else 0.0

    @property
    def verdict(self) -> str:
        """What is to be thought of the power law, in words."""
        if self.law is None:
            return "too few pages or degrees to tell"
        better = [rival.name for rival in self.rivals if rival.fits == "better"]
        level = [rival.name for rival in self.rivals if rival.fits == "as well"]
        tested = "not tested" if self.p is None else "possible"
        if self.p is not None and self.p <= RULED_OUT:
            return "ruled out" + (f", {listed(better)} {_fit(better)} better" if better else "")
        if better:
            return f"{tested}, but {listed(better)} {_fit(better)} better"
        if level:
            return f"{tested}, {listed(level)} {_fit(level)} as well"
        return f"{tested}, and its rivals fit worse"


@method(
    "structure",
    "degrees",
    cites="clauset2009",
    dimensions=Dimensions(
        model="whole graph",
        metric="whole-graph properties",
        algorithm="distribution fitting",
        scope="whole web",
        applications=("modelling the web graph",),
    ),
)
def degrees(graph: WebGraph, *, sets: Sets = 250, least: Least = 50, seed: Seed = 0) -> Shape:
    """Fit power laws to in- and out-degrees, test them, and compare them with other laws.

    A law holds from some degree on. That degree is chosen so that the law lies
    closest to the pages from there on, with at least `least` of them; the exponent
    has the largest likelihood. The law is tested with sets of numbers drawn from
    it: `p` is the share of sets that lie as far from their own best law, and
    a law with p up to 0.1 is ruled out. A law that is not ruled out may still be
    wrong, so three others are fitted to the same pages: log-normal, exponential,
    and a power law that is cut off. Pages without links are outside of all these
    laws. Out-degrees are those of pages that were fetched, as far as that is known.

    Examples
    --------
    >>> from weft.graph.synthetic import copying
    >>> found = degrees(copying(20_000, 5, seed=1))
    >>> 1.9 < found["in-degree exponent"] < 2.3
    True
    """
    search = Search(least)
    both = [
        _fitted(name, numbers, search, sets, seed)
        for name, numbers in (("in", graph.indegrees()), ("out", _out(graph)))
    ]
    facts: dict[str, Any] = {}
    for end in both:
        facts |= {f"{end.name}-degree exponent": end.law.exponent if end.law else None}
        facts |= {f"{end.name}-degree verdict": end.verdict}
    for end in both:
        rest = list(_row(end).items())[3:]
        facts |= {f"{end.name}-degree {name}": value for name, value in rest}
    return Shape("degrees", facts, _tables(both), tuple(_notes(both, graph, sets)))


def _out(graph: WebGraph) -> Floats:
    every = graph.outdegrees()
    return every if graph.seen is None else every[~graph.seen]


def _fitted(name: str, degree: Floats, search: Search, sets: int, seed: int) -> End:
    numbers = Counted.of(degree)
    law = fit(numbers, search)
    end = End(name, len(degree), int(degree.sum()), numbers, law)
    if law is None:
        return end
    p = goodness(numbers, law, search, sets, seed) if sets else None
    return End(name, len(degree), end.links, numbers, law, p, rivals(numbers, law))


def _row(end: End) -> dict[str, Any]:
    law, size = end.law, len(end.numbers)
    return {
        "end": end.name,
        "exponent": law and law.exponent,
        "verdict": end.verdict,
        "error": law and law.error,
        "fitted from": law and int(law.start),
        "pages fitted": law and law.size,
        "misfit": law and law.misfit,
        "p": end.p,
        "pages": end.pages,
        "without links": end.pages - size,
        "mean": end.links / end.pages if end.pages else 0.0,
        "largest": int(end.numbers.values.max(initial=0)),
    }


FITS = pa.schema(
    [
        ("end", pa.string()),
        ("exponent", pa.float64()),
        ("verdict", pa.string()),
        ("error", pa.float64()),
        ("fitted from", pa.int64()),
        ("pages fitted", pa.int64()),
        ("misfit", pa.float64()),
        ("p", pa.float64()),
        ("pages", pa.int64()),
        ("without links", pa.int64()),
        ("mean", pa.float64()),
        ("largest", pa.int64()),
    ]
)


def _tables(both: Sequence[End]) -> Mapping[str, pa.Table]:
    """The fits, the rivals, and what a plot is drawn from: the degrees and lines of each law."""
    told = [
        {
            "end": end.name,
            "rival": rival.name,
            "fits": rival.fits,
            "ratio": rival.ratio,
            "p": rival.p,
            "law": rival.spelled,
        }
        for end in both
        for rival in end.rivals
    ]
    kinds = dict.fromkeys(("end", "rival", "fits", "law"), pa.string())
    kinds |= dict.fromkeys(("ratio", "p"), pa.float64())
    names = ("end", "rival", "fits", "ratio", "p", "law")
    return {
        "fits": pa.Table.from_pylist([_row(end) for end in both], FITS),
        "rivals": pa.Table.from_pylist(told, pa.schema([(name, kinds[name]) for name in names])),
        "degrees": pa.concat_tables(_counts(end) for end in both),
        "lines": pa.concat_tables(line for end in both for line in _lines(end)),
    }


def _counts(end: End) -> pa.Table:
    numbers = end.numbers
    return pa.table(
        {
            "end": pa.array([end.name] * len(numbers.values), pa.string()),
            "degree": numbers.values.astype(np.int64),
            "pages": numbers.counts.astype(np.int64),
            "share at least": numbers.above[:-1] / max(end.pages, 1),
        }
    )


def _lines(end: End) -> Iterator[pa.Table]:
    yield _line(end, "power law", np.zeros(0), np.zeros(0))
    if end.law is None:
        return
    start, last = end.law.start, float(end.numbers.values[-1])
    at = np.unique(np.geomspace(start, last, POINTS).round())
    scale = end.law.size / end.pages
    yield _line(end, "power law", at, scale * end.law.at_least(at))
    for rival in end.rivals:
        yield _line(end, rival.name, at, scale * rival.law.at_least(at, start))


def _line(end: End, law: str, at: Floats, share: Floats) -> pa.Table:
    return pa.table(
        {
            "end": pa.array([end.name] * len(at), pa.string()),
            "law": pa.array([law] * len(at), pa.string()),
            "degree": at.astype(np.int64),
            "share at least": share,
        }
    )


def _notes(both: Sequence[End], graph: WebGraph, sets: int) -> Iterator[str]:
    for end in both:
        law, name = end.law, f"{end.name}-degree"
        if end.none:
            yield f"{end.none:.1%} of the {graph.level}s have {name} zero, outside of every law"
        if law is None:
            continue
        share = law.size / end.pages
        yield (
            f"the law of {name}s is about the {count(law.size, graph.level)} with"
            f" {int(law.start):,} or more, {share:.1%} of all"
        )
        if law.exponent < 2:
            yield f"an {name} exponent below 2 means that the mean grows with the web"
        if law.exponent > STEEPEST:
            yield f"the {name} exponent is at the end of the range searched: no power law"
        if end.p is not None:
            give = np.sqrt(max(end.p * (1 - end.p), 1 / sets) / sets)
            yield f"the p of the {name} is from {sets:,} sets drawn at random, ± {give:.2g}"
    if graph.seen is not None and graph.seen.any():
        unread = count(int(graph.seen.sum()), graph.level)
        yield f"{unread} never fetched are left out of the out-degrees: their links are not known"


def _fit(names: Sequence[str]) -> str:
    return "fits" if len(names) == 1 else "fit"
