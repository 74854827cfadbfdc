"""PageRank for a reader with a preference: whose jumps lead to some pages, or avoid others."""

import numpy as np

from weft.core.dimensions import Dimensions
from weft.core.errors import BadParameter
from weft.core.methods import method
from weft.core.params import DanglingRule, Follow, Limit, Tolerance, Weighted
from weft.graph.webgraph import WebGraph
from weft.rank.jumps import ALIKE, NONE, Places, SeedWeights, jumps_to, marked
from weft.rank.pagerank import surf
from weft.rank.ranking import Ranking, certain


@method(
    "rank",
    "personalised",
    cites="haveliwala2003",
    dimensions=Dimensions(
        model="Markov model",
        metric="PageRank",
        algorithm="PageRank",
        scope="single page",
        applications=("web search", "personalisation"),
    ),
)
def personalised(
    graph: WebGraph,
    *,
    seeds: Places = NONE,
    seed_weights: SeedWeights = ALIKE,
    follow: Follow = 0.85,
    dangling: DanglingRule = "teleport",
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score pages by how often a reader is there who jumps to the seeds alone.

    The seeds are pages, or hosts for all of their pages. Unless `dangling`
    says `uniform`, a page that no path from a seed reaches scores exactly
    zero. Scores of several sets of seeds may be mixed only where `dangling`
    is not `teleport`: with it they are not linear in the seeds. Without seeds
    this is PageRank, and the result says so.

    Examples
    --------
    >>> links = [("a", "x"), ("b", "x"), ("b", "y"), ("x", "b")]
    >>> personalised(WebGraph.from_links(links), seeds=["y"])
    <Ranking of 4 pages by personalised, led by y>
    """
    jump = jumps_to(graph, seeds, seed_weights)
    scores, parts, trace = surf(
        graph, jump, follow, dangling, weighted=weighted, tolerance=tolerance, limit=limit
    )
    look = certain("" if seeds else "no seeds: jumps lead to any page, as in PageRank")
    details = {"seeds": int((jump > 0).sum())}
    return Ranking(
        "personalised", graph.pages, {"score": scores}, trace, look, {"score": parts}, details
    )


@method(
    "rank",
    "spam-aware",
    cites="gemulla2013",
    dimensions=Dimensions(
        model="Markov model",
        metric="PageRank",
        algorithm="PageRank",
        scope="single page",
        applications=("web search",),
    ),
)
def spam_aware(
    graph: WebGraph,
    *,
    spam: Places = NONE,
    follow: Follow = 0.85,
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score pages by PageRank whose jumps never lead to spam.

    The reader jumps to any page that is not on the list of spam, a list of
    pages or of hosts, and from a page without links they do the same. A page
    on the list still scores by the links to it, but its own score is no longer
    fed by jumps, which is what farms of pages live on. Without a list this is
    PageRank; a list of all pages leaves no page to jump to and is refused.

    Examples
    --------
    >>> links = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("e", "y")]
    >>> spam_aware(WebGraph.from_links(links), spam=["c", "d", "e"])
    <Ranking of 7 pages by spam-aware, led by x>
    """
    shunned = marked(graph, spam)
    good = int((~shunned).sum())
    if len(graph) and not good:
        raise BadParameter("every page is listed as spam", hint="leave a page to jump to")
    jump = np.where(shunned, 0.0, 1 / max(good, 1))
    scores, parts, trace = surf(
        graph, jump, follow, "teleport", weighted=weighted, tolerance=tolerance, limit=limit
    )
    look = certain("" if spam else "no spam listed: jumps lead to any page, as in PageRank")
    details = {"spam": len(graph) - good}
    return Ranking(
        "spam-aware", graph.pages, {"score": scores}, trace, look, {"score": parts}, details
    )
