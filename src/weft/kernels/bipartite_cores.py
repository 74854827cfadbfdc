"""Bipartite cores: pruning of fans and centres, and enumeration of the cores that remain.

An (i, j) core is a set of j centres that at least i fans all link to.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from weft.core.arrays import CSR, Ids, Offsets

PRUNED_FANS, PRUNED_CENTRES, QUEUE_HEAD, QUEUE_TAIL, READY_FANS, READY_CENTRES = range(6)
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
(
    FANS_WITH_FEW_LINKS,
    CENTRES_WITH_FEW_FANS,
    FANS_OF_ONE_CORE,
    CENTRES_OF_ONE_CORE,
    EARLY_SETS,
    REMAINING_FANS,
    REMAINING_CENTRES,
    REMAINING_LINKS,
) = range(8)
SETS_TRIED, CENTRES_CUT_SHORT = 8, 9
MIN_TRIES_PER_CENTRE = 64
_NO_LIMIT = np.iinfo(np.int64).max


class PruneState(NamedTuple):
    """The remaining degree of each page as a fan and as a centre, -1 once removed.

    `waiting` is the queue of nodes to remove; centre c is node n + c. `ready`
    lists the fans with exactly as many links as a core needs, and from
    position n on such centres. `counts` has, by the constants above, how many
    fans and centres were pruned, head and tail of the queue, and how many
    fans and centres are ready.
    """

    fans: Ids
    centres: Ids
    waiting: Ids
    ready: Ids
    counts: Offsets


def prune_to_fixed_point(outlinks: CSR, inlinks: CSR, min_sizes: tuple[int, int]) -> PruneState:
    """Iteratively prune fans with too few centres, and centres with too few fans.

    `min_sizes` are the numbers of fans and of centres of a core. Every
    remaining page has enough links to other remaining pages.
    """
    n = len(outlinks.starts) - 1
    degrees = [np.diff(rows.starts).astype(np.int32) for rows in (outlinks, inlinks)]
    buffers = [np.empty(2 * n, np.int32) for _ in range(2)]
    state = PruneState(degrees[0], degrees[1], buffers[0], buffers[1], np.zeros(6, np.int64))
    _queue_all_pages((*outlinks[:2], *inlinks[:2]), state, min_sizes)
    return state


@njit(nogil=True, cache=True)
def _queue_all_pages(rows: Any, state: Any, min_sizes: Any) -> None:
    n = state.fans.size
    for page in range(n):
        _queue_if_too_few(state.fans[page], min_sizes[1], page, READY_FANS, 0, state)
    for page in range(n):
        _queue_if_too_few(state.centres[page], min_sizes[0], n + page, READY_CENTRES, n, state)
    remove_queued(rows, state, min_sizes)


@njit(nogil=True, cache=True)
def _queue_if_too_few(
    links: int, enough: int, node: int, kind: int, shift: int, state: Any
) -> None:
    """Queue a node with too few links for removal; list one with just enough as ready."""
    if links < enough:
        state.waiting[state.counts[QUEUE_TAIL]] = node
        state.counts[QUEUE_TAIL] += 1
    elif links == enough:
        state.ready[shift + state.counts[kind]] = node - shift
        state.counts[kind] += 1


@njit(nogil=True, cache=True)
def queue_removal(node: int, state: Any) -> None:
    """Queue a fan, or a centre as node n + centre, for removal."""
    state.waiting[state.counts[QUEUE_TAIL]] = node
    state.counts[QUEUE_TAIL] += 1


@njit(nogil=True, cache=True)
def remove_queued(rows: Any, state: Any, min_sizes: Any) -> None:
    """Remove the queued nodes, and all that then have too few links."""
    n = state.fans.size
    out_starts, out_ids, in_starts, in_ids = rows
    while state.counts[QUEUE_HEAD] < state.counts[QUEUE_TAIL]:
        node = state.waiting[state.counts[QUEUE_HEAD]]
        state.counts[QUEUE_HEAD] += 1
        if node < n:
            state.counts[PRUNED_FANS] += 0 < state.fans[node] < min_sizes[1]
            state.fans[node] = -1
            for link in range(out_starts[node], out_starts[node + 1]):
                _drop_link(state.centres, out_ids[link], min_sizes[0], READY_CENTRES, n, state)
        else:
            page = node - n
            state.counts[PRUNED_CENTRES] += 0 < state.centres[page] < min_sizes[0]
            state.centres[page] = -1
            for link in range(in_starts[page], in_starts[page + 1]):
                _drop_link(state.fans, in_ids[link], min_sizes[1], READY_FANS, 0, state)


@njit(nogil=True, cache=True)
def _drop_link(side: Any, page: int, enough: int, kind: int, shift: int, state: Any) -> None:
    """Remove a link of a page; a page that had too few before is queued already."""
    if side[page] > 0:
        side[page] -= 1
        if side[page] + 1 >= enough:
            _queue_if_too_few(side[page], enough, page + shift, kind, shift, state)


class BipartiteCores(NamedTuple):
    """The centres of each core, one row each, ascending and distinct; and counts of the search.

    `counts` has the counts of the steps by name. Centres that were cut short
    may have more cores than were found.
    """

    centres: npt.NDArray[np.int32]
    counts: dict[str, int]


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
    state = prune_to_fixed_point(outlinks, inlinks, min_sizes)
    tries_per_centre = max(
        MIN_TRIES_PER_CENTRE, max_sets // max(int(np.count_nonzero(state.centres >= 0)), 1)
    )
    rows = (*outlinks[:2], *inlinks[:2])
    centres, counts = _enumerate_cores(rows, state, min_sizes, max_sets, max_sets)
    if counts[SETS_TRIED] > max_sets:
        centres, counts = _enumerate_cores(
            rows,
            prune_to_fixed_point(outlinks, inlinks, min_sizes),
            min_sizes,
            tries_per_centre,
            _NO_LIMIT,
        )
    return BipartiteCores(
        distinct_rows(centres), dict(zip(COUNT_NAMES, counts.tolist(), strict=True))
    )


def distinct_rows(rows: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """The distinct rows, in lexicographic order."""
    if not len(rows):
        return rows
    order = np.lexsort(rows.T[::-1])
    rows = rows[order]
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[is_new]


def common_fans(inlinks: CSR, sets: npt.NDArray[np.int32]) -> CSR:
    """The common fans of each set: the pages that link to all its pages."""
    starts = np.zeros(len(sets) + 1, np.int64)
    no_room = np.zeros(0, np.int32)
    _write_common_fans(*inlinks[:2], sets, starts, no_room)
    np.cumsum(starts, out=starts)
    ids = np.empty(int(starts[-1]), np.int32)
    _write_common_fans(*inlinks[:2], sets, starts, ids)
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
        for link in range(starts[shortest], starts[shortest + 1]):
            if not _is_in_all_rows(starts, ids, sets[row], shortest, ids[link]):
                continue
            if fans.size:
                fans[written] = ids[link]
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


@njit(nogil=True, cache=True)
def _enumerate_cores(
    rows: Any, state: Any, min_sizes: Any, tries_per_centre: int, max_sets: int
) -> Any:
    """The cores of pages that can be in one only, then those of each remaining centre."""
    n = state.fans.size
    cores = np.empty((1024, min_sizes[1]), np.int32)
    counts = np.zeros(10, np.int64)
    scratch = np.zeros(n, np.int32)
    cursors = np.array([0, 0, -1])
    core_count = 0
    while counts[SETS_TRIED] <= max_sets:
        searching_ready = cursors[2] < 0
        node = _next_candidate(state, min_sizes, cursors)
        if searching_ready and cursors[2] >= 0:
            _record_counts(state, counts, core_count)
        if node < 0:
            break
        if node < n:
            cores, core_count = _core_of_fan(rows, state, node, min_sizes, cores, core_count)
            counts[FANS_OF_ONE_CORE] += cursors[2] < 0
        else:
            cores, core_count = _cores_of_centre(
                rows,
                state,
                node - n,
                min_sizes,
                cores,
                core_count,
                counts,
                scratch,
                tries_per_centre,
            )
            counts[CENTRES_OF_ONE_CORE] += cursors[2] < 0
        queue_removal(node, state)
        remove_queued(rows, state, min_sizes)
    return cores[:core_count], counts


@njit(nogil=True, cache=True)
def _next_candidate(state: Any, min_sizes: Any, cursors: Any) -> Any:
    """A fan, or node n + centre, with just enough links, else any centre; -1 if none is left.

    `cursors` are the positions in the ready fans, the ready centres and all
    centres; the last is -1 until no page is ready.
    """
    n = state.fans.size
    while cursors[0] < state.counts[READY_FANS]:
        cursors[0] += 1
        fan = state.ready[cursors[0] - 1]
        if state.fans[fan] == min_sizes[1]:
            return fan
    while cursors[1] < state.counts[READY_CENTRES]:
        cursors[1] += 1
        centre = state.ready[n + cursors[1] - 1]
        if state.centres[centre] == min_sizes[0]:
            return n + centre
    cursors[2] = max(cursors[2], 0)
    while cursors[2] < n and state.centres[cursors[2]] < 0:
        cursors[2] += 1
    return n + cursors[2] if cursors[2] < n else -1


@njit(nogil=True, cache=True)
def _record_counts(state: Any, counts: Any, core_count: int) -> None:
    """Count what was pruned, and what remains once no page can be in one core only."""
    counts[FANS_WITH_FEW_LINKS], counts[CENTRES_WITH_FEW_FANS] = (
        state.counts[PRUNED_FANS],
        state.counts[PRUNED_CENTRES],
    )
    counts[EARLY_SETS] = core_count
    for page in range(state.fans.size):
        counts[REMAINING_FANS] += state.fans[page] >= 0
        counts[REMAINING_CENTRES] += state.centres[page] >= 0
        counts[REMAINING_LINKS] += max(state.fans[page], 0)


@njit(nogil=True, cache=True)
def _core_of_fan(
    rows: Any, state: Any, fan: int, min_sizes: Any, cores: Any, core_count: int
) -> Any:
    """Write the only candidate core of a fan with just enough links, if it is a core."""
    out_starts, out_ids, in_starts, in_ids = rows
    cores = _ensure_capacity(cores, core_count)
    size = 0
    for link in range(out_starts[fan], out_starts[fan + 1]):
        if state.centres[out_ids[link]] >= 0:
            cores[core_count, size] = out_ids[link]
            size += 1
    first, common = cores[core_count, 0], 0
    for link in range(in_starts[first], in_starts[first + 1]):
        page = in_ids[link]
        if state.fans[page] >= 0 and _is_in_all_rows(
            in_starts, in_ids, cores[core_count], first, page
        ):
            common += 1
    return cores, core_count + (common >= min_sizes[0])


@njit(nogil=True, cache=True)
def _ensure_capacity(cores: Any, core_count: int) -> Any:
    if core_count < len(cores):
        return cores
    larger = np.empty((2 * len(cores), cores.shape[1]), np.int32)
    larger[: len(cores)] = cores
    return larger


@njit(nogil=True, cache=True)
def _cores_of_centre(
    rows: Any,
    state: Any,
    head: int,
    min_sizes: Any,
    cores: Any,
    core_count: int,
    counts: Any,
    scratch: Any,
    tries_per_centre: int,
) -> Any:
    """Write all cores of a centre: depth-first search over sets of other centres.

    Fans are bits: `common[d]` is the set of the head's fans that link to the
    first d chosen centres as well.
    """
    others, masks = _candidate_centres(rows, state, head, min_sizes, scratch)
    size, word_count = min_sizes[1] - 1, masks.shape[1]
    common = np.empty((size + 1, word_count), np.uint64)
    common[0] = ~np.uint64(0)
    chosen = np.empty(size, np.int32)
    tried, depth, candidate = 0, 0, 0
    while True:
        if candidate > others.size - (size - depth):  # too few candidates left: backtrack
            if depth == 0:
                break
            depth -= 1
            candidate = chosen[depth] + 1
            continue
        if tried == tries_per_centre:
            counts[CENTRES_CUT_SHORT] += 1
            break
        tried += 1
        fans = 0
        for word in range(word_count):
            common[depth + 1, word] = common[depth, word] & masks[candidate, word]
            fans += _popcount(common[depth + 1, word])
        if fans >= min_sizes[0]:
            chosen[depth] = candidate
            if depth + 1 == size:
                cores = _ensure_capacity(cores, core_count)
                _write_core(cores[core_count], head, others, chosen)
                core_count += 1
            else:
                depth += 1
        candidate += 1
    counts[SETS_TRIED] += tried
    return cores, core_count


@njit(nogil=True, cache=True)
def _candidate_centres(rows: Any, state: Any, head: int, min_sizes: Any, scratch: Any) -> Any:
    """Other centres that share enough fans with the head, ascending, and their masks of fans."""
    out_starts, out_ids, in_starts, in_ids = rows
    head_fans = np.empty(state.centres[head], np.int32)
    fans = 0
    for link in range(in_starts[head], in_starts[head + 1]):
        if state.fans[in_ids[link]] >= 0:
            head_fans[fans] = in_ids[link]
            fans += 1
    others = _centres_shared_by(out_starts, out_ids, state, head_fans, head, min_sizes[0], scratch)
    masks = np.zeros((others.size, (fans + 63) >> 6), np.uint64)
    for position in range(others.size):  # position of each candidate plus one; 0 for other pages
        scratch[others[position]] = position + 1
    for bit in range(fans):
        for link in range(out_starts[head_fans[bit]], out_starts[head_fans[bit] + 1]):
            position = scratch[out_ids[link]]
            if position:
                masks[position - 1, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
    for other in others:
        scratch[other] = 0
    return others, masks


@njit(nogil=True, cache=True)
def _centres_shared_by(
    starts: Any, ids: Any, state: Any, fans: Any, head: int, min_fans: int, scratch: Any
) -> Any:
    """The centres other than the head that at least `min_fans` of the fans link to, ascending."""
    capacity = 0
    for fan in fans:
        capacity += state.fans[fan]
    others = np.empty(capacity, np.int32)
    count = 0
    for fan in fans:
        for other in ids[starts[fan] : starts[fan + 1]]:
            if state.centres[other] >= 0 and other != head:
                scratch[other] += 1
                if scratch[other] == min_fans:
                    others[count] = other
                    count += 1
    for fan in fans:
        for other in ids[starts[fan] : starts[fan + 1]]:
            scratch[other] = 0
    return np.sort(others[:count])


@njit(nogil=True, cache=True)
def _popcount(word: Any) -> Any:
    """The number of set bits."""
    # sums of 2, 4 and 8 adjacent bits, then of all bytes by a multiplication
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(nogil=True, cache=True)
def _write_core(row: Any, head: int, others: Any, chosen: Any) -> None:
    """Write the centres of a core, ascending: the chosen ones with the head among them."""
    at = 0
    placed = False
    for candidate in chosen:
        if not placed and others[candidate] > head:
            row[at] = head
            at += 1
            placed = True
        row[at] = others[candidate]
        at += 1
    if not placed:
        row[at] = head
