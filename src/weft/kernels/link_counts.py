"""Links that a base set drops: inside a group, repeated, over a group's limit, or site-wide."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Flags, Ids, Offsets


@njit(nogil=True, cache=True)
def repeated_group_links(endpoints: tuple[Ids, Ids], order: Offsets, group_ids: Ids) -> Flags:
    """Links that repeat one of an earlier page of the same group to the same target.

    Links are sorted by source. `order` lists the pages group by group, and
    within a group in the order of precedence.

    Examples
    --------
    >>> ends = np.array([0, 1, 2], np.int32), np.array([3, 3, 3], np.int32)
    >>> repeated_group_links(
    ...     ends, np.array([2, 0, 1, 3]), np.array([7, 7, 7, 8], np.int32)
    ... ).tolist()
    [True, True, False]
    """
    source, target = endpoints
    starts = _row_starts(source, order.size)
    repeated = np.zeros(source.size, np.bool_)
    first_page = np.full(order.size, -1, np.int64)
    for page in order:
        for link in range(starts[page], starts[page + 1]):
            earlier = first_page[target[link]]
            if earlier < 0 or group_ids[earlier] != group_ids[page]:
                first_page[target[link]] = page
            else:
                repeated[link] = earlier != page
    return repeated


@njit(nogil=True, cache=True)
def links_over_site_threshold(
    endpoints: tuple[Ids, Ids],
    candidates: Flags,
    page_ids: Ids,
    inlinks: tuple[Offsets, Ids],
    sites: Ids,
    site_ranges: tuple[Offsets, Offsets, Offsets],
) -> Flags:
    """Candidate links whose target is linked from more pages of the source's site than allowed.

    Endpoints are local ids; `page_ids` has their ids in the whole graph, of
    which `inlinks` are the sorted rows and `sites` the site of each page,
    counted from one. `site_ranges` has, for each site from zero, its first and
    last page that counts, and the number of linking pages allowed.

    Examples
    --------
    >>> ends, every = (np.array([0], np.int32), np.array([1], np.int32)), np.array([True])
    >>> number, rows = (
    ...     np.array([0, 3], np.int32),
    ...     (np.array([0, 0, 0, 0, 2]), np.array([0, 2])),
    ... )
    >>> sites, span = (
    ...     np.array([1, 1, 1, 2], np.int32),
    ...     (np.array([0, 3]), np.array([2, 3])),
    ... )
    >>> links_over_site_threshold(
    ...     ends, every, number, rows, sites, (*span, np.array([1, 1]))
    ... ).tolist()
    [True]
    >>> links_over_site_threshold(
    ...     ends, every, number, rows, sites, (*span, np.array([2, 1]))
    ... ).tolist()
    [False]
    """
    (source, target), (starts, ids), (first, last, allowed) = endpoints, inlinks, site_ranges
    site_wide = np.zeros(source.size, np.bool_)
    known_site, known_answer = np.zeros(page_ids.size, np.int32), np.zeros(page_ids.size, np.bool_)
    for link in np.flatnonzero(candidates):
        page, site = target[link], sites[page_ids[source[link]]]
        if known_site[page] != site:
            site_index = site - 1
            linking = ids[starts[page_ids[page]] : starts[page_ids[page] + 1]]
            low = np.searchsorted(linking, first[site_index])
            high = np.searchsorted(linking, last[site_index], side="right")
            known_site[page] = site
            known_answer[page] = _has_more_of_site(
                linking[low:high], sites, site, allowed[site_index]
            )
        site_wide[link] = known_answer[page]
    return site_wide


@njit(nogil=True, cache=True)
def links_over_group_limit(
    endpoints: tuple[Ids, Ids], active: Flags, order: Offsets, group_ids: Ids, max_per_group: int
) -> Flags:
    """Active links from a group to a page of another, beyond the first `max_per_group`.

    Links are sorted by source. `order` lists the pages group by group, and
    within a group in the order of precedence.

    Examples
    --------
    >>> ends = np.array([0, 1, 2], np.int32), np.array([3, 3, 3], np.int32)
    >>> pages = np.array([2, 0, 1, 3]), np.array([7, 7, 7, 8], np.int32)
    >>> links_over_group_limit(ends, np.array([True, True, True]), *pages, 2).tolist()
    [False, True, False]
    """
    source, target = endpoints
    starts = _row_starts(source, order.size)
    over_limit = np.zeros(source.size, np.bool_)
    counts = np.zeros(order.size, np.int32)
    begin = 0
    while begin < order.size:
        end = _group_end(order, group_ids, begin)
        for page in order[begin:end]:
            for link in range(starts[page], starts[page + 1]):
                counts[target[link]] += active[link]
                crosses_groups = group_ids[target[link]] != group_ids[page]
                over_limit[link] = (
                    active[link] & (counts[target[link]] > max_per_group) & crosses_groups
                )
        _reset_counts(counts, target, order[begin:end], starts)
        begin = end
    return over_limit


@njit(nogil=True, cache=True)
def intra_group_links(endpoints: tuple[Ids, Ids], active: Flags, group_ids: Ids) -> Flags:
    """Active links between two pages of the same group.

    Examples
    --------
    >>> ends = np.array([0, 1, 2], np.int32), np.array([1, 2, 0], np.int32)
    >>> intra_group_links(
    ...     ends, np.array([True, True, True]), np.array([7, 7, 8], np.int32)
    ... ).tolist()
    [True, False, False]
    """
    source, target = endpoints
    inside = np.empty(source.size, np.bool_)
    for link in range(source.size):
        inside[link] = active[link] & (group_ids[source[link]] == group_ids[target[link]])
    return inside


@njit(nogil=True, cache=True)
def _has_more_of_site(pages: Any, sites: Any, site: int, threshold: int) -> bool:
    """Whether more than `threshold` of some pages belong to a site."""
    spare = pages.size - threshold  # how many may belong to other sites
    for page in pages:
        if spare <= 0:
            return False
        spare -= sites[page] != site
    return bool(spare > 0)


@njit(nogil=True, cache=True)
def _row_starts(source: Any, n: int) -> Any:
    """Where the links of each of n pages begin, from sorted sources."""
    starts = np.zeros(n + 1, np.int64)
    for page in source:
        starts[page + 1] += 1
    for page in range(n):
        starts[page + 1] += starts[page]
    return starts


@njit(nogil=True, cache=True)
def _group_end(order: Any, group_ids: Any, begin: int) -> int:
    """The end of the group that begins at `begin`."""
    end = begin
    while end < order.size and group_ids[order[end]] == group_ids[order[begin]]:
        end += 1
    return end


@njit(nogil=True, cache=True)
def _reset_counts(counts: Any, target: Any, pages: Any, starts: Any) -> None:
    """Reset the counts of the targets of some pages."""
    for page in pages:
        for link in range(starts[page], starts[page + 1]):
            counts[target[link]] = 0
