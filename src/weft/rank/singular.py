"""Hubs and authorities of several topics: one pair of singular vectors for each."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Floats, Offsets, Rows
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Vectors, Weighted
from weft.engine import CLOSED, Flow, Triplets, triplets
from weft.graph.webgraph import WebGraph
from weft.rank.hits import EMPTY
from weft.rank.parts import Parts
from weft.rank.ranking import Certainty, Ranking

EQUAL = 1e-9
ZERO = 1e-9
EXTRA = 20


@dataclass(frozen=True, slots=True, eq=False)
class Leading:
    """The leading singular triplets, as many as asked for, in groups of equal value.

    `after` is the value that follows the last, zero where there is none and
    not a number where it may be one more equal of the last: then `cut` is true.
    """

    values: Floats
    source: Floats
    target: Floats
    groups: tuple[slice, ...]
    after: float

    @property
    def cut(self) -> bool:
        """Whether equals of the last value may be missing."""
        return bool(np.isnan(self.after))

    @property
    def gap(self) -> float:
        """How far the first value, squared, stands above the second, as a share of it."""
        second = [*self.values[1:2], self.after][0]
        return 1 - float(second / self.values[0]) ** 2 if len(self.values) else np.nan


NONE = Leading(np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0)), (), 0.0)


@method(
    "rank",
    "hits-vectors",
    cites="kleinberg1999",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="eigenvectors",
        scope="multiple pages",
        applications=("topic distillation", "web communities"),
    ),
)
def hits_vectors(graph: WebGraph, *, vectors: Vectors = 4, weighted: Weighted = False) -> Ranking:
    """Score each page as an authority and as a hub of several topics.

    The leading pairs of singular vectors of the link matrix. The first pair
    is that of HITS. Each further pair has two ends, pages with positive and
    pages with negative entries, which are topics that hardly link to each
    other: `authority 2+` with `hub 2+`, and `authority 2-` with `hub 2-`. The
    entry largest in size is positive (ties: the first page by name). Pairs of
    equal value span a space without axes of its own: `authority 2-3` is the
    length of each page's projection on it.

    Examples
    --------
    >>> two = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x"), ("c", "z"), ("d", "z")]
    >>> list(hits_vectors(WebGraph.from_links(two), vectors=2).scores)
    ['authority', 'hub', 'authority 2+', 'hub 2+', 'authority 2-', 'hub 2-']
    """
    found = leading(graph.flow(weighted=weighted), vectors)
    nothing = np.zeros(len(graph))
    scores: dict[str, Floats] = {"authority": nothing, "hub": nothing}
    parts = {name: Parts(graph.inlinks, nothing) for name in scores}
    for group in found.groups:
        for name, (score, brought) in vectors_of(graph, found, group, weighted=weighted).items():
            scores[name], parts[name] = score, brought
    return Ranking(
        "hits-vectors",
        graph.pages,
        scores,
        CLOSED,
        cache(lambda: _certainty(graph, found)),
        parts,
        {
            "singular values": found.values,
            "groups": [(group.start + 1, group.stop) for group in found.groups],
        },
    )


def leading(flow: Flow, k: int) -> Leading:
    """The k leading triplets, and all that equal the last one; fewer where the graph has fewer.

    Where the equals of the last one are too many to find, it is left out with
    them, unless nothing would be left.
    """
    asked = k + 1
    found = triplets(flow, asked)
    while len(found.values) == asked and not (_ends(found, asked) >= k).any() and asked < k + EXTRA:
        asked = min(2 * asked, k + EXTRA)
        found = triplets(flow, asked)
    ends = _ends(found, asked)
    enough = ends[ends >= k]
    kept = int(enough[0] if enough.size else ends[-1] if ends.size else k)
    edges = [0, *(int(end) for end in ends if end < kept), kept] if kept else [0]
    complete = enough.size or len(found.values) < asked
    return Leading(
        found.values[:kept],
        found.source[:, :kept],
        found.target[:, :kept],
        tuple(slice(start, stop) for start, stop in pairwise(edges)),
        float([*found.values[kept : kept + 1], 0.0][0]) if complete else np.nan,
    )


def _ends(found: Triplets, asked: int) -> Offsets:
    values = found.values
    drops = np.flatnonzero(values[1:] < values[:-1] * (1 - EQUAL)) + 1
    return np.append(drops, len(values)) if len(values) < asked else drops


def vectors_of(
    graph: WebGraph, found: Leading, group: slice, *, weighted: bool
) -> dict[str, tuple[Floats, Parts]]:
    """The scores of a pair, or of pairs that share their value."""
    if group.stop - group.start == 1:
        return pair(graph, found, group.start, weighted=weighted)
    return space(graph, found, group, weighted=weighted)


def pair(
    graph: WebGraph, found: Leading, at: int, *, weighted: bool
) -> dict[str, tuple[Floats, Parts]]:
    """The scores of one pair: one end of the principal pair, both ends of any other."""
    source, target = found.source[:, at], found.target[:, at]
    if turned(graph, target):
        source, target = -source, -target
    made: dict[str, tuple[Floats, Parts]] = {}
    for end, sign in (("+", 1.0), ("-", -1.0)):
        for name, rows, mine, other in (
            ("authority", graph.inlinks, sign * target, sign * source),
            ("hub", graph.outlinks, sign * source, sign * target),
        ):
            there = mine > ZERO * np.abs(mine).max(initial=0)
            brought = Parts(rows, other / found.values[at], there.astype(float), weighted)
            if there.any() and (at or sign > 0):
                made[f"{name} {at + 1}{end}" if at else name] = (np.where(there, mine, 0), brought)
    return made


def space(
    graph: WebGraph, found: Leading, group: slice, *, weighted: bool
) -> dict[str, tuple[Floats, Parts]]:
    """The scores of several pairs of equal value: the length of each page's projection."""
    label = f" {group.start + 1}-{group.stop}" if group.start else ""
    source, target = found.source[:, group], found.target[:, group]
    made = {}
    for name, rows, mine, other in (
        ("authority", graph.inlinks, target, source),
        ("hub", graph.outlinks, source, target),
    ):
        score = np.sqrt(np.square(mine).sum(axis=1))
        there = score > ZERO * score.max(initial=0)
        scale = np.where(there, 1 / np.where(there, score * found.values[group.start], 1), 0)
        brought = Parts(rows, products(rows, mine, other), scale, weighted=weighted, by_link=True)
        made[name + label] = (np.where(there, score, 0), brought)
    return made


