"""Read text in blocks of lines and cells, whatever its compression, encoding or line ends."""

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from weft.gather.page import Problems
from weft.gather.salvage import detect_codec

MAX_BLOCK_BYTES, MAX_BLOCK_ROWS = 16 << 20, 1 << 19
READ_BYTES = 1 << 16
MIN_SWALLOWED_LINES = 20
TRUNCATED_COMPRESSION = "truncated compressed files"
BAD_ROWS = "bad rows in an edge list"
DICTIONARY_TYPE = pa.dictionary(pa.int32(), pa.string())

COMMENT_LINE = re.compile(rb"^[ \t]*(?:#.*|%(?:[% \t].*)?)$", re.MULTILINE)
QUOTED_CELL = r'^"(.*)"$'

codecs.register_error(
    "weft.latin1",
    lambda e: (e.object[e.start : e.end].decode("latin-1"), e.end),  # type: ignore[attr-defined]
)


class TextBlock(NamedTuple):
    """Complete lines of a file in UTF-8, and the number of the first."""

    text: bytes
    first_line: int


@dataclass(frozen=True, slots=True, eq=False)
class ParsedRows:
    """The rows of a block with the right number of cells, and the numbers of the others.

    `bad_rows` counts from 1 within the block.
    """

    table: pa.Table
    first_line: int
    bad_rows: Sequence[int]
    has_multiline_bad_row: bool = False

    def line_numbers(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The line number of each table row; too low after a line break inside quotes."""
        all_rows = np.arange(len(self.table) + len(self.bad_rows))
        good_rows = np.delete(all_rows, np.array(self.bad_rows, int) - 1)
        return good_rows[rows] + self.first_line

    @property
    def bad_lines(self) -> list[int]:
        """The line numbers of the bad rows."""
        return [self.first_line + row - 1 for row in self.bad_rows]

    def map_columns(self, *mappings: Callable[[Any], Any]) -> "ParsedRows":
        """The same rows with the first columns mapped; a mapping gets each distinct text once."""
        table = self.table
        for k, mapping in enumerate(mappings):
            encoded = as_dictionary_array(table.column(k))
            column = pa.DictionaryArray.from_arrays(encoded.indices, mapping(encoded.dictionary))
            table = table.set_column(k, table.column_names[k], column)
        return ParsedRows(table, self.first_line, self.bad_rows)


def open_decompressed_stream(path: Path) -> Any:
    """Open a file as an Arrow stream, decompressed if it is compressed."""
    with path.open("rb") as file:
        compression = detect_codec(file.read(4))
    return pa.input_stream(str(path), compression=compression or None)


def read_blocks(
    path: Path, problems: Problems, *, quoted: bool = False, separators: bytes = b"\n"
) -> Iterator[TextBlock]:
    """The text of a file in blocks of complete lines, outside quotes if `quoted`.

    Where there is no line end, any of the `separators` ends a block. A block
    has a limit of bytes, and one of rows, since short rows take far more memory
    than their bytes. A line longer than a block becomes NUL and its end, a bad
    row. Truncated compression ends at the last complete line.
    """
    buffer, line, rows = bytearray(), 1, 0
    with open_decompressed_stream(path) as stream:
        try:
            for piece in _read_chunks_as_utf8(stream):
                buffer += piece
                rows += piece.count(b"\n")
                if len(buffer) < MAX_BLOCK_BYTES and rows < MAX_BLOCK_ROWS:
                    continue
                if cut := _last_complete_line_end(buffer, quoted=quoted, separators=separators):
                    yield TextBlock(_to_utf8(buffer[:cut], is_file_start=line == 1), line)
                    line += buffer.count(b"\n", 0, cut)
                    del buffer[:cut]
                    rows = buffer.count(b"\n")
                else:
                    buffer[:] = b'"\0' if quoted and buffer.count(b'"') % 2 else b"\0"
        except OSError:
            problems.add(TRUNCATED_COMPRESSION, str(path))
            del buffer[_last_complete_line_end(buffer, quoted=False, separators=separators) :]
    if buffer:
        buffer += b"" if buffer.endswith(b"\n") else b"\n"
        yield TextBlock(_to_utf8(buffer, is_file_start=line == 1), line)


def _read_chunks_as_utf8(stream: Any) -> Iterator[bytes]:
    """The bytes of a stream in pieces; UTF-16 by its byte order mark becomes UTF-8."""
    piece = stream.read(READ_BYTES)
    is_utf16 = piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    while piece:
        yield decoder.decode(piece).encode() if is_utf16 else piece
        piece = stream.read(READ_BYTES)


def _last_complete_line_end(buffer: bytearray, *, quoted: bool, separators: bytes = b"\n") -> int:
    """The end of the last complete line; inside an open quote, of the last line before it."""
    cut = _last_separator_end(buffer, separators, len(buffer))
    if quoted and buffer.count(b'"', 0, cut) % 2:
        return _last_separator_end(buffer, separators, buffer.rfind(b'"', 0, cut)) or cut
    return cut


def _last_separator_end(buffer: bytearray, separators: bytes, end: int) -> int:
    """The position after the last line end before `end`, or else after the last separator."""
    cut = buffer.rfind(b"\n", 0, end) + 1
    return cut or max(buffer.rfind(byte, 0, end) + 1 for byte in separators)


def _to_utf8(text: bytearray, *, is_file_start: bool) -> bytes:
    """The text in UTF-8 with line ends as LF, without byte order mark.

    Invalid bytes are read as Latin-1.
    """
    if is_file_start and text.startswith(codecs.BOM_UTF8):
        del text[:3]
    valid = bytes(text) if text.isascii() else text.decode("utf-8", "weft.latin1").encode()
    return valid.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def collapse_spaces(text: bytes) -> bytes:
    """The text with tabs and runs of spaces as one space, and none around lines."""
    chars = np.frombuffer(text.replace(b"\t", b" "), np.uint8)
    # Drop spaces after a space or at the start of a line.
    is_space = chars == ord(" ")
    follows_space = np.concatenate([[True], (is_space | (chars == ord("\n")))[:-1]])
    chars = chars[~(is_space & follows_space)]
    # Drop the space that is left at the end of a line.
    is_line_end = np.concatenate([chars[1:] == ord("\n"), [True]])
    return bytes(chars[~((chars == ord(" ")) & is_line_end)])


def blank_comments(text: bytes) -> bytes:
    """The text with comment lines blanked; `%` before a letter or digit is part of a name (%C3)."""
    return COMMENT_LINE.sub(b"", text) if b"#" in text or b"%" in text else text


def parse_rows(
    block: TextBlock, width: int, columns: Sequence[int], delimiter: str, *, quoted: bool
) -> ParsedRows:
    """Parse the cells of some columns of a block, dictionary-encoded.

    If a stray quote swallows rows, the block is parsed again with quotes as
    plain characters, so that the rows after it are not lost.
    """
    if not block.text.strip():
        return ParsedRows(_empty_table(columns), block.first_line, [])
    rows = _parse_csv(block, width, columns, delimiter, quoted=quoted)
    if not quoted or block.text.count(b"\n") == len(rows.table) + len(rows.bad_rows):
        return rows
    all_columns = _parse_csv(block, width, range(width), delimiter, quoted=True)
    if not _has_swallowed_rows(all_columns, columns):
        return rows
    rows = _parse_csv(block, width, columns, delimiter, quoted=False)
    unquoted = [_strip_quotes(column) for column in rows.table.columns]
    return ParsedRows(pa.table(unquoted, rows.table.column_names), rows.first_line, rows.bad_rows)


def _parse_csv(
    block: TextBlock, width: int, columns: Sequence[int], delimiter: str, *, quoted: bool
) -> ParsedRows:
    bad_rows: list[int] = []
    multiline_bad_rows: list[int] = []

    def skip_bad_row(row: Any) -> str:
        bad_rows.append(row.number)
        if "\n" in row.text:
            multiline_bad_rows.append(row.number)
        return "skip"

    names = [str(column) for column in range(width)]
    wanted = [names[column] for column in columns]
    table = csv.read_csv(
        pa.BufferReader(block.text),
        csv.ReadOptions(use_threads=False, block_size=len(block.text) + 1, column_names=names),
        csv.ParseOptions(
            delimiter=delimiter,
            quote_char='"' if quoted else False,
            newlines_in_values=quoted,
            ignore_empty_lines=False,
            invalid_row_handler=skip_bad_row,
        ),
        csv.ConvertOptions(
            column_types=dict.fromkeys(wanted, DICTIONARY_TYPE),
            include_columns=wanted,
            null_values=[],
        ),
    )
    return ParsedRows(table, block.first_line, bad_rows, bool(multiline_bad_rows))


def _has_swallowed_rows(rows: ParsedRows, columns: Sequence[int]) -> bool:
    """Whether a quoted cell looks like rows: a line break in a name, or many in any cell.

    A bad row over several lines may have swallowed others as well.
    """
    for k, column in enumerate(rows.table.columns):
        texts = pc.utf8_trim_whitespace(as_dictionary_array(column).dictionary)
        line_breaks = pc.max(pc.count_substring(texts, "\n")).as_py() or 0
        if line_breaks >= (1 if k in columns[:2] else MIN_SWALLOWED_LINES):
            return True
    return rows.has_multiline_bad_row


def as_dictionary_array(column: Any) -> Any:
    """A column as one dictionary array."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if len(column) else pa.array([], column.type)
    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def _strip_quotes(column: Any) -> Any:
    encoded = as_dictionary_array(column)
    texts = pc.replace_substring_regex(encoded.dictionary, QUOTED_CELL, r"\1")
    return pa.DictionaryArray.from_arrays(encoded.indices, texts)


def _empty_table(columns: Sequence[int]) -> pa.Table:
    return pa.schema([(str(column), DICTIONARY_TYPE) for column in columns]).empty_table()
