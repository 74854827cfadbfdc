"""Cores of pruned graphs, against looking at every set."""

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.cores import common, cores
from weft.graph.webgraph import WebGraph

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


def every(links: npt.NDArray[np.bool_], fans: int, centres: int) -> list[list[int]]:
    """All sets of columns with enough rows in common."""
    wide = range(links.shape[1])
    sets = (list(s) for s in combinations(wide, centres) if links[:, s].all(axis=1).sum() >= fans)
    return [[len(links) + c for c in chosen] for chosen in sets]


@pytest.mark.parametrize("fans", [2, 3, 4])
@pytest.mark.parametrize("centres", [2, 3, 4])
@given(matrices)
def test_as_brute_force(fans: int, centres: int, matrix: tuple[float, int]) -> None:
    links = drawn(*matrix)
    graph = bipartite(links)
    found = cores(graph.outlinks, graph.inlinks, (fans, centres), ENDLESS)
    assert found.centres.tolist() == every(links, fans, centres)


@given(matrices)
def test_a_core_contains_the_smaller_ones(matrix: tuple[float, int]) -> None:
    graph = bipartite(drawn(*matrix))
    large = cores(graph.outlinks, graph.inlinks, (3, 3), ENDLESS).centres.tolist()
    small = cores(graph.outlinks, graph.inlinks, (2, 2), ENDLESS).centres.tolist()
    assert all(list(pair) in small for core in large for pair in combinations(core, 2))


@given(st.integers(0, 10**6), st.integers(0, 8))
def test_a_planted_core_is_found_until_a_link_is_gone(seed: int, gone: int) -> None:
    draw = np.random.default_rng(seed)
    links = np.zeros((SIZE, SIZE), bool)
    rows, columns = (np.sort(draw.choice(SIZE, 3, replace=False)) for _ in range(2))
    links[np.ix_(rows, columns)] = True
    planted = [(SIZE + columns).tolist()]
    graph = bipartite(links)
    assert cores(graph.outlinks, graph.inlinks, (3, 3), ENDLESS).centres.tolist() == planted
    links[rows[gone // 3], columns[gone % 3]] = False
    graph = bipartite(links)
    assert len(cores(graph.outlinks, graph.inlinks, (3, 3), ENDLESS).centres) == 0


def test_more_fans_than_bits_of_a_word() -> None:
    links = np.ones((130, 5), bool)
    links[:70, 4] = False
    graph = bipartite(links)
    found = cores(graph.outlinks, graph.inlinks, (61, 2), ENDLESS)
    assert len(found.centres) == 6
    assert len(cores(graph.outlinks, graph.inlinks, (60, 2), ENDLESS).centres) == 10


def test_the_limit_gives_each_centre_its_share() -> None:
    """Two blocks of 100 centres: with the limit met, all centres still are in some core."""
    block = np.ones((6, 100), bool)
    links = np.block([[block, ~block], [~block, block]])
    graph = bipartite(links)
    cut = cores(graph.outlinks, graph.inlinks, (3, 3), 10_000)
    assert cut.counts["centres cut short"] > 100
    assert cut.counts["sets tried"] <= 200 * 64
    assert set(np.unique(cut.centres).tolist()) == set(range(12, 212))
    whole = cores(graph.outlinks, graph.inlinks, (3, 3), ENDLESS)
    assert whole.counts["centres cut short"] == 0
    assert len(whole.centres) == 2 * 161_700


@given(matrices)
def test_common_fans(matrix: tuple[float, int]) -> None:
    links = drawn(*matrix)
    sets = np.array(list(combinations(range(SIZE), 3)), np.int32)
    found = common(bipartite(links).inlinks, SIZE + sets)
    for row, chosen in enumerate(sets):
        own = found.ids[found.starts[row] : found.starts[row + 1]]
        assert own.tolist() == np.flatnonzero(links[:, chosen].all(axis=1)).tolist()
