"""Mapped tables, and looking words up in them."""

from bisect import bisect_left
from pathlib import Path

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from weft.store.mapped import Sorted, read_mapped, write_mapped


def test_a_table_comes_back(tmp_path: Path) -> None:
    table = pa.table({"a": pa.chunked_array([[1, 2], [3]])})
    write_mapped(table, tmp_path / "table.arrow")
    assert read_mapped(tmp_path / "table.arrow").to_pylist() == table.to_pylist()


def test_an_empty_table_comes_back(tmp_path: Path) -> None:
    write_mapped(pa.table({"a": pa.array([], pa.large_string())}), tmp_path / "table.arrow")
    found = Sorted(read_mapped(tmp_path / "table.arrow")["a"])
    assert (len(found), found.find("x"), found.place("x")) == (0, -1, 0)


@given(st.sets(st.text(st.characters(codec="utf-8"), max_size=5)), st.text(max_size=5))
def test_places_are_those_of_a_sorted_list(words: set[str], word: str) -> None:
    order = sorted(words)
    column = Sorted(pa.chunked_array([order], pa.large_string()))
    assert column.place(word) == bisect_left(order, word)
    assert all(column.find(known) == at for at, known in enumerate(order))
    assert (column.find(word) >= 0) == (word in words)
