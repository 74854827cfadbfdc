"""Export graphs and tables: CSV, TSV, Parquet, JSON Lines, GEXF, GraphML."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast, get_args
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from weft.core.errors import WeftError
from weft.core.progress import track
from weft.core.tables import flatten_for_csv
from weft.graph.selection import GraphFormat, TableFormat
from weft.graph.webgraph import WebGraph, link_weights

STDOUT = Path("-")

ILLEGAL_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
ROWS_PER_BATCH = 1 << 16
# how a node is drawn; in GEXF these are elements of their own, and no attributes
APPEARANCE = ("label", "size", "color", "x", "y")


def write_edges(
    graph: WebGraph, path: Path, nodes: pa.Table | None = None, file_format: str = ""
) -> int:
    """Write the links as source, target and weight; return their number.

    The format is that of the file's suffix, unless it is named. `nodes`, a row
    per node, are attributes of the nodes in GEXF and GraphML; its columns
    `label`, `size`, `color` (such as #2f6f9f), `x` and `y` say how a node is
    drawn.
    """
    name = resolve_format(path, file_format, get_args(GraphFormat))
    with open_output(path) as file:
        if name in TABLE_WRITERS:
            write_rows(graph.to_arrow(), file, name)
        else:
            GRAPH_WRITERS[name](graph, file, nodes if nodes is not None else pa.table({}))
    return graph.link_count


def write_table(rows: pa.Table | pa.RecordBatchReader, path: Path, file_format: str = "") -> int:
    """Write a table, or batches of one, in the format of the suffix or a named one.

    Returns the number of rows.
    """
    name = resolve_format(path, file_format, get_args(TableFormat))
    with open_output(path) as file:
        return write_rows(rows, file, name)


def write_rows(rows: pa.Table | pa.RecordBatchReader, file: BinaryIO, file_format: str) -> int:
    """Write rows to an open file, a batch at a time; return their number."""
    batches = iter(rows.to_batches(ROWS_PER_BATCH) if isinstance(rows, pa.Table) else rows)
    count = 0

    def counted() -> Iterator[pa.Table]:
        nonlocal count
        yield rows.schema.empty_table()
        for batch in batches:
            count += len(batch)
            yield pa.table(batch)

    TABLE_WRITERS[file_format](counted(), file)
    return count


def check_table_format(path: Path) -> None:
    """Refuse a path whose suffix or folder is no place for a table, before computing one."""
    resolve_format(path, "", get_args(TableFormat))


def resolve_format(path: Path, file_format: str, known: tuple[str, ...]) -> str:
    """The format of a file: the one named, else that of the suffix, and CSV on standard output."""
    name = file_format or ("csv" if path == STDOUT else path.suffix.lower()[1:])
    if name not in known:
        is_known = name in (*TABLE_WRITERS, *GRAPH_WRITERS)
        problem = (
            f"{name} is no format for this"
            if file_format or is_known
            else f"cannot tell the format of {path.name} from its ending"
        )
        cure = f"end it in {', '.join(f'.{each}' for each in known)}"
        raise WeftError(problem, hint=f"choose from {', '.join(known)}" if file_format else cure)
    if path != STDOUT:
        check_output_path(path)
    return name


def check_output_path(path: Path) -> None:
    """Refuse a path that cannot be written, before there is anything to write."""
    if not path.parent.is_dir():
        raise WeftError(f"there is no folder {path.parent}", hint="make it, or write elsewhere")
    if path.is_dir():
        raise WeftError(f"{path} is a folder", hint="name a file inside it")


@contextmanager
def open_output(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write: it appears whole or not at all; `-` is standard output.

    What is there already is replaced at the end. Devices and pipes are written directly.
    """
    if path == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    target = path.resolve()
    try:
        scratch = tempfile.NamedTemporaryFile(  # noqa: SIM115  renamed, not closed, at the end
            dir=target.parent, prefix=f".{target.name[:100]}-", delete=False
        )
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    temporary = Path(scratch.name)
    try:
        with scratch:
            yield cast("BinaryIO", scratch)
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else _new_file_mode())
        temporary.replace(target)
    except BaseException:
        with suppress(FileNotFoundError):
            temporary.unlink()
        raise


