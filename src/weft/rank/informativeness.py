"""Informativeness: the quality of the pages that a page links to."""

from typing import Annotated, Literal

from pydantic import Field

from weft.core.arrays import Floats
from weft.core.params import Damping, MaxIter, Tol
from weft.core.register import Dimensions, method
from weft.engine import CLOSED_FORM
from weft.graph.webgraph import WebGraph
from weft.rank.hits import hits
from weft.rank.pagerank import pagerank
from weft.rank.ranking import Contributions, Ranking

Quality = Annotated[
    Literal["pagerank", "authority"],
    Field(description="quality of a linked page: PageRank or HITS authority"),
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
    damping: Damping = 0.85,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score each page by the quality of the pages it links to.

    The sum of their PageRank, or of their HITS authority, which gives the hub
    scores of HITS on another scale. A page without links scores zero.
    `rank_by_target_quality` takes any quality, such as relevance to a query.

    Examples
    --------
    >>> informativeness(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by informativeness, led by b>
    """
    if quality == "authority":
        targets = hits(graph, tol=tol, max_iter=max_iter)
    else:
        targets = pagerank(graph, damping=damping, tol=tol, max_iter=max_iter)
    sources = rank_by_target_quality(graph, targets.score())
    return Ranking(
        "informativeness",
        graph.pages,
        sources.scores,
        targets.trace,
        targets.compute_certainty,
        sources.contributions,
    )


def rank_by_target_quality(graph: WebGraph, quality: Floats) -> Ranking:
    """Score each page by the sum of a quality over the pages it links to.

    Examples
    --------
    >>> import numpy as np
    >>> rank_by_target_quality(
    ...     WebGraph.from_links([("a", "x"), ("b", "y")]), np.array([0.0, 0.2, 0.0, 0.7])
    ... )
    <Ranking of 4 pages by informativeness, led by b>
    """
    scores = {"hub": graph.operator().matvec(quality)}
    contributions = {"hub": Contributions(graph.outlinks, quality)}
    return Ranking("informativeness", graph.pages, scores, CLOSED_FORM, contributions=contributions)
