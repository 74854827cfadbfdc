"""Links sorted into bins by the partitions of their ends, so that values stay in the cache.

Partition-centric processing (Lakhotia, Kannan, Prasanna 2018): pages are
divided into partitions of at most 2^15, whose values fit the cache. A page
sends one message to each partition that it links to; the links of the
message, two bytes each, say which pages of the partition receive it. The same
bins serve both directions.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from weft.core.arrays import Ids
from weft.kernels.compiler import njit
from weft.kernels.threads import next_piece, run_parallel

MESSAGE_START_BIT = 15
MAX_PARTITION_PAGES = 1 << MESSAGE_START_BIT
RECEIVER_MASK = MAX_PARTITION_PAGES - 1
TARGET_PARTITIONS = 32
WORK_CHUNKS = 64
STREAMS_PER_PARTITION = 4
UInt16Array = npt.NDArray[np.uint16]
UInt64Array = npt.NDArray[np.uint64]


class Bins(NamedTuple):
    """Messages and links, ordered by target partition, then by source partition.

    Page p is in partition `p >> shift`. The messages of bin (target j, source
    i) are `message_starts[j, i]` to `message_starts[j, i + 1]`; its links are
    found by `link_starts` likewise. `senders` is the source of each message,
    relative to its partition; `receivers` the target of each link, relative to
    its partition, with the top bit set at the first link of a message.
    `stream_starts[j]` divides the links of target partition j into four
    streams that begin with a message: the first link and message of each.
    """

    message_starts: UInt64Array
    link_starts: UInt64Array
    senders: UInt16Array
    receivers: UInt16Array
    stream_starts: UInt64Array
    shift: int


def bin_links(source: Ids, target: Ids, n: int, *, self_links: bool = False) -> Bins:
    """Sort links, given in any order, into bins; parallel links are merged.

    Self-links are dropped unless `self_links` is set.
    """
    shift = min(MESSAGE_START_BIT, max(8, (n // TARGET_PARTITIONS).bit_length()))
    partitions = (n + (1 << shift) - 1) >> shift
    # counting sort by target partition: each chunk of links has its own place in each partition
    counts = np.zeros((WORK_CHUNKS, partitions), np.int64)
    run_parallel(_count_by_partition, source, target, self_links, shift, counts)
    bounds = np.zeros(partitions + 1, np.int64)
    np.cumsum(counts.sum(axis=0), out=bounds[1:])
    next_free = bounds[:-1] + np.cumsum(counts, axis=0) - counts
    total = int(bounds[-1])
    sources, targets = np.empty(total, np.uint32), np.empty(total, np.uint16)
    run_parallel(_scatter_links, source, target, self_links, shift, (next_free, sources, targets))
    message_starts = np.zeros((partitions, partitions + 1), np.uint64)
    link_starts = np.zeros((partitions, partitions + 1), np.uint64)
    stream_starts = np.zeros((partitions, 2, STREAMS_PER_PARTITION + 1), np.uint64)
    run_parallel(
        _sort_partitions,
        bounds,
        sources,
        targets,
        shift,
        (message_starts, link_starts, stream_starts),
    )
    senders = _compact(bounds, message_starts, sources)
    return Bins(
        message_starts,
        link_starts,
        senders,
        _compact(bounds, link_starts, targets),
        stream_starts,
        shift,
    )


def _compact(bounds: npt.NDArray[np.int64], offsets: UInt64Array, items: Any) -> UInt16Array:
    """Close the gaps behind each partition, which had room for unmerged links; as uint16."""
    ends = np.zeros(len(offsets) + 1, np.uint64)
    np.cumsum(offsets[:, -1], out=ends[1:])
    np.add(offsets, ends[:-1, None], out=offsets)
    if ends[-1] == len(items) and items.dtype == np.uint16:
        unchanged: UInt16Array = items
        return unchanged
    packed = np.empty(int(ends[-1]), np.uint16)
    run_parallel(_copy_partitions, bounds, ends.view(np.int64), items, packed)
    return packed


@njit(nogil=True, cache=True)
def _count_by_partition(
    queue: Any, source: Any, target: Any, self_links: Any, shift: int, counts: Any
) -> None:
    """Count the links of each chunk to each partition."""
    link_count = source.size
    while True:
        chunk = next_piece(queue)
        if chunk >= WORK_CHUNKS:
            break
        for link in range(
            chunk * link_count // WORK_CHUNKS, (chunk + 1) * link_count // WORK_CHUNKS
        ):
            if self_links or source[link] != target[link]:
                counts[chunk, np.uint32(target[link]) >> shift] += 1


@njit(nogil=True, cache=True)
def _scatter_links(
    queue: Any, source: Any, target: Any, self_links: Any, shift: int, output: Any
) -> None:
    """Bring the links of each target partition together, in input order."""
    next_free, sources, targets = output
    link_count = source.size
    while True:
        chunk = next_piece(queue)
        if chunk >= WORK_CHUNKS:
            break
        position = next_free[chunk].astype(np.uint64)
        mask = np.uint32((1 << shift) - 1)
        for link in range(
            chunk * link_count // WORK_CHUNKS, (chunk + 1) * link_count // WORK_CHUNKS
        ):
            if self_links or source[link] != target[link]:
                page = np.uint32(target[link])
                partition = page >> np.uint32(shift)
                sources[position[partition]] = source[link]
                targets[position[partition]] = page & mask
                position[partition] += np.uint64(1)


@njit(nogil=True, cache=True)
def _sort_partitions(
    queue: Any, bounds: Any, sources: Any, targets: Any, shift: int, tables: Any
) -> None:
    """Sort each partition's links by source, drop duplicates, and number its messages.

    In place: `sources` becomes the senders, and `targets` the receivers.
    """
    mask = (1 << shift) - 1
    partition_count = bounds.size - 1
    message_starts, link_starts, stream_starts = tables
    last_source = np.empty(MAX_PARTITION_PAGES, np.uint32)
    largest = np.max(bounds[1:] - bounds[:-1])
    buffer = np.empty(largest, np.uint64)
    while True:
        partition = next_piece(queue)
        if partition >= partition_count:
            break
        low, high = bounds[partition], bounds[partition + 1]
        _radix_sort_by_source(sources[low:high], targets[low:high], buffer)
        last_source[:] = 0  # of each target, plus one: a repeated link has the same again
        message, link, source_partition, stream, sender = low - 1, low, 0, 0, np.int64(-1)
        for k in range(low, high):
            source, receiver = np.int64(sources[k]), targets[k]
            while source_partition <= source >> shift:
                message_starts[partition, source_partition] = message + 1 - low
                link_starts[partition, source_partition] = link - low
                source_partition += 1
            if last_source[receiver] == source + 1:
                continue
            last_source[receiver] = source + 1
            if source != sender:
                message += 1
                sources[message] = source & mask
                sender = source
                receiver |= MAX_PARTITION_PAGES  # sets the bit for a new message
                while STREAMS_PER_PARTITION * (link - low) >= stream * (high - low):
                    stream_starts[partition, :, stream] = link - low, message - low
                    stream += 1
            targets[link] = receiver
            link += 1
        stream_starts[partition, 0, stream:], stream_starts[partition, 1, stream:] = (
            link - low,
            message + 1 - low,
        )
        message_starts[partition, source_partition:] = message + 1 - low
        link_starts[partition, source_partition:] = link - low


@njit(nogil=True, cache=True)
def _radix_sort_by_source(sources: Any, targets: Any, buffer: Any) -> None:
    """Radix sort in two passes: by the lower, then by the upper half of the source's bits.

    In between, both ends of a link are packed into one integer.
    """
    previous, used_bits, sorted_ = np.uint32(0), np.uint32(0), True
    for source in sources:
        sorted_ &= source >= previous
        used_bits |= source
        previous = source
    if sorted_:
        return
    digit_bits = np.uint32(1)  # half of the bits that occur, rounded up
    while used_bits >> (2 * digit_bits):
        digit_bits += np.uint32(1)
    low, high = _digit_offsets(sources, digit_bits)
    for k in range(sources.size):
        digit = sources[k] & np.uint32((1 << digit_bits) - 1)
        buffer[low[digit]] = np.uint64(sources[k]) << np.uint64(16) | np.uint64(targets[k])
        low[digit] += 1
    for k in range(sources.size):
        source = np.uint32(buffer[k] >> np.uint64(16))
        place = high[source >> digit_bits]
        high[source >> digit_bits] += 1
        sources[place] = source
        targets[place] = np.uint16(buffer[k])


@njit(nogil=True, cache=True)
def _digit_offsets(sources: Any, digit_bits: Any) -> Any:
    """Where the links with each lower half of bits begin, and those with each upper half."""
    low, high = (
        np.zeros((1 << digit_bits) + 1, np.uint32),
        np.zeros((1 << digit_bits) + 1, np.uint32),
    )
    mask, step = np.uint32((1 << digit_bits) - 1), np.uint32(1)
    for source in sources:
        low[(source & mask) + step] += step
        high[(source >> digit_bits) + step] += step
    return np.cumsum(low), np.cumsum(high)


@njit(nogil=True, cache=True)
def _copy_partitions(queue: Any, bounds: Any, ends: Any, items: Any, packed: Any) -> None:
    """Move the items of each partition to their place without gaps."""
    while True:
        partition = next_piece(queue)
        if partition >= ends.size - 1:
            break
        count = ends[partition + 1] - ends[partition]
        packed[ends[partition] : ends[partition + 1]] = items[
            bounds[partition] : bounds[partition] + count
        ]
