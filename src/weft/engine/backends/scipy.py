"""The SciPy backend, for small graphs: nothing to compile."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from weft.core.arrays import CSR, Floats
from weft.engine.operator import Adjacency, LinkOperator
from weft.kernels.bipartite_components import BipartiteComponents, number_by_first_hub


@dataclass(frozen=True, slots=True, eq=False)
class SciPyOperator(LinkOperator):
    """The links as two sparse matrices: A' by target, A by source."""

    n: int
    by_target: Any
    by_source: Any

    @property
    def link_count(self) -> int:
        """The number of links."""
        return int(self.by_target.nnz)

    def rmatvec(self, x: Floats) -> Floats:
        """A'x."""
        product: Floats = self.by_target @ self.asarray(x)
        return product

    def matvec(self, x: Floats) -> Floats:
        """A x."""
        product: Floats = self.by_source @ self.asarray(x)
        return product

    def hub_authority_components(self) -> BipartiteComponents:
        """The connected components of the bipartite graph of hubs and authorities."""
        return bipartite_components(CSR(self.by_source.indptr, self.by_source.indices), self.n)


def build_operator(adjacency: Adjacency, *, weighted: bool) -> SciPyOperator:
    """Wrap the CSR of a graph; only the weights are copied."""
    directions = (adjacency.inlinks, adjacency.outlinks)
    return SciPyOperator(
        adjacency.n, *(_scipy_matrix(rows, adjacency.n, weighted=weighted) for rows in directions)
    )


def sum_rows(rows: CSR, x: Floats, *, weighted: bool) -> Floats:
    """The sum of `x` over each row."""
    sums: Floats = _scipy_matrix(rows, len(x), weighted=weighted) @ x
    return sums


def _scipy_matrix(rows: CSR, columns: int, *, weighted: bool) -> Any:
    unweighted = not weighted or rows.weights is None
    values = np.ones(len(rows.ids)) if unweighted else np.asarray(rows.weights, np.float64)
    return csr_array((values, rows.ids, rows.starts), shape=(len(rows.starts) - 1, columns))


def bipartite_components(outlinks: CSR, n: int) -> BipartiteComponents:
    """The components of hubs and authorities, from rows of out-links; node n + p is authority p."""
    degrees = np.diff(outlinks.starts)
    hubs = np.repeat(np.arange(n, dtype=np.int64), degrees)
    edges = np.ones(len(hubs), np.int8), (hubs, np.asarray(outlinks.ids, np.int64) + n)
    _, labels = connected_components(coo_array(edges, shape=(2 * n, 2 * n)), directed=False)
    present = np.concatenate([degrees > 0, np.zeros(n, bool)])
    present[n + outlinks.ids] = True
    return number_by_first_hub(labels, present)
