"""Reachability, shortest paths and counts, against NetworkX."""

from itertools import pairwise

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Flags
from weft.graph.webgraph import WebGraph
from weft.kernels.components import condensation
from weft.kernels.traversal import count_reachable, nodes_reaching, reachable_from, shortest_path

N = 10
Links = list[tuple[int, int]]
nodes = st.integers(0, N - 1)
webs = st.lists(st.tuples(nodes, nodes), max_size=30)
sets = st.sets(nodes, max_size=3)


def graphs(links: Links) -> tuple[WebGraph, nx.DiGraph]:
    ends = np.array(links, np.int32).reshape(-1, 2)
    same = nx.DiGraph()
    same.add_nodes_from(range(N))
    same.add_edges_from(links)
    return WebGraph.from_arrays(N, ends[:, 0], ends[:, 1]), same


def flags(some: set[int]) -> Flags:
    return np.isin(np.arange(N), sorted(some))


@given(webs, sets)
def test_a_set_reaches_all_its_descendants(links: Links, start: set[int]) -> None:
    graph, same = graphs(links)
    wanted = start.union(*(nx.descendants(same, node) for node in start))
    assert set(np.flatnonzero(reachable_from(graph.outlinks, flags(start)))) == wanted
    back = start.union(*(nx.ancestors(same, node) for node in start))
    assert set(np.flatnonzero(reachable_from(graph.inlinks, flags(start)))) == back
    found = nodes_reaching(graph.outlinks, condensation(graph.outlinks), flags(start))
    assert set(np.flatnonzero(found)) == back


@given(webs, sets, sets)
def test_blocked_nodes_are_not_entered(links: Links, start: set[int], blocked: set[int]) -> None:
    graph, same = graphs(links)
    shut = blocked - start
    same.remove_nodes_from(shut)
    wanted = start.union(*(nx.descendants(same, node) for node in start))
    found = reachable_from(graph.outlinks, flags(start), flags(blocked))
    assert set(np.flatnonzero(found)) == wanted


@given(webs, sets, sets)
def test_a_path_is_a_shortest_one(links: Links, start: set[int], goal: set[int]) -> None:
    graph, same = graphs(links)
    for both in (False, True):
        tried = same.to_undirected() if both else same
        lengths = [
            nx.shortest_path_length(tried, one, two)
            for one in start
            for two in goal - start
            if nx.has_path(tried, one, two)
        ]
        back = {"reverse_links": graph.inlinks} if both else {}
        found = shortest_path(graph.outlinks, flags(start), flags(goal - start), **back).tolist()
        assert len(found) == (min(lengths) + 1 if lengths else 0)
        assert all(tried.has_edge(*step) for step in pairwise(found))
        assert not found or (found[0] in start and found[-1] in goal)


def test_a_path_from_a_target_comes_back() -> None:
    graph, _ = graphs([(0, 1), (1, 2), (2, 0), (3, 0)])
    assert shortest_path(graph.outlinks, flags({0}), flags({0})).tolist() == [0, 1, 2, 0]
    assert shortest_path(graph.outlinks, flags({3}), flags({3})).tolist() == []


@given(webs, st.lists(nodes, max_size=70))
def test_counts_are_those_of_descendants(links: Links, sources: list[int]) -> None:
    graph, same = graphs(links)
    components = condensation(graph.outlinks)
    found = count_reachable(graph.outlinks, components, np.array(sources, np.int32), flags(set()))
    assert found.tolist() == [len(nx.descendants(same, node)) for node in sources]


@given(webs)
def test_a_blocked_component_is_not_counted(links: Links) -> None:
    graph, same = graphs(links)
    components = condensation(graph.outlinks)
    blocked = components.labels == components.labels[0]
    same.remove_nodes_from(np.flatnonzero(blocked).tolist())
    sources = np.flatnonzero(~blocked).astype(np.int32)
    found = count_reachable(graph.outlinks, components, sources, blocked)
    assert found.tolist() == [len(nx.descendants(same, node)) for node in sources.tolist()]
