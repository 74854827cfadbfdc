"""Tables as data frames, previews and safe CSV."""

import csv
import io
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.cli.output import Format, write_facts_csv, write_rows
from weft.core.tables import Tabular, flatten_for_csv, preview_html
from weft.core.text import CONTROL_CHARS
from weft.graph.formats import write_table
from weft.server.downloads import table_download

SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"
BEFORE = (" ", "\u3000", "\t", "\r\n", "\x1b", "\x9b")
HOSTILE = [*(f"{sign}cmd" for sign in SIGNS), *(f"{sign}=1" for sign in BEFORE), "\t1"]


class Counted(Tabular):
    """A result with a given number of rows."""

    def to_table(self, rows: int = 2, *, name: str = "n") -> pa.Table:
        """Numbers from zero."""
        return pa.table({name: list(range(rows))})


def test_frames_take_the_arguments_of_the_table() -> None:
    assert Counted().to_pandas()["n"].tolist() == [0, 1]
    assert Counted().to_pandas(3, name="m")["m"].tolist() == [0, 1, 2]
    assert Counted().to_polars(rows=3)["n"].to_list() == [0, 1, 2]
    assert Counted().to_polars(1, name="m").columns == ["m"]


def test_a_preview_has_the_first_rows() -> None:
    assert Counted()._repr_html_().count("<td") == 2
    assert preview_html("<many>", Counted().to_table(50)).count("<td") == 10


def write_all(capsys: pytest.CaptureFixture[str], folder: Path, cells: list[str]) -> dict[str, str]:
    """Write a table of the cells, the first also as a heading, with every CSV and TSV writer."""
    table = pa.table({"title": cells, cells[0]: [[cell] for cell in cells]})
    texts = dict[str, str]()
    for ending in ("csv", "tsv"):
        write_table(table, folder / f"pages.{ending}")
        texts[f"export {ending}"] = (folder / f"pages.{ending}").read_bytes().decode()
        file = table_download(table, folder / f"answer.{ending}", "rows")
        texts[f"answer {ending}"] = file.path.read_bytes().decode()
    write_rows(table, Format.csv)
    texts["rows csv"] = capsys.readouterr().out
    write_facts_csv([{"title": cell, cells[0]: cell} for cell in cells])
    texts["pairs csv"] = capsys.readouterr().out
    return texts


def test_no_writer_of_csv_lets_a_formula_or_a_control_character_through(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for writer, text in write_all(capsys, tmp_path, HOSTILE).items():
        lines = io.StringIO(text, newline="")
        rows = list(csv.reader(lines, delimiter="\t" if writer.endswith("tsv") else ","))
        assert len(rows) == 1 + len(HOSTILE), writer
        assert not CONTROL_CHARS.search("".join(cell for row in rows for cell in row)), writer
        assert all(cell.startswith("'") for row in rows[1:] for cell in row), writer
        assert rows[0] == ["title", "'=cmd"], writer


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=5))
def test_only_dangerous_cells_are_quoted(cell: str) -> None:
    text = flatten_for_csv(pa.table({"a": pa.array([cell])}))["a"][0].as_py()
    kept = CONTROL_CHARS.sub("", cell)
    danger = kept[:1] in {"\t", "\n"} or kept.strip()[:1] in set(SIGNS)
    assert text == (f"'{kept}" if danger else kept)
