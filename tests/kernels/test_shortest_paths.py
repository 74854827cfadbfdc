"""Shortest paths against NetworkX, with links of length zero."""

from itertools import pairwise, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.webgraph import WebGraph
from weft.kernels.traversal import dijkstra, path_to

webs = st.lists(st.sampled_from(list(permutations(range(7), 2))), max_size=25, unique=True)
lengths = st.lists(st.sampled_from([0.0, 0.25, 1.0, 3.5]), min_size=7, max_size=7)


def graph_of(links: list[tuple[int, int]]) -> WebGraph:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    return WebGraph.from_arrays(7, ends[0], ends[1])


@given(webs, lengths)
def test_distances_and_paths(links: list[tuple[int, int]], given_: list[float]) -> None:
    found = dijkstra(graph_of(links).outlinks, np.array(given_), 0)
    oracle = nx.DiGraph()
    oracle.add_nodes_from(range(7))
    oracle.add_weighted_edges_from((one, two, given_[one]) for one, two in links)
    wanted = nx.single_source_dijkstra_path_length(oracle, 0)
    for page in range(7):
        assert found.distance[page] == wanted.get(page, np.inf)
        if page not in wanted:
            assert found.hops[page] == -1
            continue
        path = path_to(page, found.predecessor)
        assert path[0] == 0
        assert len(path) - 1 == found.hops[page]
        assert sum(given_[step] for step, _ in pairwise(path)) == wanted[page]
        assert all(oracle.has_edge(*step) for step in pairwise(path))


def test_of_equal_paths_the_one_with_fewer_links() -> None:
    links = [(0, 1), (1, 2), (2, 3), (0, 4), (4, 3)]
    found = dijkstra(graph_of(links).outlinks, np.zeros(7), 0)
    assert found.hops[3] == 2
    assert path_to(3, found.predecessor) == [0, 4, 3]


@pytest.mark.parametrize(("within", "reached"), [(0.9, 1), (1.0, 2), (2.0, 3), (np.inf, 4)])
def test_max_distance(within: float, reached: int) -> None:
    found = dijkstra(graph_of([(0, 1), (1, 2), (2, 3)]).outlinks, np.ones(7), 0, within)
    assert np.isfinite(found.distance).sum() == reached
