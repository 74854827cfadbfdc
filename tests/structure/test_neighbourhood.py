"""What follows from numbers of pairs, by hand."""

import numpy as np
import pytest

from weft.structure.neighbourhood import average, effective, jackknife, pair_tables

RING = np.array([4.0, 8.0, 12.0, 16.0])


def test_a_ring_of_four() -> None:
    assert average(RING) == 2
    assert effective(RING, 0.5) == 1
    assert effective(RING, 0.9) == pytest.approx(2.6)


def test_nothing_joined() -> None:
    assert average(np.array([5.0])) is None
    assert effective(np.array([5.0])) == 0


def test_few_enough_pairs_within_no_click() -> None:
    assert effective(np.array([98.0, 100.0]), 0.9) == 0


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    values = np.array([[2.0], [4.0], [4.0], [10.0]])
    wanted = values.std(ddof=1) / 2
    assert jackknife(values / 3, lambda total: float(total[0])) == pytest.approx(wanted)


def test_no_error_is_known_from_one_part_or_without_a_measure() -> None:
    assert jackknife(np.ones((1, 3)), lambda total: float(total[0])) is None
    assert jackknife(np.ones((2, 1)), average) is None


def test_tables_add_up() -> None:
    tables = pair_tables(RING, exact=True)
    assert tables["neighbourhood"].to_pydict() == {
        "hops": [0, 1, 2, 3],
        "pairs": [4, 8, 12, 16],
        "share": [0.25, 0.5, 0.75, 1.0],
    }
    assert tables["distances"]["pairs"].to_pylist() == [4, 4, 4]
    assert sum(tables["distances"]["share"].to_pylist()) == pytest.approx(1)
    assert pair_tables(RING / 3, exact=False)["distances"]["pairs"].to_pylist()[0] < 4
