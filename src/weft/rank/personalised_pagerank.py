"""PageRank with a chosen teleport vector: personalised by seeds, or without spam."""

import numpy as np

from weft.core.errors import BadParameter
from weft.core.params import Damping, DanglingRule, MaxIter, Tol, Weighted
from weft.core.register import Dimensions, method
from weft.graph.webgraph import WebGraph
from weft.rank.pagerank import solve_pagerank
from weft.rank.ranking import Ranking, unique_certainty
from weft.rank.teleport import (
    EQUAL_WEIGHTS,
    NO_PAGES,
    PagesOrHosts,
    SeedWeights,
    named_page_mask,
    teleport_vector,
)


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
    spark="weft.spark.rank:personalised_pagerank",
    on_gpu=True,
)
def personalised_pagerank(
    graph: WebGraph,
    *,
    seeds: PagesOrHosts = NO_PAGES,
    seed_weights: SeedWeights = EQUAL_WEIGHTS,
    damping: Damping = 0.85,
    dangling: DanglingRule = "teleport",
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score pages by PageRank with jumps to the seeds only.

    The seeds are pages, or hosts for all of their pages. A page that no path
    from a seed reaches scores exactly zero, unless `dangling` is `uniform`.
    The scores are linear in the seeds, so that rankings of several sets of
    seeds can be mixed, unless `dangling` is `teleport`. Without seeds this is
    PageRank, and `certainty` notes it.

    Examples
    --------
    >>> links = [("a", "x"), ("b", "x"), ("b", "y"), ("x", "b")]
    >>> personalised_pagerank(WebGraph.from_links(links), seeds=["y"])
    <Ranking of 4 pages by personalised, led by y>
    """
    teleport = teleport_vector(graph, seeds, seed_weights)
    scores, contributions, trace = solve_pagerank(
        graph, teleport, damping, dangling, weighted=weighted, tol=tol, max_iter=max_iter
    )
    return Ranking(
        "personalised",
        graph.pages,
        {"score": scores},
        trace,
        unique_certainty("" if seeds else "no seeds: jumps lead to any page, as in PageRank"),
        {"score": contributions},
        {"seeds": int((teleport > 0).sum())},
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
    on_gpu=True,
)
def spam_aware_pagerank(
    graph: WebGraph,
    *,
    spam: PagesOrHosts = NO_PAGES,
    damping: Damping = 0.85,
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score pages by PageRank without jumps to spam.

    The surfer jumps to any page except those listed as spam, pages or hosts;
    from a page without links too. Listed pages still score by the links to
    them, but no longer by jumps, which is what link farms live on. Without a
    list this is PageRank; a list of all pages is an error.

    Examples
    --------
    >>> links = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("e", "y")]
    >>> spam_aware_pagerank(WebGraph.from_links(links), spam=["c", "d", "e"])
    <Ranking of 7 pages by spam-aware, led by x>
    """
    is_spam = named_page_mask(graph, spam)
    good_pages = int((~is_spam).sum())
    if len(graph) and not good_pages:
        raise BadParameter("every page is listed as spam", hint="leave a page to jump to")
    teleport = np.where(is_spam, 0.0, 1 / max(good_pages, 1))
    scores, contributions, trace = solve_pagerank(
        graph, teleport, damping, "teleport", weighted=weighted, tol=tol, max_iter=max_iter
    )
    return Ranking(
        "spam-aware",
        graph.pages,
        {"score": scores},
        trace,
        unique_certainty("" if spam else "no spam listed: jumps lead to any page, as in PageRank"),
        {"score": contributions},
        {"spam": len(graph) - good_pages},
    )
