"""Pruning and bipartite cores, against brute force."""

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.webgraph import WebGraph
from weft.kernels.bipartite_cores import common_fans, enumerate_cores, prune_to_fixed_point

SIZE = 12
ENDLESS = 10**9
matrices = st.tuples(st.floats(0.1, 0.7), st.integers(0, 10**6))


def drawn(share: float, seed: int) -> npt.NDArray[np.bool_]:
    return np.random.default_rng(seed).random((SIZE, SIZE)) < share


def bipartite(links: npt.NDArray[np.bool_]) -> WebGraph:
    """Fans are rows, centres are columns, numbered after all rows."""
    fans, centres = links.shape
    source, target = np.nonzero(links)
    return WebGraph.from_arrays(fans + centres, source, fans + target)


def brute_force(links: npt.NDArray[np.bool_], fans: int, centres: int) -> list[list[int]]:
    """All sets of columns with enough rows in common."""
    wide = range(links.shape[1])
    sets = (list(s) for s in combinations(wide, centres) if links[:, s].all(axis=1).sum() >= fans)
    return [[len(links) + c for c in chosen] for chosen in sets]


@pytest.mark.parametrize("fans", [2, 3, 4])
@pytest.mark.parametrize("centres", [2, 3, 4])
@given(matrices)
def test_cores_are_those_of_brute_force(fans: int, centres: int, matrix: tuple[float, int]) -> None:
    links = drawn(*matrix)
    graph = bipartite(links)
    found = enumerate_cores(graph.outlinks, graph.inlinks, (fans, centres), ENDLESS)
    assert found.centres.tolist() == brute_force(links, fans, centres)


@given(matrices)
def test_a_core_contains_the_smaller_ones(matrix: tuple[float, int]) -> None:
    graph = bipartite(drawn(*matrix))
    large = enumerate_cores(graph.outlinks, graph.inlinks, (3, 3), ENDLESS).centres.tolist()
    small = enumerate_cores(graph.outlinks, graph.inlinks, (2, 2), ENDLESS).centres.tolist()
    assert all(list(pair) in small for core in large for pair in combinations(core, 2))


@given(st.integers(0, 10**6), st.integers(0, 8))
def test_a_planted_core_is_found_until_a_link_is_removed(seed: int, gone: int) -> None:
    rng = np.random.default_rng(seed)
    links = np.zeros((SIZE, SIZE), bool)
    rows, columns = (np.sort(rng.choice(SIZE, 3, replace=False)) for _ in range(2))
    links[np.ix_(rows, columns)] = True
    planted = [(SIZE + columns).tolist()]
    graph = bipartite(links)
    assert (
        enumerate_cores(graph.outlinks, graph.inlinks, (3, 3), ENDLESS).centres.tolist() == planted
    )
    links[rows[gone // 3], columns[gone % 3]] = False
    graph = bipartite(links)
    assert len(enumerate_cores(graph.outlinks, graph.inlinks, (3, 3), ENDLESS).centres) == 0


def test_more_fans_than_bits_of_a_word() -> None:
    links = np.ones((130, 5), bool)
    links[:70, 4] = False
    graph = bipartite(links)
    found = enumerate_cores(graph.outlinks, graph.inlinks, (61, 2), ENDLESS)
    assert len(found.centres) == 6
    assert len(enumerate_cores(graph.outlinks, graph.inlinks, (60, 2), ENDLESS).centres) == 10


def test_max_sets_limits_each_centre_alike() -> None:
    """Two blocks of 100 centres: at the limit, all centres are still in some core."""
    block = np.ones((6, 100), bool)
    links = np.block([[block, ~block], [~block, block]])
    graph = bipartite(links)
    cut = enumerate_cores(graph.outlinks, graph.inlinks, (3, 3), 10_000)
    assert cut.counts["centres cut short"] > 100
    assert cut.counts["sets tried"] <= 200 * 64
    assert set(np.unique(cut.centres).tolist()) == set(range(12, 212))
    unlimited = enumerate_cores(graph.outlinks, graph.inlinks, (3, 3), ENDLESS)
    assert unlimited.counts["centres cut short"] == 0
    assert len(unlimited.centres) == 2 * 161_700


@given(matrices)
def test_common_fans(matrix: tuple[float, int]) -> None:
    links = drawn(*matrix)
    sets = np.array(list(combinations(range(SIZE), 3)), np.int32)
    found = common_fans(bipartite(links).inlinks, SIZE + sets)
    for row, chosen in enumerate(sets):
        own = found.ids[found.starts[row] : found.starts[row + 1]]
        assert own.tolist() == np.flatnonzero(links[:, chosen].all(axis=1)).tolist()


Links = list[tuple[int, int]]
webs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=60)


def graph_of(links: Links) -> WebGraph:
    ends = np.array([(s, 10 + t) for s, t in links], np.int32).reshape(-1, 2).T
    return WebGraph.from_arrays(20, ends[0], ends[1])


def prune_slowly(links: Links, fans: int, centres: int) -> tuple[set[int], set[int]]:
    """Prune by counting all links again each time."""
    kept = {(s, 10 + t) for s, t in links}
    while True:
        out = {s for s, _ in kept if sum(a == s for a, _ in kept) >= centres}
        into = {t for _, t in kept if sum(b == t for _, b in kept) >= fans}
        fewer = {(s, t) for s, t in kept if s in out and t in into}
        if fewer == kept:
            return out, into
        kept = fewer


@given(webs, st.integers(1, 3), st.integers(1, 3))
def test_pruning_is_that_of_brute_force(links: Links, fans: int, centres: int) -> None:
    graph = graph_of(links)
    left = prune_to_fixed_point(graph.outlinks, graph.inlinks, (fans, centres))
    found = tuple(set(np.flatnonzero(degrees >= 0).tolist()) for degrees in left)
    assert found == prune_slowly(links, fans, centres)


@given(webs)
def test_remaining_pages_know_their_degrees(links: Links) -> None:
    graph = graph_of(links)
    fans, centres = prune_to_fixed_point(graph.outlinks, graph.inlinks, (2, 2))
    for page in np.flatnonzero(fans >= 0):
        row = graph.outlinks.ids[graph.outlinks.starts[page] : graph.outlinks.starts[page + 1]]
        assert fans[page] == np.count_nonzero(centres[row] >= 0)


def test_a_chain_is_pruned_link_by_link() -> None:
    zigzag = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2), (3, 3)]
    left = prune_to_fixed_point(graph_of(zigzag).outlinks, graph_of(zigzag).inlinks, (2, 2))
    assert (left[0] < 0).all()
    assert (left[1] < 0).all()
