"""Bipartite cores: pruning of fans and centres, and enumeration of the cores that remain.

An (i, j) core is a set of j centres that at least i fans all link to. Here
page p is node p as a fan and node n + p as a centre, and `needs` are the links
that a fan (j) and a centre (i) must have.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from weft.core.arrays import CSR, Ids, Offsets
from weft.kernels.compiler import njit

QUEUE_HEAD, QUEUE_TAIL, READY, READY_TAKEN, PRUNED = 0, 1, 2, 4, 6
COUNT_NAMES = (
    "fans with too few links",
    "centres with too few fans",
    "fans of one core at most",
    "centres of one set of fans",
    "sets found with those",
    "fans left",
    "centres left",
    "links left",
    "sets tried",
    "centres cut short",
)
TOO_FEW_LINKS, OF_ONE_CORE, EARLY_SETS, LEFT, LINKS_LEFT = 0, 2, 4, 5, 7
SETS_TRIED, CENTRES_CUT_SHORT = 8, 9
MIN_TRIES_PER_CENTRE = 64
IdTable = npt.NDArray[np.int32]


class PruneState(NamedTuple):
    """The remaining degree of each node, -1 once removed.

    `queue` has the nodes to remove, `ready` those with just enough links: fans
    from 0 on, centres from n on. `counts` are positions in both, and how many
    fans and centres with some links were pruned.
    """

    degrees: Ids
    queue: Ids
    ready: Ids
    counts: Offsets


class BipartiteCores(NamedTuple):
    """The centres of each core, one row each, ascending and distinct; and counts of the search.

    `counts` has the counts of the steps by name. Centres that were cut short
    may have more cores than were found.
    """

    centres: IdTable
    counts: dict[str, int]


def prune_to_fixed_point(
    outlinks: CSR, inlinks: CSR, min_sizes: tuple[int, int]
) -> tuple[Ids, Ids]:
    """Iteratively prune fans with too few centres, and centres with too few fans.

    `min_sizes` are the numbers of fans and of centres of a core. Returns the
    remaining degree of each page as a fan and as a centre, -1 if it was pruned:
    every remaining page has enough links to other remaining pages.
    """
    degrees = _prune(_bipartite_rows(outlinks, inlinks), min_sizes[::-1]).degrees
    return degrees[: len(degrees) // 2], degrees[len(degrees) // 2 :]


def enumerate_cores(
    outlinks: CSR, inlinks: CSR, min_sizes: tuple[int, int], max_sets: int
) -> BipartiteCores:
    """Every set of `min_sizes[1]` centres, two or more, with at least `min_sizes[0]` common fans.

    Pages with too few links are pruned first; then pages with just enough
    links, which can be in one core only, are checked and removed. The others
    are searched centre by centre: sets with enough common fans grow by one
    centre at a time. If more than `max_sets` sets would be tried, the search
    starts again with the same small number of tries for each centre.

    Examples
    --------
    >>> out = CSR(np.array([0, 2, 4, 4, 4]), np.array([2, 3, 2, 3], np.int32))
    >>> into = CSR(np.array([0, 0, 0, 2, 4]), np.array([0, 1, 0, 1], np.int32))
    >>> enumerate_cores(out, into, (2, 2), 100).centres.tolist()
    [[2, 3]]
    """
    rows, needs, n = _bipartite_rows(outlinks, inlinks), min_sizes[::-1], len(outlinks.starts) - 1
    state = _prune(rows, needs)
    share = max_sets // max(int(np.count_nonzero(state.degrees[n:] >= 0)), 1)
    cores, counts = _enumerate_cores(rows, state, needs, max_sets, max_sets)
    if counts[SETS_TRIED] > max_sets:
        no_limit = np.iinfo(np.int64).max
        tries = max(MIN_TRIES_PER_CENTRE, share)
        cores, counts = _enumerate_cores(rows, _prune(rows, needs), needs, tries, no_limit)
    centres = np.sort(cores - np.int32(n), axis=1)
    return BipartiteCores(
        _distinct_rows(centres), dict(zip(COUNT_NAMES, counts.tolist(), strict=True))
    )


def _bipartite_rows(outlinks: CSR, inlinks: CSR) -> tuple[Offsets, Ids]:
    """The centres of each fan, then the fans of each centre."""
    n = len(outlinks.starts) - 1
    starts = np.concatenate([outlinks.starts, outlinks.starts[-1] + inlinks.starts[1:]])
    return starts, np.concatenate([outlinks.ids + np.int32(n), inlinks.ids])


def _distinct_rows(rows: IdTable) -> IdTable:
    """The distinct rows, in lexicographic order."""
    rows = rows[np.lexsort(rows.T[::-1])]
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[is_new]


def common_fans(inlinks: CSR, sets: IdTable) -> CSR:
    """The common fans of each set: the pages that link to all its pages."""
    rows = np.asarray(inlinks.starts), np.asarray(inlinks.ids)
    starts = np.zeros(len(sets) + 1, np.int64)
    _write_common_fans(*rows, sets, starts, np.zeros(0, np.int32))
    np.cumsum(starts, out=starts)
    ids = np.empty(int(starts[-1]), np.int32)
    _write_common_fans(*rows, sets, starts, ids)
    return CSR(starts, ids)


@njit(nogil=True, cache=True)
def _write_common_fans(starts: Any, ids: Any, sets: Any, ends: Any, fans: Any) -> None:
    """Count the common fans of row r in `ends[r + 1]`; or write them, if `fans` has room."""
    written = 0
    for row in range(sets.shape[0]):
        shortest = sets[row, 0]
        for page in sets[row]:
            if starts[page + 1] - starts[page] < starts[shortest + 1] - starts[shortest]:
                shortest = page
        for page in ids[starts[shortest] : starts[shortest + 1]]:
            if _is_in_all_rows(starts, ids, sets[row], shortest, page):
                if fans.size:
                    fans[written] = page
                    written += 1
                else:
                    ends[row + 1] += 1


@njit(nogil=True, cache=True)
def _is_in_all_rows(starts: Any, ids: Any, rows: Any, skipped_row: int, page: int) -> bool:
    """Whether a page is in all of some sorted rows, of which one may be skipped."""
    for row in rows:
        if row != skipped_row:
            members = ids[starts[row] : starts[row + 1]]
            at = np.searchsorted(members, page)
            if at == members.size or members[at] != page:
                return False
    return True


def _prune(rows: tuple[Offsets, Ids], needs: tuple[int, ...]) -> PruneState:
    degrees = np.diff(rows[0]).astype(np.int32)
    queue, ready = np.empty_like(degrees), np.empty_like(degrees)
    state = PruneState(degrees, queue, ready, np.zeros(8, np.int64))
    _prune_all(rows, state, needs)
    return state


@njit(nogil=True, cache=True)
def _prune_all(rows: Any, state: Any, needs: Any) -> None:
    for node in range(state.degrees.size):
        _queue_if_few(node, state, needs)
    _remove_queued(rows, state, needs)


@njit(nogil=True, cache=True)
def _queue_if_few(node: int, state: Any, needs: Any) -> None:
    """Queue a node with too few links for removal; list one with just enough as ready."""
    n = state.degrees.size // 2
    side = int(node >= n)
    if state.degrees[node] < needs[side]:
        state.queue[state.counts[QUEUE_TAIL]] = node
        state.counts[QUEUE_TAIL] += 1
    elif state.degrees[node] == needs[side]:
        state.ready[side * n + state.counts[READY + side]] = node
        state.counts[READY + side] += 1


@njit(nogil=True, cache=True)
def _remove_queued(rows: Any, state: Any, needs: Any) -> None:
    """Remove the queued nodes, and all that then have too few links."""
    starts, ids = rows
    degrees, counts = state.degrees, state.counts
    n = degrees.size // 2
    while counts[QUEUE_HEAD] < counts[QUEUE_TAIL]:
        node = state.queue[counts[QUEUE_HEAD]]
        counts[QUEUE_HEAD] += 1
        side = int(node >= n)
        counts[PRUNED + side] += 0 < degrees[node] < needs[side]
        degrees[node] = -1
        for other in ids[starts[node] : starts[node + 1]]:
            if degrees[other] > 0:
                degrees[other] -= 1
                if degrees[other] + 1 >= needs[1 - side]:  # else it is in the queue already
                    _queue_if_few(other, state, needs)


@njit(nogil=True, cache=True)
def _enumerate_cores(rows: Any, state: Any, needs: Any, max_tries: int, max_sets: int) -> Any:
    """The cores of nodes that can be in one only, then those of each remaining centre."""
    n = state.degrees.size // 2
    cores, core_count = np.empty((1024, needs[0]), np.int32), 0
    counts = np.zeros(10, np.int64)
    scratch = np.zeros(2 * n, np.int32)
    centre = -1  # the next one to search, once no node is ready
    while counts[SETS_TRIED] <= max_sets:
        node = _take_ready(state, needs)
        if node < 0:
            if centre < 0:
                _record_counts(state, counts, core_count)
            centre = max(centre, n)
            while centre < 2 * n and state.degrees[centre] < 0:
                centre += 1
            if centre == 2 * n:
                break
            node = centre
        if node < n:
            cores, core_count = _core_of_fan(rows, state, node, needs, cores, core_count)
        else:
            others, shares_fan = _candidate_centres(rows, state, node, needs[1], scratch)
            cores, core_count = _cores_of_centre(
                node, others, shares_fan, needs, cores, core_count, counts, max_tries
            )
        counts[OF_ONE_CORE + int(node >= n)] += centre < 0
        state.queue[state.counts[QUEUE_TAIL]] = node
        state.counts[QUEUE_TAIL] += 1
        _remove_queued(rows, state, needs)
    return cores[:core_count], counts


@njit(nogil=True, cache=True)
def _take_ready(state: Any, needs: Any) -> Any:
    """The next fan, or else centre, that still has just enough links; -1 if there is none."""
    n = state.degrees.size // 2
    for side in range(2):
        while state.counts[READY_TAKEN + side] < state.counts[READY + side]:
            node = state.ready[side * n + state.counts[READY_TAKEN + side]]
            state.counts[READY_TAKEN + side] += 1
            if state.degrees[node] == needs[side]:
                return node
    return -1


@njit(nogil=True, cache=True)
def _record_counts(state: Any, counts: Any, core_count: int) -> None:
    """Count what was pruned, and what remains once no node can be in one core only."""
    n = state.degrees.size // 2
    counts[TOO_FEW_LINKS : TOO_FEW_LINKS + 2] = state.counts[PRUNED : PRUNED + 2]
    counts[EARLY_SETS] = core_count
    counts[LEFT] = np.sum(state.degrees[:n] >= 0)
    counts[LEFT + 1] = np.sum(state.degrees[n:] >= 0)
    counts[LINKS_LEFT] = np.sum(np.maximum(state.degrees[:n], 0))


@njit(nogil=True, cache=True)
def _core_of_fan(rows: Any, state: Any, fan: int, needs: Any, cores: Any, core_count: int) -> Any:
    """Write the only candidate core of a fan with just enough links, if it is a core."""
    starts, ids = rows
    cores = _ensure_capacity(cores, core_count)
    size = 0
    for centre in ids[starts[fan] : starts[fan + 1]]:
        if state.degrees[centre] >= 0:
            cores[core_count, size] = centre
            size += 1
    first, common = cores[core_count, 0], 0
    for other in ids[starts[first] : starts[first + 1]]:
        if state.degrees[other] >= 0:
            common += _is_in_all_rows(starts, ids, cores[core_count], first, other)
    return cores, core_count + (common >= needs[1])


@njit(nogil=True, cache=True)
def _ensure_capacity(cores: Any, core_count: int) -> Any:
    return cores if core_count < len(cores) else np.concatenate((cores, np.empty_like(cores)))


@njit(nogil=True, cache=True)
def _candidate_centres(rows: Any, state: Any, head: int, min_fans: int, scratch: Any) -> Any:
    """Other centres that share enough fans with the head, ascending, and which fans these are.

    `scratch` is zero for all nodes, before and after.
    """
    starts, ids = rows
    fans = ids[starts[head] : starts[head + 1]]
    fans = fans[state.degrees[fans] >= 0]
    for fan in fans:
        for other in ids[starts[fan] : starts[fan + 1]]:
            scratch[other] += state.degrees[other] >= 0
    scratch[head] = 0
    others = np.empty(np.sum(state.degrees[fans]), np.int32)
    count = 0
    for fan in fans:
        for other in ids[starts[fan] : starts[fan + 1]]:
            if scratch[other] >= min_fans:
                others[count] = other
                count += 1
            scratch[other] = 0
    others = np.sort(others[:count])
    scratch[others] = np.arange(1, count + 1)
    shares_fan = np.zeros((count + 1, fans.size), np.uint8)  # row 0 is that of all other nodes
    for k in range(fans.size):
        for other in ids[starts[fans[k]] : starts[fans[k] + 1]]:
            shares_fan[scratch[other], k] = 1
    scratch[others] = 0
    return others, shares_fan[1:]


@njit(nogil=True, cache=True)
def _cores_of_centre(
    head: int,
    others: Any,
    shares_fan: Any,
    needs: Any,
    cores: Any,
    core_count: int,
    counts: Any,
    max_tries: int,
) -> Any:
    """Write all cores of a centre: depth-first search over sets of other centres.

    `common[d]` marks the head's fans that link to the first d chosen centres as well.
    """
    size = needs[0] - 1
    common = np.ones((size + 1, shares_fan.shape[1]), np.uint8)
    chosen = np.empty(size, np.int64)
    tried, depth, candidate = 0, 0, 0
    while True:
        if candidate > others.size - (size - depth):  # too few candidates left: backtrack
            if depth == 0:
                break
            depth -= 1
            candidate = chosen[depth] + 1
            continue
        if tried == max_tries:
            counts[CENTRES_CUT_SHORT] += 1
            break
        tried += 1
        fans = 0
        for k in range(shares_fan.shape[1]):
            common[depth + 1, k] = common[depth, k] & shares_fan[candidate, k]
            fans += common[depth + 1, k]
        if fans >= needs[1]:
            chosen[depth] = candidate
            if depth + 1 == size:
                cores = _ensure_capacity(cores, core_count)
                cores[core_count, 0] = head
                cores[core_count, 1:] = others[chosen]
                core_count += 1
            else:
                depth += 1
        candidate += 1
    counts[SETS_TRIED] += tried
    return cores, core_count
