"""A map of a graph for notebooks, which works without a network."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from weft.core.arrays import Ids, argsort_descending
from weft.core.text import CONTROL_CHARS, pluralise, shorten, strip_scheme
from weft.graph.appearance import PALETTE, appearance_columns
from weft.graph.baseset.baseset import BaseSet
from weft.graph.views import subgraph
from weft.graph.webgraph import WebGraph
from weft.groups.group import Group
from weft.groups.groups import Groups
from weft.rank.ranking import Ranking

FOLDER = Path(__file__).parent
MAX_LABEL_CHARS, MAX_LINKS = 60, 20_000
DEFAULT_NODES, MAX_NODES = 400, 3000


class GraphMap(anywidget.AnyWidget):
    """A map to zoom, move and search; `selected` is the name of the node that was clicked."""

    _esm = FOLDER / "graph_map.js"
    _css = FOLDER / "graph_map.css"
    drawing = traitlets.Dict().tag(sync=True)
    caption = traitlets.Unicode().tag(sync=True)
    legend: traitlets.List[Any] = traitlets.List().tag(sync=True)
    height = traitlets.Int(480).tag(sync=True)
    selected = traitlets.Unicode().tag(sync=True)


@dataclass(frozen=True, slots=True, eq=False)
class MapView:
    """What is drawn: a graph, the score and group of each node, titles and labels of groups."""

    graph: WebGraph
    score: np.ndarray[Any, Any]
    group: Ids
    labels: tuple[str, ...] = ()
    titles: Sequence[str] = ()


def graph_map(
    shown: Any,
    *,
    groups: Groups | None = None,
    ranking: Ranking | None = None,
    nodes: int = DEFAULT_NODES,
    height: int = 480,
) -> GraphMap:
    """A map of a graph, a base set, or topics or communities.

    It has the `nodes` best by the ranking, else by in-links; of groups, those
    in groups first. Groups colour the nodes.
    """
    view = _view_of(shown, groups, ranking)
    priority = view.score / max(float(view.score.max(initial=0)), 1e-300) + (view.group > 0)
    chosen = np.zeros(len(view.graph), bool)
    chosen[argsort_descending(priority)[: min(nodes, MAX_NODES)]] = True
    part, _ = subgraph(view.graph, chosen, "")
    kept = np.flatnonzero(chosen)
    look = appearance_columns(part, view.score[kept], view.group[kept])
    columns = {name: column.to_pylist() for name, column in look.items()}
    rows = zip(part.names.to_pylist(), view.group[kept].tolist(), *columns.values(), strict=True)
    source = np.repeat(np.arange(len(part)), np.diff(part.outlinks.starts))
    links = np.column_stack([source, part.outlinks.ids])[:MAX_LINKS].tolist()
    names = ("", *view.labels)
    drawn = [
        {
            "name": CONTROL_CHARS.sub("", name),
            "label": _label(name, view.titles[k] if len(view.titles) else ""),
            "group": names[group] if group < len(names) else "",
            **dict(zip(columns, values, strict=True)),
        }
        for k, (name, group, *values) in zip(kept.tolist(), rows, strict=True)
    ]
    return GraphMap(
        drawing={"nodes": drawn, "links": links},
        caption=_caption(view.graph, part),
        legend=[[color, name] for color, name in zip(PALETTE, view.labels, strict=False)],
        height=height,
    )


def _view_of(shown: Any, groups: Groups | None, ranking: Ranking | None) -> MapView:
    """The graph of a view, with the scores and groups of its nodes."""
    if isinstance(shown, Groups):
        groups = groups or shown
        shown = shown.base
    titles: Sequence[str] = shown.titles if isinstance(shown, BaseSet) else ()
    graph = shown.graph if isinstance(shown, BaseSet) else WebGraph.from_any(shown)
    place = _places(graph)
    score = graph.indegrees().astype(np.float64)
    if ranking is not None:
        score = _align(place, ranking.pages, ranking.score(), len(graph)).astype(np.float64)
    group = np.zeros(len(graph), np.int32)
    labels: tuple[str, ...] = ()
    if groups is not None:
        group = _align(place, groups.base.pages, groups.group_of_page + 1, len(graph))
        labels = tuple(map(_group_label, groups))
    return MapView(graph, score, group.astype(np.int32), labels, titles)


def _group_label(group: Group) -> str:
    return shorten(CONTROL_CHARS.sub("", group.name), MAX_LABEL_CHARS)


def _places(graph: WebGraph) -> Callable[[str], int]:
    """The number of a node by its name, -1 for none."""
    number: Mapping[str, int] = {name: k for k, name in enumerate(graph.pages)}
    return lambda name: number.get(name, -1)


def _align(
    place: Callable[[str], int], names: Sequence[str], values: np.ndarray[Any, Any], count: int
) -> np.ndarray[Any, Any]:
    """Values of named nodes in the order of a graph, zero for the others."""
    aligned = np.zeros(count + 1, values.dtype)
    aligned[[place(name) for name in names]] = values
    return aligned[:count]


def _label(name: str, title: str) -> str:
    return shorten(CONTROL_CHARS.sub("", title or strip_scheme(name)), MAX_LABEL_CHARS)


def _caption(graph: WebGraph, part: WebGraph) -> str:
    nodes = pluralise(len(part), graph.level)
    of = f" of {len(graph):,}" if len(part) < len(graph) else ""
    return f"{nodes}{of}, {pluralise(part.link_count, 'link')} among them"
