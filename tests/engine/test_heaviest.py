"""The heaviest items of rows, against sorting them all."""

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.heaviest import heaviest

items = st.tuples(st.integers(0, 3), st.integers(0, 5))


@given(st.lists(st.lists(items, max_size=9), max_size=6), st.integers(1, 10))
def test_they_are_the_first_of_each_row_sorted(
    rows: list[list[tuple[int, int]]], most: int
) -> None:
    worth = [0.0, 1.0, 2.0, 0.5]
    starts = np.cumsum([0, *map(len, rows)])
    ids = np.array([item for row in rows for item, _ in row], np.int32)
    weights = np.array([weight for row in rows for _, weight in row], np.float32)
    found = heaviest(starts, ids, weights, np.array(worth), most)
    expected: list[list[tuple[int, float]]] = []
    for row in rows:
        heavy = [(item, weight * worth[item]) for item, weight in row]
        expected.append(sorted((one for one in heavy if one[1]), key=lambda one: -one[1])[:most])
    assert found[0].tolist() == np.cumsum([0, *map(len, expected)]).tolist()
    assert list(zip(found[1].tolist(), found[2].tolist(), strict=True)) == [*chain(*expected)]
