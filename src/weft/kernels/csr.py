"""Operations on CSR: edges, subgraphs, groups, reciprocal and repeated links, top entries."""

from typing import Any

import numpy as np

from weft.core.arrays import CSR, Flags, Floats, Ids, Offsets, Weights, to_float32_if_exact
from weft.kernels.compiler import njit
from weft.kernels.threads import next_piece, run_parallel

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
    >>> rows = (np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0], np.int32), np.zeros(0, np.float32))
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


WORK_PIECES = 256


def count_reciprocal_links(outlinks: CSR, inlinks: CSR) -> Ids:
    """The number of reciprocal links of each node; rows must be sorted.

    Examples
    --------
    >>> out = CSR(np.array([0, 2, 3, 3]), np.array([1, 2, 0], np.int32))
    >>> into = CSR(np.array([0, 1, 2, 3]), np.array([1, 0, 0], np.int32))
    >>> count_reciprocal_links(out, into).tolist()
    [1, 1, 0]
    """
    counts = np.zeros(len(outlinks.starts) - 1, np.int32)
    bounds = np.linspace(0, len(counts), WORK_PIECES + 1).astype(np.int64)
    arrays = (outlinks.starts, outlinks.ids, inlinks.starts, inlinks.ids)
    run_parallel(_count_reciprocal_kernel, bounds, *map(np.asarray, arrays), counts)
    return counts


@njit(nogil=True, cache=True)
def _count_reciprocal_kernel(
    queue: Any, bounds: Any, starts: Any, ids: Any, in_starts: Any, in_ids: Any, counts: Any
) -> None:
    """Merge the sorted out- and in-links of each node."""
    while True:
        piece = next_piece(queue)
        if piece >= bounds.size - 1:
            break
        for node in range(bounds[piece], bounds[piece + 1]):
            out, into = starts[node], in_starts[node]
            while out < starts[node + 1] and into < in_starts[node + 1]:
                target, source = ids[out], in_ids[into]
                counts[node] += target == source
                out += target <= source
                into += source <= target


@njit(nogil=True, cache=True)
def count_induced_links(
    outlinks: tuple[Any, Any], inlinks: tuple[Any, Any], nodes: Ids, n: int
) -> tuple[int, int]:
    """The number of links among some of n nodes, and how many of these are reciprocal.

    Examples
    --------
    >>> out = np.array([0, 2, 3, 3]), np.array([1, 2, 0], np.int32)
    >>> into = np.array([0, 1, 2, 3]), np.array([1, 0, 0], np.int32)
    >>> count_induced_links(out, into, np.array([0, 1], np.int32), 3)
    (2, 2)
    """
    is_member, links, reciprocal = np.zeros(n, np.bool_), 0, 0
    for node in nodes:
        is_member[node] = True
    for node in nodes:
        in_link, end = inlinks[0][node], inlinks[0][node + 1]
        for link in range(outlinks[0][node], outlinks[0][node + 1]):
            target = outlinks[1][link]
            while in_link < end and inlinks[1][in_link] < target:
                in_link += 1
            links += is_member[target]
            reciprocal += is_member[target] and in_link < end and inlinks[1][in_link] == target
    return links, reciprocal


@njit(nogil=True, cache=True)
def repeated_group_links(endpoints: tuple[Ids, Ids], order: Offsets, group_ids: Ids) -> Flags:
    """Links that repeat one of an earlier page of the same group to the same target.

    Links are sorted by source. `order` lists the pages group by group, and
    within a group in the order of precedence.

    Examples
    --------
    >>> ends = np.array([0, 1, 2], np.int32), np.array([3, 3, 3], np.int32)
    >>> repeated_group_links(
    ...     ends, np.array([2, 0, 1, 3]), np.array([7, 7, 7, 8], np.int32)
    ... ).tolist()
    [True, True, False]
    """
    source, target = endpoints
    starts = _row_starts(source, order.size)
    repeated = np.zeros(source.size, np.bool_)
    first_page = np.full(order.size, -1, np.int64)
    for page in order:
        for link in range(starts[page], starts[page + 1]):
            earlier = first_page[target[link]]
            if earlier < 0 or group_ids[earlier] != group_ids[page]:
                first_page[target[link]] = page
            else:
                repeated[link] = earlier != page
    return repeated


