"""Pages most of whose links agree with those of an earlier one."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Ids, Offsets

SPREAD = np.uint64(0x9E3779B97F4A7C15)
OWNER, NEXT, HEAD = range(3)


@njit(nogil=True, cache=True)
def mirrored(
    outlinks: tuple[Offsets, Ids],
    rare: tuple[Offsets, Ids],
    pages: Ids,
    looks: tuple[Ids, Ids],
    share: tuple[int, int],
) -> Ids:
    """For each page the place of the earliest that stays and that it mirrors, -1 for none.

    Two pages mirror each other if they share a rare link, more than the given
    share of the larger one's links agree, and they `look` alike: they have
    different owners, or the same title, which is none below zero. A page that
    mirrors another does not stay.

    A link that pages of several owners have leads to those of them that stay,
    each owner's in a chain of their own. Pages with the same owner and title
    are chained besides, link by link. So pages are only met that may be
    mirrored. Chains begin with one; zero is the end.

    Examples
    --------
    >>> rows = np.array([0, 2, 4, 6, 6, 6, 6]), np.array([3, 4, 3, 4, 3, 5], np.int32)
    >>> looks = np.array([0, 1, 2], np.int32), np.full(3, -1, np.int32)
    >>> mirrored(rows, rows, np.arange(3, dtype=np.int32), looks, (4, 5)).tolist()
    [-1, 0, -1]
    """
    starts, owner, label = rare[0], looks[0], _labels(*looks)
    mixed, room, twins = _mixed(rare, pages, owner, label)
    chains, owned = np.empty((room + twins + 1, 2), np.int32), np.empty((room + 1, 3), np.int32)
    keys, linked = _table(twins), np.zeros(starts.size - 1, np.int32)
    book = chains, owned, linked, keys, np.zeros(keys.size, np.int32)
    seen, found = np.full(pages.size, -1, np.int32), np.full(pages.size, -1, np.int32)
    used = np.ones(2, np.int32)
    for later in range(pages.size):
        links = rare[1][starts[pages[later]] : starts[pages[later] + 1]]
        best = later
        for link in links:
            at = linked[link]
            while at:
                if owned[at, OWNER] != owner[later]:
                    best = _first(
                        chains, owned[at, HEAD], later, best, seen, outlinks, pages, share
                    )
                at = owned[at, NEXT]
            at = _twins(book, link, label[later])
            best = _first(chains, at, later, best, seen, outlinks, pages, share)
        if best < later:
            found[later] = best
        else:
            _stay(book, links, later, owner[later], label[later], mixed, used)
    return found


@njit(nogil=True, cache=True)
def _mixed(rare: Any, pages: Any, owner: Any, label: Any) -> Any:
    """Below zero for links that pages of several owners have; how many, and how many labelled."""
    starts, ids = rare
    mixed, room, twins = np.zeros(starts.size - 1, np.int32), 0, 0
    for place in range(pages.size):
        begin, end = starts[pages[place]], starts[pages[place] + 1]
        for link in ids[begin:end]:
            if not mixed[link]:
                mixed[link] = owner[place] + 1
            elif mixed[link] != owner[place] + 1:
                mixed[link] = -1
        twins += end - begin if label[place] >= 0 else 0
        room += end - begin
    return mixed, room, twins


@njit(nogil=True, cache=True)
def _first(
    chains: Any, at: int, later: int, best: int, seen: Any, outlinks: Any, pages: Any, share: Any
) -> int:
    """The earliest page of a chain that a page mirrors, if it is earlier than the best so far."""
    while at:
        page = chains[at, 0]
        if page < best and seen[page] != later:
            seen[page] = later
            if _agree(outlinks, pages[page], pages[later], share):
                best = page
        at = chains[at, 1]
    return best


@njit(nogil=True, cache=True)
def _twins(book: Any, link: int, label: int) -> int:
    """The head of the chain of pages with a label, by a link of theirs."""
    _, _, _, keys, heads = book
    return heads[_slot(keys, link, label)] if label >= 0 else 0


@njit(nogil=True, cache=True)
def _stay(book: Any, links: Any, page: int, owner: int, label: int, mixed: Any, used: Any) -> None:
    """Put a page into the chains of its links."""
    chains, owned, linked, keys, heads = book
    for link in links:
        if mixed[link] < 0:
            at = _owned(linked, link, owned, owner, used)
            owned[at, HEAD] = _put(chains, page, owned[at, HEAD], used)
        if label >= 0:
            slot = _slot(keys, link, label)
            heads[slot] = _put(chains, page, heads[slot], used)


@njit(nogil=True, cache=True)
def _owned(linked: Any, link: int, owned: Any, owner: int, used: Any) -> Any:
    """Which chain of a link is an owner's; a new one if there is none."""
    at = linked[link]
    while at and owned[at, OWNER] != owner:
        at = owned[at, NEXT]
    if not at:
        at = used[1]
        owned[at, OWNER], owned[at, NEXT], owned[at, HEAD] = owner, linked[link], 0
        linked[link] = at
        used[1] += 1
    return at


@njit(nogil=True, cache=True)
def _put(chains: Any, page: int, before: int, used: Any) -> Any:
    """Put a page at the head of a chain."""
    at = used[0]
    chains[at, 0], chains[at, 1] = page, before
    used[0] += 1
    return at


@njit(nogil=True, cache=True)
def _agree(outlinks: Any, one: int, two: int, share: Any) -> bool:
    """Whether more than a share of the links of the larger of two pages agree."""
    starts, ids = outlinks
    a, b, end_a, end_b = starts[one], starts[two], starts[one + 1], starts[two + 1]
    bar, same = share[0] * max(end_a - a, end_b - b), 0
    if share[1] * min(end_a - a, end_b - b) <= bar:
        return False
    while a < end_a and b < end_b:
        left, right = ids[a], ids[b]
        same += left == right
        a += left <= right
        b += right <= left
    return bool(share[1] * same > bar)


@njit(nogil=True, cache=True)
def _labels(owner: Any, title: Any) -> Any:
    """A number that pages of one owner with one title share, -1 where a page shares none."""
    keys, label = _table(owner.size), np.full(owner.size, -1, np.int64)
    often = np.zeros(keys.size, np.int32)
    for page in range(owner.size):
        if title[page] >= 0:
            label[page] = _slot(keys, owner[page], title[page])
            often[label[page]] += 1
    for page in range(owner.size):
        if label[page] >= 0 and often[label[page]] == 1:
            label[page] = -1
    return label


@njit(nogil=True, cache=True)
def _table(count: int) -> Any:
    """Room for so many keys, half of it left free."""
    size = 2
    while size < 2 * count:
        size *= 2
    return np.full(size, -1, np.int64)


@njit(nogil=True, cache=True)
def _slot(keys: Any, one: int, two: int) -> Any:
    """Where a key of two numbers stands in a table, which it is put into if it does not."""
    key, last = np.int64(one) << 32 | (two + 1), np.uint64(keys.size - 1)
    at = (np.uint64(key) * SPREAD >> np.uint64(20)) & last
    while keys[at] >= 0 and keys[at] != key:
        at = (at + np.uint64(1)) & last
    keys[at] = key
    return np.int64(at)
