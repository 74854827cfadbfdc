"""Responses that are files: tables and graphs for other programs."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from weft.graph.formats import write_edges, write_table
from weft.graph.webgraph import WebGraph

MEDIA_TYPES = {
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
class Download:
    """A file to download: its path, and the name to save it under."""

    path: Path
    name: str

    @property
    def media_type(self) -> str:
        """The media type, by the suffix of the path."""
        return MEDIA_TYPES[self.path.suffix[1:]]


def table_download(table: pa.Table, path: Path, name: str) -> Download:
    """Write a table in the format of the suffix; spreadsheet formulas are neutralised."""
    write_table(table, path)
    return Download(path, f"{name}{path.suffix}")


def graph_download(
    graph: WebGraph, path: Path, name: str, node_table: pa.Table | None = None
) -> Download:
    """Write the links of a graph, with attributes of its nodes, in the format of the suffix."""
    write_edges(graph, path, node_table)
    return Download(path, f"{name}{path.suffix}")