@njit(nogil=True, cache=True)
def links_over_site_threshold(
    endpoints: tuple[Ids, Ids],
    candidates: Flags,
    page_ids: Ids,
    inlinks: tuple[Offsets, Ids],
    sites: Ids,
    site_ranges: tuple[Offsets, Offsets, Offsets],
) -> Flags:
    """Candidate links whose target is linked from more pages of the source's site than allowed.

    Endpoints are local ids; `page_ids` has their ids in the whole graph, of
    which `inlinks` are the sorted rows and `sites` the site of each page,
    counted from one. `site_ranges` has, for each site from zero, its first and
    last page that counts, and the number of linking pages allowed.

    Examples
    --------
    >>> ends, every = (np.array([0], np.int32), np.array([1], np.int32)), np.array([True])
    >>> number, rows = (np.array([0, 3], np.int32), (np.array([0, 0, 0, 0, 2]), np.array([0, 2])))
    >>> sites, span = (np.array([1, 1, 1, 2], np.int32), (np.array([0, 3]), np.array([2, 3])))
    >>> links_over_site_threshold(
    ...     ends, every, number, rows, sites, (*span, np.array([1, 1]))
    ... ).tolist()
    [True]
    >>> links_over_site_threshold(
    ...     ends, every, number, rows, sites, (*span, np.array([2, 1]))
    ... ).tolist()
    [False]
    """
    (source, target), (starts, ids), (first, last, allowed) = endpoints, inlinks, site_ranges
    site_wide = np.zeros(source.size, np.bool_)
    known_site, known_answer = np.zeros(page_ids.size, np.int32), np.zeros(page_ids.size, np.bool_)
    for link in np.flatnonzero(candidates):
        page, site = target[link], sites[page_ids[source[link]]]
        if known_site[page] != site:
            site_index = site - 1
            linking = ids[starts[page_ids[page]] : starts[page_ids[page] + 1]]
            low = np.searchsorted(linking, first[site_index])
            high = np.searchsorted(linking, last[site_index], side="right")
            known_site[page] = site
            known_answer[page] = _has_more_of_site(
                linking[low:high], sites, site, allowed[site_index]
            )
        site_wide[link] = known_answer[page]
    return site_wide


@njit(nogil=True, cache=True)
def links_over_group_limit(
    endpoints: tuple[Ids, Ids], active: Flags, order: Offsets, group_ids: Ids, max_per_group: int
) -> Flags:
    """Active links from a group to a page of another, beyond the first `max_per_group`.

    Links are sorted by source. `order` lists the pages group by group, and
    within a group in the order of precedence.

    Examples
    --------
    >>> ends = np.array([0, 1, 2], np.int32), np.array([3, 3, 3], np.int32)
    >>> pages = np.array([2, 0, 1, 3]), np.array([7, 7, 7, 8], np.int32)
    >>> links_over_group_limit(ends, np.array([True, True, True]), *pages, 2).tolist()
    [False, True, False]
    """
    source, target = endpoints
    starts = _row_starts(source, order.size)
    over_limit = np.zeros(source.size, np.bool_)
    counts = np.zeros(order.size, np.int32)
    begin = 0
    while begin < order.size:
        end = _group_end(order, group_ids, begin)
        for page in order[begin:end]:
            for link in range(starts[page], starts[page + 1]):
                counts[target[link]] += active[link]
                crosses_groups = group_ids[target[link]] != group_ids[page]
                over_limit[link] = (
                    active[link] & (counts[target[link]] > max_per_group) & crosses_groups
                )
        _reset_counts(counts, target, order[begin:end], starts)
        begin = end
    return over_limit


@njit(nogil=True, cache=True)
def intra_group_links(endpoints: tuple[Ids, Ids], active: Flags, group_ids: Ids) -> Flags:
    """Active links between two pages of the same group.

    Examples
    --------
    >>> ends = np.array([0, 1, 2], np.int32), np.array([1, 2, 0], np.int32)
    >>> intra_group_links(
    ...     ends, np.array([True, True, True]), np.array([7, 7, 8], np.int32)
    ... ).tolist()
    [True, False, False]
    """
    source, target = endpoints
    inside = np.empty(source.size, np.bool_)
    for link in range(source.size):
        inside[link] = active[link] & (group_ids[source[link]] == group_ids[target[link]])
    return inside


@njit(nogil=True, cache=True)
def _has_more_of_site(pages: Any, sites: Any, site: int, threshold: int) -> bool:
    """Whether more than `threshold` of some pages belong to a site."""
    spare = pages.size - threshold  # how many may belong to other sites
    for page in pages:
        if spare <= 0:
            return False
        spare -= sites[page] != site
    return bool(spare > 0)


@njit(nogil=True, cache=True)
def _row_starts(source: Any, n: int) -> Any:
    """Where the links of each of n pages begin, from sorted sources."""
    starts = np.zeros(n + 1, np.int64)
    for page in source:
        starts[page + 1] += 1
    for page in range(n):
        starts[page + 1] += starts[page]
    return starts


@njit(nogil=True, cache=True)
def _group_end(order: Any, group_ids: Any, begin: int) -> int:
    """The end of the group that begins at `begin`."""
    end = begin
    while end < order.size and group_ids[order[end]] == group_ids[order[begin]]:
        end += 1
    return end


@njit(nogil=True, cache=True)
def _reset_counts(counts: Any, target: Any, pages: Any, starts: Any) -> None:
    """Reset the counts of the targets of some pages."""
    for page in pages:
        for link in range(starts[page], starts[page + 1]):
            counts[target[link]] = 0
