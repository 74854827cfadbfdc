"""Links as votes: how many of one group of pages lead to one page, and which come first."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Flags, Ids, Offsets


@njit(nogil=True, cache=True)
def repeated(ends: tuple[Ids, Ids], order: Offsets, group: Ids, bar: Offsets) -> Flags:
    """The links to a page that more than `bar` links of a group lead to, but for its first page's.

    Links are by source, ascending. `order` has the pages group by group, and in
    each by their turn; `bar` is that of a page's group, by page, below zero for
    none.

    Examples
    --------
    >>> ends = np.array([0, 1, 2], np.int32), np.array([3, 3, 3], np.int32)
    >>> pages = np.array([2, 0, 1, 3]), np.array([7, 7, 7, 8], np.int32)
    >>> repeated(ends, *pages, np.full(4, 2)).tolist()
    [True, True, False]
    """
    source, target = ends
    starts = _starts(source, order.size)
    again = np.zeros(source.size, np.bool_)
    votes, first = np.zeros(order.size, np.int32), np.zeros(order.size, np.int32)
    begin = 0
    while begin < order.size:
        end, most = _end(order, group, begin), bar[order[begin]]
        if most >= 0:
            for page in order[begin:end][::-1]:
                for link in range(starts[page], starts[page + 1]):
                    votes[target[link]] += 1
                    first[target[link]] = page
            for page in order[begin:end]:
                for link in range(starts[page], starts[page + 1]):
                    other = first[target[link]] != page
                    again[link] = (votes[target[link]] > most) & other
            _clear(votes, target, order[begin:end], starts)
        begin = end
    return again


@njit(nogil=True, cache=True)
def crowding(ends: tuple[Ids, Ids], left: Flags, order: Offsets, group: Ids, most: int) -> Flags:
    """Of the links that are `left` those beyond the first `most` of a group to a page of another.

    Links are by source, ascending. `order` has the pages group by group, and in
    each by their turn.

    Examples
    --------
    >>> ends = np.array([0, 1, 2], np.int32), np.array([3, 3, 3], np.int32)
    >>> pages = np.array([2, 0, 1, 3]), np.array([7, 7, 7, 8], np.int32)
    >>> crowding(ends, np.array([True, True, True]), *pages, 2).tolist()
    [False, True, False]
    """
    source, target = ends
    starts = _starts(source, order.size)
    beyond = np.zeros(source.size, np.bool_)
    votes = np.zeros(order.size, np.int32)
    begin = 0
    while begin < order.size:
        end = _end(order, group, begin)
        for page in order[begin:end]:
            for link in range(starts[page], starts[page + 1]):
                votes[target[link]] += left[link]
                other = group[target[link]] != group[page]
                beyond[link] = left[link] & (votes[target[link]] > most) & other
        _clear(votes, target, order[begin:end], starts)
        begin = end
    return beyond


@njit(nogil=True, cache=True)
def staying(ends: tuple[Ids, Ids], left: Flags, group: Ids) -> Flags:
    """Of the links that are `left` those that stay inside a group.

    Examples
    --------
    >>> ends = np.array([0, 1, 2], np.int32), np.array([1, 2, 0], np.int32)
    >>> staying(ends, np.array([True, True, True]), np.array([7, 7, 8], np.int32)).tolist()
    [True, False, False]
    """
    source, target = ends
    inside = np.empty(source.size, np.bool_)
    for link in range(source.size):
        inside[link] = left[link] & (group[source[link]] == group[target[link]])
    return inside


@njit(nogil=True, cache=True)
def _starts(source: Any, n: int) -> Any:
    """Where the links of each of n pages begin."""
    starts = np.zeros(n + 1, np.int64)
    for page in source:
        starts[page + 1] += 1
    for page in range(n):
        starts[page + 1] += starts[page]
    return starts


@njit(nogil=True, cache=True)
def _end(order: Any, group: Any, begin: int) -> int:
    """Where the pages of a group end."""
    end = begin
    while end < order.size and group[order[end]] == group[order[begin]]:
        end += 1
    return end


@njit(nogil=True, cache=True)
def _clear(votes: Any, target: Any, pages: Any, starts: Any) -> None:
    """Forget the votes of some pages."""
    for page in pages:
        for link in range(starts[page], starts[page + 1]):
            votes[target[link]] = 0
