"""Communities of hubs and authorities at the ends of several singular vectors."""

from typing import Annotated

import numpy as np
from pydantic import Field

from weft.communities.build import build_communities
from weft.core.arrays import Ids
from weft.core.params import VectorPairs, Weighted
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.groups.groups import Groups
from weft.rank.hits_vectors import LeadingTriplets, leading_triplets
from weft.rank.vector_ends import VectorEnd, iter_vector_ends, top_scoring_pages

MaxSize = Annotated[
    int, Field(ge=1, description="maximum number of authorities, and of hubs, of each")
]
WeakEndRatio = Annotated[
    float,
    Field(ge=0, lt=1, description="drop ends with best score below this share of the other end"),
]
MaxOverlap = Annotated[
    float,
    Field(gt=0, le=1, description="drop an end with this Jaccard similarity to a stronger one"),
]

EIGENVALUE_TOLERANCE = 1e-8


@method(
    "communities",
    "hits",
    cites="gibson1998",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="HITS",
        scope="multiple pages",
        applications=("web communities",),
    ),
)
def hits(
    base: BaseSet,
    *,
    vectors: VectorPairs = 8,
    max_size: MaxSize = 10,
    weak: WeakEndRatio = 0.1,
    max_overlap: MaxOverlap = 0.8,
    weighted: Weighted = False,
) -> Groups:
    """Find a community at each end of several singular vectors.

    The principal pair of singular vectors is that of HITS and gives the main
    community. Each further pair has two ends, its most positive and its most
    negative entries. Each end is a community, unless its best page is weak
    compared with the other end, or its authorities are those of a stronger
    community. Communities are in descending order of eigenvalue and may
    overlap. Pairs of equal value cannot be separated: they give one community,
    marked as not `separable`.

    Examples
    --------
    >>> two = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x"), ("c", "z"), ("d", "z")]
    >>> [c.facts["pair"] for c in hits(two, vectors=2)]
    ['1', '2+', '2-']
    """
    triplets = leading_triplets(base.graph.operator(weighted=weighted), vectors)
    ends = list(iter_vector_ends(base.graph, triplets, weighted=weighted))
    strong = [end for end in ends if not _is_weaker_end(end, ends, weak)]
    distinct = _drop_overlapping_ends(strong, max_size, max_overlap)
    tops = [end.top_members(max_size) for end in distinct]
    separable = [_is_separable(end, triplets) for end in distinct]
    communities = build_communities(
        base,
        [members for members, _, _ in tops],
        strength=[end.singular_value**2 for end in distinct],
        facts=[
            _end_facts(end, is_separable=alone, mass=float(authority.sum() + hub.sum()))
            for end, alone, (_, authority, hub) in zip(distinct, separable, tops, strict=True)
        ],
        scores=[(authority, hub) for _, authority, hub in tops],
    )
    notes = _end_notes(len(ends) - len(strong), len(strong) - len(distinct), separable.count(False))
    facts = {"eigenvalues": [float(value) ** 2 for value in triplets.values]}
    return Groups("communities", "hits", base, communities, CLOSED_FORM, facts=facts, notes=notes)


def _drop_overlapping_ends(
    ends: list[VectorEnd], max_size: int, max_overlap: float
) -> list[VectorEnd]:
    """Drop each end whose authorities are nearly those of one before it."""
    kept: list[VectorEnd] = []
    kept_authorities: list[Ids] = []
    for end in ends:
        authorities = top_scoring_pages(end.authority, max_size)
        if all(jaccard_similarity(authorities, other) < max_overlap for other in kept_authorities):
            kept.append(end)
            kept_authorities.append(authorities)
    return kept


def jaccard_similarity(first: Ids, second: Ids) -> float:
    """Size of the intersection of two sets over the size of their union."""
    shared = len(np.intersect1d(first, second))
    return shared / max(len(first) + len(second) - shared, 1)


def _is_weaker_end(end: VectorEnd, all_ends: list[VectorEnd], weak: float) -> bool:
    """Whether the best authority of an end is weak compared with the other end of its pair."""
    has_two_ends = end.name[-1] in "+-"
    best_of_pair = max(e.authority.max() for e in all_ends if e.name[:-1] == end.name[:-1])
    return has_two_ends and end.authority.max(initial=0) < weak * best_of_pair


def _is_separable(end: VectorEnd, triplets: LeadingTriplets) -> bool:
    """Whether no other pair of singular vectors has the same value."""
    eigenvalues = np.append(triplets.values, triplets.next_value) ** 2
    own = end.singular_value**2
    equal = np.abs(eigenvalues - own) < EIGENVALUE_TOLERANCE * max(own, 1.0)
    return not (np.count_nonzero(equal) > 1 or end.note)


def _end_facts(end: VectorEnd, *, is_separable: bool, mass: float) -> dict[str, object]:
    note = {"note": end.note} if end.note else {}
    own = {"eigenvalue": end.singular_value**2, "separable": is_separable, "mass": mass}
    return end.facts() | note | own


def _end_notes(weak: int, overlapping: int, inseparable: int) -> tuple[str, ...]:
    notes = [
        (weak, f"{pluralise(weak, 'end')} dropped: weak beside the other end"),
        (
            overlapping,
            f"{pluralise(overlapping, 'end')} dropped: same authorities as a stronger one",
        ),
        (inseparable, f"{pluralise(inseparable, 'community')} not separable: equal eigenvalues"),
    ]
    return tuple(text for count, text in notes if count)
