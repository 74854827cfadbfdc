"""Sums over compressed rows, for graphs whose values fit the cache, and for weighted links."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from weft.core.arrays import Floats, Rows
from weft.engine.choose import Links
from weft.engine.components import Components
from weft.engine.flow import Less, Passed, Sums, Visits, lessened, passed
from weft.engine.pool import run, take
from weft.engine.unite import of_rows

PIECES = 256
ONE, FOUR = np.uint64(1), np.uint64(4)


@dataclass(frozen=True, slots=True, eq=False)
class RowFlow:
    """Rows by target and by source, each cut into pieces of about as many links."""

    n: int
    into: tuple[Any, ...]
    out: tuple[Any, ...]

    @property
    def links(self) -> int:
        """How many links there are."""
        return len(self.into[2])

    @property
    def together(self) -> bool:
        """Whether several values per page share a pass over the links."""
        return True

    def forward(self, x: Floats) -> Floats:
        """What arrives at each page."""
        return self._whole(self.into, x)

    def backward(self, x: Floats) -> Floats:
        """What each page leads to."""
        return self._whole(self.out, x)

    def forward_into(self, x: Floats, y: Floats, scale: float = 1.0) -> Sums:
        """Set `y` to what arrives at each page, scaled."""
        return _into(self.into, x, y, scale)

    def backward_into(self, x: Floats, y: Floats, scale: float = 1.0) -> Sums:
        """Set `y` to what each page leads to, scaled."""
        return _into(self.out, x, y, scale)

    def forward_less(self, x: Floats, y: Floats, less: Less) -> Sums:
        """Set `y` to what arrives at each page, less other vectors."""
        return lessened(y, self.forward(x), less)

    def pass_on(self, visits: Visits, *, roughly: bool = False) -> Passed:  # noqa: ARG002
        """One round of a walk."""
        return passed(self.forward(visits.sent), visits)

    def components(self) -> Components:
        """The components of the bipartite graph of hubs and authorities."""
        return of_rows(Rows(self.out[1], self.out[2]), self.n)

    def _whole(self, rows: tuple[Any, ...], x: Floats) -> Floats:
        y = np.zeros((self.n, *x.shape[1:]))
        if x.ndim == 1:
            _into(rows, np.ascontiguousarray(x, np.float64), y, 1.0)
        else:
            run(_pull_block, *rows, np.ascontiguousarray(x, np.float64), y)
        return y


def make(links: Links, *, weighted: bool) -> RowFlow:
    """Look at the rows with unsigned numbers, which spare a test for negative ones."""
    ways = (links.inlinks, links.outlinks)
    return RowFlow(links.n, *(_cut(rows, weighted=weighted) for rows in ways))


def _cut(rows: Rows, *, weighted: bool) -> tuple[Any, ...]:
    starts, ids = np.asarray(rows.starts), np.asarray(rows.ids)
    work = starts + np.arange(len(starts))
    cuts = np.linspace(0, work[-1], PIECES + 1).astype(np.int64)
    bounds = np.searchsorted(work, cuts)
    bounds[0], bounds[-1] = 0, len(starts) - 1
    weights = np.asarray(rows.weights) if weighted and rows.weights is not None else _NONE
    return bounds, starts.view(np.uint64), ids.view(np.uint32), weights


_NONE: npt.NDArray[np.float32] = np.zeros(0, np.float32)


def _into(rows: tuple[Any, ...], x: Floats, y: Floats, scale: float) -> Sums:
    told = np.zeros((PIECES, 3))
    run(_pull, *rows, x, scale, y, told)
    return Sums(*told.sum(axis=0).tolist())


@njit(nogil=True, cache=True)
def _pull(
    queue: Any,
    bounds: Any,
    starts: Any,
    ids: Any,
    weights: Any,
    x: Any,
    scale: float,
    y: Any,
    told: Any,
) -> None:
    """Set `y` to the scaled sum of `x` over each row; tell squares, sum and change by piece."""
    plain = weights.size == 0
    while True:
        piece = take(queue)
        if piece >= bounds.size - 1:
            break
        for page in range(bounds[piece], bounds[piece + 1]):
            first, last = starts[page], starts[page + 1]
            new = scale * (
                _sum(ids, x, first, last) if plain else _weigh(ids, weights, x, first, last)
            )
            told[piece, 0] += new * new
            told[piece, 1] += new
            told[piece, 2] += abs(new - y[page])
            y[page] = new


@njit(nogil=True, cache=True)
def _sum(ids: Any, x: Any, first: Any, last: Any) -> float:
    """Four sums side by side, which need not wait for each other."""
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
def _weigh(ids: Any, weights: Any, x: Any, first: Any, last: Any) -> float:
    whole = 0.0
    for link in range(first, last):
        whole += weights[link] * x[ids[link]]
    return whole


@njit(nogil=True, cache=True)
def _pull_block(
    queue: Any, bounds: Any, starts: Any, ids: Any, weights: Any, x: Any, y: Any
) -> None:
    """Several columns in one pass over the links."""
    plain = weights.size == 0
    while True:
        piece = take(queue)
        if piece >= bounds.size - 1:
            break
        for page in range(bounds[piece], bounds[piece + 1]):
            for link in range(starts[page], starts[page + 1]):
                weight = 1.0 if plain else float(weights[link])
                for column in range(x.shape[1]):
                    y[page, column] += weight * x[ids[link], column]
