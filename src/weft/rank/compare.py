"""Set rankings of the same pages side by side."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Floats, Ids
from weft.core.errors import BadParameter
from weft.core.params import Top
from weft.core.tabular import Tabular
from weft.core.validate import validated
from weft.core.wording import count
from weft.graph.options import Level
from weft.graph.webgraph import Names, as_names
from weft.rank.judgements import Evaluations, Judgements, evaluate
from weft.rank.measures import Overlap, Pairs, Rbo, geometric, overlap, pairs_of, rbo
from weft.rank.ranking import Ranking, best_first, foremost, rounded


@dataclass(frozen=True, slots=True)
class Agreement:
    """How alike two rankings are."""

    first: str
    second: str
    pairs: Pairs
    overlap: Overlap
    rbo: Rbo
    geometric: float

    @property
    def row(self) -> dict[str, Any]:
        """The measures by name."""
        return {
            "first": self.first,
            "second": self.second,
            "tau_b": self.pairs.tau,
            "weak_distance": self.pairs.distance(0),
            "strict_distance": self.pairs.distance(1),
            "top": self.overlap.k,
            "overlap": self.overlap.share,
            "jaccard": self.overlap.jaccard,
            "cut_tie": self.overlap.cut_tie,
            "rbo": self.rbo.ext,
            "rbo_min": self.rbo.min,
            "geometric": self.geometric,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Tabular):
    """Rankings side by side, on the pages that all of them have.

    `places` is where each ranking puts each page, from one on. Pages with equal
    scores share the best of their places, as they do in every ranking that is
    shown, and `equals` is how many share it. `left_out` is how many pages of
    each are not in all others, and `unsettled` names those that had not converged.
    `judged` says how each agrees with ratings of some pages, where these were given.
    """

    pages: Sequence[str]
    places: Mapping[str, Ids]
    equals: Mapping[str, Ids]
    agreements: tuple[Agreement, ...]
    left_out: Mapping[str, int]
    unsettled: tuple[str, ...] = ()
    level: Level = "page"
    judged: Evaluations | None = None

    def to_table(self) -> pa.Table:
        """One row per pair of rankings, with every measure."""
        return pa.Table.from_pylist([found.row for found in self.agreements], schema=SCHEMA)

    def matrix(self) -> pa.Table:
        """Kendall's tau-b of each ranking with each other."""
        cells = {name: dict.fromkeys(self.places, 1.0) for name in self.places}
        for found in self.agreements:
            cells[found.first][found.second] = cells[found.second][found.first] = found.pairs.tau
        rows = [{"method": name, **row} for name, row in cells.items()]
        return pa.Table.from_pylist(rows)

    @validated
    def disagreements(self, k: Top = 10) -> pa.Table:
        """The pages on which the rankings disagree most, with their places.

        `doublings` is how often one must double the best place of a page to
        reach its worst: from 1 to 8 counts as much as from 100 to 800. What
        counts for it is the middle of the places that equals share.
        """
        middle = [places + (self.equals[name] - 1) / 2 for name, places in self.places.items()]
        table = np.column_stack(middle)
        spread = np.log2(table.max(axis=1) / table.min(axis=1)) if len(table) else np.zeros(0)
        order = foremost(spread, k)
        return pa.table(
            {
                "page": as_names(self.pages).take(pa.array(order)),
                "doublings": pa.array(spread[order]),
                **{name: pa.array(places[order]) for name, places in self.places.items()},
            }
        )

    def __repr__(self) -> str:
        size = count(len(self.pages), self.level)
        known = [found for found in self.agreements if not np.isnan(found.pairs.tau)]
        if not known:
            return f"<Comparison of {', '.join(self.places)} on {size}>"
        least = min(known, key=lambda found: found.pairs.tau)
        return (
            f"<Comparison of {len(self.places)} rankings on {size}; "
            f"least alike are {least.first} and {least.second}, tau-b {least.pairs.tau:.2f}>"
        )


SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("first", "second")),
        *((name, pa.float64()) for name in ("tau_b", "weak_distance", "strict_distance")),
        ("top", pa.int64()),
        *((name, pa.float64()) for name in ("overlap", "jaccard")),
        ("cut_tie", pa.bool_()),
        *((name, pa.float64()) for name in ("rbo", "rbo_min", "geometric")),
    ]
)


Patience = Annotated[
    float, Field(gt=0, lt=1, description="how far a reader goes down the places, for RBO")
]


