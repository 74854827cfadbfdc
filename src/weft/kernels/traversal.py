"""Graph traversal: distances, shortest paths, reachability, and the diameter."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from weft.core.arrays import CSR, Flags, Floats, Ids, Offsets
from weft.core.progress import track
from weft.kernels.compiler import njit
from weft.kernels.components import Condensation
from weft.kernels.threads import thread_count

WORDS_PER_PAGE = 4
SEARCHES_PER_BATCH = 64 * WORDS_PER_PAGE
COUNTER_BITS = 32
WORDS_PER_CACHE_LINE = 8
SOURCES_PER_PASS = 64
ONE = np.uint64(1)
BitSets = npt.NDArray[np.uint64]
EMPTY_CSR = CSR(np.zeros(1, np.int64), np.zeros(0, np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class DistanceCounts:
    """Distances from some source pages.

    `pages_at_distance[t, g]` is the number of pages at distance t, summed over
    the sources of group g; each 256 sources make four groups. For each source,
    `reachable` is the number of other pages with a path from it,
    `total_distance` the sum and `eccentricity` the maximum of their distances.
    """

    pages_at_distance: Offsets
    reachable: Offsets
    total_distance: Offsets
    eccentricity: Offsets


def count_pages_by_distance(links: Sequence[CSR], sources: Ids, label: str = "") -> DistanceCounts:
    """Breadth-first search from every source, along the links or along links and reverse links.

    Sources without links need no search, and are distributed over the groups.
    """
    rows = to_kernel_arrays(links)
    has_links = np.diff(rows[0])[sources] + np.diff(rows[2])[sources] > 0
    searched = sources[has_links]
    batches = [
        searched[first : first + SEARCHES_PER_BATCH]
        for first in range(0, len(searched), SEARCHES_PER_BATCH)
    ]
    with ThreadPoolExecutor(thread_count()) as pool:
        results = pool.map(lambda batch: _multi_source_bfs(rows, batch), batches)
        finished = list(track(results, label, len(batches)) if label else results)
    level_count = max((len(counts) for counts, _ in finished), default=1)
    padded = [np.pad(counts, ((0, level_count - len(counts)), (0, 0))) for counts, _ in finished]
    counts = np.concatenate(padded, axis=1) if padded else np.zeros((1, 1), np.int64)
    counts = counts[:, counts[0] > 0] if padded else counts
    isolated = len(sources) - len(searched)
    counts[0] += np.bincount(np.arange(isolated) % counts.shape[1], minlength=counts.shape[1])
    by_source = np.zeros((3, len(sources)), np.int64)
    if finished:
        by_source[:, has_links] = np.concatenate([lanes for _, lanes in finished], axis=1)
    return DistanceCounts(counts, by_source[0], by_source[1], by_source[2])


def bfs_distances(links: Sequence[CSR], sources: Iterable[int]) -> tuple[Ids, Ids]:
    """Distance of each page from the nearest source, and its predecessor; -1 if unreachable.

    Examples
    --------
    >>> [a.tolist() for a in bfs_distances([CSR(np.array([0, 1, 2, 2, 2]), np.array([1, 2]))], [0])]
    [[0, 1, 2, -1], [-1, 0, 1, -1]]
    """
    distance, predecessor = _bfs_kernel(to_kernel_arrays(links), np.array(list(sources), np.int32))
    return distance, predecessor


def to_kernel_arrays(links: Sequence[CSR]) -> tuple[Any, ...]:
    """The arrays of two CSR, the second one empty if only one is given.

    They are made read-only, as those of a collection are, so that kernels are
    compiled for one type only.
    """
    empty = CSR(np.zeros(len(links[0].starts), np.int64), np.zeros(0, np.int32))
    first, second = (*links, empty)[:2]
    arrays = [
        np.ascontiguousarray(array, dtype).view()
        for rows in (first, second)
        for array, dtype in ((rows.starts, np.int64), (rows.ids, np.int32))
    ]
    for array in arrays:
        array.flags.writeable = False
    return tuple(arrays)


@njit(nogil=True, cache=True)
def _multi_source_bfs(rows: Any, sources: Any) -> Any:
    """Run up to 256 breadth-first searches at once (MS-BFS, Then et al. 2014).

    A search is a bit ("lane") in four words per page. `state[p, 0]` has the
    searches that have visited page p, `state[p, 1]` those that arrive there at
    this level. Returns the pages at each distance by word, and for each lane
    the number of pages, the sum of distances and the largest.
    """
    starts, ids, back_starts, back_ids = rows
    n = starts.size - 1
    buffer = np.zeros(2 * n * WORDS_PER_PAGE + WORDS_PER_CACHE_LINE, np.uint64)
    # align the state of a page, two times four words, to a cache line
    offset = -(buffer.ctypes.data >> 3) % WORDS_PER_CACHE_LINE
    state = buffer[offset : offset + 2 * n * WORDS_PER_PAGE].reshape((n, 2, WORDS_PER_PAGE))
    words = np.empty((n, WORDS_PER_PAGE), np.uint64)
    active, next_active = np.empty(n, np.int32), np.empty(n, np.int32)
    pages_at_distance = np.zeros((n + 1, WORDS_PER_PAGE), np.int64)
    lanes = np.zeros((3, SEARCHES_PER_BATCH), np.int64)
    count = 0
    for lane in range(sources.size):
        source = sources[lane]
        if not _has_searches(state, source, 1):
            active[count] = source
            count += 1
        state[source, 1, lane % WORDS_PER_PAGE] |= ONE << np.uint64(lane // WORDS_PER_PAGE)
    level = 0
    while count:
        _mark_visited(state, words, active, count, level, pages_at_distance, lanes)
        level += 1
        next_count = 0
        for k in range(count):
            for link in range(starts[active[k]], starts[active[k] + 1]):
                next_count = _pass_searches_on(state, words, k, ids[link], next_active, next_count)
            for link in range(back_starts[active[k]], back_starts[active[k] + 1]):
                next_count = _pass_searches_on(
                    state, words, k, back_ids[link], next_active, next_count
                )
        active, next_active, count = next_active, active, next_count
        if count > n >> 3:
            _sort_active_pages(state, active)
    return pages_at_distance[:level].copy(), lanes[:, : sources.size].copy()


@njit(nogil=True, cache=True)
def _pass_searches_on(
    state: Any, active_words: Any, k: Any, page: Any, next_active: Any, next_count: Any
) -> Any:
    """Pass the searches at the k-th active page on to a neighbour; list it if it had none."""
    any_new, any_before = np.uint64(0), np.uint64(0)
    for word in range(WORDS_PER_PAGE):
        any_before |= state[page, 1, word]
        new = active_words[k, word] & ~state[page, 0, word]
        state[page, 1, word] |= new
        any_new |= new
    if any_new and not any_before:
        next_active[next_count] = page
        next_count += 1
    return next_count


@njit(nogil=True, cache=True)
def _has_searches(state: Any, page: Any, which: int) -> Any:
    any_bit = np.uint64(0)
    for word in range(WORDS_PER_PAGE):
        any_bit |= state[page, which, word]
    return any_bit != 0


@njit(nogil=True, cache=True)
def _sort_active_pages(state: Any, active: Any) -> None:
    """List the active pages by number, which is the order of memory."""
    count = 0
    for page in range(state.shape[0]):
        if _has_searches(state, page, 1):
            active[count] = page
            count += 1


@njit(nogil=True, cache=True)
def _mark_visited(
    state: Any,
    active_words: Any,
    active: Any,
    count: Any,
    level: Any,
    pages_at_distance: Any,
    lanes: Any,
) -> None:
    """Mark what arrived as visited, and count it for each lane, 64 lanes at a time.

    The counters are bit-sliced: plane p has bit p of the counter of each lane,
    so that adding a word is a ripple of carries.
    """
    planes, used = np.zeros((COUNTER_BITS, WORDS_PER_PAGE), np.uint64), 0
    for k in range(count):
        page = active[k]
        for word in range(WORDS_PER_PAGE):
            carry = state[page, 1, word]
            state[page, 0, word] |= carry
            state[page, 1, word] = 0
            active_words[k, word] = carry
            plane = 0
            while carry:
                bits = planes[plane, word]
                planes[plane, word], carry = bits ^ carry, bits & carry
                plane += 1
            used = max(used, plane)
    for lane in range(SEARCHES_PER_BATCH):
        reached = np.int64(0)
        for plane in range(used):
            bit = planes[plane, lane % WORDS_PER_PAGE] >> np.uint64(lane // WORDS_PER_PAGE) & ONE
            reached += np.int64(bit) << plane
        pages_at_distance[level, lane % WORDS_PER_PAGE] += reached
        if level and reached:
            lanes[0, lane] += reached
            lanes[1, lane] += level * reached
            lanes[2, lane] = level


@njit(nogil=True, cache=True)
def _bfs_kernel(rows: Any, sources: Any) -> Any:
    starts, ids, back_starts, back_ids = rows
    n = starts.size - 1
    distance, predecessor = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    queue = np.empty(n, np.int32)
    tail = 0
    for source in sources:
        if distance[source] < 0:
            distance[source] = 0
            queue[tail] = source
            tail += 1
    head = 0
    while head < tail:
        page = queue[head]
        head += 1
        for direction in range(2):
            row_starts, neighbours = (starts, ids) if direction == 0 else (back_starts, back_ids)
            for link in range(row_starts[page], row_starts[page + 1]):
                if distance[neighbours[link]] < 0:
                    distance[neighbours[link]] = distance[page] + 1
                    predecessor[neighbours[link]] = page
                    queue[tail] = neighbours[link]
                    tail += 1
    return distance, predecessor


class ShortestPaths(NamedTuple):
    """For each page its distance, the number of links of the path, and its predecessor.

    For unreachable pages the distance is infinite, and the others are -1.
    """

    distance: Floats
    hops: Ids
    predecessor: Ids


def dijkstra(
    outlinks: CSR, lengths: Floats, source: int, max_distance: float = np.inf
) -> ShortestPaths:
    """Shortest paths from one page to every other within `max_distance`.

    `lengths[p]` is the length of all links of page p. Pages are expanded in
    the order of the distance at which their links end, so that a page is final
    when first reached. Of equally long paths one with fewest links is taken.

    Examples
    --------
    >>> rows = CSR(np.array([0, 2, 3, 3]), np.array([1, 2, 2]))
    >>> dijkstra(rows, np.array([1.0, 0.0, 0.0]), 0).distance.tolist()
    [0.0, 1.0, 1.0]
    """
    starts, ids, _, _ = to_kernel_arrays([outlinks])
    return ShortestPaths(
        *_dijkstra_kernel(starts, ids, np.asarray(lengths, np.float64), source, max_distance)
    )


@njit(nogil=True, cache=True)
def _dijkstra_kernel(starts: Any, ids: Any, lengths: Any, source: Any, max_distance: Any) -> Any:
    n = starts.size - 1
    distance = np.full(n, np.inf)
    hops, predecessor = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    distance[source], hops[source] = 0.0, 0
    heap = [(lengths[source], 1, np.int64(source))]
    heapify(heap)
    while heap:
        link_end, link_count, page = heappop(heap)
        if link_end > max_distance:
            break
        for link in range(starts[page], starts[page + 1]):
            target = ids[link]
            if hops[target] < 0:
                distance[target], hops[target], predecessor[target] = link_end, link_count, page
                heappush(heap, (link_end + lengths[target], link_count + 1, np.int64(target)))
    return distance, hops, predecessor


def path_to(page: int, predecessor: Ids) -> list[int]:
    """The pages on the path to a page, from the source on."""
    path = [page]
    while predecessor[path[-1]] >= 0:
        path.append(int(predecessor[path[-1]]))
    return path[::-1]


def reachable_from(outlinks: CSR, sources: Flags, blocked: Flags | None = None) -> Flags:
    """The nodes reachable from some sources, including these; blocked nodes are not entered.

    Examples
    --------
    >>> chain = CSR(np.array([0, 1, 2, 2]), np.array([1, 2], np.int32))
    >>> reachable_from(chain, np.array([False, True, False])).tolist()
    [False, True, True]
    """
    visited = sources.copy() if blocked is None else sources | blocked
    queue = np.empty(len(sources), np.int32)
    start = np.flatnonzero(sources)
    queue[: len(start)] = start
    _flood_fill(np.asarray(outlinks.starts), np.asarray(outlinks.ids), visited, queue, len(start))
    return visited if blocked is None else visited & (sources | ~blocked)


def nodes_reaching(outlinks: CSR, components: Condensation, targets: Flags) -> Flags:
    """The nodes from which some target is reachable, including these, by out-links alone.

    Links lead to components of smaller numbers, so that one pass over the
    components in order is enough.
    """
    hit = np.zeros(len(components.bounds) - 1, np.bool_)
    hit[components.labels[targets]] = True
    rows = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    _mark_components_reaching(*rows, components.labels, components.order, components.bounds, hit)
    return hit[components.labels]


def shortest_path(
    links: CSR, sources: Flags, targets: Flags, reverse_links: CSR = EMPTY_CSR
) -> Ids:
    """The nodes of a shortest path from some sources to some targets; empty if there is none.

    With `reverse_links`, these may be followed too. Of several shortest paths
    the first in node order is taken. A path has at least one link: from a node
    of both sets it must lead back.
    """
    predecessor = np.full(len(sources), -2, np.int32)
    queue = np.empty(len(sources), np.int32)
    start = np.flatnonzero(sources)
    queue[: len(start)] = start
    predecessor[start] = -1
    forward = np.asarray(links.starts), np.asarray(links.ids)
    backward = np.asarray(reverse_links.starts), np.asarray(reverse_links.ids)
    node, target = _search_shortest_path(
        *forward, *backward, targets, predecessor, queue, len(start)
    )
    if node < 0:
        return np.zeros(0, np.int32)
    path = [target, node]
    while predecessor[path[-1]] >= 0:
        path.append(int(predecessor[path[-1]]))
    return np.array(path[::-1], np.int32)


def count_reachable(
    outlinks: CSR, components: Condensation, sources: Ids, blocked: Flags
) -> Offsets:
    """The number of other nodes reachable from each source; 64 sources share a pass.

    Blocked nodes are neither entered nor counted; they must be whole components.
    """
    counts = np.zeros(len(sources), np.int64)
    is_blocked = np.zeros(len(components.bounds) - 1, np.bool_)
    is_blocked[components.labels[blocked]] = True
    rows = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    source_bits: BitSets = np.empty(len(is_blocked), np.uint64)
    for first in range(0, len(sources), SOURCES_PER_PASS):
        batch = sources[first : first + SOURCES_PER_PASS]
        source_bits[:] = 0
        _propagate_source_bits(
            *rows,
            components.labels,
            components.order,
            components.bounds,
            batch,
            is_blocked,
            source_bits,
        )
        _count_source_bits(source_bits, components.bounds, counts[first : first + SOURCES_PER_PASS])
    return counts


@njit(nogil=True, cache=True)
def _flood_fill(starts: Any, ids: Any, visited: Any, queue: Any, tail: int) -> None:
    head = 0
    while head < tail:
        node = queue[head]
        head += 1
        for link in range(starts[node], starts[node + 1]):
            target = ids[link]
            if not visited[target]:
                visited[target] = True
                queue[tail] = target
                tail += 1


@njit(nogil=True, cache=True)
def _mark_components_reaching(
    starts: Any, ids: Any, labels: Any, order: Any, bounds: Any, hit: Any
) -> None:
    for component in range(hit.size):
        position = bounds[component]
        while not hit[component] and position < bounds[component + 1]:
            node = order[position]
            for link in range(starts[node], starts[node + 1]):
                if hit[labels[ids[link]]]:
                    hit[component] = True
                    break
            position += 1


@njit(nogil=True, cache=True)
def _search_shortest_path(
    starts: Any,
    ids: Any,
    back_starts: Any,
    back_ids: Any,
    targets: Any,
    predecessor: Any,
    queue: Any,
    tail: int,
) -> Any:
    """Breadth-first search: the last link of a shortest path, (-1, -1) if there is none."""
    head = 0
    both = back_starts.size == starts.size
    while head < tail:
        node = queue[head]
        head += 1
        degree = starts[node + 1] - starts[node]
        reverse_degree = back_starts[node + 1] - back_starts[node] if both else 0
        for k in range(degree + reverse_degree):
            target = (
                ids[starts[node] + k] if k < degree else back_ids[back_starts[node] + k - degree]
            )
            if targets[target]:
                return node, target
            if predecessor[target] == -2:
                predecessor[target] = node
                queue[tail] = target
                tail += 1
    return -1, -1


@njit(nogil=True, cache=True)
def _propagate_source_bits(
    starts: Any,
    ids: Any,
    labels: Any,
    order: Any,
    bounds: Any,
    sources: Any,
    blocked: Any,
    source_bits: Any,
) -> None:
    """Pass the bit of each source on to the components it reaches, in topological order."""
    for bit in range(sources.size):
        source_bits[labels[sources[bit]]] |= np.uint64(1) << np.uint64(bit)
    for component in range(source_bits.size - 1, -1, -1):
        word = source_bits[component]
        if word == 0:
            continue
        for position in range(bounds[component], bounds[component + 1]):
            node = order[position]
            for link in range(starts[node], starts[node + 1]):
                target = labels[ids[link]]
                if not blocked[target]:
                    source_bits[target] |= word


@njit(nogil=True, cache=True)
def _count_source_bits(source_bits: Any, bounds: Any, counts: Any) -> None:
    """Count the nodes with the bit of each source, except the source itself."""
    counts[:] = -1
    for component in range(source_bits.size):
        word, bit = source_bits[component], 0
        while word != 0:
            if word & np.uint64(1):
                counts[bit] += bounds[component + 1] - bounds[component]
            word >>= np.uint64(1)
            bit += 1


class DiameterBounds(NamedTuple):
    """Lower and upper bound of the diameter."""

    low: int
    high: int


def double_sweep_lower_bound(
    links: Sequence[CSR], reverse_links: Sequence[CSR], start: int, iterations: int = 2
) -> int:
    """A lower bound of the diameter by double sweeps: search from the farthest page, and again."""
    low, page = 0, start
    for direction in (links, reverse_links) * iterations:
        distance, _ = bfs_distances(direction, [page])
        page = int(np.argmax(distance))
        low = max(low, int(distance[page]))
    return low


def ifub_diameter(
    links: Sequence[CSR], reverse_links: Sequence[CSR], component_labels: Ids, max_searches: int
) -> DiameterBounds:
    """Bounds of the diameter by iFUB; each component must be strongly connected along `links`.

    Crescenzi et al. 2013: two pages at distance below i from a central page are
    at most 2 (i - 1) apart. Pages are searched from, the farthest from the
    centre first, until no other pair can be farther apart than the largest
    distance found, or until `max_searches` are spent.
    """
    sizes = np.bincount(component_labels)
    degrees = np.sum([np.diff(rows.starts) for rows in (*links, *reverse_links)], axis=0)
    low, high = 0, 0
    for component in np.argsort(-sizes, kind="stable"):
        if sizes[component] - 1 <= low:
            break
        if not max_searches:
            return DiameterBounds(low, max(high, int(sizes[component]) - 1))
        members = np.flatnonzero(component_labels == component)
        first = int(members[np.argmax(degrees[members])])
        bounds, max_searches = _bound_component_diameter(
            links, reverse_links, _central_page(links, reverse_links, first), max_searches
        )
        low, high = max(low, bounds.low), max(high, bounds.high)
    return DiameterBounds(low, max(low, high))


def _central_page(links: Sequence[CSR], reverse_links: Sequence[CSR], first: int) -> int:
    """A central page: the middle of a long shortest path."""
    distance, _ = bfs_distances(links, [first])
    distance, predecessor = bfs_distances(reverse_links, [int(np.argmax(distance))])
    path = path_to(int(np.argmax(distance)), predecessor)
    return path[len(path) // 2]


def _bound_component_diameter(
    links: Sequence[CSR], reverse_links: Sequence[CSR], centre: int, max_searches: int
) -> tuple[DiameterBounds, int]:
    """Bounds of the diameter of the component of a page, and how many searches are left."""
    from_centre, _ = bfs_distances(links, [centre])
    to_centre, _ = bfs_distances(reverse_links, [centre])
    low, level = 0, int(max(from_centre.max(), to_centre.max()))
    searches = [(reverse_links, from_centre)]
    if links is not reverse_links:
        searches.append((links, to_centre))
    while level > 0 and low < 2 * level:
        lowest = _lowest_level_within_budget(searches, level, min(SEARCHES_PER_BATCH, max_searches))
        chosen = [
            (
                direction,
                np.flatnonzero((distances >= lowest) & (distances <= level)).astype(np.int32),
            )
            for direction, distances in searches
        ]
        needed = sum(len(pages) for _, pages in chosen)
        if needed > max_searches:
            return DiameterBounds(max(low, level), 2 * level), 0
        max_searches -= needed
        low = max(
            [
                low,
                *(
                    int(count_pages_by_distance(*search).eccentricity.max(initial=0))
                    for search in chosen
                ),
            ]
        )
        level = lowest - 1
    return DiameterBounds(low, max(low, 2 * level)), max_searches


def _lowest_level_within_budget(
    searches: Sequence[tuple[Sequence[CSR], Ids]], level: int, max_pages: int
) -> int:
    """The lowest level such that the pages from there up to `level` fit; at most `level`."""
    sizes = np.bincount(np.concatenate([distances[distances > 0] for _, distances in searches]))
    fit = int(np.searchsorted(np.cumsum(sizes[level:0:-1]), max_pages, side="right"))
    return level + 1 - max(fit, 1)
