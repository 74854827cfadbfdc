"""Links sorted into bins by the partitions of their ends, small enough to stay in the cache.

Partition-centric processing (Lakhotia, Kannan, Prasanna 2018): pages fall into
partitions, of at most 2^15, whose values fit the cache. A page sends one
message to each partition that it links into; the links then say, in two bytes
each, which pages of the partition the message is for. The same bins serve both ways.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from weft.core.arrays import Ids
from weft.engine.pool import run, take

FLAG = 15
SIZE = 1 << FLAG
MASK = SIZE - 1
PARTS = 32
CHUNKS = 64
STREAMS = 4
Shorts = npt.NDArray[np.uint16]
Places = npt.NDArray[np.uint64]


class Bins(NamedTuple):
    """Messages and links by target partition, inside that by source partition.

    Page p is in partition `p >> shift`.

    The messages of bin (target j, source i) are `messages[j, i]` to
    `messages[j, i + 1]`, its links likewise. `senders` is the source of each
    message inside its partition; `receivers` the target of each link inside
    its partition, with the top bit set where a new message begins. `cuts`
    quarter the links of each target partition at messages: which link and
    which message of the partition every quarter begins with.
    """

    messages: Places
    links: Places
    senders: Shorts
    receivers: Shorts
    cuts: Places
    shift: int


def sort_links(source: Ids, target: Ids, n: int, *, self_links: bool = False) -> Bins:
    """Sort links, in any order, into bins; parallel links become one.

    Links to oneself are left out, unless they are to be kept.
    """
    shift = min(FLAG, max(8, (n // PARTS).bit_length()))
    parts = (n + (1 << shift) - 1) >> shift
    counts = np.zeros((CHUNKS, parts), np.int64)
    run(_count, source, target, self_links, shift, counts)
    bounds = np.zeros(parts + 1, np.int64)
    np.cumsum(counts.sum(axis=0), out=bounds[1:])
    places = bounds[:-1] + np.cumsum(counts, axis=0) - counts
    total = int(bounds[-1])
    sources, targets = np.empty(total, np.uint32), np.empty(total, np.uint16)
    run(_place, source, target, self_links, shift, (places, sources, targets))
    messages = np.zeros((parts, parts + 1), np.uint64)
    links = np.zeros((parts, parts + 1), np.uint64)
    cuts = np.zeros((parts, 2, STREAMS + 1), np.uint64)
    run(_sort, bounds, sources, targets, shift, (messages, links, cuts))
    senders = _packed(bounds, messages, sources)
    return Bins(messages, links, senders, _packed(bounds, links, targets), cuts, shift)


def _packed(bounds: npt.NDArray[np.int64], table: Places, items: Any) -> Shorts:
    """Close the gaps that each partition left, having more room than messages or links."""
    ends = np.zeros(len(table) + 1, np.uint64)
    np.cumsum(table[:, -1], out=ends[1:])
    np.add(table, ends[:-1, None], out=table)
    if ends[-1] == len(items) and items.dtype == np.uint16:
        kept: Shorts = items
        return kept
    packed = np.empty(int(ends[-1]), np.uint16)
    run(_copy, bounds, ends.view(np.int64), items, packed)
    return packed


@njit(nogil=True, cache=True)
def _count(queue: Any, source: Any, target: Any, own: bool, shift: int, counts: Any) -> None:  # noqa: FBT001
    """How many links of each chunk lead to each partition."""
    m = source.size
    while True:
        chunk = take(queue)
        if chunk >= CHUNKS:
            break
        for link in range(chunk * m // CHUNKS, (chunk + 1) * m // CHUNKS):
            if own or source[link] != target[link]:
                counts[chunk, np.uint32(target[link]) >> shift] += 1


@njit(nogil=True, cache=True)
def _place(queue: Any, source: Any, target: Any, own: bool, shift: int, into: Any) -> None:  # noqa: FBT001
    """Bring the links of each target partition together, in the order they came."""
    places, sources, targets = into
    m = source.size
    while True:
        chunk = take(queue)
        if chunk >= CHUNKS:
            break
        at = places[chunk].astype(np.uint64)
        inside = np.uint32((1 << shift) - 1)
        for link in range(chunk * m // CHUNKS, (chunk + 1) * m // CHUNKS):
            if own or source[link] != target[link]:
                to = np.uint32(target[link])
                part = to >> np.uint32(shift)
                sources[at[part]] = source[link]
                targets[at[part]] = to & inside
                at[part] += np.uint64(1)


@njit(nogil=True, cache=True)
def _sort(queue: Any, bounds: Any, sources: Any, targets: Any, shift: int, tables: Any) -> None:
    """Sort each partition's links by source, drop the doubles, and number its messages.

    Senders take the place of sources, and receivers that of targets.
    """
    inside = (1 << shift) - 1
    parts = bounds.size - 1
    messages, links, cuts = tables
    seen = np.empty(SIZE, np.uint32)
    room = np.max(bounds[1:] - bounds[:-1])
    spare = np.empty(room, np.uint64)
    while True:
        part = take(queue)
        if part >= parts:
            break
        low, high = bounds[part], bounds[part + 1]
        _by_source(sources[low:high], targets[low:high], spare)
        seen[:] = 0
        message, link, group, cut, last = low - 1, low, 0, 0, np.int64(-1)
        for k in range(low, high):
            here, to = np.int64(sources[k]), targets[k]
            while group <= here >> shift:
                messages[part, group] = message + 1 - low
                links[part, group] = link - low
                group += 1
            if seen[to] == here + 1:
                continue
            seen[to] = here + 1
            if here != last:
                message += 1
                sources[message] = here & inside
                last = here
                to |= SIZE
                while STREAMS * (link - low) >= cut * (high - low):
                    cuts[part, :, cut] = link - low, message - low
                    cut += 1
            targets[link] = to
            link += 1
        cuts[part, 0, cut:], cuts[part, 1, cut:] = link - low, message + 1 - low
        messages[part, group:] = message + 1 - low
        links[part, group:] = link - low


@njit(nogil=True, cache=True)
def _by_source(sources: Any, targets: Any, spare: Any) -> None:
    """Two passes of radix sort, by the lower and by the upper half of the source's digits.

    In between, both ends of a link are one number, which is moved at one go.
    """
    last, most, sorted_ = np.uint32(0), np.uint32(0), True
    for source in sources:
        sorted_ &= source >= last
        most |= source
        last = source
    if sorted_:
        return
    half = np.uint32(1)
    while most >> (2 * half):
        half += np.uint32(1)
    low, high = _places(sources, half)
    for k in range(sources.size):
        digit = sources[k] & np.uint32((1 << half) - 1)
        spare[low[digit]] = np.uint64(sources[k]) << np.uint64(16) | np.uint64(targets[k])
        low[digit] += 1
    for k in range(sources.size):
        source = np.uint32(spare[k] >> np.uint64(16))
        place = high[source >> half]
        high[source >> half] += 1
        sources[place] = source
        targets[place] = np.uint16(spare[k])


@njit(nogil=True, cache=True)
def _places(sources: Any, half: Any) -> Any:
    """Where the links begin that have each lower, and each upper half of digits."""
    low, high = np.zeros((1 << half) + 1, np.uint32), np.zeros((1 << half) + 1, np.uint32)
    mask, one = np.uint32((1 << half) - 1), np.uint32(1)
    for source in sources:
        low[(source & mask) + one] += one
        high[(source >> half) + one] += one
    return np.cumsum(low), np.cumsum(high)


@njit(nogil=True, cache=True)
def _copy(queue: Any, bounds: Any, ends: Any, items: Any, packed: Any) -> None:
    """Move each partition's items to where they begin when there are no gaps."""
    while True:
        part = take(queue)
        if part >= ends.size - 1:
            break
        count = ends[part + 1] - ends[part]
        packed[ends[part] : ends[part + 1]] = items[bounds[part] : bounds[part] + count]
