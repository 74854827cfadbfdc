"""PageRank of the links turned round: pages that lead to many places."""

from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import DanglingRule, Follow, Limit, Tolerance, Weighted
from weft.graph.webgraph import WebGraph
from weft.rank.pagerank import NO_LINKS, evenly, surf
from weft.rank.ranking import Ranking, certain


@method(
    "rank",
    "pagerank-hubs",
    cites="ding2003",
    dimensions=Dimensions(
        model="Markov model",
        metric="PageRank",
        algorithm="PageRank",
        scope="single page",
        applications=("web search", "web crawling"),
    ),
)
def pagerank_hubs(
    graph: WebGraph,
    *,
    follow: Follow = 0.9,
    dangling: DanglingRule = "teleport",
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score each page by how often a reader who follows links backwards is there.

    The PageRank of the graph with its links turned round: a page scores by
    the pages it links to, each of which shares its score among all that link
    to it. `dangling` is about pages without links to them. A graph without
    links gives equal scores.

    Examples
    --------
    >>> pagerank_hubs(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by pagerank-hubs, led by b>
    """
    jump = evenly(len(graph))
    scores, parts, trace = surf(
        turned(graph), jump, follow, dangling, weighted=weighted, tolerance=tolerance, limit=limit
    )
    look = certain("" if graph.link_count else NO_LINKS)
    return Ranking("pagerank-hubs", graph.pages, {"hub": scores}, trace, look, {"hub": parts})


def turned(graph: WebGraph) -> WebGraph:
    """The same pages, with every link the other way; nothing is copied."""
    return WebGraph(graph.pages, graph.inlinks, graph.outlinks, graph.level)
