"""Mapped tables, and looking words up in them."""

from bisect import bisect_left
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from weft.store.mapped import Growing, Scratch, Sorted, read_mapped, write_mapped


def test_a_table_comes_back(tmp_path: Path) -> None:
    table = pa.table({"a": pa.chunked_array([[1, 2], [3]])})
    write_mapped(table, tmp_path / "table.arrow")
    assert read_mapped(tmp_path / "table.arrow").to_pylist() == table.to_pylist()


def test_an_empty_table_comes_back(tmp_path: Path) -> None:
    write_mapped(pa.table({"a": pa.array([], pa.large_string())}), tmp_path / "table.arrow")
    found = Sorted(read_mapped(tmp_path / "table.arrow")["a"])
    assert (len(found), found.find("x"), found.place("x")) == (0, -1, 0)


def test_numbers_are_one_file_however_many_come(tmp_path: Path) -> None:
    path = tmp_path / "numbers.npy"
    for pieces in ([], [[1], [], [2, 3]], [[7] * 1_000] * 20):
        with Growing(path, "<i4") as file:
            for piece in pieces:
                file.write(np.array(piece, np.int64))
        assert np.load(path).tolist() == [number for piece in pieces for number in piece]
        assert np.load(path).dtype == np.int32


words = st.text(st.characters(codec="utf-8"), max_size=5)
some_rows = st.lists(st.tuples(words, words, st.integers(-9, 9)), max_size=5)


@given(st.lists(some_rows, max_size=5))
def test_pieces_become_one_table_without_a_name(pieces: list[list[tuple[str, str, int]]]) -> None:
    kinds = {"a": pa.large_string(), "b": pa.string(), "c": pa.int8()}
    rows = [dict(zip(kinds, row, strict=True)) for piece in pieces for row in piece]
    with TemporaryDirectory() as name, Scratch(Path(name), pa.schema(kinds)) as scratch:
        for piece in pieces:
            a, b, c = zip(*piece, strict=True) if piece else ((), (), ())
            sliced = {"a": pa.array(["-", *a])[1:], "b": pa.array(["-", *b])[1:]}
            scratch.add({**sliced, "c": pa.array(c, pa.int8()), "other": None})
        assert list(Path(name).iterdir()) == []
        table = scratch.table()
        backwards = pa.array(range(len(rows) - 1, -1, -1), pa.int64())
        assert scratch.take(backwards, ["b"])["b"].to_pylist() == [r["b"] for r in rows[::-1]]
    assert table.to_pylist() == rows
    assert [column.num_chunks for column in table.columns] == [1] * 3


@given(st.sets(st.text(st.characters(codec="utf-8"), max_size=5)), st.text(max_size=5))
def test_places_are_those_of_a_sorted_list(words: set[str], word: str) -> None:
    order = sorted(words)
    column = Sorted(pa.chunked_array([order], pa.large_string()))
    assert column.place(word) == bisect_left(order, word)
    assert all(column.find(known) == at for at, known in enumerate(order))
    assert (column.find(word) >= 0) == (word in words)
