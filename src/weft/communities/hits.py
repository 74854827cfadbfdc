"""Communities of hubs and authorities, one at each end of several singular vectors."""

from typing import Annotated

import numpy as np
from pydantic import Field

from weft.communities.community import Communities, Community
from weft.communities.partition import communities_of
from weft.core.arrays import Ids
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Vectors, Weighted
from weft.core.wording import count
from weft.engine import CLOSED
from weft.graph.baseset import BaseSet
from weft.rank.ends import End, best, ends
from weft.rank.singular import Leading, leading

Size = Annotated[
    int, Field(ge=1, description="how many centres, and how many hubs, a community has at most")
]
Weak = Annotated[
    float,
    Field(ge=0, lt=1, description="drop an end whose best page has less of the vector's largest"),
]
Same = Annotated[
    float, Field(gt=0, le=1, description="drop an end whose centres are those of another so far")
]

NEAR = 1e-8


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
    vectors: Vectors = 8,
    size: Size = 10,
    weak: Weak = 0.1,
    same: Same = 0.8,
    weighted: Weighted = False,
) -> Communities:
    """Find a community of centres and hubs at each end of several pairs of singular vectors.

    The principal pair is that of HITS, and is the main community. Each
    further pair has two ends, its most positive and its most negative pages,
    and each is a community, unless even its best page is weak beside the
    other end, or its centres are those of a stronger one. They stand in the
    order of their eigenvalues and may overlap. Pairs of equal value cannot be
    separated: they make one community, which says so.

    Examples
    --------
    >>> two = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x"), ("c", "z"), ("d", "z")]
    >>> [c.facts["pair"] for c in hits(two, vectors=2)]
    ['1', '2+', '2-']
    """
    found = leading(base.graph.flow(weighted=weighted), vectors)
    every = list(ends(base.graph, found, weighted=weighted))
    strong = [end for end in every if not _is_weak(end, every, weak)]
    kept: list[End] = []
    for end in strong:
        if all(alike(best(end.authority, size), best(o.authority, size)) < same for o in kept):
            kept.append(end)
    made = [end.foremost(size) for end in kept]
    communities = communities_of(
        base,
        [members for members, _, _ in made],
        strength=[end.value**2 for end in kept],
        facts=[
            _facts(end, found) | {"mass": float(authority.sum() + hub.sum())}
            for end, (_, authority, hub) in zip(kept, made, strict=True)
        ],
        scores=[(authority, hub) for _, authority, hub in made],
    )
    notes = _notes(len(every) - len(strong), len(strong) - len(kept), communities)
    facts = {"eigenvalues": [float(value) ** 2 for value in found.values]}
    return Communities("hits", base, communities, CLOSED, facts, notes)


def alike(one: Ids, other: Ids) -> float:
    """What share of the pages of two sets is in both."""
    shared = len(np.intersect1d(one, other))
    return shared / max(len(one) + len(other) - shared, 1)


def _is_weak(end: End, every: list[End], weak: float) -> bool:
    """Whether even the best page of an end is weak beside the other end of its pair."""
    twin = [each.authority.max() for each in every if each.name[:-1] == end.name[:-1]]
    split = end.name[-1] in "+-"
    return split and end.authority.max(initial=0) < weak * max(twin)


def _facts(end: End, found: Leading) -> dict[str, object]:
    values = np.append(found.values, found.after) ** 2
    own = end.value**2
    near = np.count_nonzero(np.abs(values - own) < NEAR * max(own, 1.0)) > 1
    return end.facts() | {"eigenvalue": own, "separable": not (near or end.note)}


def _notes(weak: int, same: int, kept: tuple[Community, ...]) -> tuple[str, ...]:
    merged = sum(1 for community in kept if not community.facts["separable"])
    said = [
        (weak, f"{count(weak, 'end')} dropped as weak beside the other end"),
        (same, f"{count(same, 'end')} dropped for having the centres of another"),
        (merged, f"{count(merged, 'community')} not separable: eigenvalues are equal"),
    ]
    return tuple(words for number, words in said if number)
