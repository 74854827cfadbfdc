"""Text in rows and cells: whatever its compression, encoding or line ends, read in blocks."""

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

from weft.gather.damage import codec
from weft.gather.page import Problems

BLOCK, ROWS = 16 << 20, 1 << 19
PIECE = 1 << 16
SWALLOWED = 20
CLIPPED = "compressed files that break off"
BAD_ROWS = "bad rows in an edge list"
TOKENS = pa.dictionary(pa.int32(), pa.string())

COMMENT = re.compile(rb"^[ \t]*(?:#.*|%(?:[% \t].*)?)$", re.MULTILINE)
ENCLOSED = r'^"(.*)"$'

codecs.register_error(
    "weft.latin1",
    lambda e: (e.object[e.start : e.end].decode("latin-1"), e.end),  # type: ignore[attr-defined]
)


class Block(NamedTuple):
    """Whole lines of a file, in UTF-8, and the number of the first."""

    text: bytes
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The rows of a block that have as many cells as they should, and the numbers of the others.

    It is torn if one of the others goes over several lines.
    """

    table: pa.Table
    line: int
    broken: Sequence[int]
    torn: bool = False

    def lines(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The line of each row; a line break inside quotes makes later rows seem earlier."""
        every = np.arange(len(self.table) + len(self.broken))
        return np.delete(every, np.array(self.broken, int) - 1)[rows] + self.line

    @property
    def breaks(self) -> list[int]:
        """The lines of the rows that are not in the table."""
        return [self.line + row - 1 for row in self.broken]

    def renamed(self, *renames: Callable[[Any], Any]) -> "Grid":
        """The same rows with other names in the first columns; each text is asked for once."""
        table = self.table
        for k, rename in enumerate(renames):
            tokens = whole(table.column(k))
            column = pa.DictionaryArray.from_arrays(tokens.indices, rename(tokens.dictionary))
            table = table.set_column(k, table.column_names[k], column)
        return Grid(table, self.line, self.broken)


def plain(path: Path) -> Any:
    """Open a file for reading, through its compression if its first bytes tell of one."""
    with path.open("rb") as file:
        compression = codec(file.read(4))
    return pa.input_stream(str(path), compression=compression or None)


def blocks(
    path: Path, problems: Problems, *, quoted: bool = False, apart: bytes = b"\n"
) -> Iterator[Block]:
    """The text of a file in blocks of whole lines, with one kind of line end.

    Where there is no line end, any sign of `apart` ends a block.
    """
    for text, line in _blocks(path, problems, "utf-8", quoted=quoted, apart=apart):
        one = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text
        yield Block(one, line)


def _blocks(
    path: Path, problems: Problems, encoding: str, *, quoted: bool, apart: bytes = b"\n"
) -> Iterator[Block]:
    """Cut a file into blocks of whole lines, outside quotes where these matter.

    A block has a limit of bytes, and one of rows, since short rows take far more
    memory than they are long. A line that outgrows a block leaves a NUL and its
    end, which no reader takes for a name. Where the compression breaks off, so
    does the last whole line.
    """
    held, line, rows = bytearray(), 1, 0
    with plain(path) as stream:
        try:
            for piece in _pieces(stream):
                held += piece
                rows += piece.count(b"\n")
                if len(held) < BLOCK and rows < ROWS:
                    continue
                if cut := _boundary(held, quoted=quoted, apart=apart):
                    yield Block(_utf8(held[:cut], encoding, first=line == 1), line)
                    line += held.count(b"\n", 0, cut)
                    del held[:cut]
                    rows = held.count(b"\n")
                else:
                    held[:] = b'"\0' if quoted and held.count(b'"') % 2 else b"\0"
        except OSError:
            problems.tell(CLIPPED, str(path))
            del held[_boundary(held, quoted=False, apart=apart) :]
    if held:
        held += b"" if held.endswith(b"\n") else b"\n"
        yield Block(_utf8(held, encoding, first=line == 1), line)


