"""A-H-A clusters: an authority, the hubs that link to it, and the authorities these link to."""

from typing import NamedTuple

import numpy as np

from weft.core.arrays import CSR, Flags, Ids, Offsets
from weft.kernels.compiler import njit


class ExtractedClusters(NamedTuple):
    """Clusters in the order of extraction: `nodes[starts[i]:starts[i + 1]]` is the i-th.

    A cluster lists its centre, then its `hub_counts[i]` hubs, then the other
    authorities, ascending. `start_nodes[i]` is the node that it was found from.
    """

    start_nodes: Ids
    hub_counts: Ids
    starts: Offsets
    nodes: Ids


def extract_clusters(outlinks: CSR, inlinks: CSR, min_support: int) -> ExtractedClusters:
    """Extract clusters until no link is left among the remaining nodes.

    Each starts at the node of highest out-degree; the centre is the node of
    highest in-degree among its targets. Degrees count remaining nodes only,
    ties go to the lower node. Other authorities need links from `min_support`
    hubs of the cluster.

    Examples
    --------
    >>> out = CSR(np.array([0, 2, 3, 3, 3]), np.array([2, 3, 2], np.int32))
    >>> into = CSR(np.array([0, 0, 0, 2, 3]), np.array([0, 1, 0], np.int32))
    >>> extract_clusters(out, into, 1).nodes.tolist()
    [2, 0, 1, 3]
    """
    out_starts, in_starts = (rows.starts.astype(np.int64) for rows in (outlinks, inlinks))
    targets, sources = (rows.ids.astype(np.int32) for rows in (outlinks, inlinks))
    return ExtractedClusters(
        *_extract_clusters_kernel(out_starts, targets, in_starts, sources, min_support)
    )


@njit(cache=True, nogil=True)
def _extract_clusters_kernel(
    out_starts: Offsets, targets: Ids, in_starts: Offsets, sources: Ids, min_support: int
) -> tuple[Ids, Ids, Offsets, Ids]:
    n = len(out_starts) - 1
    remaining = np.ones(n, np.bool_)
    out_degrees, in_degrees = np.diff(out_starts), np.diff(in_starts)
    # a bucket queue: the nodes of each out-degree as a linked list, from `head[degree]` on
    head = np.full(int(out_degrees.max()) + 1 if n else 1, -1, np.int32)
    following = np.empty(n, np.int32)
    for node in range(n):
        following[node], head[out_degrees[node]] = head[out_degrees[node]], node
    start_nodes, hub_counts = np.empty(n, np.int32), np.empty(n, np.int32)
    starts = np.zeros(n + 1, np.int64)
    nodes, count, clusters = np.empty(n, np.int32), 0, 0
    support = np.zeros(n, np.int32)
    for degree in range(len(head) - 1, 0, -1):
        for node in _nodes_at_degree(head, following, degree):
            if out_degrees[node] < degree or not remaining[node]:
                # links were removed since: move the node down to its present degree
                left = out_degrees[node] * remaining[node]
                following[node], head[left] = head[left], node
                continue
            begin = count
            count = _write_centre_and_hubs(
                node, out_starts, targets, in_starts, sources, remaining, in_degrees, nodes, count
            )
            start_nodes[clusters], hub_counts[clusters] = node, count - begin - 1
            count = _write_other_authorities(
                out_starts, targets, remaining, support, nodes, begin, count, min_support
            )
            clusters += 1
            starts[clusters] = count
            _remove_nodes(
                nodes[begin:count],
                out_starts,
                targets,
                in_starts,
                sources,
                remaining,
                out_degrees,
                in_degrees,
            )
    return (
        start_nodes[:clusters].copy(),
        hub_counts[:clusters].copy(),
        starts[: clusters + 1].copy(),
        nodes[:count],
    )


@njit(cache=True, nogil=True)
def _nodes_at_degree(head: Ids, following: Ids, degree: int) -> Ids:
    """The nodes in the bucket of a degree, ascending."""
    count, node = 0, head[degree]
    while node >= 0:
        count, node = count + 1, following[node]
    bucket, node = np.empty(count, np.int32), head[degree]
    for k in range(count):
        bucket[k], node = node, following[node]
    bucket.sort()
    return bucket


@njit(cache=True, nogil=True)
def _write_centre_and_hubs(
    node: int,
    out_starts: Offsets,
    targets: Ids,
    in_starts: Offsets,
    sources: Ids,
    remaining: Flags,
    in_degrees: Offsets,
    nodes: Ids,
    count: int,
) -> int:
    """Write the centre found from a node, and the hubs that link to it; return the end."""
    centre = -1
    for other in targets[out_starts[node] : out_starts[node + 1]]:
        if remaining[other] and (centre < 0 or in_degrees[other] > in_degrees[centre]):
            centre = other
    nodes[count] = centre
    for hub in sources[in_starts[centre] : in_starts[centre + 1]]:
        if remaining[hub]:
            count += 1
            nodes[count] = hub
    return count + 1


@njit(cache=True, nogil=True)
def _write_other_authorities(
    out_starts: Offsets,
    targets: Ids,
    remaining: Flags,
    support: Ids,
    nodes: Ids,
    begin: int,
    count: int,
    min_support: int,
) -> int:
    """Write the further nodes that enough hubs of the cluster link to; return the end.

    `support` is scratch memory for the number of hubs that link to each node;
    it is all zero before and after.
    """
    end = count
    support[nodes[begin:end]] = -len(support)  # members of the cluster never get there
    for hub in nodes[begin + 1 : end]:
        for other in targets[out_starts[hub] : out_starts[hub + 1]]:
            support[other] += 1
            if support[other] == min_support and remaining[other]:
                nodes[count] = other
                count += 1
    for hub in nodes[begin + 1 : end]:
        support[targets[out_starts[hub] : out_starts[hub + 1]]] = 0
    support[nodes[begin:end]] = 0
    nodes[end:count].sort()
    return count


@njit(cache=True, nogil=True)
def _remove_nodes(
    removed: Ids,
    out_starts: Offsets,
    targets: Ids,
    in_starts: Offsets,
    sources: Ids,
    remaining: Flags,
    out_degrees: Offsets,
    in_degrees: Offsets,
) -> None:
    """Remove nodes, and lower the degrees of their neighbours."""
    for node in removed:
        remaining[node] = False
        for other in targets[out_starts[node] : out_starts[node + 1]]:
            in_degrees[other] -= 1
        for other in sources[in_starts[node] : in_starts[node + 1]]:
            out_degrees[other] -= 1
