"""Components of links by SciPy; its sums are tested in test_machines.py."""

import numpy as np

from weft.core.arrays import Rows
from weft.engine.small import of_rows


def test_components_by_hand() -> None:
    """Pages 0 and 1 share an authority; 3 points to 0, which no other page does."""
    found = of_rows(Rows(np.array([0, 1, 2, 2, 3]), np.array([2, 2, 0], np.int32)), 4)
    assert found.count == 2
    assert found.source.tolist() == [0, 0, -1, 1]
    assert found.target.tolist() == [1, -1, 0, -1]
