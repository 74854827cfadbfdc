"""Layouts: deterministic, linked nodes together, everything inside the frame."""

import subprocess
import sys

import numpy as np
import pytest

from weft.core.arrays import Floats, Ids
from weft.kernels.layout import force_directed_layout

RNG = np.random.default_rng(0)


def ends(links: list[tuple[int, int]]) -> tuple[Ids, Ids]:
    table = np.array(links, np.int32).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def two_groups(size: int) -> tuple[Ids, Ids]:
    """Two dense groups with one link between them."""
    inside = [RNG.integers(0, size, (6 * size, 2)) + group * size for group in (0, 1)]
    links = np.concatenate([*inside, [[0, size]]]).astype(np.int32)
    return links[:, 0], links[:, 1]


def spans(coordinates: Floats) -> Floats:
    found: Floats = np.ptp(coordinates, axis=0)
    return found


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_without_links_no_nodes_coincide(n: int) -> None:
    coordinates = force_directed_layout(n, *ends([]))
    assert coordinates.shape == (n, 2)
    assert len(np.unique(coordinates, axis=0)) == n


def test_coordinates_fill_the_frame() -> None:
    coordinates = force_directed_layout(60, *two_groups(30))
    assert np.abs(coordinates).max() == 1
    assert np.isfinite(coordinates).all()


def test_groups_stand_apart() -> None:
    coordinates = force_directed_layout(60, *two_groups(30))
    middles = coordinates[:30].mean(axis=0), coordinates[30:].mean(axis=0)
    spread = max(coordinates[:30].std(), coordinates[30:].std())
    assert np.linalg.norm(middles[0] - middles[1]) > 2 * spread


def test_linked_nodes_stand_nearer_than_others() -> None:
    chain = [(k, k + 1) for k in range(19)]
    coordinates = force_directed_layout(20, *ends(chain))
    apart = np.linalg.norm(coordinates[:, None] - coordinates, axis=2)
    linked = np.mean([apart[s, t] for s, t in chain])
    assert linked < 0.5 * apart[np.triu_indices(20, 2)].mean()


def test_nodes_do_not_cover_each_other() -> None:
    """A star: all leaves are alike, and still none hides another."""
    coordinates = force_directed_layout(101, *ends([(0, k) for k in range(1, 101)]))
    apart = np.linalg.norm(coordinates[:, None] - coordinates, axis=2)
    assert apart[np.triu_indices(101, 1)].min() > 0.01


def test_direction_repetition_and_self_links_do_not_matter() -> None:
    once = force_directed_layout(4, *ends([(0, 1), (1, 2), (2, 3)]))
    again = force_directed_layout(4, *ends([(1, 0), (2, 1), (1, 2), (2, 3), (3, 3)]))
    np.testing.assert_array_equal(once, again)


def test_components_do_not_overlap() -> None:
    rings = [(k, (k + 1) % 10) for k in range(10)]
    links = [(s + 10 * ring, t + 10 * ring) for ring in range(5) for s, t in rings]
    coordinates = force_directed_layout(50, *ends(links)).reshape(5, 10, 2)
    middles, reach = (
        coordinates.mean(axis=1),
        np.array([spans(ring).max() / 2 for ring in coordinates]),
    )
    for one in range(5):
        for other in range(one):
            apart = np.linalg.norm(middles[one] - middles[other])
            assert apart > 0.9 * (reach[one] + reach[other])


def test_another_process_draws_the_same() -> None:
    code = (
        "import numpy as np; from weft.kernels.layout import force_directed_layout; "
        "r = np.random.default_rng(1).integers(0, 200, (600, 2)).astype(np.int32); "
        "print(force_directed_layout(200, r[:, 0], r[:, 1]).tobytes().hex())"
    )
    command = [sys.executable, "-c", code]
    once, again = (subprocess.check_output(command, text=True) for _ in range(2))
    assert once == again
