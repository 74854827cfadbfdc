"""Parts of a graph, each of which can say what it left out."""

from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Ids, Rows, stacked
from weft.graph.webgraph import (
    LaterNames,
    LaterRows,
    WebGraph,
    as_names,
    link_weights,
    reverse,
    rows_of,
)


@dataclass(frozen=True, slots=True)
class Dropped:
    """What a view left out, and why."""

    reason: str
    pages: int
    links: int

    def __str__(self) -> str:
        return f"{self.reason}: {self.pages:,} pages, {self.links:,} links left out"


def subgraph(graph: WebGraph, kept: Flags, reason: str = "not chosen") -> tuple[WebGraph, Dropped]:
    """The chosen pages and the links among them; names and links in are cut when looked at."""
    number = np.where(kept, np.cumsum(kept, dtype=np.int32) - 1, -1).astype(np.int32)
    size, pages, inlinks = int(kept.sum()), graph.pages, graph.inlinks
    names = LaterNames(size, lambda: as_names(pages).filter(pa.array(kept)))
    into = cast("Rows", LaterRows(lambda: _among(inlinks, number, size)))
    seen = None if graph.seen is None else graph.seen[kept]
    view = WebGraph(names, _among(graph.outlinks, number, size), into, graph.level, seen=seen)
    return view, Dropped(reason, len(graph) - len(view), graph.link_count - view.link_count)


def _among(rows: Rows, number: Ids, n: int) -> Rows:
    """The rows of pages that have a number, among themselves; weights all one are not kept."""
    from weft.engine.chosen import chosen  # noqa: PLC0415  which loads a compiler

    heavy = np.zeros(0, np.float32) if rows.weights is None else np.asarray(rows.weights)
    begins, ids, weights = chosen(np.asarray(rows.starts), np.asarray(rows.ids), heavy, number, n)
    return Rows(begins, ids, None if bool((weights == 1).all()) else weights)


def from_pages(graph: WebGraph, kept: Flags) -> WebGraph:
    """The same pages, with the links of the chosen ones alone."""
    rows, n = graph.outlinks, len(graph)
    source = rows.owners()
    inside = kept[source]
    key = stacked(source[inside], rows.ids[inside])
    out = rows_of(key, link_weights(rows)[inside], n)
    return WebGraph(graph.pages, out, reverse(out, n), graph.level, seen=graph.seen)
