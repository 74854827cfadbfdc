"""Minimum cuts against igraph and SciPy, and by their properties."""

from collections.abc import Sequence

import igraph as ig
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import maximum_flow

from weft.graph.webgraph import WebGraph
from weft.kernels.max_flow import FlowNetwork, MinCut, undirected_csr

SIZE = 12
Links = list[tuple[int, int]]
webs = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=50)
seeds = st.sets(st.integers(0, SIZE - 1), min_size=1, max_size=4).map(sorted)


def graph_of(links: Links, n: int = SIZE) -> WebGraph:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    return WebGraph.from_arrays(n, ends[0], ends[1])


def min_cut(links: Links, start: Sequence[int], k: int) -> MinCut:
    graph = graph_of(links)
    return FlowNetwork.from_links(graph.outlinks, graph.inlinks, np.array(start, np.int32)).min_cut(
        k
    )


def pairs(links: Links) -> set[tuple[int, int]]:
    return {(min(s, t), max(s, t)) for s, t in links if s != t}


def network(links: Links, start: Sequence[int], k: int) -> list[tuple[int, int, int]]:
    """The network of the definition: source SIZE, sink SIZE + 1."""
    inner = [edge for s, t in sorted(pairs(links)) for edge in ((s, t, k), (t, s, k))]
    source = [(SIZE, seed, 10**6) for seed in start]
    return [*inner, *source, *((v, SIZE + 1, 1) for v in range(SIZE) if v not in start)]


@given(webs, seeds, st.integers(1, 5))
def test_flow_is_that_of_igraph_and_scipy(links: Links, start: list[int], k: int) -> None:
    edges = network(links, start, k)
    graph = ig.Graph(SIZE + 2, [(s, t) for s, t, _ in edges], directed=True)
    wanted = graph.st_mincut(SIZE, SIZE + 1, capacity=[float(c) for _, _, c in edges]).value
    source, target, room = np.array(edges).T
    matrix = coo_array((room, (source, target)), shape=(SIZE + 2, SIZE + 2)).tocsr()
    matrix = matrix.astype(np.int32)
    found = min_cut(links, start, k)
    assert found.value == wanted
    assert found.value == maximum_flow(matrix, SIZE, SIZE + 1).flow_value


@given(webs, seeds, st.integers(1, 5))
def test_the_side_is_reachable_in_the_residual_of_scipy(
    links: Links, start: list[int], k: int
) -> None:
    """Any maximum flow leaves the same smallest side."""
    source, target, room = np.array(network(links, start, k)).T
    matrix = coo_array((room, (source, target)), shape=(SIZE + 2, SIZE + 2)).tocsr()
    matrix = matrix.astype(np.int32)
    left = (matrix - maximum_flow(matrix, SIZE, SIZE + 1).flow).toarray() > 0
    reached, rim = {SIZE}, [SIZE]
    while rim:
        fresh = [v for v in np.flatnonzero(left[rim.pop()]).tolist() if v not in reached]
        reached |= set(fresh)
        rim += fresh
    assert set(np.flatnonzero(min_cut(links, start, k).seed_side).tolist()) == reached - {SIZE}


@given(webs, seeds, st.integers(1, 5))
def test_seeds_are_inside_and_the_flow_is_the_value_of_the_cut(
    links: Links, start: list[int], k: int
) -> None:
    found = min_cut(links, start, k)
    assert found.seed_side[start].all()
    parted = sum(bool(found.seed_side[s] != found.seed_side[t]) for s, t in pairs(links))
    assert found.value == found.seed_side.sum() - len(start) + k * parted


@given(webs, seeds, st.integers(1, 5))
def test_members_have_more_links_inside(links: Links, start: list[int], k: int) -> None:
    side = min_cut(links, start, k).seed_side
    for page in set(np.flatnonzero(side).tolist()) - set(start):
        others = [t if s == page else s for s, t in pairs(links) if page in (s, t)]
        inside = int(side[others].sum())
        assert k * inside > k * (len(others) - inside) + 1


@given(webs, seeds)
def test_cuts_are_nested_and_do_not_depend_on_earlier_ones(links: Links, start: list[int]) -> None:
    graph = graph_of(links)
    going = FlowNetwork.from_links(graph.outlinks, graph.inlinks, np.array(start, np.int32))
    before = np.zeros(SIZE, bool)
    for k in range(1, 8):
        found, again = going.min_cut(k), min_cut(links, start, k)
        assert (found.seed_side == again.seed_side).all()
        assert found.value == again.value
        assert (found.seed_side | ~before).all()
        before = found.seed_side


def test_supply_counts() -> None:
    """The last page has three units, more than the capacity."""
    graph = graph_of([(0, 1), (1, 2)], 3)
    start = np.array([0], np.int32)
    assert FlowNetwork.from_links(graph.outlinks, graph.inlinks, start).min_cut(3).seed_side.all()
    heavy = FlowNetwork.from_links(
        graph.outlinks, graph.inlinks, start, np.array([1, 1, 3])
    ).min_cut(3)
    assert heavy.seed_side.tolist() == [True, False, False]
    assert heavy.value == 3


def test_a_long_chain() -> None:
    n = 50_000
    graph = graph_of([(i, i + 1) for i in range(n - 1)], n)
    found = FlowNetwork.from_links(graph.outlinks, graph.inlinks, np.array([0], np.int32)).min_cut(
        n
    )
    assert found.seed_side.all()
    assert found.value == n - 1


@given(webs)
def test_undirected_rows(links: Links) -> None:
    graph = graph_of(links)
    rows = undirected_csr(graph.outlinks, graph.inlinks)
    for page in range(SIZE):
        wanted = sorted({s + t - page for s, t in pairs(links) if page in (s, t)})
        assert rows.ids[rows.starts[page] : rows.starts[page + 1]].tolist() == wanted


@pytest.mark.parametrize("k", [1, 3])
def test_only_seeds(k: int) -> None:
    found = min_cut([(0, 1)], range(SIZE), k)
    assert found.seed_side.all()
    assert found.value == 0
