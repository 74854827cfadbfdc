"""Links found by their ends: those among some pages, and those from one page to another."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Ids, Offsets, Weights


@njit(nogil=True, cache=True)
def inner(starts: Offsets, ids: Ids, pages: Ids, place: Ids) -> tuple[Offsets, Ids, Ids]:
    """Where the links among some pages stand in rows, and their sources and targets by place.

    The pages ascend. `place` has the place of every page of the graph among
    them, -1 for the others; where it is empty, places are searched for.

    Examples
    --------
    >>> rows = np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0], np.int32)
    >>> some = np.array([0, 2], np.int32), np.array([0, -1, 1], np.int32)
    >>> [found.tolist() for found in inner(*rows, *some)]
    [[1, 3], [0, 1], [1, 0]]
    """
    room = 0
    for page in pages:
        room += starts[page + 1] - starts[page]
    at = np.empty(room, np.int64)
    source, target = np.empty(room, np.int32), np.empty(room, np.int32)
    known = 0
    for own in range(pages.size):
        for link in range(starts[pages[own]], starts[pages[own] + 1]):
            other = place[ids[link]] if place.size else _found(pages, ids[link])
            if other >= 0:
                at[known], source[known], target[known] = link, own, other
                known += 1
    return at[:known], source[:known], target[:known]


@njit(nogil=True, cache=True)
def counted(
    rows: tuple[Offsets, Ids, Weights],
    pages: Ids,
    place: Ids,
    marked: Offsets,
    fate: tuple[Ids, Ids, Ids],
    last: int,
) -> tuple[Ids, Ids, Weights, Offsets]:
    """The links among some pages that count, and how many do not, by why.

    Pages and their places are as for `inner`; no weights mean that all are one.
    `marked` has where links stand, ascending, that are left out for reason 0.
    `fate` tells of each page why a link from it does not count, why a link to
    it does not, and the number that it has at the end of a link that does. Of
    two reasons the smaller is told; `last` is none. A page elsewhere, whose
    place is -1, is the one after all others, and its reason is never told.

    Examples
    --------
    >>> rows = np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0], np.int32), np.zeros(0, np.float32)
    >>> every, none = np.arange(3, dtype=np.int32), np.zeros(0, np.int64)
    >>> fate = np.array([2, 1, 2], np.int32), np.array([2, 1, 2], np.int32), every
    >>> [found.tolist() for found in counted(rows, every, every, none, fate, 2)]
    [[0, 2], [2, 0], [1.0, 1.0], [0, 2, 2]]
    """
    (starts, ids, weights), (leaving, arriving, number) = rows, fate
    arriving, number = np.append(arriving, np.int32(-1)), np.append(number, np.int32(0))
    room = 0
    for page in pages:
        room += starts[page + 1] - starts[page]
    source, target = np.empty(room + 1, np.int32), np.empty(room + 1, np.int32)
    weight, told, known, mark = (
        np.empty(room + 1, weights.dtype),
        np.zeros(last + 1, np.int64),
        0,
        0,
    )
    for own in range(pages.size):
        for link in range(starts[pages[own]], starts[pages[own] + 1]):
            other = place[ids[link]] if place.size else _found(pages, ids[link])
            why = min(leaving[own], arriving[other])
            while mark < marked.size and marked[mark] < link:
                mark += 1
            if mark < marked.size and marked[mark] == link:
                why = min(why, 0)
            source[known], target[known] = number[own], number[other]
            weight[known] = weights[link] if weights.size else 1
            known += why == last
            if 0 <= why < last:
                told[why] += 1
    told[last] = known
    return source[:known], target[:known], weight[:known], told


@njit(nogil=True, cache=True)
def spans(starts: Offsets, ids: Ids, source: Ids, target: Ids) -> tuple[Offsets, Offsets]:
    """Where the links from each page to another begin and end in rows, which ascend.

    Examples
    --------
    >>> rows = np.array([0, 3, 4]), np.array([1, 1, 2, 0], np.int32)
    >>> pairs = np.array([0, 1], np.int32), np.array([1, 2], np.int32)
    >>> [found.tolist() for found in spans(*rows, *pairs)]
    [[0, 4], [2, 4]]
    """
    first, last = np.empty(source.size, np.int64), np.empty(source.size, np.int64)
    for pair in range(source.size):
        begin, end = starts[source[pair]], starts[source[pair] + 1]
        first[pair] = begin + _below(ids[begin:end], target[pair])
        last[pair] = begin + _below(ids[begin:end], target[pair] + 1)
    return first, last


@njit(nogil=True, cache=True)
def _found(pages: Any, page: int) -> int:
    """The place of a page among those that ascend, -1 where it is none of them."""
    at = _below(pages, page)
    return at if at < pages.size and pages[at] == page else -1


@njit(nogil=True, cache=True)
def _below(pages: Any, page: int) -> int:
    """How many of the pages, which ascend, come before one."""
    low, high = 0, pages.size
    while low < high:
        middle = (low + high) // 2
        if pages[middle] < page:
            low = middle + 1
        else:
            high = middle
    return low
