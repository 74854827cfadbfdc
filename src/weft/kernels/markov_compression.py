"""Compression of Markov chains: merge the two states that make the least difference, repeatedly."""

from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.kernels.compiler import njit

TIE = 1e-13


def compress_chain(
    matrix: Floats, mass: Floats, threshold: float, size: int, *, add: bool
) -> tuple[Ids, Floats]:
    """Merge states of a transition matrix, two at a time, until `size` are left.

    Returns the group of each state, numbered by the first state in it, and the
    error of each merge. The error of merging i and j is that of Spears, with
    the masses m:

        alpha = sum_y |p_iy - p_jy|
        beta  = sum_x |m_i p_xj - m_j p_xi| / (m_i + m_j)

    alpha beta, or alpha + beta if `add`. Merging ends where the least error is
    not below `threshold`. A merged row is the mean of both rows by mass, a
    merged column the sum; masses add up. Ties go to the first states.

    Examples
    --------
    >>> chain = np.array([[0.0, 0.5, 0.5, 0.0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]])
    >>> compress_chain(chain, chain.sum(axis=0), 1e-9, 1, add=True)
    (array([0, 1, 1, 2], dtype=int32), array([0.]))
    """
    representative, errors = _compress_kernel(
        np.array(matrix, np.float64), np.array(mass, np.float64), threshold, max(size, 1), int(add)
    )
    # a state points to the one that it was merged into, whose number is smaller
    for state in range(len(mass)):
        representative[state] = representative[representative[state]]
    return np.unique(representative, return_inverse=True)[1].astype(np.int32), errors


@njit(nogil=True, cache=True)
def merge_errors(matrix: Any, mass: Any) -> tuple[Any, Any]:
    """Alpha and beta of every pair of states.

    Examples
    --------
    >>> chain = np.array([[0.0, 1.0], [0.5, 0.5]])
    >>> alpha, beta = merge_errors(chain, chain.sum(axis=0))
    >>> float(alpha[0, 1]), float(beta[0, 1])
    (1.0, 0.5)
    """
    n = mass.size
    alpha, beta = np.zeros((n, n)), np.zeros((n, n))
    columns = np.ascontiguousarray(matrix.T)
    row_sums, column_sums = matrix.sum(axis=1), matrix.sum(axis=0)
    states = np.arange(n)
    for i in range(n):
        _measure_state(matrix, columns, mass, row_sums, column_sums, states, i, alpha, beta)
    return alpha, beta


@njit(nogil=True, cache=True)
def _measure_state(
    matrix: Any,
    columns: Any,
    mass: Any,
    row_sums: Any,
    column_sums: Any,
    states: Any,
    i: int,
    alpha: Any,
    beta: Any,
) -> None:
    """Alpha and beta of state i with each of `states`.

    By |a - b| = a + b - 2 min(a, b), only entries where i has something count.
    """
    shared_row, shared_column = np.zeros(mass.size), np.zeros(mass.size)
    for k in states:
        if matrix[i, k] > 0:
            for j in states:
                shared_row[j] += min(matrix[i, k], columns[k, j])
        if columns[i, k] > 0:
            for j in states:
                shared_column[j] += min(mass[i] * matrix[k, j], mass[j] * columns[i, k])
    for j in states:
        both = mass[i] + mass[j]
        rows = row_sums[i] + row_sums[j] - 2 * shared_row[j]
        cols = mass[i] * column_sums[j] + mass[j] * column_sums[i] - 2 * shared_column[j]
        alpha[i, j] = alpha[j, i] = max(rows, 0.0)
        beta[i, j] = beta[j, i] = max(cols, 0.0) / both if both > 0 else 0.0


@njit(nogil=True, cache=True)
def _compress_kernel(
    matrix: Any, mass: Any, threshold: float, size: int, adds: int
) -> tuple[Any, Any]:
    n = mass.size
    columns = np.ascontiguousarray(matrix.T)
    row_sums, column_sums = matrix.sum(axis=1), matrix.sum(axis=0)
    alpha, beta = merge_errors(matrix, mass)
    representative, members = np.arange(n), np.ones(n)
    states, count = np.arange(n), n
    errors = np.zeros(n)
    while count > size:
        i, j, least = _find_least_error(alpha, beta, states[:count], adds)
        if not least < threshold:
            break
        errors[n - count] = max(least, 0.0)
        both = mass[i] + mass[j]
        share = mass[i] / both if both > 0 else members[i] / (members[i] + members[j])
        states[: count - 1] = states[:count][states[:count] != j]
        count -= 1
        _update_pairs(matrix, columns, mass, states[:count], i, j, share, alpha, beta)
        for y in range(n):
            merged = share * matrix[i, y] + (1 - share) * matrix[j, y]
            column_sums[y] += merged - matrix[i, y] - matrix[j, y]
            matrix[i, y] = columns[y, i] = merged
            matrix[j, y] = columns[y, j] = 0.0
        for x in range(n):
            matrix[x, i] += matrix[x, j]
            columns[i, x] = matrix[x, i]
            matrix[x, j] = columns[j, x] = 0.0
        row_sums[i] = share * row_sums[i] + (1 - share) * row_sums[j]
        column_sums[i] += column_sums[j]
        mass[i], members[i] = both, members[i] + members[j]
        representative[j] = i
        _measure_state(matrix, columns, mass, row_sums, column_sums, states[:count], i, alpha, beta)
    return representative, errors[: n - count]


@njit(nogil=True, cache=True)
def _find_least_error(alpha: Any, beta: Any, states: Any, adds: int) -> tuple[int, int, float]:
    i, j, least = -1, -1, np.inf
    for x in range(states.size):
        for y in range(x + 1, states.size):
            p, q = states[x], states[y]
            error = alpha[p, q] + beta[p, q] if adds else alpha[p, q] * beta[p, q]
            if error < least - TIE:
                i, j, least = p, q, error
    return i, j, least


@njit(nogil=True, cache=True)
def _update_pairs(
    matrix: Any,
    columns: Any,
    mass: Any,
    states: Any,
    i: int,
    j: int,
    share: float,
    alpha: Any,
    beta: Any,
) -> None:
    """What merging i and j changes for all pairs of other states: one term of each sum."""
    for x in states:
        to_i, to_j = columns[i, x], columns[j, x]
        from_i, from_j = matrix[i, x], matrix[j, x]
        moves_rows, moves_columns = to_i + to_j > 0, from_i + from_j > 0
        if x == i or not (moves_rows or moves_columns):
            continue
        merged_x = share * from_i + (1 - share) * from_j
        for y in states:
            if y in (i, x):
                continue
            # a pair that both states would change is left to the one with the smaller number
            if moves_rows and (y > x or columns[i, y] + columns[j, y] == 0):
                of_i, of_j = to_i - columns[i, y], to_j - columns[j, y]
                alpha[x, y] += abs(of_i + of_j) - abs(of_i) - abs(of_j)
                alpha[y, x] = alpha[x, y]
            if moves_columns and (y > x or matrix[i, y] + matrix[j, y] == 0):
                merged_y = share * matrix[i, y] + (1 - share) * matrix[j, y]
                change = (
                    abs(mass[x] * merged_y - mass[y] * merged_x)
                    - abs(mass[x] * matrix[i, y] - mass[y] * from_i)
                    - abs(mass[x] * matrix[j, y] - mass[y] * from_j)
                )
                if mass[x] + mass[y] > 0:
                    beta[x, y] += change / (mass[x] + mass[y])
                    beta[y, x] = beta[x, y]