def lines(path: Path, problems: Problems, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, stripped; empty ones are left out."""
    for block in _blocks(path, problems, encoding, quoted=False):
        for number, text in enumerate(block.text.split(b"\n"), block.line):
            if word := text.decode().strip():
                yield number, word


def _pieces(stream: Any) -> Iterator[bytes]:
    piece = stream.read(PIECE)
    wide = piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    while piece:
        yield decoder.decode(piece).encode() if wide else piece
        piece = stream.read(PIECE)


def _boundary(held: bytearray, *, quoted: bool, apart: bytes = b"\n") -> int:
    """Where the last whole line ends; inside an open quote, the last line before it."""
    cut = _last(held, apart, len(held))
    if quoted and held.count(b'"', 0, cut) % 2:
        return _last(held, apart, held.rfind(b'"', 0, cut)) or cut
    return cut


def _last(held: bytearray, apart: bytes, end: int) -> int:
    """Behind the last line end before some place, or else behind the last sign of `apart`."""
    cut = held.rfind(b"\n", 0, end) + 1
    return cut or max(held.rfind(sign, 0, end) + 1 for sign in apart)


def _utf8(text: bytearray, encoding: str, *, first: bool) -> bytes:
    """The text in UTF-8, without its byte order mark; stray bytes are read as Latin-1."""
    if first and text.startswith(codecs.BOM_UTF8):
        del text[:3]
    if encoding == "utf-8" and text.isascii():
        return bytes(text)
    return text.decode(encoding, "weft.latin1").encode()


def spaced(text: bytes) -> bytes:
    """The text with one space between words and none around lines."""
    signs = np.frombuffer(text.replace(b"\t", b" "), np.uint8)
    space = signs == ord(" ")
    edge = np.concatenate([[True], (space | (signs == ord("\n")))[:-1]])
    signs = signs[~(space & edge)]
    last = np.concatenate([signs[1:] == ord("\n"), [True]])
    return bytes(signs[~((signs == ord(" ")) & last)])


def uncommented(text: bytes) -> bytes:
    """The text with its comments emptied; a name may start with an escape such as %C3."""
    return COMMENT.sub(b"", text) if b"#" in text or b"%" in text else text


def grid(block: Block, width: int, wanted: Sequence[int], delimiter: str, *, quoted: bool) -> Grid:
    """Split a block into cells and keep the wanted columns, each distinct text once.

    A block in which a quote swallows rows is read once more with quotes as plain
    characters, so that what follows a stray quote is not lost.
    """
    if not block.text.strip():
        return Grid(_nothing(wanted), block.line, [])
    found = _split(block, width, wanted, delimiter, quoted=quoted)
    if not quoted or block.text.count(b"\n") == len(found.table) + len(found.broken):
        return found
    every = _split(block, width, range(width), delimiter, quoted=True)
    if not _swallows(every, wanted):
        return found
    found = _split(block, width, wanted, delimiter, quoted=False)
    bare = [_bare(column) for column in found.table.columns]
    return Grid(pa.table(bare, found.table.column_names), found.line, found.broken)


def _split(
    block: Block, width: int, wanted: Sequence[int], delimiter: str, *, quoted: bool
) -> Grid:
    broken: list[int] = []
    torn: list[int] = []

    def skip(row: Any) -> str:
        broken.append(row.number)
        if "\n" in row.text:
            torn.append(row.number)
        return "skip"

    names = [str(column) for column in range(width)]
    picked = [names[column] for column in wanted]
    table = csv.read_csv(
        pa.BufferReader(block.text),
        csv.ReadOptions(use_threads=False, block_size=len(block.text) + 1, column_names=names),
        csv.ParseOptions(
            delimiter=delimiter,
            quote_char='"' if quoted else False,
            newlines_in_values=quoted,
            ignore_empty_lines=False,
            invalid_row_handler=skip,
        ),
        csv.ConvertOptions(
            column_types=dict.fromkeys(picked, TOKENS),
            include_columns=picked,
            null_values=[],
        ),
    )
    return Grid(table, block.line, broken, bool(torn))


def _swallows(rows: Grid, wanted: Sequence[int]) -> bool:
    """Whether a cell holds what looks like rows: a line break in a name, or many anywhere.

    A row that is broken and goes over several lines may have swallowed others as well.
    """
    for k, column in enumerate(rows.table.columns):
        texts = pc.utf8_trim_whitespace(whole(column).dictionary)
        most = pc.max(pc.count_substring(texts, "\n")).as_py() or 0
        if most >= (1 if k in wanted[:2] else SWALLOWED):
            return True
    return rows.torn


def whole(column: Any) -> Any:
    """A column as one dictionary array."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if len(column) else pa.array([], column.type)
    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def _bare(column: Any) -> Any:
    tokens = whole(column)
    texts = pc.replace_substring_regex(tokens.dictionary, ENCLOSED, r"\1")
    return pa.DictionaryArray.from_arrays(tokens.indices, texts)


def _nothing(columns: Sequence[int]) -> pa.Table:
    return pa.schema([(str(column), TOKENS) for column in columns]).empty_table()
