"""Readers of edge lists: one link a row, by a header, by position, or in Parquet."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from weft.core.arrays import Offsets
from weft.core.errors import WeftError
from weft.gather import cells
from weft.gather.cells import Block, Grid
from weft.gather.linktable import NUMBER, UNKNOWN, clean, named, parts, tell_rows
from weft.gather.page import Edges, Problems

BATCH, STREAM = 1 << 18, 1 << 20
TEXTS = (pa.string(), pa.large_string())
SAMPLE = 100
BROKEN = "Parquet files that cannot be read to their end"
PACKED, PACKING = "links url", "@@"
SOURCES = ("source", "source url", "src", "from")
TARGETS = ("destination", "destination url", "target", "target url", "dst", "to")
ANCHORS = ("anchor", "anchor text")
NAMED = re.compile(r"https?://\S+|-?\d[\d.eE+-]*")
PREAMBLE = re.compile(r"(?:[ \t]*(?:#.*)?\n)*")


class Columns(NamedTuple):
    """Where the cells of a link stand in a row; None where the file has no such column."""

    source: int
    target: int
    weight: int | None = None
    anchor: int | None = None
    packed: bool = False

    @property
    def wanted(self) -> list[int]:
        """The columns to read, source and target first."""
        return [column for column in self[:4] if column is not None]


class Header(NamedTuple):
    """The first row of a table, its delimiter, and the number of lines before it and the second."""

    words: list[str]
    delimiter: str
    before: int
    lines: int


def find_columns(header: Sequence[str]) -> Columns | None:
    """Find the columns of a link by the words of a header, whatever their case.

    Screaming Frog's exports have both Destination and Target, the second being
    an attribute of the link; advertools packs the links of a page into one cell.

    Examples
    --------
    >>> find_columns(["Type", "Source", "Destination", "Anchor", "Target"])
    Columns(source=1, target=2, weight=None, anchor=3, packed=False)
    """
    words = [word.strip().lower().replace("_", " ") for word in header]

    def first(*known: str) -> int | None:
        return next((words.index(word) for word in known if word in words), None)

    packed = PACKED in words and "url" in words
    source = first("url") if packed else first(*SOURCES)
    target = first(PACKED) if packed else first(*TARGETS)
    if source is None or target is None:
        return None
    anchor = first("links text") if packed else first(*ANCHORS)
    return Columns(source, target, first("weight"), anchor, packed)


def read_header(text: str) -> Header:
    """Read the header of a table by the delimiter that makes sense of it; comments may precede."""
    preamble = PREAMBLE.match(text)
    start = preamble.end() if preamble else 0
    before = text.count("\n", 0, start)
    best = Header([], ",", before, before)
    for delimiter in ",\t;":
        reader = csv.reader(text[start:].splitlines(keepends=True), delimiter=delimiter)
        words = next(reader, [])
        found = Header(words, delimiter, before, before + reader.line_num)
        if find_columns(words):
            return found
        best = max(best, found, key=lambda one: len(one.words))
    return best


def find_places(text: str, header: Header) -> Columns | None:
    r"""The columns of a table whose first row is a link already: source, target, perhaps weight.

    It is one if its names are numbers or addresses, or if one of them is a name
    of other rows, too; no header is.

    Examples
    --------
    >>> find_places("0,1\n0,2\n", read_header("0,1\n0,2\n"))
    Columns(source=0, target=1, weight=None, anchor=None, packed=False)
    """
    first = [word.strip() for word in header.words]
    weighted = len(first) == 3
    if not (weighted or len(first) == 2) or not all(first[:2]):
        return None
    if weighted and first[2] and not re.match(NUMBER, first[2]):
        return None
    lines = text.splitlines(keepends=True)[header.lines : header.lines + SAMPLE]
    others = (row[:2] for row in csv.reader(lines, delimiter=header.delimiter))
    names = {name.strip() for row in others for name in row}
    if not all(map(NAMED.fullmatch, first[:2])) and names.isdisjoint(first[:2]):
        return None
    return Columns(0, 1, 2 if weighted else None)


def read_csv(path: Path, origin: str, problems: Problems) -> Iterator[Edges]:
    """Links from a table, separated by commas, tabs or semicolons; it may have no header."""
    header = None
    for block in cells.blocks(path, problems, quoted=True):
        text, line = block
        if header is None:
            head = text[: cells.PIECE].decode(errors="replace")
            header = read_header(head)
            if not header.words:
                return
            placed = None if find_columns(header.words) else find_places(head, header)
            columns, skipped = placed or _checked(path, header.words), header.lines
            if placed:
                skipped = header.before
            text, line = text.split(b"\n", skipped)[-1], line + skipped
        rows, width = Block(text, line), len(header.words)
        grid = cells.grid(rows, width, columns.wanted, header.delimiter, quoted=True)
        yield from linked(grid, columns, path, origin, problems)


def read_snap(path: Path, origin: str, problems: Problems) -> Iterator[Edges]:
    """Links from pairs of names, or triples with a weight; `#` and `%` start comments."""
    for grid in read_pairs(path, problems):
        columns = Columns(0, 1, 2 if grid.table.num_columns == 3 else None)
        yield from linked(grid, columns, path, origin, problems)


def read_parquet(path: Path, origin: str, problems: Problems) -> Iterator[Edges]:
    """Links from the columns source and target of a Parquet file, with weight and anchor."""
    row = 1
    for table in _tables(path, problems):
        columns = _checked(path, table.column_names)
        found = {str(k): _texts(path, table, k, columns) for k in columns.wanted}
        yield from linked(Grid(pa.table(found), row, []), columns, path, origin, problems)
        row += len(table)


def linked(
    grid: Grid, columns: Columns, path: Path, origin: str, problems: Problems
) -> Iterator[Edges]:
    """The good links of a grid; its bad rows are told."""
    found = [None if k is None else grid.table[str(k)] for k in columns[:4]]
    if not columns.packed:
        table, bad = clean(*found)
    else:
        pages, _ = clean(found[0], found[0])
        yield from parts(origin, nodes=named(_strings(pages["source"]).unique()))
        unpacked, rows = _unpacked(*found)
        table, bad = clean(*unpacked)
        bad = np.unique(rows[bad])
    tell_rows(problems, path, sorted([*grid.breaks, *grid.lines(bad).tolist()]))
    yield from parts(origin, table)


def shape(lines: Sequence[bytes]) -> Counter[tuple[str, int]]:
    r"""How many lines have which delimiter (tab or any space) and how many cells.

    Examples
    --------
    >>> shape([b"1\t2", b"New York\tRome"])
    Counter({('\t', 2): 2})
    """
    tabs = Counter(("\t", line.count(b"\t") + 1) for line in lines if b"\t\t" not in line.strip())
    if tabs and max(tabs, key=tabs.__getitem__)[1] in (2, 3):
        return tabs
    return Counter((" ", len(line.split())) for line in lines)


def read_pairs(path: Path, problems: Problems) -> Iterator[Grid]:
    """The cells of a list without header, two or three a row as most of its first rows have."""
    delimiter, width = "", 0
    for block in cells.blocks(path, problems):
        text = cells.uncommented(block.text)
        if not delimiter:
            first = [line for line in text[: cells.PIECE].split(b"\n") if line.strip()][:SAMPLE]
            if not first:
                continue
            [((delimiter, width), _)] = shape(first).most_common(1)
            if find_columns(first[0].decode(errors="replace").split()):
                text = text.replace(first[0], b"", 1)
        text = cells.spaced(text) if delimiter == " " else text
        width = min(max(width, 2), 3)
        yield cells.grid(Block(text, block.line), width, range(width), delimiter, quoted=False)


def _checked(path: Path, header: Sequence[str]) -> Columns:
    columns = find_columns(header)
    if columns is None:
        known = ", ".join(word.strip()[:40] for word in header[:20])
        raise WeftError(
            f"{path} has no columns of sources and targets, only {known}",
            hint="call the two columns source and target in the first row",
        )
    return columns


def _unpacked(source: Any, target: Any, weight: Any, anchor: Any) -> tuple[list[Any], Offsets]:
    """One row for each link of a packed cell, and the row it comes from; an empty cell has none."""
    texts = _strings(target)
    filled = np.flatnonzero(pc.not_equal(texts, ""))
    targets = pc.split_pattern(texts.take(filled), PACKING)
    rows = filled[pc.list_parent_indices(targets).to_numpy()]
    if anchor is not None:
        words, counts = _strings(anchor).take(filled), pc.list_value_length(targets)
        paired = pc.equal(pc.list_value_length(pc.split_pattern(words, PACKING)), counts)
        blanks = pc.binary_repeat(PACKING, pc.subtract(counts, 1))
        anchor = pc.list_flatten(pc.split_pattern(pc.if_else(paired, words, blanks), PACKING))
    weight = None if weight is None else weight.take(rows)
    return [source.take(rows), pc.list_flatten(targets), weight, anchor], rows


def _strings(column: Any) -> Any:
    return column.cast(pa.string()).combine_chunks()


def _tables(path: Path, problems: Problems) -> Iterator[pa.Table]:
    """The rows of a Parquet file, some at a time, as far as it can be read."""
    try:
        schema = pq.read_schema(path)
        names = [schema.names[k] for k in _checked(path, schema.names).wanted]
        texts = [name for name in names if schema.field(name).type in TEXTS]
        with pq.ParquetFile(path, read_dictionary=texts, buffer_size=STREAM) as file:
            for batch in file.iter_batches(BATCH, columns=names):
                yield pa.Table.from_batches([batch])
    except (OSError, ValueError):
        problems.tell(BROKEN, str(path))


def _texts(path: Path, table: pa.Table, k: int, columns: Columns) -> Any:
    """A column as texts, or numbers where it is a weight; a name that is missing is unknown."""
    column = table.column(k)
    if k == columns.weight and (
        pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    ):
        return column.cast(pa.float64(), safe=False)
    missing = UNKNOWN if k in (columns.source, columns.target) else ""
    if pa.types.is_dictionary(column.type):
        return _filled(column, missing)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
    try:
        texts = column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise WeftError(
            f"the column {table.column_names[k]} of {path} holds {column.type}, not names",
            hint="store names as strings or whole numbers",
        ) from error
    return texts.fill_null(missing)


def _filled(column: Any, word: str) -> Any:
    """A column of which each distinct text is held once, with a word where one is missing."""
    tokens = cells.whole(column)
    words = pa.concat_arrays([tokens.dictionary.cast(pa.string()), pa.array([word])])
    places = tokens.indices.fill_null(len(tokens.dictionary))
    return pa.DictionaryArray.from_arrays(places, words)
