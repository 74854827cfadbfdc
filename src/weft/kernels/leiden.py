"""Community detection by modularity: the Leiden algorithm (Traag, Waltman, van Eck 2019).

Node i joins group c if that raises the modularity, which it does by

    w(i, c) - resolution * d(i) d(c) / 2m

where w(i, c) is the weight of its edges to c, d the weighted degree ("volume")
of a node or of all nodes of a group, and 2m the sum of all degrees.
"""

from typing import Any

import numpy as np

from weft.core.arrays import CSR, Floats, Ids, Offsets
from weft.kernels.compiler import njit

GAIN_TOL = 1e-12


def leiden(adjacency: CSR, resolution: float = 1.0, seed: int = 0, iterations: int = 2) -> Ids:
    """The community of each node, by modularity; the largest community is number zero.

    The adjacency must be symmetric; edges of weight zero are ignored. The same
    graph and seed give the same communities. Every community is connected.

    Examples
    --------
    >>> two = CSR(np.array([0, 1, 2, 3, 4]), np.array([1, 0, 3, 2], np.int32))
    >>> leiden(two).tolist()
    [0, 0, 1, 1]
    """
    n = len(adjacency.starts) - 1
    if not len(adjacency.ids):
        return np.arange(n, dtype=np.int32)
    weights = (
        np.ones(len(adjacency.ids))
        if adjacency.weights is None
        else adjacency.weights.astype(np.float64)
    )
    starts, ids = np.asarray(adjacency.starts, np.int64), np.asarray(adjacency.ids, np.int32)
    labels = optimise_modularity(starts, ids, weights, float(resolution), seed, iterations)
    order = np.argsort(-np.bincount(labels), kind="stable")
    new_label = np.empty(len(order), np.int32)
    new_label[order] = np.arange(len(order))
    groups: Ids = new_label[labels]
    return groups


def modularity(adjacency: CSR, groups: Ids, resolution: float = 1.0) -> float:
    """Modularity: the share of edges inside groups, less that expected at random.

    Examples
    --------
    >>> two = CSR(np.array([0, 1, 2, 3, 4]), np.array([1, 0, 3, 2], np.int32))
    >>> modularity(two, np.array([0, 0, 1, 1]))
    0.5
    """
    weights = (
        np.ones(len(adjacency.ids))
        if adjacency.weights is None
        else adjacency.weights.astype(np.float64)
    )
    total = float(weights.sum())
    if not total:
        return 0.0
    row_groups = np.repeat(groups, np.diff(adjacency.starts))
    volume = np.bincount(row_groups, weights)
    inside = float(weights[row_groups == groups[adjacency.ids]].sum())
    return inside / total - resolution * float(np.square(volume / total).sum())


@njit(cache=True, nogil=True)
def optimise_modularity(
    starts: Offsets, ids: Ids, weights: Floats, resolution: float, seed: int, iterations: int
) -> Any:
    """The group of every node, for symmetric edges of nonnegative weight.

    Each iteration starts from the groups of the one before. Groups are numbered
    by their first node.
    """
    row_starts, neighbours, edge_weights, volume = _drop_self_links(starts, ids, weights)
    resolution_scale = resolution / max(volume.sum(), GAIN_TOL)
    groups = np.arange(len(volume)).astype(np.uint32)
    for k in range(iterations):
        previous = groups
        groups = _leiden_iteration(
            row_starts,
            neighbours,
            edge_weights,
            volume,
            groups.copy(),
            resolution_scale,
            seed + 64 * k,
        )
        if (groups == previous).all():
            break
    return groups


@njit(cache=True, nogil=True)
def _drop_self_links(starts: Offsets, ids: Ids, weights: Floats) -> Any:
    """The rows without self-links and edges of weight zero, and the volume of each node."""
    row_starts, volume = np.zeros(len(starts), np.uint64), np.zeros(len(starts) - 1)
    neighbours, edge_weights, count = np.empty(len(ids), np.uint32), np.empty(len(ids)), 0
    for i in range(len(volume)):
        for e in range(starts[i], starts[i + 1]):
            volume[i] += weights[e]
            neighbours[count], edge_weights[count] = ids[e], weights[e]
            count += ids[e] != i and weights[e] > 0
        row_starts[i + 1] = count
    return row_starts, neighbours[:count], edge_weights[:count], volume


