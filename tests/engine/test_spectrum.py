"""Eigenvalues of graphs whose eigenvalues are known."""

import numpy as np
import pytest

from weft.core.arrays import Rows
from weft.engine.spectrum import eigenvalues


def ring(n: int) -> Rows:
    ids = np.sort(np.stack([np.arange(n) - 1, np.arange(n) + 1], axis=1) % n, axis=1)
    return Rows(np.arange(n + 1) * 2, ids.ravel().astype(np.int32))


@pytest.mark.parametrize("n", [9, 150, 501])
def test_a_ring_has_cosines(n: int) -> None:
    known = np.sort(2 * np.cos(2 * np.pi * np.arange(n) / n))[::-1][:5]
    np.testing.assert_allclose(eigenvalues(ring(n), 5), known, atol=1e-9)


def test_a_run_twice_gives_the_same_bits() -> None:
    assert (eigenvalues(ring(700), 20) == eigenvalues(ring(700), 20)).all()


def test_no_node_and_no_tie() -> None:
    assert len(eigenvalues(Rows(np.zeros(1, np.int64), np.zeros(0, np.int32)), 3)) == 0
    alone = Rows(np.zeros(4, np.int64), np.zeros(0, np.int32))
    assert eigenvalues(alone, 2).tolist() == [0, 0]


def test_weights_count() -> None:
    pair = Rows(np.array([0, 1, 2]), np.array([1, 0], np.int32), np.array([3, 3], np.float32))
    assert eigenvalues(pair, 1)[0] == pytest.approx(3)


def test_nodes_tied_to_the_same_count_as_all_of_them() -> None:
    """A star has the root of its rays, once either way, and zeros."""
    rays = 400
    ids = np.concatenate([np.arange(1, rays + 1), np.zeros(rays, int)]).astype(np.int32)
    star = Rows(np.concatenate([[0], np.arange(rays, 2 * rays + 1)]), ids)
    np.testing.assert_allclose(eigenvalues(star, 4), [rays**0.5, 0, 0, 0], atol=1e-9)


def test_a_web_with_many_alike_has_the_eigenvalues_of_its_whole_matrix() -> None:
    rng = np.random.default_rng(3)
    matrix = np.zeros((450, 450))
    ends = rng.integers(0, 60, (2, 400))
    matrix[ends[0], ends[1]] = 1
    matrix[np.arange(60, 450), rng.integers(0, 25, 390)] = 1
    matrix = np.maximum(matrix, matrix.T)
    np.fill_diagonal(matrix, 0)
    starts = np.concatenate([[0], np.cumsum(matrix.sum(axis=1))]).astype(np.int64)
    ties = Rows(starts, np.nonzero(matrix)[1].astype(np.int32))
    known = np.linalg.eigvalsh(matrix)[::-1][:30]
    np.testing.assert_allclose(eigenvalues(ties, 30), known, atol=1e-9)
