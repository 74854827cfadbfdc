"""A table as data frames, with the words that the table takes."""

import pyarrow as pa

from weft.core.tabular import Tabular, first_rows


class Counted(Tabular):
    """A result of so many rows."""

    def to_table(self, rows: int = 2, *, name: str = "n") -> pa.Table:
        """Numbers from nought."""
        return pa.table({name: list(range(rows))})


def test_frames_take_what_the_table_takes() -> None:
    assert Counted().to_pandas()["n"].tolist() == [0, 1]
    assert Counted().to_pandas(3, name="m")["m"].tolist() == [0, 1, 2]
    assert Counted().to_polars(rows=3)["n"].to_list() == [0, 1, 2]
    assert Counted().to_polars(1, name="m").columns == ["m"]


def test_a_card_has_the_first_rows() -> None:
    assert Counted()._repr_html_().count("<td>") == 2
    assert first_rows("<many>", Counted().to_table(50)).count("<td>") == 10
