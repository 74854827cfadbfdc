"""Lanczos in groups, against all eigenvalues of each."""

import numpy as np
import pytest

from weft.core.arrays import Floats, Ids, Offsets, Weights
from weft.kernels.eigengap import lanczos_tridiagonals


def edges(seed: int, n: int) -> tuple[Offsets, Ids, Weights]:
    rng = np.random.default_rng(seed)
    table = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.7), 1)
    table = table + table.T
    source, target = np.nonzero(table)
    starts = np.searchsorted(source, np.arange(n + 1))
    return starts, target.astype(np.int32), table[source, target].astype(np.float32)


def other_eigenvalues(table: Floats) -> Floats:
    """All eigenvalues of the walk except the first."""
    root = np.sqrt(table.sum(axis=1))
    return np.sort(np.linalg.eigvalsh(table / np.outer(root, root)))[:-1]


@pytest.mark.parametrize("seed", range(4))
def test_a_full_matrix_has_exact_eigenvalues(seed: int) -> None:
    starts, ids, weights = edges(seed, 24)
    home = np.array([0, 1, 1, -1] * 6, np.int32)
    table = np.zeros((24, 24))
    table[np.repeat(np.arange(24), np.diff(starts)), ids] = weights
    start = np.random.default_rng(0).standard_normal(24)
    for group, size in ((0, 6), (1, 12)):
        small = np.zeros((2, size - 1, size - 1))
        lanczos_tridiagonals(starts, ids, weights, home, start, small)
        own = home == group
        assert np.linalg.eigvalsh(small[group]) == pytest.approx(
            other_eigenvalues(table[own][:, own])
        )


def test_entries_beyond_the_last_step_are_not_written() -> None:
    starts, ids = np.array([0, 1, 2, 2]), np.array([1, 0], np.int32)
    small = np.full((1, 3, 3), -1.0)
    home = np.zeros(3, np.int32)
    lanczos_tridiagonals(
        starts, ids, np.ones(2, np.float32), home, np.array([1.0, 0.0, 0.0]), small
    )
    assert small[0, 0, 0] == pytest.approx(-1)  # the walk on a pair has the eigenvalues 1 and -1
    assert (small.ravel()[1:] == -1).all()


def test_an_empty_group() -> None:
    starts, ids, weights = edges(0, 5)
    small = np.zeros((1, 2, 2))
    lanczos_tridiagonals(starts, ids, weights, np.full(5, -1, np.int32), np.ones(5), small)
    assert not small.any()
