"""Operations on CSR: build from edges, cut subgraphs, merge groups, top entries of rows."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import CSR, Floats, Ids, Offsets, Weights, to_float32_if_exact

UINT64_LOW_32_BITS, UINT64_32 = np.uint64(0xFFFFFFFF), np.uint64(32)


def csr_from_edges(source: Ids, target: Ids, n: int) -> CSR:
    """Build the sorted rows of links by source, from edges in any order, without self-links.

    Parallel links are merged; their weight is how many there were. Two
    counting sorts, by target and then by source, leave every row sorted.

    Examples
    --------
    >>> ends = np.array([1, 0, 1, 1], np.int32), np.array([2, 1, 2, 0], np.int32)
    >>> rows = csr_from_edges(*ends, 3)
    >>> rows.starts.tolist(), rows.ids.tolist(), rows.weights.tolist()
    ([0, 1, 3, 3], [1, 0, 2], [1.0, 1.0, 2.0])
    """
    by_target = np.zeros(n + 2, np.int64)
    _shifted_row_starts(target, source, by_target)
    sources = np.empty(by_target[-1], np.int32)
    _scatter_edges(target, source, by_target, sources)
    starts = np.zeros(n + 2, np.int64)
    _shifted_row_starts(source, target, starts)
    ids = np.empty(len(sources), np.int32)
    _transpose_rows(by_target, sources, starts, ids)
    del sources
    if not _has_duplicates(starts, ids):
        return CSR(starts[:-1], ids)
    counts = np.empty(len(ids), np.uint32)
    count = _merge_duplicates(starts, ids, counts)
    return CSR(starts[:-1], ids[:count].copy(), to_float32_if_exact(counts[:count]))


@njit(nogil=True, cache=True)
def _shifted_row_starts(rows: Any, columns: Any, starts: Any) -> None:
    """Where each row begins, one place later: scattering moves every start to its place."""
    for link in range(rows.size):
        if rows[link] != columns[link]:
            starts[rows[link] + 2] += 1
    for row in range(1, starts.size):
        starts[row] += starts[row - 1]


@njit(nogil=True, cache=True)
def _scatter_edges(rows: Any, columns: Any, starts: Any, output: Any) -> None:
    for link in range(rows.size):
        if rows[link] != columns[link]:
            output[starts[rows[link] + 1]] = columns[link]
            starts[rows[link] + 1] += 1


@njit(nogil=True, cache=True)
def _transpose_rows(by_target: Any, sources: Any, starts: Any, ids: Any) -> None:
    """Scatter the links, target by target, to the rows of their sources."""
    for target in range(by_target.size - 2):
        for link in range(by_target[target], by_target[target + 1]):
            row = sources[link] + 1
            ids[starts[row]] = target
            starts[row] += 1


@njit(nogil=True, cache=True)
def _has_duplicates(starts: Any, ids: Any) -> bool:
    """Whether some sorted row has an id twice."""
    for row in range(starts.size - 2):
        for link in range(starts[row] + 1, starts[row + 1]):
            if ids[link] == ids[link - 1]:
                return True
    return False


@njit(nogil=True, cache=True)
def _merge_duplicates(starts: Any, ids: Any, counts: Any) -> int:
    """Merge repeated ids of sorted rows in place, with their counts; return how many are left."""
    merged, link = 0, 0
    for row in range(starts.size - 2):
        row_start, end = merged, starts[row + 1]
        starts[row] = row_start
        while link < end:
            if merged > row_start and ids[merged - 1] == ids[link]:
                counts[merged - 1] += 1
            else:
                ids[merged] = ids[link]
                counts[merged] = 1
                merged += 1
            link += 1
    starts[starts.size - 2] = merged
    return merged


@njit(nogil=True, cache=True)
def find_induced_links(
    starts: Offsets, ids: Ids, pages: Ids, local_ids: Ids
) -> tuple[Offsets, Ids, Ids]:
    """Positions, local sources and local targets of the links among some sorted pages.

    The local id of a page is its index in `pages`. `local_ids` has it for every
    page of the graph, -1 for others; if empty, it is found by binary search.

    Examples
    --------
    >>> rows = np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0], np.int32)
    >>> some = np.array([0, 2], np.int32), np.array([0, -1, 1], np.int32)
    >>> [found.tolist() for found in find_induced_links(*rows, *some)]
    [[1, 3], [0, 1], [1, 0]]
    """
    capacity = 0
    for page in pages:
        capacity += starts[page + 1] - starts[page]
    positions = np.empty(capacity, np.int64)
    source, target = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    count = 0
    for local in range(pages.size):
        for link in range(starts[pages[local]], starts[pages[local] + 1]):
            neighbour = (
                local_ids[ids[link]] if local_ids.size else _index_in_sorted(pages, ids[link])
            )
            if neighbour >= 0:
                positions[count], source[count], target[count] = link, local, neighbour
                count += 1
    return positions[:count], source[:count], target[:count]


@njit(nogil=True, cache=True)
def filter_induced_links(
    rows: tuple[Offsets, Ids, Weights],
    pages: Ids,
    local_ids: Ids,
    dropped_positions: Offsets,
    page_rules: tuple[Ids, Ids, Ids],
    keep_code: int,
) -> tuple[Ids, Ids, Weights, Offsets]:
    """Filter the links among some pages by rules; count the dropped ones by reason.

    Pages and local ids are as for `find_induced_links`; empty weights mean that
    all are one. `dropped_positions` are sorted positions of links to drop for
    reason 0. `page_rules` has for each page the reason to drop a link from it,
    the reason to drop a link to it, and its id in the result. `keep_code`
    stands for no reason; of two reasons the smaller is counted. A link to a
    page outside, whose local id is -1, is dropped without being counted.

    Examples
    --------
    >>> rows = (
    ...     np.array([0, 2, 3, 4]),
    ...     np.array([1, 2, 0, 0], np.int32),
    ...     np.zeros(0, np.float32),
    ... )
    >>> every, none = np.arange(3, dtype=np.int32), np.zeros(0, np.int64)
    >>> rules = np.array([2, 1, 2], np.int32), np.array([2, 1, 2], np.int32), every
    >>> [found.tolist() for found in filter_induced_links(rows, every, every, none, rules, 2)]
    [[0, 2], [2, 0], [1.0, 1.0], [0, 2, 2]]
    """
    (starts, ids, weights), (source_rule, target_rule, new_ids) = rows, page_rules
    # index -1, the last entry, stands for pages outside
    target_rule, new_ids = np.append(target_rule, np.int32(-1)), np.append(new_ids, np.int32(0))
    capacity = 0
    for page in pages:
        capacity += starts[page + 1] - starts[page]
    source, target = np.empty(capacity + 1, np.int32), np.empty(capacity + 1, np.int32)
    weight = np.empty(capacity + 1, weights.dtype)
    counts, kept, mark = np.zeros(keep_code + 1, np.int64), 0, 0
    for local in range(pages.size):
        for link in range(starts[pages[local]], starts[pages[local] + 1]):
            other = local_ids[ids[link]] if local_ids.size else _index_in_sorted(pages, ids[link])
            reason = min(source_rule[local], target_rule[other])
            while mark < dropped_positions.size and dropped_positions[mark] < link:
                mark += 1
            if mark < dropped_positions.size and dropped_positions[mark] == link:
                reason = min(reason, 0)
            source[kept], target[kept] = new_ids[local], new_ids[other]
            weight[kept] = weights[link] if weights.size else 1
            kept += reason == keep_code  # else it is overwritten
            if 0 <= reason < keep_code:
                counts[reason] += 1
    counts[keep_code] = kept
    return source[:kept], target[:kept], weight[:kept], counts


@njit(nogil=True, cache=True)
def find_link_ranges(
    starts: Offsets, ids: Ids, source: Ids, target: Ids
) -> tuple[Offsets, Offsets]:
    """Where the links of each pair of source and target begin and end in sorted rows.

    Examples
    --------
    >>> rows = np.array([0, 3, 4]), np.array([1, 1, 2, 0], np.int32)
    >>> pairs = np.array([0, 1], np.int32), np.array([1, 2], np.int32)
    >>> [found.tolist() for found in find_link_ranges(*rows, *pairs)]
    [[0, 4], [2, 4]]
    """
    first, last = np.empty(source.size, np.int64), np.empty(source.size, np.int64)
    for pair in range(source.size):
        begin, end = starts[source[pair]], starts[source[pair] + 1]
        first[pair] = begin + _lower_bound(ids[begin:end], target[pair])
        last[pair] = begin + _lower_bound(ids[begin:end], target[pair] + 1)
    return first, last


@njit(nogil=True, cache=True)
def _index_in_sorted(pages: Any, page: int) -> int:
    """The index of a page in sorted pages, -1 if it is not among them."""
    at = _lower_bound(pages, page)
    return at if at < pages.size and pages[at] == page else -1


@njit(nogil=True, cache=True)
def _lower_bound(pages: Any, page: int) -> int:
    """The number of sorted pages below one: binary search."""
    low, high = 0, pages.size
    while low < high:
        middle = (low + high) // 2
        if pages[middle] < page:
            low = middle + 1
        else:
            high = middle
    return low


@njit(nogil=True, cache=True)
def induced_subgraph(
    starts: Offsets, ids: Ids, weights: Any, new_ids: Ids, n: int
) -> tuple[Offsets, Ids, Any]:
    """The CSR of the `n` pages with a new id, with the links among them only.

    New ids ascend, and are -1 for pages left out. Empty weights stay empty.

    Examples
    --------
    >>> rows = np.array([0, 2, 3, 4]), np.array([1, 2, 2, 0], np.int32)
    >>> none, number = np.zeros(0, np.float32), np.array([0, -1, 1], np.int32)
    >>> [found.tolist() for found in induced_subgraph(*rows, none, number, 2)]
    [[0, 1, 2], [1, 0], []]
    """
    pages = np.flatnonzero(new_ids >= 0)
    capacity = np.int64(0)
    for page in pages:
        capacity += starts[page + 1] - starts[page]
    new_starts = np.zeros(n + 1, np.int64)
    targets = np.empty(capacity, np.int32)
    new_weights = np.empty(capacity if weights.size else 0, weights.dtype)
    count = 0
    for page in pages:
        for link in range(starts[page], starts[page + 1]):
            targets[count] = new_ids[ids[link]]
            if weights.size:
                new_weights[count] = weights[link]
            count += targets[count] >= 0  # else it is overwritten
        new_starts[new_ids[page] + 1] = count
    return new_starts, targets[:count], new_weights[:count]


@njit(nogil=True, cache=True)
def quotient_graph(
    starts: Offsets, ids: Ids, weights: Any, group_ids: Ids, n: int
) -> tuple[Offsets, Ids, Floats]:
    """The CSR of `n` groups: weights are the sums over the links from one group to another.

    Links inside a group are left out. Empty weights mean that links weigh one.
    Targets are in the order in which they are met.

    Examples
    --------
    >>> rows = np.array([0, 2, 3, 4]), np.array([1, 2, 2, 0], np.int32)
    >>> none, group = np.zeros(0, np.float32), np.array([0, 0, 1], np.int32)
    >>> [found.tolist() for found in quotient_graph(*rows, none, group, 2)]
    [[0, 1, 2], [1, 0], [2.0, 1.0]]
    """
    group_starts, pages = _pages_by_group(group_ids, n)
    last_seen_by, total, neighbours = np.full(n, -1, np.int32), np.zeros(n), np.empty(n, np.int32)
    new_starts = np.zeros(n + 1, np.int64)
    # upper bounds: memory that is never written to takes none
    targets, sums = np.empty(ids.size, np.int32), np.empty(ids.size)
    for group in range(n):
        members = pages[group_starts[group] : group_starts[group + 1]]
        count = _sum_group_links(
            members, starts, ids, weights, group_ids, group, last_seen_by, total, neighbours
        )
        first, last = new_starts[group], new_starts[group] + count
        targets[first:last], sums[first:last] = neighbours[:count], total[neighbours[:count]]
        new_starts[group + 1] = last
    return new_starts, targets[: new_starts[n]], sums[: new_starts[n]]


@njit(nogil=True, cache=True)
def _sum_group_links(
    members: Any,
    starts: Offsets,
    ids: Ids,
    weights: Any,
    group_ids: Ids,
    own_group: int,
    last_seen_by: Ids,
    total: Floats,
    neighbour_groups: Ids,
) -> int:
    """Sum the links of a group's members by target group; list the groups, return how many."""
    count = 0
    for page in members:
        for link in range(starts[page], starts[page + 1]):
            other = group_ids[ids[link]]
            if other != own_group:
                if last_seen_by[other] != own_group:
                    last_seen_by[other], total[other], neighbour_groups[count] = (
                        own_group,
                        0.0,
                        other,
                    )
                    count += 1
                total[other] += weights[link] if weights.size else 1.0
    return count


