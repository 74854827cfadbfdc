"""How good the pages are that a page leads to."""

from typing import Annotated, Literal

from pydantic import Field

from weft.core.arrays import Floats
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Follow, Limit, Tolerance
from weft.engine import CLOSED
from weft.graph.webgraph import WebGraph
from weft.rank.hits import hits
from weft.rank.pagerank import pagerank
from weft.rank.parts import Parts
from weft.rank.ranking import Ranking

Quality = Annotated[
    Literal["pagerank", "authority"],
    Field(description="what makes a page worth leading to: its PageRank, or its HITS authority"),
]


@method(
    "rank",
    "informativeness",
    cites="prajapati2012",
    dimensions=Dimensions(
        model="single node",
        metric="hub and authority scores",
        algorithm="PageRank",
        scope="single page",
        applications=("topic distillation",),
    ),
)
def informativeness(
    graph: WebGraph,
    *,
    quality: Quality = "pagerank",
    follow: Follow = 0.85,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score each page by the quality of the pages it links to.

    The sum of their PageRank, found with `follow`; or of their authority by
    HITS, which gives the hubs of HITS on another scale. A page without links
    informs of nothing and scores zero. `lead_to` does the same with any
    quality, such as relevance to a query.

    Examples
    --------
    >>> informativeness(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by informativeness, led by b>
    """
    if quality == "authority":
        found = hits(graph, tolerance=tolerance, limit=limit)
    else:
        found = pagerank(graph, follow=follow, tolerance=tolerance, limit=limit)
    led = lead_to(graph, next(iter(found.scores.values())))
    return Ranking("informativeness", graph.pages, led.scores, found.trace, found.look, led.parts)


def lead_to(graph: WebGraph, quality: Floats) -> Ranking:
    """Score each page by the sum of a quality over the pages it links to.

    Examples
    --------
    >>> import numpy as np
    >>> lead_to(WebGraph.from_links([("a", "x"), ("b", "y")]), np.array([0.0, 0.2, 0.0, 0.7]))
    <Ranking of 4 pages by informativeness, led by b>
    """
    scores = {"hub": graph.flow().backward(quality)}
    parts = {"hub": Parts(graph.outlinks, quality)}
    return Ranking("informativeness", graph.pages, scores, CLOSED, parts=parts)
