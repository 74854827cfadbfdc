"""The one topic that hubs and authorities of the whole base set make."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Limit, Tolerance, Weighted
from weft.engine import principal
from weft.graph.baseset import BaseSet
from weft.rank.ends import End
from weft.topics.tkc import with_sites
from weft.topics.topic import Topic, Topics

Size = Annotated[
    int, Field(ge=1, description="how many authorities, and how many hubs, a topic has at most")
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
    size: Size = 20,
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Topics:
    """Find the strongest topic alone: the best authorities and hubs of HITS.

    Whatever the base set is about, there is one topic: that of the group of
    pages that link together most densely. Where several groups tie for it, it
    is their blend, and the topic's `note` says so. Without links there is none.

    Examples
    --------
    >>> hits([("a", "x"), ("b", "x"), ("b", "y"), ("c", "z")])
    <1 topics by hits>
    """
    flow = base.graph.flow(weighted=weighted)
    pair = principal(flow, np.ones(len(base)), tolerance, limit, "hits")
    found = []
    if pair.value:
        facts: dict[str, Any] = {"singular value": pair.value, "components": pair.components}
        if pair.tied > 1:
            facts["note"] = f"{pair.tied} groups of pages tie: this is their blend"
        best = End("1", pair.value, pair.target, pair.source).foremost(size)
        found.append(Topic(*best, pair.value, facts=facts))
    return Topics("hits", base, with_sites(base, found), pair.trace)
