"""Put links in order by counting: into buckets of rows, and into rows."""

from typing import Any

import numpy as np

from weft.core.arrays import LOW_32_BITS, Ids, Offsets, Weights
from weft.kernels.compiler import njit

BITS = np.uint64(32)


def group_into_buckets(
    keys: Offsets, weights: Weights, bucket_of_row: Any, count: int
) -> tuple[Offsets, Weights, Offsets]:
    """Group packed links by the buckets of their rows; also where each bucket begins.

    Links of a bucket keep their order. Empty weights stay empty.

    Examples
    --------
    >>> keys, none = np.array([1 << 32 | 5, 0 << 32 | 7, 1 << 32 | 2]), np.zeros(0, np.float32)
    >>> grouped, _, starts = group_into_buckets(keys, none, np.array([0, 1], np.uint8), 2)
    >>> (grouped & 0xFFFFFFFF).tolist(), starts.tolist()
    ([7, 5, 2], [0, 1, 3])
    """
    grouped, sorted_weights = np.empty_like(keys), np.empty_like(weights)
    starts = np.zeros(count + 1, np.int64)
    _group_keys(keys, weights, bucket_of_row, (grouped, sorted_weights, starts))
    return grouped, sorted_weights, starts


@njit(nogil=True, cache=True)
def _group_keys(keys: Any, weights: Any, bucket_of_row: Any, output: Any) -> None:
    grouped, sorted_weights, starts = output
    for key in keys:
        starts[bucket_of_row[np.uint64(key) >> BITS] + 1] += 1
    for bucket in range(1, starts.size):
        starts[bucket] += starts[bucket - 1]
    next_free = starts[:-1].copy()
    for link in range(keys.size):
        bucket = bucket_of_row[np.uint64(keys[link]) >> BITS]
        grouped[next_free[bucket]] = keys[link]
        if weights.size:
            sorted_weights[next_free[bucket]] = weights[link]
        next_free[bucket] += 1


@njit(nogil=True, cache=True)
def count_ids(ids: Any, counts: Any) -> None:
    """Add the number of occurrences of each id to `counts`."""
    for k in ids:
        counts[k] += 1


def sort_by_row(keys: Offsets, weights: Weights, rows: range) -> tuple[Ids, Weights]:
    """The ids and weights of packed links sorted by row, those of a row in their order.

    Examples
    --------
    >>> keys = np.array([8 << 32 | 3, 7 << 32 | 1, 8 << 32 | 2])
    >>> ids, weights = sort_by_row(keys, np.array([1.0, 2.0, 3.0]), range(7, 9))
    >>> ids.tolist(), weights.tolist()
    ([1, 3, 2], [2.0, 1.0, 3.0])
    """
    ids, sorted_weights = np.empty(len(keys), np.int32), np.empty_like(weights)
    next_free = np.zeros(len(rows) + 1, np.int64)
    _sort_rows(keys, weights, rows.start, (next_free, ids, sorted_weights))
    return ids, sorted_weights


@njit(nogil=True, cache=True)
def _sort_rows(keys: Any, weights: Any, first_row: int, output: Any) -> None:
    next_free, ids, sorted_weights = output
    for key in keys:
        next_free[int(np.uint64(key) >> BITS) - first_row + 1] += 1
    for row in range(1, next_free.size):
        next_free[row] += next_free[row - 1]
    for link in range(keys.size):
        row = int(np.uint64(keys[link]) >> BITS) - first_row
        ids[next_free[row]] = np.int32(keys[link] & LOW_32_BITS)
        if weights.size:
            sorted_weights[next_free[row]] = weights[link]
        next_free[row] += 1
