"""The largest eigenvalues of a symmetric adjacency matrix."""

from typing import Any

import numpy as np

from weft.core.arrays import CSR, Floats

MAX_DENSE_NODES, MIN_KRYLOV_VECTORS = 200, 60
MIN_ROUGH_NODES, ROUGH_TOL = 20_000, 1e-6


def largest_eigenvalues(adjacency: CSR, k: int) -> Floats:
    """The k largest eigenvalues, descending; fewer if there are fewer nodes.

    The start vector is fixed, so that results repeat. For large matrices they
    have at least six correct digits, mostly twelve, and of a multiple
    eigenvalue some may be missed.

    Examples
    --------
    >>> pair = CSR(np.array([0, 1, 2]), np.array([1, 0], np.int32))
    >>> largest_eigenvalues(pair, 2).round(6).tolist()
    [1.0, -1.0]
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load
    from scipy.sparse.linalg import eigsh  # noqa: PLC0415

    n = len(adjacency.starts) - 1
    weights = np.ones(len(adjacency.ids)) if adjacency.weights is None else adjacency.weights
    matrix = csr_array((weights.astype(np.float64), adjacency.ids, adjacency.starts), shape=(n, n))
    if n > MAX_DENSE_NODES and adjacency.weights is None:
        matrix = _merge_twin_nodes(adjacency, matrix)
    left = matrix.shape[0]
    if left <= MAX_DENSE_NODES or k >= left - 1:
        eigenvalues = np.linalg.eigvalsh(matrix.toarray())
    else:
        start = np.random.default_rng(0).random(left)
        krylov = min(left, max(3 * k, MIN_KRYLOV_VECTORS))
        tol = ROUGH_TOL if left > MIN_ROUGH_NODES else 0.0
        eigenvalues = eigsh(
            matrix, k=k, which="LA", v0=start, ncv=krylov, tol=tol, return_eigenvectors=False
        )
    with_zeros = np.concatenate([eigenvalues, np.zeros(min(k, n - left))])
    return np.sort(with_zeros)[::-1][:k]


def _merge_twin_nodes(adjacency: CSR, matrix: Any) -> Any:
    """Merge nodes with the same neighbours into one, scaled by the square root of their number.

    The nonzero eigenvalues stay; merged nodes only lose zeros. A web has many
    such nodes: pages with a single in-link from the same page. They are found
    by hashing: the sum of random numbers of the neighbours.
    """
    random_ids = np.random.default_rng(0).integers(
        -(1 << 63), (1 << 63) - 1, len(adjacency.starts) - 1
    )
    # differences of prefix sums, wrapping around: the hash of each row
    sums = np.concatenate([[0], np.cumsum(random_ids[adjacency.ids])])
    starts = np.asarray(adjacency.starts)
    hashes = sums[starts[1:]] - sums[starts[:-1]]
    _, first_index, counts = np.unique(hashes, return_index=True, return_counts=True)
    order = np.argsort(first_index)
    first, scale = first_index[order], np.sqrt(counts[order])
    merged = matrix[first][:, first]
    merged.data *= scale[merged.indices] * np.repeat(scale, np.diff(merged.indptr))
    return merged
