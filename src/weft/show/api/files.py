"""Answers that are files: tables and graphs in formats that other programs open."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa

from weft.graph.formats import write_edges, write_pages
from weft.graph.webgraph import WebGraph

Tabular = Literal["csv", "tsv", "jsonl", "parquet"]
Graphic = Literal["csv", "tsv", "jsonl", "parquet", "gexf", "graphml"]
MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "gexf": "application/gexf+xml",
    "graphml": "application/graphml+xml",
    "html": "text/html; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class File:
    """A file to hand out: where it lies, and the name under which a reader keeps it."""

    path: Path
    name: str

    @property
    def media(self) -> str:
        """Its media type, by its ending."""
        return MEDIA[self.path.suffix[1:]]


def table_file(table: pa.Table, into: Path, name: str) -> File:
    """A table as a file, whose ending says the format; spreadsheet formulas are neutralised."""
    write_pages(table, into)
    return File(into, f"{name}{into.suffix}")


def graph_file(graph: WebGraph, into: Path, name: str, about: pa.Table | None = None) -> File:
    """The links of a graph as a file, whose ending says the format; with facts about its nodes."""
    write_edges(graph, into, about)
    return File(into, f"{name}{into.suffix}")
