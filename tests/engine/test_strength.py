"""Strengths by hand."""

import numpy as np
import pytest

from weft.core.arrays import Rows
from weft.engine.strength import MEASURES, Paths, strength, summed


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("sum", 2.0),
        ("cosine", 2 / 12**0.5),
        ("jaccard", 2 / 5),
        ("min", 2 / 4),
        ("max", 2 / 3),
        ("lift", 2 * 11 / 12),
    ],
)
def test_two_shared_of_three_and_four_among_eleven(measure: str, value: float) -> None:
    code = [str(name) for name in MEASURES].index(measure)
    assert float(strength(code, 2.0, 3.0, 4.0, 11.0)) == pytest.approx(value)


def test_paths_count_what_their_witness_is_worth() -> None:
    """0 has witnesses 0 and 1; the first leads to 0 and 2, the second to 1 and 2."""
    first = Rows(np.array([0, 2, 2, 2]), np.array([0, 1], np.int32))
    second = Rows(np.array([0, 2, 4]), np.array([0, 2, 1, 2], np.int32))
    paths = Paths(first, second, np.array([1.0, 0.25]), np.ones(3), np.ones(3), 2.0)
    assert summed(paths, 0, np.array([0, 1], np.int32)).tolist() == [0.0, 0.25, 1.25]
