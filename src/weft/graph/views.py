"""Parts of a graph: subgraphs, induced links, and undirected edges."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pyarrow as pa

from weft.core.arrays import (
    CSR,
    Flags,
    Floats,
    Ids,
    Offsets,
    csr_from_keys,
    pack_pairs,
    to_float32_if_exact,
)
from weft.core.memory import MemoryNeed
from weft.graph.webgraph import LazyCSR, LazyNames, WebGraph, link_weights, to_name_array, transpose


@dataclass(frozen=True, slots=True)
class Dropped:
    """How many pages and links a view left out, and why."""

    reason: str
    pages: int
    links: int

    def __str__(self) -> str:
        return f"{self.reason}: {self.pages:,} pages, {self.links:,} links left out"


def subgraph(graph: WebGraph, kept: Flags, reason: str = "not chosen") -> tuple[WebGraph, Dropped]:
    """The kept pages and the links among them; names and inlinks are computed on first use."""
    new_numbers = np.where(kept, np.cumsum(kept, dtype=np.int32) - 1, -1).astype(np.int32)
    size, pages, inlinks = int(kept.sum()), graph.pages, graph.inlinks
    view = WebGraph(
        LazyNames(size, lambda: to_name_array(pages).filter(pa.array(kept))),
        _induced_rows(graph.outlinks, new_numbers, size),
        cast("CSR", LazyCSR(lambda: _induced_rows(inlinks, new_numbers, size))),
        graph.level,
        uncaptured=None if graph.uncaptured is None else graph.uncaptured[kept],
    )
    return view, Dropped(reason, len(graph) - len(view), graph.link_count - view.link_count)


def _induced_rows(rows: CSR, new_numbers: Ids, n: int) -> CSR:
    """The submatrix of the pages with a new number; weights that are all one are not stored."""
    from weft.kernels.csr import induced_subgraph  # noqa: PLC0415  which loads a compiler

    old_weights = np.zeros(0, np.float32) if rows.weights is None else np.asarray(rows.weights)
    starts, ids, weights = induced_subgraph(
        np.asarray(rows.starts), np.asarray(rows.ids), old_weights, new_numbers, n
    )
    return CSR(starts, ids, None if bool((weights == 1).all()) else weights)


def restrict_link_sources(graph: WebGraph, kept: Flags) -> WebGraph:
    """All pages of a graph, with the outlinks of the kept ones alone."""
    rows, n = graph.outlinks, len(graph)
    source = rows.row_ids()
    counts = kept[source]
    key = pack_pairs(source[counts], rows.ids[counts])
    outlinks = csr_from_keys(key, link_weights(rows)[counts], n)
    inlinks = transpose(outlinks, n)
    return WebGraph(graph.pages, outlinks, inlinks, graph.level, uncaptured=graph.uncaptured)


# Both directions as matrices, their sum and its copy; what then uses the edges needs less.
EDGES_MEMORY = MemoryNeed("merging links of both directions", 40, 96)


def undirected_edges(graph: WebGraph, *, weighted: bool = False) -> CSR:
    """The undirected edges A + A' of a graph; reciprocal links have the sum of both weights.

    Examples
    --------
    >>> undirected_edges(WebGraph.from_links([("a", "b"), ("b", "a"), ("b", "c")])).weights.tolist()
    [2.0, 2.0, 1.0, 1.0]
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load

    EDGES_MEMORY.check(len(graph), len(graph.outlinks.ids))
    unweighted = not weighted or graph.outlinks.weights is None
    matrix, transposed = (
        csr_array(
            (np.ones(len(rows.ids)) if unweighted else link_weights(rows), rows.ids, rows.starts),
            shape=(len(graph), len(graph)),
        )
        for rows in (graph.outlinks, graph.inlinks)
    )
    starts, ids, weights = _sum_csr(matrix, transposed)
    return CSR(starts, ids, to_float32_if_exact(weights))


def symmetric_csr(source: Ids | Offsets, target: Ids | Offsets, weight: Floats, n: int) -> CSR:
    """A symmetric CSR A + A' from edges; weights of parallel edges are summed, in float32."""
    from scipy.sparse import coo_array  # noqa: PLC0415  slow to load

    matrix = coo_array((weight, (source, target)), shape=(n, n)).tocsr()
    starts, ids, weights = _sum_csr(matrix, matrix.T.tocsr())
    return CSR(starts, ids, weights.astype(np.float32))


def _sum_csr(matrix: Any, other: Any) -> tuple[Offsets, Ids, Floats]:
    total = matrix + other
    return total.indptr.astype(np.int64), total.indices.astype(np.int32), total.data
