"""Ties: both ways alike, and as strong as the links that make them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats, Rows
from weft.graph.undirected import symmetric, undirected
from weft.graph.webgraph import WebGraph

Pairs = list[tuple[int, int]]
pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


def table_of(ties: Rows, n: int = 6) -> Floats:
    table = np.zeros((n, n))
    for point in range(n):
        row = slice(ties.starts[point], ties.starts[point + 1])
        table[point, ties.ids[row]] = ties.weights[row] if ties.weights is not None else 1
    return table


@given(pairs)
def test_ties_are_the_same_both_ways(some: Pairs) -> None:
    apart = [(a, b) for a, b in some if a != b]
    ends = np.array(apart, np.int64).reshape(-1, 2).T
    table = table_of(symmetric(ends[0], ends[1], np.ones(len(apart)), 6))
    assert (table == table.T).all()
    assert table.sum() == 2 * len(apart)


@given(pairs)
def test_links_of_a_graph_tie_as_pairs_do(some: Pairs) -> None:
    ends = np.array(some, np.int32).reshape(-1, 2).T
    graph = WebGraph.from_arrays(6, *ends)
    apart = [(a, b) for a, b in some if a != b]
    for weighted, links in ((False, sorted(set(apart))), (True, apart)):
        expected = np.array(links, np.int64).reshape(-1, 2).T
        table = table_of(symmetric(expected[0], expected[1], np.ones(len(links)), 6))
        assert (table_of(undirected(graph, weighted=weighted)) == table).all()
