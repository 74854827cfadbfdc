"""Answers about the collection as a whole: its numbers, its hosts, its shape."""

from inspect import signature
from pathlib import PurePath

import numpy as np
import pyarrow as pa

from weft import __version__
from weft.core.arrays import Floats, Ids
from weft.engine.connected import Parts, strong, weak
from weft.graph.levels import groups_of
from weft.run.facts import facts
from weft.run.workspace import USUAL, Workspace
from weft.show.api.asks import AtSomeLevel, ExportEdges, ExportPages, Nothing, Paged
from weft.show.api.desk import Desk
from weft.show.api.files import File
from weft.show.api.shapes import (
    Bin,
    CollectionFacts,
    Commit,
    Components,
    Defaults,
    Fact,
    Host,
    Hosts,
    Structure,
    Trouble,
)
from weft.store.numbering import KINDS
from weft.store.search import Span

LARGEST, LAST = 10, 20


def collection(desk: Desk, _ask: Nothing) -> CollectionFacts:
    """The collection in numbers."""
    workspace = desk.workspace
    told = facts(workspace)
    shown = [Fact(name=k, value=v) for k, v in told.items() if isinstance(v, str) and v]
    return CollectionFacts(
        snapshot=desk.snapshot,
        name=workspace.folder.resolve().name,
        weft=__version__,
        counts=told["counts"],
        facts=shown,
        hosts=hosts(desk, Paged(top=LARGEST)).rows,
        problems=[Trouble(**row) for row in told["problems"]],
        history=[
            Commit(
                time=note["time"],
                inputs=[PurePath(given).name for given in note["inputs"]],
                pages=note["pages"],
            )
            for note in told["history"][-LAST:]
        ],
        defaults=defaults(),
    )


def defaults() -> Defaults:
    """The methods that the workspace takes where none is named."""
    verbs = (Workspace.topics, Workspace.communities, Workspace.similar, Workspace.suggest)
    asked = [(Workspace.rank, "name"), *((verb, "method") for verb in verbs)]
    usual = {verb.__name__: signature(verb).parameters[name].default for verb, name in asked}
    return Defaults(compare=list(USUAL), **usual)


def hosts(desk: Desk, ask: Paged) -> Hosts:
    """The hosts, the one with most pages first."""
    every = desk.recall("hosts", lambda: _hosts(desk))
    rows = every.slice(ask.offset, ask.top).to_pylist()
    return Hosts(
        snapshot=desk.snapshot,
        total=len(every),
        offset=ask.offset,
        rows=[Host(**row) for row in rows],
    )


def _hosts(desk: Desk) -> pa.Table:
    pages = desk.collection.pages
    group, names = groups_of(desk.collection, "host")
    seen = pages["kind"].to_numpy() == KINDS["seen"]
    size, unread = (np.bincount(group[which], minlength=len(names)) for which in (~seen, seen))
    graph = desk.graph("host")
    linked = [degrees.astype(np.int64) for degrees in (graph.indegrees(), graph.outdegrees())]
    order = pa.array(np.lexsort((-unread, -size)))
    columns = {"host": names, "pages": size + unread, "seen": unread}
    return pa.table({**columns, "inlinks": linked[0], "outlinks": linked[1]}).take(order)


def structure(desk: Desk, ask: AtSomeLevel) -> Structure:
    """Degrees, components, and nodes without links, at a level."""
    graph = desk.graph(ask.level)
    degrees = graph.indegrees(), graph.outdegrees()
    empty = [degree == 0 for degree in degrees]
    return Structure(
        snapshot=desk.snapshot,
        level=ask.level,
        nodes=len(graph),
        links=graph.link_count,
        indegrees=_bins(degrees[0]),
        outdegrees=_bins(degrees[1]),
        unlinked=int(empty[0].sum()),
        dangling=int(empty[1].sum()),
        isolated=int((empty[0] & empty[1]).sum()),
        weak=_components(weak(graph.outlinks)),
        strong=_components(strong(graph.outlinks)),
    )


def _bins(values: Floats | Ids) -> list[Bin]:
    value, count = np.unique(values.astype(np.int64), return_counts=True)
    return [Bin(value=v, count=c) for v, c in zip(value.tolist(), count.tolist(), strict=True)]


def _components(parts: Parts) -> Components:
    return Components(
        count=len(parts.sizes),
        largest=int(parts.sizes.max(initial=0)),
        sizes=_bins(parts.sizes),
    )


def edges(desk: Desk, ask: ExportEdges) -> File:
    """All links as a file, as `weft export` writes them."""
    into = desk.file(ask.format)
    span = Span.between(ask.since, ask.until)
    desk.workspace.export(into, "edges", ask.level, span=span)
    return File(into, f"{ask.level}-links{into.suffix}")


def pages(desk: Desk, ask: ExportPages) -> File:
    """All pages as a file, as `weft export` writes them."""
    into = desk.file(ask.format)
    desk.workspace.export(into, "pages", span=Span.between(ask.since, ask.until))
    return File(into, f"pages{into.suffix}")
