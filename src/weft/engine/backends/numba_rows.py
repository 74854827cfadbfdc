"""The Numba backend on CSR: for graphs whose values fit the cache, and for weighted links."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.core.arrays import CSR, Floats
from weft.engine.backends.numba_vectors import THREADED_VECTORS
from weft.engine.operator import Adjacency, LinkOperator, Vectors, VectorSums
from weft.kernels.bipartite_components import BipartiteComponents
from weft.kernels.compiler import njit
from weft.kernels.components import bipartite_components_of_csr
from weft.kernels.threads import next_piece, run_parallel

WORK_PIECES = 256
ONE, FOUR = np.uint64(1), np.uint64(4)
_NO_WEIGHTS: npt.NDArray[np.float32] = np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class CSROperator(LinkOperator):
    """CSR by target and by source, each split into pieces of about equal work."""

    n: int
    by_target: tuple[Any, ...]
    by_source: tuple[Any, ...]

    @property
    def link_count(self) -> int:
        """The number of links."""
        return len(self.by_target[2])

    @property
    def vectors(self) -> Vectors:
        """NumPy vectors, with compiled steps."""
        return THREADED_VECTORS

    def rmatvec(self, x: Floats) -> Floats:
        """A'x."""
        return self._multiply(self.by_target, x)

    def matvec(self, x: Floats) -> Floats:
        """A x."""
        return self._multiply(self.by_source, x)

    def rmatvec_into(self, x: Floats, y: Floats, scale: float = 1.0) -> VectorSums:
        """Set `y` to scale * A'x."""
        return _multiply_into(self.by_target, x, y, scale)

    def matvec_into(self, x: Floats, y: Floats, scale: float = 1.0) -> VectorSums:
        """Set `y` to scale * A x."""
        return _multiply_into(self.by_source, x, y, scale)

    def hub_authority_components(self) -> BipartiteComponents:
        """The connected components of the bipartite graph of hubs and authorities."""
        return bipartite_components_of_csr(CSR(self.by_source[1], self.by_source[2]), self.n)

    def _multiply(self, rows: tuple[Any, ...], x: Floats) -> Floats:
        y = np.zeros((self.n, *x.shape[1:]))
        if x.ndim == 1:
            _multiply_into(rows, np.ascontiguousarray(x, np.float64), y, 1.0)
        else:
            run_parallel(_sum_rows_by_column, *rows, np.ascontiguousarray(x, np.float64), y)
        return y


def build_csr_operator(adjacency: Adjacency, *, weighted: bool) -> CSROperator:
    """Build the operator from the CSR of a graph, without copying it."""
    directions = (adjacency.inlinks, adjacency.outlinks)
    return CSROperator(
        adjacency.n, *(_split_rows_evenly(rows, weighted=weighted) for rows in directions)
    )


def sum_rows(rows: CSR, x: Floats, *, weighted: bool) -> Floats:
    """The sum of `x` over each row."""
    y = np.zeros(len(rows.starts) - 1)
    pieces = _split_rows_evenly(rows, weighted=weighted)
    _multiply_into(pieces, np.ascontiguousarray(x, np.float64), y, 1.0)
    return y


def _split_rows_evenly(rows: CSR, *, weighted: bool) -> tuple[Any, ...]:
    """Bounds of the pieces, then the arrays: unsigned, which spares a test for wrap-around."""
    starts, ids = np.asarray(rows.starts), np.asarray(rows.ids)
    work = starts + np.arange(len(starts))  # one unit for each link and each row
    quantiles = np.linspace(0, work[-1], WORK_PIECES + 1).astype(np.int64)
    bounds = np.searchsorted(work, quantiles)
    bounds[0], bounds[-1] = 0, len(starts) - 1
    weights = np.asarray(rows.weights) if weighted and rows.weights is not None else _NO_WEIGHTS
    return bounds, starts.view(np.uint64), ids.view(np.uint32), weights


def _multiply_into(rows: tuple[Any, ...], x: Floats, y: Floats, scale: float) -> VectorSums:
    piece_sums = np.zeros((WORK_PIECES, 3))
    run_parallel(_sum_rows, *rows, x, scale, y, piece_sums)
    return VectorSums(*piece_sums.sum(axis=0).tolist())


@njit(nogil=True, cache=True)
def _sum_rows(
    queue: Any,
    bounds: Any,
    starts: Any,
    ids: Any,
    weights: Any,
    x: Any,
    scale: float,
    y: Any,
    piece_sums: Any,
) -> None:
    """Set `y` to the scaled sum of `x` over each row; sum squares, entries and changes by piece."""
    unweighted = weights.size == 0
    while True:
        piece = next_piece(queue)
        if piece >= bounds.size - 1:
            break
        for page in range(bounds[piece], bounds[piece + 1]):
            first, last = starts[page], starts[page + 1]
            new = scale * (
                _row_sum(ids, x, first, last)
                if unweighted
                else _weighted_row_sum(ids, weights, x, first, last)
            )
            piece_sums[piece, 0] += new * new
            piece_sums[piece, 1] += new
            piece_sums[piece, 2] += abs(new - y[page])
            y[page] = new


@njit(nogil=True, cache=True)
def _row_sum(ids: Any, x: Any, first: Any, last: Any) -> float:
    """The sum of `x` over a row, in four parts, so that no addition waits for another."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    while first + FOUR <= last:
        a += x[ids[first]]
        b += x[ids[first + ONE]]
        c += x[ids[first + ONE + ONE]]
        d += x[ids[first + FOUR - ONE]]
        first += FOUR
    while first < last:
        a += x[ids[first]]
        first += ONE
    return (a + b) + (c + d)


@njit(nogil=True, cache=True)
def _weighted_row_sum(ids: Any, weights: Any, x: Any, first: Any, last: Any) -> float:
    total = 0.0
    for link in range(first, last):
        total += weights[link] * x[ids[link]]
    return total


@njit(nogil=True, cache=True)
def _sum_rows_by_column(
    queue: Any, bounds: Any, starts: Any, ids: Any, weights: Any, x: Any, y: Any
) -> None:
    """The sums over each row for several columns, in one pass over the links."""
    unweighted = weights.size == 0
    while True:
        piece = next_piece(queue)
        if piece >= bounds.size - 1:
            break
        for page in range(bounds[piece], bounds[piece + 1]):
            for link in range(starts[page], starts[page + 1]):
                weight = 1.0 if unweighted else float(weights[link])
                for column in range(x.shape[1]):
                    y[page, column] += weight * x[ids[link], column]
