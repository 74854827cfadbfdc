"""Mapped tables, and looking words up in them."""

from bisect import bisect_left
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Rows
from weft.core.errors import Malformed
from weft.store import mapped
from weft.store.mapped import (
    Growing,
    Scratch,
    Sorted,
    check_rows,
    read_checked,
    read_mapped,
    write_mapped,
)


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


ROWS = Rows(np.array([0, 2, 2, 4]), np.array([1, 2, 0, 1], np.int32), np.array([1.0, 2, 3, 4]))


def test_rows_that_lead_to_pages_pass() -> None:
    check_rows("x_", ROWS, 3)
    check_rows("x_", Rows(np.array([0]), np.zeros(0, np.int32)), 0)


@pytest.mark.parametrize(
    ("part", "at", "value", "told"),
    [
        ("starts", 0, 1, "x_starts"),
        ("starts", 1, 5, "x_starts"),
        ("starts", 2, 1, "x_starts"),
        ("starts", 3, 3, "x_starts"),
        ("ids", 1, 3, "x_ids"),
        ("ids", 2, -1, "x_ids"),
        ("ids", 0, 2, "do not ascend"),
        ("weights", 2, np.nan, "x_weights"),
        ("weights", 2, np.inf, "x_weights"),
        ("weights", 2, 0.0, "x_weights"),
    ],
)
def test_rows_that_lead_elsewhere_are_refused(
    part: str, at: int, value: float, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    worse = getattr(ROWS, part).copy()
    worse[at] = value
    for piece in (1, 2, 1 << 20):
        monkeypatch.setattr(mapped, "PIECE", piece)
        with pytest.raises(Malformed, match=told):
            check_rows("x_", ROWS._replace(**{part: worse}), 3)


def test_there_are_as_many_rows_as_pages() -> None:
    check_rows("x_", ROWS, 3, count=3)
    with pytest.raises(Malformed, match="3 rows instead of 4"):
        check_rows("x_", ROWS, 4, count=4)


def test_parallel_links_may_repeat_an_id() -> None:
    twice = Rows(np.array([0, 2]), np.array([0, 0], np.int32))
    check_rows("x_", twice, 1, parallel=True)
    with pytest.raises(Malformed, match="do not ascend"):
        check_rows("x_", twice, 1)


def test_a_table_is_checked_to_its_last_letter(tmp_path: Path) -> None:
    schema = pa.schema({"word": pa.large_string()})
    write_mapped(pa.table({"word": ["a", "be"]}, schema), tmp_path / "t.arrow")
    assert read_checked(tmp_path / "t.arrow", schema)["word"].to_pylist() == ["a", "be"]
    with pytest.raises(Malformed, match="other columns"):
        read_checked(tmp_path / "t.arrow", pa.schema({"word": pa.string()}))
    write_mapped(pa.table({"word": ["a", None]}, schema), tmp_path / "t.arrow")
    with pytest.raises(Malformed, match="missing"):
        read_checked(tmp_path / "t.arrow", schema)
    raw = (tmp_path / "t.arrow").read_bytes()
    (tmp_path / "t.arrow").write_bytes(raw.replace(b"a", b"\xff"))
    with pytest.raises(Malformed, match=r"t\.arrow"):
        read_checked(tmp_path / "t.arrow", schema)
