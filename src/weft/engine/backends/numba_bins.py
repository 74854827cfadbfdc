"""Kernels of the Numba backend on links in bins: products with A' and A, and Neumann steps.

Each has two steps over the partitions. For A'x, pages scatter their values into
messages, then the messages of each target partition are gathered; for A x, the
same bins are run backward.
"""

from typing import Any

import numpy as np

from weft.engine.operator import RecurrenceTerms, WalkState
from weft.kernels.bins import (
    MAX_PARTITION_PAGES,
    MESSAGE_START_BIT,
    RECEIVER_MASK,
    STREAMS_PER_PARTITION,
    Bins,
)
from weft.kernels.compiler import njit
from weft.kernels.threads import mark_done, next_piece, wait_for_step

ONE = np.uint64(1)
KEEP_FACTOR = np.array([1.0, 0.0])
MIN_SENT_VALUE = 1e-36  # smaller values are subnormal in float32: inexact, and slow


@njit(nogil=True, cache=True)
def rmatvec(
    queue: Any, bins: Bins, x: Any, message_values: Any, scale: float, y: Any, partition_sums: Any
) -> None:
    """Set `y` to scale * A'x."""
    _scatter_messages(queue, bins, x, message_values)
    sums = np.empty(MAX_PARTITION_PAGES)
    while True:
        partition = next_piece(queue, 1)
        if partition >= len(bins.message_starts):
            break
        _gather_messages(partition, bins, message_values, sums)
        _write_partition(y, partition, bins, sums, scale, partition_sums[partition])


@njit(nogil=True, cache=True)
def rmatvec_recurrence(
    queue: Any,
    bins: Bins,
    x: Any,
    message_values: Any,
    terms: RecurrenceTerms,
    y: Any,
    partition_sums: Any,
) -> None:
    """Set `y` to A'x - alpha * current - beta * previous."""
    _scatter_messages(queue, bins, x, message_values)
    sums = np.empty(MAX_PARTITION_PAGES)
    while True:
        partition = next_piece(queue, 1)
        if partition >= len(bins.message_starts):
            break
        _gather_messages(partition, bins, message_values, sums)
        current = terms.current[partition << bins.shift : (partition + 1) << bins.shift]
        previous = terms.previous[partition << bins.shift : (partition + 1) << bins.shift]
        for page in range(current.size):
            sums[page] -= terms.alpha * current[page] + terms.beta * previous[page]
        _write_partition(y, partition, bins, sums, 1.0, partition_sums[partition])


@njit(nogil=True, cache=True)
def matvec(
    queue: Any, bins: Bins, x: Any, message_values: Any, scale: float, y: Any, partition_sums: Any
) -> None:
    """Set `y` to scale * A x."""
    _reduce_into_messages(queue, bins, x, message_values)
    partition_count = len(bins.message_starts)
    sums = np.empty(MAX_PARTITION_PAGES)
    while True:
        partition = next_piece(queue, 1)
        if partition >= partition_count:
            break
        sums[: 1 << bins.shift] = 0
        for target_partition in range(partition_count):
            for message in range(
                bins.message_starts[target_partition, partition],
                bins.message_starts[target_partition, partition + 1],
            ):
                sums[np.uint64(bins.senders[message])] += message_values[message]
        _write_partition(y, partition, bins, sums, scale, partition_sums[partition])


@njit(nogil=True, cache=True)
def neumann_step(
    queue: Any, bins: Bins, message_values: Any, state: WalkState, partition_sums: Any
) -> None:
    """Add what arrives to the total, and set what each page passes on next."""
    outgoing, total, row_scale, teleport, teleport_mass = state
    _scatter_messages(queue, bins, outgoing, message_values)
    sums = np.empty(MAX_PARTITION_PAGES)
    uniform = teleport.size == 1
    while True:
        partition = next_piece(queue, 1)
        if partition >= len(bins.message_starts):
            break
        _gather_messages(partition, bins, message_values, sums)
        start = partition << bins.shift
        change, dangling = 0.0, 0.0
        for page in range(start, min(total.size, start + (1 << bins.shift))):
            arrived = sums[page - start] + teleport_mass * teleport[0 if uniform else page]
            total[page] += arrived
            passed_on = arrived * row_scale[page]
            outgoing[page] = passed_on if abs(passed_on) > MIN_SENT_VALUE else 0.0
            change += abs(arrived)
            dangling += arrived if row_scale[page] == 0 else 0.0
        partition_sums[partition, 0] = change
        partition_sums[partition, 1] = dangling