def _new_file_mode() -> int:
    """The permissions of a new file, which the process may have limited."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _write_csv(tables: Iterable[pa.Table], file: BinaryIO, delimiter: str = ",") -> None:
    first, rest = _take_first(map(flatten_for_csv, tables))
    with csv.CSVWriter(
        file, first.schema, write_options=csv.WriteOptions(delimiter=delimiter)
    ) as writer:
        for table in chain([first], rest):
            writer.write_table(table)


def _take_first(tables: Iterator[pa.Table]) -> tuple[pa.Table, Iterator[pa.Table]]:
    return next(tables), tables


def _write_tsv(tables: Iterable[pa.Table], file: BinaryIO) -> None:
    _write_csv(tables, file, "\t")


def _write_parquet(tables: Iterable[pa.Table], file: BinaryIO) -> None:
    first, rest = _take_first(iter(tables))
    with pq.ParquetWriter(file, first.schema, compression="zstd") as writer:
        for table in rest:
            writer.write_table(table)


def _write_jsonl(tables: Iterable[pa.Table], file: BinaryIO) -> None:
    """Write a JSON object per row; infinity and NaN, which JSON lacks, become null."""
    for table in map(_without_infinity, tables):
        rows = table.to_pylist()
        file.writelines(
            json.dumps(row, default=_to_json, ensure_ascii=False).encode() + b"\n" for row in rows
        )


def _to_json(value: Any) -> str:
    """Dates as in ISO 8601."""
    return str(value.isoformat() if hasattr(value, "isoformat") else value)


def _without_infinity(table: pa.Table) -> pa.Table:
    for at, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table[field.name]
            finite = pc.if_else(pc.is_finite(column), column, pa.scalar(None, field.type))
            table = table.set_column(at, field.name, finite)
    return table


TABLE_WRITERS: dict[str, Callable[[Iterable[pa.Table], BinaryIO], None]] = {
    "csv": _write_csv,
    "tsv": _write_tsv,
    "parquet": _write_parquet,
    "jsonl": _write_jsonl,
}


@contextmanager
def _open_text(file: BinaryIO) -> Iterator[TextIO]:
    text = TextIOWrapper(file, "utf-8", newline="\n", write_through=False)
    try:
        yield text
        text.flush()
    finally:
        text.detach()


def _write_gexf(graph: WebGraph, binary: BinaryIO, nodes: pa.Table) -> None:
    with _open_text(binary) as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write('<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" ')
        file.write('version="1.3">\n<graph defaultedgetype="directed" mode="static">\n')
        columns = [column for column in nodes.schema if column.name not in APPEARANCE]
        if columns:
            file.write('<attributes class="node">\n')
            for column in columns:
                name, kind = _quote_attribute(column.name), _xml_type(column.type, GEXF_TYPES)
                file.write(f'<attribute id={name} title={name} type="{kind}"/>\n')
            file.write("</attributes>\n")
        file.write(f'<nodes count="{len(graph)}">\n')
        for number, name, attributes in _iter_nodes(graph, nodes):
            label = _quote_attribute(str(attributes.get("label", name)))
            file.write(f'<node id="{number}" label={label}{_gexf_attributes(attributes)}\n')
        file.write(f'</nodes>\n<edges count="{graph.link_count}">\n')
        _write_links(graph, file, '<edge id="{0}" source="{1}" target="{2}" weight="{3}"/>\n')
        file.write("</edges>\n</graph>\n</gexf>\n")


def _gexf_attributes(attributes: dict[str, Any]) -> str:
    """The inside of a node and its end, in the order of Gephi: values, size, position, colour."""
    values = "".join(
        f"<attvalue for={_quote_attribute(name)} value={_quote_attribute(_xml_text(value))}/>"
        for name, value in attributes.items()
        if name not in APPEARANCE
    )
    parts = f"<attvalues>{values}</attvalues>" if values else ""
    if "size" in attributes:
        parts += '<viz:size value="{size}"/>'.format(**attributes)
    if "x" in attributes:
        parts += '<viz:position x="{x}" y="{y}" z="0"/>'.format(**attributes)
    if "color" in attributes:
        red, green, blue = _rgb(attributes["color"])
        parts += f'<viz:color r="{red}" g="{green}" b="{blue}"/>'
    return f">{parts}</node>" if parts else "/>"


def _write_graphml(graph: WebGraph, binary: BinaryIO, nodes: pa.Table) -> None:
    """Write GraphML; Gephi takes `label`, `size`, `x`, `y`, `r`, `g` and `b` for the drawing."""
    key = '<key id={0} for="node" attr.name={0} attr.type="{1}"/>\n'
    kinds = {"label": "string"}
    for column in nodes.schema:
        if column.name == "color":
            kinds |= {"r": "int", "g": "int", "b": "int"}
        else:
            kinds[column.name] = _xml_type(column.type, GRAPHML_TYPES)
    with _open_text(binary) as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        file.writelines(key.format(_quote_attribute(n), kind) for n, kind in kinds.items())
        file.write('<key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n')
        file.write('<graph edgedefault="directed">\n')
        for number, name, attributes in _iter_nodes(graph, nodes):
            values = {"label": name, **attributes}
            if "color" in values:
                values |= dict(zip("rgb", _rgb(values.pop("color")), strict=True))
            data = "".join(
                f"<data key={_quote_attribute(attribute)}>{_escape_text(_xml_text(value))}</data>"
                for attribute, value in values.items()
            )
            file.write(f'<node id="{number}">{data}</node>\n')
        edge = '<edge source="{1}" target="{2}"><data key="weight">{3}</data></edge>\n'
        _write_links(graph, file, edge)
        file.write("</graph>\n</graphml>\n")


GRAPH_WRITERS: dict[str, Callable[[WebGraph, BinaryIO, pa.Table], None]] = {
    "gexf": _write_gexf,
    "graphml": _write_graphml,
}
GEXF_TYPES = {"int32": "integer", "int64": "long", "float": "double", "bool": "boolean"}
GRAPHML_TYPES = {"int32": "int", "int64": "long", "float": "double", "bool": "boolean"}


def _xml_type(column: pa.DataType, names: dict[str, str]) -> str:
    """The name of a type in a format; what is no number is a string, dates too."""
    if pa.types.is_integer(column):
        return names["int64" if column.bit_width > 32 else "int32"]
    if pa.types.is_floating(column):
        return names["float"]
    return names["bool"] if pa.types.is_boolean(column) else "string"


def _xml_text(value: Any) -> str:
    """A value as XML Schema writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _to_json(value)


def _rgb(color: str) -> tuple[int, int, int]:
    """The parts of a colour such as #2f6f9f, from 0 to 255."""
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return red, green, blue


def _escape_text(text: str) -> str:
    return escape(ILLEGAL_XML.sub("", text))


def _quote_attribute(text: str) -> str:
    return quoteattr(ILLEGAL_XML.sub("", text))


def _iter_nodes(graph: WebGraph, nodes: pa.Table) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield the number, name and non-empty attributes of each node."""
    rows = chain.from_iterable(batch.to_pylist() for batch in nodes.to_batches(ROWS_PER_BATCH))
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
