"""Leiden: planted communities are found, the same each time."""

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import CSR
from weft.kernels.components import weakly_connected_components
from weft.kernels.leiden import leiden, modularity


def edges(pairs: list[tuple[int, int]], n: int) -> CSR:
    both = sorted({(a, b) for a, b in pairs if a != b} | {(b, a) for a, b in pairs if a != b})
    starts = np.searchsorted([a for a, _ in both], np.arange(n + 1))
    return CSR(starts, np.array([b for _, b in both], np.int32), np.ones(len(both), np.float32))


def planted(seed: int, groups: int = 4, size: int = 25) -> CSR:
    rng = np.random.default_rng(seed)
    chance = np.where(np.equal.outer(*[np.arange(groups * size) // size] * 2), 0.4, 0.02)
    pairs = np.argwhere(rng.random(chance.shape) < chance).tolist()
    return edges([(a, b) for a, b in pairs], groups * size)


@pytest.mark.parametrize("seed", range(3))
def test_planted_groups_are_found(seed: int) -> None:
    found = leiden(planted(seed)).reshape(4, 25)
    assert (found == found[:, :1]).all()
    assert sorted(found[:, 0].tolist()) == [0, 1, 2, 3]


def test_a_higher_resolution_gives_more_groups() -> None:
    counts = [leiden(planted(0), resolution).max() + 1 for resolution in (0.05, 1.0, 8.0)]
    assert counts[0] == 1
    assert counts[1] == 4
    assert counts[2] > 8


def test_the_largest_group_comes_first_and_single_nodes_last() -> None:
    found = leiden(edges([(1, 2), (3, 4), (4, 5), (3, 5)], 7))
    assert found.tolist() == [2, 1, 1, 0, 0, 0, 3]


def test_weights_count() -> None:
    square = edges([(0, 1), (1, 2), (2, 3), (3, 0)], 4)
    across = [
        10.0 if {a, b} in ({1, 2}, {0, 3}) else 1.0
        for a in range(4)
        for b in square.ids[square.starts[a] : square.starts[a + 1]].tolist()
    ]
    assert leiden(square._replace(weights=np.array(across, np.float32))).tolist() == [0, 1, 1, 0]


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_every_node_has_a_group_and_sizes_descend(pairs: list[tuple[int, int]]) -> None:
    found = leiden(edges(pairs, 8))
    sizes = np.bincount(found)
    assert len(found) == 8
    assert sizes.min() > 0
    assert (np.diff(sizes) <= 0).all()
    assert (leiden(edges(pairs, 8)) == found).all()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30), st.integers(0, 9))
def test_every_group_is_connected(pairs: list[tuple[int, int]], seed: int) -> None:
    found = leiden(edges(pairs, 10), seed=seed)
    inside = [(a, b) for a, b in pairs if found[a] == found[b]]
    assert len(weakly_connected_components(edges(inside, 10)).sizes) == found.max() + 1


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_modularity_is_that_of_igraph(pairs: list[tuple[int, int]]) -> None:
    both = edges(pairs, 10)
    ends = np.repeat(np.arange(10), np.diff(both.starts))
    once = [(a, b) for a, b in zip(ends.tolist(), both.ids.tolist(), strict=True) if a < b]
    found = leiden(both)
    expected = igraph.Graph(10, once).modularity(found.tolist()) if once else 0.0
    assert modularity(both, found) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_modularity_is_no_worse_than_that_of_others(seed: int) -> None:
    native = pytest.importorskip("graspologic_native")
    rng = np.random.default_rng(seed)
    both = edges(rng.integers(0, 300, (1500, 2)).tolist(), 300)
    weights = np.ones(len(both.ids))
    theirs = [
        native.leiden_csr(both.starts.astype(np.int64), both.ids, weights, 300, seed=k)[1]
        for k in range(5)
    ]
    mean = np.mean([modularity(both, np.array([g[k] for k in range(300)])) for g in theirs])
    ours = np.mean([modularity(both, leiden(both, seed=k)) for k in range(5)])
    assert ours > mean - 0.005


def test_edges_of_weight_zero_are_ignored() -> None:
    weights = np.array([0, 0, 1, 1], np.float32)
    three = CSR(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], np.int32), weights)
    assert leiden(three).tolist() == [1, 0, 0]