def products(rows: Rows, mine: Floats, other: Floats) -> Floats:
    """For each link the product of the vectors at its two ends, summed over the vectors."""
    each = np.zeros(len(rows.ids))
    counts = np.diff(rows.starts)
    for k in range(mine.shape[1]):
        each += np.repeat(mine[:, k], counts) * other[rows.ids, k]
    return each


def turned(graph: WebGraph, target: Floats) -> bool:
    """Whether the entry largest in size is negative; of several that of the first page by name."""
    size = np.abs(target)
    tied = np.flatnonzero(size > size.max() - ZERO)
    names = graph.names.take(pa.array(tied))
    return bool(target[tied[pc.index(names, pc.min(names)).as_py()]] < 0)


def _certainty(graph: WebGraph, found: Leading) -> Certainty:
    if not found.groups:
        return Certainty(note=EMPTY)
    spaces = [f"{g.start + 1} to {g.stop}" for g in found.groups if g.stop - g.start > 1]
    note = f"equal values {', '.join(spaces)}: only the space they span is known" if spaces else ""
    if found.cut:
        note = "; ".join(
            filter(None, [note, "the last value has more equals than were looked for"])
        )
    return Certainty(
        unique=not note,
        components=graph.flow().components().count,
        multiplicity=found.groups[0].stop,
        gap=found.gap,
        note=note,
    )
