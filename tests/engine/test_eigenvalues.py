"""Eigenvalues of graphs with known spectra."""

import numpy as np
import pytest

from weft.core.arrays import CSR
from weft.engine.lanczos import largest_eigenvalues


def ring(n: int) -> CSR:
    ids = np.sort(np.stack([np.arange(n) - 1, np.arange(n) + 1], axis=1) % n, axis=1)
    return CSR(np.arange(n + 1) * 2, ids.ravel().astype(np.int32))


@pytest.mark.parametrize("n", [9, 150, 501])
def test_a_ring_has_cosines(n: int) -> None:
    known = np.sort(2 * np.cos(2 * np.pi * np.arange(n) / n))[::-1][:5]
    np.testing.assert_allclose(largest_eigenvalues(ring(n), 5), known, atol=1e-9)


def test_a_run_twice_gives_the_same_bits() -> None:
    assert (largest_eigenvalues(ring(700), 20) == largest_eigenvalues(ring(700), 20)).all()


def test_no_nodes_and_no_edges() -> None:
    assert len(largest_eigenvalues(CSR(np.zeros(1, np.int64), np.zeros(0, np.int32)), 3)) == 0
    alone = CSR(np.zeros(4, np.int64), np.zeros(0, np.int32))
    assert largest_eigenvalues(alone, 2).tolist() == [0, 0]


def test_weights_count() -> None:
    pair = CSR(np.array([0, 1, 2]), np.array([1, 0], np.int32), np.array([3, 3], np.float32))
    assert largest_eigenvalues(pair, 1)[0] == pytest.approx(3)


def test_merged_nodes_keep_the_spectrum_of_a_star() -> None:
    """The eigenvalues of a star are plus and minus the square root of its rays, and zeros."""
    rays = 400
    ids = np.concatenate([np.arange(1, rays + 1), np.zeros(rays, int)]).astype(np.int32)
    star = CSR(np.concatenate([[0], np.arange(rays, 2 * rays + 1)]), ids)
    np.testing.assert_allclose(largest_eigenvalues(star, 4), [rays**0.5, 0, 0, 0], atol=1e-9)


def test_merged_nodes_keep_the_spectrum_of_a_web() -> None:
    rng = np.random.default_rng(3)
    matrix = np.zeros((450, 450))
    ends = rng.integers(0, 60, (2, 400))
    matrix[ends[0], ends[1]] = 1
    matrix[np.arange(60, 450), rng.integers(0, 25, 390)] = 1
    matrix = np.maximum(matrix, matrix.T)
    np.fill_diagonal(matrix, 0)
    starts = np.concatenate([[0], np.cumsum(matrix.sum(axis=1))]).astype(np.int64)
    adjacency = CSR(starts, np.nonzero(matrix)[1].astype(np.int32))
    known = np.linalg.eigvalsh(matrix)[::-1][:30]
    np.testing.assert_allclose(largest_eigenvalues(adjacency, 30), known, atol=1e-9)
