"""Leading singular vectors of the links: HITS beyond the principal pair."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import CSR, Floats, Offsets
from weft.core.params import VectorPairs, Weighted
from weft.core.register import Dimensions, method
from weft.engine import CLOSED_FORM, LinkOperator, SingularTriplets, singular_triplets
from weft.graph.webgraph import WebGraph
from weft.rank.hits import NO_LINKS_ZERO_NOTE
from weft.rank.ranking import Certainty, Contributions, Ranking

EQUAL_VALUE_TOLERANCE = 1e-9
ZERO_TOLERANCE = 1e-9
MAX_EXTRA_TRIPLETS = 20
MORE_TIES_NOTE = "more vectors tie with the last than were computed"


@dataclass(frozen=True, slots=True, eq=False)
class LeadingTriplets:
    """The leading singular triplets, in groups of equal singular value.

    `next_value` is the singular value after the last: zero if there is none,
    and NaN if it may be equal to the last; then `is_truncated` is true.
    """

    values: Floats
    source: Floats
    target: Floats
    tied_groups: tuple[slice, ...]
    next_value: float

    @property
    def may_miss_ties(self) -> bool:
        """Whether more triplets with the last singular value may exist."""
        return bool(np.isnan(self.next_value))

    @property
    def relative_eigengap(self) -> float:
        """The relative eigengap 1 - (s2/s1)^2."""
        second = [*self.values[1:2], self.next_value][0]
        return 1 - float(second / self.values[0]) ** 2 if len(self.values) else np.nan


NO_TRIPLETS = LeadingTriplets(np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0)), (), 0.0)


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
def hits_vectors(
    graph: WebGraph, *, vectors: VectorPairs = 4, weighted: Weighted = False
) -> Ranking:
    """Score authorities and hubs by several singular vectors.

    The leading pairs of singular vectors of the adjacency matrix, of which
    HITS is the first. Each further pair has two ends, its positive and its
    negative entries, topics that hardly link to each other: `authority 2+` with
    `hub 2+`, and `authority 2-` with `hub 2-`. The entry largest in absolute
    value is positive (ties: first page by name). Of pairs with equal singular
    value only the span is unique: `authority 2-3` is the length of each page's
    projection onto it.

    Examples
    --------
    >>> two = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x"), ("c", "z"), ("d", "z")]
    >>> list(hits_vectors(WebGraph.from_links(two), vectors=2).scores)
    ['authority', 'hub', 'authority 2+', 'hub 2+', 'authority 2-', 'hub 2-']
    """
    triplets = leading_triplets(graph.operator(weighted=weighted), vectors)
    zeros = np.zeros(len(graph))
    scores: dict[str, Floats] = {"authority": zeros, "hub": zeros}
    contributions = {name: Contributions(graph.inlinks, zeros) for name in scores}
    for group in triplets.tied_groups:
        scored = pair_or_subspace_scores(graph, triplets, group, weighted=weighted)
        for name, side in scored.items():
            scores[name], contributions[name] = side
    return Ranking(
        "hits-vectors",
        graph.pages,
        scores,
        CLOSED_FORM,
        cache(lambda: _certainty(graph, triplets)),
        contributions,
        {
            "singular values": triplets.values,
            "groups": [(group.start + 1, group.stop) for group in triplets.tied_groups],
        },
    )


def leading_triplets(operator: LinkOperator, k: int) -> LeadingTriplets:
    """The k leading triplets and all that tie with the last; fewer if the rank is lower.

    If the ties of the last are too many to compute, the whole group is left
    out, unless it is the first.
    """
    requested = k + 1
    triplets = singular_triplets(operator, requested)
    # ask for more until a group of equal values ends at k or later
    while (
        len(triplets.values) == requested
        and not (_tie_group_stops(triplets, requested) >= k).any()
        and requested < k + MAX_EXTRA_TRIPLETS
    ):
        requested = min(2 * requested, k + MAX_EXTRA_TRIPLETS)
        triplets = singular_triplets(operator, requested)
    ends = _tie_group_stops(triplets, requested)
    enough = ends[ends >= k]
    count = int(enough[0] if enough.size else ends[-1] if ends.size else k)
    edges = [0, *(int(end) for end in ends if end < count), count] if count else [0]
    complete = enough.size or len(triplets.values) < requested
    return LeadingTriplets(
        triplets.values[:count],
        triplets.source[:, :count],
        triplets.target[:, :count],
        tuple(slice(start, stop) for start, stop in pairwise(edges)),
        float([*triplets.values[count : count + 1], 0.0][0]) if complete else np.nan,
    )


def _tie_group_stops(triplets: SingularTriplets, requested: int) -> Offsets:
    """Where groups of equal values end; the last group counts only if it is complete."""
    values = triplets.values
    ends = np.flatnonzero(values[1:] < values[:-1] * (1 - EQUAL_VALUE_TOLERANCE)) + 1
    return np.append(ends, len(values)) if len(values) < requested else ends


def pair_or_subspace_scores(
    graph: WebGraph, triplets: LeadingTriplets, group: slice, *, weighted: bool
) -> dict[str, tuple[Floats, Contributions]]:
    """The scores of one pair, or of pairs with equal singular value."""
    if group.stop - group.start == 1:
        return pair_scores(graph, triplets, group.start, weighted=weighted)
    return subspace_scores(graph, triplets, group, weighted=weighted)


def pair_scores(
    graph: WebGraph, triplets: LeadingTriplets, index: int, *, weighted: bool
) -> dict[str, tuple[Floats, Contributions]]:
    """The scores of one pair: the positive end of the principal pair, both ends of any other."""
    source, target = triplets.source[:, index], triplets.target[:, index]
    if needs_sign_flip(graph, target):
        source, target = -source, -target
    scored: dict[str, tuple[Floats, Contributions]] = {}
    for end, sign in (("+", 1.0), ("-", -1.0)):
        for role, links, own, other in (
            ("authority", graph.inlinks, sign * target, sign * source),
            ("hub", graph.outlinks, sign * source, sign * target),
        ):
            positive = own > ZERO_TOLERANCE * np.abs(own).max(initial=0)
            # u = A v / s, at the pages of this end
            contributions = Contributions(
                links, other / triplets.values[index], positive.astype(float), weighted
            )
            if positive.any() and (index or sign > 0):
                name = f"{role} {index + 1}{end}" if index else role
                scored[name] = np.where(positive, own, 0), contributions
    return scored


def subspace_scores(
    graph: WebGraph, triplets: LeadingTriplets, group: slice, *, weighted: bool
) -> dict[str, tuple[Floats, Contributions]]:
    """The scores of pairs with equal singular value: the length of each page's projection."""
    numbers = f" {group.start + 1}-{group.stop}" if group.start else ""
    source, target = triplets.source[:, group], triplets.target[:, group]
    scored = {}
    for role, links, own, other in (
        ("authority", graph.inlinks, target, source),
        ("hub", graph.outlinks, source, target),
    ):
        score = np.sqrt(np.square(own).sum(axis=1))
        nonzero = score > ZERO_TOLERANCE * score.max(initial=0)
        # score^2 = sum over links of (own · other) / s, divided by the score
        scale = np.where(nonzero, 1 / np.where(nonzero, score * triplets.values[group.start], 1), 0)
        contributions = Contributions(
            links, link_dot_products(links, own, other), scale, weighted=weighted, per_link=True
        )
        scored[role + numbers] = np.where(nonzero, score, 0), contributions
    return scored


