"""Links counted."""

import numpy as np

from weft.core.methods import method
from weft.core.params import Weighted
from weft.engine import Trace, unit
from weft.graph.webgraph import WebGraph, link_weights
from weft.rank.ranking import Ranking


@method("rank", "indegree", cites="kleinberg1999")
def indegree(graph: WebGraph, *, weighted: Weighted = False) -> Ranking:
    """Score each page by its share of all links.

    The number of pages that link to a page, divided by the number of links:
    what popularity is before any page's opinion counts for more than another's.
    With `weighted`, links count by their weight. A graph without links gives zeros.

    Examples
    --------
    >>> indegree(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by indegree, led by x>
    """
    rows = graph.inlinks
    counts = np.diff(rows.starts).astype(np.float64)
    if weighted:
        targets = np.repeat(np.arange(len(graph)), np.diff(rows.starts))
        counts = np.bincount(targets, link_weights(rows), len(graph)).astype(np.float64)
    return Ranking("indegree", graph.pages, {"share": unit(counts)}, Trace(1, 0.0, converged=True))
