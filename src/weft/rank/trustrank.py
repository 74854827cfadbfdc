"""TrustRank: trust that spreads from good seed pages along links."""

from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats, Ids, argsort_descending, round_significant
from weft.core.errors import BadParameter
from weft.core.params import Damping, DanglingRule, MaxIter, Tol, Weighted
from weft.core.register import Dimensions, method
from weft.engine import normalize_l1
from weft.graph.webgraph import WebGraph
from weft.rank.pagerank import reverse_graph, solve_pagerank, uniform_distribution
from weft.rank.ranking import Ranking, unique_certainty
from weft.rank.teleport import NO_PAGES, PagesOrHosts, named_page_mask, teleport_vector

CandidateCount = Annotated[
    int,
    Field(
        ge=1,
        description="without seeds, pages to propose as seeds (plus ties)",
    ),
]
TIE_TOLERANCE = 1e-11
PROPOSED_SEEDS_NOTE = "no seeds: trust starts at the unchecked pages in details['candidates']"


@method(
    "rank",
    "trustrank",
    cites="gyongyi2004",
    dimensions=Dimensions(
        model="Markov model",
        metric="PageRank",
        algorithm="PageRank",
        scope="single page",
        applications=("web search",),
    ),
    on_gpu=True,
)
def trustrank(
    graph: WebGraph,
    *,
    seeds: PagesOrHosts = NO_PAGES,
    bad: PagesOrHosts = NO_PAGES,
    candidates: CandidateCount = 20,
    damping: Damping = 0.85,
    dangling: DanglingRule = "leak",
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score pages by the trust that reaches them from good seeds.

    PageRank with jumps to the seeds only: trust starts at the seeds in equal
    parts and is split among the links of a page; pages that no path from a seed
    reaches have none. Without seeds, the pages with the highest PageRank on the
    reversed links are used, with ties of the last, since they reach most of the
    graph soonest: check `details["candidates"]`, then pass the good ones as
    `seeds`, or the bad ones as `bad`, which are never seeds. Pages without
    links are not proposed. The scores converge; the paper stops after 20
    iterations.

    Examples
    --------
    >>> links = [("a", "x"), ("b", "x"), ("b", "y"), ("spam", "y")]
    >>> trustrank(WebGraph.from_links(links), seeds=["a"])
    <Ranking of 5 pages by trustrank, led by a>
    >>> trustrank(WebGraph.from_links(links), candidates=2).details["candidates"]
    ['b', 'a', 'spam']
    """
    proposed = (
        np.zeros(0, np.int32) if seeds else propose_seeds(graph, candidates, weighted=weighted)
    )
    trusted = teleport_vector(graph, seeds) if seeds else _uniform_over_pages(len(graph), proposed)
    teleport = normalize_l1(np.where(named_page_mask(graph, bad), 0.0, trusted))
    if len(graph) and not teleport.any():
        raise BadParameter("every seed is listed as bad", hint="name another seed")
    scores, contributions, trace = solve_pagerank(
        graph, teleport, damping, dangling, weighted=weighted, tol=tol, max_iter=max_iter
    )
    return Ranking(
        "trustrank",
        graph.pages,
        {"score": scores},
        trace,
        unique_certainty("" if seeds else PROPOSED_SEEDS_NOTE),
        {"score": contributions},
        {
            "seeds": int((teleport > 0).sum()),
            "candidates": [graph.pages[page_id] for page_id in proposed],
        },
    )


def propose_seeds(graph: WebGraph, k: int, *, weighted: bool = False) -> Ids:
    """The k pages with links of highest inverse PageRank, and all that tie with the last.

    Ties are included so that page numbers do not decide. Without any links
    all pages tie. Twenty iterations, as in the paper, are enough for the order
    at the top.
    """
    scores, _, _ = solve_pagerank(
        reverse_graph(graph),
        uniform_distribution(len(graph)),
        0.85,
        "teleport",
        weighted=weighted,
        max_iter=20,
    )
    has_links = graph.outdegrees() > 0
    scores = round_significant(np.where(has_links, scores, 0.0) if has_links.any() else scores)
    threshold = np.partition(scores, -k)[-k] if k < len(scores) else 0.0
    count = np.count_nonzero((scores >= threshold * (1 - TIE_TOLERANCE)) & (scores > 0))
    return argsort_descending(scores)[:count]


def _uniform_over_pages(n: int, pages: Ids) -> Floats:
    distribution = np.zeros(n)
    distribution[pages] = 1 / max(len(pages), 1)
    return distribution
