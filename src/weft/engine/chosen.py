"""The links among some pages of a graph, all rows at once."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Ids, Offsets


@njit(nogil=True, cache=True)
def chosen(
    starts: Offsets, ids: Ids, weights: Any, number: Ids, n: int
) -> tuple[Offsets, Ids, Any]:
    """Rows of the pages that have a number, with the links among them alone.

    The `n` numbers ascend; pages that are not chosen have -1. Where `weights`
    are none, there are none.

    Examples
    --------
    >>> rows = np.array([0, 2, 3, 4]), np.array([1, 2, 2, 0], np.int32)
    >>> none, number = np.zeros(0, np.float32), np.array([0, -1, 1], np.int32)
    >>> [found.tolist() for found in chosen(*rows, none, number, 2)]
    [[0, 1, 2], [1, 0], []]
    """
    pages = np.flatnonzero(number >= 0)
    room = np.int64(0)
    for page in pages:
        room += starts[page + 1] - starts[page]
    begins = np.zeros(n + 1, np.int64)
    others = np.empty(room, np.int32)
    heavy = np.empty(room if weights.size else 0, weights.dtype)
    known = 0
    for page in pages:
        for link in range(starts[page], starts[page + 1]):
            others[known] = number[ids[link]]
            if weights.size:
                heavy[known] = weights[link]
            known += others[known] >= 0  # else it is written over
        begins[number[page] + 1] = known
    return begins, others[:known], heavy[:known]
