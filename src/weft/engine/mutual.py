"""Links that are answered by one in the other direction."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Ids, Rows
from weft.engine.pool import run, take

PIECES = 256


def answered(outlinks: Rows, inlinks: Rows) -> Ids:
    """How many of each node's links lead to nodes that link back; rows are in order.

    Examples
    --------
    >>> out = Rows(np.array([0, 2, 3, 3]), np.array([1, 2, 0], np.int32))
    >>> into = Rows(np.array([0, 1, 2, 3]), np.array([1, 0, 0], np.int32))
    >>> answered(out, into).tolist()
    [1, 1, 0]
    """
    found = np.zeros(len(outlinks.starts) - 1, np.int32)
    bounds = np.linspace(0, len(found), PIECES + 1).astype(np.int64)
    ways = (outlinks.starts, outlinks.ids, inlinks.starts, inlinks.ids)
    run(_merge, bounds, *map(np.asarray, ways), found)
    return found


@njit(nogil=True, cache=True)
def _merge(queue: Any, bounds: Any, starts: Any, ids: Any, froms: Any, others: Any, y: Any) -> None:
    """Go through the links out of and into each node side by side."""
    while True:
        piece = take(queue)
        if piece >= bounds.size - 1:
            break
        for node in range(bounds[piece], bounds[piece + 1]):
            out, into = starts[node], froms[node]
            while out < starts[node + 1] and into < froms[node + 1]:
                one, two = ids[out], others[into]
                y[node] += one == two
                out += one <= two
                into += two <= one


@njit(nogil=True, cache=True)
def among(out: tuple[Any, Any], into: tuple[Any, Any], nodes: Ids, n: int) -> tuple[int, int]:
    """How many links there are among some of n nodes, and how many of these are answered.

    Examples
    --------
    >>> out = np.array([0, 2, 3, 3]), np.array([1, 2, 0], np.int32)
    >>> into = np.array([0, 1, 2, 3]), np.array([1, 0, 0], np.int32)
    >>> among(out, into, np.array([0, 1], np.int32), 3)
    (2, 2)
    """
    inside, links, back = np.zeros(n, np.bool_), 0, 0
    for node in nodes:
        inside[node] = True
    for node in nodes:
        other, end = into[0][node], into[0][node + 1]
        for link in range(out[0][node], out[0][node + 1]):
            to = out[1][link]
            while other < end and into[1][other] < to:
                other += 1
            links += inside[to]
            back += inside[to] and other < end and into[1][other] == to
    return links, back
