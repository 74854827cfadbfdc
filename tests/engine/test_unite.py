"""Components of hubs and authorities, beside those that NetworkX finds."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Ids
from weft.engine.bins import sort_links
from weft.engine.components import Components
from weft.engine.unite import flatten, of_bins, of_rows, root_of, unite
from weft.graph.webgraph import compress

PAGES = 300
Ends = list[tuple[int, int]]
ends = st.lists(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1)), max_size=60)


def wanted(source: Ids, target: Ids, n: int) -> tuple[int, list[int], list[int]]:
    """Count and labels of both copies of each page; the first hub of each part orders the parts."""
    pairs = zip(source.tolist(), target.tolist(), strict=True)
    both = nx.Graph((one, n + two) for one, two in pairs if one != two)
    labels = np.full(2 * n, -1)
    parts = sorted(nx.connected_components(both), key=min)
    for number, part in enumerate(parts):
        labels[list(part)] = number
    return len(parts), labels[:n].tolist(), labels[n:].tolist()


def told(found: Components) -> tuple[int, list[int], list[int]]:
    return found.count, found.source.tolist(), found.target.tolist()


def test_by_hand() -> None:
    """Page 0 and page 2 point to 1; 1 points to 0, which is another component."""
    rows = compress(np.array([0, 2, 1]), np.array([1, 1, 0]), None, 4)
    assert told(of_rows(rows, 4)) == (2, [0, 1, 0, -1], [1, 0, -1, -1])


@given(ends)
def test_bins_and_rows_find_the_same(links: Ends) -> None:
    source, target = np.array(links, np.int32).reshape(-1, 2).T
    asked = wanted(source, target, PAGES)
    assert told(of_bins(sort_links(source, target, PAGES), PAGES)) == asked
    assert told(of_rows(compress(source, target, None, PAGES), PAGES)) == asked


@pytest.mark.parametrize("threads", ["1", "4"])
def test_whoever_is_faster(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long chain in any order, over many partitions."""
    monkeypatch.setenv("WEFT_THREADS", threads)
    n = 20_000
    order = np.random.default_rng(3).permutation(n - 1).astype(np.int32)
    source, target = order, order + np.int32(1 + (order % 97 == 0))
    source, target = source[target < n], target[target < n]
    found = of_bins(sort_links(source, target, n), n)
    assert told(found) == wanted(source, target, n)


def test_the_smaller_root_wins_and_ways_are_halved() -> None:
    parent = np.array([0, 0, 1, 2, 3, 5], np.int32)
    assert root_of(parent, 4) == 0
    assert parent.tolist() == [0, 0, 0, 1, 2, 5]
    assert unite(parent, 5, 4) == 0
    flatten(parent)
    assert parent.tolist() == [0] * 6
