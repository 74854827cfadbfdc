"""Export graphs and tables: CSV, TSV, Parquet, JSON Lines, GEXF, GraphML."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from weft.core.errors import WeftError
from weft.core.progress import track
from weft.core.tables import flatten_for_csv
from weft.graph.webgraph import WebGraph, link_weights

ILLEGAL_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
ROWS_PER_BATCH = 1 << 16


def write_edges(graph: WebGraph, path: Path, node_attributes: pa.Table | None = None) -> int:
    """Write the links as source, target and weight, in the format of the file's suffix.

    `node_attributes`, a row per node, go into GEXF and GraphML; in GEXF columns
    `x` and `y` are the position. Returns the number of links.
    """
    writer = _writer_for(path, {**TABLE_WRITERS, ".gexf": _write_gexf, ".graphml": _write_graphml})
    if path.suffix.lower() in TABLE_WRITERS:
        writer(graph.to_arrow(), path)
    else:
        writer(graph, path, node_attributes if node_attributes is not None else pa.table({}))
    return graph.link_count


def write_pages(table: pa.Table, path: Path) -> int:
    """Write a table of pages in the format of the file's suffix; return the number of rows."""
    _writer_for(path, TABLE_WRITERS)(table, path)
    return len(table)


def check_table_format(path: Path) -> None:
    """Refuse a path whose suffix or folder is no place for a table, before computing one."""
    _writer_for(path, TABLE_WRITERS)


def _writer_for(path: Path, writers: dict[str, Callable[..., None]]) -> Callable[..., None]:
    writer = writers.get(path.suffix.lower())
    if writer is None:
        cure = f"end it in {', '.join(writers)}"
        raise WeftError(f"cannot tell the format of {path.name} from its ending", hint=cure)
    check_output_path(path)
    return writer


def check_output_path(path: Path) -> None:
    """Refuse a path that cannot be written, before there is anything to write."""
    if not path.parent.is_dir():
        raise WeftError(f"there is no folder {path.parent}", hint="make it, or write elsewhere")
    if path.is_dir():
        raise WeftError(f"{path} is a folder", hint="name a file inside it")


def _write_csv(table: pa.Table, path: Path) -> None:
    with path.open("wb") as file:
        csv.write_csv(flatten_for_csv(table), file)


def _write_tsv(table: pa.Table, path: Path) -> None:
    with path.open("wb") as file:
        csv.write_csv(flatten_for_csv(table), file, csv.WriteOptions(delimiter="\t"))


def _write_parquet(table: pa.Table, path: Path) -> None:
    with path.open("wb") as file:
        pq.write_table(table, file, compression="zstd")


def _write_jsonl(table: pa.Table, path: Path) -> None:
    """Write a JSON object per row; infinity and NaN, which JSON lacks, become null."""
    for at, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table[field.name]
            finite = pc.if_else(pc.is_finite(column), column, pa.scalar(None, field.type))
            table = table.set_column(at, field.name, finite)
    with path.open("w", encoding="utf-8") as file:
        for batch in table.to_batches(ROWS_PER_BATCH):
            rows = batch.to_pylist()
            file.writelines(json.dumps(row, default=str, ensure_ascii=False) + "\n" for row in rows)


TABLE_WRITERS: dict[str, Callable[..., None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".parquet": _write_parquet,
    ".jsonl": _write_jsonl,
}


def _write_gexf(graph: WebGraph, path: Path, node_attributes: pa.Table) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write('<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" ')
        file.write('version="1.3">\n<graph defaultedgetype="directed" mode="static">\n')
        if node_attributes.num_columns:
            file.write('<attributes class="node">\n')
            for column in node_attributes.schema:
                kind = _xml_type(column.type)
                file.write(f'<attribute id="{column.name}" title="{column.name}" type="{kind}"/>\n')
            file.write("</attributes>\n")
        file.write("<nodes>\n")
        for number, name, attributes in _iter_nodes(graph, node_attributes):
            label, inside = _quote_attribute(name), _gexf_attributes(attributes)
            file.write(f'<node id="{number}" label={label}{inside}\n')
        file.write("</nodes>\n<edges>\n")
        _write_links(graph, file, '<edge id="{0}" source="{1}" target="{2}" weight="{3}"/>\n')
        file.write("</edges>\n</graph>\n</gexf>\n")


def _gexf_attributes(attributes: dict[str, Any]) -> str:
    if not attributes:
        return "/>"
    values = "".join(
        f'<attvalue for="{name}" value={_quote_attribute(str(value))}/>'
        for name, value in attributes.items()
    )
    position = ""
    if "x" in attributes:
        position = '<viz:position x="{x}" y="{y}" z="0"/>'.format(**attributes)
    return f"><attvalues>{values}</attvalues>{position}</node>"


def _write_graphml(graph: WebGraph, path: Path, node_attributes: pa.Table) -> None:
    key = '<key id="{0}" for="node" attr.name="{0}" attr.type="{1}"/>\n'
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        file.write(key.format("label", "string"))
        file.writelines(
            key.format(column.name, _xml_type(column.type)) for column in node_attributes.schema
        )
        file.write('<key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n')
        file.write('<graph edgedefault="directed">\n')
        for number, name, attributes in _iter_nodes(graph, node_attributes):
            data = "".join(
                f'<data key="{attribute}">{_escape_text(str(value))}</data>'
                for attribute, value in {"label": name, **attributes}.items()
            )
            file.write(f'<node id="{number}">{data}</node>\n')
        edge = '<edge source="{1}" target="{2}"><data key="weight">{3}</data></edge>\n'
        _write_links(graph, file, edge)
        file.write("</graph>\n</graphml>\n")


def _xml_type(column: pa.DataType) -> str:
    return "double" if pa.types.is_floating(column) else "string"


def _escape_text(text: str) -> str:
    return escape(ILLEGAL_XML.sub("", text))


def _quote_attribute(text: str) -> str:
    return quoteattr(ILLEGAL_XML.sub("", text))


def _iter_nodes(
    graph: WebGraph, node_attributes: pa.Table
) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield the number, name and non-empty attributes of each node."""
    rows = chain.from_iterable(
        batch.to_pylist() for batch in node_attributes.to_batches(ROWS_PER_BATCH)
    )
    for number, name in enumerate(track(graph.pages, "nodes", len(graph))):
        yield number, name, {k: v for k, v in next(rows, {}).items() if v not in ("", None)}


def _write_links(graph: WebGraph, file: TextIO, template: str) -> None:
    rows = graph.outlinks
    weights = link_weights(rows)
    for start in track(range(0, graph.link_count, ROWS_PER_BATCH), "links"):
        position = np.arange(start, min(start + ROWS_PER_BATCH, graph.link_count))
        source = np.searchsorted(rows.starts, position, side="right") - 1
        links = zip(
            position.tolist(),
            source.tolist(),
            rows.ids[position].tolist(),
            map(_format_weight, weights[position].tolist()),
            strict=True,
        )
        file.writelines(template.format(*link) for link in links)


def _format_weight(weight: float) -> str:
    """The shortest text that reads back as the same weight."""
    return repr(weight).removesuffix(".0")
