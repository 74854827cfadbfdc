"""Groups of points that are tied closely to each other: the Leiden algorithm."""

import numpy as np

from weft.core.arrays import Ids, Rows


def leiden(ties: Rows, resolution: float = 1.0, seed: int = 0) -> Ids:
    """The group of each point, by modularity; the largest group is number zero.

    Ties are symmetric and in order. The same ties and seed give the same groups.

    Examples
    --------
    >>> two = Rows(np.array([0, 1, 2, 3, 4]), np.array([1, 0, 3, 2], np.int32))
    >>> leiden(two).tolist()
    [0, 0, 1, 1]
    """
    from graspologic_native import leiden_csr  # noqa: PLC0415  a compiled library of its own

    n = len(ties.starts) - 1
    if not len(ties.ids):
        return np.arange(n, dtype=np.int32)
    weights = np.ones(len(ties.ids)) if ties.weights is None else ties.weights.astype(np.float64)
    _, found = leiden_csr(
        ties.starts.astype(np.int64),
        ties.ids.astype(np.int32),
        weights,
        n,
        resolution=resolution,
        seed=seed,
    )
    groups = np.fromiter((found.get(point, -1) for point in range(n)), np.int32, n)
    alone = np.flatnonzero(groups < 0)
    groups[alone] = groups.max(initial=-1) + 1 + np.arange(len(alone))
    _, first, place, size = np.unique(
        groups, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -size))
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order))
    return number[place]
