"""Graphs and pages as files that other programs open."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from weft.core.errors import WeftError
from weft.core.progress import track
from weft.graph.webgraph import WebGraph, link_weights

FORMULA = r"^[=+\-@\t\r\n]"
ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
PIECE = 1 << 16


def write_edges(graph: WebGraph, path: Path) -> int:
    """Write the links as source, target and weight, in the format that the file's ending names."""
    writer = _by_ending(path, {**TABLES, ".gexf": _write_gexf, ".graphml": _write_graphml})
    if path.suffix.lower() in TABLES:
        writer(graph.to_arrow(), path)
    else:
        writer(graph, path)
    return graph.link_count


def write_pages(table: pa.Table, path: Path) -> int:
    """Write a table of pages in the format that the file's ending names."""
    _by_ending(path, TABLES)(table, path)
    return len(table)


def check_ending(path: Path) -> None:
    """Refuse a file that no table can be written to, before there is a table."""
    _by_ending(path, TABLES)


def _by_ending(path: Path, known: dict[str, Callable[..., None]]) -> Callable[..., None]:
    writer = known.get(path.suffix.lower())
    if writer is None:
        cure = f"end it in {', '.join(known)}"
        raise WeftError(f"cannot tell the format of {path.name} from its ending", hint=cure)
    return writer


def harmless(table: pa.Table) -> pa.Table:
    """Put a quote before cells that a spreadsheet would run as formulas."""
    for at, field in enumerate(table.schema):
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            column = table[field.name]
            quoted = pc.binary_join_element_wise(
                pa.scalar("'", field.type), column, pa.scalar("", field.type)
            )
            danger = pc.match_substring_regex(column, FORMULA)
            table = table.set_column(at, field.name, pc.if_else(danger, quoted, column))
    return table


def _write_csv(table: pa.Table, path: Path) -> None:
    csv.write_csv(harmless(table), str(path))


def _write_tsv(table: pa.Table, path: Path) -> None:
    csv.write_csv(harmless(table), str(path), csv.WriteOptions(delimiter="\t"))


def _write_parquet(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path, compression="zstd")


def _write_jsonl(table: pa.Table, path: Path) -> None:
    """JSON has neither infinity nor what is not a number: both become null."""
    for at, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table[field.name]
            finite = pc.if_else(pc.is_finite(column), column, pa.scalar(None, field.type))
            table = table.set_column(at, field.name, finite)
    with path.open("w", encoding="utf-8") as file:
        for batch in table.to_batches(PIECE):
            rows = batch.to_pylist()
            file.writelines(json.dumps(row, default=str, ensure_ascii=False) + "\n" for row in rows)


TABLES: dict[str, Callable[..., None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".parquet": _write_parquet,
    ".jsonl": _write_jsonl,
}


def _write_gexf(graph: WebGraph, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write('<gexf xmlns="http://gexf.net/1.3" version="1.3">\n')
        file.write('<graph defaultedgetype="directed" mode="static">\n<nodes>\n')
        for number, name in _named(graph):
            file.write(f'<node id="{number}" label={name}/>\n')
        file.write("</nodes>\n<edges>\n")
        _write_links(graph, file, '<edge id="{0}" source="{1}" target="{2}" weight="{3:g}"/>\n')
        file.write("</edges>\n</graph>\n</gexf>\n")


def _write_graphml(graph: WebGraph, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        file.write('<key id="label" for="node" attr.name="label" attr.type="string"/>\n')
        file.write('<key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n')
        file.write('<graph edgedefault="directed">\n')
        for number, name in _named(graph, quote=_text):
            file.write(f'<node id="{number}"><data key="label">{name}</data></node>\n')
        edge = '<edge source="{1}" target="{2}"><data key="weight">{3:g}</data></edge>\n'
        _write_links(graph, file, edge)
        file.write("</graph>\n</graphml>\n")


def _text(words: str) -> str:
    return escape(ILLEGAL.sub("", words))


def _attribute(words: str) -> str:
    return quoteattr(ILLEGAL.sub("", words))


def _named(graph: WebGraph, quote: Callable[[str], str] = _attribute) -> Iterator[tuple[int, str]]:
    for number, name in enumerate(track(graph.pages, "nodes", len(graph))):
        yield number, quote(name)


def _write_links(graph: WebGraph, file: TextIO, form: str) -> None:
    rows = graph.outlinks
    weights = link_weights(rows)
    for start in track(range(0, graph.link_count, PIECE), "links"):
        place = np.arange(start, min(start + PIECE, graph.link_count))
        source = np.searchsorted(rows.starts, place, side="right") - 1
        piece = zip(
            place.tolist(),
            source.tolist(),
            rows.ids[place].tolist(),
            weights[place].tolist(),
            strict=True,
        )
        file.writelines(form.format(*link) for link in piece)
