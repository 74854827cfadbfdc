"""The compiled steps of the Leiden algorithm (Traag, Waltman, van Eck 2019).

Points move to the group where they gain most, until none gains; then each
group falls into parts that hang together well, and the parts are the points
of the next round. Of equal gains the group with the smaller number wins, and
the order in which points come up is drawn by the seed: nothing else is left
to chance.
"""

import numpy as np
from numba import njit

from weft.core.arrays import Floats, Ids, Offsets

NEAR = 1e-12


@njit(cache=True, nogil=True)
def grouped(
    starts: Offsets, ids: Ids, weights: Floats, resolution: float, seed: int, rounds: int
) -> Ids:
    """A group for every point, in no order; ties are symmetric and weigh nothing less than zero.

    Each round begins with the groups of the one before.
    """
    n = len(starts) - 1
    volume = np.zeros(n)
    for i in range(n):
        for e in range(starts[i], starts[i + 1]):
            volume[i] += weights[e]
    share = resolution / max(volume.sum(), NEAR)
    found = np.arange(n).astype(np.int32)
    for k in range(rounds):
        before = found
        found = _round(starts, ids, weights, volume, found.copy(), share, seed + 64 * k)
        if (found == before).all():
            break
    return found


@njit(cache=True, nogil=True)
def _round(
    starts: Offsets,
    ids: Ids,
    weights: Floats,
    volume: Floats,
    group: Ids,
    share: float,
    seed: int,
) -> Ids:
    """Move, refine and join, until there is nothing to join."""
    home, level = np.arange(len(volume)).astype(np.int32), 0
    while True:
        order = _drawn(len(volume), seed + level)
        _move(starts, ids, weights, volume, group, share, order)
        part, parts = _numbered(_refined(starts, ids, weights, volume, group, share, order))
        group, groups = _numbered(group)
        if parts == len(volume) or groups == len(volume):
            return group[home]
        above = np.empty(parts, np.int32)
        above[part] = group
        home, group, level = part[home], above, level + 1
        starts, ids, weights, volume = _joined(starts, ids, weights, volume, part, parts)


@njit(cache=True, nogil=True)
def _drawn(n: int, seed: int) -> Ids:
    """The numbers below n in an order that the seed draws: Fisher and Yates, with splitmix64."""
    order = np.arange(n).astype(np.int32)
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
    starts: Offsets,
    ids: Ids,
    weights: Floats,
    volume: Floats,
    group: Ids,
    share: float,
    order: Ids,
) -> None:
    """Let points move, in place, until none gains; only neighbours of those that moved look again.

    A group that is left empty stands open for a point that is better off alone.
    """
    n = len(volume)
    size, total, anywhere = np.zeros(n, np.int32), np.zeros(n), np.zeros(n, np.int32)
    for i in range(n):
        size[group[i]] += 1
        total[group[i]] += volume[i]
    empty, open_ = np.empty(n, np.int32), 0
    for k in np.flatnonzero(size == 0):
        empty[open_] = k
        open_ += 1
    tied, met = np.zeros(n), np.empty(n, np.int32)
    queue, waiting = order.copy(), np.ones(n, np.bool_)
    head, left = 0, n
    while left:
        i = queue[head]
        head, left = (head + 1) % n, left - 1
        waiting[i], own = False, group[i]
        count = _meet(i, starts, ids, weights, group, anywhere, tied, met)
        stay = tied[own] - share * volume[i] * (total[own] - volume[i])
        tied[own] = 0
        best, gain = _best(met[:count], tied, total, share * volume[i], own, stay)
        tied[met[:count]] = 0
        if gain < -NEAR and size[own] > 1 and open_:
            best = empty[open_ - 1]
        if best == own:
            continue
        open_ -= size[best] == 0
        size[own], size[best] = size[own] - 1, size[best] + 1
        total[own], total[best] = total[own] - volume[i], total[best] + volume[i]
        group[i], empty[open_] = best, own
        open_ += size[own] == 0
        for j in ids[starts[i] : starts[i + 1]]:
            if group[j] != best and not waiting[j]:
                queue[(head + left) % n], waiting[j] = j, True
                left += 1


