"""Steps of solvers on vectors by all threads: each is one pass over pieces of the vectors.

Every piece is computed by one thread, and the sums over the pieces are added up
in their order, so that the number of threads cannot change a bit.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.engine.operator import StepNorms, Vectors, VectorSums, WalkState
from weft.kernels.compiler import njit
from weft.kernels.threads import next_piece, run_parallel

PIECE = 1 << 14


class ThreadedVectors(Vectors):
    """NumPy vectors whose steps run in compiled kernels, on all threads."""

    def ones(self, *shape: int) -> Floats:
        """A new vector of ones."""
        ones = np.empty(shape)
        run_parallel(_fill, ones.reshape(-1), 1.0)
        return ones

    def combine(
        self,
        y: Floats,
        weights: Sequence[float],
        vectors: Sequence[Floats],
        *,
        nonnegative: bool = False,
    ) -> VectorSums:
        """Set `y` to a weighted sum of vectors; a few vectors are read in each pass."""
        weights, vectors = list(weights), list(vectors)
        if len(vectors) > 2:
            total = np.empty_like(y)
            self.combine(total, weights[:2], vectors[:2])
            for weight, vector in zip(weights[2:-1], vectors[2:-1], strict=True):
                self.combine(total, [1.0, weight], [total, vector])
            weights, vectors = [1.0, weights[-1]], [total, vectors[-1]]
        (a, x), (b, z) = (weights[0], vectors[0]), (0.0, vectors[0])
        if len(vectors) > 1:
            b, z = weights[1], vectors[1]
        sums = np.zeros((_count_pieces(y), 3))
        run_parallel(_combine, y, float(a), x, float(b), z, nonnegative, sums)
        return VectorSums(*sums.sum(axis=0).tolist())

    def power(self, x: Floats, exponent: float, factor: float = 1.0) -> Floats:
        """`factor` times a power of each entry; zero stays zero."""
        powers = np.empty_like(x)
        run_parallel(_power, x, float(exponent), float(factor), powers)
        return powers

    def accumulate(self, arrived: Floats, state: WalkState) -> StepNorms:
        """Add what arrived, and the teleport, to the total; set what is passed on next."""
        sums = np.zeros((_count_pieces(state.total), 2))
        run_parallel(_accumulate, arrived, state, sums)
        return StepNorms(*sums.sum(axis=0).tolist())

    def extrapolate(self, first: Floats, second: Floats, state: WalkState) -> float:
        """Extrapolate three successive totals by Aitken's process."""
        sums = np.zeros((_count_pieces(state.total), 2))
        run_parallel(_sum_bends, first, second, state.total, sums)
        squares, product = sums.sum(axis=0).tolist()
        run_parallel(
            _extrapolate, first, second, -product / squares if squares else 0.0, state, sums
        )
        return float(sums[:, 0].sum())

    def scale_by_label(self, y: Floats, scale: Floats, labels: Ids) -> VectorSums:
        """Multiply each entry of `y` by the scale of its label, and by zero for label -1."""
        sums = np.zeros((_count_pieces(y), 3))
        run_parallel(_scale_by_label, y, scale, labels, sums)
        return VectorSums(*sums.sum(axis=0).tolist())


