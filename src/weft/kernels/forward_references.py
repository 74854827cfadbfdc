"""Maximal forward references: where visitors turn back."""

from typing import Any

import numpy as np

from weft.core.arrays import Ids, Offsets
from weft.kernels.compiler import njit


def cut_forward_references(
    starts: Offsets, pages: Ids, page_count: int, max_length: int
) -> tuple[Offsets, Ids, Ids]:
    """The maximal forward references of paths: their starts, pages, and the path of each.

    Path k is `pages[starts[k]:starts[k + 1]]`. A reference ends where the
    visitor goes back to a page of the current forward path, which is then cut
    to end there. Of a longer one, the last `max_length` pages are kept.

    Examples
    --------
    >>> path = np.array([0, 1, 2, 1, 3], np.int32)
    >>> cut_forward_references(np.array([0, 5]), path, 4, 100)[:2]
    (array([0, 3, 6]), array([0, 1, 2, 0, 1, 3], dtype=int32))
    """
    lengths = np.zeros(len(pages) + 1, np.int64)
    count = _cut_kernel(
        starts, pages, page_count, max_length, lengths, np.zeros(0, np.int32), np.zeros(0, np.int32)
    )
    bounds = np.zeros(count + 1, np.int64)
    np.cumsum(lengths[:count], out=bounds[1:])
    references, path_of = np.zeros(bounds[-1], np.int32), np.zeros(count, np.int32)
    _cut_kernel(starts, pages, page_count, max_length, lengths, references, path_of)
    return bounds, references, path_of


@njit(nogil=True, cache=True)
def _cut_kernel(
    starts: Any,
    pages: Any,
    page_count: int,
    max_length: int,
    lengths: Any,
    references: Any,
    path_of: Any,
) -> int:
    """Count the references and their lengths; write them too where there is space for them."""
    position = np.full(page_count, -1, np.int64)  # where a page is on the forward path
    forward_path = np.zeros(pages.size, np.int32)
    count, written = 0, 0
    for path in range(starts.size - 1):
        size, forward = 0, False
        for at in range(starts[path], starts[path + 1] + 1):
            ends = at == starts[path + 1]
            turn = ends or position[pages[at]] >= 0
            if turn and forward:
                first = max(0, size - max_length)
                lengths[count] = size - first
                if path_of.size:
                    path_of[count] = path
                    for k in range(first, size):
                        references[written] = forward_path[k]
                        written += 1
                count += 1
            forward = not turn
            kept = 0 if ends else position[pages[at]] + 1 if turn else size
            while size > kept:
                size -= 1
                position[forward_path[size]] = -1
            if not turn:
                forward_path[size] = pages[at]
                position[pages[at]] = size
                size += 1
    return count
