"""Links as votes: how many of one group of pages lead to one page, and which come first."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Flags, Ids, Offsets


@njit(nogil=True, cache=True)
def repeated(ends: tuple[Ids, Ids], order: Offsets, group: Ids) -> Flags:
    """The links to a page that several of a group lead to, except that of its first page.

    Links are by source, ascending. `order` has the pages group by group, and in
    each by their turn.

    Examples
    --------
    >>> ends = np.array([0, 1, 2], np.int32), np.array([3, 3, 3], np.int32)
    >>> repeated(ends, np.array([2, 0, 1, 3]), np.array([7, 7, 7, 8], np.int32)).tolist()
    [True, True, False]
    """
    source, target = ends
    starts = _starts(source, order.size)
    again = np.zeros(source.size, np.bool_)
    first = np.full(order.size, -1, np.int64)
    for page in order:
        for link in range(starts[page], starts[page + 1]):
            before = first[target[link]]
            if before < 0 or group[before] != group[page]:
                first[target[link]] = page
            else:
                again[link] = before != page
    return again


@njit(nogil=True, cache=True)
def widespread(
    ends: tuple[Ids, Ids],
    chosen: Flags,
    number: Ids,
    inlinks: tuple[Offsets, Ids],
    sites: Ids,
    size: tuple[Offsets, Offsets, Offsets],
) -> Flags:
    """The links chosen to a page that more pages of the source's site link to than its bar says.

    The ends of links are places of pages whose `number` in a larger web is
    given. `inlinks` are the rows of that web, ascending, and `sites` the site
    of each of its pages, from one; `size` has, by site from zero, the first
    and the last page of it that counts, and the bar.

    Examples
    --------
    >>> ends, every = (np.array([0], np.int32), np.array([1], np.int32)), np.array([True])
    >>> number, rows = np.array([0, 3], np.int32), (np.array([0, 0, 0, 0, 2]), np.array([0, 2]))
    >>> sites, span = np.array([1, 1, 1, 2], np.int32), (np.array([0, 3]), np.array([2, 3]))
    >>> widespread(ends, every, number, rows, sites, (*span, np.array([1, 1]))).tolist()
    [True]
    >>> widespread(ends, every, number, rows, sites, (*span, np.array([2, 1]))).tolist()
    [False]
    """
    (source, target), (starts, ids), (first, last, bar) = ends, inlinks, size
    wide = np.zeros(source.size, np.bool_)
    asked, answer = np.zeros(number.size, np.int32), np.zeros(number.size, np.bool_)
    for link in np.flatnonzero(chosen):
        page, site = target[link], sites[number[source[link]]]
        if asked[page] != site:
            own = site - 1
            linking = ids[starts[number[page]] : starts[number[page] + 1]]
            begin = np.searchsorted(linking, first[own])
            end = np.searchsorted(linking, last[own], side="right")
            asked[page] = site
            answer[page] = _exceeds(linking[begin:end], sites, site, bar[own])
        wide[link] = answer[page]
    return wide


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
def _exceeds(pages: Any, sites: Any, site: int, bar: int) -> bool:
    """Whether more than `bar` of some pages are of a site."""
    room = pages.size - bar  # how many may be of other sites
    for page in pages:
        if room <= 0:
            return False
        room -= sites[page] != site
    return bool(room > 0)


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
