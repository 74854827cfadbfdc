"""Leave out pages that cannot be fans or centres, until none is left to leave out."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from weft.core.arrays import Ids, Offsets, Rows

FANS, CENTRES, DONE, WAITING, READY_FANS, READY_CENTRES = range(6)


class Sides(NamedTuple):
    """Pages as fans and, apart from that, as centres: the links each has left, -1 if it is out.

    `waiting` are those to be left out, first come first, centres n higher than
    fans. `ready` has the fans with just as many links as a core needs, and
    from place n on the centres. `counts` tells how many fans and centres with
    links had too few, how many of the waiting are done, wait, and are ready.
    """

    fans: Ids
    centres: Ids
    waiting: Ids
    ready: Ids
    counts: Offsets


def sides(outlinks: Rows, inlinks: Rows, least: tuple[int, int]) -> Sides:
    """Leave out fans with fewer links than a core has centres, and centres with too few fans.

    `least` is how many fans and how many centres a core has. What is left has
    links enough to others that are left.
    """
    n = len(outlinks.starts) - 1
    left = [np.diff(rows.starts).astype(np.int32) for rows in (outlinks, inlinks)]
    room = [np.empty(2 * n, np.int32) for _ in range(2)]
    found = Sides(left[0], left[1], room[0], room[1], np.zeros(6, np.int64))
    _begin((*outlinks[:2], *inlinks[:2]), found, least)
    return found


@njit(nogil=True, cache=True)
def _begin(rows: Any, left: Any, least: Any) -> None:
    n = left.fans.size
    for page in range(n):
        _look(left.fans[page], least[1], page, READY_FANS, 0, left)
    for page in range(n):
        _look(left.centres[page], least[0], n + page, READY_CENTRES, n, left)
    cascade(rows, left, least)


@njit(nogil=True, cache=True)
def _look(links: int, enough: int, node: int, kind: int, shift: int, left: Any) -> None:
    """Note a page that has too few links, or just enough."""
    if links < enough:
        left.waiting[left.counts[WAITING]] = node
        left.counts[WAITING] += 1
    elif links == enough:
        left.ready[shift + left.counts[kind]] = node - shift
        left.counts[kind] += 1


@njit(nogil=True, cache=True)
def leave(node: int, left: Any) -> None:
    """Let a fan, or a centre n higher, wait to be left out."""
    left.waiting[left.counts[WAITING]] = node
    left.counts[WAITING] += 1


@njit(nogil=True, cache=True)
def cascade(rows: Any, left: Any, least: Any) -> None:
    """Leave out what waits, and all that then has too few links."""
    n = left.fans.size
    out_starts, out_ids, in_starts, in_ids = rows
    while left.counts[DONE] < left.counts[WAITING]:
        node = left.waiting[left.counts[DONE]]
        left.counts[DONE] += 1
        if node < n:
            left.counts[FANS] += 0 < left.fans[node] < least[1]
            left.fans[node] = -1
            for link in range(out_starts[node], out_starts[node + 1]):
                _lose(left.centres, out_ids[link], least[0], READY_CENTRES, n, left)
        else:
            page = node - n
            left.counts[CENTRES] += 0 < left.centres[page] < least[0]
            left.centres[page] = -1
            for link in range(in_starts[page], in_starts[page + 1]):
                _lose(left.fans, in_ids[link], least[1], READY_FANS, 0, left)


@njit(nogil=True, cache=True)
def _lose(side: Any, page: int, enough: int, kind: int, shift: int, left: Any) -> None:
    """Take a link from a page; one that had too few waits already."""
    if side[page] > 0:
        side[page] -= 1
        if side[page] + 1 >= enough:
            _look(side[page], enough, page + shift, kind, shift, left)
