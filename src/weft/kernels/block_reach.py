"""Reachability within the links of a range of pages, the rest of the graph being elsewhere."""

from typing import Any

import numpy as np

from weft.core.arrays import CSR, Flags, Ids, Offsets
from weft.kernels.compiler import njit


def reach_from_rows(rows: CSR, row_of_neighbour: Ids, is_visited: Flags, sources: Ids) -> Offsets:
    """The neighbours newly reached from some rows, over rows that are neighbours themselves.

    `row_of_neighbour` is the row of each neighbour, -1 where it is elsewhere;
    `is_visited`, of each neighbour, is updated.

    Examples
    --------
    >>> rows = CSR(np.array([0, 1, 2]), np.array([0, 1], np.int32))
    >>> own_row = np.array([1, -1], np.int32)
    >>> reach_from_rows(rows, own_row, np.zeros(2, bool), np.array([0], np.int32)).tolist()
    [0, 1]
    """
    queue = np.empty(len(rows.starts) - 1 + len(sources), np.int32)
    queue[: len(sources)] = sources
    before = is_visited.copy()
    _flood(
        np.asarray(rows.starts), np.asarray(rows.ids), row_of_neighbour, is_visited, queue,
        len(sources),
    )  # fmt: skip
    return np.flatnonzero(is_visited & ~before)


@njit(nogil=True, cache=True)
def _flood(
    starts: Any, ids: Any, row_of_neighbour: Any, is_visited: Any, queue: Any, tail: int
) -> None:
    head = 0
    while head < tail:
        row = queue[head]
        head += 1
        for link in range(starts[row], starts[row + 1]):
            neighbour = ids[link]
            if not is_visited[neighbour]:
                is_visited[neighbour] = True
                if row_of_neighbour[neighbour] >= 0:
                    queue[tail] = row_of_neighbour[neighbour]
                    tail += 1
