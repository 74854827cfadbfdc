"""Columns of CSV files in the dialects that people write."""

from pathlib import Path

import pytest

from weft.core.csv_columns import parse_csv, read_csv_columns
from weft.core.errors import BadParameter


@pytest.mark.parametrize(
    "content",
    [
        "url,class\na,é\nb,y\n".encode(),
        "\ufeffURL , Class\r\na,é\r\n\r\nb,y".encode(),
        "class;x;url\né;;a\n y ;1;b\n".encode("latin-1"),
        'url\tclass\ra\té\rb\t"y"\r'.encode("cp1252"),
    ],
)
def test_dialects(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    assert list(read_csv_columns(path, ("url", "class"))) == [("a", "é"), ("b", "y")]


def test_a_line_separator_of_unicode_is_part_of_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("url,class\na\u2028b,x\nc\n", "utf-8")
    assert list(read_csv_columns(path, ("url", "class"))) == [("a\u2028b", "x"), ("c", "")]


@pytest.mark.parametrize(
    ("content", "message"),
    [("", "is empty"), ("a,b\n1,2\n", "has no columns url and class but 'a,b'")],
)
def test_a_file_without_the_columns(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(content)
    with pytest.raises(BadParameter, match=message) as refused:
        list(read_csv_columns(path, ("url", "class")))
    assert refused.value.hint == "the first line names the columns: url,class"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="No such file"):
        list(read_csv_columns(tmp_path / "none.csv", ("url",)))


def test_rows_are_records_whatever_separates_them() -> None:
    wanted = [{"name": "A, B", "prefix": "a.org"}, {"name": "C", "prefix": ""}]

    def records(text: str) -> list[dict[str, str]]:
        return list(parse_csv(text, "x.csv").values())

    assert records('\ufeffName,Prefix\n"A, B",a.org\n\nC\n') == wanted
    assert records("NAME;PREFIX\r\nA, B;a.org\r\nC;\r\n") == wanted
    assert records("name\n'quoted'\n'=1\n") == [{"name": "'quoted'"}, {"name": "=1"}]


def test_rows_have_the_line_that_an_editor_shows() -> None:
    """Empty lines count, and of a cell with line breaks the last line."""
    assert list(parse_csv('\nname\nA\n\n"B\nb"\n', "x.csv")) == [3, 6]


def test_an_empty_file_is_no_csv() -> None:
    with pytest.raises(BadParameter, match=r"x\.csv is empty"):
        parse_csv(" \n", "x.csv")
