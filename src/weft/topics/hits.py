"""The one topic of the best hubs and authorities of the base set."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from weft.core.params import MaxIter, Tol, Weighted
from weft.core.register import Dimensions, method
from weft.engine import principal_singular_pair
from weft.graph.baseset.baseset import BaseSet
from weft.groups.group import Group, add_site_diversity
from weft.groups.groups import Groups
from weft.rank.vector_ends import VectorEnd

MaxSize = Annotated[
    int, Field(ge=1, description="maximum number of authorities, and of hubs, per topic")
]


@method(
    "topics",
    "hits",
    cites="kleinberg1999",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="HITS",
        scope="multiple pages",
        applications=("topic distillation",),
    ),
)
def hits(
    base: BaseSet,
    *,
    max_size: MaxSize = 20,
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Groups:
    """Find one topic: the best authorities and hubs of HITS.

    Whatever the base set is about, there is one topic: that of the most densely
    linked group of pages. If several groups tie, it is their blend, with a
    `note`. Without links there is none.

    Examples
    --------
    >>> hits([("a", "x"), ("b", "x"), ("b", "y"), ("c", "z")])
    <1 topic by hits>
    """
    operator = base.graph.operator(weighted=weighted)
    pair = principal_singular_pair(operator, np.ones(len(base)), tol, max_iter, "hits")
    topics = []
    if pair.value:
        facts: dict[str, Any] = {"singular value": pair.value, "components": pair.component_count}
        tied = pair.tied_components
        note = f"blend of {tied} groups of pages that tie" if tied > 1 else ""
        best = VectorEnd("1", pair.value, pair.target, pair.source).top_members(max_size)
        topics.append(Group(*best, pair.value, note=note, facts=facts))
    return Groups("topics", "hits", base, add_site_diversity(base, topics), pair.trace)
