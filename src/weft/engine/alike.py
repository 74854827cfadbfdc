"""How like each member of a group is to the whole of it."""

import numpy as np
from numba import njit

from weft.core.arrays import Floats, Ids, Offsets, Weights


@njit(cache=True, nogil=True)
def products(
    starts: Offsets, ids: Ids, weights: Weights, members: Ids, ends: Offsets, items: int
) -> Floats:
    """The product of the row of each member, brought to length one, and the sum of its group's.

    Members stand group by group, which begin and end at `ends`; so many
    different `items` are in the rows.

    Examples
    --------
    >>> rows = np.array([0, 1, 2]), np.array([0, 0], np.int32), np.array([3, 4], np.float32)
    >>> products(*rows, np.array([0, 1], np.int32), np.array([0, 2]), 1).tolist()
    [2.0, 2.0]
    """
    share, whole, alike = _even(starts, weights), np.zeros(items), np.zeros(len(members))
    for group in range(len(ends) - 1):
        own = range(ends[group], ends[group + 1])
        for m in own:
            for k in range(starts[members[m]], starts[members[m] + 1]):
                whole[ids[k]] += share[k]
        for m in own:
            for k in range(starts[members[m]], starts[members[m] + 1]):
                alike[m] += share[k] * whole[ids[k]]
        for m in own:
            whole[ids[starts[members[m]] : starts[members[m] + 1]]] = 0.0
    return alike


@njit(cache=True, nogil=True)
def _even(starts: Offsets, weights: Weights) -> Floats:
    """The weights of each row brought to length one."""
    share = np.empty(len(weights))
    for row in range(len(starts) - 1):
        squares = 0.0
        for k in range(starts[row], starts[row + 1]):
            squares += np.float64(weights[k]) ** 2
        length = max(np.sqrt(squares), 1e-12)
        for k in range(starts[row], starts[row + 1]):
            share[k] = weights[k] / length
    return share
