"""Graphs and pages as files that other programs open."""

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
from weft.core.tabular import flat
from weft.graph.webgraph import WebGraph, link_weights

ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
PIECE = 1 << 16


def write_edges(graph: WebGraph, path: Path, about: pa.Table | None = None) -> int:
    """Write the links as source, target and weight, in the format that the file's ending names.

    What is known about the nodes, a row for each, goes into the formats that
    have nodes; there columns `x` and `y` are their places.
    """
    writer = _by_ending(path, {**TABLES, ".gexf": _write_gexf, ".graphml": _write_graphml})
    if path.suffix.lower() in TABLES:
        writer(graph.to_arrow(), path)
    else:
        writer(graph, path, about if about is not None else pa.table({}))
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
    check_place(path)
    return writer


def check_place(path: Path) -> None:
    """Refuse a file that cannot be where it is to be, before there is anything to write."""
    if not path.parent.is_dir():
        raise WeftError(f"there is no folder {path.parent}", hint="make it, or write elsewhere")
    if path.is_dir():
        raise WeftError(f"{path} is a folder", hint="name a file inside it")


def _write_csv(table: pa.Table, path: Path) -> None:
    with path.open("wb") as file:
        csv.write_csv(flat(table), file)


def _write_tsv(table: pa.Table, path: Path) -> None:
    with path.open("wb") as file:
        csv.write_csv(flat(table), file, csv.WriteOptions(delimiter="\t"))


def _write_parquet(table: pa.Table, path: Path) -> None:
    with path.open("wb") as file:
        pq.write_table(table, file, compression="zstd")


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


def _write_gexf(graph: WebGraph, path: Path, about: pa.Table) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write('<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" ')
        file.write('version="1.3">\n<graph defaultedgetype="directed" mode="static">\n')
        if about.num_columns:
            file.write('<attributes class="node">\n')
            for column in about.schema:
                kind = _kind(column.type)
                file.write(f'<attribute id="{column.name}" title="{column.name}" type="{kind}"/>\n')
            file.write("</attributes>\n")
        file.write("<nodes>\n")
        for number, name, facts in _nodes(graph, about):
            file.write(f'<node id="{number}" label={_attribute(name)}{_gexf_facts(facts)}\n')
        file.write("</nodes>\n<edges>\n")
        _write_links(graph, file, '<edge id="{0}" source="{1}" target="{2}" weight="{3}"/>\n')
        file.write("</edges>\n</graph>\n</gexf>\n")


def _gexf_facts(facts: dict[str, Any]) -> str:
    if not facts:
        return "/>"
    values = "".join(
        f'<attvalue for="{name}" value={_attribute(str(value))}/>' for name, value in facts.items()
    )
    place = '<viz:position x="{x}" y="{y}" z="0"/>'.format(**facts) if "x" in facts else ""
    return f"><attvalues>{values}</attvalues>{place}</node>"


def _write_graphml(graph: WebGraph, path: Path, about: pa.Table) -> None:
    key = '<key id="{0}" for="node" attr.name="{0}" attr.type="{1}"/>\n'
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        file.write(key.format("label", "string"))
        file.writelines(key.format(column.name, _kind(column.type)) for column in about.schema)
        file.write('<key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n')
        file.write('<graph edgedefault="directed">\n')
        for number, name, facts in _nodes(graph, about):
            said = {"label": name, **facts}.items()
            data = "".join(f'<data key="{fact}">{_text(str(value))}</data>' for fact, value in said)
            file.write(f'<node id="{number}">{data}</node>\n')
        edge = '<edge source="{1}" target="{2}"><data key="weight">{3}</data></edge>\n'
        _write_links(graph, file, edge)
        file.write("</graph>\n</graphml>\n")


def _kind(column: pa.DataType) -> str:
    return "double" if pa.types.is_floating(column) else "string"


def _text(words: str) -> str:
    return escape(ILLEGAL.sub("", words))


def _attribute(words: str) -> str:
    return quoteattr(ILLEGAL.sub("", words))


def _nodes(graph: WebGraph, about: pa.Table) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The nodes by number and name, with what is known about each."""
    facts = chain.from_iterable(batch.to_pylist() for batch in about.to_batches(PIECE))
    for number, name in enumerate(track(graph.pages, "nodes", len(graph))):
        yield number, name, {k: v for k, v in next(facts, {}).items() if v not in ("", None)}


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
            map(_shortest, weights[place].tolist()),
            strict=True,
        )
        file.writelines(form.format(*link) for link in piece)


def _shortest(weight: float) -> str:
    """The fewest digits that are the weight and no other."""
    return repr(weight).removesuffix(".0")