def _count_pieces(x: Floats) -> int:
    return -(-x.size // PIECE)


@njit(nogil=True, cache=True)
def _fill(queue: Any, x: Any, value: float) -> None:
    while True:
        start = next_piece(queue) * PIECE
        if start >= x.size:
            break
        x[start : start + PIECE] = value


@njit(nogil=True, cache=True)
def _combine(
    queue: Any, y: Any, a: float, x: Any, b: float, z: Any, nonnegative: Any, piece_sums: Any
) -> None:
    """Set `y` to a x + b z; sum squares, entries and changes by piece."""
    uniform = x.size == 1
    while True:
        piece = next_piece(queue)
        if piece * PIECE >= y.size:
            break
        squares, total, change = 0.0, 0.0, 0.0
        for k in range(piece * PIECE, min(y.size, (piece + 1) * PIECE)):
            new = a * x[0 if uniform else k]
            if b != 0:
                new += b * z[k]
            if nonnegative and new < 0:
                new = 0.0
            squares += new * new
            total += new
            change += abs(new - y[k])
            y[k] = new
        piece_sums[piece, 0] = squares
        piece_sums[piece, 1] = total
        piece_sums[piece, 2] = change


@njit(nogil=True, cache=True)
def _scale_by_label(queue: Any, y: Any, scale: Any, labels: Any, piece_sums: Any) -> None:
    while True:
        piece = next_piece(queue)
        if piece * PIECE >= y.size:
            break
        squares, total, change = 0.0, 0.0, 0.0
        for k in range(piece * PIECE, min(y.size, (piece + 1) * PIECE)):
            new = y[k] * scale[labels[k]] if labels[k] >= 0 else 0.0
            squares += new * new
            total += new
            change += abs(new - y[k])
            y[k] = new
        piece_sums[piece, 0] = squares
        piece_sums[piece, 1] = total
        piece_sums[piece, 2] = change


@njit(nogil=True, cache=True)
def _power(queue: Any, x: Any, exponent: float, factor: float, powers: Any) -> None:
    while True:
        start = next_piece(queue) * PIECE
        if start >= x.size:
            break
        for k in range(start, min(x.size, start + PIECE)):
            if x[k] <= 0:
                powers[k] = 0.0
            elif exponent == -1:
                powers[k] = factor / x[k]
            else:
                powers[k] = factor * x[k] ** exponent


@njit(nogil=True, cache=True)
def _accumulate(queue: Any, arrivals: Any, state: WalkState, piece_sums: Any) -> None:
    outgoing, total, row_scale, teleport, teleport_mass = state
    alike, uniform = arrivals.size == 1, teleport.size == 1
    while True:
        piece = next_piece(queue)
        if piece * PIECE >= total.size:
            break
        change, dangling = 0.0, 0.0
        for k in range(piece * PIECE, min(total.size, (piece + 1) * PIECE)):
            arrived = arrivals[0 if alike else k] + teleport_mass * teleport[0 if uniform else k]
            total[k] += arrived
            outgoing[k] = arrived * row_scale[k]
            change += abs(arrived)
            dangling += arrived if row_scale[k] == 0 else 0.0
        piece_sums[piece, 0] = change
        piece_sums[piece, 1] = dangling


@njit(nogil=True, cache=True)
def _sum_bends(queue: Any, first: Any, second: Any, total: Any, piece_sums: Any) -> None:
    """By piece, b . b and d2 . b, where b is the change of the last two differences."""
    while True:
        piece = next_piece(queue)
        if piece * PIECE >= total.size:
            break
        squares, product = 0.0, 0.0
        for k in range(piece * PIECE, min(total.size, (piece + 1) * PIECE)):
            last = total[k] - second[k]
            bend = last - (second[k] - first[k])
            squares += bend * bend
            product += last * bend
        piece_sums[piece, 0] = squares
        piece_sums[piece, 1] = product


@njit(nogil=True, cache=True)
def _extrapolate(
    queue: Any, first: Any, second: Any, t: float, state: WalkState, piece_sums: Any
) -> None:
    """Add t d2 to the total, and pass on d2 + t b; sum what of it is at dangling pages."""
    outgoing, total, row_scale, _, _ = state
    while True:
        piece = next_piece(queue)
        if piece * PIECE >= total.size:
            break
        dangling = 0.0
        for k in range(piece * PIECE, min(total.size, (piece + 1) * PIECE)):
            last = total[k] - second[k]
            step = last + t * (last - (second[k] - first[k]))
            total[k] += t * last
            outgoing[k] = step * row_scale[k]
            dangling += step if row_scale[k] == 0 else 0.0
        piece_sums[piece, 0] = dangling


THREADED_VECTORS = ThreadedVectors()
