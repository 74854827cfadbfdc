"""Parts of a graph, each of which can say what it left out."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Rows
from weft.graph.webgraph import Names, WebGraph, link_weights, reverse, rows_of


@dataclass(frozen=True, slots=True)
class Dropped:
    """What a view left out, and why."""

    reason: str
    pages: int
    links: int

    def __str__(self) -> str:
        return f"{self.reason}: {self.pages:,} pages, {self.links:,} links left out"


def subgraph(graph: WebGraph, kept: Flags, reason: str = "not chosen") -> tuple[WebGraph, Dropped]:
    """The chosen pages and the links among them."""
    source, target, weight = _ends(graph)
    inside = kept[source] & kept[target]
    number = np.cumsum(kept, dtype=np.int64) - 1
    names = Names(graph.names.filter(pa.array(kept)))
    key = number[source[inside]] << 32 | number[target[inside]]
    seen = None if graph.seen is None else graph.seen[kept]
    view = _graph(names, key, weight[inside], graph, seen)
    return view, Dropped(reason, len(graph) - len(view), graph.link_count - view.link_count)


def from_pages(graph: WebGraph, kept: Flags) -> WebGraph:
    """The same pages, with the links of the chosen ones alone."""
    source, target, weight = _ends(graph)
    inside = kept[source]
    key = source[inside].astype(np.int64) << 32 | target[inside]
    return _graph(graph.pages, key, weight[inside], graph, graph.seen)


def _ends(graph: WebGraph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows: Rows = graph.outlinks
    source = np.repeat(np.arange(len(graph), dtype=np.int32), np.diff(rows.starts))
    return source, np.asarray(rows.ids), np.asarray(link_weights(rows))


def _graph(
    names: object, key: np.ndarray, weight: np.ndarray, like: WebGraph, seen: Flags | None
) -> WebGraph:
    n = len(names)  # type: ignore[arg-type]
    out = rows_of(key, weight, n)
    return WebGraph(names, out, reverse(out, n), like.level, seen=seen)  # type: ignore[arg-type]
