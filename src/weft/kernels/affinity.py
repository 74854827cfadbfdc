"""Affinity of pages by links and shared terms, and of the members of a group to the group."""

from typing import Any

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets, Weights
from weft.kernels.compiler import njit


@njit(cache=True, nogil=True)
def build_affinity(
    outlinks: tuple[Offsets, Ids],
    inlinks: tuple[Offsets, Ids],
    page_terms: tuple[Offsets, Ids, Floats],
    term_count: int,
) -> tuple[Offsets, Ids, Weights]:
    """The undirected graph of pages and terms, as CSR: pages come first, then terms.

    A link is an edge of weight one, a reciprocal link one of weight two. A term
    has an edge to each page that contains it, with the term's weight on that
    page; terms of weight zero are dropped. The rows of the links must be
    sorted; so are those of the result.

    Examples
    --------
    >>> out, into = (
    ...     (np.array(s), np.array([i], np.int32)) for s, i in (([0, 1, 1], 1), ([0, 0, 1], 0))
    ... )
    >>> terms = np.array([0, 0, 1]), np.array([0], np.int32), np.array([0.5])
    >>> [array.tolist() for array in build_affinity(out, into, terms, 1)]
    [[0, 1, 3, 4], [1, 0, 2, 1], [1.0, 1.0, 0.5, 0.5]]
    """
    n, capacity = len(outlinks[0]) - 1, 2 * len(outlinks[1]) + 2 * len(page_terms[1])
    starts = np.zeros(n + term_count + 1, np.int64)
    ids, weights = np.empty(capacity, np.int32), np.empty(capacity, np.float32)
    # the rows of the pages, counting the pages of each term on the way
    for page in range(n):
        linked = _write_linked_pages(page, outlinks, inlinks, starts[page], ids, weights)
        starts[page + 1] = _write_terms(page, n, page_terms, linked, ids, weights)
        for k in range(linked, starts[page + 1]):
            starts[ids[k] + 1] += 1
    for term in range(n, n + term_count):
        starts[term + 1] += starts[term]
    # the rows of the terms: the transpose of the page-term block
    next_free = starts[n:].copy()
    for page in range(n):
        for k in range(starts[page], starts[page + 1]):
            if ids[k] >= n:
                at = next_free[ids[k] - n]
                ids[at], weights[at] = page, weights[k]
                next_free[ids[k] - n] += 1
    return starts, ids[: starts[-1]].copy(), weights[: starts[-1]].copy()


@njit(cache=True, nogil=True)
def _write_linked_pages(
    page: int, outlinks: Any, inlinks: Any, at: int, ids: Ids, weights: Weights
) -> int:
    """Merge the sorted out- and in-links of a page, at `at` and after; return the end."""
    out, out_end = outlinks[0][page], outlinks[0][page + 1]
    into, in_end = inlinks[0][page], inlinks[0][page + 1]
    while out < out_end or into < in_end:
        forward = out < out_end and (into == in_end or outlinks[1][out] <= inlinks[1][into])
        backward = into < in_end and (out == out_end or inlinks[1][into] <= outlinks[1][out])
        ids[at] = outlinks[1][out] if forward else inlinks[1][into]
        weights[at] = forward + backward
        out, into, at = out + forward, into + backward, at + 1
    return at


@njit(cache=True, nogil=True)
def _write_terms(page: int, n: int, page_terms: Any, begin: int, ids: Ids, weights: Weights) -> int:
    """Write the terms of a page after its links, by insertion sort; return the end."""
    end = begin
    for k in range(page_terms[0][page], page_terms[0][page + 1]):
        if not page_terms[2][k] > 0:
            continue
        term, at = n + page_terms[1][k], end
        while at > begin and ids[at - 1] > term:
            ids[at], weights[at] = ids[at - 1], weights[at - 1]
            at -= 1
        ids[at], weights[at], end = term, page_terms[2][k], end + 1
    return end


@njit(cache=True, nogil=True)
def sum_affinity_by_group(
    starts: Offsets, ids: Ids, weights: Weights, group_ids: Ids, group_count: int
) -> tuple[Floats, Floats]:
    """The total weight of each point's edges to each group, and of each group's to each other.

    Points without a group have the id -1, which is the last column and row.

    Examples
    --------
    >>> pair = np.array([0, 1, 2]), np.array([1, 0], np.int32), np.ones(2, np.float32)
    >>> [table.tolist() for table in sum_affinity_by_group(*pair, np.array([0, -1], np.int32), 1)]
    [[[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]]]
    """
    by_point = np.zeros((len(group_ids), group_count + 1))
    by_group = np.zeros((group_count + 1, group_count + 1))
    for i in range(len(group_ids)):
        for k in range(starts[i], starts[i + 1]):
            by_point[i, group_ids[ids[k]]] += weights[k]
        by_group[group_ids[i]] += by_point[i]
    return by_point, by_group


@njit(cache=True, nogil=True)
def similarity_to_group(
    starts: Offsets,
    ids: Ids,
    weights: Weights,
    members: Ids,
    group_starts: Offsets,
    item_count: int,
) -> Floats:
    """The dot product of each member's unit row with the sum of the unit rows of its group.

    `members` lists the rows group by group, each group beginning at
    `group_starts`; rows have items below `item_count`.

    Examples
    --------
    >>> rows = (np.array([0, 1, 2]), np.array([0, 0], np.int32), np.array([3, 4], np.float32))
    >>> similarity_to_group(*rows, np.array([0, 1], np.int32), np.array([0, 2]), 1).tolist()
    [2.0, 2.0]
    """
    unit = _normalize_rows(starts, weights)
    group_sum, similarity = np.zeros(item_count), np.zeros(len(members))
    for group in range(len(group_starts) - 1):
        group_members = range(group_starts[group], group_starts[group + 1])
        for m in group_members:
            for k in range(starts[members[m]], starts[members[m] + 1]):
                group_sum[ids[k]] += unit[k]
        for m in group_members:
            for k in range(starts[members[m]], starts[members[m] + 1]):
                similarity[m] += unit[k] * group_sum[ids[k]]
        for m in group_members:  # clear only what was touched
            group_sum[ids[starts[members[m]] : starts[members[m] + 1]]] = 0.0
    return similarity


@njit(cache=True, nogil=True)
def _normalize_rows(starts: Offsets, weights: Weights) -> Floats:
    """Scale each row to L2 norm one."""
    unit = np.empty(len(weights))
    for row in range(len(starts) - 1):
        squares = 0.0
        for k in range(starts[row], starts[row + 1]):
            squares += np.float64(weights[k]) ** 2
        norm = max(np.sqrt(squares), 1e-12)
        for k in range(starts[row], starts[row + 1]):
            unit[k] = weights[k] / norm
    return unit
