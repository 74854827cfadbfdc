"""Shortest ways where all links of a page have the same length, which may be zero."""

from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from weft.core.arrays import Floats, Ids, Rows
from weft.engine.hops import both


class Ways(NamedTuple):
    """For each page how far it is, how many clicks that takes, and the page before it.

    Where no way leads the distance is infinite, and the others are -1.
    """

    distance: Floats
    clicks: Ids
    before: Ids


def nearest(outlinks: Rows, lengths: Floats, source: int, within: float = np.inf) -> Ways:
    """The shortest way from one page to every other that is no further than `within`.

    Dijkstra's search in its simplest form: pages whose links end nearest are
    opened first, so that whoever first links to a page is the nearest to do so.
    Of equally long ways the one with fewer clicks is taken.

    Examples
    --------
    >>> rows = Rows(np.array([0, 2, 3, 3]), np.array([1, 2, 2]))
    >>> nearest(rows, np.array([1.0, 0.0, 0.0]), 0).distance.tolist()
    [0.0, 1.0, 1.0]
    """
    starts, ids, _, _ = both([outlinks])
    return Ways(*_nearest(starts, ids, np.asarray(lengths, np.float64), source, within))


@njit(nogil=True, cache=True)
def _nearest(starts: Any, ids: Any, lengths: Any, source: Any, within: Any) -> Any:
    n = starts.size - 1
    distance = np.full(n, np.inf)
    clicks, before = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    distance[source], clicks[source] = 0.0, 0
    line = [(lengths[source], 1, np.int64(source))]
    heapify(line)
    while line:
        end, count, page = heappop(line)
        if end > within:
            break
        for link in range(starts[page], starts[page + 1]):
            to = ids[link]
            if clicks[to] < 0:
                distance[to], clicks[to], before[to] = end, count, page
                heappush(line, (end + lengths[to], count + 1, np.int64(to)))
    return distance, clicks, before


def way_to(page: int, before: Ids) -> list[int]:
    """The pages on the way to a page, from where the search began."""
    found = [page]
    while before[found[-1]] >= 0:
        found.append(int(before[found[-1]]))
    return found[::-1]
