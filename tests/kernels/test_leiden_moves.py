"""The steps of Leiden: numbering of groups, self-links, and no gain by a single move."""

import numpy as np
import pytest

from weft.core.arrays import Ids, Offsets
from weft.kernels.leiden import optimise_modularity


def edges(seed: int, n: int = 60) -> tuple[Offsets, Ids]:
    rng = np.random.default_rng(seed)
    table = np.triu(rng.random((n, n)) < 0.08, 1)
    source, target = np.nonzero(table | table.T)
    return np.searchsorted(source, np.arange(n + 1)), target.astype(np.int32)


@pytest.mark.parametrize("seed", range(3))
def test_groups_are_numbered_by_first_node(seed: int) -> None:
    starts, ids = edges(seed)
    found = optimise_modularity(starts, ids, np.ones(len(ids)), 1.0, seed, 2)
    _, first = np.unique(found, return_index=True)
    assert found.max() + 1 == len(first) < len(found)
    assert (np.diff(first) > 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_self_links_only_add_to_the_volume(seed: int) -> None:
    starts, ids = edges(seed)
    points = np.arange(len(starts) - 1)
    own = np.insert(ids, starts[:-1], points).astype(np.int32)
    plain = optimise_modularity(starts, ids, np.ones(len(ids)), 1.0, 0, 2)
    for weight, same in ((1e-13, True), (50.0, False)):
        weights = np.insert(np.ones(len(ids)), starts[:-1], weight)
        found = optimise_modularity(starts + np.arange(len(starts)), own, weights, 1.0, 0, 2)
        assert np.array_equal(found, plain) == same


def test_no_node_gains_by_a_single_move() -> None:
    starts, ids = edges(7)
    found = optimise_modularity(starts, ids, np.ones(len(ids)), 1.0, 0, 2)
    volume, total = np.diff(starts), len(ids)
    for i in range(len(volume)):
        near = np.bincount(found[ids[starts[i] : starts[i + 1]]], minlength=found.max() + 1)
        volumes = np.bincount(found, volume) - volume[i] * (np.arange(found.max() + 1) == found[i])
        gain = near - volume[i] * volumes / total
        assert gain[found[i]] >= gain.max() - 1e-9
