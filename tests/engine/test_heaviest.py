"""The heaviest items of rows, against sorting them all."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.heaviest import heaviest


@given(st.lists(st.lists(st.integers(0, 5), max_size=9), max_size=6), st.integers(1, 10))
def test_they_are_the_first_of_each_row_sorted(rows: list[list[int]], most: int) -> None:
    starts = np.cumsum([0, *map(len, rows)])
    weights = np.array([weight for row in rows for weight in row], np.float32)
    expected = []
    for begin, row in zip(starts.tolist(), rows, strict=False):
        order = sorted(range(len(row)), key=lambda k: (-row[k], k))
        expected += [begin + k for k in order if row[k]][:most]
    assert heaviest(starts, weights, most).tolist() == expected