@njit(cache=True, nogil=True)
def _leiden_iteration(
    starts: Any,
    ids: Any,
    weights: Floats,
    volume: Floats,
    group: Any,
    resolution_scale: float,
    seed: int,
) -> Any:
    """One Leiden iteration: move nodes, refine, aggregate, until nothing is left to aggregate."""
    node_of, level = np.arange(len(volume)).astype(np.uint32), 0
    while True:
        order = _random_permutation(len(volume), seed + level)
        _move_nodes(starts, ids, weights, volume, group, resolution_scale, order)
        part, part_count = _renumber_groups(
            _refine_partition(starts, ids, weights, volume, group, resolution_scale, order)
        )
        group, group_count = _renumber_groups(group)
        if part_count == len(volume) or group_count == len(volume):
            return group[node_of]
        # the parts become nodes, each in the group that it was refined from
        part_group = np.empty(part_count, np.uint32)
        part_group[part] = group
        node_of, group, level = part[node_of], part_group, level + 1
        starts, ids, weights, volume = _aggregate_graph(
            starts, ids, weights, volume, part, part_count
        )


@njit(cache=True, nogil=True)
def _random_permutation(n: int, seed: int) -> Any:
    """A random permutation of n numbers: Fisher-Yates shuffle with SplitMix64."""
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
def _move_nodes(
    starts: Any,
    ids: Any,
    weights: Floats,
    volume: Floats,
    group: Any,
    resolution_scale: float,
    order: Any,
) -> None:
    """Local moving, in place, until no node gains: a queue of nodes whose neighbours moved.

    An empty group is kept for a node that is better off alone.
    """
    n = len(volume)
    sizes, group_volumes, empty_groups, empty_count = _group_sizes(group, volume)
    weight_to_group, neighbour_groups = np.zeros(n), np.empty(n + 1, np.uint32)
    queue, waiting = order.copy(), np.ones(n, np.bool_)
    head, queued = 0, n
    while queued:
        i = queue[head]
        head, queued = head + 1 if head + 1 < n else 0, queued - 1
        waiting[i], current = False, group[i]
        best, gain = _best_group(
            i,
            starts,
            ids,
            weights,
            group,
            volume,
            group_volumes,
            resolution_scale,
            weight_to_group,
            neighbour_groups,
        )
        if gain < -GAIN_TOL and sizes[current] > 1 and empty_count:
            best = empty_groups[empty_count - 1]
        if best == current:
            continue
        empty_count -= sizes[best] == 0
        sizes[current], sizes[best] = sizes[current] - 1, sizes[best] + 1
        group_volumes[current], group_volumes[best] = (
            group_volumes[current] - volume[i],
            group_volumes[best] + volume[i],
        )
        group[i], empty_groups[empty_count] = best, current
        empty_count += sizes[current] == 0
        for e in range(starts[i], starts[i + 1]):
            j = ids[e]
            if group[j] != best and not waiting[j]:
                tail = head + queued
                queue[tail if tail < n else tail - n], waiting[j] = j, True
                queued += 1


@njit(cache=True, nogil=True)
def _group_sizes(group: Any, volume: Floats) -> Any:
    """The size and volume of each group, the empty groups, and how many are empty."""
    n, empty_count = len(group), 0
    sizes, group_volumes, empty_groups = np.zeros(n, np.int32), np.zeros(n), np.empty(n, np.uint32)
    for i in range(n):
        sizes[group[i]] += 1
        group_volumes[group[i]] += volume[i]
    for k in range(n):
        empty_groups[empty_count] = k
        empty_count += sizes[k] == 0
    return sizes, group_volumes, empty_groups, empty_count


@njit(cache=True, nogil=True)
def _best_group(
    i: Any,
    starts: Any,
    ids: Any,
    weights: Floats,
    group: Any,
    volume: Floats,
    group_volumes: Floats,
    resolution_scale: float,
    weight_to_group: Floats,
    neighbour_groups: Any,
) -> Any:
    """The best group for node i, and its gain; its own group where no other is better.

    Ties go to the lower group. `weight_to_group` is scratch memory, all zero
    before and after.
    """
    current, count, inside = group[i], 0, 0.0
    for e in range(starts[i], starts[i + 1]):
        other = group[ids[e]]
        if other == current:
            inside += weights[e]
            continue
        neighbour_groups[count] = other
        count += weight_to_group[other] == 0
        weight_to_group[other] += weights[e]
    scale = resolution_scale * volume[i]
    stay = inside - scale * (group_volumes[current] - volume[i])
    best, gain = current, stay
    for k in range(count):
        other = neighbour_groups[k]
        value = weight_to_group[other] - scale * group_volumes[other]
        weight_to_group[other] = 0
        tie = best != current and value > gain - GAIN_TOL and other < best
        if value > stay + GAIN_TOL and (value > gain + GAIN_TOL or tie):
            best, gain = other, value
    return best, gain


