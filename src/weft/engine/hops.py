"""Numbers of clicks between pages: from many pages at once, a bit for each.

Breadth-first searches that run side by side mostly visit the same pages (Then
et al. 2014): a page holds one bit for each search, and a link passes on as
many searches as fit a cache line at one go.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Ids, Offsets, Rows
from weft.core.progress import track
from weft.engine.pool import threads

WORDS = 4
LANES = 64 * WORDS
PLANES = 32
LINE = 8
ONE = np.uint64(1)


@dataclass(frozen=True, slots=True, eq=False)
class Hops:
    """What searches from some pages found.

    `at[t, g]` is how many pages are t clicks away from the sources of group g,
    added up; a group is every fourth of 256 sources. For each source `reached`
    is how many other pages it leads to, `total` the clicks to all of them,
    `furthest` the most.
    """

    at: Offsets
    reached: Offsets
    total: Offsets
    furthest: Offsets


def hops(ways: Sequence[Rows], sources: Ids, label: str = "") -> Hops:
    """Search from every source along all `ways`: the links, or the links and the way back.

    Sources without links are not searched from, and shared out among the groups.
    """
    rows = both(ways)
    leads = np.diff(rows[0])[sources] + np.diff(rows[2])[sources] > 0
    live = sources[leads]
    parts = [live[at : at + LANES] for at in range(0, len(live), LANES)]
    with ThreadPoolExecutor(threads()) as pool:
        found = pool.map(lambda part: _search(rows, part), parts)
        done = list(track(found, label, len(parts)) if label else found)
    levels = max((len(at) for at, _ in done), default=1)
    groups = [np.pad(at, ((0, levels - len(at)), (0, 0))) for at, _ in done]
    at = np.concatenate(groups, axis=1) if groups else np.zeros((1, 1), np.int64)
    at = at[:, at[0] > 0] if groups else at
    idle = len(sources) - len(live)
    at[0] += np.bincount(np.arange(idle) % at.shape[1], minlength=at.shape[1])
    told = np.zeros((3, len(sources)), np.int64)
    if done:
        told[:, leads] = np.concatenate([lanes for _, lanes in done], axis=1)
    return Hops(at, told[0], told[1], told[2])


def clicks(ways: Sequence[Rows], homes: Iterable[int]) -> tuple[Ids, Ids]:
    """How far each page is from the nearest home, and the page before it; -1 where there is none.

    Examples
    --------
    >>> [a.tolist() for a in clicks([Rows(np.array([0, 1, 2, 2, 2]), np.array([1, 2]))], [0])]
    [[0, 1, 2, -1], [-1, 0, 1, -1]]
    """
    distance, before = _clicks(both(ways), np.array(list(homes), np.int32))
    return distance, before


def both(ways: Sequence[Rows]) -> tuple[Any, ...]:
    """The arrays of two ways, the second without links where there is only one.

    They are made read-only, as those of a collection are, so that kernels are
    compiled for one kind alone.
    """
    none = Rows(np.zeros(len(ways[0].starts), np.int64), np.zeros(0, np.int32))
    one, two = (*ways, none)[:2]
    arrays = [
        np.ascontiguousarray(array, kind).view()
        for way in (one, two)
        for array, kind in ((way.starts, np.int64), (way.ids, np.int32))
    ]
    for array in arrays:
        array.flags.writeable = False
    return tuple(arrays)


@njit(nogil=True, cache=True)
def _search(rows: Any, sources: Any) -> Any:
    """Run up to `LANES` searches: pages at each distance by word, and three sums for each lane."""
    starts, ids, back_starts, back_ids = rows
    n = starts.size - 1
    room = np.zeros(2 * n * WORDS + LINE, np.uint64)
    shift = -(room.ctypes.data >> 3) % LINE
    state = room[shift : shift + 2 * n * WORDS].reshape((n, 2, WORDS))
    words = np.empty((n, WORDS), np.uint64)
    active, fresh = np.empty(n, np.int32), np.empty(n, np.int32)
    at = np.zeros((n + 1, WORDS), np.int64)
    lanes = np.zeros((3, LANES), np.int64)
    count = 0
    for lane in range(sources.size):
        source = sources[lane]
        if not _any(state, source, 1):
            active[count] = source
            count += 1
        state[source, 1, lane % WORDS] |= ONE << np.uint64(lane // WORDS)
    level = 0
    while count:
        _settle(state, words, active, count, level, at, lanes)
        level += 1
        held = 0
        for k in range(count):
            for link in range(starts[active[k]], starts[active[k] + 1]):
                held = _pass(state, words, k, ids[link], fresh, held)
            for link in range(back_starts[active[k]], back_starts[active[k] + 1]):
                held = _pass(state, words, k, back_ids[link], fresh, held)
        active, fresh, count = fresh, active, held
        if count > n >> 3:
            _in_order(state, active)
    return at[:level].copy(), lanes[:, : sources.size].copy()


@njit(nogil=True, cache=True)
def _pass(state: Any, words: Any, k: Any, page: Any, fresh: Any, held: Any) -> Any:
    """Pass the searches at one active page on to another, which is noted where it had none."""
    news, before = np.uint64(0), np.uint64(0)
    for word in range(WORDS):
        before |= state[page, 1, word]
        new = words[k, word] & ~state[page, 0, word]
        state[page, 1, word] |= new
        news |= new
    if news and not before:
        fresh[held] = page
        held += 1
    return held


@njit(nogil=True, cache=True)
def _any(state: Any, page: Any, half: int) -> Any:
    found = np.uint64(0)
    for word in range(WORDS):
        found |= state[page, half, word]
    return found != 0


@njit(nogil=True, cache=True)
def _in_order(state: Any, active: Any) -> None:
    """List the many active pages in the order of their numbers, which is that of memory."""
    count = 0
    for page in range(state.shape[0]):
        if _any(state, page, 1):
            active[count] = page
            count += 1


@njit(nogil=True, cache=True)
def _settle(
    state: Any, words: Any, active: Any, count: Any, level: Any, at: Any, lanes: Any
) -> None:
    """What arrived is now visited, and counted for each lane, all lanes of a word at a time.

    The counters of 64 lanes stand side by side: plane p holds the digit of
    worth 2^p of each.
    """
    planes, used = np.zeros((PLANES, WORDS), np.uint64), 0
    for k in range(count):
        page = active[k]
        for word in range(WORDS):
            carry = state[page, 1, word]
            state[page, 0, word] |= carry
            state[page, 1, word] = 0
            words[k, word] = carry
            plane = 0
            while carry:
                digits = planes[plane, word]
                planes[plane, word], carry = digits ^ carry, digits & carry
                plane += 1
            used = max(used, plane)
    for lane in range(LANES):
        number = np.int64(0)
        for plane in range(used):
            bit = planes[plane, lane % WORDS] >> np.uint64(lane // WORDS) & ONE
            number += np.int64(bit) << plane
        at[level, lane % WORDS] += number
        if level and number:
            lanes[0, lane] += number
            lanes[1, lane] += level * number
            lanes[2, lane] = level


@njit(nogil=True, cache=True)
def _clicks(rows: Any, homes: Any) -> Any:
    starts, ids, back_starts, back_ids = rows
    n = starts.size - 1
    distance, before = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    line = np.empty(n, np.int32)
    held = 0
    for home in homes:
        if distance[home] < 0:
            distance[home] = 0
            line[held] = home
            held += 1
    at = 0
    while at < held:
        page = line[at]
        at += 1
        for way in range(2):
            first, to = (starts, ids) if way == 0 else (back_starts, back_ids)
            for link in range(first[page], first[page + 1]):
                if distance[to[link]] < 0:
                    distance[to[link]] = distance[page] + 1
                    before[to[link]] = page
                    line[held] = to[link]
                    held += 1
    return distance, before
