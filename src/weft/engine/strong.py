"""The strong parts of a graph, in an order in which links only lead back."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Ids, Offsets, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Condensed:
    """The parts of a graph in which every node leads to every other.

    `label` is the part of each node. A link leads to its own part, or to one
    of a smaller number: parts without a way out come first. `order` are the
    nodes part by part, `bounds` where each part begins in it, and the end.
    """

    label: Ids
    order: Ids
    bounds: Offsets

    @property
    def sizes(self) -> Ids:
        """How many nodes each part has."""
        return np.diff(self.bounds).astype(np.int32)


def condensed(outlinks: Rows) -> Condensed:
    """Find the strong parts by one walk along all links (Tarjan 1972, as by Pearce 2005).

    Examples
    --------
    >>> condensed(Rows(np.array([0, 1, 3, 3]), np.array([1, 0, 2], np.int32))).label.tolist()
    [1, 1, 0]
    """
    starts, ids = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    n = len(starts) - 1
    label, order = np.zeros(n, np.int32), np.empty(n, np.int32)
    count = _walk(starts, ids, label, order)
    np.subtract(np.int32(n), label, out=label)
    bounds = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(label, minlength=count), out=bounds[1:])
    return Condensed(label, order, bounds)


@njit(nogil=True, cache=True)
def _walk(starts: Any, ids: Any, low: Any, order: Any) -> int:
    """Give every node the number of its part, counted down from n; say how many parts there are.

    Until its part is known, `low` of a node is the place of the earliest node
    on the way that it is known to lead back to; these places are smaller than
    the number of any part. `order` serves from its end as the stack of nodes
    that wait for their part.
    """
    n = starts.size - 1
    way, next_link, place = np.empty(n, np.int32), np.empty(n, np.int64), np.empty(n, np.int32)
    part, met, done, waiting = n, 1, 0, n
    for begin in range(n):
        if low[begin] != 0:
            continue
        depth = 0
        way[0], next_link[0], place[0] = begin, starts[begin], met
        low[begin] = met
        met += 1
        while depth >= 0:
            node = way[depth]
            link, end, lowest = next_link[depth], starts[node + 1], low[node]
            onward = -1
            while link < end:
                there = low[ids[link]]
                if there == 0:
                    onward = ids[link]
                    break
                lowest = min(lowest, there)
                link += 1
            low[node] = lowest
            if onward >= 0:
                next_link[depth] = link
                depth += 1
                way[depth], next_link[depth], place[depth] = onward, starts[onward], met
                low[onward] = met
                met += 1
                continue
            own = place[depth]
            depth -= 1
            if lowest != own:
                waiting -= 1
                order[waiting] = node
                continue
            order[done] = node
            low[node] = part
            more = _settle(low, order, done + 1, waiting, own, part)
            done, waiting, met = done + 1 + more, waiting + more, met - 1 - more
            part -= 1
    return int(n - part)


@njit(nogil=True, cache=True)
def _settle(low: Any, order: Any, done: int, waiting: int, own: int, part: int) -> int:
    """Give a part all waiting nodes that lead back to its first one; how many they are."""
    more = 0
    while waiting + more < order.size and low[order[waiting + more]] >= own:
        node = order[waiting + more]
        order[done + more] = node
        low[node] = part
        more += 1
    return more
