"""Many searches side by side find what one search after the other finds."""

from itertools import permutations
from typing import Any

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.engine import hops
from weft.graph.webgraph import WebGraph, reverse

webs = st.lists(st.sampled_from(list(permutations(range(8), 2))), max_size=30)


def graph_of(links: list[tuple[int, int]], n: int = 8) -> WebGraph:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    return WebGraph.from_arrays(n, ends[0], ends[1])


def searched(graph: Any, page: int) -> dict[int, int]:
    found: dict[int, int] = nx.single_source_shortest_path_length(graph, page)
    return found


@given(webs, st.booleans())
def test_every_source_by_networkx(links: list[tuple[int, int]], both: bool) -> None:  # noqa: FBT001
    graph = graph_of(links)
    ways = [graph.outlinks, graph.inlinks] if both else [graph.outlinks]
    oracle = nx.Graph(links) if both else nx.DiGraph(links)
    oracle.add_nodes_from(range(8))
    found = hops.hops(ways, np.arange(8, dtype=np.int32))
    wanted = [searched(oracle, page) for page in range(8)]
    assert found.reached.tolist() == [len(each) - 1 for each in wanted]
    assert found.total.tolist() == [sum(each.values()) for each in wanted]
    assert found.furthest.tolist() == [max(each.values()) for each in wanted]
    histogram = np.bincount([far for each in wanted for far in each.values()])
    assert found.at.sum(axis=1).tolist() == histogram.tolist()


def test_more_sources_than_fit_a_pass() -> None:
    """600 pages in a ring: from each, one page at every distance."""
    n = 600
    ring = graph_of([(page, (page + 1) % n) for page in range(n)], n)
    found = hops.hops([ring.outlinks], np.arange(n, dtype=np.int32))
    assert found.at.shape == (n, 12)
    assert (found.at.sum(axis=1) == n).all()
    assert (found.total == n * (n - 1) // 2).all()


def test_dense_levels_are_taken_in_order_without_loss() -> None:
    draw = np.random.default_rng(1)
    n, ends = 3000, np.random.default_rng(0).integers(0, 3000, (2, 20_000)).astype(np.int32)
    graph = WebGraph.from_arrays(n, ends[0], ends[1])
    sources = draw.choice(n, 70, replace=False).astype(np.int32)
    found = hops.hops([graph.outlinks], sources)
    for at, page in enumerate(sources.tolist()):
        distance, _ = hops.clicks([graph.outlinks], [page])
        assert found.total[at] == distance[distance > 0].sum()
        assert found.reached[at] == (distance > 0).sum()


def test_the_same_page_may_be_a_source_twice() -> None:
    graph = graph_of([(0, 1), (1, 2)])
    found = hops.hops([graph.outlinks], np.array([0, 0, 1], np.int32))
    assert found.total.tolist() == [3, 3, 1]


def test_no_source() -> None:
    found = hops.hops([graph_of([(0, 1)]).outlinks], np.zeros(0, np.int32))
    assert len(found.reached) == 0
    assert found.at.sum() == 0


def test_pages_without_links_are_shared_out_among_the_groups() -> None:
    graph = graph_of([(0, 1), (1, 2), (2, 0)])
    found = hops.hops([graph.outlinks], np.arange(8, dtype=np.int32))
    assert found.at.tolist() == [[3, 3, 2], [1, 1, 1], [1, 1, 1]]
    assert found.reached.tolist() == [2, 2, 2, 0, 0, 0, 0, 0]


@given(webs, st.lists(st.integers(0, 7), min_size=1, max_size=3))
def test_clicks_from_the_nearest_home(links: list[tuple[int, int]], homes: list[int]) -> None:
    graph = graph_of(links)
    distance, before = hops.clicks([graph.outlinks], homes)
    oracle = nx.DiGraph(links)
    oracle.add_nodes_from(range(8))
    for page in range(8):
        ways = [searched(oracle, home).get(page) for home in homes]
        assert distance[page] == min((way for way in ways if way is not None), default=-1)
        if distance[page] > 0:
            assert oracle.has_edge(int(before[page]), page)
            assert distance[before[page]] == distance[page] - 1
        else:
            assert before[page] == -1


def test_both_ways_are_read_only_and_of_one_kind() -> None:
    rows = graph_of([(0, 1)]).outlinks
    arrays = hops.both([rows, reverse(rows, 8)])
    assert not any(array.flags.writeable for array in arrays)
    assert [array.dtype for array in arrays] == [np.int64, np.int32] * 2
    assert rows.starts.flags.writeable
