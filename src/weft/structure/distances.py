"""How far pages are from each other."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats, Rows
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Seed
from weft.core.progress import track
from weft.core.wording import count
from weft.graph.webgraph import WebGraph
from weft.structure.fetched import SeenPages, fetched
from weft.structure.neighbourhood import average, effective, jackknife, pair_tables
from weft.structure.shape import Shape

SMALL = 20_000
WORK = 2e9

How = Literal["auto", "exact", "sampled", "hyperball"]
HowFound = Annotated[
    How,
    Field(
        description="from every page (exact), from some (sampled), with a rough counter for each "
        f"page (hyperball), or auto: exact up to {SMALL:,} pages or {WORK:.0e} pages times links, "
        "else sampled"
    ),
]
Directed = Annotated[bool, Field(description="follow links one way, or both ways")]
Sources = Annotated[
    int, Field(ge=2, le=10_000_000, description="how many pages a sample searches from")
]
Share = Annotated[
    float, Field(gt=0, lt=1, description="the share of pairs within the effective diameter")
]
Bits = Annotated[
    int, Field(ge=4, le=16, description="a counter of HyperBall has 2 to this power registers")
]
Repeats = Annotated[
    int, Field(ge=1, le=100, description="how many times HyperBall runs, to tell its error")
]
Searches = Annotated[
    int,
    Field(
        ge=0,
        le=10_000_000,
        description="how many pages to search from, at most, for an exact diameter",
    ),
]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Pairs within each number of clicks, with what their error is told from.

    `parts` add up to `within`, but for a factor. `furthest` is the longest way
    that was met, and `start` a page that it begins or began near. `errors` are
    those of the average and of the share of joined pairs, where they are known.
    """

    within: Floats
    parts: Floats
    furthest: int
    start: int
    errors: tuple[float | None, float | None]
    sources: int


@method(
    "structure",
    "distances",
    cites="broder2000",
    dimensions=Dimensions(
        model="whole graph",
        metric="whole-graph properties",
        algorithm="graph traversal",
        scope="whole web",
        applications=("modelling the web graph",),
    ),
)
def distances(
    graph: WebGraph,
    *,
    directed: Directed = True,
    how: HowFound = "auto",
    sources: Sources = 1000,
    share: Share = 0.9,
    bits: Bits = 8,
    repeats: Repeats = 4,
    searches: Searches = 1024,
    seed: Seed = 0,
    seen: SeenPages = "drop",
) -> Shape:
    """Measure how many clicks lie between pages: average, diameter, and how many pairs are joined.

    The average connected distance is over ordered pairs of different pages
    with a way from one to the other; pairs without are counted apart and never
    averaged in. The diameter is the longest of these ways, the effective
    diameter the number of clicks within which nine of ten pairs are, pages
    with themselves among them, taken between two whole numbers. Small webs are
    searched from every page. Otherwise figures are estimates with a standard
    error, and the diameter lies between bounds that are said.

    Examples
    --------
    >>> found = distances(WebGraph.from_links([("a", "b"), ("b", "c"), ("c", "a")]))
    >>> found["average distance"], found["diameter"]
    (1.5, 2)
    >>> found.to_table().to_pydict()
    {'hops': [0, 1, 2], 'pairs': [3, 6, 9], 'share': [0.3333333333333333, 0.6666666666666666, 1.0]}
    """
    graph, notes = fetched(graph, seen)
    n, links = len(graph), len(graph.outlinks.ids)
    if how == "auto":
        how = "exact" if n <= SMALL or n * links <= WORK else "sampled"
    if n == 0:
        found = Measured(np.zeros(1), np.zeros((0, 1)), 0, 0, (0.0, 0.0), 0)
    elif how == "hyperball":
        found = _hyperball(graph, bits, repeats, seed, directed=directed)
    else:
        chosen = n if how == "exact" else min(n, sources)
        found = _searched(graph, chosen, seed, directed=directed)
    exact = n == 0 or (how != "hyperball" and found.sources == n)
    low, high = _diameter(graph, found, 0 if exact else searches, directed=directed)
    if exact:
        high = low
    pairs = found.within[-1] - found.within[0]
    errors = _errors(found, share, exact=exact)
    facts: dict[str, Any] = {
        "average distance": average(found.within),
        "effective diameter": effective(found.within, share),
        "diameter": low,
        "share of connected pairs": float(pairs) / max(n * (n - 1), 1),
        "diameter is": "exact" if low == high else "a lower bound",
        "diameter at most": high,
        **errors,
        "connected pairs": int(pairs) if exact else float(pairs),
        "links followed": "one way" if directed else "both ways",
        "how": how,
        f"{graph.level}s": n,
        "links": links,
        "searched from": found.sources,
    }
    told = _told(facts, how, graph.level, repeats)
    tables = pair_tables(found.within, exact=exact)
    return Shape("distances", facts, tables, (*notes, *(told if not exact else ())))


