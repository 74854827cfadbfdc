"""The compiled steps of the Leiden algorithm (Traag, Waltman, van Eck 2019).

Points move to the group where they gain most, until none gains; then each
group falls into parts that hang together well, and the parts are the points
of the next round. Of equal gains the group with the smaller number wins, and
the order in which points come up is drawn by the seed: nothing else is left
to chance. Numbers of points are unsigned, which spares a test for negative ones.
"""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Floats, Ids, Offsets

NEAR = 1e-12


@njit(cache=True, nogil=True)
def grouped(
    starts: Offsets, ids: Ids, weights: Floats, resolution: float, seed: int, rounds: int
) -> Any:
    """The group of every point; ties are symmetric and weigh nothing less than zero.

    Each round begins with the groups of the one before. Groups are numbered by
    their first points.
    """
    begins, near, tied, volume = _plain(starts, ids, weights)
    share = resolution / max(volume.sum(), NEAR)
    found = np.arange(len(volume)).astype(np.uint32)
    for k in range(rounds):
        before = found
        found = _round(begins, near, tied, volume, found.copy(), share, seed + 64 * k)
        if (found == before).all():
            break
    return found


@njit(cache=True, nogil=True)
def _plain(starts: Offsets, ids: Ids, weights: Floats) -> Any:
    """Rows without ties that weigh nothing or lead back to the point; what each row weighs."""
    begins, volume = np.zeros(len(starts), np.uint64), np.zeros(len(starts) - 1)
    near, tied, count = np.empty(len(ids), np.uint32), np.empty(len(ids)), 0
    for i in range(len(volume)):
        for e in range(starts[i], starts[i + 1]):
            volume[i] += weights[e]
            near[count], tied[count] = ids[e], weights[e]
            count += ids[e] != i and weights[e] > 0
        begins[i + 1] = count
    return begins, near[:count], tied[:count], volume


@njit(cache=True, nogil=True)
def _round(
    starts: Any, ids: Any, weights: Floats, volume: Floats, group: Any, share: float, seed: int
) -> Any:
    """Move, refine and join, until there is nothing to join."""
    home, level = np.arange(len(volume)).astype(np.uint32), 0
    while True:
        order = _drawn(len(volume), seed + level)
        _move(starts, ids, weights, volume, group, share, order)
        part, parts = _numbered(_refined(starts, ids, weights, volume, group, share, order))
        group, groups = _numbered(group)
        if parts == len(volume) or groups == len(volume):
            return group[home]
        above = np.empty(parts, np.uint32)
        above[part] = group
        home, group, level = part[home], above, level + 1
        starts, ids, weights, volume = _joined(starts, ids, weights, volume, part, parts)


@njit(cache=True, nogil=True)
def _drawn(n: int, seed: int) -> Any:
    """The numbers below n in an order that the seed draws: Fisher and Yates, with splitmix64."""
    order = np.arange(n).astype(np.uint32)
    state = np.uint64(seed)
    for i in range(n - 1, 0, -1):
        state += np.uint64(0x9E3779B97F4A7C15)
        bits = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        j = np.int64((bits ^ (bits >> np.uint64(31))) % np.uint64(i + 1))
        order[i], order[j] = order[j], order[i]
    return order


@njit(cache=True, nogil=True)
def _move(
    starts: Any, ids: Any, weights: Floats, volume: Floats, group: Any, share: float, order: Any
) -> None:
    """Let points move, in place, until none gains; only neighbours of those that moved look again.

    A group that is left empty stands open for a point that is better off alone.
    """
    n = len(volume)
    size, total, empty, open_ = _sizes(group, volume)
    tied, met = np.zeros(n), np.empty(n + 1, np.uint32)
    queue, waiting = order.copy(), np.ones(n, np.bool_)
    head, left = 0, n
    while left:
        i = queue[head]
        head, left = head + 1 if head + 1 < n else 0, left - 1
        waiting[i], own = False, group[i]
        best, gain = _best(i, starts, ids, weights, group, volume, total, share, tied, met)
        if gain < -NEAR and size[own] > 1 and open_:
            best = empty[open_ - 1]
        if best == own:
            continue
        open_ -= size[best] == 0
        size[own], size[best] = size[own] - 1, size[best] + 1
        total[own], total[best] = total[own] - volume[i], total[best] + volume[i]
        group[i], empty[open_] = best, own
        open_ += size[own] == 0
        for e in range(starts[i], starts[i + 1]):
            j = ids[e]
            if group[j] != best and not waiting[j]:
                tail = head + left
                queue[tail if tail < n else tail - n], waiting[j] = j, True
                left += 1


@njit(cache=True, nogil=True)
def _sizes(group: Any, volume: Floats) -> Any:
    """How many points are in each group and what they weigh, the empty ones, and how many."""
    n, open_ = len(group), 0
    size, total, empty = np.zeros(n, np.int32), np.zeros(n), np.empty(n, np.uint32)
    for i in range(n):
        size[group[i]] += 1
        total[group[i]] += volume[i]
    for k in range(n):
        empty[open_] = k
        open_ += size[k] == 0
    return size, total, empty, open_


