"""Packed pairs of ids, CSR and hashes."""

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from weft.core.arrays import (
    CSR,
    GOLDEN_GAMMA,
    pack_pairs,
    splitmix64,
    unpack_first_ids,
    unpack_pairs,
    unpack_second_ids,
)

Pairs = npt.NDArray[np.int32]
ids = st.integers(0, np.iinfo(np.int32).max)
pairs = arrays(np.int32, st.tuples(st.integers(0, 20), st.just(2)), elements=ids)


@given(pairs)
def test_packed_ids_unpack(ends: Pairs) -> None:
    key = pack_pairs(ends[:, 0], ends[:, 1])
    assert np.stack(unpack_pairs(key), axis=1).tolist() == ends.tolist()
    assert [unpack_first_ids(key).tolist(), unpack_second_ids(key).tolist()] == [
        side.tolist() for side in ends.T
    ]


@given(pairs)
def test_packed_ids_sort_as_pairs(ends: Pairs) -> None:
    key = np.sort(pack_pairs(ends[:, 0], ends[:, 1]))
    assert np.stack(unpack_pairs(key), axis=1).tolist() == sorted(ends.tolist())


def test_packing_does_not_change_its_input() -> None:
    above = np.array([1, 2], np.int64)
    assert pack_pairs(above, 0).tolist() == [1 << 32, 2 << 32]
    assert above.tolist() == [1, 2]


def test_rows_and_row_ids() -> None:
    rows = CSR(np.array([0, 1, 1, 3]), np.array([2, 0, 1], np.int32))
    assert [rows.row(page).tolist() for page in range(3)] == [[2], [], [0, 1]]
    assert rows.row_ids().tolist() == [0, 2, 2]


def test_splitmix64_is_that_of_the_reference() -> None:
    state = np.uint64(1234567) + np.arange(5, dtype=np.uint64) * GOLDEN_GAMMA
    assert splitmix64(state).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_every_bit_depends_on_every_bit() -> None:
    values = np.arange(4000, dtype=np.uint64)
    for bit in (0, 31, 63):
        changed = splitmix64(values) ^ splitmix64(values ^ np.uint64(1 << bit))
        for other in (0, 31, 63):
            assert 1800 < ((changed >> np.uint64(other)) & np.uint64(1)).sum() < 2200


def test_any_integer_type_is_accepted() -> None:
    assert (
        splitmix64(np.arange(3, dtype=np.int32)) == splitmix64(np.arange(3, dtype=np.uint64))
    ).all()
