"""Answers that are files: tables and graphs in formats that other programs open."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from weft.core.wording import harmless
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
FLAT = {".csv", ".tsv"}


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
    write_pages(_flat(table) if into.suffix in FLAT else table, into)
    return File(into, f"{name}{into.suffix}")


def _flat(table: pa.Table) -> pa.Table:
    """The same for files that have only text: lists with spaces between, headings neutralised."""
    for at, field in enumerate(table.schema):
        if pa.types.is_list(field.type):
            words = table.column(at).cast(pa.list_(pa.string()))
            table = table.set_column(at, field.name, pc.binary_join(words, " "))
        elif pa.types.is_dictionary(field.type):
            table = table.set_column(at, field.name, table.column(at).cast(field.type.value_type))
    return table.rename_columns([harmless(name) for name in table.column_names])


def graph_file(graph: WebGraph, into: Path, name: str, about: pa.Table | None = None) -> File:
    """The links of a graph as a file, whose ending says the format; with facts about its nodes."""
    write_edges(graph, into, about)
    return File(into, f"{name}{into.suffix}")
