"""Hub scores by PageRank on the transposed graph."""

from weft.core.params import Damping, DanglingRule, MaxIter, Tol, Weighted
from weft.core.register import Dimensions, method
from weft.graph.webgraph import WebGraph
from weft.rank.pagerank import NO_LINKS_TELEPORT_NOTE, solve_pagerank, uniform_distribution
from weft.rank.ranking import Ranking, unique_certainty


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
    damping: Damping = 0.9,
    dangling: DanglingRule = "teleport",
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score hubs by PageRank on the reversed links.

    PageRank of the transposed graph: the score of a page comes from the pages
    it links to, each of which splits its score among all pages that link to
    it. `dangling` applies to pages without in-links. A graph without links
    gives equal scores.

    Examples
    --------
    >>> pagerank_hubs(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by pagerank-hubs, led by b>
    """
    scores, contributions, trace = solve_pagerank(
        reverse_graph(graph),
        uniform_distribution(len(graph)),
        damping,
        dangling,
        weighted=weighted,
        tol=tol,
        max_iter=max_iter,
    )
    certainty = unique_certainty("" if graph.link_count else NO_LINKS_TELEPORT_NOTE)
    return Ranking(
        "pagerank-hubs", graph.pages, {"hub": scores}, trace, certainty, {"hub": contributions}
    )


def reverse_graph(graph: WebGraph) -> WebGraph:
    """The transposed graph: every link reversed; nothing is copied."""
    return WebGraph(graph.pages, graph.inlinks, graph.outlinks, graph.level)
