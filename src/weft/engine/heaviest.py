"""The heaviest items of every row."""

import numpy as np
from numba import njit

from weft.core.arrays import Offsets, Weights


@njit(cache=True, nogil=True)
def heaviest(starts: Offsets, weights: Weights, most: int) -> Offsets:
    """Where the heaviest items of each row stand, so many at most, in the order of their weight.

    Rows follow each other. Of equal ones the first come first; what weighs
    nothing is none.

    Examples
    --------
    >>> heaviest(np.array([0, 3, 4]), np.array([1, 3, 2, 0], np.float32), 2).tolist()
    [1, 2]
    """
    places, count = np.empty(len(weights), np.int64), 0
    for row in range(len(starts) - 1):
        begin = count
        for item in range(starts[row], starts[row + 1]):
            if not weights[item] > 0:
                continue
            at = count if count - begin < most else count - 1
            if at < count and not weights[item] > weights[places[at]]:
                continue
            while at > begin and weights[item] > weights[places[at - 1]]:
                places[at] = places[at - 1]
                at -= 1
            places[at] = item
            count += count - begin < most
    return places[:count].copy()