@validated
def compare(
    rankings: Iterable[Ranking],
    *,
    by: str = "",
    top: Top = 10,
    p: Patience = 0.9,
    judgements: Judgements | None = None,
) -> Comparison:
    """Measure how alike rankings are, two by two, and where they differ.

    Pages that not all rankings have are left out. Scores are compared to
    twelve digits. `by` names a score, for the rankings that have it; the others
    are compared by their first. The geometric distance is that of scores which sum to one.
    Rankings by the same method are told apart by a number. With `judgements`
    each is judged by them too, on all of its pages that were rated.

    Examples
    --------
    >>> from weft.rank import indegree, pagerank
    >>> links = [("a", "x"), ("b", "x"), ("b", "y")]
    >>> compare([indegree(links), pagerank(links)]).matrix().to_pylist()[0]
    {'method': 'indegree', 'indegree': 1.0, 'pagerank': 1.0}
    """
    named = _named(rankings)
    if not named:
        raise BadParameter("nothing to compare", hint="give two rankings or more")
    pages, scores, left_out = _aligned(named, by)
    orders = {name: best_first(values) for name, values in scores.items()}
    ranks = {name: _ranks(values, orders[name]) for name, values in scores.items()}
    shares = {name: _share(values) for name, values in scores.items()}
    agreements = []
    for one, other in combinations(named, 2):
        head = overlap(orders[one], orders[other], top)
        cut = any(_cut_tie(scores[name], orders[name], top) for name in (one, other))
        agreements.append(
            Agreement(
                one,
                other,
                pairs_of(ranks[one], ranks[other]),
                replace(head, cut_tie=cut),
                rbo(orders[one], orders[other], p),
                geometric(shares[one], shares[other]),
            )
        )
    held = {name: _held(values) for name, values in ranks.items()}
    places = {name: first for name, (first, _) in held.items()}
    equals = {name: many for name, (_, many) in held.items()}
    unsettled = tuple(name for name, ranking in named.items() if not ranking.trace.converged)
    level = next(iter(named.values())).level
    judged = _judged(named, judgements, by, top) if judgements else None
    return Comparison(pages, places, equals, tuple(agreements), left_out, unsettled, level, judged)


def _judged(named: Mapping[str, Ranking], judgements: Judgements, by: str, top: int) -> Evaluations:
    found = (
        replace(evaluate(ranking, judgements, by=by, k=top), method=name)
        for name, ranking in named.items()
    )
    return Evaluations(judgements, tuple(found))


def _ranks(scores: Floats, order: Ids) -> Ids:
    """How many different scores are above that of each page, from an order that is best first."""
    falling = scores[order]
    ranks = np.zeros(len(order), np.int32)
    ranks[order[1:]] = np.cumsum(falling[1:] != falling[:-1])
    return ranks


def _held(ranks: Ids) -> tuple[Ids, Ids]:
    """The best of the places that each page and its equals hold, and how many they are."""
    sizes = np.bincount(ranks).astype(np.int32)
    first = np.cumsum(sizes, dtype=np.int32) - sizes + 1
    return first[ranks], sizes[ranks]


def _named(rankings: Iterable[Ranking]) -> dict[str, Ranking]:
    """Rankings by their methods; the second of a kind is told from the first by a number."""
    seen: Counter[str] = Counter()
    named = {}
    for ranking in rankings:
        seen[ranking.method] += 1
        number = f" {seen[ranking.method]}" if seen[ranking.method] > 1 else ""
        named[f"{ranking.method}{number}"] = ranking
    return named


def _aligned(
    named: Mapping[str, Ranking], by: str
) -> tuple[Sequence[str], dict[str, Floats], dict[str, int]]:
    """The pages that all have, and each ranking's rounded scores of them."""
    first, *others = named.values()
    scores = {
        name: rounded(ranking.score(by if by in ranking.scores else ""))
        for name, ranking in named.items()
    }
    if all(other.pages is first.pages for other in others):
        return first.pages, scores, dict.fromkeys(named, 0)
    common = as_names(first.pages).cast(pa.large_string())
    for other in others:
        inside = pc.is_in(common, as_names(other.pages).cast(pa.large_string()))
        common = common.filter(inside)
    for name, ranking in named.items():
        at = pc.index_in(common, as_names(ranking.pages).cast(pa.large_string()))
        scores[name] = scores[name][at.to_numpy(zero_copy_only=False)]
    left_out = {name: len(ranking) - len(common) for name, ranking in named.items()}
    return Names(common), scores, left_out


def _cut_tie(scores: Floats, order: Ids, k: int) -> bool:
    return k < len(order) and bool(scores[order[k - 1]] == scores[order[k]])


def _share(scores: Floats) -> Floats:
    total = scores.sum()
    return scores / total if np.isfinite(total) and total else scores
