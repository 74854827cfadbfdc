"""Undirected edges: symmetric, with the weights of the links summed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import CSR, Floats
from weft.graph.views import symmetric_csr, undirected_edges
from weft.graph.webgraph import WebGraph

Pairs = list[tuple[int, int]]
pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


def dense(edges: CSR, n: int = 6) -> Floats:
    table = np.zeros((n, n))
    for page in range(n):
        row = slice(edges.starts[page], edges.starts[page + 1])
        table[page, edges.ids[row]] = edges.weights[row] if edges.weights is not None else 1
    return table


@given(pairs)
def test_edges_are_symmetric(some: Pairs) -> None:
    apart = [(a, b) for a, b in some if a != b]
    ends = np.array(apart, np.int64).reshape(-1, 2).T
    table = dense(symmetric_csr(ends[0], ends[1], np.ones(len(apart)), 6))
    assert (table == table.T).all()
    assert table.sum() == 2 * len(apart)


@given(pairs)
def test_edges_of_a_graph_are_those_of_its_links(some: Pairs) -> None:
    ends = np.array(some, np.int32).reshape(-1, 2).T
    graph = WebGraph.from_arrays(6, *ends)
    apart = [(a, b) for a, b in some if a != b]
    for weighted, links in ((False, sorted(set(apart))), (True, apart)):
        expected = np.array(links, np.int64).reshape(-1, 2).T
        table = dense(symmetric_csr(expected[0], expected[1], np.ones(len(links)), 6))
        assert (dense(undirected_edges(graph, weighted=weighted)) == table).all()
