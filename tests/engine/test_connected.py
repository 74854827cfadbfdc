"""Components by hand, and beside SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from weft.engine.connected import strong, weak
from weft.graph.webgraph import WebGraph

TWO_RINGS = [("a", "b"), ("b", "a"), ("b", "c"), ("d", "e"), ("e", "d")]


def test_weak_parts_ignore_directions() -> None:
    parts = weak(WebGraph.from_links(TWO_RINGS).outlinks)
    assert parts.label.tolist() == [0, 0, 0, 1, 1]
    assert parts.sizes.tolist() == [3, 2]


def test_in_strong_parts_every_node_leads_back() -> None:
    parts = strong(WebGraph.from_links(TWO_RINGS).outlinks)
    assert parts.label.tolist() == [0, 0, 1, 2, 2]
    assert parts.sizes.tolist() == [2, 1, 2]


@pytest.mark.parametrize("find", [weak, strong])
def test_of_nothing_there_are_no_parts(find: type) -> None:
    parts = find(WebGraph.from_links([]).outlinks)
    assert len(parts.sizes) == len(parts.label) == 0
    alone = find(WebGraph.from_arrays(3, np.zeros(0, int), np.zeros(0, int)).outlinks)
    assert alone.sizes.tolist() == [1, 1, 1]


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30))
def test_parts_are_those_of_scipy_numbered_by_their_first_nodes(
    links: list[tuple[int, int]],
) -> None:
    ends = np.array(links, np.int32).reshape(-1, 2)
    rows = WebGraph.from_arrays(12, ends[:, 0], ends[:, 1]).outlinks
    matrix = csr_array((np.ones(len(rows.ids)), rows.ids, rows.starts), shape=(12, 12))
    for parts, (count, wanted) in (
        (weak(rows), connected_components(matrix, connection="weak")),
        (strong(rows), connected_components(matrix, connection="strong")),
    ):
        same = set(zip(parts.label.tolist(), wanted.tolist(), strict=True))
        assert len(parts.sizes) == count == len(same)
        assert list(dict.fromkeys(parts.label.tolist())) == list(range(count))
        assert parts.sizes.tolist() == np.bincount(parts.label).tolist()
