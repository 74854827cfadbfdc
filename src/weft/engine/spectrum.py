"""The largest eigenvalues of ties that hold both ways."""

from typing import Any

import numpy as np

from weft.core.arrays import Floats, Rows

DENSE, ROOM = 200, 60
LARGE, CLOSE = 20_000, 1e-6


def eigenvalues(ties: Rows, k: int) -> Floats:
    """The k largest eigenvalues, largest first; fewer where there are fewer nodes.

    The start is fixed, so that a run twice gives the same answer. Of a large
    matrix they are right to six digits, mostly to twelve, and of equal ones some
    may be missed.

    Examples
    --------
    >>> pair = Rows(np.array([0, 1, 2]), np.array([1, 0], np.int32))
    >>> eigenvalues(pair, 2).round(6).tolist()
    [1.0, -1.0]
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load
    from scipy.sparse.linalg import eigsh  # noqa: PLC0415

    n = len(ties.starts) - 1
    weights = np.ones(len(ties.ids)) if ties.weights is None else ties.weights
    matrix = csr_array((weights.astype(np.float64), ties.ids, ties.starts), shape=(n, n))
    if n > DENSE and ties.weights is None:
        matrix = _one_of_each(ties, matrix)
    left = matrix.shape[0]
    if left <= DENSE or k >= left - 1:
        found = np.linalg.eigvalsh(matrix.toarray())
    else:
        start, room = np.random.default_rng(0).random(left), min(left, max(3 * k, ROOM))
        close = CLOSE if left > LARGE else 0.0
        found = eigsh(
            matrix, k=k, which="LA", v0=start, ncv=room, tol=close, return_eigenvectors=False
        )
    every = np.concatenate([found, np.zeros(min(k, n - left))])
    return np.sort(every)[::-1][:k]


def _one_of_each(ties: Rows, matrix: Any) -> Any:
    """The matrix with one of all nodes that are tied to the same ones, for all of them.

    It stands with the root of their number. The others bring eigenvalues of
    zero, and a web has many: pages that one page alone links to. Nodes are
    known to be the same by a sum of random numbers of those they are tied to.
    """
    mark = np.random.default_rng(0).integers(-(1 << 63), (1 << 63) - 1, len(ties.starts) - 1)
    sums = np.concatenate([[0], np.cumsum(mark[ties.ids])])
    starts = np.asarray(ties.starts)
    tied = sums[starts[1:]] - sums[starts[:-1]]
    _, known, many = np.unique(tied, return_index=True, return_counts=True)
    order = np.argsort(known)
    first, size = known[order], np.sqrt(many[order])
    part = matrix[first][:, first]
    part.data *= size[part.indices] * np.repeat(size, np.diff(part.indptr))
    return part
