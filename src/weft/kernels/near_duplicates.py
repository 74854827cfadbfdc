"""Mirrors: pages most of whose links agree with those of an earlier page."""

from typing import Any

import numpy as np

from weft.core.arrays import GOLDEN_GAMMA, Ids, Offsets
from weft.kernels.compiler import njit

OWNER_COLUMN, NEXT_COLUMN, HEAD_COLUMN = range(3)


@njit(nogil=True, cache=True)
def find_near_duplicates(
    outlinks: tuple[Offsets, Ids],
    rare_links: tuple[Offsets, Ids],
    pages: Ids,
    owners_and_titles: tuple[Ids, Ids],
    min_overlap: tuple[int, int],
) -> Ids:
    """For each page the index of the earliest kept page that it mirrors, -1 for none.

    Two pages mirror each other if they share a rare link, more than the share
    `min_overlap` (numerator, denominator) of the larger one's links agree, and
    they have different owners, or the same owner and title; a title below zero
    is none. A page that mirrors another is not kept.

    Candidates are found by an inverted index of the rare links, as linked
    lists: of each link that several owners have, the kept pages of each owner;
    and of each link and label (owner and title), the kept pages with that
    label. Entry zero ends a list.

    Examples
    --------
    >>> rows = np.array([0, 2, 4, 6, 6, 6, 6]), np.array([3, 4, 3, 4, 3, 5], np.int32)
    >>> owners = np.array([0, 1, 2], np.int32), np.full(3, -1, np.int32)
    >>> find_near_duplicates(rows, rows, np.arange(3, dtype=np.int32), owners, (4, 5)).tolist()
    [-1, 0, -1]
    """
    starts, owner = rare_links[0], owners_and_titles[0]
    label = _owner_title_labels(*owners_and_titles)
    multi_owner, link_count, labelled_links = _mark_multi_owner_links(
        rare_links, pages, owner, label
    )
    chains, owned = (
        np.empty((link_count + labelled_links + 1, 2), np.int32),
        np.empty((link_count + 1, 3), np.int32),
    )
    keys, linked = _make_hash_table(labelled_links), np.zeros(starts.size - 1, np.int32)
    chain_tables = chains, owned, linked, keys, np.zeros(keys.size, np.int32)
    last_compared, found = np.full(pages.size, -1, np.int32), np.full(pages.size, -1, np.int32)
    next_free = np.ones(2, np.int32)
    for later in range(pages.size):
        links = rare_links[1][starts[pages[later]] : starts[pages[later] + 1]]
        best = later
        for link in links:
            owner_chain = linked[link]
            while owner_chain:
                if owned[owner_chain, OWNER_COLUMN] != owner[later]:
                    best = _earliest_duplicate(
                        chains,
                        owned[owner_chain, HEAD_COLUMN],
                        later,
                        best,
                        last_compared,
                        outlinks,
                        pages,
                        min_overlap,
                    )
                owner_chain = owned[owner_chain, NEXT_COLUMN]
            owner_chain = _label_chain_head(chain_tables, link, label[later])
            best = _earliest_duplicate(
                chains, owner_chain, later, best, last_compared, outlinks, pages, min_overlap
            )
        if best < later:
            found[later] = best
        else:
            _add_to_chains(
                chain_tables, links, later, owner[later], label[later], multi_owner, next_free
            )
    return found


@njit(nogil=True, cache=True)
def _mark_multi_owner_links(rare_links: Any, pages: Any, owner: Any, label: Any) -> Any:
    """Mark links of several owners by -1; count the links, and those of labelled pages."""
    starts, ids = rare_links
    multi_owner, link_count, labelled_links = np.zeros(starts.size - 1, np.int32), 0, 0
    for index in range(pages.size):
        begin, end = starts[pages[index]], starts[pages[index] + 1]
        for link in ids[begin:end]:
            if not multi_owner[link]:
                multi_owner[link] = owner[index] + 1
            elif multi_owner[link] != owner[index] + 1:
                multi_owner[link] = -1
        labelled_links += end - begin if label[index] >= 0 else 0
        link_count += end - begin
    return multi_owner, link_count, labelled_links


