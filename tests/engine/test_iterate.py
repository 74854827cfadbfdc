"""Scaling."""

import numpy as np

from weft.engine import unit


def test_unit_sums_to_one_and_leaves_zeros() -> None:
    assert unit(np.array([1.0, 3.0])).tolist() == [0.25, 0.75]
    assert unit(np.zeros(3)).tolist() == [0, 0, 0]
