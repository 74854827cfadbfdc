"""Minimum cuts against igraph, and by their properties."""

from collections.abc import Sequence
from itertools import product

import igraph as ig
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.communities.flow import MinCut, cut_facts, min_cut
from weft.core.errors import BadParameter
from weft.graph.views import undirected_edges
from weft.graph.webgraph import WebGraph

SIZE = 12
SUBSETS = np.array(list(product((False, True), repeat=SIZE)))
Links = list[tuple[int, int]]
webs = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=50)
seeds = st.sets(st.integers(0, SIZE - 1), min_size=1, max_size=4).map(sorted)


def cut_of(links: Links, start: Sequence[int], k: int, n: int = SIZE) -> MinCut:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    edges = undirected_edges(WebGraph.from_arrays(n, ends[0], ends[1]))
    return min_cut(edges, np.array(start, np.int32), np.zeros(n, np.int64), k)


def pairs(links: Links) -> set[tuple[int, int]]:
    return {(min(s, t), max(s, t)) for s, t in links if s != t}


def network(links: Links, start: Sequence[int], k: int) -> list[tuple[int, int, int]]:
    """The network of the definition: source SIZE, sink SIZE + 1."""
    inner = [edge for s, t in sorted(pairs(links)) for edge in ((s, t, k), (t, s, k))]
    source = [(SIZE, seed, 10**6) for seed in start]
    return [*inner, *source, *((v, SIZE + 1, 1) for v in range(SIZE) if v not in start)]


@given(webs, seeds, st.integers(1, 20))
def test_flow_is_that_of_igraph(links: Links, start: list[int], k: int) -> None:
    edges = network(links, start, k)
    graph = ig.Graph(SIZE + 2, [(s, t) for s, t, _ in edges], directed=True)
    wanted = graph.st_mincut(SIZE, SIZE + 1, capacity=[float(c) for _, _, c in edges]).value
    found = cut_of(links, start, k)
    assert cut_facts(found, k, len(start))["flow"] == wanted


@given(webs, seeds, st.integers(1, 20))
def test_the_side_is_the_smallest_of_least_cost(links: Links, start: list[int], k: int) -> None:
    sides = SUBSETS[SUBSETS[:, start].all(axis=1)]
    size = sides.sum(axis=1)
    ends = np.array(sorted(pairs(links)), np.int64).reshape(-1, 2).T
    cost = size + k * (sides[:, ends[0]] != sides[:, ends[1]]).sum(axis=1)
    smallest = np.lexsort((size, cost))[0]
    assert (cut_of(links, start, k).seed_side == sides[smallest]).all()


@given(webs, seeds, st.integers(1, 5))
def test_seeds_are_inside_and_cut_neighbours_are_counted(
    links: Links, start: list[int], k: int
) -> None:
    found = cut_of(links, start, k)
    assert found.seed_side[start].all()
    parted = sum(bool(found.seed_side[s] != found.seed_side[t]) for s, t in pairs(links))
    assert found.neighbours_cut == parted


@given(webs, seeds, st.integers(1, 5))
def test_members_have_more_links_inside(links: Links, start: list[int], k: int) -> None:
    side = cut_of(links, start, k).seed_side
    for page in set(np.flatnonzero(side).tolist()) - set(start):
        others = [t if s == page else s for s, t in pairs(links) if page in (s, t)]
        inside = int(side[others].sum())
        assert k * inside > k * (len(others) - inside) + 1


@given(webs, seeds)
def test_cuts_are_nested(links: Links, start: list[int]) -> None:
    before = np.zeros(SIZE, bool)
    for k in range(1, SIZE + 3):
        side = cut_of(links, start, k).seed_side
        assert (side | ~before).all()
        before = side


def test_neighbours_outside_are_on_the_other_side() -> None:
    """The last page has a neighbour outside: as much capacity as its only link."""
    chain = undirected_edges(WebGraph.from_links([("a", "b"), ("b", "c")]))
    start = np.array([0], np.int32)
    assert len(min_cut(chain, start, np.array([0, 0, 0]), 3)) == 3
    cut = min_cut(chain, start, np.array([0, 0, 1]), 3)
    assert (cut.seed_side.tolist(), cut.neighbours_cut) == ([True, False, False], 1)


def test_a_flow_beyond_int32_is_refused() -> None:
    n = 70_000
    with pytest.raises(BadParameter, match="k is 1,000,000"):
        cut_of([(0, i) for i in range(1, n)], [0], 1_000_000, n)


def test_a_long_chain() -> None:
    n = 2_000
    found = cut_of([(i, i + 1) for i in range(n - 1)], [0], n, n)
    assert found.seed_side.all()
    assert found.neighbours_cut == 0


@pytest.mark.parametrize("k", [1, 3])
def test_only_seeds(k: int) -> None:
    found = cut_of([(0, 1)], range(SIZE), k)
    assert found.seed_side.all()
    assert found.neighbours_cut == 0