@njit(nogil=True, cache=True)
def _earliest_duplicate(
    chains: Any,
    at: int,
    candidate: int,
    best: int,
    last_compared: Any,
    outlinks: Any,
    pages: Any,
    min_overlap: Any,
) -> int:
    """The earliest page of a chain that the candidate mirrors, if earlier than the best so far."""
    while at:
        page = chains[at, 0]
        if page < best and last_compared[page] != candidate:
            last_compared[page] = candidate
            if _overlap_exceeds(outlinks, pages[page], pages[candidate], min_overlap):
                best = page
        at = chains[at, 1]
    return best


@njit(nogil=True, cache=True)
def _label_chain_head(chain_tables: Any, link: int, label: int) -> int:
    """The head of the chain of the pages with a link and a label."""
    _, _, _, keys, heads = chain_tables
    return heads[_find_slot(keys, link, label)] if label >= 0 else 0


@njit(nogil=True, cache=True)
def _add_to_chains(
    chain_tables: Any,
    links: Any,
    page: int,
    owner: int,
    label: int,
    multi_owner: Any,
    next_free: Any,
) -> None:
    """Add a page to the chains of its links."""
    chains, owned, linked, keys, heads = chain_tables
    for link in links:
        if multi_owner[link] < 0:
            at = _find_owner_chain(linked, link, owned, owner, next_free)
            owned[at, HEAD_COLUMN] = _push_front(chains, page, owned[at, HEAD_COLUMN], next_free)
        if label >= 0:
            slot = _find_slot(keys, link, label)
            heads[slot] = _push_front(chains, page, heads[slot], next_free)


@njit(nogil=True, cache=True)
def _find_owner_chain(linked: Any, link: int, owned: Any, owner: int, next_free: Any) -> Any:
    """The chain of a link and an owner, created if there is none."""
    at = linked[link]
    while at and owned[at, OWNER_COLUMN] != owner:
        at = owned[at, NEXT_COLUMN]
    if not at:
        at = next_free[1]
        owned[at, OWNER_COLUMN], owned[at, NEXT_COLUMN], owned[at, HEAD_COLUMN] = (
            owner,
            linked[link],
            0,
        )
        linked[link] = at
        next_free[1] += 1
    return at


@njit(nogil=True, cache=True)
def _push_front(chains: Any, page: int, before: int, next_free: Any) -> Any:
    """Add a page at the head of a chain; return the new head."""
    at = next_free[0]
    chains[at, 0], chains[at, 1] = page, before
    next_free[0] += 1
    return at


@njit(nogil=True, cache=True)
def _overlap_exceeds(outlinks: Any, first: int, second: int, min_overlap: Any) -> bool:
    """Whether more than the given share of the larger page's links agree; rows are sorted."""
    starts, ids = outlinks
    a, b, end_a, end_b = starts[first], starts[second], starts[first + 1], starts[second + 1]
    threshold, shared = min_overlap[0] * max(end_a - a, end_b - b), 0
    if min_overlap[1] * min(end_a - a, end_b - b) <= threshold:
        return False
    while a < end_a and b < end_b:
        left, right = ids[a], ids[b]
        shared += left == right
        a += left <= right
        b += right <= left
    return bool(min_overlap[1] * shared > threshold)


@njit(nogil=True, cache=True)
def _owner_title_labels(owner: Any, title: Any) -> Any:
    """One label for all pages with the same owner and title, -1 if there is only one."""
    keys, label = _make_hash_table(owner.size), np.full(owner.size, -1, np.int64)
    uses = np.zeros(keys.size, np.int32)
    for page in range(owner.size):
        if title[page] >= 0:
            label[page] = _find_slot(keys, owner[page], title[page])
            uses[label[page]] += 1
    for page in range(owner.size):
        if label[page] >= 0 and uses[label[page]] == 1:
            label[page] = -1
    return label


@njit(nogil=True, cache=True)
def _make_hash_table(count: int) -> Any:
    """An empty hash table for `count` keys, at most half full."""
    size = 2
    while size < 2 * count:
        size *= 2
    return np.full(size, -1, np.int64)


@njit(nogil=True, cache=True)
def _find_slot(keys: Any, first: int, second: int) -> Any:
    """The slot of a pair of numbers, inserted if new: open addressing, linear probing."""
    key, mask = np.int64(first) << 32 | (second + 1), np.uint64(keys.size - 1)
    at = (np.uint64(key) * GOLDEN_GAMMA >> np.uint64(20)) & mask
    while keys[at] >= 0 and keys[at] != key:
        at = (at + np.uint64(1)) & mask
    keys[at] = key
    return np.int64(at)
