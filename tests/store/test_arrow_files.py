"""Mapped tables and arrays: written, read back, checked, searched."""

from bisect import bisect_left
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import CSR
from weft.core.errors import MalformedFile
from weft.store import arrow_files
from weft.store.arrow_files import (
    NpyWriter,
    ScratchTable,
    SortedColumn,
    check_csr,
    map_arrow_file,
    map_checked_table,
    search_sorted,
    write_arrow_file,
)


def test_a_table_comes_back(tmp_path: Path) -> None:
    table = pa.table({"a": pa.chunked_array([[1, 2], [3]])})
    write_arrow_file(table, tmp_path / "table.arrow")
    assert map_arrow_file(tmp_path / "table.arrow").to_pylist() == table.to_pylist()


def test_an_empty_table_comes_back(tmp_path: Path) -> None:
    write_arrow_file(pa.table({"a": pa.array([], pa.large_string())}), tmp_path / "table.arrow")
    found = SortedColumn(map_arrow_file(tmp_path / "table.arrow")["a"])
    assert (len(found), found.find("x"), found.insertion_point("x")) == (0, -1, 0)


def test_values_appended_in_parts_are_one_array(tmp_path: Path) -> None:
    path = tmp_path / "numbers.npy"
    for parts in ([], [[1], [], [2, 3]], [[7] * 1_000] * 20):
        with NpyWriter(path, "<i4") as file:
            for part in parts:
                file.append(np.array(part, np.int64))
        assert np.load(path).tolist() == [number for part in parts for number in part]
        assert np.load(path).dtype == np.int32


words = st.text(st.characters(codec="utf-8"), max_size=5)
some_rows = st.lists(st.tuples(words, words, st.integers(-9, 9)), max_size=5)


@given(st.lists(some_rows, max_size=5))
def test_parts_become_one_table_in_unnamed_files(pieces: list[list[tuple[str, str, int]]]) -> None:
    kinds = {"a": pa.large_string(), "b": pa.string(), "c": pa.int8()}
    rows = [dict(zip(kinds, row, strict=True)) for piece in pieces for row in piece]
    with TemporaryDirectory() as name, ScratchTable(Path(name), pa.schema(kinds)) as scratch:
        for piece in pieces:
            a, b, c = zip(*piece, strict=True) if piece else ((), (), ())
            sliced = {"a": pa.array(["-", *a])[1:], "b": pa.array(["-", *b])[1:]}
            scratch.append({**sliced, "c": pa.array(c, pa.int8()), "other": None})
        assert list(Path(name).iterdir()) == []
        table = scratch.to_table()
        backwards = pa.array(range(len(rows) - 1, -1, -1), pa.int64())
        assert scratch.take(backwards, ["b"])["b"].to_pylist() == [r["b"] for r in rows[::-1]]
    assert table.to_pylist() == rows
    assert [column.num_chunks for column in table.columns] == [1] * 3


@given(st.sets(st.text(st.characters(codec="utf-8"), max_size=5)), st.text(max_size=5))
def test_positions_are_those_of_a_sorted_list(words: set[str], word: str) -> None:
    order = sorted(words)
    column = SortedColumn(pa.chunked_array([order], pa.large_string()))
    assert column.insertion_point(word) == bisect_left(order, word)
    assert all(column.find(known) == at for at, known in enumerate(order))
    assert (column.find(word) >= 0) == (word in words)


ROWS = CSR(np.array([0, 2, 2, 4]), np.array([1, 2, 0, 1], np.int32), np.array([1.0, 2, 3, 4]))


@given(st.sets(st.text(max_size=3)), st.lists(st.text(max_size=3)))
def test_keys_are_found_where_bisection_finds_them(words: set[str], keys: list[str]) -> None:
    known = sorted(words, key=str.encode)
    found = search_sorted(pa.array(known, pa.string()), pa.array(keys, pa.string()))
    encoded = [word.encode() for word in known]
    assert found.tolist() == [bisect_left(encoded, key.encode()) for key in keys]


def test_a_valid_csr_passes() -> None:
    check_csr("x_", ROWS, 3)
    check_csr("x_", CSR(np.array([0]), np.zeros(0, np.int32)), 0)


@pytest.mark.parametrize(
    ("part", "at", "value", "message"),
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
def test_an_invalid_csr_is_refused(
    part: str, at: int, value: float, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    invalid = getattr(ROWS, part).copy()
    invalid[at] = value
    for chunk in (1, 2, 1 << 20):
        monkeypatch.setattr(arrow_files, "CHUNK_VALUES", chunk)
        with pytest.raises(MalformedFile, match=message):
            check_csr("x_", ROWS._replace(**{part: invalid}), 3)


def test_there_are_as_many_rows_as_pages() -> None:
    check_csr("x_", ROWS, 3, row_count=3)
    with pytest.raises(MalformedFile, match="3 rows instead of 4"):
        check_csr("x_", ROWS, 4, row_count=4)


def test_parallel_links_may_repeat_an_id() -> None:
    twice = CSR(np.array([0, 2]), np.array([0, 0], np.int32))
    check_csr("x_", twice, 1, allow_parallel=True)
    with pytest.raises(MalformedFile, match="do not ascend"):
        check_csr("x_", twice, 1)


def test_all_values_of_a_table_are_checked(tmp_path: Path) -> None:
    schema = pa.schema({"word": pa.large_string()})
    write_arrow_file(pa.table({"word": ["a", "be"]}, schema), tmp_path / "t.arrow")
    assert map_checked_table(tmp_path / "t.arrow", schema)["word"].to_pylist() == ["a", "be"]
    with pytest.raises(MalformedFile, match="other columns"):
        map_checked_table(tmp_path / "t.arrow", pa.schema({"word": pa.string()}))
    write_arrow_file(pa.table({"word": ["a", None]}, schema), tmp_path / "t.arrow")
    with pytest.raises(MalformedFile, match="missing"):
        map_checked_table(tmp_path / "t.arrow", schema)
    raw = (tmp_path / "t.arrow").read_bytes()
    (tmp_path / "t.arrow").write_bytes(raw.replace(b"a", b"\xff"))
    with pytest.raises(MalformedFile, match=r"t\.arrow"):
        map_checked_table(tmp_path / "t.arrow", schema)