@njit(nogil=True, cache=True)
def _scatter_messages(queue: Any, bins: Bins, x: Any, message_values: Any) -> None:
    """Write the value of each page of a source partition into its messages."""
    partition_count = len(bins.message_starts)
    while True:
        partition = next_piece(queue)
        if partition >= partition_count:
            break
        values = x[partition << bins.shift : (partition + 1) << bins.shift]
        for target_partition in range(partition_count):
            for message in range(
                bins.message_starts[target_partition, partition],
                bins.message_starts[target_partition, partition + 1],
            ):
                message_values[message] = values[bins.senders[message]]
        mark_done(queue)
    wait_for_step(queue, partition_count)


@njit(nogil=True, cache=True)
def _gather_messages(partition: Any, bins: Bins, message_values: Any, sums: Any) -> None:
    """Sum the messages of a target partition at the pages that receive them."""
    sums[: 1 << bins.shift] = 0
    message = bins.message_starts[partition, 0] - ONE
    for link in range(bins.link_starts[partition, 0], bins.link_starts[partition, -1]):
        word = bins.receivers[link]
        message += np.uint64(word >> MESSAGE_START_BIT)
        sums[np.uint64(word & RECEIVER_MASK)] += message_values[message]


@njit(nogil=True, cache=True)
def _write_partition(
    y: Any, partition: Any, bins: Bins, sums: Any, scale: float, partition_sums: Any
) -> None:
    """Write one partition of `y`, with the sums of its squares, entries and changes."""
    start = partition << bins.shift
    squares, total, change = 0.0, 0.0, 0.0
    for page in range(start, min(y.size, start + (1 << bins.shift))):
        new = scale * sums[page - start]
        change += abs(new - y[page])
        total += new
        squares += new * new
        y[page] = new
    partition_sums[0] = squares
    partition_sums[1] = total
    partition_sums[2] = change


@njit(nogil=True, cache=True)
def _reduce_into_messages(queue: Any, bins: Bins, x: Any, message_values: Any) -> None:
    """Backward: set each message to the sum of `x` over the pages that receive it."""
    while True:
        partition = next_piece(queue)
        if partition >= len(bins.message_starts):
            break
        values = x[partition << bins.shift : (partition + 1) << bins.shift]
        links = bins.link_starts[partition, 0] + bins.stream_starts[partition, 0]
        messages = bins.message_starts[partition, 0] - ONE + bins.stream_starts[partition, 1]
        count = np.min(links[1:] - links[:-1])
        sums = _sum_four_streams(bins.receivers, links, messages, count, values, message_values)
        for k in range(STREAMS_PER_PARTITION):
            message, total = messages[k], sums[k]
            for link in range(links[k] + count, links[k + 1]):
                message, total = _accumulate_link(
                    bins.receivers[link], message, total, values, message_values
                )
        mark_done(queue)
    wait_for_step(queue, len(bins.message_starts))


@njit(nogil=True, cache=True)
def _sum_four_streams(
    receivers: Any, links: Any, messages: Any, count: Any, values: Any, message_values: Any
) -> Any:
    """Sum four streams of links at once, so that no addition waits for another."""
    link_0, link_1, link_2, link_3 = links[0], links[1], links[2], links[3]
    message_0, message_1, message_2, message_3 = messages[0], messages[1], messages[2], messages[3]
    sum_0, sum_1, sum_2, sum_3 = 0.0, 0.0, 0.0, 0.0
    for step in range(count):
        message_0, sum_0 = _accumulate_link(
            receivers[link_0 + step], message_0, sum_0, values, message_values
        )
        message_1, sum_1 = _accumulate_link(
            receivers[link_1 + step], message_1, sum_1, values, message_values
        )
        message_2, sum_2 = _accumulate_link(
            receivers[link_2 + step], message_2, sum_2, values, message_values
        )
        message_3, sum_3 = _accumulate_link(
            receivers[link_3 + step], message_3, sum_3, values, message_values
        )
    messages[0], messages[1], messages[2], messages[3] = message_0, message_1, message_2, message_3
    return sum_0, sum_1, sum_2, sum_3


@njit(nogil=True, cache=True)
def _accumulate_link(
    receiver: Any, message: Any, total: float, values: Any, message_values: Any
) -> Any:
    """Add one link: the message it belongs to, and the sum of that message so far.

    At the start of a message the old sum is multiplied by zero: faster than a
    branch, and exact, since no value is infinite.
    """
    is_first = receiver >> MESSAGE_START_BIT
    message += np.uint64(is_first)
    total = total * KEEP_FACTOR[is_first] + values[np.uint64(receiver & RECEIVER_MASK)]
    message_values[message] = total
    return message, total