def _ways(graph: WebGraph, *, directed: bool) -> tuple[list[Rows], list[Rows]]:
    """The links to follow, and those that lead back."""
    out = [graph.outlinks, *([] if directed else [graph.inlinks])]
    return out, [graph.inlinks] if directed else out


def _searched(graph: WebGraph, k: int, seed: int, *, directed: bool) -> Measured:
    """Search from so many pages, drawn at random where they are not all."""
    from weft.engine.hops import hops  # noqa: PLC0415  loads the compiler

    n = len(graph)
    chosen = np.arange(n) if k == n else np.random.default_rng(seed).choice(n, k, replace=False)
    pages = chosen.astype(np.int32)
    out = [graph.outlinks, *([] if directed else [graph.inlinks])]
    found = hops(out, pages, "distances")
    within = np.cumsum(found.at.sum(axis=1)) * (n / k if k < n else 1)
    start = int(pages[np.argmax(found.furthest)])
    parts = np.cumsum(found.at, axis=0).T.astype(np.float64)
    furthest = int(found.furthest.max())
    if k == n:
        return Measured(within.astype(float), parts, furthest, start, (0.0, 0.0), n)
    total, reached = found.total.astype(float), found.reached.astype(float)
    ratio = total.sum() / max(reached.sum(), 1.0)
    unseen = (1 - k / n) / (k * (k - 1))
    apart = ((total - ratio * reached) ** 2).sum() * unseen
    spread = ((reached - reached.mean()) ** 2).sum() * unseen
    mean = float(reached.mean())
    errors = (float(np.sqrt(apart)) / mean if mean else None, float(np.sqrt(spread)) / (n - 1))
    return Measured(within, parts, furthest, start, errors, k)


def _hyperball(graph: WebGraph, bits: int, repeats: int, seed: int, *, directed: bool) -> Measured:
    """Run HyperBall with seeds one after the other, and take the mean."""
    from weft.engine.hyperball import hyperball  # noqa: PLC0415  loads the compiler

    n = len(graph)
    out = [graph.outlinks, *([] if directed else [graph.inlinks])]

    def back() -> list[Rows]:
        return _ways(graph, directed=directed)[1]

    seeds = track(range(seed, seed + repeats), "hyperball", repeats)
    runs = [hyperball(out, back, bits, each) for each in seeds]
    rounds = max(map(len, runs))
    parts = np.stack([np.pad(run, (0, rounds - len(run)), mode="edge") for run in runs])
    start = int(np.argmax(np.diff(graph.outlinks.starts)))
    errors = (
        jackknife(parts, average),
        jackknife(parts / max(n * (n - 1) * (repeats - 1), 1), lambda w: float(w[-1] - w[0])),
    )
    return Measured(parts.mean(axis=0), parts, rounds - 1, start, errors, 0)


def _diameter(
    graph: WebGraph, found: Measured, searches: int, *, directed: bool
) -> tuple[int, int | None]:
    """Bounds for the diameter: both where every page of a part leads to all others of it."""
    from weft.engine.connected import strong, weak  # noqa: PLC0415  loads the compiler
    from weft.engine.diameter import fringe, sweep  # noqa: PLC0415

    if not searches:
        return found.furthest, None
    out, back = _ways(graph, directed=directed)
    low = max(found.furthest, sweep(out, back, found.start))
    parts = strong(graph.outlinks) if directed else weak(graph.outlinks)
    if directed and len(parts.sizes) > 1:
        return low, None
    bounds = fringe(out, back, parts.label, searches)
    return max(low, bounds.low), bounds.high


def _errors(found: Measured, share: float, *, exact: bool) -> dict[str, float | None]:
    """Standard errors, zero where nothing was estimated."""
    about = found.errors[0], found.errors[1], jackknife(found.parts, lambda w: effective(w, share))
    names = "average distance", "share of connected pairs", "effective diameter"
    return {
        f"error of the {name}": 0.0 if exact else error
        for name, error in zip(names, about, strict=True)
    }


def _told(facts: dict[str, Any], how: str, level: str, repeats: int) -> tuple[str, ...]:
    """What was estimated, from what, and how well."""
    if how == "hyperball":
        way = f"pairs are estimated by HyperBall, run {count(repeats, 'time')}"
    else:
        chosen = f"{facts['searched from']:,} of {count(facts[f'{level}s'], level)}"
        way = f"searched from {chosen}, drawn at random: figures about pairs are estimates"
    error = facts["error of the average distance"]
    known = f"the standard error of the average distance is {error:.2g}" if error else ""
    unknown = "a single run tells no error" if how == "hyperball" and repeats == 1 else ""
    low, high = facts["diameter"], facts["diameter at most"]
    least = f"the diameter is at least {low:,}" + (f" and at most {high:,}" if high else "")
    return tuple(filter(None, (way, known, unknown, least if low != high else "")))