@njit(cache=True, nogil=True)
def _best(
    met: Ids, tied: Floats, total: Floats, scale: float, own: int, stay: float
) -> tuple[int, float]:
    """The group that a point gains most by joining, and what; its own where it gains nothing."""
    best, gain = own, stay
    for other in met:
        here = tied[other] - scale * total[other]
        as_good = best != own and here > gain - NEAR and other < best
        if other != own and here > stay + NEAR and (here > gain + NEAR or as_good):
            best, gain = other, here
    return best, gain


@njit(cache=True, nogil=True)
def _meet(
    i: int,
    starts: Offsets,
    ids: Ids,
    weights: Floats,
    label: Ids,
    within: Ids,
    tied: Floats,
    met: Ids,
) -> int:
    """Add up the ties of a point by the labels at their ends, of those within the same as itself.

    The labels are written to `met`, and how many there are is returned.
    """
    count = 0
    for e in range(starts[i], starts[i + 1]):
        j = ids[e]
        if j != i and within[j] == within[i] and weights[e] > 0:
            if tied[label[j]] == 0:
                met[count] = label[j]
                count += 1
            tied[label[j]] += weights[e]
    return count


@njit(cache=True, nogil=True)
def _refined(
    starts: Offsets,
    ids: Ids,
    weights: Floats,
    volume: Floats,
    group: Ids,
    share: float,
    order: Ids,
) -> Ids:
    """Parts of the groups: points that are alone join the part of their group they gain most by.

    Neither may be tied to the rest of the group less than one would expect.
    """
    n = len(volume)
    part, whole, total = np.arange(n).astype(np.int32), np.zeros(n), volume.copy()
    inner, tied, met = np.zeros(n), np.zeros(n), np.empty(n, np.int32)
    for i in range(n):
        whole[group[i]] += volume[i]
        if _meet(i, starts, ids, weights, group, group, tied, met):
            inner[i], tied[group[i]] = tied[group[i]], 0
    rest, alone = inner.copy(), np.ones(n, np.bool_)
    for i in order:
        size = whole[group[i]]
        if not alone[i] or inner[i] < share * volume[i] * (size - volume[i]) - NEAR:
            continue
        count = _meet(i, starts, ids, weights, part, group, tied, met)
        best, gain = -1, NEAR
        for other in met[:count]:
            here = tied[other] - share * volume[i] * total[other]
            well = rest[other] >= share * total[other] * (size - total[other]) - NEAR
            as_good = best >= 0 and here > gain - NEAR and other < best
            if well and (here > gain + NEAR or as_good):
                best, gain = other, here
        if best >= 0:
            rest[best] += inner[i] - 2 * tied[best]
            total[i], total[best] = 0.0, total[best] + volume[i]
            part[i], alone[i], alone[best] = best, False, False
        tied[met[:count]] = 0
    return part


@njit(cache=True, nogil=True)
def _numbered(found: Ids) -> tuple[Ids, int]:
    """The same groups, numbered by their first points, and how many there are."""
    place, count = np.full(len(found), -1, np.int32), 0
    numbers = np.empty(len(found), np.int32)
    for i in range(len(found)):
        if place[found[i]] < 0:
            place[found[i]] = count
            count += 1
        numbers[i] = place[found[i]]
    return numbers, count


@njit(cache=True, nogil=True)
def _joined(
    starts: Offsets, ids: Ids, weights: Floats, volume: Floats, part: Ids, parts: int
) -> tuple[Offsets, Ids, Floats, Floats]:
    """The parts as points: the ties between them added up, and their volumes."""
    firsts = np.zeros(parts + 1, np.int64)
    for k in part:
        firsts[k + 1] += 1
    firsts = np.cumsum(firsts)
    members, at = np.empty(len(part), np.int32), firsts[:-1].copy()
    for i in range(len(part)):
        members[at[part[i]]] = i
        at[part[i]] += 1
    ends, near, tied = np.zeros(parts + 1, np.int64), np.empty_like(ids), np.empty(len(ids))
    total, last, count = np.zeros(parts), np.full(parts, -1, np.int64), 0
    for k in range(parts):
        begin = count
        for i in members[firsts[k] : firsts[k + 1]]:
            total[k] += volume[i]
            for e in range(starts[i], starts[i + 1]):
                other = part[ids[e]]
                if other != k and last[other] < begin:
                    last[other], near[count], tied[count] = count, other, 0.0
                    count += 1
                if other != k:
                    tied[last[other]] += weights[e]
        ends[k + 1] = count
    return ends, near[:count].copy(), tied[:count].copy(), total
