"""Many searches at once find what single searches find."""

from itertools import permutations
from typing import Any

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.webgraph import WebGraph, transpose
from weft.kernels import traversal

webs = st.lists(st.sampled_from(list(permutations(range(8), 2))), max_size=30)


def graph_of(links: list[tuple[int, int]], n: int = 8) -> WebGraph:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    return WebGraph.from_arrays(n, ends[0], ends[1])


def searched(graph: Any, page: int) -> dict[int, int]:
    found: dict[int, int] = nx.single_source_shortest_path_length(graph, page)
    return found


@given(webs, st.booleans())
def test_every_source_against_networkx(links: list[tuple[int, int]], both: bool) -> None:  # noqa: FBT001
    graph = graph_of(links)
    links_followed = [graph.outlinks, graph.inlinks] if both else [graph.outlinks]
    oracle = nx.Graph(links) if both else nx.DiGraph(links)
    oracle.add_nodes_from(range(8))
    found = traversal.count_pages_by_distance(links_followed, np.arange(8, dtype=np.int32))
    wanted = [searched(oracle, page) for page in range(8)]
    assert found.reachable.tolist() == [len(each) - 1 for each in wanted]
    assert found.total_distance.tolist() == [sum(each.values()) for each in wanted]
    assert found.eccentricity.tolist() == [max(each.values()) for each in wanted]
    histogram = np.bincount([far for each in wanted for far in each.values()])
    assert found.pages_at_distance.sum(axis=1).tolist() == histogram.tolist()


def test_more_sources_than_fit_a_batch() -> None:
    """600 pages in a ring: from each, one page at every distance."""
    n = 600
    ring = graph_of([(page, (page + 1) % n) for page in range(n)], n)
    found = traversal.count_pages_by_distance([ring.outlinks], np.arange(n, dtype=np.int32))
    assert found.pages_at_distance.shape == (n, 12)
    assert (found.pages_at_distance.sum(axis=1) == n).all()
    assert (found.total_distance == n * (n - 1) // 2).all()


def test_sorted_dense_levels_lose_nothing() -> None:
    rng = np.random.default_rng(1)
    n, ends = 3000, np.random.default_rng(0).integers(0, 3000, (2, 20_000)).astype(np.int32)
    graph = WebGraph.from_arrays(n, ends[0], ends[1])
    sources = rng.choice(n, 70, replace=False).astype(np.int32)
    found = traversal.count_pages_by_distance([graph.outlinks], sources)
    for at, page in enumerate(sources.tolist()):
        distance, _ = traversal.bfs_distances([graph.outlinks], [page])
        assert found.total_distance[at] == distance[distance > 0].sum()
        assert found.reachable[at] == (distance > 0).sum()


def test_the_same_page_may_be_a_source_twice() -> None:
    graph = graph_of([(0, 1), (1, 2)])
    found = traversal.count_pages_by_distance([graph.outlinks], np.array([0, 0, 1], np.int32))
    assert found.total_distance.tolist() == [3, 3, 1]


def test_no_source() -> None:
    found = traversal.count_pages_by_distance([graph_of([(0, 1)]).outlinks], np.zeros(0, np.int32))
    assert len(found.reachable) == 0
    assert found.pages_at_distance.sum() == 0


def test_pages_without_links_are_distributed_over_the_groups() -> None:
    graph = graph_of([(0, 1), (1, 2), (2, 0)])
    found = traversal.count_pages_by_distance([graph.outlinks], np.arange(8, dtype=np.int32))
    assert found.pages_at_distance.tolist() == [[3, 3, 2], [1, 1, 1], [1, 1, 1]]
    assert found.reachable.tolist() == [2, 2, 2, 0, 0, 0, 0, 0]


@given(webs, st.lists(st.integers(0, 7), min_size=1, max_size=3))
def test_distance_from_the_nearest_source(links: list[tuple[int, int]], sources: list[int]) -> None:
    graph = graph_of(links)
    distance, predecessor = traversal.bfs_distances([graph.outlinks], sources)
    oracle = nx.DiGraph(links)
    oracle.add_nodes_from(range(8))
    for page in range(8):
        found = [searched(oracle, source).get(page) for source in sources]
        assert distance[page] == min((d for d in found if d is not None), default=-1)
        if distance[page] > 0:
            assert oracle.has_edge(int(predecessor[page]), page)
            assert distance[predecessor[page]] == distance[page] - 1
        else:
            assert predecessor[page] == -1


def test_kernel_arrays_are_read_only_and_of_one_type() -> None:
    rows = graph_of([(0, 1)]).outlinks
    arrays = traversal.to_kernel_arrays([rows, transpose(rows, 8)])
    assert not any(array.flags.writeable for array in arrays)
    assert [array.dtype for array in arrays] == [np.int64, np.int32] * 2
    assert rows.starts.flags.writeable
