"""Subgraph matching: occurrences of a small directed pattern in a graph, by backtracking."""

from typing import Any

import numpy as np

from weft.core.arrays import Flags, Ids, Offsets
from weft.kernels.compiler import njit


@njit(nogil=True, cache=True)
def find_pattern_matches(
    outlinks: tuple[Offsets, Ids],
    inlinks: tuple[Offsets, Ids],
    required: Flags,
    precedes: Flags,
    limits: tuple[int, int],
) -> tuple[Any, int, int]:
    """Every assignment of distinct pages to the nodes of a pattern that has its links.

    Further links among the pages are allowed. `required[i, j]` demands a link
    from the page of node i to that of node j, `precedes[i, j]` that the first
    has the smaller number. Every node except the first must have a link to or
    from an earlier node; rows must be sorted. `limits` are the number of pages
    tried for each first page, and of matches kept. Returns the matches, one
    row each, the number of first pages that were cut short, and the first page
    that was not searched.

    Examples
    --------
    >>> ring = np.array([0, 1, 2, 3]), np.array([1, 2, 0], np.int32)
    >>> back = np.array([0, 1, 2, 3]), np.array([2, 0, 1], np.int32)
    >>> required = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]) > 0
    >>> precedes = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]]) > 0
    >>> find_pattern_matches(ring, back, required, precedes, (100, 10))[0].tolist()
    [[0, 1, 2]]
    """
    (max_tries, max_matches), (starts, ids) = limits, outlinks
    size, pages = len(required), starts.size - 1
    matches = np.empty((max_matches, size), np.int32)
    page, count, cut_short = np.empty(size, np.int32), 0, 0
    position, end, from_inlinks = np.zeros((3, size), np.int64)
    for first in range(pages):
        page[0], depth, tried = first, 1, 0
        position[1], end[1], from_inlinks[1] = _shortest_candidate_row(
            outlinks, inlinks, required, page, 1
        )
        while depth:
            if position[depth] == end[depth]:
                depth -= 1
                continue
            if tried == max_tries:
                cut_short += 1
                break
            page[depth] = (
                inlinks[1][position[depth]] if from_inlinks[depth] else ids[position[depth]]
            )
            position[depth] += 1
            tried += 1
            if not _is_consistent(starts, ids, required, precedes, page, depth):
                continue
            if depth + 1 < size:
                depth += 1
                position[depth], end[depth], from_inlinks[depth] = _shortest_candidate_row(
                    outlinks, inlinks, required, page, depth
                )
            elif count == max_matches:
                return matches, cut_short, first
            else:
                matches[count] = page
                count += 1
    return matches[:count].copy(), cut_short, pages


@njit(nogil=True, cache=True)
def _shortest_candidate_row(
    outlinks: Any, inlinks: Any, required: Any, page: Any, node: int
) -> tuple[int, int, int]:
    """Begin and end of the shortest row with all candidates of a node, and 1 if of in-links."""
    begin, end, from_inlinks = 0, -1, 0
    for other in range(node):
        if required[other, node]:
            first, last = outlinks[0][page[other]], outlinks[0][page[other] + 1]
            if end < 0 or last - first < end - begin:
                begin, end, from_inlinks = first, last, 0
        if required[node, other]:
            first, last = inlinks[0][page[other]], inlinks[0][page[other] + 1]
            if end < 0 or last - first < end - begin:
                begin, end, from_inlinks = first, last, 1
    return begin, end, from_inlinks


@njit(nogil=True, cache=True)
def _is_consistent(
    starts: Any, ids: Any, required: Any, precedes: Any, page: Any, node: int
) -> bool:
    """Whether the page of a node is new, in the required order, and has the required links."""
    candidate = page[node]
    for earlier in range(node):
        other = page[earlier]
        if (
            candidate == other
            or (precedes[earlier, node] and candidate < other)
            or (precedes[node, earlier] and other < candidate)
        ):
            return False
        if required[earlier, node] and not _has_link(starts, ids, other, candidate):
            return False
        if required[node, earlier] and not _has_link(starts, ids, candidate, other):
            return False
    return True


@njit(nogil=True, cache=True)
def _has_link(starts: Any, ids: Any, source: int, target: int) -> bool:
    """Whether a page links to another, by binary search."""
    row = ids[starts[source] : starts[source + 1]]
    at = np.searchsorted(row, target)
    return bool(at < row.size and row[at] == target)
