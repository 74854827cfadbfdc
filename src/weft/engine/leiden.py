"""Groups of points that are tied closely to each other: the Leiden algorithm."""

import numpy as np

from weft.core.arrays import Ids, Rows


def leiden(ties: Rows, resolution: float = 1.0, seed: int = 0, rounds: int = 2) -> Ids:
    """The group of each point, by modularity; the largest group is number zero.

    Ties are symmetric; those that weigh nothing are none. The same ties and
    seed give the same groups. Every group hangs together.

    Examples
    --------
    >>> two = Rows(np.array([0, 1, 2, 3, 4]), np.array([1, 0, 3, 2], np.int32))
    >>> leiden(two).tolist()
    [0, 0, 1, 1]
    """
    n = len(ties.starts) - 1
    if not len(ties.ids):
        return np.arange(n, dtype=np.int32)
    from weft.engine.moving import grouped  # noqa: PLC0415  compiled, which takes its time

    weights = np.ones(len(ties.ids)) if ties.weights is None else ties.weights.astype(np.float64)
    starts, ids = np.asarray(ties.starts, np.int64), np.asarray(ties.ids, np.int32)
    found = grouped(starts, ids, weights, float(resolution), seed, rounds)
    order = np.argsort(-np.bincount(found), kind="stable")
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order))
    groups: Ids = number[found]
    return groups


def modularity(ties: Rows, groups: Ids, resolution: float = 1.0) -> float:
    """How much more of the ties is inside groups than if points were tied at random.

    Examples
    --------
    >>> two = Rows(np.array([0, 1, 2, 3, 4]), np.array([1, 0, 3, 2], np.int32))
    >>> modularity(two, np.array([0, 0, 1, 1]))
    0.5
    """
    weights = np.ones(len(ties.ids)) if ties.weights is None else ties.weights.astype(np.float64)
    total = float(weights.sum())
    if not total:
        return 0.0
    near = np.repeat(groups, np.diff(ties.starts))
    volume = np.bincount(near, weights)
    inside = float(weights[near == groups[ties.ids]].sum())
    return inside / total - resolution * float(np.square(volume / total).sum())
