"""Components of large graphs: every link unites the two copies at its ends."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Ids, Rows
from weft.engine.bins import FLAG, MASK, Bins
from weft.engine.components import Components
from weft.engine.pool import replace_if, run, take


def of_bins(bins: Bins, n: int) -> Components:
    """Go through the bins, whose links stay within two stretches of pages."""
    parent = np.arange(2 * n, dtype=np.int32)
    run(_unite_bins, bins, parent)
    flatten(parent)
    return _found(parent)


def of_rows(outlinks: Rows, n: int) -> Components:
    """Go through the rows of links by source."""
    parent = np.arange(2 * n, dtype=np.int32)
    _unite_rows(outlinks.starts, outlinks.ids, parent)
    flatten(parent)
    return _found(parent)


def _found(parent: Ids) -> Components:
    labels = np.full(len(parent), -1, np.int32)
    count = _number(parent, labels)
    n = len(parent) // 2
    return Components(count, labels[:n], labels[n:])


@njit(nogil=True, cache=True)
def root_of(parent: Any, node: Any) -> Any:
    """The root of a node, with the way to it halved; other threads may halve it too."""
    above = parent[node]
    while above != node:
        further = parent[above]
        parent[node] = further
        node, above = above, further
    return node


@njit(nogil=True, cache=True)
def unite(parent: Any, hub: Any, copy: Any) -> Any:
    """Hang the greater root under the smaller one, unless another thread was faster; which it is.

    Roots only ever get smaller, so that in the end every page hangs under the
    first hub of its component, whoever was faster.
    """
    while True:
        one, two = root_of(parent, hub), root_of(parent, copy)
        low, high = min(one, two), max(one, two)
        if low == high or replace_if(parent, high, high, low):  # type: ignore[call-arg]
            return low


@njit(nogil=True, cache=True)
def _unite_bins(queue: Any, bins: Bins, parent: Any) -> None:
    """A message's page is looked up once; most of its links then need no more than a look."""
    n = parent.size // 2
    parts = len(bins.messages)
    while True:
        part = take(queue)
        if part >= parts:
            break
        message = np.int64(bins.messages[part, 0]) - 1
        copies = n + (part << bins.shift)
        root = parent[0]
        for group in range(parts):
            for link in range(bins.links[part, group], bins.links[part, group + 1]):
                word = bins.receivers[link]
                if word >> FLAG:
                    message += 1
                    page = (group << bins.shift) + np.int64(bins.senders[message])
                    root = root_of(parent, page)
                copy = copies + np.int64(word & MASK)
                if parent[copy] != root:
                    root = unite(parent, root, copy)


@njit(nogil=True, cache=True)
def _unite_rows(starts: Any, ids: Any, parent: Any) -> None:
    n = parent.size // 2
    for page in range(n):
        for link in range(starts[page], starts[page + 1]):
            unite(parent, page, n + np.int64(ids[link]))


@njit(nogil=True, cache=True)
def flatten(parent: Any) -> None:
    """Hang every node right under its root."""
    for node in range(parent.size):
        parent[node] = root_of(parent, node)


@njit(nogil=True, cache=True)
def _number(parent: Any, labels: Any) -> int:
    """Number the hubs that authorities hang under, and all pages by them; how many there are."""
    n = parent.size // 2
    for copy in range(n, 2 * n):
        if parent[copy] != copy:
            labels[parent[copy]] = 0
    count = 0
    for hub in range(n):
        if parent[hub] != hub:
            labels[hub] = labels[parent[hub]]
        elif labels[hub] == 0:
            labels[hub] = count
            count += 1
    for copy in range(n, 2 * n):
        if parent[copy] != copy:
            labels[copy] = labels[parent[copy]]
    return count
