"""The smallest cut between some pages and the rest, each of which must be paid for.

Every page but the seeds holds one unit, which is to reach a seed over links
that carry so many units either way. Units come down from the farthest pages to
the nearest, a level at a time; those that get stuck wait until distances are
measured again over the links with room left (push-relabel, whose labels are
always the true distances). In the end the pages from which one more unit could
still reach a seed are the seeds' side of the cut: the smallest one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Flags, Ids, Offsets, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """What one capacity leads to: the seeds' side, and the units that came through.

    `units` is both the flow and what the cut costs: one for each page of the
    side that is no seed, and the capacity for each link that leaves it.
    """

    side: Flags
    units: int


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Links both ways, and the units on them; capacities asked for one after the other must rise.

    `back` is the place of each link's other way; `sent` what goes over a link
    less what comes back; `held` what waits at each page.
    """

    rows: Rows
    back: Ids
    sent: Ids
    held: Offsets
    seeds: Ids

    @classmethod
    def of(
        cls, outlinks: Rows, inlinks: Rows, seeds: Ids, units: Offsets | None = None
    ) -> "Network":
        """From rows that ascend; two pages that link to each other have one link between them.

        Where `units` are given, each page has so many to bring instead of one.
        """
        both = both_ways(outlinks, inlinks)
        back = np.empty(len(both.ids), np.int32)
        _opposite(both.starts, both.ids, back)
        held = np.ones(len(both.starts) - 1, np.int64) if units is None else units.copy()
        held[seeds] = 0
        return cls(both, back, np.zeros(len(back), np.int32), held, seeds)

    def cut(self, capacity: int) -> Cut:
        """Let all units through that get through; what came before stays where it is.

        Examples
        --------
        >>> out = Rows(np.array([0, 1, 2, 2]), np.array([1, 2], np.int32))
        >>> into = Rows(np.array([0, 0, 1, 2]), np.array([0, 1], np.int32))
        >>> chain = Network.of(out, into, np.array([0], np.int32))
        >>> chain.cut(2).side.tolist(), chain.cut(3).side.tolist()
        ([True, False, False], [True, True, True])
        """
        n = len(self.held)
        level, queue = np.empty(n, np.int32), np.empty(n, np.int32)
        _drain(*self.rows[:2], self.back, self.sent, self.held, self.seeds, capacity, level, queue)
        return Cut(level >= 0, int(self.held[self.seeds].sum()))


def both_ways(outlinks: Rows, inlinks: Rows) -> Rows:
    """Each page with all pages that it links to or that link to it, once each, ascending."""
    starts = np.zeros(len(outlinks.starts), np.int64)
    ids = np.empty(len(outlinks.ids) + len(inlinks.ids), np.int32)
    out = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    into = np.asarray(inlinks.starts), np.asarray(inlinks.ids)
    _merge(*out, *into, starts, ids)
    return Rows(starts, ids[: starts[-1]])


@njit(nogil=True, cache=True)
def _merge(starts: Any, ids: Any, other_starts: Any, other_ids: Any, ends: Any, found: Any) -> None:
    at = 0
    for page in range(starts.size - 1):
        one, two = starts[page], other_starts[page]
        while one < starts[page + 1] or two < other_starts[page + 1]:
            if two == other_starts[page + 1]:
                found[at], one = ids[one], one + 1
            elif one == starts[page + 1] or other_ids[two] < ids[one]:
                found[at], two = other_ids[two], two + 1
            else:
                found[at] = ids[one]
                two += ids[one] == other_ids[two]
                one += 1
            at += 1
        ends[page + 1] = at


@njit(nogil=True, cache=True)
def _opposite(starts: Any, ids: Any, back: Any) -> None:
    """Pages meet the links to them in the order of their own links."""
    place = starts[:-1].copy()
    for page in range(starts.size - 1):
        for link in range(starts[page], starts[page + 1]):
            other = ids[link]
            back[link] = place[other]
            place[other] += 1


@njit(nogil=True, cache=True)
def _drain(
    starts: Any,
    ids: Any,
    back: Any,
    sent: Any,
    held: Any,
    seeds: Any,
    most: int,
    level: Any,
    queue: Any,
) -> None:
    """Measure distances and let units down, until none of those that wait can go on."""
    going = True
    while going:
        reached = _measure(starts, ids, sent, seeds, most, level, queue)
        going = _wave(starts, ids, back, sent, held, most, level, queue[seeds.size : reached])


@njit(nogil=True, cache=True)
def _measure(
    starts: Any, ids: Any, sent: Any, seeds: Any, most: int, level: Any, queue: Any
) -> int:
    """How far each page is from a seed over links with room, -1 for no way; pages by distance."""
    level[:] = -1
    end = 0
    for seed in seeds:
        level[seed] = 0
        queue[end] = seed
        end += 1
    at = 0
    while at < end:
        page = queue[at]
        at += 1
        for link in range(starts[page], starts[page + 1]):
            other = ids[link]
            if level[other] < 0 and sent[link] > -most:
                level[other] = level[page] + 1
                queue[end] = other
                end += 1
    return end


@njit(nogil=True, cache=True)
def _wave(
    starts: Any, ids: Any, back: Any, sent: Any, held: Any, most: int, level: Any, queue: Any
) -> bool:
    """Let units down from the farthest page to the nearest; whether any waited."""
    waited = False
    for at in range(queue.size - 1, -1, -1):
        page = queue[at]
        left = held[page]
        if left == 0:
            continue
        waited = True
        below = level[page] - 1
        for link in range(starts[page], starts[page + 1]):
            other = ids[link]
            room = most - sent[link]
            if level[other] == below and room > 0:
                units = min(left, room)
                sent[link] += units
                sent[back[link]] -= units
                held[other] += units
                left -= units
                if left == 0:
                    break
        held[page] = left
    return waited
