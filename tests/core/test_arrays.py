"""Ids stacked in one number, and compressed rows."""

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from weft.core.arrays import Rows, lower, stacked, unstacked, upper

Pairs = npt.NDArray[np.int32]
ids = st.integers(0, np.iinfo(np.int32).max)
pairs = arrays(np.int32, st.tuples(st.integers(0, 20), st.just(2)), elements=ids)


@given(pairs)
def test_stacked_ids_come_apart_again(ends: Pairs) -> None:
    key = stacked(ends[:, 0], ends[:, 1])
    assert np.stack(unstacked(key), axis=1).tolist() == ends.tolist()
    assert [upper(key).tolist(), lower(key).tolist()] == [side.tolist() for side in ends.T]


@given(pairs)
def test_stacked_ids_sort_as_pairs_do(ends: Pairs) -> None:
    key = np.sort(stacked(ends[:, 0], ends[:, 1]))
    assert np.stack(unstacked(key), axis=1).tolist() == sorted(ends.tolist())


def test_what_is_stacked_stays_as_it_was() -> None:
    above = np.array([1, 2], np.int64)
    assert stacked(above, 0).tolist() == [1 << 32, 2 << 32]
    assert above.tolist() == [1, 2]


def test_whose_neighbours_rows_hold() -> None:
    rows = Rows(np.array([0, 1, 1, 3]), np.array([2, 0, 1], np.int32))
    assert [rows.row(page).tolist() for page in range(3)] == [[2], [], [0, 1]]
    assert rows.owners().tolist() == [0, 2, 2]
