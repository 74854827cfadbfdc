"""Eigengaps of groups, compared with all eigenvalues of each."""

import numpy as np
import pytest

from weft.core.arrays import CSR
from weft.graph.views import symmetric_csr
from weft.topics.leiden_votes import eigengaps


def affinity(pairs: list[tuple[int, int]], n: int) -> CSR:
    ends = np.array(pairs, np.int64).reshape(-1, 2).T
    return symmetric_csr(ends[0], ends[1], np.ones(len(pairs)), n)


def clique(points: range) -> list[tuple[int, int]]:
    return [(a, b) for a in points for b in points if a < b]


def test_a_clique_has_a_large_gap() -> None:
    # the second eigenvalue of the walk on a clique of six is -1/5
    assert eigengaps(affinity(clique(range(6)), 6), np.zeros(6, np.int32), 1)[0] == pytest.approx(
        1.2
    )


def test_two_cliques_with_one_bridge_have_a_small_gap() -> None:
    pairs = [*clique(range(6)), *clique(range(6, 12)), (0, 6)]
    together = eigengaps(affinity(pairs, 12), np.zeros(12, np.int32), 1)[0]
    assert 0 < together < 0.1


def test_edges_between_groups_do_not_count() -> None:
    pairs = [*clique(range(6)), *clique(range(6, 12)), (0, 6)]
    home = np.array([0] * 6 + [1] * 6, np.int32)
    assert eigengaps(affinity(pairs, 12), home, 2) == pytest.approx([1.2, 1.2])


@pytest.mark.parametrize("seed", range(4))
def test_the_gap_is_that_of_the_eigenvalues(seed: int) -> None:
    draw = np.random.default_rng(seed)
    pairs = sorted({(min(p), max(p)) for p in draw.integers(0, 40, (160, 2)).tolist()})
    pairs = [(a, b) for a, b in pairs if a != b]
    table = np.zeros((40, 40))
    for a, b in pairs:
        table[a, b] = table[b, a] = 1
    root = np.sqrt(table.sum(axis=1))
    second = np.sort(np.linalg.eigvalsh(table / np.outer(root, root)))[-2]
    found = eigengaps(affinity(pairs, 40), np.zeros(40, np.int32), 1)[0]
    assert found == pytest.approx(1 - second, abs=0.03)


def test_nodes_of_no_group_and_groups_without_edges() -> None:
    assert eigengaps(affinity([(0, 1)], 4), np.array([-1, -1, 0, 0], np.int32), 2).tolist() == [
        2.0,
        2.0,
    ]
    assert len(eigengaps(affinity([], 0), np.zeros(0, np.int32), 0)) == 0
