"""Reciprocal links: of each node, and among some nodes."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import CSR, Ids
from weft.kernels.threads import next_piece, run_parallel

WORK_PIECES = 256


def count_reciprocal_links(outlinks: CSR, inlinks: CSR) -> Ids:
    """The number of reciprocal links of each node; rows must be sorted.

    Examples
    --------
    >>> out = CSR(np.array([0, 2, 3, 3]), np.array([1, 2, 0], np.int32))
    >>> into = CSR(np.array([0, 1, 2, 3]), np.array([1, 0, 0], np.int32))
    >>> count_reciprocal_links(out, into).tolist()
    [1, 1, 0]
    """
    counts = np.zeros(len(outlinks.starts) - 1, np.int32)
    bounds = np.linspace(0, len(counts), WORK_PIECES + 1).astype(np.int64)
    arrays = (outlinks.starts, outlinks.ids, inlinks.starts, inlinks.ids)
    run_parallel(_count_reciprocal_kernel, bounds, *map(np.asarray, arrays), counts)
    return counts


@njit(nogil=True, cache=True)
def _count_reciprocal_kernel(
    queue: Any, bounds: Any, starts: Any, ids: Any, in_starts: Any, in_ids: Any, counts: Any
) -> None:
    """Merge the sorted out- and in-links of each node."""
    while True:
        piece = next_piece(queue)
        if piece >= bounds.size - 1:
            break
        for node in range(bounds[piece], bounds[piece + 1]):
            out, into = starts[node], in_starts[node]
            while out < starts[node + 1] and into < in_starts[node + 1]:
                target, source = ids[out], in_ids[into]
                counts[node] += target == source
                out += target <= source
                into += source <= target


@njit(nogil=True, cache=True)
def count_induced_links(
    outlinks: tuple[Any, Any], inlinks: tuple[Any, Any], nodes: Ids, n: int
) -> tuple[int, int]:
    """The number of links among some of n nodes, and how many of these are reciprocal.

    Examples
    --------
    >>> out = np.array([0, 2, 3, 3]), np.array([1, 2, 0], np.int32)
    >>> into = np.array([0, 1, 2, 3]), np.array([1, 0, 0], np.int32)
    >>> count_induced_links(out, into, np.array([0, 1], np.int32), 3)
    (2, 2)
    """
    is_member, links, reciprocal = np.zeros(n, np.bool_), 0, 0
    for node in nodes:
        is_member[node] = True
    for node in nodes:
        in_link, end = inlinks[0][node], inlinks[0][node + 1]
        for link in range(outlinks[0][node], outlinks[0][node + 1]):
            target = outlinks[1][link]
            while in_link < end and inlinks[1][in_link] < target:
                in_link += 1
            links += is_member[target]
            reciprocal += is_member[target] and in_link < end and inlinks[1][in_link] == target
    return links, reciprocal
