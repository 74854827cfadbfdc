"""TrustRank: trust in good pages, passed on along links."""

from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats, Ids
from weft.core.dimensions import Dimensions
from weft.core.errors import BadParameter
from weft.core.methods import method
from weft.core.params import DanglingRule, Follow, Limit, Tolerance, Weighted
from weft.engine import unit
from weft.graph.webgraph import WebGraph
from weft.rank.jumps import NONE, Places, jumps_to, marked
from weft.rank.pagerank import evenly, surf
from weft.rank.pagerank_hubs import turned
from weft.rank.ranking import Ranking, best_first, certain, rounded

Candidates = Annotated[
    int,
    Field(
        ge=1,
        description="without seeds, how many pages are proposed as seeds, with equals of the last",
    ),
]
EQUAL = 1e-11
UNSEEN = "no seeds: the proposed pages in details['candidates'] count as good, unseen"


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
)
def trustrank(
    graph: WebGraph,
    *,
    seeds: Places = NONE,
    bad: Places = NONE,
    candidates: Candidates = 20,
    follow: Follow = 0.85,
    dangling: DanglingRule = "leak",
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score pages by the trust that reaches them from pages known to be good.

    Trust starts in equal parts at the seeds and is shared out along links; a
    page that no path from a seed reaches has none. Without seeds, the pages
    from which most of the graph is soon reached, those of most PageRank with
    the links turned round, are proposed, with all that equal the last of them:
    look at `details["candidates"]`, and name the good ones as seeds, or the
    bad ones as `bad`, which are never seeds. Pages without links pass no trust
    on and are not proposed. Scores have converged; the authors stopped at 20
    iterations.

    Examples
    --------
    >>> links = [("a", "x"), ("b", "x"), ("b", "y"), ("spam", "y")]
    >>> trustrank(WebGraph.from_links(links), seeds=["a"])
    <Ranking of 5 pages by trustrank, led by a>
    >>> trustrank(WebGraph.from_links(links), candidates=2).details["candidates"]
    ['b', 'a', 'spam']
    """
    shunned = marked(graph, bad)
    proposed = np.zeros(0, np.int32) if seeds else propose(graph, candidates, weighted=weighted)
    trusted = jumps_to(graph, seeds) if seeds else _alike(len(graph), proposed)
    jump = unit(np.where(shunned, 0.0, trusted))
    if len(graph) and not jump.any():
        raise BadParameter("every seed is listed as bad", hint="name another seed")
    scores, parts, trace = surf(
        graph, jump, follow, dangling, weighted=weighted, tolerance=tolerance, limit=limit
    )
    details = {"seeds": int((jump > 0).sum()), "candidates": [graph.pages[i] for i in proposed]}
    look = certain("" if seeds else UNSEEN)
    return Ranking(
        "trustrank", graph.pages, {"score": scores}, trace, look, {"score": parts}, details
    )


def propose(graph: WebGraph, k: int, *, weighted: bool = False) -> Ids:
    """The k linking pages of most PageRank with the links turned round, and the equals of the last.

    So that no page is left out for its number. Without any links all pages
    are equal. Twenty iterations, as the authors took: the order of the first
    few is known soon.
    """
    back = turned(graph)
    scores, _, _ = surf(back, evenly(len(graph)), 0.85, "teleport", weighted=weighted, limit=20)
    linking = graph.outdegrees() > 0
    worth = rounded(np.where(linking, scores, 0.0) if linking.any() else scores)
    bar = np.partition(worth, -k)[-k] if k < len(worth) else 0.0
    return best_first(worth)[: np.count_nonzero((worth >= bar * (1 - EQUAL)) & (worth > 0))]


def _alike(n: int, chosen: Ids) -> Floats:
    jump = np.zeros(n)
    jump[chosen] = 1 / max(len(chosen), 1)
    return jump
