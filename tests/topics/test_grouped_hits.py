"""HITS inside many groups at once gives the same as HITS inside each."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Ids
from weft.engine import SingularPair, principal_singular_pair
from weft.graph.views import subgraph
from weft.graph.webgraph import WebGraph
from weft.topics.grouped_hits import hits_per_group, links_inside_groups, power_iterate_components

links = st.lists(st.sampled_from(list(permutations(range(12), 2))), min_size=1, max_size=60)
homes = st.lists(st.integers(0, 3), min_size=12, max_size=12)


def graph_of(ends: list[tuple[int, int]], n: int) -> WebGraph:
    source, target = np.array(ends, np.int32).reshape(-1, 2).T
    return WebGraph.from_arrays(n, source, target)


def alone(graph: WebGraph, pages: Ids) -> SingularPair:
    view, _ = subgraph(graph, np.isin(np.arange(len(graph)), pages))
    return principal_singular_pair(view.operator(), np.ones(len(pages)), 1e-10, 1000, "")


@given(links, homes)
def test_each_group_has_the_pair_it_has_alone(ends: list[tuple[int, int]], home: list[int]) -> None:
    graph = graph_of(ends, 12)
    groups = [np.flatnonzero(np.array(home) == k).astype(np.int32) for k in range(3)]
    for pages, found in zip(groups, hits_per_group(graph, groups, 1e-10, 1000), strict=True):
        wanted = alone(graph, pages)
        assert found.value == pytest.approx(wanted.value, abs=1e-9)
        assert (found.component_count, found.tied_components) == (
            wanted.component_count,
            wanted.tied_components,
        )
        np.testing.assert_allclose(found.target, wanted.target, atol=1e-7)
        np.testing.assert_allclose(found.source, wanted.source, atol=1e-7)
        assert found.trace.converged


def test_a_tie_is_the_blend_that_equal_hubs_lead_to() -> None:
    """A star of four pages and a square have the value two; the square has two hubs to go by."""
    ends = [(0, 4), (0, 5), (0, 6), (0, 7), (1, 8), (1, 9), (2, 8), (2, 9)]
    graph = graph_of(ends, 10)
    [found] = hits_per_group(graph, [np.arange(10, dtype=np.int32)], 1e-10, 1000)
    assert found.tied_components == 2
    assert found.value == pytest.approx(2)
    assert found.source[:3] == pytest.approx([3**-0.5] * 3)
    assert found.target[4] / found.target[8] == pytest.approx(0.5)


def ladder(n: int) -> WebGraph:
    """A chain of hubs, each with the next authority in common: values lie close together."""
    return graph_of([(k, n + k + step) for k in range(n) for step in (0, 1)], 2 * n + 1)


def test_slow_groups_converge_too() -> None:
    graph = ladder(60)
    pages = np.arange(len(graph), dtype=np.int32)
    [found] = hits_per_group(graph, [pages], 1e-10, 1000)
    assert found.trace.converged
    assert found.value == pytest.approx(alone(graph, pages).value, rel=1e-8)
    assert found.value == pytest.approx(2 * np.cos(np.pi / (2 * 61)), rel=1e-8)


def test_max_iter_is_kept_and_recorded() -> None:
    graph = ladder(60)
    pages = np.arange(len(graph), dtype=np.int32)
    [found] = hits_per_group(graph, [pages], 1e-10, 3)
    assert not found.trace.converged
    assert (found.trace.iterations, found.trace.stopped) == (3, "max_iter")


def test_links_between_groups_are_left_out() -> None:
    graph = graph_of([(0, 1), (2, 3), (0, 3), (4, 1)], 5)
    groups = [np.array([2, 3], np.int32), np.array([0, 1], np.int32)]
    rows, starts = links_inside_groups(graph.outlinks, groups)
    assert starts.tolist() == [0, 2, 4]
    assert rows.starts.tolist() == [0, 1, 1, 2, 2]
    assert rows.ids.tolist() == [1, 3]


def test_no_groups_and_no_links() -> None:
    graph = graph_of([(0, 1)], 3)
    assert hits_per_group(graph, [], 1e-10, 10) == []
    [found] = hits_per_group(graph, [np.array([1, 2], np.int32)], 1e-10, 10)
    assert (found.value, found.tied_components, found.trace.converged) == (0, 0, True)
    assert not found.source.any()
    assert not found.target.any()


def test_components_converge_independently() -> None:
    """Values far apart: what one has lost beside the other in rounding, it has here."""
    strong = [(k, 40 + j) for k in range(40) for j in range(40)]
    graph = graph_of([*strong, (80, 81), (82, 81), (82, 83)], 84)
    found = power_iterate_components(graph.operator(), 1e-10, 80)
    assert found.singular_values == pytest.approx([40, (1 + 5**0.5) / 2])
    assert found.change.max() < 1e-10
