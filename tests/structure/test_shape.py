"""What the methods of structure return."""

import pyarrow as pa
import pytest

from weft.core.errors import UnknownName
from weft.structure.shape import Shape, Tables

BOTH = Shape(
    "counts",
    {"pages": 12_000, "share": 0.25, "a core": False, "largest": None},
    {"sizes": pa.table({"size": [1, 2]}), "others": pa.table({"x": [3]})},
    notes=("a tenth was looked at",),
)


def test_it_prints_as_one_line_of_facts() -> None:
    assert repr(BOTH) == "<counts: pages 12,000, share 0.25, a core no, largest not known>"


def test_tables_by_name_the_first_being_the_main_one() -> None:
    assert BOTH.to_table().column_names == ["size"]
    assert BOTH.to_pandas("others")["x"].tolist() == [3]
    assert BOTH.to_polars()["size"].to_list() == [1, 2]


def test_facts_by_name() -> None:
    assert BOTH["pages"] == 12_000


def test_an_unknown_name_is_told_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="no table"):
        BOTH.to_table("size")
    with pytest.raises(UnknownName, match="no fact"):
        BOTH["shar"]


def test_a_card_has_the_notes_too() -> None:
    assert "a tenth was looked at" in BOTH._repr_html_()


def test_a_long_table_is_made_when_it_is_looked_at() -> None:
    made: list[int] = []

    def make() -> pa.Table:
        made.append(1)
        return pa.table({"x": [3]})

    shape = Shape("counts", {}, Tables(sizes=pa.table({"size": [1]}), others=make))
    assert (list(shape.tables), len(shape.tables)) == (["sizes", "others"], 2)
    assert shape.to_table().column_names == ["size"]
    assert not made
    assert [shape.to_table("others")["x"].to_pylist() for _ in range(2)] == [[3], [3]]
    assert made == [1]
