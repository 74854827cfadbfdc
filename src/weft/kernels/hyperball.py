"""HyperBall: estimate the number of pairs of pages within each distance.

Boldi, Rosa and Vigna 2011; Boldi and Vigna 2013. Every page has a HyperLogLog
counter of the pages within distance t. Each iteration merges it with the
counters of its successors, if these changed in the last one. The registers of
a counter are independent, so that they are updated one slice at a time, and
only a slice needs a second copy.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.core.arrays import CSR, Flags, Floats, Ids
from weft.core.memory import MemoryNeed
from weft.kernels.compiler import njit
from weft.kernels.threads import next_piece, run_parallel
from weft.kernels.traversal import to_kernel_arrays

REGISTERS_PER_SLICE = 128
WORK_PIECES = 256
BYTES_BESIDE_REGISTERS = 32  # of a page: estimates, flags, and lists of pages
SPARSE_UPDATE_RATIO = 16
EMPTY_REGISTER_TERM = np.uint64(1 << 46)  # 2^0 in fixed point


def hyperball(
    links: Sequence[CSR], reverse_links: Callable[[], Sequence[CSR]], register_bits: int, seed: int
) -> Floats:
    """The number of ordered pairs within distance 0, 1, 2, …, including each page with itself.

    Counters have 2^register_bits registers of one byte. `links` are one or two
    CSR that lead on from a page; `reverse_links` lead back, and are loaded only
    once few counters change.
    """
    rows = to_kernel_arrays(links)
    n = len(rows[0]) - 1
    memory_need(register_bits).check(n, len(rows[1]))
    counters = np.zeros((n, 1 << register_bits), np.uint8)
    run_parallel(_initialise_counters, counters, np.uint64(seed), register_bits)
    fresh = np.empty((n, min(REGISTERS_PER_SLICE, 1 << register_bits)), np.uint8)
    sizes, changed, visited = np.ones(n), np.ones(n, bool), np.zeros(n, bool)
    changed_pages = np.arange(n, dtype=np.int32)
    pairs = [float(n)]
    while len(changed_pages):
        sparse = len(changed_pages) * SPARSE_UPDATE_RATIO < n
        todo = (
            _predecessors_of(to_kernel_arrays(reverse_links()), changed_pages, visited)
            if sparse
            else _pages_linking_to_changed(rows, changed)
        )
        changes = np.zeros(len(todo), bool)
        for first in range(0, 1 << register_bits, fresh.shape[1]):
            run_parallel(_merge_counters, todo, rows, changed, counters, first, fresh)
            run_parallel(_store_slice, todo, fresh, counters, first, changes)
        changed[changed_pages] = False
        changed_pages = todo[changes]
        changed[changed_pages] = True
        added_pairs = np.zeros(WORK_PIECES)
        run_parallel(_update_sizes, changed_pages, counters, sizes, added_pairs)
        pairs.append(pairs[-1] + float(added_pairs.sum()))
    return np.array(pairs[:-1] if len(pairs) > 1 else pairs)


def memory_need(register_bits: int) -> MemoryNeed:
    """The memory for counters with 2^register_bits registers, and the new ones of a slice."""
    registers = 1 << register_bits
    per_page = registers + min(REGISTERS_PER_SLICE, registers) + BYTES_BESIDE_REGISTERS
    return MemoryNeed("HyperBall", per_page, 0)


def _pages_linking_to_changed(rows: tuple[Any, ...], changed: Flags) -> Ids:
    """The pages that link to a changed one, by a pass over all links."""
    linking = np.zeros(len(changed), bool)
    run_parallel(_mark_pages_linking, rows, changed, linking)
    return np.flatnonzero(linking).astype(np.int32)


@njit(nogil=True, cache=True)
def _splitmix64(number: Any) -> Any:
    """A step of SplitMix64: a hash whose bits depend on all bits of the number."""
    number += np.uint64(0x9E3779B97F4A7C15)
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@njit(nogil=True, cache=True)
def _initialise_counters(queue: Any, counters: Any, seed: Any, register_bits: int) -> None:
    """Put each page into its own counter: register by the low bits, value by trailing zeros."""
    n, salt = counters.shape[0], _splitmix64(seed)
    while True:
        piece = next_piece(queue)
        if piece >= WORK_PIECES:
            break
        for page in range(piece * n // WORK_PIECES, (piece + 1) * n // WORK_PIECES):
            hash_bits = _splitmix64(salt ^ np.uint64(page))
            register = np.int64(hash_bits & np.uint64(counters.shape[1] - 1))
            remaining, rank = hash_bits >> np.uint64(register_bits), 1
            while rank <= 64 - register_bits and not remaining & np.uint64(1):
                remaining >>= np.uint64(1)
                rank += 1
            counters[page, register] = rank


@njit(nogil=True, cache=True)
def _mark_pages_linking(queue: Any, rows: Any, changed: Any, linking: Any) -> None:
    n = changed.size
    while True:
        piece = next_piece(queue)
        if piece >= WORK_PIECES:
            break
        for page in range(piece * n // WORK_PIECES, (piece + 1) * n // WORK_PIECES):
            linking[page] = _links_to_changed(rows[0], rows[1], page, changed) or _links_to_changed(
                rows[2], rows[3], page, changed
            )


@njit(nogil=True, cache=True)
def _links_to_changed(starts: Any, ids: Any, page: Any, changed: Any) -> Any:
    found = False
    for link in range(starts[page], starts[page + 1]):
        if changed[ids[link]]:
            found = True
            break
    return found


@njit(nogil=True, cache=True)
def _predecessors_of(rows: Any, changed_pages: Any, visited: Any) -> Any:
    """The pages that link to those that changed, in the order met; `visited` is restored."""
    capacity = 0
    for page in changed_pages:
        capacity += rows[0][page + 1] - rows[0][page] + rows[2][page + 1] - rows[2][page]
    predecessors = np.empty(min(capacity, visited.size), np.int32)
    count = 0
    for page in changed_pages:
        for direction in range(2):
            starts, ids = (rows[0], rows[1]) if direction == 0 else (rows[2], rows[3])
            for link in range(starts[page], starts[page + 1]):
                if not visited[ids[link]]:
                    visited[ids[link]] = True
                    predecessors[count] = ids[link]
                    count += 1
    for page in predecessors[:count]:
        visited[page] = False
    return predecessors[:count].copy()


@njit(nogil=True, cache=True)
def _merge_counters(
    queue: Any, todo: Any, rows: Any, changed: Any, counters: Any, first: int, fresh: Any
) -> None:
    """Merge one slice of the changed counters of successors into `fresh`.

    The old counters stay in place until all slices are merged. Unsigned
    indices let the compiler vectorise: signed ones need a test for wrap-around.
    """
    registers, width = np.uint64(counters.shape[1]), np.uint64(fresh.shape[1])
    old, new = counters.reshape(-1), fresh.reshape(-1)
    while True:
        piece = next_piece(queue)
        if piece >= WORK_PIECES:
            break
        for k in range(piece * todo.size // WORK_PIECES, (piece + 1) * todo.size // WORK_PIECES):
            page, begin = todo[k], np.uint64(k) * width
            new[begin : begin + width] = counters[page, first : first + fresh.shape[1]]
            for link in range(rows[0][page], rows[0][page + 1]):
                if changed[rows[1][link]]:
                    other = np.uint64(rows[1][link]) * registers + np.uint64(first)
                    _max_registers(new, begin, old, other, width)
            for link in range(rows[2][page], rows[2][page + 1]):
                if changed[rows[3][link]]:
                    other = np.uint64(rows[3][link]) * registers + np.uint64(first)
                    _max_registers(new, begin, old, other, width)


@njit(nogil=True, cache=True)
def _max_registers(new: Any, own: Any, old: Any, other: Any, width: Any) -> None:
    for register in range(width):
        new[own + register] = max(new[own + register], old[other + register])


@njit(nogil=True, cache=True)
def _store_slice(
    queue: Any, todo: Any, fresh: Any, counters: Any, first: int, changes: Any
) -> None:
    """Store a merged slice in the counters, and mark those that changed."""
    registers, width = np.uint64(counters.shape[1]), np.uint64(fresh.shape[1])
    old, new = counters.reshape(-1), fresh.reshape(-1)
    while True:
        piece = next_piece(queue)
        if piece >= WORK_PIECES:
            break
        for k in range(piece * todo.size // WORK_PIECES, (piece + 1) * todo.size // WORK_PIECES):
            begin, fresh_begin = (
                np.uint64(todo[k]) * registers + np.uint64(first),
                np.uint64(k) * width,
            )
            differ = np.uint8(0)
            for register in range(width):
                differ |= old[begin + register] ^ new[fresh_begin + register]
                old[begin + register] = new[fresh_begin + register]
            changes[k] |= differ != 0


@njit(nogil=True, cache=True)
def _update_sizes(
    queue: Any, changed_pages: Any, counters: Any, sizes: Any, added_pairs: Any
) -> None:
    """Estimate the size of each changed counter, and sum the growth; no size ever falls.

    HyperLogLog: alpha m^2 / sum of 2^-register, with linear counting for small
    sizes. The powers of two are summed as integers, exactly and in any order.
    """
    registers = np.uint64(counters.shape[1])
    scale = (
        _hyperloglog_alpha(counters.shape[1]) * float(registers) ** 2 * float(EMPTY_REGISTER_TERM)
    )
    old = counters.reshape(-1)
    while True:
        piece = next_piece(queue)
        if piece >= WORK_PIECES:
            break
        for k in range(
            piece * changed_pages.size // WORK_PIECES,
            (piece + 1) * changed_pages.size // WORK_PIECES,
        ):
            start = np.uint64(changed_pages[k]) * registers
            power_sum, empty = np.uint64(0), np.uint64(0)
            for register in range(registers):
                value = np.uint64(old[start + register])
                power_sum += EMPTY_REGISTER_TERM >> value
                empty += np.uint64(value == 0)
            size = scale / float(power_sum)
            if size <= 2.5 * registers and empty:
                size = registers * np.log(registers / empty)
            if size > sizes[changed_pages[k]]:
                added_pairs[piece] += size - sizes[changed_pages[k]]
                sizes[changed_pages[k]] = size


@njit(nogil=True, cache=True)
def _hyperloglog_alpha(registers: Any) -> Any:
    """The bias correction alpha of HyperLogLog (Flajolet et al. 2007)."""
    if registers == 16:
        return 0.673
    if registers == 32:
        return 0.697
    return 0.709 if registers == 64 else 0.7213 / (1 + 1.079 / registers)
