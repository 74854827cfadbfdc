"""Read named columns of CSV files that people make: any delimiter, encoding and column order."""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import zip_longest
from os import PathLike
from pathlib import Path

from weft.core.errors import BadParameter
from weft.core.text import join_with_and, shorten

DELIMITERS = ",;\t"
HEADER_HINT = "the first line names the columns"
MAX_SHOWN_CHARS = 80
FORMULA_SIGNS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")


def read_csv_columns(
    path: str | PathLike[str], columns: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Read some columns of a CSV file with a header, a tuple of stripped cells a row.

    Other columns and empty lines are ignored, as is the case of column names;
    semicolons or tabs may separate the columns. A file that is not UTF-8 is
    read as Latin-1 with the extra characters of Windows.
    """
    file, hint = Path(path), f"{HEADER_HINT}: {','.join(columns)}"
    rows = _iter_rows(read_csv_text(file), str(file), hint)
    _, names = next(rows)
    if not set(columns) <= set(names):
        wanted, found = join_with_and(list(columns)), shorten(",".join(names), MAX_SHOWN_CHARS)
        raise BadParameter(f"{file} has no columns {wanted} but {found!r}", hint=hint)
    places = [names.index(column) for column in columns]
    for _, row in rows:
        yield tuple(row[k] if k < len(row) else "" for k in places)


def read_csv_text(path: Path) -> str:
    """The text of a CSV file, in UTF-8 or else Latin-1 with the extra characters of Windows."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadParameter(f"{path} cannot be read: {error.strerror}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def parse_csv(text: str, name: str) -> dict[int, dict[str, str]]:
    r"""The rows of a CSV file with a header by line, with stripped cells by lower-case column.

    The quote that an export puts before what a spreadsheet would run is removed.
    `name` is for messages.

    Examples
    --------
    >>> parse_csv("Facet;Value\nmood;'=happy\n", "tags.csv")
    {2: {'facet': 'mood', 'value': '=happy'}}
    """
    rows = _iter_rows(text, name, HEADER_HINT)
    _, names = next(rows)
    return {
        line: {column: _unquote(cell) for column, cell in zip_longest(names, row, fillvalue="")}
        for line, row in rows
    }


def _iter_rows(text: str, name: str, hint: str) -> Iterator[tuple[int, list[str]]]:
    """The names of the columns, then each row that is not empty, with their lines."""
    lines = StringIO(text.removeprefix("\ufeff"), newline="")
    at, header = next(((k, line) for k, line in enumerate(lines, 1) if line.strip()), (0, ""))
    if not header:
        raise BadParameter(f"{name} is empty", hint=hint)
    delimiter = max(DELIMITERS, key=header.count)
    try:
        [names] = csv.reader([header], delimiter=delimiter)
        yield at, [cell.strip().lower() for cell in names]
        reader = csv.reader(lines, delimiter=delimiter)
        for row in reader:
            if any(cells := [cell.strip() for cell in row]):
                yield at + reader.line_num, cells
    except csv.Error as error:
        raise BadParameter(f"{name} is not a CSV file: {error}", hint=hint) from error


def _unquote(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:2] in FORMULA_SIGNS else cell
