"""Lanczos tridiagonal matrices of many groups of points: the spectrum of the walk in each."""

from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets, Weights
from weft.kernels.compiler import njit

MIN_NORM = 1e-9


@njit(cache=True, nogil=True)
def lanczos_tridiagonals(
    starts: Offsets, ids: Ids, weights: Weights, group_ids: Ids, start: Floats, matrices: Floats
) -> None:
    """Fill a tridiagonal matrix for each group, whose eigenvalues approximate those of its walk.

    The walk follows the edges inside the group: N = D^-1/2 W D^-1/2. Its first
    eigenvector, D^1/2 1, is projected out, so that the largest eigenvalue is
    the second of N. Lanczos starts from the group's part of `start`, and stops
    when the matrix is full or nothing is left; the remaining entries are not
    written. Points with group id -1 belong to no group.
    """
    points, group_starts = _points_by_group(group_ids, len(matrices))
    position = np.empty(len(group_ids), np.int32)
    for k in range(len(points)):
        position[points[k]] = k
    for group in range(len(matrices)):
        begin = group_starts[group]
        members = points[begin : group_starts[group + 1]]
        row_starts, neighbours, edge_weights, sqrt_degrees = _edges_inside_group(
            members, starts, ids, weights, group_ids
        )
        for k in range(len(neighbours)):
            neighbours[k] = position[neighbours[k]] - begin
        _lanczos_steps(
            row_starts, neighbours, edge_weights, sqrt_degrees, start[members], matrices[group]
        )


@njit(cache=True, nogil=True)
def _points_by_group(group_ids: Ids, group_count: int) -> tuple[Ids, Offsets]:
    """The points group by group, and where each group begins."""
    group_starts = np.zeros(group_count + 2, np.int64)
    for group in group_ids:
        group_starts[group + 2] += group >= 0
    group_starts = np.cumsum(group_starts)
    points = np.empty(group_starts[-1], np.int32)
    for i in range(len(group_ids)):
        if group_ids[i] >= 0:
            points[group_starts[group_ids[i] + 1]] = i
            group_starts[group_ids[i] + 1] += 1
    return points, group_starts[:-1]


@njit(cache=True, nogil=True)
def _edges_inside_group(
    members: Ids, starts: Offsets, ids: Ids, weights: Weights, group_ids: Ids
) -> Any:
    """The edges among the members of one group, as CSR, and the square roots of their degrees."""
    capacity, count = 0, 0
    for i in members:
        capacity += starts[i + 1] - starts[i]
    row_starts, degrees = np.zeros(len(members) + 1, np.uint64), np.zeros(len(members))
    neighbours, edge_weights = np.empty(capacity, np.uint32), np.empty(capacity)
    for k in range(len(members)):
        for e in range(starts[members[k]], starts[members[k] + 1]):
            if group_ids[ids[e]] == group_ids[members[k]]:
                neighbours[count], edge_weights[count] = ids[e], weights[e]
                degrees[k] += weights[e]
                count += 1
        row_starts[k + 1] = count
    return row_starts, neighbours[:count], edge_weights[:count], np.sqrt(degrees)


@njit(cache=True, nogil=True)
def _lanczos_steps(
    row_starts: Any,
    neighbours: Any,
    edge_weights: Floats,
    sqrt_degrees: Floats,
    x: Floats,
    matrix: Floats,
) -> None:
    """Lanczos steps from `x` in one group: alpha on the diagonal of the matrix, beta beside it."""
    _normalize_symmetric(row_starts, neighbours, edge_weights, sqrt_degrees)
    first_vector = sqrt_degrees / np.sqrt(max(_dot(sqrt_degrees, sqrt_degrees), MIN_NORM))
    previous, product, beta = np.zeros(len(x)), np.empty(len(x)), 0.0
    x *= sqrt_degrees > 0
    for step in range(len(matrix)):
        x -= _dot(x, first_vector) * first_vector  # stay orthogonal to the known eigenvector
        norm = np.sqrt(_dot(x, x))
        if not norm > MIN_NORM:
            break
        x *= 1 / norm
        if step:
            beta = norm
            matrix[step, step - 1] = matrix[step - 1, step] = beta
        for i in range(len(x)):  # product = N x
            total = 0.0
            for e in range(row_starts[i], row_starts[i + 1]):
                total += edge_weights[e] * x[neighbours[e]]
            product[i] = total
        alpha = _dot(x, product)
        matrix[step, step] = alpha
        for i in range(len(x)):  # N x - alpha x - beta previous, in place of previous
            previous[i] = product[i] - alpha * x[i] - beta * previous[i]
        x, previous = previous, x


@njit(cache=True, nogil=True)
def _normalize_symmetric(
    row_starts: Any, neighbours: Any, edge_weights: Floats, sqrt_degrees: Floats
) -> None:
    """Replace the weights by those of N = D^-1/2 W D^-1/2."""
    inverse_sqrt = np.zeros(len(sqrt_degrees))
    for i in range(len(sqrt_degrees)):
        inverse_sqrt[i] = 1 / max(sqrt_degrees[i], MIN_NORM) if sqrt_degrees[i] > 0 else 0.0
    for i in range(len(sqrt_degrees)):
        for e in range(row_starts[i], row_starts[i + 1]):
            edge_weights[e] = edge_weights[e] * inverse_sqrt[i] * inverse_sqrt[neighbours[e]]


@njit(cache=True, nogil=True)
def _dot(a: Floats, b: Floats) -> float:
    """The dot product, summed in order: the same bits on every machine."""
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total
