"""Rows of many links are those that a plain sort makes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.sorted import sorted_rows
from weft.graph.webgraph import compress

nodes = st.integers(0, 8)


@given(st.lists(st.tuples(nodes, nodes), max_size=60))
def test_rows_are_those_of_a_sort(links: list[tuple[int, int]]) -> None:
    source, target = np.array(links, np.int32).reshape(-1, 2).T.copy()
    found, wanted = sorted_rows(source, target, 9), compress(source, target, None, 9)
    assert found.starts.tolist() == wanted.starts.tolist()
    assert found.ids.tolist() == wanted.ids.tolist()
    assert (found.weights is None) == (wanted.weights is None)
    if found.weights is not None and wanted.weights is not None:
        assert found.weights.tolist() == wanted.weights.tolist()


def test_no_links_and_no_nodes() -> None:
    none = np.zeros(0, np.int32)
    assert sorted_rows(none, none, 0).starts.tolist() == [0]
    assert sorted_rows(none, none, 2).starts.tolist() == [0, 0, 0]
