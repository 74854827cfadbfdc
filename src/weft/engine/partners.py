"""Partners of every page: those that it shares neighbours with, row by row.

The matrix of all pairs is never made. A thread keeps one sum per page, and of
each row the best alone.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from weft.core.arrays import Floats, Ids, Offsets, Rows
from weft.engine.pool import run, take
from weft.engine.strength import MEASURES, Measure, Paths, strength

PIECES = 256
_strength = njit(nogil=True, cache=True)(strength)


class Census(NamedTuple):
    """How many pairs have a path, what all paths count, and the strongest pairs."""

    pairs: int
    total: float
    one: Ids
    other: Ids
    strength: Floats
    counted: Floats


def top_partners(paths: Paths, k: int, measure: Measure) -> tuple[Offsets, Ids, Floats]:
    """The k strongest partners of each page: where each row begins, then ids and strengths.

    Of equal ones the first by number come first; a page is not its own partner.
    """
    n = len(paths.first.starts) - 1
    ids, found = np.full((n, k), -1, np.int32), np.zeros((n, k))
    run(_top, _plain(paths), MEASURES.index(measure), ids, found)
    kept = ids >= 0
    return np.concatenate([[0], np.cumsum(kept.sum(axis=1))]), ids[kept], found[kept]


def census(paths: Paths, k: int, measure: Measure, *, symmetric: bool) -> Census:
    """Look at all pairs of pages: each once if they are `symmetric`, else in both orders."""
    told = np.zeros((PIECES, 2))
    ends = np.full((PIECES, k, 2), -1, np.int32)
    found = np.zeros((PIECES, k, 2))
    code, order = MEASURES.index(measure), int(symmetric)
    run(_census, _plain(paths), code, order, told, ends, found)
    kept = ends[:, :, 0] >= 0
    one, other = ends[kept].T
    strongest, counted = found[kept].T
    first = np.lexsort((other, one, -strongest))[:k]
    pairs, total = told.sum(axis=0)
    best = (one[first], other[first], strongest[first], counted[first])
    return Census(int(pairs), float(total), *best)


def _plain(paths: Paths) -> Paths:
    """The same, of arrays that are in memory or look so, and without weights.

    Where witnesses are worth whole numbers, sums are kept as such: half as
    large, they stay nearer to the processor.
    """
    first, second = (
        Rows(np.asarray(rows.starts), np.asarray(rows.ids)) for rows in (paths.first, paths.second)
    )
    whole = paths.worth.astype(np.int32)
    worth: Any = whole if (whole == paths.worth).all() else paths.worth
    return paths._replace(first=first, second=second, worth=worth, chance=float(paths.chance))


@njit(nogil=True, cache=True)
def _sum_up(paths: Any, page: int, after: int, sums: Any, met: Any) -> int:
    """Add up the paths from a page to others whose numbers come after one; how many were met.

    Rows ascend, and are gone through from their ends. The page itself is taken
    as met already, so that it is not listed.
    """
    count, on, ids = 0, paths.second.starts, paths.second.ids
    sums[page] = 1
    for link in range(paths.first.starts[page], paths.first.starts[page + 1]):
        witness = paths.first.ids[link]
        worth = paths.worth[witness]
        if worth == 0:
            continue
        for k in range(on[witness + 1] - 1, on[witness] - 1, -1):
            other = ids[k]
            if other <= after:
                break
            met[count] = other
            count += sums[other] == 0
            sums[other] += worth
    sums[page] = 0
    return count


@njit(nogil=True, cache=True)
def _place(strength: Any, value: float, one: Any, other: Any, ends: Any) -> int:
    """Where a new pair belongs among the best so far, which end in those that are none."""
    size: int = ends.shape[0]
    last = size - 1
    if ends[last, 0] >= 0 and not _before(value, one, other, strength[last], ends[last]):
        return size
    place = last
    while place > 0 and (
        ends[place - 1, 0] < 0 or _before(value, one, other, strength[place - 1], ends[place - 1])
    ):
        place -= 1
    return place


@njit(nogil=True, cache=True)
def _before(value: float, one: Any, other: Any, than: float, ends: Any) -> bool:
    if value != than:
        return bool(value > than)
    return bool(one < ends[0] or (one == ends[0] and other < ends[1]))


@njit(nogil=True, cache=True)
def _top(queue: Any, paths: Any, code: int, best: Any, strength: Any) -> None:
    n, k = best.shape
    here, there, chance = paths.here, paths.there, paths.chance
    sums, met = np.zeros(there.size, paths.worth.dtype), np.empty(there.size, np.int32)
    ends, found = np.empty((k, 2), np.int32), np.empty(k)
    while True:
        piece = take(queue)
        if piece >= PIECES:
            break
        for page in range(piece * n // PIECES, (piece + 1) * n // PIECES):
            ends[:, :] = -1
            for at in range(_sum_up(paths, page, -1, sums, met)):
                other = met[at]
                value = _strength(code, float(sums[other]), here[page], there[other], chance)
                sums[other] = 0
                place = _place(found, value, page, other, ends)
                for after in range(k - 1, place, -1):
                    ends[after], found[after] = ends[after - 1], found[after - 1]
                if place < k:
                    ends[place, 0], ends[place, 1], found[place] = page, other, value
            best[page], strength[page] = ends[:, 1], np.where(ends[:, 0] >= 0, found, 0.0)


@njit(nogil=True, cache=True)
def _census(
    queue: Any, paths: Any, code: int, order: int, told: Any, ends: Any, found: Any
) -> None:
    n, k = paths.first.starts.size - 1, ends.shape[1]
    here, there, chance = paths.here, paths.there, paths.chance
    sums, met = np.zeros(there.size, paths.worth.dtype), np.empty(there.size, np.int32)
    while True:
        piece = take(queue)
        if piece >= PIECES:
            break
        best, strength = ends[piece], found[piece]
        pairs, all_ = 0, 0.0
        for page in range(piece * n // PIECES, (piece + 1) * n // PIECES):
            many = _sum_up(paths, page, page if order else -1, sums, met)
            pairs += many
            for at in range(many):
                other = met[at]
                total = float(sums[other])
                sums[other] = 0
                all_ += total
                value = _strength(code, total, here[page], there[other], chance)
                if value < strength[k - 1, 0]:
                    continue
                place = _place(strength[:, 0], value, page, other, best)
                for after in range(k - 1, place, -1):
                    best[after], strength[after] = best[after - 1], strength[after - 1]
                if place < k:
                    best[place, 0], best[place, 1] = page, other
                    strength[place, 0], strength[place, 1] = value, total
        told[piece, 0], told[piece, 1] = pairs, all_
