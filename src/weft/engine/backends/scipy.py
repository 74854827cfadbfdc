"""The SciPy backend, for small graphs: nothing to compile."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from weft.core.arrays import CSR, Floats
from weft.engine.operator import (
    RecurrenceTerms,
    StepNorms,
    VectorSums,
    WalkState,
    accumulate_neumann_step,
    assign_and_sum,
    assign_recurrence,
)
from weft.engine.select import Adjacency
from weft.kernels.bipartite_components import BipartiteComponents, number_by_first_hub


@dataclass(frozen=True, slots=True, eq=False)
class SciPyOperator:
    """The links as two sparse matrices: A' by target, A by source."""

    n: int
    by_target: Any
    by_source: Any

    @property
    def link_count(self) -> int:
        """The number of links."""
        return int(self.by_target.nnz)

    @property
    def batches_columns(self) -> bool:
        """Whether several columns share a pass over the links."""
        return True

    def rmatvec(self, x: Floats) -> Floats:
        """A'x."""
        product: Floats = self.by_target @ x
        return product

    def matvec(self, x: Floats) -> Floats:
        """A x."""
        product: Floats = self.by_source @ x
        return product

    def rmatvec_into(self, x: Floats, y: Floats, scale: float = 1.0) -> VectorSums:
        """Set `y` to scale * A'x."""
        return assign_and_sum(y, scale * self.rmatvec(x))

    def matvec_into(self, x: Floats, y: Floats, scale: float = 1.0) -> VectorSums:
        """Set `y` to scale * A x."""
        return assign_and_sum(y, scale * self.matvec(x))

    def rmatvec_recurrence(self, x: Floats, y: Floats, terms: RecurrenceTerms) -> VectorSums:
        """Set `y` to A'x less the terms of a recurrence."""
        return assign_recurrence(y, self.rmatvec(x), terms)

    def neumann_step(self, state: WalkState, *, low_precision: bool = False) -> StepNorms:  # noqa: ARG002
        """One step of a Neumann series."""
        return accumulate_neumann_step(self.rmatvec(state.outgoing), state)

    def hub_authority_components(self) -> BipartiteComponents:
        """The connected components of the bipartite graph of hubs and authorities."""
        return bipartite_components(CSR(self.by_source.indptr, self.by_source.indices), self.n)


def build_operator(adjacency: Adjacency, *, weighted: bool) -> SciPyOperator:
    """Wrap the CSR of a graph; only the weights are copied."""
    directions = (adjacency.inlinks, adjacency.outlinks)
    return SciPyOperator(
        adjacency.n, *(_scipy_matrix(rows, adjacency.n, weighted=weighted) for rows in directions)
    )


def _scipy_matrix(rows: CSR, n: int, *, weighted: bool) -> Any:
    unweighted = not weighted or rows.weights is None
    values = np.ones(len(rows.ids)) if unweighted else np.asarray(rows.weights, np.float64)
    return csr_array((values, rows.ids, rows.starts), shape=(n, n))


def bipartite_components(outlinks: CSR, n: int) -> BipartiteComponents:
    """The components of hubs and authorities, from rows of out-links; node n + p is authority p."""
    degrees = np.diff(outlinks.starts)
    hubs = np.repeat(np.arange(n, dtype=np.int64), degrees)
    edges = np.ones(len(hubs), np.int8), (hubs, np.asarray(outlinks.ids, np.int64) + n)
    _, labels = connected_components(coo_array(edges, shape=(2 * n, 2 * n)), directed=False)
    present = np.concatenate([degrees > 0, np.zeros(n, bool)])
    present[n + outlinks.ids] = True
    return number_by_first_hub(labels, present)
