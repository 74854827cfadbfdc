"""HITS inside many groups of pages at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from weft.core.arrays import CSR, Floats, Ids, Offsets, csr_from_keys, pack_pairs
from weft.engine import (
    BipartiteComponents,
    LinkOperator,
    SingularPair,
    Trace,
    normalize_l2,
    operator_from_csr,
    principal_singular_pair,
)
from weft.graph.webgraph import WebGraph
from weft.kernels.bipartite_components import sum_by_component

POWER_ITERATIONS = 6
LANCZOS_STEPS = 10
MAX_JOINT_ITERATIONS = 5 * (POWER_ITERATIONS + LANCZOS_STEPS)
BREAKDOWN_TOLERANCE = 1e-10
TIE_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class ComponentPairs:
    """The principal pair of every connected component: unit vectors, value and last change."""

    components: BipartiteComponents
    source: Floats
    target: Floats
    singular_values: Floats
    change: Floats
    iterations: int


def hits_per_group(
    graph: WebGraph, groups: Sequence[Ids], tol: float, max_iter: int
) -> list[SingularPair]:
    """The principal singular pair of each group of pages, on the links inside it.

    Groups are disjoint. Most converge within few joint iterations; the others
    are then iterated one by one.
    """
    outlinks, starts = links_inside_groups(graph.outlinks, groups)
    inlinks, _ = links_inside_groups(graph.inlinks, groups)
    components = power_iterate_components(
        operator_from_csr(outlinks, inlinks), tol, min(max_iter, MAX_JOINT_ITERATIONS)
    )
    pairs = []
    for start, end in pairwise(starts.tolist()):
        component_ids = np.unique(components.components.hub_labels[start:end])
        component_ids = component_ids[component_ids >= 0]
        pair = dominant_pair_of_group(components, start, end, component_ids, tol)
        if not pair.trace.converged and components.iterations < max_iter:
            operator = operator_from_csr(
                slice_group(outlinks, start, end), slice_group(inlinks, start, end)
            )
            pair = principal_singular_pair(operator, np.ones(end - start), tol, max_iter, "hits")
        pairs.append(pair)
    return pairs


def links_inside_groups(links: CSR, groups: Sequence[Ids]) -> tuple[CSR, Offsets]:
    """The links inside groups, with pages renumbered group by group, and the group starts."""
    n = len(links.starts) - 1
    starts = np.cumsum([0, *map(len, groups)], dtype=np.int64)
    # a small integer type, which is sorted by radix sort
    labels, position = np.full(n, -1, np.min_scalar_type(-1 - len(groups))), np.zeros(n, np.int64)
    for number, group in enumerate(groups):
        labels[group] = number
        position[group] = np.arange(starts[number], starts[number + 1])
    row = links.row_ids()
    kept = np.flatnonzero((labels[row] >= 0) & (labels[row] == labels[links.ids]))
    kept = kept[np.argsort(labels[row[kept]], kind="stable")]
    key = pack_pairs(position[row[kept]], position[links.ids[kept]])
    return csr_from_keys(key, None, int(starts[-1])), starts


def slice_group(rows: CSR, start: int, stop: int) -> CSR:
    """The rows of one group, renumbered from zero."""
    starts = rows.starts[start : stop + 1]
    return CSR(starts - starts[0], rows.ids[starts[0] : starts[-1]] - np.int32(start))


def power_iterate_components(operator: LinkOperator, tol: float, max_iter: int) -> ComponentPairs:
    """Power iteration from equal hub scores until every component has converged.

    Each component is normalized by itself: a = A'h / |A'h|, h = Aa / |Aa|. If
    some have not converged after a few iterations, Lanczos steps follow.
    """
    components = operator.hub_authority_components()
    source, target = np.ones(operator.n), np.zeros(operator.n)
    change, value = np.full(components.count, np.inf), np.zeros(components.count)
    iterations = 0
    while components.count and iterations < max_iter and change.max() >= tol:
        authorities, _ = normalize_per_component(
            operator.rmatvec(source), components.authority_labels, components.count
        )
        hubs, value = normalize_per_component(
            operator.matvec(authorities), components.hub_labels, components.count
        )
        change = relative_change_per_component(
            authorities, target, components.authority_labels, components.count
        )
        change += relative_change_per_component(
            hubs, source, components.hub_labels, components.count
        )
        source, target, iterations = hubs, authorities, iterations + 1
        if (
            iterations % (POWER_ITERATIONS + LANCZOS_STEPS) == POWER_ITERATIONS
            and change.max() >= tol
        ):
            source = lanczos_per_component(operator, components, source)
            iterations += LANCZOS_STEPS
    return ComponentPairs(components, source, target, value, change, iterations)


def lanczos_per_component(
    operator: LinkOperator, components: BipartiteComponents, start: Floats
) -> Floats:
    """The leading eigenvector of AA' in the Krylov space of a start vector, per component."""
    labels, count = components.hub_labels, components.count
    basis = [normalize_per_component(start, labels, count)[0]]
    tridiagonal = np.zeros((count, LANCZOS_STEPS, LANCZOS_STEPS))
    residual, norm = start, np.zeros(count)
    for k in range(LANCZOS_STEPS):
        if k:  # the next basis vector; zero where the Krylov space is exhausted
            is_live = norm > BREAKDOWN_TOLERANCE * tridiagonal[:, k - 1, k - 1]
            tridiagonal[:, k - 1, k] = tridiagonal[:, k, k - 1] = np.where(is_live, norm, 0.0)
            inverse = np.where(is_live, 1 / np.where(is_live, norm, 1.0), 0.0)
            basis.append(residual * np.append(inverse, 0.0)[labels])
        # w = AA'q_k - alpha_k q_k - beta_(k-1) q_(k-1)
        image = operator.matvec(operator.rmatvec(basis[k]))
        tridiagonal[:, k, k] = sum_by_component(image * basis[k], labels, count)
        residual = image - np.append(tridiagonal[:, k, k], 0.0)[labels] * basis[k]
        if k:
            residual -= np.append(tridiagonal[:, k, k - 1], 0.0)[labels] * basis[k - 1]
        norm = np.sqrt(sum_by_component(np.square(residual), labels, count))
    # Ritz vector: the basis combined by the leading eigenvector of the tridiagonal matrix
    weights = np.linalg.eigh(tridiagonal)[1][:, :, -1]
    ritz = np.zeros(operator.n)
    for k, vector in enumerate(basis):
        ritz += np.append(weights[:, k], 0.0)[labels] * vector
    # eigenvectors have either sign: make the sum of each component positive
    ritz *= np.append(np.sign(sum_by_component(ritz, labels, count)), 0.0)[labels]
    return np.maximum(ritz, 0.0)