@njit(cache=True, nogil=True)
def _best(
    i: Any,
    starts: Any,
    ids: Any,
    weights: Floats,
    group: Any,
    volume: Floats,
    total: Floats,
    share: float,
    tied: Floats,
    met: Any,
) -> Any:
    """The group that a point gains most by joining, and what; its own where it gains nothing.

    `tied` has room for the ties to each group, and is left empty.
    """
    own, count, inside = group[i], 0, 0.0
    for e in range(starts[i], starts[i + 1]):
        other = group[ids[e]]
        if other == own:
            inside += weights[e]
            continue
        met[count] = other
        count += tied[other] == 0
        tied[other] += weights[e]
    scale = share * volume[i]
    stay = inside - scale * (total[own] - volume[i])
    best, gain = own, stay
    for k in range(count):
        other = met[k]
        here = tied[other] - scale * total[other]
        tied[other] = 0
        as_good = best != own and here > gain - NEAR and other < best
        if here > stay + NEAR and (here > gain + NEAR or as_good):
            best, gain = other, here
    return best, gain


@njit(cache=True, nogil=True)
def _refined(
    starts: Any, ids: Any, weights: Floats, volume: Floats, group: Any, share: float, order: Any
) -> Any:
    """Parts of the groups: points that are alone join the part of their group they gain most by.

    Neither may be tied to the rest of the group less than one would expect.
    """
    n = len(volume)
    part, total = np.arange(n).astype(np.uint32), volume.copy()
    inner, whole = _inside(starts, ids, weights, volume, group)
    tied, met = np.zeros(n), np.empty(n + 1, np.uint32)
    rest, alone = inner.copy(), np.ones(n, np.bool_)
    for i in order:
        size = whole[group[i]]
        if not alone[i] or inner[i] < share * volume[i] * (size - volume[i]) - NEAR:
            continue
        count = _meet(i, starts, ids, weights, part, group, tied, met)
        best, gain, joined = i, NEAR, 0.0
        for k in range(count):
            other = met[k]
            here = tied[other] - share * volume[i] * total[other]
            well = rest[other] >= share * total[other] * (size - total[other]) - NEAR
            as_good = best != i and here > gain - NEAR and other < best
            if well and (here > gain + NEAR or as_good):
                best, gain, joined = other, here, tied[other]
            tied[other] = 0
        if best != i:
            rest[best] += inner[i] - 2 * joined
            total[i], total[best] = 0.0, total[best] + volume[i]
            part[i], alone[i], alone[best] = best, False, False
    return part


@njit(cache=True, nogil=True)
def _inside(starts: Any, ids: Any, weights: Floats, volume: Floats, group: Any) -> Any:
    """What of the ties of each point stays inside its group, and what each group weighs."""
    inner, whole = np.zeros(len(volume)), np.zeros(len(volume))
    for i in range(len(volume)):
        whole[group[i]] += volume[i]
        for e in range(starts[i], starts[i + 1]):
            inner[i] += weights[e] if group[ids[e]] == group[i] else 0.0
    return inner, whole


@njit(cache=True, nogil=True)
def _meet(
    i: Any, starts: Any, ids: Any, weights: Floats, part: Any, group: Any, tied: Floats, met: Any
) -> int:
    """Add up the ties of a point inside its group by the parts at their ends.

    The parts are written to `met`, and how many there are is returned.
    """
    count = 0
    for e in range(starts[i], starts[i + 1]):
        if group[ids[e]] == group[i]:
            other = part[ids[e]]
            met[count] = other
            count += tied[other] == 0
            tied[other] += weights[e]
    return count


@njit(cache=True, nogil=True)
def _numbered(found: Any) -> Any:
    """The same groups, numbered by their first points, and how many there are."""
    place, count = np.full(len(found), -1, np.int32), 0
    numbers = np.empty(len(found), np.uint32)
    for i in range(len(found)):
        if place[found[i]] < 0:
            place[found[i]] = count
            count += 1
        numbers[i] = place[found[i]]
    return numbers, count


@njit(cache=True, nogil=True)
def _joined(starts: Any, ids: Any, weights: Floats, volume: Floats, part: Any, parts: int) -> Any:
    """The parts as points: the ties between them added up, and their volumes."""
    firsts = np.zeros(parts + 1, np.int64)
    for k in part:
        firsts[k + 1] += 1
    firsts = np.cumsum(firsts)
    members, at = np.empty(len(part), np.uint32), firsts[:-1].copy()
    for i in range(len(part)):
        members[at[part[i]]] = i
        at[part[i]] += 1
    ends, near = np.zeros(parts + 1, np.uint64), np.empty(len(ids) + 1, np.uint32)
    tied, sums, total, count = np.empty(len(ids)), np.zeros(parts), np.zeros(parts), 0
    for k in range(parts):
        begin = count
        for i in members[firsts[k] : firsts[k + 1]]:
            total[k] += volume[i]
            for e in range(starts[i], starts[i + 1]):
                near[count] = part[ids[e]]
                count += sums[near[count]] == 0
                sums[part[ids[e]]] += weights[e]
        met, count = count, begin
        for e in range(begin, met):
            other = near[e]
            if other != k:
                near[count], tied[count] = other, sums[other]
                count += 1
            sums[other] = 0.0
        ends[k + 1] = count
    return ends, near[:count].copy(), tied[:count].copy(), total
