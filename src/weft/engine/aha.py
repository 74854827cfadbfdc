"""Clusters of an authority, the hubs that link to it, and the authorities these link to."""

from typing import NamedTuple

import numpy as np
from numba import njit

from weft.core.arrays import Flags, Ids, Offsets, Rows


class Taken(NamedTuple):
    """What each round took out: the node it began at, and the cluster, one after the other.

    A cluster begins with its centre; so many `hubs` follow, then the others, ascending.
    """

    opening: Ids
    hubs: Ids
    starts: Offsets
    nodes: Ids


def take_out(outlinks: Rows, inlinks: Rows, support: int) -> Taken:
    """Take out clusters until no link is left among the nodes that remain.

    A round begins at the node with most links and takes the most linked node
    among those it links to as centre. Of equals the first by number is taken.
    A node that comes in through hubs has links from as many as `support`.

    Examples
    --------
    >>> out = Rows(np.array([0, 2, 3, 3, 3]), np.array([2, 3, 2], np.int32))
    >>> into = Rows(np.array([0, 0, 0, 2, 3]), np.array([0, 1, 0], np.int32))
    >>> take_out(out, into, 1).nodes.tolist()
    [2, 0, 1, 3]
    """
    out, into = (rows.starts.astype(np.int64) for rows in (outlinks, inlinks))
    targets, sources = (rows.ids.astype(np.int32) for rows in (outlinks, inlinks))
    return Taken(*_take_out(out, targets, into, sources, support))


@njit(cache=True, nogil=True)
def _take_out(
    out: Offsets, targets: Ids, into: Offsets, sources: Ids, support: int
) -> tuple[Ids, Ids, Offsets, Ids]:
    n = len(out) - 1
    there, links, linked = np.ones(n, np.bool_), np.diff(out), np.diff(into)
    first = np.full(int(links.max()) + 1 if n else 1, -1, np.int32)
    after = np.empty(n, np.int32)
    for node in range(n):
        after[node], first[links[node]] = first[links[node]], node
    opening, hubs, starts = np.empty(n, np.int32), np.empty(n, np.int32), np.zeros(n + 1, np.int64)
    nodes, count, rounds = np.empty(n, np.int32), 0, 0
    times = np.zeros(n, np.int32)
    for degree in range(len(first) - 1, 0, -1):
        for node in _waiting(first, after, degree):
            if links[node] < degree or not there[node]:
                left = links[node] * there[node]
                after[node], first[left] = first[left], node
                continue
            begin = count
            count = _cluster(node, out, targets, into, sources, there, linked, nodes, count)
            opening[rounds], hubs[rounds] = node, count - begin - 1
            count = _reached(out, targets, there, times, nodes, begin, count, support)
            rounds += 1
            starts[rounds] = count
            _remove(nodes[begin:count], out, targets, into, sources, there, links, linked)
    return opening[:rounds].copy(), hubs[:rounds].copy(), starts[: rounds + 1].copy(), nodes[:count]


@njit(cache=True, nogil=True)
def _waiting(first: Ids, after: Ids, degree: int) -> Ids:
    """The nodes that wait at a degree, ascending."""
    count, node = 0, first[degree]
    while node >= 0:
        count, node = count + 1, after[node]
    found, node = np.empty(count, np.int32), first[degree]
    for k in range(count):
        found[k], node = node, after[node]
    found.sort()
    return found


@njit(cache=True, nogil=True)
def _cluster(
    node: int,
    out: Offsets,
    targets: Ids,
    into: Offsets,
    sources: Ids,
    there: Flags,
    linked: Offsets,
    nodes: Ids,
    count: int,
) -> int:
    """Write the centre that a node opens and its hubs."""
    centre = -1
    for other in targets[out[node] : out[node + 1]]:
        if there[other] and (centre < 0 or linked[other] > linked[centre]):
            centre = other
    nodes[count] = centre
    for hub in sources[into[centre] : into[centre + 1]]:
        if there[hub]:
            count += 1
            nodes[count] = hub
    return count + 1


@njit(cache=True, nogil=True)
def _reached(
    out: Offsets,
    targets: Ids,
    there: Flags,
    times: Ids,
    nodes: Ids,
    begin: int,
    count: int,
    support: int,
) -> int:
    """Write what the hubs of a cluster link to besides, often enough."""
    end = count
    times[nodes[begin:end]] = -len(times)
    for hub in nodes[begin + 1 : end]:
        for other in targets[out[hub] : out[hub + 1]]:
            times[other] += 1
            if times[other] == support and there[other]:
                nodes[count] = other
                count += 1
    for hub in nodes[begin + 1 : end]:
        times[targets[out[hub] : out[hub + 1]]] = 0
    times[nodes[begin:end]] = 0
    nodes[end:count].sort()
    return count


@njit(cache=True, nogil=True)
def _remove(
    gone: Ids,
    out: Offsets,
    targets: Ids,
    into: Offsets,
    sources: Ids,
    there: Flags,
    links: Offsets,
    linked: Offsets,
) -> None:
    """Take nodes out, and count what is left of the links of others."""
    for node in gone:
        there[node] = False
        for other in targets[out[node] : out[node + 1]]:
            linked[other] -= 1
        for other in sources[into[node] : into[node + 1]]:
            links[other] -= 1
