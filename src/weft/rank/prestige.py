"""Prestige: to be linked from pages of prestige."""

from functools import cache
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Limit, Tolerance, Weighted
from weft.engine import Flow, Trace, fixed_point, series, unit
from weft.graph.webgraph import WebGraph
from weft.rank.growth import Growth, grow
from weft.rank.parts import Parts
from weft.rank.ranking import Certainty, Ranking, certain

Damped = Annotated[
    bool, Field(description="take damped prestige (Katz) even where plain prestige is defined")
]
Beta = Annotated[
    float, Field(gt=0, description="the most that a link passes on of damped prestige")
]


@method(
    "rank",
    "prestige",
    cites="prajapati2012",
    dimensions=Dimensions(
        model="single node",
        metric="PageRank",
        algorithm="eigenvectors",
        scope="single page",
        applications=("web search",),
    ),
)
def prestige(
    graph: WebGraph,
    *,
    damped: Damped = False,
    beta: Beta = 0.1,
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score each page by the sum of the scores of the pages that link to it.

    Up to scale, that has an answer only where links go round in a cycle, and
    one answer only where one group of pages that reach each other grows
    faster than all others: the principal left eigenvector of the links,
    summing to one. Elsewhere, or with `damped`, every page has one point of
    its own and gets `beta` of each linking page's (Katz), with `beta` lowered
    to half of what the growth allows; the result says which it is.

    Examples
    --------
    >>> ring = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "a")]
    >>> prestige(WebGraph.from_links(ring))
    <Ranking of 3 pages by prestige, led by a>
    >>> prestige(WebGraph.from_links([("a", "b")])).certainty.note
    'links form no cycle: damped prestige instead'
    """
    flow = graph.flow(weighted=weighted)
    growth = grow(graph, limit, weighted=weighted)
    if damped or len(growth.leaders) != 1:
        link = min(beta, 0.5 / growth.most) if growth.most else beta
        own = np.ones(len(graph))
        scores, trace = series(flow, own, link * own, tolerance, limit, "prestige")
        parts = Parts(graph.inlinks, link * scores, weighted=weighted, rest={"its own": own})
        found = {"form": "damped", "growth": growth.most, "beta": link}
    else:
        scores, trace = settle(flow, growth, tolerance, limit)
        rate = float(flow.forward(scores).sum())
        parts = Parts(graph.inlinks, scores / rate, weighted=weighted)
        found = {"form": "eigenvector", "growth": rate}
    look = certain("damped, as asked") if damped else cache(lambda: _judge(growth))
    return Ranking("prestige", graph.pages, {"score": scores}, trace, look, {"score": parts}, found)


def settle(flow: Flow, growth: Growth, tolerance: float, limit: int) -> tuple[Floats, Trace]:
    """The scores that links reproduce, from those of the leading group.

    Each round keeps half of what was: scores that swing between the two
    halves of a cycle of even length would never settle otherwise.
    """
    start = np.where(growth.group == growth.leaders[0], growth.shape, 0.0)
    return fixed_point(
        lambda x: unit(unit(flow.forward(x)) + x), unit(start), tolerance, limit, "prestige"
    )


def _judge(growth: Growth) -> Certainty:
    tied = len(growth.leaders)
    note = f"{tied} groups of pages tie: damped prestige instead"
    if tied == 0:
        note = "links form no cycle: damped prestige instead"
    return Certainty(
        components=len(growth.high),
        multiplicity=tied,
        gap=growth.gap,
        note="" if tied == 1 else note,
    )
