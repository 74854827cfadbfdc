"""Which nodes lead where: whole sets at once, one shortest way, and how far each leads."""

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from weft.core.arrays import Flags, Ids, Offsets, Rows
from weft.engine.strong import Condensed

WORD = 64
Words = npt.NDArray[np.uint64]
NO_ROWS = Rows(np.zeros(1, np.int64), np.zeros(0, np.int32))


def reached(outlinks: Rows, start: Flags, closed: Flags | None = None) -> Flags:
    """The nodes that some node of a set leads to, the set with them; closed nodes are not entered.

    Examples
    --------
    >>> chain = Rows(np.array([0, 1, 2, 2]), np.array([1, 2], np.int32))
    >>> reached(chain, np.array([False, True, False])).tolist()
    [False, True, True]
    """
    met = start.copy() if closed is None else start | closed
    queue = np.empty(len(start), np.int32)
    begin = np.flatnonzero(start)
    queue[: len(begin)] = begin
    _flood(np.asarray(outlinks.starts), np.asarray(outlinks.ids), met, queue, len(begin))
    return met if closed is None else met & (start | ~closed)


def leading(outlinks: Rows, parts: Condensed, goal: Flags) -> Flags:
    """The nodes that lead to some node of a set, the set with them, found by links out alone.

    Links lead to parts of smaller numbers, so that one pass over the parts in
    their order knows of each link's end whether it leads on.
    """
    hit = np.zeros(len(parts.bounds) - 1, np.bool_)
    hit[parts.label[goal]] = True
    rows = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    _pull_back(*rows, parts.label, parts.order, parts.bounds, hit)
    return hit[parts.label]


def way(rows: Rows, start: Flags, goal: Flags, back: Rows = NO_ROWS) -> Ids:
    """The nodes of a shortest way from a set to another; none where there is no way.

    With `back`, the links of the other direction may be taken too. Of several
    shortest ways the one is taken that is found first in the order of nodes. A
    node of both sets counts as a beginning, and its way must come back.
    """
    before = np.full(len(start), -2, np.int32)
    queue = np.empty(len(start), np.int32)
    begin = np.flatnonzero(start)
    queue[: len(begin)] = begin
    before[begin] = -1
    out = np.asarray(rows.starts), np.asarray(rows.ids)
    into = np.asarray(back.starts), np.asarray(back.ids)
    last, end = _search(*out, *into, goal, before, queue, len(begin))
    if last < 0:
        return np.zeros(0, np.int32)
    steps = [end, last]
    while before[steps[-1]] >= 0:
        steps.append(int(before[steps[-1]]))
    return np.array(steps[::-1], np.int32)


def counts(outlinks: Rows, parts: Condensed, sources: Ids, closed: Flags) -> Offsets:
    """How many other nodes each source leads to; 64 sources share a pass over the links.

    Nodes that are closed are neither entered nor counted; of a part all are, or none.
    """
    found = np.zeros(len(sources), np.int64)
    shut = np.zeros(len(parts.bounds) - 1, np.bool_)
    shut[parts.label[closed]] = True
    rows = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    held: Words = np.empty(len(shut), np.uint64)
    for at in range(0, len(sources), WORD):
        some = sources[at : at + WORD]
        held[:] = 0
        _spread(*rows, parts.label, parts.order, parts.bounds, some, shut, held)
        _tally(held, parts.bounds, found[at : at + WORD])
    return found


@njit(nogil=True, cache=True)
def _flood(starts: Any, ids: Any, met: Any, queue: Any, end: int) -> None:
    at = 0
    while at < end:
        node = queue[at]
        at += 1
        for link in range(starts[node], starts[node + 1]):
            to = ids[link]
            if not met[to]:
                met[to] = True
                queue[end] = to
                end += 1


@njit(nogil=True, cache=True)
def _pull_back(starts: Any, ids: Any, label: Any, order: Any, bounds: Any, hit: Any) -> None:
    for part in range(hit.size):
        place = bounds[part]
        while not hit[part] and place < bounds[part + 1]:
            node = order[place]
            for link in range(starts[node], starts[node + 1]):
                if hit[label[ids[link]]]:
                    hit[part] = True
                    break
            place += 1


@njit(nogil=True, cache=True)
def _search(
    starts: Any,
    ids: Any,
    back_starts: Any,
    back_ids: Any,
    goal: Any,
    before: Any,
    queue: Any,
    end: int,
) -> Any:
    """The last step of a shortest way to the goal, -1 where there is none."""
    at = 0
    both = back_starts.size == starts.size
    while at < end:
        node = queue[at]
        at += 1
        out = starts[node + 1] - starts[node]
        more = back_starts[node + 1] - back_starts[node] if both else 0
        for k in range(out + more):
            to = ids[starts[node] + k] if k < out else back_ids[back_starts[node] + k - out]
            if goal[to]:
                return node, to
            if before[to] == -2:
                before[to] = node
                queue[end] = to
                end += 1
    return -1, -1


@njit(nogil=True, cache=True)
def _spread(
    starts: Any,
    ids: Any,
    label: Any,
    order: Any,
    bounds: Any,
    sources: Any,
    shut: Any,
    held: Any,
) -> None:
    """Hand each source's bit on to all parts that it leads to, from the last part to the first."""
    for bit in range(sources.size):
        held[label[sources[bit]]] |= np.uint64(1) << np.uint64(bit)
    for part in range(held.size - 1, -1, -1):
        word = held[part]
        if word == 0:
            continue
        for place in range(bounds[part], bounds[part + 1]):
            node = order[place]
            for link in range(starts[node], starts[node + 1]):
                to = label[ids[link]]
                if not shut[to]:
                    held[to] |= word


@njit(nogil=True, cache=True)
def _tally(held: Any, bounds: Any, found: Any) -> None:
    """How many nodes have each source's bit, the source itself aside."""
    found[:] = -1
    for part in range(held.size):
        word, bit = held[part], 0
        while word != 0:
            if word & np.uint64(1):
                found[bit] += bounds[part + 1] - bounds[part]
            word >>= np.uint64(1)
            bit += 1
