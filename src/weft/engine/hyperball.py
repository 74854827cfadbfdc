"""Count the pairs of pages within each number of clicks, roughly, in few bytes a page.

HyperBall (Boldi, Rosa and Vigna 2011; Boldi and Vigna 2013): every page has a
counter that knows about how many pages it leads to within t clicks; in each
round it takes in the counters of the pages it links to, as far as these
changed in the last one. Registers of a counter do not depend on each other, so
they go a slice at a time, and only a slice needs room for what is new.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Flags, Floats, Ids, Rows
from weft.engine.hops import both
from weft.engine.pool import run, take

SLICE = 128
PIECES = 256
FEW = 16
WHOLE = np.uint64(1 << 46)


def hyperball(
    ways: Sequence[Rows], back: Callable[[], Sequence[Rows]], bits: int, seed: int
) -> Floats:
    """How many pairs, each page with itself among them, are within 0, 1, 2, … clicks.

    Counters have 2^bits registers of a byte. `ways` lead on from a page, `back`
    to those that lead to it; these are asked for where few counters change.
    """
    rows = both(ways)
    n = len(rows[0]) - 1
    counters = np.zeros((n, 1 << bits), np.uint8)
    run(_begin, counters, np.uint64(seed), bits)
    fresh = np.empty((n, min(SLICE, 1 << bits)), np.uint8)
    sizes, changed, met = np.ones(n), np.ones(n, bool), np.zeros(n, bool)
    last = np.arange(n, dtype=np.int32)
    pairs = [float(n)]
    while len(last):
        few = len(last) * FEW < n
        todo = _leading(both(back()), last, met) if few else _touched(rows, changed)
        changes = np.zeros(len(todo), bool)
        for first in range(0, 1 << bits, fresh.shape[1]):
            run(_merge, todo, rows, changed, counters, first, fresh)
            run(_keep, todo, fresh, counters, first, changes)
        changed[last] = False
        last = todo[changes]
        changed[last] = True
        more = np.zeros(PIECES)
        run(_measure, last, counters, sizes, more)
        pairs.append(pairs[-1] + float(more.sum()))
    return np.array(pairs[:-1] if len(pairs) > 1 else pairs)


def _touched(rows: tuple[Any, ...], changed: Flags) -> Ids:
    """The pages that lead to a changed one, by a look at all links."""
    found = np.zeros(len(changed), bool)
    run(_look, rows, changed, found)
    return np.flatnonzero(found).astype(np.int32)


@njit(nogil=True, cache=True)
def _mixed(number: Any) -> Any:
    """SplitMix64: a number whose digits depend on all of the given one's."""
    number += np.uint64(0x9E3779B97F4A7C15)
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@njit(nogil=True, cache=True)
def _begin(queue: Any, counters: Any, seed: Any, bits: int) -> None:
    """Every page's counter holds the page itself."""
    n, salt = counters.shape[0], _mixed(seed)
    while True:
        piece = take(queue)
        if piece >= PIECES:
            break
        for page in range(piece * n // PIECES, (piece + 1) * n // PIECES):
            code = _mixed(salt ^ np.uint64(page))
            register = np.int64(code & np.uint64(counters.shape[1] - 1))
            rest, zeros = code >> np.uint64(bits), 1
            while zeros <= 64 - bits and not rest & np.uint64(1):
                rest >>= np.uint64(1)
                zeros += 1
            counters[page, register] = zeros


@njit(nogil=True, cache=True)
def _look(queue: Any, rows: Any, changed: Any, found: Any) -> None:
    n = changed.size
    while True:
        piece = take(queue)
        if piece >= PIECES:
            break
        for page in range(piece * n // PIECES, (piece + 1) * n // PIECES):
            found[page] = _any(rows[0], rows[1], page, changed) or _any(
                rows[2], rows[3], page, changed
            )


@njit(nogil=True, cache=True)
def _any(starts: Any, ids: Any, page: Any, changed: Any) -> Any:
    found = False
    for link in range(starts[page], starts[page + 1]):
        if changed[ids[link]]:
            found = True
            break
    return found


@njit(nogil=True, cache=True)
def _leading(rows: Any, last: Any, met: Any) -> Any:
    """The pages that lead to those that changed last, as they are met; `met` is left as it was."""
    links = 0
    for page in last:
        links += rows[0][page + 1] - rows[0][page] + rows[2][page + 1] - rows[2][page]
    found = np.empty(min(links, met.size), np.int32)
    held = 0
    for page in last:
        for way in range(2):
            starts, ids = (rows[0], rows[1]) if way == 0 else (rows[2], rows[3])
            for link in range(starts[page], starts[page + 1]):
                if not met[ids[link]]:
                    met[ids[link]] = True
                    found[held] = ids[link]
                    held += 1
    for page in found[:held]:
        met[page] = False
    return found[:held].copy()


@njit(nogil=True, cache=True)
def _merge(
    queue: Any, todo: Any, rows: Any, changed: Any, counters: Any, first: int, fresh: Any
) -> None:
    """Take in one slice of the counters that changed, the old values being still in place.

    Unsigned numbers spare a test for negative ones, which would keep the
    compiler from comparing many registers at a time.
    """
    registers, width = np.uint64(counters.shape[1]), np.uint64(fresh.shape[1])
    old, new = counters.reshape(-1), fresh.reshape(-1)
    while True:
        piece = take(queue)
        if piece >= PIECES:
            break
        for k in range(piece * todo.size // PIECES, (piece + 1) * todo.size // PIECES):
            page, own = todo[k], np.uint64(k) * width
            new[own : own + width] = counters[page, first : first + fresh.shape[1]]
            for link in range(rows[0][page], rows[0][page + 1]):
                if changed[rows[1][link]]:
                    other = np.uint64(rows[1][link]) * registers + np.uint64(first)
                    _raise(new, own, old, other, width)
            for link in range(rows[2][page], rows[2][page + 1]):
                if changed[rows[3][link]]:
                    other = np.uint64(rows[3][link]) * registers + np.uint64(first)
                    _raise(new, own, old, other, width)


@njit(nogil=True, cache=True)
def _raise(new: Any, own: Any, old: Any, other: Any, width: Any) -> None:
    for register in range(width):
        new[own + register] = max(new[own + register], old[other + register])


@njit(nogil=True, cache=True)
def _keep(queue: Any, todo: Any, fresh: Any, counters: Any, first: int, changes: Any) -> None:
    """Put a slice into its place, and mark the counters that it changes."""
    registers, width = np.uint64(counters.shape[1]), np.uint64(fresh.shape[1])
    old, new = counters.reshape(-1), fresh.reshape(-1)
    while True:
        piece = take(queue)
        if piece >= PIECES:
            break
        for k in range(piece * todo.size // PIECES, (piece + 1) * todo.size // PIECES):
            here, own = np.uint64(todo[k]) * registers + np.uint64(first), np.uint64(k) * width
            differ = np.uint8(0)
            for register in range(width):
                differ |= old[here + register] ^ new[own + register]
                old[here + register] = new[own + register]
            changes[k] |= differ != 0


@njit(nogil=True, cache=True)
def _measure(queue: Any, last: Any, counters: Any, sizes: Any, more: Any) -> None:
    """By how much the sizes grew of what each changed counter holds; no size ever falls.

    Powers of a half are added up as whole numbers, a register's worth being
    `WHOLE` when it is empty.
    """
    registers = np.uint64(counters.shape[1])
    scale = _scale(counters.shape[1]) * float(registers) ** 2 * float(WHOLE)
    old = counters.reshape(-1)
    while True:
        piece = take(queue)
        if piece >= PIECES:
            break
        for k in range(piece * last.size // PIECES, (piece + 1) * last.size // PIECES):
            start = np.uint64(last[k]) * registers
            total, empty = np.uint64(0), np.uint64(0)
            for register in range(registers):
                value = np.uint64(old[start + register])
                total += WHOLE >> value
                empty += np.uint64(value == 0)
            size = scale / float(total)
            if size <= 2.5 * registers and empty:
                size = registers * np.log(registers / empty)
            if size > sizes[last[k]]:
                more[piece] += size - sizes[last[k]]
                sizes[last[k]] = size


@njit(nogil=True, cache=True)
def _scale(registers: Any) -> Any:
    """The constant that makes the estimate right on average (Flajolet et al. 2007)."""
    if registers == 16:
        return 0.673
    if registers == 32:
        return 0.697
    return 0.709 if registers == 64 else 0.7213 / (1 + 1.079 / registers)
