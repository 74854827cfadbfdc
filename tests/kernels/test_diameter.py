"""Bounds of the diameter hold, and meet where searches suffice."""

from itertools import permutations

import igraph
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.webgraph import WebGraph
from weft.kernels.components import strongly_connected_components, weakly_connected_components
from weft.kernels.traversal import double_sweep_lower_bound, ifub_diameter

webs = st.lists(st.sampled_from(list(permutations(range(9), 2))), max_size=20)


def graph_of(links: list[tuple[int, int]], n: int = 9) -> WebGraph:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    return WebGraph.from_arrays(n, ends[0], ends[1])


@given(webs, st.integers(0, 40))
def test_undirected_bounds_by_igraph(links: list[tuple[int, int]], max_searches: int) -> None:
    graph = graph_of(links)
    true = int(igraph.Graph(9, links).diameter(directed=False))
    both = [graph.outlinks, graph.inlinks]
    low, high = ifub_diameter(
        both, both, weakly_connected_components(graph.outlinks).labels, max_searches
    )
    assert low <= true <= high
    assert low == high or max_searches < 9


@given(webs)
def test_directed_and_strongly_connected(links: list[tuple[int, int]]) -> None:
    ring = [(page, (page + 1) % 9) for page in range(9)]
    graph = graph_of(links + ring)
    true = int(igraph.Graph(9, links + ring, directed=True).diameter())
    components = strongly_connected_components(graph.outlinks)
    assert len(components.sizes) == 1
    low, high = ifub_diameter([graph.outlinks], [graph.inlinks], components.labels, 1000)
    assert low == high == true


@given(webs, st.integers(0, 8))
def test_a_sweep_is_never_above(links: list[tuple[int, int]], start: int) -> None:
    graph = graph_of(links)
    true = igraph.Graph(9, links, directed=True).diameter()
    assert double_sweep_lower_bound([graph.outlinks], [graph.inlinks], start) <= true


def test_few_searches_suffice_on_a_long_grid() -> None:
    """A ladder of 2 by 500: corner to corner in 500 clicks, found from its two ends."""
    steps = [(k, k + 2) for k in range(998)] + [(k, k + 1) for k in range(0, 1000, 2)]
    graph = graph_of(steps, 1000)
    both = [graph.outlinks, graph.inlinks]
    assert ifub_diameter(both, both, weakly_connected_components(graph.outlinks).labels, 50) == (
        500,
        500,
    )
    assert double_sweep_lower_bound(both, both, 500) == 500


def test_a_small_component_may_have_the_largest_diameter() -> None:
    star = [(0, leaf) for leaf in range(1, 50)]
    chain = [(page, page + 1) for page in range(50, 70)]
    graph = graph_of(star + chain, 71)
    both = [graph.outlinks, graph.inlinks]
    assert ifub_diameter(both, both, weakly_connected_components(graph.outlinks).labels, 1000) == (
        20,
        20,
    )
