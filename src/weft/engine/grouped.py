"""The links between groups of pages, added up."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Floats, Ids, Offsets


@njit(nogil=True, cache=True)
def between(
    starts: Offsets, ids: Ids, weights: Any, group: Ids, n: int
) -> tuple[Offsets, Ids, Floats]:
    """Rows of groups, each link as heavy as all those from one group's pages to the other's.

    Links inside a group are left out. Where `weights` are none, links weigh
    one. Targets stand in the order in which they are met.

    Examples
    --------
    >>> rows = np.array([0, 2, 3, 4]), np.array([1, 2, 2, 0], np.int32)
    >>> none, group = np.zeros(0, np.float32), np.array([0, 0, 1], np.int32)
    >>> [found.tolist() for found in between(*rows, none, group, 2)]
    [[0, 1, 2], [1, 0], [2.0, 1.0]]
    """
    firsts, pages = _members(group, n)
    seen, total, met = np.full(n, -1, np.int32), np.zeros(n), np.empty(n, np.int32)
    begins = np.zeros(n + 1, np.int64)
    # as many as there can be; what is never written to takes no memory
    targets, sums = np.empty(ids.size, np.int32), np.empty(ids.size)
    for own in range(n):
        members = pages[firsts[own] : firsts[own + 1]]
        known = _add_up(members, starts, ids, weights, group, own, seen, total, met)
        first, last = begins[own], begins[own] + known
        targets[first:last], sums[first:last] = met[:known], total[met[:known]]
        begins[own + 1] = last
    return begins, targets[: begins[n]], sums[: begins[n]]


@njit(nogil=True, cache=True)
def _add_up(
    members: Any,
    starts: Offsets,
    ids: Ids,
    weights: Any,
    group: Ids,
    own: int,
    seen: Ids,
    total: Floats,
    met: Ids,
) -> int:
    """Add up the links of a group's members by their groups; how many of these were met."""
    known = 0
    for page in members:
        for link in range(starts[page], starts[page + 1]):
            other = group[ids[link]]
            if other != own:
                if seen[other] != own:
                    seen[other], total[other], met[known] = own, 0.0, other
                    known += 1
                total[other] += weights[link] if weights.size else 1.0
    return known


@njit(nogil=True, cache=True)
def _members(group: Ids, n: int) -> tuple[Offsets, Ids]:
    """The pages of every group in their order, and where each group begins."""
    firsts = np.zeros(n + 1, np.int64)
    for own in group:
        firsts[own + 1] += 1
    firsts = np.cumsum(firsts)
    free, pages = firsts[:-1].copy(), np.empty(group.size, np.int32)
    for page in range(group.size):
        pages[free[group[page]]] = page
        free[group[page]] += 1
    return firsts, pages
