"""Webs that grow page by page: the ends of their links."""

from typing import Any

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def attach(n: int, m: int, draw: Any) -> Any:
    """Each new page is tied to `m` others, chosen by how many ties they have.

    It begins with `m + 1` pages that are all tied. Every end of every tie is
    listed, so that a place in the list is a page by its number of ties.
    """
    ties = m * (m + 1) // 2 + m * (n - m - 1)
    ends = np.empty(2 * ties, np.int32)
    at = 0
    for one in range(m + 1):
        for other in range(one):
            ends[at], ends[at + 1] = one, other
            at += 2
    for page in range(m + 1, n):
        known = at
        while at < known + 2 * m:
            chosen = ends[int(draw.random() * known)]
            fresh = True
            for place in range(known + 1, at, 2):
                fresh &= ends[place] != chosen
            if fresh:
                ends[at], ends[at + 1] = page, chosen
                at += 2
    return ends


@njit(nogil=True, cache=True)
def copy_links(n: int, d: int, chance: float, draw: Any) -> Any:
    """Each new page copies the links of an older one, but for some to any older page.

    It begins with `d + 1` pages that all link to each other. A row per page.
    """
    targets = np.empty((n, d), np.int32)
    for page in range(d + 1):
        for place in range(d):
            targets[page, place] = place + (place >= page)
    for page in range(d + 1, n):
        model = int(draw.random() * page)
        for place in range(d):
            if draw.random() < chance:
                targets[page, place] = int(draw.random() * page)
            else:
                targets[page, place] = targets[model, place]
    return targets


@njit(nogil=True, cache=True)
def add_links(n: int, chances: Any, source: Any, target: Any, draw: Any) -> Any:
    """Add links until there are `n` pages; how many links there are, or -1 where there is no room.

    A step adds a page that links to an old one, a link between old pages, or
    a page that an old one links to. Old pages are chosen by their links and
    what is added to these. It begins with three pages in a circle.
    """
    linking, between, more_in, more_out = chances
    pages, links = 3, 3
    for page in range(3):
        source[page], target[page] = page, (page + 1) % 3
    while pages < n:
        if links == source.size:
            return -1
        step = draw.random()
        known = pages
        if step < linking:
            start, end = pages, _chosen(target, links, known, more_in, draw)
            pages += 1
        elif step < linking + between:
            start = _chosen(source, links, known, more_out, draw)
            end = _chosen(target, links, known, more_in, draw)
        else:
            start, end = _chosen(source, links, known, more_out, draw), pages
            pages += 1
        source[links], target[links] = start, end
        links += 1
    return links


@njit(nogil=True, cache=True)
def _chosen(ends: Any, links: int, pages: int, more: float, draw: Any) -> int:
    """A page by how many links have it at this end, and `more` for each page."""
    place = draw.random() * (links + more * pages)
    return int(ends[int(place)]) if place < links else int(draw.random() * pages)
