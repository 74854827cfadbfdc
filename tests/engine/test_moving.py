"""The steps of Leiden: how groups are numbered, and that nobody gains by moving on."""

import numpy as np
import pytest

from weft.core.arrays import Ids, Offsets
from weft.engine.moving import grouped


def ties(seed: int, n: int = 60) -> tuple[Offsets, Ids]:
    draw = np.random.default_rng(seed)
    table = np.triu(draw.random((n, n)) < 0.08, 1)
    source, target = np.nonzero(table | table.T)
    return np.searchsorted(source, np.arange(n + 1)), target.astype(np.int32)


@pytest.mark.parametrize("seed", range(3))
def test_groups_are_numbered_by_their_first_points(seed: int) -> None:
    starts, ids = ties(seed)
    found = grouped(starts, ids, np.ones(len(ids)), 1.0, seed, 2)
    _, first = np.unique(found, return_index=True)
    assert found.max() + 1 == len(first) < len(found)
    assert (np.diff(first) > 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_ties_to_oneself_only_add_to_what_a_point_weighs(seed: int) -> None:
    starts, ids = ties(seed)
    points = np.arange(len(starts) - 1)
    own = np.insert(ids, starts[:-1], points).astype(np.int32)
    plain = grouped(starts, ids, np.ones(len(ids)), 1.0, 0, 2)
    for weight, same in ((1e-13, True), (50.0, False)):
        weights = np.insert(np.ones(len(ids)), starts[:-1], weight)
        found = grouped(starts + np.arange(len(starts)), own, weights, 1.0, 0, 2)
        assert np.array_equal(found, plain) == same


def test_no_point_gains_by_moving_alone() -> None:
    starts, ids = ties(7)
    found = grouped(starts, ids, np.ones(len(ids)), 1.0, 0, 2)
    volume, total = np.diff(starts), len(ids)
    for i in range(len(volume)):
        near = np.bincount(found[ids[starts[i] : starts[i + 1]]], minlength=found.max() + 1)
        whole = np.bincount(found, volume) - volume[i] * (np.arange(found.max() + 1) == found[i])
        gain = near - volume[i] * whole / total
        assert gain[found[i]] >= gain.max() - 1e-9
