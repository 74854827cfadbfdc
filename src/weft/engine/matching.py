"""Places where a small directed pattern occurs among the links of a graph."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Flags, Ids, Offsets


@njit(nogil=True, cache=True)
def matches(
    outlinks: tuple[Offsets, Ids],
    inlinks: tuple[Offsets, Ids],
    need: Flags,
    less: Flags,
    limits: tuple[int, int],
) -> tuple[Any, int, int]:
    """Every choice of different pages, one for each node of a pattern, that has its links.

    Further links among the pages do no harm. `need[i, j]` asks for a link from
    the page of node i to that of j, `less[i, j]` for the smaller number; every
    node but the first has a link to or from one before it. Rows ascend.
    `limits` are how many pages are tried from each page of the first node, and
    how many choices are kept. Returns the choices, a row each, from how many
    pages more were left to try, and the first page that was not begun with.

    Examples
    --------
    >>> ring = np.array([0, 1, 2, 3]), np.array([1, 2, 0], np.int32)
    >>> back = np.array([0, 1, 2, 3]), np.array([2, 0, 1], np.int32)
    >>> need = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]) > 0
    >>> less = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]]) > 0
    >>> matches(ring, back, need, less, (100, 10))[0].tolist()
    [[0, 1, 2]]
    """
    (tries, most), (starts, ids) = limits, outlinks
    size, pages = len(need), starts.size - 1
    found = np.empty((most, size), np.int32)
    page, many, cut = np.empty(size, np.int32), 0, 0
    at, end, way = np.zeros((3, size), np.int64)
    for first in range(pages):
        page[0], depth, tried = first, 1, 0
        at[1], end[1], way[1] = _shortest(outlinks, inlinks, need, page, 1)
        while depth:
            if at[depth] == end[depth]:
                depth -= 1
                continue
            if tried == tries:
                cut += 1
                break
            page[depth] = inlinks[1][at[depth]] if way[depth] else ids[at[depth]]
            at[depth] += 1
            tried += 1
            if not _fits(starts, ids, need, less, page, depth):
                continue
            if depth + 1 < size:
                depth += 1
                at[depth], end[depth], way[depth] = _shortest(outlinks, inlinks, need, page, depth)
            elif many == most:
                return found, cut, first
            else:
                found[many] = page
                many += 1
    return found[:many].copy(), cut, pages


@njit(nogil=True, cache=True)
def _shortest(outlinks: Any, inlinks: Any, need: Any, page: Any, node: int) -> tuple[int, int, int]:
    """Where the shortest row stands that has all pages a node may have, and whether of in-links."""
    begin, end, way = 0, -1, 0
    for other in range(node):
        if need[other, node]:
            first, last = outlinks[0][page[other]], outlinks[0][page[other] + 1]
            if end < 0 or last - first < end - begin:
                begin, end, way = first, last, 0
        if need[node, other]:
            first, last = inlinks[0][page[other]], inlinks[0][page[other] + 1]
            if end < 0 or last - first < end - begin:
                begin, end, way = first, last, 1
    return begin, end, way


@njit(nogil=True, cache=True)
def _fits(starts: Any, ids: Any, need: Any, less: Any, page: Any, node: int) -> bool:
    """Whether the page of a node is none of those before it, stands in order, and has its links."""
    own = page[node]
    for before in range(node):
        other = page[before]
        if (
            own == other
            or (less[before, node] and own < other)
            or (less[node, before] and other < own)
        ):
            return False
        if need[before, node] and not _linked(starts, ids, other, own):
            return False
        if need[node, before] and not _linked(starts, ids, own, other):
            return False
    return True


@njit(nogil=True, cache=True)
def _linked(starts: Any, ids: Any, source: int, target: int) -> bool:
    """Whether a page links to another."""
    row = ids[starts[source] : starts[source + 1]]
    at = np.searchsorted(row, target)
    return bool(at < row.size and row[at] == target)
