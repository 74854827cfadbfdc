"""The Numba backend, for large graphs: links in bins, or CSR where that is faster."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.engine.backends import numba_bins
from weft.engine.backends.numba_rows import CSROperator, build_csr_operator, sum_rows
from weft.engine.backends.numba_vectors import THREADED_VECTORS
from weft.engine.operator import (
    Adjacency,
    LinkOperator,
    RecurrenceTerms,
    StepNorms,
    Vectors,
    VectorSums,
    WalkState,
)
from weft.kernels.bins import Bins, bin_links
from weft.kernels.bipartite_components import BipartiteComponents
from weft.kernels.components import bipartite_components_of_bins
from weft.kernels.threads import run_parallel

MAX_CACHED_PAGES = 1 << 17
__all__ = ["BinnedOperator", "build_operator", "operator_from_edges", "sum_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class BinnedOperator(LinkOperator):
    """Links in bins, with a buffer for their messages, which one caller may use at a time."""

    n: int
    bins: Bins
    message_values: Floats
    partition_sums: Floats
    lock: Lock = field(default_factory=Lock)

    @property
    def link_count(self) -> int:
        """The number of links."""
        return len(self.bins.receivers)

    @property
    def batches_columns(self) -> bool:
        """Whether several columns share a pass over the links."""
        return False

    @property
    def vectors(self) -> Vectors:
        """NumPy vectors, with compiled steps."""
        return THREADED_VECTORS

    def rmatvec(self, x: Floats) -> Floats:
        """A'x."""
        return _multiply_by_column(self.rmatvec_into, x, self.n)

    def matvec(self, x: Floats) -> Floats:
        """A x."""
        return _multiply_by_column(self.matvec_into, x, self.n)

    def rmatvec_into(self, x: Floats, y: Floats, scale: float = 1.0) -> VectorSums:
        """Set `y` to scale * A'x."""
        return self._run(numba_bins.rmatvec, x, scale, y)

    def matvec_into(self, x: Floats, y: Floats, scale: float = 1.0) -> VectorSums:
        """Set `y` to scale * A x."""
        return self._run(numba_bins.matvec, x, scale, y)

    def rmatvec_recurrence(self, x: Floats, y: Floats, terms: RecurrenceTerms) -> VectorSums:
        """Set `y` to A'x less the terms of a recurrence."""
        return self._run(numba_bins.rmatvec_recurrence, x, terms, y)

    def _run(self, kernel: Any, x: Floats, scale_or_terms: Any, y: Floats) -> VectorSums:
        with self.lock:
            messages, sums = self.message_values, self.partition_sums
            run_parallel(kernel, self.bins, x, messages, scale_or_terms, y, sums)
            return VectorSums(*sums.sum(axis=0).tolist())

    def neumann_step(self, state: WalkState, *, low_precision: bool = False) -> StepNorms:
        """One step of a Neumann series; with `low_precision`, messages are float32."""
        with self.lock:
            messages = (
                self.message_values.view(np.float32) if low_precision else self.message_values
            )
            run_parallel(numba_bins.neumann_step, self.bins, messages, state, self.partition_sums)
            change, dangling_mass, _ = self.partition_sums.sum(axis=0).tolist()
        return StepNorms(change, dangling_mass)

    def hub_authority_components(self) -> BipartiteComponents:
        """The connected components of the bipartite graph of hubs and authorities."""
        return bipartite_components_of_bins(self.bins, self.n)


def build_operator(adjacency: Adjacency, *, weighted: bool) -> BinnedOperator | CSROperator:
    """Bins if the values of all pages outgrow the cache; otherwise, or with weights, CSR."""
    if weighted or adjacency.n <= MAX_CACHED_PAGES:
        return build_csr_operator(adjacency, weighted=weighted)
    if adjacency.edge_list:
        return operator_from_edges(*adjacency.edge_list, adjacency.n)
    rows = adjacency.outlinks
    source = np.repeat(np.arange(adjacency.n, dtype=np.int32), np.diff(rows.starts))
    return operator_from_edges(source, np.asarray(rows.ids), adjacency.n, self_links=True)


def operator_from_edges(
    source: Ids, target: Ids, n: int, *, self_links: bool = False
) -> BinnedOperator:
    """Build from edges in any order; self-links are dropped unless `self_links` is set."""
    bins = bin_links(source, target, n, self_links=self_links)
    return BinnedOperator(
        n, bins, np.empty(len(bins.senders)), np.zeros((len(bins.message_starts), 3))
    )


def _multiply_by_column(
    multiply_into: Callable[[Floats, Floats], VectorSums], x: Floats, n: int
) -> Floats:
    """One pass for each column; columns are contiguous in memory, as are the results."""
    products = np.zeros((*x.shape[1:], n))
    columns = np.ascontiguousarray(x.T, np.float64)
    for column, y in zip(np.atleast_2d(columns), np.atleast_2d(products), strict=True):
        multiply_into(column, y)
    return products.T
