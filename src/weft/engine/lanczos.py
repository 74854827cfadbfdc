"""The principal pair of singular vectors of a link operator, by Lanczos and power iteration."""

from dataclasses import dataclass, replace

import numpy as np

from weft.core.arrays import Flags, Floats, Ids
from weft.core.progress import track
from weft.engine.fixed_point import StopReason, Trace, dot, normalize_l2
from weft.engine.operator import LinkOperator, RecurrenceTerms
from weft.kernels.bipartite_components import BipartiteComponents, sum_by_component

MAX_LANCZOS_STEPS = 16
MAX_BASIS_FLOATS = 1 << 27
BREAKDOWN_TOL = 1e-14
COMBINE_BLOCK_SIZE = 1 << 14
TIE_TOL = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class SingularPair:
    """The principal singular vectors, each of L2 norm one, and their singular value.

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
    pair = _iterate_pair(operator, start, tol, max_iter, label)
    if not pair.trace.converged:
        return pair
    components = operator.hub_authority_components()
    if components.count < 2:
        return replace(pair, component_count=components.count, tied_components=components.count)
    dominant, share = _dominant_components(operator, pair, components)
    if share < 0.5:
        # a component that started small would have dominant in the end: restart within it
        restart = start * _in_components(dominant, components.hub_labels)
        pair = _iterate_pair(operator, restart, tol, max_iter, label)
    for values, labels in (
        (pair.source, components.hub_labels),
        (pair.target, components.authority_labels),
    ):
        np.multiply(values, _in_components(dominant, labels), out=values)
        _normalize_l2_in_place(values)
    return replace(pair, component_count=components.count, tied_components=int(dominant.sum()))


def _dominant_components(
    operator: LinkOperator, pair: SingularPair, components: BipartiteComponents
) -> tuple[Flags, float]:
    """Which components have the largest singular value, and their share of the pair's mass.

    The squared value of a component is |A v|^2 / |v|^2 over its pages. A v is
    computed again, since tiny negative entries of v have been set to zero.
    """
    buffer = operator.matvec(pair.target)
    np.square(buffer, out=buffer)
    squared_norms = sum_by_component(buffer, components.hub_labels, components.count)
    np.square(pair.target, out=buffer)
    masses = sum_by_component(buffer, components.authority_labels, components.count)
    squared_values = np.divide(
        squared_norms, masses, out=np.zeros_like(squared_norms), where=masses > np.finfo(float).tiny
    )
    dominant = squared_values >= squared_values.max(initial=0) * (1 - TIE_TOL)
    return dominant, float(masses[dominant].sum() / masses.sum()) if masses.any() else 1.0


def _in_components(chosen_components: Flags, labels: Ids) -> Flags:
    is_inside: Flags = np.append(chosen_components, [False])[labels]
    return is_inside


def _iterate_pair(
    operator: LinkOperator, start: Floats, tol: float, max_iter: int, label: str
) -> SingularPair:
    """Alternate Lanczos with a power iteration that tests convergence of both vectors.

    Both stay in the Krylov space of the start. If too few iterations are left
    for Lanczos, only power iterations are done.
    """
    source, target = normalize_l2(start), np.zeros(operator.n)
    if not operator.rmatvec_into(source, target).squares:
        return SingularPair(np.zeros(operator.n), target, 0.0, Trace(1, 0.0, converged=True))
    iterations, change, rate = 0, np.inf, np.nan
    for _ in track(range(max_iter), label, max_iter):
        max_steps = min(
            MAX_LANCZOS_STEPS, max(4, MAX_BASIS_FLOATS // operator.n), max_iter - iterations - 2
        )
        if max_steps > 1:
            target, steps, rate = lanczos(operator, target, source, tol, max_steps)
            iterations += steps + 1
        if max_steps > 1 or not iterations:
            _normalize_l2_in_place(target)
            hub_sums = operator.matvec_into(target, source)
        authority_sums = operator.rmatvec_into(source, target, 1 / hub_sums.squares)
        hub_sums = operator.matvec_into(target, source, 1 / np.sqrt(authority_sums.squares))
        iterations += 1
        change = hub_sums.change / hub_sums.total + authority_sums.change / authority_sums.total
        if change < tol or iterations >= max_iter:
            break
    converged = change < tol
    stopped: StopReason = "converged" if converged else "max_iter"
    trace = Trace(iterations, change, converged=converged, stopped=stopped, rate=rate)
    return _make_nonnegative_pair(source, target, hub_sums.squares, trace)


def _make_nonnegative_pair(
    source: Floats, target: Floats, squared_value: float, trace: Trace
) -> SingularPair:
    for values in (source, target):
        np.maximum(values, 0, out=values)
        _normalize_l2_in_place(values)
    return SingularPair(source, target, float(np.sqrt(squared_value)), trace)


def _normalize_l2_in_place(values: Floats) -> None:
    """Scale to L2 norm one, in place."""
    norm = np.sqrt(dot(values, values))
    if norm:
        values /= norm


def lanczos(
    operator: LinkOperator, start: Floats, source: Floats, tol: float, max_steps: int
) -> tuple[Floats, int, float]:
    """The best right vector of A in the Krylov space of the start, by Lanczos on A'A.

    Returns it with the number of steps, until a power iteration would change
    it by less than `tol`, and the ratio of the second to the first eigenvalue
    of A'A. `start` and `source` are overwritten. Vectors are orthogonalised
    against the last two only: loss of orthogonality costs steps, not accuracy.
    """
    basis, diagonal = [start], np.zeros(0)
    # one allocation, so that the system can use huge pages; zero, so that the change is the L1 norm
    memory = np.zeros((max_steps, operator.n))
    norms, totals = np.array([np.sqrt(dot(start, start))]), np.array([start.sum()])
    for k in range(max_steps):
        # alpha = |A v_k|^2; residual = A'A v_k - alpha v_k - beta v_(k-1)
        sums = operator.matvec_into(basis[k], source, 1 / norms[k])
        diagonal = np.append(diagonal, sums.squares)
        beta = norms[k] / norms[k - 1] if k else 0.0
        terms = RecurrenceTerms(basis[k], basis[max(k - 1, 0)], sums.squares / norms[k], beta)
        residual = memory[k]
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
    return _combine_in_place(weights * np.sign(total), basis), k + 1, float(ratio)


def _off_diagonal_matrix(values: Floats) -> Floats:
    """The symmetric matrix with these values beside its diagonal."""
    return np.diag(values, 1) + np.diag(values, -1)


def _combine_in_place(weights: Floats, vectors: list[Floats]) -> Floats:
    """Overwrite the first vector with the weighted sum of all, block by block."""
    first, *others = vectors
    for begin in range(0, len(first), COMBINE_BLOCK_SIZE):
        block = slice(begin, begin + COMBINE_BLOCK_SIZE)
        first[block] *= weights[0]
        for weight, vector in zip(weights[1:], others, strict=True):
            first[block] += weight * vector[block]
    return first
