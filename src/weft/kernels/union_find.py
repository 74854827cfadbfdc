"""Union-find, lock-free for many threads, and the bipartite components of a graph by it.

Node p is page p as a hub, node n + p the same page as an authority.
"""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import CSR, Ids
from weft.kernels.bins import MESSAGE_START_BIT, RECEIVER_MASK, Bins
from weft.kernels.bipartite_components import BipartiteComponents
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
