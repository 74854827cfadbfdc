"""In-degree: the number of links to a page."""

import numpy as np

from weft.core.params import Weighted
from weft.core.register import Dimensions, method
from weft.engine import CLOSED_FORM, normalize_l1
from weft.graph.webgraph import WebGraph
from weft.rank.hits import NO_LINKS_ZERO_NOTE
from weft.rank.ranking import Contributions, Ranking, unique_certainty


@method(
    "rank",
    "indegree",
    cites="kleinberg1999",
    dimensions=Dimensions(
        model="single node",
        metric="in-degree",
        algorithm="counting",
        scope="single page",
        applications=("web search", "topic distillation"),
    ),
    spark="weft.spark.rank:indegree",
    on_gpu=True,
)
def indegree(graph: WebGraph, *, weighted: Weighted = False) -> Ranking:
    """Score each page by its share of all links.

    The number of pages that link to a page over the number of links, or with
    `weighted` the sum of their weights over the sum of all weights: the
    baseline in which all links count the same. A graph without links gives
    zeros.

    Examples
    --------
    >>> indegree(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by indegree, led by x>
    """
    operator = graph.operator(weighted=weighted)
    counts = operator.to_host(operator.indegrees())
    total = counts.sum()
    per_link = np.full(len(graph), 1 / total if total else 0.0)
    return Ranking(
        "indegree",
        graph.pages,
        {"share": normalize_l1(counts)},
        CLOSED_FORM,
        unique_certainty("" if total else NO_LINKS_ZERO_NOTE),
        {"share": Contributions(graph.inlinks, per_link, weighted=weighted)},
    )
