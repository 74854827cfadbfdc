"""Many links sorted into rows, in little more memory than the rows take."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Ids, Rows, narrowed


def sorted_rows(source: Ids, target: Ids, n: int) -> Rows:
    """Links in any order as rows by source, each in order; links to oneself are left out.

    Parallel links become one, which weighs as many as there were. Links are
    dealt out by target and then by source, so that no row need be sorted.

    Examples
    --------
    >>> ends = np.array([1, 0, 1, 1], np.int32), np.array([2, 1, 2, 0], np.int32)
    >>> rows = sorted_rows(*ends, 3)
    >>> rows.starts.tolist(), rows.ids.tolist(), rows.weights.tolist()
    ([0, 1, 3, 3], [1, 0, 2], [1.0, 1.0, 2.0])
    """
    by_target = np.zeros(n + 2, np.int64)
    _count(target, source, by_target)
    sources = np.empty(by_target[-1], np.int32)
    _deal(target, source, by_target, sources)
    starts = np.zeros(n + 2, np.int64)
    _count(source, target, starts)
    ids = np.empty(len(sources), np.int32)
    _deal_rows(by_target, sources, starts, ids)
    del sources
    if not _doubled(starts, ids):
        return Rows(starts[:-1], ids)
    counts = np.empty(len(ids), np.uint32)
    kept = _merge(starts, ids, counts)
    return Rows(starts[:-1], ids[:kept].copy(), narrowed(counts[:kept]))


@njit(nogil=True, cache=True)
def _count(end: Any, other: Any, starts: Any) -> None:
    """Where each row begins, one place late: dealing moves every start to the next."""
    for link in range(end.size):
        if end[link] != other[link]:
            starts[end[link] + 2] += 1
    for row in range(1, starts.size):
        starts[row] += starts[row - 1]


@njit(nogil=True, cache=True)
def _deal(end: Any, other: Any, starts: Any, into: Any) -> None:
    for link in range(end.size):
        if end[link] != other[link]:
            into[starts[end[link] + 1]] = other[link]
            starts[end[link] + 1] += 1


@njit(nogil=True, cache=True)
def _deal_rows(by_target: Any, sources: Any, starts: Any, ids: Any) -> None:
    """Deal the links of one target after the other."""
    for target in range(by_target.size - 2):
        for link in range(by_target[target], by_target[target + 1]):
            row = sources[link] + 1
            ids[starts[row]] = target
            starts[row] += 1


@njit(nogil=True, cache=True)
def _doubled(starts: Any, ids: Any) -> bool:
    """Whether some link is there twice."""
    for row in range(starts.size - 2):
        for link in range(starts[row] + 1, starts[row + 1]):
            if ids[link] == ids[link - 1]:
                return True
    return False


@njit(nogil=True, cache=True)
def _merge(starts: Any, ids: Any, counts: Any) -> int:
    """Keep each link once, and count it; how many are kept."""
    kept, link = 0, 0
    for row in range(starts.size - 2):
        first, end = kept, starts[row + 1]
        starts[row] = first
        while link < end:
            if kept > first and ids[kept - 1] == ids[link]:
                counts[kept - 1] += 1
            else:
                ids[kept] = ids[link]
                counts[kept] = 1
                kept += 1
            link += 1
    starts[starts.size - 2] = kept
    return kept
