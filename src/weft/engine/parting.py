"""Steps of Lanczos for many groups of points at once, each by itself."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Floats, Ids, Offsets, Weights

TINY = 1e-9


@njit(cache=True, nogil=True)
def tridiagonals(
    starts: Offsets, ids: Ids, weights: Weights, home: Ids, start: Floats, small: Floats
) -> None:
    """Fill a small matrix for each group: its eigenvalues come near those of a walk in the group.

    The walk goes along the ties inside the group; its first eigenvector, which
    is known, is left out. A group goes as many steps from its part of the
    `start` as the matrix has room for, until nothing is left: what is beyond
    stays as it was. Points whose home is -1 are of no group.
    """
    points, ends = _by_group(home, len(small))
    place = np.empty(len(home), np.int32)
    for k in range(len(points)):
        place[points[k]] = k
    for group in range(len(small)):
        begin = ends[group]
        own = points[begin : ends[group + 1]]
        firsts, near, tied, root = _inside(own, starts, ids, weights, home)
        for k in range(len(near)):
            near[k] = place[near[k]] - begin
        _steps(firsts, near, tied, root, start[own], small[group])


@njit(cache=True, nogil=True)
def _by_group(home: Ids, groups: int) -> tuple[Ids, Offsets]:
    """The points of each group, one group after the other, and where each begins."""
    ends = np.zeros(groups + 2, np.int64)
    for group in home:
        ends[group + 2] += group >= 0
    ends = np.cumsum(ends)
    points = np.empty(ends[-1], np.int32)
    for i in range(len(home)):
        if home[i] >= 0:
            points[ends[home[i] + 1]] = i
            ends[home[i] + 1] += 1
    return points, ends[:-1]


@njit(cache=True, nogil=True)
def _inside(own: Ids, starts: Offsets, ids: Ids, weights: Weights, home: Ids) -> Any:
    """The ties among the points of one group, and the root of what each point's weigh."""
    most, count = 0, 0
    for i in own:
        most += starts[i + 1] - starts[i]
    firsts, root = np.zeros(len(own) + 1, np.uint64), np.zeros(len(own))
    near, tied = np.empty(most, np.uint32), np.empty(most)
    for k in range(len(own)):
        for e in range(starts[own[k]], starts[own[k] + 1]):
            if home[ids[e]] == home[own[k]]:
                near[count], tied[count] = ids[e], weights[e]
                root[k] += weights[e]
                count += 1
        firsts[k + 1] = count
    return firsts, near[:count], tied[:count], np.sqrt(root)


@njit(cache=True, nogil=True)
def _steps(firsts: Any, near: Any, tied: Floats, root: Floats, x: Floats, small: Floats) -> None:
    """Go along the ties of one group, which are made even first, from where x begins."""
    _even(firsts, near, tied, root)
    first = root / np.sqrt(max(_dot(root, root), TINY))
    before, fresh, beta = np.zeros(len(x)), np.empty(len(x)), 0.0
    x *= root > 0
    for step in range(len(small)):
        x -= _dot(x, first) * first
        size = np.sqrt(_dot(x, x))
        if not size > TINY:
            break
        x *= 1 / size
        if step:
            beta = size
            small[step, step - 1] = small[step - 1, step] = beta
        for i in range(len(x)):
            led = 0.0
            for e in range(firsts[i], firsts[i + 1]):
                led += tied[e] * x[near[e]]
            fresh[i] = led
        alpha = _dot(x, fresh)
        small[step, step] = alpha
        for i in range(len(x)):
            before[i] = fresh[i] - alpha * x[i] - beta * before[i]
        x, before = before, x


@njit(cache=True, nogil=True)
def _even(firsts: Any, near: Any, tied: Floats, root: Floats) -> None:
    """Divide each tie by the roots at its two ends."""
    each = np.zeros(len(root))
    for i in range(len(root)):
        each[i] = 1 / max(root[i], TINY) if root[i] > 0 else 0.0
    for i in range(len(root)):
        for e in range(firsts[i], firsts[i + 1]):
            tied[e] = tied[e] * each[i] * each[near[e]]


@njit(cache=True, nogil=True)
def _dot(one: Floats, other: Floats) -> float:
    """The sum of products, one after the other."""
    total = 0.0
    for k in range(len(one)):
        total += one[k] * other[k]
    return total
