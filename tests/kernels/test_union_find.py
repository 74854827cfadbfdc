"""Bipartite components by union-find, against NetworkX."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Ids
from weft.graph.webgraph import build_csr
from weft.kernels.bins import bin_links
from weft.kernels.bipartite_components import BipartiteComponents
from weft.kernels.components import (
    bipartite_components_of_bins,
    bipartite_components_of_csr,
    compress_paths,
    find_root,
    union,
)

PAGES = 300
Ends = list[tuple[int, int]]
ends = st.lists(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1)), max_size=60)


def wanted(source: Ids, target: Ids, n: int) -> tuple[int, list[int], list[int]]:
    """Count, and labels of hubs and authorities; components are ordered by first hub."""
    pairs = zip(source.tolist(), target.tolist(), strict=True)
    both = nx.Graph((one, n + two) for one, two in pairs if one != two)
    labels = np.full(2 * n, -1)
    parts = sorted(nx.connected_components(both), key=min)
    for number, part in enumerate(parts):
        labels[list(part)] = number
    return len(parts), labels[:n].tolist(), labels[n:].tolist()


def as_lists(found: BipartiteComponents) -> tuple[int, list[int], list[int]]:
    return found.count, found.hub_labels.tolist(), found.authority_labels.tolist()


def test_by_hand() -> None:
    """Pages 0 and 2 link to 1; 1 links to 0, which is another component."""
    rows = build_csr(np.array([0, 2, 1]), np.array([1, 1, 0]), None, 4)
    assert as_lists(bipartite_components_of_csr(rows, 4)) == (2, [0, 1, 0, -1], [1, 0, -1, -1])


@given(ends)
def test_bins_and_csr_find_the_same(links: Ends) -> None:
    source, target = np.array(links, np.int32).reshape(-1, 2).T
    asked = wanted(source, target, PAGES)
    assert as_lists(bipartite_components_of_bins(bin_links(source, target, PAGES), PAGES)) == asked
    assert (
        as_lists(bipartite_components_of_csr(build_csr(source, target, None, PAGES), PAGES))
        == asked
    )


@pytest.mark.parametrize("threads", ["1", "4"])
def test_threads_do_not_change_the_components(
    threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long chain in any order, over many partitions."""
    monkeypatch.setenv("WEFT_THREADS", threads)
    n = 20_000
    order = np.random.default_rng(3).permutation(n - 1).astype(np.int32)
    source, target = order, order + np.int32(1 + (order % 97 == 0))
    source, target = source[target < n], target[target < n]
    found = bipartite_components_of_bins(bin_links(source, target, n), n)
    assert as_lists(found) == wanted(source, target, n)


def test_the_smaller_root_wins_and_paths_are_halved() -> None:
    parent = np.array([0, 0, 1, 2, 3, 5], np.int32)
    assert find_root(parent, 4) == 0
    assert parent.tolist() == [0, 0, 0, 1, 2, 5]
    assert union(parent, 5, 4) == 0
    compress_paths(parent)
    assert parent.tolist() == [0] * 6
