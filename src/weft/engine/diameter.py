"""The longest of all shortest ways, between bounds that searches from few pages give."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from weft.core.arrays import Ids, Rows
from weft.engine.hops import LANES, clicks, hops
from weft.engine.nearest import way_to


class Bounds(NamedTuple):
    """The diameter is at least `low` and at most `high`."""

    low: int
    high: int


def sweep(ways: Sequence[Rows], back: Sequence[Rows], start: int, rounds: int = 2) -> int:
    """A lower bound: go as far as one can, then look from where that is furthest, and again."""
    low, page = 0, start
    for way in (ways, back) * rounds:
        distance, _ = clicks(way, [page])
        page = int(np.argmax(distance))
        low = max(low, int(distance[page]))
    return low


def fringe(ways: Sequence[Rows], back: Sequence[Rows], parts: Ids, most: int) -> Bounds:
    """The diameter of a graph each of whose parts is joined both ways within itself.

    iFUB (Crescenzi and others 2013): seen from a page in the middle of a part,
    two pages that are both nearer than i have at most 2 (i - 1) clicks between
    them. So pages are searched from, the furthest ones first, until no pair of
    the rest can be further apart than what was found, or until `most` were.
    """
    sizes = np.bincount(parts)
    degrees = np.sum([np.diff(way.starts) for way in (*ways, *back)], axis=0)
    low, high = 0, 0
    for part in np.argsort(-sizes, kind="stable"):
        if sizes[part] - 1 <= low:
            break
        if not most:
            return Bounds(low, max(high, int(sizes[part]) - 1))
        inside = np.flatnonzero(parts == part)
        first = int(inside[np.argmax(degrees[inside])])
        found, most = _part(ways, back, _middle(ways, back, first), most)
        low, high = max(low, found.low), max(high, found.high)
    return Bounds(low, max(low, high))


def _middle(ways: Sequence[Rows], back: Sequence[Rows], first: int) -> int:
    """A page half-way along a long way."""
    distance, _ = clicks(ways, [first])
    distance, before = clicks(back, [int(np.argmax(distance))])
    way = way_to(int(np.argmax(distance)), before)
    return way[len(way) // 2]


def _part(ways: Sequence[Rows], back: Sequence[Rows], middle: int, most: int) -> tuple[Bounds, int]:
    """Bounds for the part of a page, and how many searches are left."""
    there, here = clicks(ways, [middle])[0], clicks(back, [middle])[0]
    low, level = 0, int(max(there.max(), here.max()))
    sides = [(back, there), (ways, here)][: 1 if ways is back else 2]
    while level > 0 and low < 2 * level:
        least = _many(sides, level, min(LANES, most))
        chosen = [
            (way, np.flatnonzero((far >= least) & (far <= level)).astype(np.int32))
            for way, far in sides
        ]
        needed = sum(len(pages) for _, pages in chosen)
        if needed > most:
            return Bounds(max(low, level), 2 * level), 0
        most -= needed
        low = max([low, *(int(hops(*each).furthest.max(initial=0)) for each in chosen)])
        level = least - 1
    return Bounds(low, max(low, 2 * level)), most


def _many(sides: Sequence[tuple[Sequence[Rows], Ids]], level: int, room: int) -> int:
    """The level down to which there is room for the pages of each side, or `level` itself."""
    sizes = np.bincount(np.concatenate([far[far > 0] for _, far in sides]))
    fit = int(np.searchsorted(np.cumsum(sizes[level:0:-1]), room, side="right"))
    return level + 1 - max(fit, 1)
