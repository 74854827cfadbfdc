"""The largest eigenvalues of ties that hold both ways."""

import numpy as np

from weft.core.arrays import Floats, Rows

DENSE, ROOM = 200, 60


def eigenvalues(ties: Rows, k: int) -> Floats:
    """The k largest eigenvalues, largest first; fewer where there are fewer nodes.

    The start is fixed, so that a run twice gives the same answer.

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
    if n <= DENSE or k >= n - 1:
        found = np.linalg.eigvalsh(matrix.toarray())
    else:
        start, room = np.random.default_rng(0).random(n), min(n, max(3 * k, ROOM))
        found = eigsh(matrix, k=k, which="LA", v0=start, ncv=room, return_eigenvectors=False)
    return np.sort(found)[::-1][:k]
