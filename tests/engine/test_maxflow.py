"""Cuts between seeds and the rest, against igraph and SciPy, and by what makes a smallest cut."""

from collections.abc import Sequence

import igraph as ig
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import maximum_flow

from weft.engine.maxflow import Cut, Network, both_ways
from weft.graph.webgraph import WebGraph

SIZE = 12
Links = list[tuple[int, int]]
webs = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=50)
seeds = st.sets(st.integers(0, SIZE - 1), min_size=1, max_size=4).map(sorted)


def made(links: Links, n: int = SIZE) -> WebGraph:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    return WebGraph.from_arrays(n, ends[0], ends[1])


def cut(links: Links, start: Sequence[int], k: int) -> Cut:
    graph = made(links)
    return Network.of(graph.outlinks, graph.inlinks, np.array(start, np.int32)).cut(k)


def pairs(links: Links) -> set[tuple[int, int]]:
    return {(min(s, t), max(s, t)) for s, t in links if s != t}


def network(links: Links, start: Sequence[int], k: int) -> list[tuple[int, int, int]]:
    """The network of the definition: source SIZE, sink SIZE + 1."""
    inner = [edge for s, t in sorted(pairs(links)) for edge in ((s, t, k), (t, s, k))]
    source = [(SIZE, seed, 10**6) for seed in start]
    return [*inner, *source, *((v, SIZE + 1, 1) for v in range(SIZE) if v not in start)]


@given(webs, seeds, st.integers(1, 5))
def test_flow_as_igraph_and_scipy_have_it(links: Links, start: list[int], k: int) -> None:
    edges = network(links, start, k)
    graph = ig.Graph(SIZE + 2, [(s, t) for s, t, _ in edges], directed=True)
    wanted = graph.st_mincut(SIZE, SIZE + 1, capacity=[float(c) for _, _, c in edges]).value
    source, target, room = np.array(edges).T
    matrix = coo_array((room, (source, target)), shape=(SIZE + 2, SIZE + 2)).tocsr()
    matrix = matrix.astype(np.int32)
    found = cut(links, start, k)
    assert found.units == wanted
    assert found.units == maximum_flow(matrix, SIZE, SIZE + 1).flow_value


@given(webs, seeds, st.integers(1, 5))
def test_the_side_is_reachable_in_the_residual_of_scipy(
    links: Links, start: list[int], k: int
) -> None:
    """Any largest flow leaves the same smallest side."""
    source, target, room = np.array(network(links, start, k)).T
    matrix = coo_array((room, (source, target)), shape=(SIZE + 2, SIZE + 2)).tocsr()
    matrix = matrix.astype(np.int32)
    left = (matrix - maximum_flow(matrix, SIZE, SIZE + 1).flow).toarray() > 0
    reached, rim = {SIZE}, [SIZE]
    while rim:
        fresh = [v for v in np.flatnonzero(left[rim.pop()]).tolist() if v not in reached]
        reached |= set(fresh)
        rim += fresh
    assert set(np.flatnonzero(cut(links, start, k).side).tolist()) == reached - {SIZE}


@given(webs, seeds, st.integers(1, 5))
def test_seeds_are_in_and_flow_is_what_the_cut_costs(
    links: Links, start: list[int], k: int
) -> None:
    found = cut(links, start, k)
    assert found.side[start].all()
    parted = sum(bool(found.side[s] != found.side[t]) for s, t in pairs(links))
    assert found.units == found.side.sum() - len(start) + k * parted


@given(webs, seeds, st.integers(1, 5))
def test_members_have_more_links_inside(links: Links, start: list[int], k: int) -> None:
    side = cut(links, start, k).side
    for page in set(np.flatnonzero(side).tolist()) - set(start):
        others = [t if s == page else s for s, t in pairs(links) if page in (s, t)]
        inside = int(side[others].sum())
        assert k * inside > k * (len(others) - inside) + 1


@given(webs, seeds)
def test_nested_in_k_and_going_on_is_as_beginning_again(links: Links, start: list[int]) -> None:
    graph = made(links)
    going = Network.of(graph.outlinks, graph.inlinks, np.array(start, np.int32))
    before = np.zeros(SIZE, bool)
    for k in range(1, 8):
        found, again = going.cut(k), cut(links, start, k)
        assert (found.side == again.side).all()
        assert found.units == again.units
        assert (found.side | ~before).all()
        before = found.side


def test_own_units_count() -> None:
    """The page at the end brings three units, for which there is no room."""
    graph = made([(0, 1), (1, 2)], 3)
    start = np.array([0], np.int32)
    assert Network.of(graph.outlinks, graph.inlinks, start).cut(3).side.all()
    heavy = Network.of(graph.outlinks, graph.inlinks, start, np.array([1, 1, 3])).cut(3)
    assert heavy.side.tolist() == [True, False, False]
    assert heavy.units == 3


def test_a_long_chain() -> None:
    n = 50_000
    graph = made([(i, i + 1) for i in range(n - 1)], n)
    found = Network.of(graph.outlinks, graph.inlinks, np.array([0], np.int32)).cut(n)
    assert found.side.all()
    assert found.units == n - 1


@given(webs)
def test_both_ways(links: Links) -> None:
    graph = made(links)
    rows = both_ways(graph.outlinks, graph.inlinks)
    for page in range(SIZE):
        wanted = sorted({s + t - page for s, t in pairs(links) if page in (s, t)})
        assert rows.ids[rows.starts[page] : rows.starts[page + 1]].tolist() == wanted


@pytest.mark.parametrize("k", [1, 3])
def test_no_page_but_seeds(k: int) -> None:
    found = cut([(0, 1)], range(SIZE), k)
    assert found.side.all()
    assert found.units == 0