def link_dot_products(links: CSR, own: Floats, other: Floats) -> Floats:
    """The dot product of the rows of `own` and `other` at the two ends of each link."""
    products = np.zeros(len(links.ids))
    counts = np.diff(links.starts)
    for k in range(own.shape[1]):  # vector by vector, to need only one array of links at a time
        products += np.repeat(own[:, k], counts) * other[links.ids, k]
    return products


def needs_sign_flip(graph: WebGraph, target: Floats) -> bool:
    """Whether the entry largest in absolute value is negative; ties: the first page by name."""
    size = np.abs(target)
    tied = np.flatnonzero(size > size.max() - ZERO_TOLERANCE)
    names = graph.names.take(pa.array(tied))
    return bool(target[tied[pc.index(names, pc.min(names)).as_py()]] < 0)


def _certainty(graph: WebGraph, triplets: LeadingTriplets) -> Certainty:
    if not triplets.tied_groups:
        return Certainty(note=NO_LINKS_ZERO_NOTE)
    notes = []
    spans = [f"{g.start + 1} to {g.stop}" for g in triplets.tied_groups if g.stop - g.start > 1]
    if spans:
        notes.append(f"equal singular values {', '.join(spans)}: only their span is unique")
    if triplets.may_miss_ties:
        notes.append(MORE_TIES_NOTE)
    return Certainty(
        unique=not notes,
        components=graph.operator().hub_authority_components().count,
        multiplicity=triplets.tied_groups[0].stop,
        gap=triplets.relative_eigengap,
        note="; ".join(notes),
    )
