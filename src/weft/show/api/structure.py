"""Answers about the shape of the graph: facts and tables, pictures, and a page's place in it."""

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any, cast

import numpy as np
import pyarrow as pa

from weft.core.documents import plain
from weft.core.errors import UnknownName
from weft.core.wording import listed
from weft.run.plots import plots
from weft.show.api.desk import Desk, frozen
from weft.show.api.files import File, table_file
from weft.show.api.questions import Described, Pictured, Placed, Region
from weft.show.api.rankings import VIEW, told
from weft.show.api.shapes import Left, Named
from weft.show.api.surveyed import Connected, PlaceFound, RegionFound, ShapeFound, Table, Titled
from weft.structure import BowTie, Shape
from weft.structure.bowtie import REGIONS

MOST_NAMES = 1000
NAMING = frozenset({"page", "other", "first page", "path", "mine", "theirs", "nearest", "example"})


def structure(desk: Desk, ask: Described) -> ShapeFound | File:
    """The graph described: facts, and the first rows of the tables behind them."""
    shape = described(desk, ask)
    if ask.format != "json":
        return shape_file(desk, shape, ask.table, ask.format)
    tables = rows_of(shape, ask.table, ask.offset, ask.top)
    return ShapeFound(
        snapshot=desk.snapshot,
        method=shape.method,
        level=ask.level,
        query=ask.query,
        options=plain(shape.options),
        facts=plain(shape.facts),
        tables=tables,
        notes=list(shape.notes),
        names=names_of(desk, tables) if ask.level == "page" else {},
        pictures=list(plots(shape)),
        left_out=[Left(**left) for left in shape.provenance["left_out"]],
        provenance=told(shape.provenance),
    )


def described(desk: Desk, ask: Described | Pictured | Placed | Region) -> Shape:
    """The graph of a view described by a method, once; without a method an overview."""
    view = {name: getattr(ask, name) for name in VIEW}
    key = ("structure", ask.method_name, frozen(view), frozen(ask.chosen))
    return desk.recall(key, lambda: desk.workspace.structure(ask.method_name, **view, **ask.chosen))


def shape_file(desk: Desk, shape: Shape, table: str, form: str) -> File:
    """A whole table as a file."""
    name = table or next(iter(shape.tables))
    return table_file(shape.to_table(table), desk.file(form), f"{shape.method}-{name}")


def rows_of(shape: Shape, name: str, offset: int, top: int) -> dict[str, Table]:
    """Some rows of a table, or of all tables."""
    chosen: Mapping[str, pa.Table] = {name: shape.to_table(name)} if name else shape.tables
    return {
        each: Table(
            columns=table.column_names,
            total=len(table),
            offset=offset,
            rows=plain(list(zip(*_columns(table.slice(offset, top)), strict=True))),
        )
        for each, table in chosen.items()
    }


def _columns(table: pa.Table) -> list[list[Any]]:
    return [column.to_pylist() for column in table.columns]


def names_of(desk: Desk, tables: Mapping[str, Table]) -> dict[str, Titled]:
    """Title and kind of the pages that rows name."""
    every = dict.fromkeys(chain.from_iterable(_named(table) for table in tables.values()))
    found = desk.names(islice(every, MOST_NAMES))
    return {row["page"]: Titled(title=row["title"], kind=row["kind"]) for row in found}


def _named(table: Table) -> Iterator[str]:
    """The pages that are named in rows, alone or as the steps of a path."""
    at = [k for k, column in enumerate(table.columns) if column in NAMING]
    for cell in (row[k] for row in table.rows for k in at):
        if isinstance(cell, str | list):
            yield from filter(None, [cell] if isinstance(cell, str) else cell)


def picture(desk: Desk, ask: Pictured) -> File:
    """A picture of it as SVG."""
    drawn = plots(described(desk, ask))
    name = ask.picture or next(iter(drawn))
    if name not in drawn:
        raise UnknownName("picture", name, drawn, hint=f"there is {listed(list(drawn))}")
    into = desk.file("svg")
    into.write_text(str(drawn[name]), "utf-8")
    return File(into, f"{name}.svg")


def why(desk: Desk, ask: Placed) -> PlaceFound:
    """Where a page is in the bow-tie, and a path that shows it."""
    found, page = cast("BowTie", described(desk, ask)), desk.named(ask.url, ask.level)
    about: dict[str, Any] = {"snapshot": desk.snapshot, "page": page, "level": ask.level}
    if found.graph.number(page) < 0:
        note = "it is not among the pages looked at; one that was never fetched needs seen=keep"
        return PlaceFound(**about, region="", meaning="", path=[], both_ways=False, note=note)
    place = found.why(page)
    return PlaceFound(
        **about,
        region=place.region,
        meaning=REGIONS[place.region],
        path=[Named(**name) for name in desk.names(place.path, ask.level)],
        both_ways=place.both_ways,
        note="",
    )


def region(desk: Desk, ask: Region) -> RegionFound | File:
    """The pages of a region of the bow-tie, the most linked first."""
    found = cast("BowTie", described(desk, ask))
    inlinks, outlinks = (
        np.diff(np.asarray(rows.starts)) for rows in (found.graph.inlinks, found.graph.outlinks)
    )
    pages = np.flatnonzero(found.region == list(REGIONS).index(ask.region))
    pages = pages[np.argsort(-inlinks[pages], kind="stable")]
    columns = {"inlinks": inlinks[pages], "outlinks": outlinks[pages]}
    table = pa.table({"page": found.graph.names.take(pa.array(pages)), **columns})
    if ask.format != "json":
        return table_file(table, desk.file(ask.format), f"bow-tie-{ask.region.replace(' ', '-')}")
    rows = table.slice(ask.offset, ask.top).to_pylist()
    names = desk.names([row["page"] for row in rows], ask.level)
    return RegionFound(
        snapshot=desk.snapshot,
        region=ask.region,
        meaning=REGIONS[ask.region],
        level=ask.level,
        total=len(table),
        offset=ask.offset,
        rows=[Connected(**{**row, **name}) for row, name in zip(rows, names, strict=True)],
    )
