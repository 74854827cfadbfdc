"""The principal pair of singular vectors of a link operator, by Lanczos and power iteration."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.core.arrays import CSR, Floats
from weft.core.progress import track
from weft.engine.fixed_point import StopReason, Trace, normalize_l2
from weft.engine.operator import LinkOperator, RecurrenceTerms, array_namespace, take_by_label
from weft.kernels.bipartite_components import BipartiteComponents

MAX_LANCZOS_STEPS = 16
MAX_BASIS_FLOATS = 1 << 27
BREAKDOWN_TOL = 1e-14
TIE_TOL = 1e-9
SMALLEST_MASS = float(np.finfo(float).tiny)
MAX_DENSE_NODES, MIN_KRYLOV_VECTORS = 200, 60
MIN_ROUGH_NODES, ROUGH_TOL = 20_000, 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class SingularPair:
    """The principal singular vectors, each of L2 norm one, and their singular value.

    The vectors are those of the operator: on its device.
    `source` is the left vector (hubs), `target` the right one (authorities).
    `component_count` is the number of bipartite components, `tied_components`
    how many of them have that value; both zero if not converged.
    """

    source: Floats
    target: Floats
    value: float
    trace: Trace
    component_count: int = 0
    tied_components: int = 0


def principal_singular_pair(
    operator: LinkOperator, start: Floats, tol: float, max_iter: int, label: str
) -> SingularPair:
    """Iterate from `start` at the sources until both vectors converge.

    Each bipartite component has its own principal value, so that the solution
    is exactly zero outside the strongest one. Where several tie, it is the
    projection of the start on all of them. The change is the L1 change of
    both vectors, relative to their sums.
    """
    start, vectors = operator.asarray(start), operator.vectors
    pair = _iterate_pair(operator, start, tol, max_iter, label)
    if not pair.trace.converged:
        return pair
    components = operator.hub_authority_components()
    if components.count < 2:
        return replace(pair, component_count=components.count, tied_components=components.count)
    dominant, share = _dominant_components(operator, pair, components)
    if share < 0.5:
        # a component that started small would have dominant in the end: restart within it
        restart = start * take_by_label(dominant, components.hub_labels)
        pair = _iterate_pair(operator, restart, tol, max_iter, label)
    for values, labels in (
        (pair.source, components.hub_labels),
        (pair.target, components.authority_labels),
    ):
        sums = vectors.scale_by_label(values, dominant, labels)
        _scale_in_place(operator, values, sums.squares)
    tied = round(float(array_namespace(dominant).sum(dominant)))
    return replace(pair, component_count=components.count, tied_components=tied)


def _dominant_components(
    operator: LinkOperator, pair: SingularPair, components: BipartiteComponents
) -> tuple[Floats, float]:
    """One for the components of the largest singular value, else zero; their share of the mass.

    The squared value of a component is |A v|^2 / |v|^2 over its pages. A v is
    computed again, since tiny negative entries of v have been set to zero.
    """
    xp, sum_by_label = operator.vectors.xp, operator.vectors.sum_by_label
    hubs, count = operator.matvec(pair.target), components.count
    squared_norms = sum_by_label(hubs * hubs, components.hub_labels, count)
    masses = sum_by_label(pair.target * pair.target, components.authority_labels, count)
    present = masses > SMALLEST_MASS
    squared_values = xp.where(
        present, squared_norms / xp.where(present, masses, xp.ones_like(masses)), 0.0 * masses
    )
    dominant = xp.astype(squared_values >= xp.max(squared_values) * (1 - TIE_TOL), masses.dtype)
    mass = float(xp.sum(masses))
    return dominant, float(xp.sum(masses * dominant)) / mass if mass else 1.0


def _iterate_pair(
    operator: LinkOperator, start: Floats, tol: float, max_iter: int, label: str
) -> SingularPair:
    """Alternate Lanczos with a power iteration that tests convergence of both vectors.

    Both stay in the Krylov space of the start. If too few iterations are left
    for Lanczos, only power iterations are done.
    """
    source, target = normalize_l2(start), operator.zeros()
    start_sums = operator.rmatvec_into(source, target)
    if not start_sums.squares:
        return SingularPair(operator.zeros(), target, 0.0, Trace(1, 0.0, converged=True))
    iterations, change, rate = 0, np.inf, np.nan
    for _ in track(range(max_iter), label, max_iter):
        max_steps = min(
            MAX_LANCZOS_STEPS, max(4, MAX_BASIS_FLOATS // operator.n), max_iter - iterations - 2
        )
        if max_steps > 1:
            steps, rate = lanczos(operator, target, source, tol, max_steps)
            iterations += steps + 1
        elif not iterations:
            _scale_in_place(operator, target, start_sums.squares)
        if max_steps > 1 or not iterations:
            hub_sums = operator.matvec_into(target, source)
        authority_sums = operator.rmatvec_into(source, target, 1 / hub_sums.squares)
        hub_sums = operator.matvec_into(target, source, authority_sums.squares**-0.5)
        iterations += 1
        change = hub_sums.change / hub_sums.total + authority_sums.change / authority_sums.total
        if change < tol or iterations >= max_iter:
            break
    converged = change < tol
    stopped: StopReason = "converged" if converged else "max_iter"
    trace = Trace(iterations, change, converged=converged, stopped=stopped, rate=rate)
    value = float(np.sqrt(hub_sums.squares))
    for values in (source, target):
        sums = operator.vectors.combine(values, [1.0], [values], nonnegative=True)
        _scale_in_place(operator, values, sums.squares)
    return SingularPair(source, target, value, trace)


def _scale_in_place(operator: LinkOperator, values: Floats, squares: float) -> None:
    """Scale to L2 norm one, in place, given the sum of the squares."""
    if squares:
        operator.vectors.combine(values, [squares**-0.5], [values])


def lanczos(
    operator: LinkOperator, start: Floats, source: Floats, tol: float, max_steps: int
) -> tuple[int, float]:
    """Set `start` to the best right vector of A in its Krylov space, by Lanczos on A'A.

    Returns the number of steps, until a power iteration would change it by
    less than `tol`, and the ratio of the second to the first eigenvalue of A'A.
    The vector has length one; `source` is overwritten. Vectors are orthogonalised
    against the last two only: loss of orthogonality costs steps, not accuracy.
    """
    basis, diagonal = [start], np.zeros(0)
    # one allocation, so that the system can use huge pages; zero, so that the change is the L1 norm
    memory, xp = operator.vectors.zeros(max_steps, operator.n), operator.vectors.xp
    norms, totals = np.sqrt([float(xp.sum(start * start))]), np.array([float(xp.sum(start))])
    for k in range(max_steps):
        # alpha = |A v_k|^2; residual = A'A v_k - alpha v_k - beta v_(k-1)
        sums = operator.matvec_into(basis[k], source, float(1 / norms[k]))
        diagonal = np.append(diagonal, sums.squares)
        alpha, beta = sums.squares / norms[k], norms[k] / norms[k - 1] if k else 0.0
        terms = RecurrenceTerms(basis[k], basis[max(k - 1, 0)], float(alpha), float(beta))
        residual = memory[k, ...]
        residual_sums = operator.rmatvec_recurrence(source, residual, terms)
        values, vectors = np.linalg.eigh(np.diag(diagonal) + _off_diagonal_matrix(norms[1:]))
        weights = vectors[:, -1] / norms
        total = weights @ totals
        predicted_change = abs(vectors[-1, -1]) * residual_sums.change / (values[-1] * abs(total))
        if (
            predicted_change < tol / 4
            or np.sqrt(residual_sums.squares) < BREAKDOWN_TOL * sums.squares
            or k + 1 == max_steps
        ):
            break
        basis.append(residual)
        norms, totals = (
            np.append(norms, np.sqrt(residual_sums.squares)),
            np.append(totals, residual_sums.total),
        )
    ratio = values[-2] / values[-1] if k else 0.0
    combined = operator.vectors.combine(start, (weights * np.sign(total)).tolist(), basis)
    _scale_in_place(operator, start, combined.squares)
    return k + 1, float(ratio)


def _off_diagonal_matrix(values: Floats) -> Floats:
    """The symmetric matrix with these values beside its diagonal."""
    return np.diag(values, 1) + np.diag(values, -1)


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
