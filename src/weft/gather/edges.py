"""Graphs without text: which format a file is in, and the reader for it."""

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from weft.core.errors import UnknownName
from weft.gather.cells import uncommented
from weft.gather.edgelists import (
    find_columns,
    read_csv,
    read_header,
    read_parquet,
    read_snap,
    shape,
)
from weft.gather.graphfiles import (
    lar_files,
    read_california,
    read_gml,
    read_graphml,
    read_lar,
)
from weft.gather.linktable import NUMBER, PART
from weft.gather.numbered import read_common_crawl, read_matrix_market
from weft.gather.page import Edges, Problems

__all__ = [
    "PART",
    "READERS",
    "files_of",
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
    "recognise",
]

READERS: dict[str, Callable[[Path, str, Problems], Iterator[Edges]]] = {
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

HEAD = 60_000
GRAPHML = re.compile(rb"<(?:\w+:)?graphml[\s>]")
GML = re.compile(rb"\s*+(?:#.*\n\s*+|\w++[ \t]++(?:\"[^\"]*+\"|[\w.+-]++)\s*+)*+graph\s*\[")
LAR_NODES = re.compile(rb"\s*\d+\s+\d+ \(\d+\) \[\w+\]\s*\n")
ADJACENCY = re.compile(rb"\d+:(?: \d+)*(?: -1)?\s*")
CALIFORNIA = re.compile(rb"[ne]\s+\d+\s+\S+\s*")
ELSEWHERE = re.compile(rb"\s*(?:[<{\[]|WARC/|filedesc:|HTTP/)")
SENTENCE = re.compile(rb"[.,;:!?]$")
PATH = re.compile(rb"^(?!https?://).*;")
NAMED = re.compile(rb"https?://\S+|-?\d[\d.eE+-]*")
END = rb'\s*+(?:(")?+(?:https?://[^\s",;]++|\d++)(?(%d)"))\s*+'
ROWS = [
    re.compile(
        END % 1 + sign + END % 2 + rb"(?:" + sign + rb"\s*+[+]?[\d.]*+(?:[eE][+-]?\d++)?\s*+)?"
    )
    for sign in (b",", b";")
]


def read_edges(path: Path, kind: str, origin: str, problems: Problems) -> Iterator[Edges]:
    """Read a graph in one of the formats that `recognise` names."""
    if kind not in READERS:
        raise UnknownName("format", kind, READERS)
    return READERS[kind](path, origin, problems)


def files_of(path: Path, kind: str) -> list[Path]:
    """The files that a graph is read from."""
    return lar_files(path) if READERS.get(kind) is read_lar else [path]


def recognise(head: bytes) -> str | None:
    r"""Which format of graphs the first 64 kB of a file are in, if any.

    Examples
    --------
    >>> recognise(b"source,target\na,b\n"), recognise(b"1 2\n1 3\n"), recognise(b"A b c d.\n")
    ('csv', 'snap', None)
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    text, lines = _plain(head[: 1 << 16])
    if b"\0" in text:
        return None
    if text.startswith(b"%%MatrixMarket"):
        return "matrix-market"
    if text.lstrip().startswith(b"<"):
        return "graphml" if GRAPHML.search(text) else None
    if GML.match(text):
        return "gml"
    return _listed(text, lines)


def _plain(head: bytes) -> tuple[bytes, list[bytes]]:
    """The head in UTF-8 without byte order mark, and its whole lines with something on them."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head.decode("utf-16", "replace").encode()
    text = head.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    whole = text[: text.rfind(b"\n") + 1] if len(head) >= HEAD and b"\n" in text else text
    return text, [line for line in uncommented(whole).split(b"\n") if line.strip()]


def _listed(text: bytes, lines: Sequence[bytes]) -> str | None:
    if not lines or ELSEWHERE.match(text):
        return None
    if LAR_NODES.match(text):
        return "lar-nodes"
    if all(map(ADJACENCY.fullmatch, lines)):
        return "adjacency"
    if all(map(CALIFORNIA.fullmatch, lines)):
        return "california"
    if find_columns(read_header(text.decode("utf-8", "replace")).words) or _is_table(lines):
        return "csv"
    return "snap" if _paired(lines) else None


def _is_table(lines: Sequence[bytes]) -> bool:
    """Whether every line is a pair of numbers or addresses, and perhaps a weight, in cells."""
    return any(all(map(row.fullmatch, lines)) for row in ROWS)


def _paired(lines: Sequence[bytes]) -> bool:
    """Whether every line is a pair of names, or a pair and a number; no sentence, no path."""
    shapes = shape(lines)
    [(delimiter, width), *others] = shapes
    if others or width not in (2, 3):
        return False
    rows = [line.split(b"\t" if delimiter == "\t" else None) for line in lines]
    if len(rows) == 1 and (delimiter, width) != ("\t", 2):
        return all(map(NAMED.fullmatch, rows[0]))
    if delimiter == " " and any(SENTENCE.search(cell) for row in rows for cell in row):
        return False
    if width == 3:
        weights = [row[2].strip().decode("latin-1") for row in rows[1:]]
        return all(re.match(NUMBER, weight) for weight in weights if weight)
    return 2 * sum(PATH.search(row[1]) is not None for row in rows) < len(rows)
