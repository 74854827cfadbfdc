"""Which nodes of a graph hang together."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from weft.core.arrays import Ids, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """For each node the part it is in, numbered by their first nodes, and how large each is."""

    label: Ids
    sizes: Ids


def weak(outlinks: Rows) -> Parts:
    """The parts that hang together if directions do not matter.

    Examples
    --------
    >>> weak(Rows(np.array([0, 1, 1, 1]), np.array([1]))).sizes.tolist()
    [2, 1]
    """
    return _parts(outlinks, "weak")


def strong(outlinks: Rows) -> Parts:
    """The parts in which every node leads to every other."""
    return _parts(outlinks, "strong")


def _parts(outlinks: Rows, connection: Literal["weak", "strong"]) -> Parts:
    n = len(outlinks.starts) - 1
    if n == 0:
        return Parts(np.zeros(0, np.int32), np.zeros(0, np.int32))
    cells = np.ones(len(outlinks.ids), np.int8), outlinks.ids, outlinks.starts
    _, found = connected_components(csr_array(cells, shape=(n, n)), connection=connection)
    _, first, label = np.unique(found, return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int32)
    place[np.argsort(first, kind="stable")] = np.arange(len(first))
    return Parts(place[label], np.bincount(place[label]).astype(np.int32))
