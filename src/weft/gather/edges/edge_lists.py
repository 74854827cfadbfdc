"""Read edge lists: CSV with or without a header, SNAP, and Parquet."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from weft.core.arrays import Offsets
from weft.core.errors import WeftError
from weft.gather.edges import text_rows
from weft.gather.edges.edge_tables import (
    NUMBER_PATTERN,
    UNKNOWN_NAME,
    clean_links,
    make_node_table,
    report_bad_rows,
    split_into_batches,
)
from weft.gather.edges.text_rows import ParsedRows, TextBlock
from weft.gather.formats import Evidence, InputHead, input_format
from weft.gather.page import EdgeBatch, GraphBatch, NumberedLinks, Problems

PARQUET_BATCH_ROWS, PARQUET_BUFFER_BYTES = 1 << 18, 1 << 20
STRING_TYPES = (pa.string(), pa.large_string())
SAMPLE_LINES = 100
MAX_NODE_NUMBER = 10**18 - 1
MIN_NUMBERED_BYTES = 1 << 20  # of a file that is worth loading the compiler for
TRUNCATED_PARQUET = "truncated or damaged Parquet files"
PACKED_LINKS_COLUMN, PACKED_LINKS_SEPARATOR = "links url", "@@"
SOURCE_COLUMN_NAMES = ("source", "source url", "src", "from")
TARGET_COLUMN_NAMES = ("destination", "destination url", "target", "target url", "dst", "to")
ANCHOR_COLUMN_NAMES = ("anchor", "anchor text")
NUMBER_OR_URL = re.compile(r"https?://\S+|-?\d[\d.eE+-]*")
NON_GRAPH_START = re.compile(rb"\s*(?:[<{\[]|WARC/|filedesc:|HTTP/)")
SENTENCE_END = re.compile(rb"[.,;:!?]$")
CLICK_PATH_CELL = re.compile(rb"^(?!https?://).*;")
NODE_CELL_PATTERN = rb'\s*+(?:(")?+(?:https?://[^\s",;]++|\d++)(?(%d)"))\s*+'
PAIR_ROW_PATTERNS = [
    re.compile(
        NODE_CELL_PATTERN % 1
        + sign
        + NODE_CELL_PATTERN % 2
        + rb"(?:"
        + sign
        + rb"\s*+[+]?[\d.]*+(?:[eE][+-]?\d++)?\s*+)?"
    )
    for sign in (b",", b";")
]
COMMENT_PREAMBLE = re.compile(r"(?:[ \t]*(?:#.*)?\n)*")


NumberPairs = tuple[Offsets, Offsets]


class EdgeColumns(NamedTuple):
    """The column indices of a link; None if the file has no such column.

    `packed` means that one cell has all links of a page, joined by `@@`.
    """

    source: int
    target: int
    weight: int | None = None
    anchor: int | None = None
    packed: bool = False

    @property
    def indices(self) -> list[int]:
        """The columns to read, source and target first."""
        return [column for column in self[:4] if column is not None]


class TableHeader(NamedTuple):
    """The first row of a table, its delimiter, and the lines where it starts and ends."""

    column_names: list[str]
    delimiter: str
    start_line: int
    end_line: int


def find_columns(header: Sequence[str]) -> EdgeColumns | None:
    """Find the columns of a link by the names in a header, in any case.

    Exports of Screaming Frog have Destination and Target, the second an
    attribute of the link; advertools packs the links of a page into one cell.

    Examples
    --------
    >>> find_columns(["Type", "Source", "Destination", "Anchor", "Target"])
    EdgeColumns(source=1, target=2, weight=None, anchor=3, packed=False)
    """
    names = [name.strip().lower().replace("_", " ") for name in header]

    def find_first(*candidates: str) -> int | None:
        return next((names.index(name) for name in candidates if name in names), None)

    packed = PACKED_LINKS_COLUMN in names and "url" in names
    source = find_first("url") if packed else find_first(*SOURCE_COLUMN_NAMES)
    target = find_first(PACKED_LINKS_COLUMN) if packed else find_first(*TARGET_COLUMN_NAMES)
    if source is None or target is None:
        return None
    anchor = find_first("links text") if packed else find_first(*ANCHOR_COLUMN_NAMES)
    return EdgeColumns(source, target, find_first("weight"), anchor, packed)


def parse_header(text: str) -> TableHeader:
    """Parse the header of a table by the delimiter that gives known columns, or the most columns.

    Comments and blank lines may precede it.
    """
    preamble = COMMENT_PREAMBLE.match(text)
    start = preamble.end() if preamble else 0
    start_line = text.count("\n", 0, start)
    best = TableHeader([], ",", start_line, start_line)
    for delimiter in ",\t;":
        reader = csv.reader(text[start:].splitlines(keepends=True), delimiter=delimiter)
        names = next(reader, [])
        header = TableHeader(names, delimiter, start_line, start_line + reader.line_num)
        if find_columns(names):
            return header
        best = max(best, header, key=lambda candidate: len(candidate.column_names))
    return best


def infer_columns(text: str, header: TableHeader) -> EdgeColumns | None:
    r"""The columns of a table without header: source, target and perhaps weight.

    The first row is a link if its names are numbers or URLs, or if one of them
    occurs in later rows too, which a column name does not.

    Examples
    --------
    >>> infer_columns("0,1\n0,2\n", parse_header("0,1\n0,2\n"))
    EdgeColumns(source=0, target=1, weight=None, anchor=None, packed=False)
    """
    first = [cell.strip() for cell in header.column_names]
    weighted = len(first) == 3
    if not (weighted or len(first) == 2) or not all(first[:2]):
        return None
    if weighted and first[2] and not re.match(NUMBER_PATTERN, first[2]):
        return None
    lines = text.splitlines(keepends=True)[header.end_line : header.end_line + SAMPLE_LINES]
    later_rows = (row[:2] for row in csv.reader(lines, delimiter=header.delimiter))
    names = {name.strip() for row in later_rows for name in row}
    if not all(map(NUMBER_OR_URL.fullmatch, first[:2])) and names.isdisjoint(first[:2]):
        return None
    return EdgeColumns(0, 1, 2 if weighted else None)


def _rows_in_head(head: InputHead) -> list[bytes]:
    """The complete lines of a head that may be links: no comments, no other format."""
    if NON_GRAPH_START.match(head.text):
        return []
    lines = text_rows.blank_comments(head.complete_text).split(b"\n")
    return [line for line in lines if line.strip()]


def _is_csv(head: InputHead) -> bool:
    """Whether columns have names, or every line is a pair of numbers or URLs in cells."""
    lines = _rows_in_head(head)
    if not lines:
        return False
    header = parse_header(head.text.decode("utf-8", "replace"))
    return find_columns(header.column_names) is not None or any(
        all(map(row.fullmatch, lines)) for row in PAIR_ROW_PATTERNS
    )


@input_format("csv", "CSV, TSV", evidence=Evidence.COLUMNS, recognise=_is_csv)
def read_csv(path: Path, input_digest: str, problems: Problems) -> Iterator[GraphBatch]:
    """Links in a table with commas, tabs or semicolons, with or without a header."""
    blocks = text_rows.read_blocks(path, problems, quoted=True)
    first = next(blocks, TextBlock(b"", 1))
    head = first.text[: text_rows.READ_BYTES].decode(errors="replace")
    header = parse_header(head)
    if not header.column_names:
        return
    named = find_columns(header.column_names)
    inferred = None if named else infer_columns(head, header)
    columns = inferred or _require_columns(path, header.column_names)
    skipped = header.start_line if inferred else header.end_line
    first = TextBlock(first.text.split(b"\n", skipped)[-1], first.first_line + skipped)

    def parse(block: TextBlock) -> ParsedRows:
        width = len(header.column_names)
        return text_rows.parse_rows(block, width, columns.indices, header.delimiter, quoted=True)

    all_blocks = chain([first], blocks)
    is_pairs = columns == EdgeColumns(0, 1) and len(header.column_names) == 2
    for rows in parse_blocks(path, all_blocks, header.delimiter if is_pairs else "", parse):
        if isinstance(rows, ParsedRows):
            yield from edges_from_rows(rows, columns, path, input_digest, problems)
        else:
            yield NumberedLinks(input_digest, *rows)


def _is_snap(head: InputHead) -> bool:
    """Whether every line is a pair of names, perhaps with a weight; no sentence or click path."""
    lines = _rows_in_head(head)
    [(delimiter, width), *others] = count_row_shapes(lines) or [("", 0)]
    if others or width not in (2, 3):
        return False
    rows = [line.split(b"\t" if delimiter == "\t" else None) for line in lines]
    if len(rows) == 1 and (delimiter, width) != ("\t", 2):
        return all(NUMBER_OR_URL.fullmatch(cell.decode("latin-1")) for cell in rows[0])
    if delimiter == " " and any(SENTENCE_END.search(cell) for row in rows for cell in row):
        return False
    if width == 3:
        weights = [row[2].strip().decode("latin-1") for row in rows[1:]]
        return all(re.match(NUMBER_PATTERN, weight) for weight in weights if weight)
    return 2 * sum(CLICK_PATH_CELL.search(row[1]) is not None for row in rows) < len(rows)


@input_format("snap", "SNAP", evidence=Evidence.WORDS, recognise=_is_snap)
def read_snap(path: Path, input_digest: str, problems: Problems) -> Iterator[GraphBatch]:
    """A link a line: two names, perhaps a weight; `#` and `%` start comments."""
    for rows in read_headerless_links(path, problems):
        if isinstance(rows, ParsedRows):
            columns = EdgeColumns(0, 1, 2 if rows.table.num_columns == 3 else None)
            yield from edges_from_rows(rows, columns, path, input_digest, problems)
        else:
            yield NumberedLinks(input_digest, *rows)


@input_format("parquet", "Parquet", recognise=b"PAR1")
def read_parquet(path: Path, input_digest: str, problems: Problems) -> Iterator[GraphBatch]:
    """Links in the columns source and target, perhaps weight and anchor, of a Parquet file."""
    first_row, is_large = 1, path.stat().st_size >= MIN_NUMBERED_BYTES
    for table in _read_parquet_batches(path, problems):
        columns = _require_columns(path, table.column_names)
        if is_large and columns.indices == list(columns[:2]) and not columns.packed:
            ends = [_as_numbers(table.column(k)) for k in columns[:2]]
            if ends[0] is not None and ends[1] is not None:
                yield NumberedLinks(input_digest, ends[0], ends[1])
                first_row += len(table)
                continue
        texts = {str(k): _column_as_text(path, table, k, columns) for k in columns.indices}
        rows = ParsedRows(pa.table(texts), first_row, [])
        yield from edges_from_rows(rows, columns, path, input_digest, problems)
        first_row += len(table)


def edges_from_rows(
    parsed_rows: ParsedRows, columns: EdgeColumns, path: Path, input_digest: str, problems: Problems
) -> Iterator[EdgeBatch]:
    """The valid links of some rows; bad rows are counted as problems."""
    cells = [None if k is None else parsed_rows.table[str(k)] for k in columns[:4]]
    if not columns.packed:
        links, bad_rows = clean_links(*cells)
    else:
        # Each row is a page, a node even if its cell has no links.
        pages, _ = clean_links(cells[0], cells[0])
        nodes = make_node_table(_to_strings(pages["source"]).unique())
        yield from split_into_batches(input_digest, nodes=nodes)
        unpacked, row_of_link = _unpack_links(*cells)
        links, bad_links = clean_links(*unpacked)
        bad_rows = np.unique(row_of_link[bad_links])
    bad_lines = [*parsed_rows.bad_lines, *parsed_rows.line_numbers(bad_rows).tolist()]
    report_bad_rows(problems, path, sorted(bad_lines))
    yield from split_into_batches(input_digest, links)


def count_row_shapes(lines: Sequence[bytes]) -> Counter[tuple[str, int]]:
    r"""Count lines by delimiter, a tab or any white space, and number of cells.

    Examples
    --------
    >>> count_row_shapes([b"1\t2", b"New York\tRome"])
    Counter({('\t', 2): 2})
    """
    tabs = Counter(("\t", line.count(b"\t") + 1) for line in lines if b"\t\t" not in line.strip())
    if tabs and max(tabs, key=tabs.__getitem__)[1] in (2, 3):
        return tabs
    return Counter((" ", len(line.split())) for line in lines)


class RowLayout(NamedTuple):
    """How the rows of a list without header are written: a delimiter, and 2 or 3 cells."""

    delimiter: str
    width: int

    def parse(self, block: TextBlock) -> ParsedRows:
        """The cells of a block of rows."""
        text = text_rows.blank_comments(block.text)
        text = text_rows.collapse_spaces(text) if self.delimiter == " " else text
        rows, columns = TextBlock(text, block.first_line), range(self.width)
        return text_rows.parse_rows(rows, self.width, columns, self.delimiter, quoted=False)


def read_headerless_rows(path: Path, problems: Problems) -> Iterator[ParsedRows]:
    """Parse a list without header; the width, 2 or 3, is that of most of its first rows."""
    layout, blocks = _find_layout(text_rows.read_blocks(path, problems))
    yield from map(layout.parse, blocks)


def read_headerless_links(path: Path, problems: Problems) -> Iterator[ParsedRows | NumberPairs]:
    """Parse a list of links without header; see `parse_blocks`."""
    layout, blocks = _find_layout(text_rows.read_blocks(path, problems))
    delimiter = layout.delimiter if layout.width == 2 else ""
    yield from parse_blocks(path, blocks, delimiter, layout.parse, comments=True)


def parse_blocks(
    path: Path,
    blocks: Iterable[TextBlock],
    delimiter: str,
    parse: Callable[[TextBlock], ParsedRows],
    *,
    comments: bool = False,
) -> Iterator[ParsedRows | NumberPairs]:
    """The links of blocks of rows, on all cores where the file is large.

    Blocks of nothing but pairs of numbers give integers, the others, and all
    blocks of a small file, texts. Without `delimiter`, rows are no pairs.
    """
    if not delimiter or path.stat().st_size < MIN_NUMBERED_BYTES:
        yield from map(parse, blocks)
        return
    from weft.kernels.number_pairs import parse_number_pairs  # noqa: PLC0415  loads the compiler
    from weft.kernels.threads import map_in_threads  # noqa: PLC0415  as above

    parse_numbers = partial(parse_number_pairs, delimiter=delimiter, comments=comments)

    def parse_block(block: TextBlock) -> ParsedRows | NumberPairs:
        return parse_numbers(block.text) or parse(block)

    yield from map_in_threads(parse_block, blocks)


def _find_layout(blocks: Iterator[TextBlock]) -> tuple[RowLayout, Iterator[TextBlock]]:
    """The layout of most of the first rows, and all blocks, without a row of column names."""
    for block in blocks:
        lines = text_rows.blank_comments(block.text)[: text_rows.READ_BYTES].split(b"\n")
        sample = [line for line in lines if line.strip()][:SAMPLE_LINES]
        if not sample:
            continue
        [((delimiter, width), _)] = count_row_shapes(sample).most_common(1)
        text = block.text
        if find_columns(sample[0].decode(errors="replace").split()):
            text = text.replace(sample[0], b"", 1)
        first = TextBlock(text, block.first_line)
        return RowLayout(delimiter, min(max(width, 2), 3)), chain([first], blocks)
    return RowLayout(" ", 2), blocks


def _require_columns(path: Path, header: Sequence[str]) -> EdgeColumns:
    columns = find_columns(header)
    if columns is None:
        names = ", ".join(name.strip()[:40] for name in header[:20])
        raise WeftError(
            f"{path} has no source and target columns, only {names}",
            hint="name the two columns source and target in the first row",
        )
    return columns


def _unpack_links(source: Any, target: Any, weight: Any, anchor: Any) -> tuple[list[Any], Offsets]:
    """One row per link of a packed cell, and the row it comes from; an empty cell has none."""
    texts = _to_strings(target)
    filled = np.flatnonzero(pc.not_equal(texts, ""))
    targets = pc.split_pattern(texts.take(filled), PACKED_LINKS_SEPARATOR)
    rows = filled[pc.list_parent_indices(targets).to_numpy()]
    if anchor is not None:
        # Anchors count only where there are as many as targets; otherwise all are empty.
        packed, counts = _to_strings(anchor).take(filled), pc.list_value_length(targets)
        anchor_counts = pc.list_value_length(pc.split_pattern(packed, PACKED_LINKS_SEPARATOR))
        empty = pc.binary_repeat(PACKED_LINKS_SEPARATOR, pc.subtract(counts, 1))
        packed = pc.if_else(pc.equal(anchor_counts, counts), packed, empty)
        anchor = pc.list_flatten(pc.split_pattern(packed, PACKED_LINKS_SEPARATOR))
    weight = None if weight is None else weight.take(rows)
    return [source.take(rows), pc.list_flatten(targets), weight, anchor], rows


def _to_strings(column: Any) -> Any:
    return column.cast(pa.string()).combine_chunks()


def _read_parquet_batches(path: Path, problems: Problems) -> Iterator[pa.Table]:
    """The rows of a Parquet file in batches, as far as it can be read."""
    try:
        schema = pq.read_schema(path)
        names = [schema.names[k] for k in _require_columns(path, schema.names).indices]
        strings = [name for name in names if schema.field(name).type in STRING_TYPES]
        with pq.ParquetFile(
            path, read_dictionary=strings, buffer_size=PARQUET_BUFFER_BYTES
        ) as file:
            for batch in file.iter_batches(PARQUET_BATCH_ROWS, columns=names):
                yield pa.Table.from_batches([batch])
    except (OSError, ValueError):
        problems.add(TRUNCATED_PARQUET, str(path))


def _column_as_text(path: Path, table: pa.Table, column_index: int, columns: EdgeColumns) -> Any:
    """A column as strings, or as numbers if it is a weight; a missing name is bad."""
    column = table.column(column_index)
    if column_index == columns.weight and (
        pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    ):
        return column.cast(pa.float64(), safe=False)
    missing = UNKNOWN_NAME if column_index in (columns.source, columns.target) else ""
    if pa.types.is_dictionary(column.type):
        return _fill_missing(column, missing)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
    try:
        texts = column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise WeftError(
            f"column {table.column_names[column_index]} of {path} holds {column.type}, not names",
            hint="store names as strings or integers",
        ) from error
    return texts.fill_null(missing)


def _as_numbers(column: Any) -> Offsets | None:
    """A column of non-negative integers; None if it is not one."""
    if not pa.types.is_integer(column.type) or column.null_count:
        return None
    ends = pc.min_max(column).as_py()
    if not len(column) or ends["min"] < 0 or ends["max"] > MAX_NODE_NUMBER:
        return None
    return np.asarray(column.cast(pa.int64()))


def _fill_missing(column: Any, fill_value: str) -> Any:
    """A dictionary column with `fill_value` for nulls."""
    encoded = text_rows.as_dictionary_array(column)
    dictionary = pa.concat_arrays([encoded.dictionary.cast(pa.string()), pa.array([fill_value])])
    indices = encoded.indices.fill_null(len(encoded.dictionary))
    return pa.DictionaryArray.from_arrays(indices, dictionary)
