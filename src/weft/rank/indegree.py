"""Links counted."""

import numpy as np

from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Weighted
from weft.engine import CLOSED, unit
from weft.graph.webgraph import WebGraph
from weft.rank.parts import Parts
from weft.rank.ranking import Ranking, certain


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
)
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
    counts = graph.indegrees(weighted=weighted)
    total = counts.sum()
    each = np.full(len(graph), 1 / total if total else 0.0)
    return Ranking(
        "indegree",
        graph.pages,
        {"share": unit(counts)},
        CLOSED,
        certain("" if total else "no links: every score is zero"),
        {"share": Parts(graph.inlinks, each, weighted=weighted)},
    )
