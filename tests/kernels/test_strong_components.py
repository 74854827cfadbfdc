"""Strongly connected components and their topological order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from weft.core.arrays import CSR
from weft.graph.webgraph import WebGraph
from weft.kernels.components import condensation

webs = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=50)


def rows(links: list[tuple[int, int]], n: int = 12) -> CSR:
    ends = np.array(links, np.int32).reshape(-1, 2)
    return WebGraph.from_arrays(n, ends[:, 0], ends[:, 1]).outlinks


@given(webs)
def test_components_are_those_of_scipy(links: list[tuple[int, int]]) -> None:
    out = rows(links)
    found = condensation(out)
    matrix = csr_array((np.ones(len(out.ids)), out.ids, out.starts), shape=(12, 12))
    count, wanted = connected_components(matrix, connection="strong")
    assert len(found.sizes) == count
    assert len(set(zip(found.labels.tolist(), wanted.tolist(), strict=True))) == count


@given(webs)
def test_links_lead_to_smaller_components(links: list[tuple[int, int]]) -> None:
    out = rows(links)
    found = condensation(out)
    source = np.repeat(np.arange(12), np.diff(out.starts))
    assert (found.labels[source] >= found.labels[out.ids]).all()
    assert sorted(found.order.tolist()) == list(range(12))
    assert (np.diff(found.labels[found.order]) >= 0).all()
    assert np.bincount(found.labels).tolist() == found.sizes.tolist()


def test_a_long_chain_needs_no_deep_stack() -> None:
    n = 200_000
    chain = [np.arange(n - 1), np.arange(1, n)]
    assert len(condensation(WebGraph.from_arrays(n, *chain).outlinks).sizes) == n
    ring = [np.arange(n), (np.arange(n) + 1) % n]
    assert condensation(WebGraph.from_arrays(n, *ring).outlinks).sizes.tolist() == [n]


def test_an_empty_graph_has_no_components() -> None:
    found = condensation(rows([], 0))
    assert len(found.labels) == len(found.sizes) == 0
