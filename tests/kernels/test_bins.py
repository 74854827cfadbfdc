"""Bins return the links that were sorted into them, each once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.kernels.bins import (
    MESSAGE_START_BIT,
    RECEIVER_MASK,
    STREAMS_PER_PARTITION,
    Bins,
    bin_links,
)

PAGES = 600
Ends = list[tuple[int, int]]
ends = st.lists(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1)), max_size=80)


def binned(links: Ends, n: int = PAGES) -> Bins:
    source, target = np.array(links, np.int32).reshape(-1, 2).T
    return bin_links(source, target, n)


def unpacked(bins: Bins) -> Ends:
    """Every link in the bins, in their order."""
    found = []
    parts, shift = len(bins.message_starts), bins.shift
    for target in range(parts):
        for source in range(parts):
            message = int(bins.message_starts[target, source]) - 1
            first, last = bins.link_starts[target, source : source + 2].tolist()
            for word in bins.receivers[first:last].tolist():
                message += word >> MESSAGE_START_BIT
                sender = int(bins.senders[message])
                found.append(
                    ((source << shift) + sender, (target << shift) + (word & RECEIVER_MASK))
                )
    return found


def test_by_hand() -> None:
    """Pages 0 to 255 are the first partition, 256 to 511 the second."""
    bins = binned([(300, 2), (1, 257), (1, 3), (1, 2), (1, 2), (5, 5)])
    assert bins.shift == 8
    assert unpacked(bins) == [(1, 3), (1, 2), (300, 2), (1, 257)]
    assert bins.senders.tolist() == [1, 300 - 256, 1]
    assert bins.message_starts[:2].tolist() == [[0, 1, 2, 2], [2, 3, 3, 3]]


@given(ends)
def test_every_link_is_kept_once_without_self_links(links: Ends) -> None:
    found = unpacked(binned(links))
    assert sorted(found) == sorted({(one, two) for one, two in links if one != two})


@given(ends)
def test_one_message_for_each_page_and_partition(links: Ends) -> None:
    bins = binned(links)
    sent = {(one, two >> bins.shift) for one, two in links if one != two}
    assert len(bins.senders) == len(sent) == bins.message_starts[-1, -1]
    assert len(bins.receivers) == bins.link_starts[-1, -1]


@given(ends)
def test_streams_begin_with_a_message(links: Ends) -> None:
    bins = binned(links)
    for part, (at, messages) in enumerate(bins.stream_starts.astype(int)):
        inside = (
            bins.receivers[int(bins.link_starts[part, 0]) : int(bins.link_starts[part, -1])]
            >> MESSAGE_START_BIT
        )
        assert (at[0], at[-1]) == (0, len(inside))
        for link, message in zip(at.tolist(), messages.tolist(), strict=True):
            assert message == inside[:link].sum()
            assert link == len(inside) or inside[link]


@pytest.mark.parametrize("n", [70_000, 1_100_000])
def test_many_links_over_many_partitions(n: int) -> None:
    rng = np.random.default_rng(4)
    links = np.column_stack([rng.integers(0, n, 4000), rng.integers(0, n, 4000) ** 2 % n])
    bins = binned(links.tolist(), n)
    assert len(bins.message_starts) > 8
    assert sorted(unpacked(bins)) == sorted({(a, b) for a, b in links.tolist() if a != b})
    assert bins.stream_starts.shape[-1] == STREAMS_PER_PARTITION + 1
