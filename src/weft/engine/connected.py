"""Which nodes of a graph hang together."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Ids, Rows
from weft.engine.pool import run, take
from weft.engine.strong import condensed
from weft.engine.unite import flatten, root_of, unite

PIECES = 256


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """For each node the part it is in, numbered by their first nodes, and how large each is."""

    label: Ids
    sizes: Ids


def weak(outlinks: Rows) -> Parts:
    """The parts that hang together if directions do not matter.

    Examples
    --------
    >>> weak(Rows(np.array([0, 1, 1, 1]), np.array([1], np.int32))).sizes.tolist()
    [2, 1]
    """
    starts, ids = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    parent = np.arange(len(starts) - 1, dtype=np.int32)
    bounds = np.linspace(0, len(parent), PIECES + 1).astype(np.int64)
    run(_join, bounds, starts, ids, parent)
    flatten(parent)
    number = np.cumsum(parent == np.arange(len(parent)), dtype=np.int32) - np.int32(1)
    label = number[parent]
    return Parts(label, np.bincount(label).astype(np.int32))


def strong(outlinks: Rows) -> Parts:
    """The parts in which every node leads to every other."""
    found = condensed(outlinks)
    nodes = np.arange(len(found.label), dtype=np.int32)
    first = np.empty(len(found.bounds) - 1, np.int32)
    first[found.label[::-1]] = nodes[::-1]
    by_first = np.argsort(first)
    number = np.empty(len(first), np.int32)
    number[by_first] = np.arange(len(first), dtype=np.int32)
    return Parts(number[found.label], found.sizes[by_first])


@njit(nogil=True, cache=True)
def _join(queue: Any, bounds: Any, starts: Any, ids: Any, parent: Any) -> None:
    """Hang both ends of every link under one root; most links need no more than a look."""
    while True:
        piece = take(queue)
        if piece >= bounds.size - 1:
            break
        for node in range(bounds[piece], bounds[piece + 1]):
            root = root_of(parent, node)
            for link in range(starts[node], starts[node + 1]):
                to = ids[link]
                if parent[to] != root:
                    root = unite(parent, root, to)
