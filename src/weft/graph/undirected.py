"""Ties: links that hold in both directions."""

from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from weft.core.arrays import Floats, Ids, Offsets, Rows, narrowed
from weft.graph.webgraph import WebGraph, link_weights


def undirected(graph: WebGraph, *, weighted: bool = False) -> Rows:
    """The links of a graph as ties; pages that link to each other are tied twice as strongly.

    Examples
    --------
    >>> undirected(WebGraph.from_links([("a", "b"), ("b", "a"), ("b", "c")])).weights.tolist()
    [2.0, 2.0, 1.0, 1.0]
    """
    ways = (graph.outlinks, graph.inlinks)
    plain = not weighted or graph.outlinks.weights is None
    out, back = (
        csr_array(
            (np.ones(len(rows.ids)) if plain else link_weights(rows), rows.ids, rows.starts),
            shape=(len(graph), len(graph)),
        )
        for rows in ways
    )
    starts, ids, weights = _added_up(out, back)
    return Rows(starts, ids, narrowed(weights))


def symmetric(source: Ids | Offsets, target: Ids | Offsets, weight: Floats, n: int) -> Rows:
    """Ties in both directions, those between the same two added up, in single precision."""
    one_way = coo_array((weight, (source, target)), shape=(n, n)).tocsr()
    starts, ids, weights = _added_up(one_way, one_way.T.tocsr())
    return Rows(starts, ids, weights.astype(np.float32))


def _added_up(out: Any, back: Any) -> tuple[Offsets, Ids, Floats]:
    both = out + back
    return both.indptr.astype(np.int64), both.indices.astype(np.int32), both.data
