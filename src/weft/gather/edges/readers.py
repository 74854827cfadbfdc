"""Detect the format of a graph file by its content, and choose its reader."""

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from weft.core.errors import UnknownName
from weft.gather.edges.edge_lists import (
    count_row_shapes,
    find_columns,
    parse_header,
    read_csv,
    read_parquet,
    read_snap,
)
from weft.gather.edges.edge_tables import MAX_BATCH_ROWS, NUMBER_PATTERN
from weft.gather.edges.graph_files import (
    lar_files,
    read_california,
    read_gml,
    read_graphml,
    read_lar,
)
from weft.gather.edges.numbered_graphs import read_common_crawl, read_matrix_market
from weft.gather.edges.text_rows import blank_comments
from weft.gather.page import EdgeBatch, Problems

__all__ = [
    "GRAPH_READERS",
    "MAX_BATCH_ROWS",
    "detect_graph_format",
    "graph_files",
    "read_california",
    "read_common_crawl",
    "read_csv",
    "read_edges",
    "read_gml",
    "read_graphml",
    "read_lar",
    "read_matrix_market",
    "read_parquet",
    "read_snap",
]

GRAPH_READERS: dict[str, Callable[[Path, str, Problems], Iterator[EdgeBatch]]] = {
    "adjacency": read_lar,
    "california": read_california,
    "csv": read_csv,
    "gml": read_gml,
    "graphml": read_graphml,
    "lar-nodes": read_lar,
    "matrix-market": read_matrix_market,
    "parquet": read_parquet,
    "snap": read_snap,
}

MIN_CUT_HEAD_BYTES = 60_000
GRAPHML_ROOT = re.compile(rb"<(?:\w+:)?graphml[\s>]")
GML_START = re.compile(rb"\s*+(?:#.*\n\s*+|\w++[ \t]++(?:\"[^\"]*+\"|[\w.+-]++)\s*+)*+graph\s*\[")
LAR_NODES_START = re.compile(rb"\s*\d+\s+\d+ \(\d+\) \[\w+\]\s*\n")
ADJACENCY_LINE = re.compile(rb"\d+:(?: \d+)*(?: -1)?\s*")
CALIFORNIA_LINE = re.compile(rb"[ne]\s+\d+\s+\S+\s*")
NON_GRAPH_START = re.compile(rb"\s*(?:[<{\[]|WARC/|filedesc:|HTTP/)")
SENTENCE_END = re.compile(rb"[.,;:!?]$")
CLICK_PATH_CELL = re.compile(rb"^(?!https?://).*;")
NUMBER_OR_URL = re.compile(rb"https?://\S+|-?\d[\d.eE+-]*")
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


def read_edges(
    path: Path, graph_format: str, input_digest: str, problems: Problems
) -> Iterator[EdgeBatch]:
    """Read a graph in one of the formats of `GRAPH_READERS`, in batches."""
    if graph_format not in GRAPH_READERS:
        raise UnknownName("format", graph_format, GRAPH_READERS)
    return GRAPH_READERS[graph_format](path, input_digest, problems)


def graph_files(path: Path, graph_format: str) -> list[Path]:
    """The files that a graph is read from."""
    return lar_files(path) if GRAPH_READERS.get(graph_format) is read_lar else [path]


def detect_graph_format(head: bytes) -> str | None:
    r"""The graph format of a file by its first 64 kB, or None.

    Examples
    --------
    >>> (
    ...     detect_graph_format(b"source,target\na,b\n"),
    ...     detect_graph_format(b"1 2\n1 3\n"),
    ...     detect_graph_format(b"A b c d.\n"),
    ... )
    ('csv', 'snap', None)
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    text, lines = _decode_head(head[: 1 << 16])
    if b"\0" in text:
        return None
    if text.startswith(b"%%MatrixMarket"):
        return "matrix-market"
    if text.lstrip().startswith(b"<"):
        return "graphml" if GRAPHML_ROOT.search(text) else None
    if GML_START.match(text):
        return "gml"
    return _detect_list_format(text, lines)


def _decode_head(head: bytes) -> tuple[bytes, list[bytes]]:
    """The head in UTF-8 without byte order mark, and its complete lines that are not blank."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head.decode("utf-16", "replace").encode()
    text = head.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    is_cut = len(head) >= MIN_CUT_HEAD_BYTES and b"\n" in text
    complete = text[: text.rfind(b"\n") + 1] if is_cut else text
    return text, [line for line in blank_comments(complete).split(b"\n") if line.strip()]


def _detect_list_format(text: bytes, lines: Sequence[bytes]) -> str | None:
    if not lines or NON_GRAPH_START.match(text):
        return None
    if LAR_NODES_START.match(text):
        return "lar-nodes"
    if all(map(ADJACENCY_LINE.fullmatch, lines)):
        return "adjacency"
    if all(map(CALIFORNIA_LINE.fullmatch, lines)):
        return "california"
    header = parse_header(text.decode("utf-8", "replace"))
    if find_columns(header.column_names) or _is_delimited_pairs(lines):
        return "csv"
    return "snap" if _is_pair_list(lines) else None


def _is_delimited_pairs(lines: Sequence[bytes]) -> bool:
    """Whether every line is a pair of numbers or URLs, perhaps with a weight, in cells."""
    return any(all(map(row.fullmatch, lines)) for row in PAIR_ROW_PATTERNS)


def _is_pair_list(lines: Sequence[bytes]) -> bool:
    """Whether every line is a pair of names, perhaps with a weight; no sentence or click path."""
    shapes = count_row_shapes(lines)
    [(delimiter, width), *others] = shapes
    if others or width not in (2, 3):
        return False
    rows = [line.split(b"\t" if delimiter == "\t" else None) for line in lines]
    if len(rows) == 1 and (delimiter, width) != ("\t", 2):
        return all(map(NUMBER_OR_URL.fullmatch, rows[0]))
    if delimiter == " " and any(SENTENCE_END.search(cell) for row in rows for cell in row):
        return False
    if width == 3:
        weights = [row[2].strip().decode("latin-1") for row in rows[1:]]
        return all(re.match(NUMBER_PATTERN, weight) for weight in weights if weight)
    return 2 * sum(CLICK_PATH_CELL.search(row[1]) is not None for row in rows) < len(rows)
