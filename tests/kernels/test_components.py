"""Connected components by hand, and against SciPy and NetworkX."""

from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from weft.core.arrays import CSR
from weft.graph.webgraph import WebGraph
from weft.kernels.components import (
    cyclic_components,
    strongly_connected_components,
    weakly_connected_components,
)

TWO_RINGS = [("a", "b"), ("b", "a"), ("b", "c"), ("d", "e"), ("e", "d")]


def test_weak_components_ignore_directions() -> None:
    components = weakly_connected_components(WebGraph.from_links(TWO_RINGS).outlinks)
    assert components.labels.tolist() == [0, 0, 0, 1, 1]
    assert components.sizes.tolist() == [3, 2]


def test_in_strong_components_every_node_reaches_every_other() -> None:
    components = strongly_connected_components(WebGraph.from_links(TWO_RINGS).outlinks)
    assert components.labels.tolist() == [0, 0, 1, 2, 2]
    assert components.sizes.tolist() == [2, 1, 2]


@pytest.mark.parametrize("find", [weakly_connected_components, strongly_connected_components])
def test_an_empty_graph_has_no_components(find: type) -> None:
    components = find(WebGraph.from_links([]).outlinks)
    assert len(components.sizes) == len(components.labels) == 0
    alone = find(WebGraph.from_arrays(3, np.zeros(0, int), np.zeros(0, int)).outlinks)
    assert alone.sizes.tolist() == [1, 1, 1]


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30))
def test_components_are_those_of_scipy_numbered_by_first_node(
    links: list[tuple[int, int]],
) -> None:
    ends = np.array(links, np.int32).reshape(-1, 2)
    rows = WebGraph.from_arrays(12, ends[:, 0], ends[:, 1]).outlinks
    matrix = csr_array((np.ones(len(rows.ids)), rows.ids, rows.starts), shape=(12, 12))
    for components, (count, wanted) in (
        (weakly_connected_components(rows), connected_components(matrix, connection="weak")),
        (strongly_connected_components(rows), connected_components(matrix, connection="strong")),
    ):
        same = set(zip(components.labels.tolist(), wanted.tolist(), strict=True))
        assert len(components.sizes) == count == len(same)
        assert list(dict.fromkeys(components.labels.tolist())) == list(range(count))
        assert components.sizes.tolist() == np.bincount(components.labels).tolist()


webs = st.lists(st.sampled_from(list(permutations("abcdefg", 2))), max_size=20)


@given(webs)
def test_cyclic_components_are_those_of_networkx(links: list[tuple[str, str]]) -> None:
    graph = WebGraph.from_links(links)
    found = cyclic_components(graph.outlinks)
    groups = {
        frozenset(graph.pages[int(i)] for i in np.flatnonzero(found == k))
        for k in range(max(found, default=-1) + 1)
    }
    wanted = nx.strongly_connected_components(nx.DiGraph(links))
    assert groups == {frozenset(component) for component in wanted if len(component) > 1}


def test_cyclic_components_are_numbered_by_first_page() -> None:
    starts, ids = np.array([0, 1, 2, 3, 4, 4]), np.array([3, 2, 1, 0], np.int32)
    assert cyclic_components(CSR(starts, ids)).tolist() == [0, 1, 1, 0, -1]
