"""Modularity: the value of igraph, and communities that are plain to see."""

from itertools import permutations

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.communities import modularity
from weft.communities.modularity import large_groups_from_labels
from weft.graph.views import undirected_edges
from weft.graph.webgraph import WebGraph
from weft.groups import LinkCounts
from weft.kernels.leiden import modularity as modularity_of

pairs = st.lists(st.sampled_from(list(permutations(range(8), 2))), min_size=1, max_size=30)


def cliques(count: int, size: int) -> list[tuple[str, str]]:
    inside = [
        (f"{c}.{a}", f"{c}.{b}") for c in range(count) for a, b in permutations(range(size), 2)
    ]
    return [*inside, *((f"{c}.0", f"{(c + 1) % count}.1") for c in range(count))]


def test_cliques_are_communities() -> None:
    found = modularity(cliques(6, 5))
    assert len(found) == 6
    for community in found:
        assert len({found.base.pages[page].partition(".")[0] for page in community.members}) == 1
        assert community.links == LinkCounts(20, 1, 1)


@given(pairs, st.lists(st.integers(0, 3), min_size=8, max_size=8), st.floats(0.5, 2))
def test_the_value_is_that_of_igraph(
    links: list[tuple[int, int]], home: list[int], resolution: float
) -> None:
    ends = np.array(links, np.int32).T
    edges = undirected_edges(WebGraph.from_arrays(8, *ends), weighted=True)
    graph = igraph.Graph(8, links)
    expected = graph.modularity(home, directed=False, resolution=resolution)
    value = modularity_of(edges, np.array(home, np.int32), resolution)
    assert value == pytest.approx(expected, abs=1e-12)


@given(pairs)
def test_it_is_a_partition_and_no_worse_than_one_group(links: list[tuple[int, int]]) -> None:
    graph = WebGraph.from_arrays(8, *np.array(links, np.int32).T)
    found = modularity(graph, min_size=1)
    assert sorted(page for c in found for page in c.members.tolist()) == list(range(8))
    assert found.facts["modularity"] >= -1e-12
    assert [len(c) for c in found] == sorted((len(c) for c in found), reverse=True)


def test_options_are_read() -> None:
    links = cliques(12, 3)
    assert len(modularity(links, resolution=0.1)) < len(modularity(links, resolution=2))
    assert len(modularity([*links, ("x", "y")], min_size=3)) == len(modularity(links))
    noisy = WebGraph.from_arrays(400, *np.random.default_rng(2).integers(0, 400, (2, 1200)))
    one, five = (modularity(noisy, iterations=k).facts["modularity"] for k in (1, 5))
    assert five > one
    heavy = [("a", "b", 9), ("b", "c", 1), ("c", "d", 9), ("d", "a", 1)]
    assert modularity(heavy).facts != modularity(heavy, weighted=False).facts


def test_pages_without_links_are_noted() -> None:
    found = modularity(WebGraph.from_arrays(4, [0], [1]))
    assert found.notes[-1] == "2 pages without links that count: in no community"
    assert found.facts["unassigned pages"] == 2
    small = modularity([("a", "b"), *cliques(1, 3)], min_size=3)
    assert small.notes == ("2 pages in communities below 3 pages",)


def test_a_graph_without_communities_is_noted() -> None:
    found = modularity([(a, b) for a in "abcdef" for b in "xyz"])
    assert found.notes == ("modularity 0.00: hardly more links inside communities than by chance",)


def test_the_same_seed_gives_the_same_groups() -> None:
    rng = np.random.default_rng(5)
    graph = WebGraph.from_arrays(300, *rng.integers(0, 300, (2, 900)))
    one, two = modularity(graph, seed=3), modularity(graph, seed=3)
    assert one.group_of_page.tolist() == two.group_of_page.tolist()
    other = {tuple(modularity(graph, seed=k).group_of_page.tolist()) for k in range(4)}
    assert len(other) > 1


def test_groups_are_the_large_ones() -> None:
    home = np.array([2, 0, 1, 0, 1, 0], np.int32)
    assert [group.tolist() for group in large_groups_from_labels(home, 2)] == [[1, 3, 5], [2, 4]]
    assert large_groups_from_labels(np.zeros(0, np.int32), 1) == []
