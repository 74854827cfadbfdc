"""Minimum cut between seeds and all other pages, by push-relabel with exact distances.

Every page except the seeds has one unit of excess, which is to flow to a seed
over undirected edges of equal capacity. The labels are the true distances to a
seed in the residual graph: units are pushed from the farthest pages to the
nearest, one level at a time, and distances are measured again while some are
stuck. In the end the pages that can still reach a seed in the residual graph
are the seeds' side of the minimum cut, the smallest one in a tie.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import CSR, Flags, Ids, Offsets


@dataclass(frozen=True, slots=True, eq=False)
class MinCut:
    """The minimum cut for one capacity: the seeds' side and the value of the cut.

    The value, equal to the maximum flow, is one for each page of the side that
    is not a seed, plus the capacity for each edge that leaves the side.
    """

    seed_side: Flags
    value: int


@dataclass(frozen=True, slots=True, eq=False)
class FlowNetwork:
    """An undirected graph with the flow on its edges, kept from one cut to the next.

    `reverse_edge` is the position of each edge in the other direction, `flow`
    the net flow over an edge, `excess` what waits at each page. Capacities
    must increase from one call of `min_cut` to the next.
    """

    rows: CSR
    reverse_edge: Ids
    flow: Ids
    excess: Offsets
    seeds: Ids

    @classmethod
    def from_links(
        cls, outlinks: CSR, inlinks: CSR, seeds: Ids, supply: Offsets | None = None
    ) -> "FlowNetwork":
        """From sorted rows; a reciprocal link is one edge.

        `supply` is the excess of each page at the start, by default one.
        """
        rows = undirected_csr(outlinks, inlinks)
        reverse_edge = np.empty(len(rows.ids), np.int32)
        _pair_reverse_edges(rows.starts, rows.ids, reverse_edge)
        excess = np.ones(len(rows.starts) - 1, np.int64) if supply is None else supply.copy()
        excess[seeds] = 0
        return cls(rows, reverse_edge, np.zeros(len(reverse_edge), np.int32), excess, seeds)

    def min_cut(self, capacity: int) -> MinCut:
        """The minimum cut for a capacity, continuing from the flow found before.

        Examples
        --------
        >>> out = CSR(np.array([0, 1, 2, 2]), np.array([1, 2], np.int32))
        >>> into = CSR(np.array([0, 0, 1, 2]), np.array([0, 1], np.int32))
        >>> chain = FlowNetwork.from_links(out, into, np.array([0], np.int32))
        >>> chain.min_cut(2).seed_side.tolist(), chain.min_cut(3).seed_side.tolist()
        ([True, False, False], [True, True, True])
        """
        n = len(self.excess)
        level, queue = np.empty(n, np.int32), np.empty(n, np.int32)
        _push_relabel(
            *self.rows[:2],
            self.reverse_edge,
            self.flow,
            self.excess,
            self.seeds,
            capacity,
            level,
            queue,
        )
        return MinCut(level >= 0, int(self.excess[self.seeds].sum()))


def undirected_csr(outlinks: CSR, inlinks: CSR) -> CSR:
    """The sorted neighbours of each page in either direction, each once."""
    starts = np.zeros(len(outlinks.starts), np.int64)
    ids = np.empty(len(outlinks.ids) + len(inlinks.ids), np.int32)
    out_rows = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    in_rows = np.asarray(inlinks.starts), np.asarray(inlinks.ids)
    _merge_rows(*out_rows, *in_rows, starts, ids)
    return CSR(starts, ids[: starts[-1]])


@njit(nogil=True, cache=True)
def _merge_rows(
    starts: Any, ids: Any, other_starts: Any, other_ids: Any, ends: Any, merged: Any
) -> None:
    count = 0
    for page in range(starts.size - 1):
        out, into = starts[page], other_starts[page]
        while out < starts[page + 1] or into < other_starts[page + 1]:
            if into == other_starts[page + 1]:
                merged[count], out = ids[out], out + 1
            elif out == starts[page + 1] or other_ids[into] < ids[out]:
                merged[count], into = other_ids[into], into + 1
            else:
                merged[count] = ids[out]
                into += ids[out] == other_ids[into]
                out += 1
            count += 1
        ends[page + 1] = count


@njit(nogil=True, cache=True)
def _pair_reverse_edges(starts: Any, ids: Any, reverse_edge: Any) -> None:
    """Find the position of each edge's reverse: rows are sorted, so that they come in order."""
    next_edge = starts[:-1].copy()
    for page in range(starts.size - 1):
        for link in range(starts[page], starts[page + 1]):
            other = ids[link]
            reverse_edge[link] = next_edge[other]
            next_edge[other] += 1


@njit(nogil=True, cache=True)
def _push_relabel(
    starts: Any,
    ids: Any,
    reverse_edge: Any,
    flow: Any,
    excess: Any,
    seeds: Any,
    capacity: int,
    level: Any,
    queue: Any,
) -> None:
    """Relabel and push, until no page that reaches a seed has excess."""
    had_excess = True
    while had_excess:
        reached = _relabel_by_bfs(starts, ids, flow, seeds, capacity, level, queue)
        had_excess = _push_wave(
            starts, ids, reverse_edge, flow, excess, capacity, level, queue[seeds.size : reached]
        )


@njit(nogil=True, cache=True)
def _relabel_by_bfs(
    starts: Any, ids: Any, flow: Any, seeds: Any, capacity: int, level: Any, queue: Any
) -> int:
    """Distance of each page to a seed in the residual graph, -1 if unreachable.

    Pages are listed in `queue` by distance; returns how many.
    """
    level[:] = -1
    end = 0
    for seed in seeds:
        level[seed] = 0
        queue[end] = seed
        end += 1
    head = 0
    while head < end:
        page = queue[head]
        head += 1
        for link in range(starts[page], starts[page + 1]):
            other = ids[link]
            if level[other] < 0 and flow[link] > -capacity:
                level[other] = level[page] + 1
                queue[end] = other
                end += 1
    return end


@njit(nogil=True, cache=True)
def _push_wave(
    starts: Any,
    ids: Any,
    reverse_edge: Any,
    flow: Any,
    excess: Any,
    capacity: int,
    level: Any,
    queue: Any,
) -> bool:
    """Push excess to the next level, from the farthest page on; return whether there was any."""
    had_excess = False
    for at in range(queue.size - 1, -1, -1):
        page = queue[at]
        remaining = excess[page]
        if remaining == 0:
            continue
        had_excess = True
        below = level[page] - 1
        for link in range(starts[page], starts[page + 1]):
            other = ids[link]
            residual = capacity - flow[link]
            if level[other] == below and residual > 0:
                units = min(remaining, residual)
                flow[link] += units
                flow[reverse_edge[link]] -= units
                excess[other] += units
                remaining -= units
                if remaining == 0:
                    break
        excess[page] = remaining
    return had_excess
