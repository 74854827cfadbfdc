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
    file, hint = Path(path), f"the first line names the columns: {','.join(columns)}"
    try:
        lines = StringIO(_decode(file.read_bytes()), newline="")
        yield from _read_rows(lines, file, columns, hint)
    except OSError as error:
        raise BadParameter(f"{file} cannot be read: {error.strerror}") from error
    except csv.Error as error:
        raise BadParameter(f"{file} is not a CSV file: {error}", hint=hint) from error


def read_csv_text(path: Path) -> str:
    """The text of a CSV file, in UTF-8 or else Latin-1 with the extra characters of Windows."""
    try:
        return _decode(path.read_bytes())
    except OSError as error:
        raise BadParameter(f"{path} cannot be read: {error.strerror}") from error


def parse_csv(text: str, name: str) -> dict[int, dict[str, str]]:
    r"""The rows of a CSV file with a header by line, with stripped cells by lower-case column.

    The quote that an export puts before what a spreadsheet would run is removed.
    `name` is for messages.

    Examples
    --------
    >>> parse_csv("Facet;Value\nmood;'=happy\n", "tags.csv")
    {2: {'facet': 'mood', 'value': '=happy'}}
    """
    lines = StringIO(text.removeprefix("\ufeff"), newline="")
    at, header = next(((k, line) for k, line in enumerate(lines, 1) if line.strip()), (0, ""))
    if not header:
        raise BadParameter(f"{name} is empty", hint="the first line names the columns")
    delimiter = max(DELIMITERS, key=header.count)
    try:
        names = [cell.strip().lower() for cell in next(csv.reader([header], delimiter=delimiter))]
        reader = csv.reader(lines, delimiter=delimiter)
        rows = [(at + reader.line_num, row) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        raise BadParameter(f"{name} is not a CSV file", hint=str(error)) from error
    return {
        line: {
            column: _unquote(cell.strip()) for column, cell in zip_longest(names, row, fillvalue="")
        }
        for line, row in rows
    }


def _unquote(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:2] in FORMULA_SIGNS else cell


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _read_rows(
    lines: Iterator[str], file: Path, columns: Sequence[str], hint: str
) -> Iterator[tuple[str, ...]]:
    header = next((line for line in lines if line.strip()), "")
    if not header:
        raise BadParameter(f"{file} is empty", hint=hint)
    names = list[str]()
    for delimiter in DELIMITERS:
        names = [name.strip().lower() for name in next(csv.reader([header], delimiter=delimiter))]
        if set(columns) <= set(names):
            break
    else:
        start = shorten(header, MAX_SHOWN_CHARS)
        wanted = join_with_and(list(columns))
        raise BadParameter(f"{file} has no columns {wanted} but {start!r}", hint=hint)
    places = [names.index(column) for column in columns]
    for row in csv.reader(lines, delimiter=delimiter):
        if any(cell.strip() for cell in row):
            yield tuple(row[k].strip() if k < len(row) else "" for k in places)
