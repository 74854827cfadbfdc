"""Connected components: union-find, and strongly connected components."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.core.arrays import CSR, Ids, Offsets
from weft.core.memory import MemoryNeed
from weft.kernels.bins import MESSAGE_START_BIT, RECEIVER_MASK, Bins
from weft.kernels.bipartite_components import BipartiteComponents
from weft.kernels.compiler import njit
from weft.kernels.threads import compare_and_swap, next_piece, run_parallel


def bipartite_components_of_bins(bins: Bins, n: int) -> BipartiteComponents:
    """The components of hubs and authorities, from links in bins."""
    parent = np.arange(2 * n, dtype=np.int32)
    run_parallel(_union_bins, bins, parent)
    compress_paths(parent)
    return _components_from_parents(parent)


def bipartite_components_of_csr(outlinks: CSR, n: int) -> BipartiteComponents:
    """The components of hubs and authorities, from rows of out-links."""
    parent = np.arange(2 * n, dtype=np.int32)
    _union_csr(outlinks.starts, outlinks.ids, parent)
    compress_paths(parent)
    return _components_from_parents(parent)


def _components_from_parents(parent: Ids) -> BipartiteComponents:
    labels = np.full(len(parent), -1, np.int32)
    count = _label_roots(parent, labels)
    n = len(parent) // 2
    return BipartiteComponents(count, labels[:n], labels[n:])


@njit(nogil=True, cache=True)
def find_root(parent: Any, node: Any) -> Any:
    """The root of a node, with path halving; other threads may halve the path at the same time."""
    above = parent[node]
    while above != node:
        grandparent = parent[above]
        parent[node] = grandparent
        node, above = above, grandparent
    return node


@njit(nogil=True, cache=True)
def union(parent: Any, first: Any, second: Any) -> Any:
    """Link the larger root to the smaller one, and return it; retry if another thread was faster.

    Parents only ever get smaller, so that the root of a component is its
    first node, however threads interleave.
    """
    while True:
        root, other = find_root(parent, first), find_root(parent, second)
        low, high = min(root, other), max(root, other)
        if low == high or compare_and_swap(parent, high, high, low):  # type: ignore[call-arg]
            return low


@njit(nogil=True, cache=True)
def _union_bins(queue: Any, bins: Bins, parent: Any) -> None:
    """Unite both ends of every link; the root of a sender is looked up once per message."""
    n = parent.size // 2
    partition_count = len(bins.message_starts)
    while True:
        partition = next_piece(queue)
        if partition >= partition_count:
            break
        message = np.int64(bins.message_starts[partition, 0]) - 1
        first_receiver = n + (partition << bins.shift)
        root = parent[0]
        for source_partition in range(partition_count):
            for link in range(
                bins.link_starts[partition, source_partition],
                bins.link_starts[partition, source_partition + 1],
            ):
                word = bins.receivers[link]
                if word >> MESSAGE_START_BIT:
                    message += 1
                    page = (source_partition << bins.shift) + np.int64(bins.senders[message])
                    root = find_root(parent, page)
                receiver = first_receiver + np.int64(word & RECEIVER_MASK)
                if parent[receiver] != root:
                    root = union(parent, root, receiver)


@njit(nogil=True, cache=True)
def _union_csr(starts: Any, ids: Any, parent: Any) -> None:
    n = parent.size // 2
    for page in range(n):
        for link in range(starts[page], starts[page + 1]):
            union(parent, page, n + np.int64(ids[link]))


@njit(nogil=True, cache=True)
def compress_paths(parent: Any) -> None:
    """Make the root the parent of every node."""
    for node in range(parent.size):
        parent[node] = find_root(parent, node)


@njit(nogil=True, cache=True)
def _label_roots(parent: Any, labels: Any) -> int:
    """Label every node by its component, numbered by first hub; return how many there are.

    The root of a component with links is its first hub. A node that is its own
    component has no links, and keeps the label -1.
    """
    n = parent.size // 2
    for authority in range(n, 2 * n):  # mark the roots of components with links
        if parent[authority] != authority:
            labels[parent[authority]] = 0
    count = 0
    for hub in range(n):
        if parent[hub] != hub:
            labels[hub] = labels[parent[hub]]
        elif labels[hub] == 0:
            labels[hub] = count
            count += 1
    for authority in range(n, 2 * n):
        if parent[authority] != authority:
            labels[authority] = labels[parent[authority]]
    return count


WORK_PIECES = 256
CONDENSATION_MEMORY = MemoryNeed("finding strong components", 72, 0)  # search, labels, regions


@dataclass(frozen=True, slots=True, eq=False)
class Condensation:
    """The strongly connected components of a graph, in reverse topological order.

    A link leads to its own component or to one of a smaller number, so that
    components without links to others come first. `order` lists the nodes
    component by component; component i is `order[bounds[i]:bounds[i + 1]]`.
    """

    labels: Ids
    order: Ids
    bounds: Offsets

    @property
    def sizes(self) -> Ids:
        """The number of nodes of each component."""
        return np.diff(self.bounds).astype(np.int32)


def condensation(outlinks: CSR) -> Condensation:
    """Find the strongly connected components by one depth-first search (Tarjan 1972, Pearce 2005).

    Examples
    --------
    >>> condensation(CSR(np.array([0, 1, 3, 3]), np.array([1, 0, 2], np.int32))).labels.tolist()
    [1, 1, 0]
    """
    starts, ids = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    n = len(starts) - 1
    CONDENSATION_MEMORY.check(n, len(ids))
    labels, order = np.zeros(n, np.int32), np.empty(n, np.int32)
    count = _tarjan_scc(starts, ids, labels, order)
    np.subtract(np.int32(n), labels, out=labels)
    bounds = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(labels, minlength=count), out=bounds[1:])
    return Condensation(labels, order, bounds)


@njit(nogil=True, cache=True)
def _tarjan_scc(starts: Any, ids: Any, low: Any, order: Any) -> int:
    """Write the component of each node to `low`, counted down from n; return their number.

    Until the component of a node is known, `low` is its low-link: the smallest
    visiting index of a node on the stack that it reaches. These indices are
    smaller than the number of any component, so that one array serves both
    (Pearce). `order` holds finished components from its start and, from its
    end, the stack of nodes that wait for their component.
    """
    n = starts.size - 1
    path, next_link, index = np.empty(n, np.int32), np.empty(n, np.int64), np.empty(n, np.int32)
    component, next_index, done, waiting = n, 1, 0, n
    for start in range(n):
        if low[start] != 0:
            continue
        depth = 0
        path[0], next_link[0], index[0] = start, starts[start], next_index
        low[start] = next_index
        next_index += 1
        while depth >= 0:
            node = path[depth]
            link, end, lowest = next_link[depth], starts[node + 1], low[node]
            unvisited = -1
            while link < end:  # resume the links of this node
                reached = low[ids[link]]
                if reached == 0:
                    unvisited = ids[link]
                    break
                lowest = min(lowest, reached)
                link += 1
            low[node] = lowest
            if unvisited >= 0:
                next_link[depth] = link
                depth += 1
                path[depth], next_link[depth], index[depth] = (
                    unvisited,
                    starts[unvisited],
                    next_index,
                )
                low[unvisited] = next_index
                next_index += 1
                continue
            root_index = index[depth]
            depth -= 1
            if lowest != root_index:  # not a root: wait for the component
                waiting -= 1
                order[waiting] = node
                continue
            order[done] = node
            low[node] = component
            members = _close_component(low, order, done + 1, waiting, root_index, component)
            done, waiting, next_index = (
                done + 1 + members,
                waiting + members,
                next_index - 1 - members,
            )
            component -= 1
    return int(n - component)


@njit(nogil=True, cache=True)
def _close_component(
    low: Any, order: Any, done: int, waiting: int, root_index: int, component: int
) -> int:
    """Move the waiting nodes that reach back to the root into its component; how many."""
    members = 0
    while waiting + members < order.size and low[order[waiting + members]] >= root_index:
        node = order[waiting + members]
        order[done + members] = node
        low[node] = component
        members += 1
    return members


@dataclass(frozen=True, slots=True, eq=False)
class ComponentLabels:
    """The component of each node, numbered by first node, and the size of each component."""

    labels: Ids
    sizes: Ids


def weakly_connected_components(outlinks: CSR) -> ComponentLabels:
    """The components connected by links in either direction, by union-find.

    Examples
    --------
    >>> weakly_connected_components(
    ...     CSR(np.array([0, 1, 1, 1]), np.array([1], np.int32))
    ... ).sizes.tolist()
    [2, 1]
    """
    starts, ids = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
    parent = np.arange(len(starts) - 1, dtype=np.int32)
    bounds = np.linspace(0, len(parent), WORK_PIECES + 1).astype(np.int64)
    run_parallel(_union_link_ends, bounds, starts, ids, parent)
    compress_paths(parent)
    number = np.cumsum(parent == np.arange(len(parent)), dtype=np.int32) - np.int32(1)
    labels = number[parent]
    return ComponentLabels(labels, np.bincount(labels).astype(np.int32))


def strongly_connected_components(outlinks: CSR) -> ComponentLabels:
    """The components in which every node reaches every other, numbered by first node."""
    scc = condensation(outlinks)
    nodes = np.arange(len(scc.labels), dtype=np.int32)
    first = np.empty(len(scc.bounds) - 1, np.int32)
    first[scc.labels[::-1]] = nodes[::-1]  # descending, so that the first node is written last
    by_first = np.argsort(first)
    number = np.empty(len(first), np.int32)
    number[by_first] = np.arange(len(first), dtype=np.int32)
    return ComponentLabels(number[scc.labels], scc.sizes[by_first])


@njit(nogil=True, cache=True)
def _union_link_ends(queue: Any, bounds: Any, starts: Any, ids: Any, parent: Any) -> None:
    """Unite both ends of every link; most have the same root already."""
    while True:
        piece = next_piece(queue)
        if piece >= bounds.size - 1:
            break
        for node in range(bounds[piece], bounds[piece + 1]):
            root = find_root(parent, node)
            for link in range(starts[node], starts[node + 1]):
                to = ids[link]
                if parent[to] != root:
                    root = union(parent, root, to)


def cyclic_components(outlinks: CSR) -> Ids:
    """The strongly connected component of each page that lies on a cycle; -1 for other pages.

    Only components with a cycle are numbered, by their first page. A self-link
    is a cycle.

    Examples
    --------
    >>> cyclic_components(CSR(np.array([0, 1, 2, 3, 4]), np.array([1, 0, 3, 0])))
    array([ 0,  0, -1, -1], dtype=int32)
    """
    components = strongly_connected_components(outlinks)
    cyclic = components.sizes > 1
    cyclic[components.labels[outlinks.ids[outlinks.row_ids() == outlinks.ids]]] = True
    # components are numbered by first page already: close the gaps that the others leave
    number = np.where(cyclic, np.cumsum(cyclic, dtype=np.int32) - 1, -1).astype(np.int32)
    labels: Ids = number[components.labels]
    return labels
