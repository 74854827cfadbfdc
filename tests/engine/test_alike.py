"""Products of rows with the sums of their groups, against a table."""

from itertools import pairwise

import numpy as np
import pytest

from weft.engine.alike import products


@pytest.mark.parametrize("seed", range(4))
def test_a_member_meets_the_sum_of_its_group(seed: int) -> None:
    draw = np.random.default_rng(seed)
    table = draw.integers(0, 4, (7, 9)) * (draw.random((7, 9)) < 0.5)
    row, item = np.nonzero(table)
    starts = np.searchsorted(row, np.arange(8))
    even = table / np.maximum(np.sqrt(np.square(table).sum(axis=1, keepdims=True)), 1e-12)
    members, ends = np.array([0, 2, 3, 6, 1, 2, 5], np.int32), np.array([0, 4, 4, 7])
    expected = [
        even[m] @ even[members[a:b]].sum(axis=0) for a, b in pairwise(ends) for m in members[a:b]
    ]
    weights = table[row, item].astype(np.float32)
    found = products(starts, item.astype(np.int32), weights, members, ends, 9)
    assert found == pytest.approx(np.array(expected))