@njit(nogil=True, cache=True)
def _pages_by_group(group_ids: Ids, n: int) -> tuple[Offsets, Ids]:
    """The pages group by group, ascending, and where each group begins."""
    group_starts = np.zeros(n + 1, np.int64)
    for group in group_ids:
        group_starts[group + 1] += 1
    group_starts = np.cumsum(group_starts)
    next_free, pages = group_starts[:-1].copy(), np.empty(group_ids.size, np.int32)
    for page in range(group_ids.size):
        pages[next_free[group_ids[page]]] = page
        next_free[group_ids[page]] += 1
    return group_starts, pages


@njit(cache=True, nogil=True)
def top_weights_per_row(
    starts: Offsets, ids: Ids, weights: Weights, id_weights: Floats, max_per_row: int
) -> tuple[Offsets, Ids, Weights]:
    """The CSR of the heaviest entries of each row, at most `max_per_row`, heaviest first.

    An entry weighs its weight times that of its id. Ties keep their order;
    entries of weight zero are dropped.

    Examples
    --------
    >>> rows = np.array([0, 3, 4]), np.array([0, 1, 2, 3], np.int32)
    >>> found = top_weights_per_row(
    ...     *rows, np.array([1, 3, 1, 0], np.float32), np.array([1.0, 1, 2, 1]), 2
    ... )
    >>> [array.tolist() for array in found]
    [[0, 2, 2], [1, 2], [3.0, 2.0]]
    """
    weight = np.empty(len(ids), np.float32)
    for k in range(len(ids)):
        weight[k] = weights[k] * id_weights[ids[k]]
    bits = weight.view(np.uint32)  # of positive floats, bits sort as the values do
    best, new_starts, end = np.zeros(max_per_row, np.uint64), np.zeros(len(starts), np.int64), 0
    new_ids, new_weights = np.empty(len(ids), np.int32), np.empty(len(ids), np.float32)
    for row in range(len(starts) - 1):
        best[:] = 0
        for k in range(starts[row], starts[row + 1]):
            # weight above, position below: the largest key is the heaviest and first entry
            key = np.uint64(bits[k]) << UINT64_32 | UINT64_LOW_32_BITS - np.uint64(k - starts[row])
            if weight[k] > 0 and key > best[max_per_row - 1]:
                at = max_per_row - 1
                while at > 0 and best[at - 1] < key:
                    best[at] = best[at - 1]
                    at -= 1
                best[at] = key
        for key in best[best > 0]:
            at = starts[row] + np.int64(UINT64_LOW_32_BITS - (key & UINT64_LOW_32_BITS))
            new_ids[end], new_weights[end], end = ids[at], weight[at], end + 1
        new_starts[row + 1] = end
    return new_starts, new_ids[:end].copy(), new_weights[:end].copy()
