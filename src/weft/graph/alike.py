"""Pages like another: linked from the same pages, or linking to the same."""

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids, Rows
from weft.graph.among import places
from weft.graph.webgraph import WebGraph

MOST_SHARED = 2_000
MOST_LINKS = 2_000_000


def alike(graph: WebGraph, page: int, k: int = 10) -> pa.Table:
    """The k pages most like a page: how many pages link to both, and are linked from both.

    The score is the cosine of the two pages' links in plus that of their links
    out, two for pages with the very same links. Of a page with more than 2,000
    links one way the first count, by page order.

    Examples
    --------
    >>> web = WebGraph.from_links([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("b", "z")])
    >>> alike(web, 1).to_pylist()[0]
    {'page': 2, 'cocited': 2, 'coupled': 0, 'score': 1.0}
    """
    cocited = _shared(graph.inlinks, graph.outlinks, page, len(graph))
    coupled = _shared(graph.outlinks, graph.inlinks, page, len(graph))
    score = np.zeros(len(graph))
    for shared, rows in ((cocited, graph.inlinks), (coupled, graph.outlinks)):
        degree = np.diff(rows.starts)
        own = min(int(degree[page]), MOST_SHARED)
        some = np.flatnonzero(shared)
        score[some] += shared[some] / np.sqrt(own * degree[some])
    found = np.flatnonzero(score)
    best = found[np.argsort(-score[found].round(12), kind="stable")][:k]
    return pa.table(
        {"page": best, "cocited": cocited[best], "coupled": coupled[best], "score": score[best]}
    )


def _shared(rows: Rows, back: Rows, page: int, n: int) -> Ids:
    """How many of a page's neighbours each page has among its own; the page itself has none."""
    own = np.asarray(rows.ids[rows.starts[page] : rows.starts[page + 1]])[:MOST_SHARED]
    counts = np.zeros(n, np.int64)
    reach = np.cumsum(np.asarray(back.starts[own + 1]) - back.starts[own])
    at, _ = places(back, own[: max(1, int(np.searchsorted(reach, MOST_LINKS)))])
    np.add.at(counts, np.asarray(back.ids[at]), 1)
    counts[page] = 0
    return counts.astype(np.int32)