@njit(cache=True, nogil=True)
def _refine_partition(
    starts: Any,
    ids: Any,
    weights: Floats,
    volume: Floats,
    group: Any,
    resolution_scale: float,
    order: Any,
) -> Any:
    """Refinement: within each group, single nodes merge into the part with the largest gain.

    Both the node and the part must be well connected to their group:
    w(S, group - S) >= resolution * d(S) d(group - S) / 2m.
    """
    n = len(volume)
    part, part_volumes = np.arange(n).astype(np.uint32), volume.copy()
    internal, group_volumes = _internal_weights(starts, ids, weights, volume, group)
    weight_to_part, neighbour_parts = np.zeros(n), np.empty(n + 1, np.uint32)
    external, single = internal.copy(), np.ones(n, np.bool_)
    for i in order:
        group_volume = group_volumes[group[i]]
        if (
            not single[i]
            or internal[i] < resolution_scale * volume[i] * (group_volume - volume[i]) - GAIN_TOL
        ):
            continue
        count = _weights_to_parts(
            i, starts, ids, weights, part, group, weight_to_part, neighbour_parts
        )
        best, gain, edge_weight = i, GAIN_TOL, 0.0
        for k in range(count):
            other = neighbour_parts[k]
            value = weight_to_part[other] - resolution_scale * volume[i] * part_volumes[other]
            well_connected = (
                external[other]
                >= resolution_scale * part_volumes[other] * (group_volume - part_volumes[other])
                - GAIN_TOL
            )
            tie = best != i and value > gain - GAIN_TOL and other < best
            if well_connected and (value > gain + GAIN_TOL or tie):
                best, gain, edge_weight = other, value, weight_to_part[other]
            weight_to_part[other] = 0
        if best != i:
            external[best] += internal[i] - 2 * edge_weight
            part_volumes[i], part_volumes[best] = 0.0, part_volumes[best] + volume[i]
            part[i], single[i], single[best] = best, False, False
    return part


@njit(cache=True, nogil=True)
def _internal_weights(starts: Any, ids: Any, weights: Floats, volume: Floats, group: Any) -> Any:
    """The weight of each node's edges inside its group, and the volume of each group."""
    internal, group_volumes = np.zeros(len(volume)), np.zeros(len(volume))
    for i in range(len(volume)):
        group_volumes[group[i]] += volume[i]
        for e in range(starts[i], starts[i + 1]):
            internal[i] += weights[e] if group[ids[e]] == group[i] else 0.0
    return internal, group_volumes


@njit(cache=True, nogil=True)
def _weights_to_parts(
    i: Any,
    starts: Any,
    ids: Any,
    weights: Floats,
    part: Any,
    group: Any,
    weight_to_part: Floats,
    neighbour_parts: Any,
) -> int:
    """Sum the edges of node i inside its group by part; list the parts, return how many."""
    count = 0
    for e in range(starts[i], starts[i + 1]):
        if group[ids[e]] == group[i]:
            other = part[ids[e]]
            neighbour_parts[count] = other
            count += weight_to_part[other] == 0
            weight_to_part[other] += weights[e]
    return count


@njit(cache=True, nogil=True)
def _renumber_groups(groups: Any) -> Any:
    """Number the groups by first node; return the groups and how many there are."""
    number, count = np.full(len(groups), -1, np.int32), 0
    numbers = np.empty(len(groups), np.uint32)
    for i in range(len(groups)):
        if number[groups[i]] < 0:
            number[groups[i]] = count
            count += 1
        numbers[i] = number[groups[i]]
    return numbers, count


@njit(cache=True, nogil=True)
def _aggregate_graph(
    starts: Any, ids: Any, weights: Floats, volume: Floats, part: Any, part_count: int
) -> Any:
    """The graph of the parts: sums of the edges between them, without self-links, and volumes."""
    part_starts = np.zeros(part_count + 1, np.int64)
    for k in part:
        part_starts[k + 1] += 1
    part_starts = np.cumsum(part_starts)
    members, next_free = np.empty(len(part), np.uint32), part_starts[:-1].copy()
    for i in range(len(part)):
        members[next_free[part[i]]] = i
        next_free[part[i]] += 1
    row_starts, neighbours = np.zeros(part_count + 1, np.uint64), np.empty(len(ids) + 1, np.uint32)
    edge_weights, sums, volumes, count = (
        np.empty(len(ids)),
        np.zeros(part_count),
        np.zeros(part_count),
        0,
    )
    for k in range(part_count):  # list the neighbours of part k, then drop k itself
        begin = count
        for i in members[part_starts[k] : part_starts[k + 1]]:
            volumes[k] += volume[i]
            for e in range(starts[i], starts[i + 1]):
                neighbours[count] = part[ids[e]]
                count += sums[neighbours[count]] == 0
                sums[part[ids[e]]] += weights[e]
        listed, count = count, begin
        for e in range(begin, listed):
            other = neighbours[e]
            if other != k:
                neighbours[count], edge_weights[count] = other, sums[other]
                count += 1
            sums[other] = 0.0
        row_starts[k + 1] = count
    return row_starts, neighbours[:count].copy(), edge_weights[:count].copy(), volumes
