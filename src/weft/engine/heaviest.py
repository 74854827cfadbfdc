"""The heaviest items of every row."""

import numpy as np
from numba import njit

from weft.core.arrays import Floats, Ids, Offsets, Weights

LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)


@njit(cache=True, nogil=True)
def heaviest(
    starts: Offsets, ids: Ids, weights: Weights, worth: Floats, most: int
) -> tuple[Offsets, Ids, Weights]:
    """The heaviest items of each row, so many at most: where each row begins, items, weights.

    An item weighs what stands beside it, times its worth. The heaviest come
    first, of equal ones those that stood first; what weighs nothing is none.

    Examples
    --------
    >>> rows = np.array([0, 3, 4]), np.array([0, 1, 2, 3], np.int32)
    >>> found = heaviest(*rows, np.array([1, 3, 1, 0], np.float32), np.array([1.0, 1, 2, 1]), 2)
    >>> [array.tolist() for array in found]
    [[0, 2, 2], [1, 2], [3.0, 2.0]]
    """
    weight = np.empty(len(ids), np.float32)
    for k in range(len(ids)):
        weight[k] = weights[k] * worth[ids[k]]
    bits = weight.view(np.uint32)  # which ascend as the weights do
    best, firsts, end = np.zeros(most, np.uint64), np.zeros(len(starts), np.int64), 0
    items, heavy = np.empty(len(ids), np.int32), np.empty(len(ids), np.float32)
    for row in range(len(starts) - 1):
        best[:] = 0
        for k in range(starts[row], starts[row + 1]):
            key = np.uint64(bits[k]) << HALF | LOW - np.uint64(k - starts[row])
            if weight[k] > 0 and key > best[most - 1]:
                at = most - 1
                while at > 0 and best[at - 1] < key:
                    best[at] = best[at - 1]
                    at -= 1
                best[at] = key
        for key in best[best > 0]:
            at = starts[row] + np.int64(LOW - (key & LOW))
            items[end], heavy[end], end = ids[at], weight[at], end + 1
        firsts[row + 1] = end
    return firsts, items[:end].copy(), heavy[:end].copy()
