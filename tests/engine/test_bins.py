"""Bins give back the links that were sorted into them, each once, and nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.bins import FLAG, MASK, STREAMS, Bins, sort_links

PAGES = 600
Ends = list[tuple[int, int]]
ends = st.lists(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1)), max_size=80)


def binned(links: Ends, n: int = PAGES) -> Bins:
    source, target = np.array(links, np.int32).reshape(-1, 2).T
    return sort_links(source, target, n)


def unpacked(bins: Bins) -> Ends:
    """Every link that the bins hold, in the order they hold it."""
    found = []
    parts, shift = len(bins.messages), bins.shift
    for target in range(parts):
        for source in range(parts):
            message = int(bins.messages[target, source]) - 1
            first, last = bins.links[target, source : source + 2].tolist()
            for word in bins.receivers[first:last].tolist():
                message += word >> FLAG
                sender = int(bins.senders[message])
                found.append(((source << shift) + sender, (target << shift) + (word & MASK)))
    return found


def test_by_hand() -> None:
    """Pages 0 to 255 are the first partition, 256 to 511 the second."""
    bins = binned([(300, 2), (1, 257), (1, 3), (1, 2), (1, 2), (5, 5)])
    assert bins.shift == 8
    assert unpacked(bins) == [(1, 3), (1, 2), (300, 2), (1, 257)]
    assert bins.senders.tolist() == [1, 300 - 256, 1]
    assert bins.messages[:2].tolist() == [[0, 1, 2, 2], [2, 3, 3, 3]]


@given(ends)
def test_every_link_is_kept_once_and_none_to_oneself(links: Ends) -> None:
    found = unpacked(binned(links))
    assert sorted(found) == sorted({(one, two) for one, two in links if one != two})


@given(ends)
def test_a_page_sends_one_message_to_each_partition_it_links_into(links: Ends) -> None:
    bins = binned(links)
    sent = {(one, two >> bins.shift) for one, two in links if one != two}
    assert len(bins.senders) == len(sent) == bins.messages[-1, -1]
    assert len(bins.receivers) == bins.links[-1, -1]


@given(ends)
def test_quarters_begin_where_messages_begin(links: Ends) -> None:
    bins = binned(links)
    for part, (at, messages) in enumerate(bins.cuts.astype(int)):
        inside = bins.receivers[int(bins.links[part, 0]) : int(bins.links[part, -1])] >> FLAG
        assert (at[0], at[-1]) == (0, len(inside))
        for link, message in zip(at.tolist(), messages.tolist(), strict=True):
            assert message == inside[:link].sum()
            assert link == len(inside) or inside[link]


@pytest.mark.parametrize("n", [70_000, 1_100_000])
def test_many_links_over_many_partitions(n: int) -> None:
    draw = np.random.default_rng(4)
    links = np.column_stack([draw.integers(0, n, 4000), draw.integers(0, n, 4000) ** 2 % n])
    bins = binned(links.tolist(), n)
    assert len(bins.messages) > 8
    assert sorted(unpacked(bins)) == sorted({(a, b) for a, b in links.tolist() if a != b})
    assert bins.cuts.shape[-1] == STREAMS + 1
