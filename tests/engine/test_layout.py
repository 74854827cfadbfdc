"""Drawings: the same each time, linked nodes together, everything inside the frame."""

import subprocess
import sys

import numpy as np
import pytest

from weft.core.arrays import Floats, Ids
from weft.engine.layout import layout

RNG = np.random.default_rng(0)


def ends(links: list[tuple[int, int]]) -> tuple[Ids, Ids]:
    table = np.array(links, np.int32).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def two_groups(size: int) -> tuple[Ids, Ids]:
    """Two dense groups with one link between them."""
    inside = [RNG.integers(0, size, (6 * size, 2)) + group * size for group in (0, 1)]
    links = np.concatenate([*inside, [[0, size]]]).astype(np.int32)
    return links[:, 0], links[:, 1]


def spans(places: Floats) -> Floats:
    found: Floats = np.ptp(places, axis=0)
    return found


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_without_links_every_node_has_a_place_of_its_own(n: int) -> None:
    places = layout(n, *ends([]))
    assert places.shape == (n, 2)
    assert len(np.unique(places, axis=0)) == n


def test_places_fill_the_frame() -> None:
    places = layout(60, *two_groups(30))
    assert np.abs(places).max() == 1
    assert np.isfinite(places).all()


def test_groups_stand_apart() -> None:
    places = layout(60, *two_groups(30))
    middles = places[:30].mean(axis=0), places[30:].mean(axis=0)
    spread = max(places[:30].std(), places[30:].std())
    assert np.linalg.norm(middles[0] - middles[1]) > 2 * spread


def test_linked_nodes_stand_nearer_than_others() -> None:
    chain = [(k, k + 1) for k in range(19)]
    places = layout(20, *ends(chain))
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    linked = np.mean([apart[s, t] for s, t in chain])
    assert linked < 0.5 * apart[np.triu_indices(20, 2)].mean()


def test_nodes_do_not_cover_each_other() -> None:
    """A star: the leaves are all alike, and still each is to be seen."""
    places = layout(101, *ends([(0, k) for k in range(1, 101)]))
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    assert apart[np.triu_indices(101, 1)].min() > 0.01


def test_direction_repetition_and_links_to_oneself_do_not_matter() -> None:
    once = layout(4, *ends([(0, 1), (1, 2), (2, 3)]))
    again = layout(4, *ends([(1, 0), (2, 1), (1, 2), (2, 3), (3, 3)]))
    np.testing.assert_array_equal(once, again)


def test_pieces_do_not_overlap() -> None:
    rings = [(k, (k + 1) % 10) for k in range(10)]
    links = [(s + 10 * ring, t + 10 * ring) for ring in range(5) for s, t in rings]
    places = layout(50, *ends(links)).reshape(5, 10, 2)
    middles, reach = places.mean(axis=1), np.array([spans(ring).max() / 2 for ring in places])
    for one in range(5):
        for other in range(one):
            apart = np.linalg.norm(middles[one] - middles[other])
            assert apart > 0.9 * (reach[one] + reach[other])


def test_another_process_draws_the_same() -> None:
    code = (
        "import numpy as np; from weft.engine.layout import layout; "
        "r = np.random.default_rng(1).integers(0, 200, (600, 2)).astype(np.int32); "
        "print(layout(200, r[:, 0], r[:, 1]).tobytes().hex())"
    )
    command = [sys.executable, "-c", code]
    once, again = (subprocess.check_output(command, text=True) for _ in range(2))
    assert once == again