def normalize_per_component(values: Floats, labels: Ids, count: int) -> tuple[Floats, Floats]:
    """Normalize values to unit length in each component; also return the norms."""
    norms = np.sqrt(sum_by_component(np.square(values), labels, count))
    return values * np.append(1 / norms, 0.0)[labels], norms


def relative_change_per_component(new: Floats, old: Floats, labels: Ids, count: int) -> Floats:
    """The absolute change of the values in each component, relative to their sum."""
    return sum_by_component(np.abs(new - old), labels, count) / sum_by_component(new, labels, count)


def dominant_pair_of_group(
    pairs: ComponentPairs, start: int, stop: int, component_ids: Ids, tol: float
) -> SingularPair:
    """The pair of the component of largest value in a group; a blend if several tie."""
    value = float(pairs.singular_values[component_ids].max(initial=0))
    tied = component_ids[pairs.singular_values[component_ids] >= value * (1 - TIE_TOLERANCE)]
    change = float(pairs.change[component_ids].max(initial=0))
    trace = Trace(
        pairs.iterations, change, change < tol, "converged" if change < tol else "max_iter"
    )
    own_labels = [
        labels[start:stop]
        for labels in (pairs.components.hub_labels, pairs.components.authority_labels)
    ]
    # equal hub scores project on each component with the sum of its hub vector
    weight = np.zeros(pairs.components.count + 1)
    weight[tied] = sum_by_component(
        pairs.source[start:stop], own_labels[0], pairs.components.count
    )[tied]
    source, target = (
        normalize_l2(values[start:stop] * weight[labels])
        for values, labels in zip((pairs.source, pairs.target), own_labels, strict=True)
    )
    return SingularPair(source, target, value, trace, len(component_ids), len(tied))
