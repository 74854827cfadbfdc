"""An overview of the structure of a graph by several methods."""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import pyarrow as pa

import weft.structure  # noqa: F401  registers its methods
from weft.core.register import find_method
from weft.graph.webgraph import WebGraph
from weft.structure import Shape


class OverviewPart(NamedTuple):
    """How many first facts of a method an overview takes, and the options to run it with.

    Options may omit tables but not change a fact: a number is the same wherever
    it is shown.
    """

    fact_count: int
    options: Mapping[str, Any]


OVERVIEW_PARTS = {
    "reciprocity": OverviewPart(2, {}),
    "components": OverviewPart(4, {"max_rows": 0}),
    "bow-tie": OverviewPart(12, {}),
    "degrees": OverviewPart(4, {}),
    "distances": OverviewPart(3, {}),
    "depth": OverviewPart(4, {}),
}


def overview(graph: WebGraph) -> Shape:
    """The main facts of each method that is fast.

    Examples
    --------
    >>> shape = overview(WebGraph.from_links([("a", "b"), ("b", "a"), ("b", "c")]))
    >>> shape
    <overview: pages 3, links 3, reciprocity 0.6667, mutual pairs 1>
    >>> shape["core"], shape["out"]
    (2, 1)
    """
    parts: dict[str, Shape] = {"": _graph_size(graph)}
    rows = [("", fact, value) for fact, value in parts[""].facts.items()]
    for name, part in OVERVIEW_PARTS.items():
        parts[name] = cast("Shape", find_method("structure", name)(graph, **part.options))
        first = list(parts[name].facts.items())[: part.fact_count]
        rows += [(name, fact, value) for fact, value in first]
    facts: dict[str, Any] = {}
    for _, fact, value in rows:
        facts.setdefault(fact, value)
    table = pa.table(
        {
            "part": pa.array([part for part, _, _ in rows], pa.string()),
            "fact": pa.array([fact for _, fact, _ in rows], pa.string()),
            "value": pa.array([_as_float(value) for _, _, value in rows], pa.float64()),
            "text": pa.array([v if isinstance(v, str) else None for _, _, v in rows], pa.string()),
        }
    )
    tables = {part: shape.to_table() for part, shape in parts.items() if part}
    notes = dict.fromkeys(note for shape in parts.values() for note in shape.notes)
    return Shape(
        "overview", facts, {"facts": table, **tables}, tuple(notes), {}, {"level": graph.level}
    )


def _graph_size(graph: WebGraph) -> Shape:
    facts: dict[str, Any] = {f"{graph.level}s": len(graph)}
    if graph.uncaptured is not None and (uncaptured := int(graph.uncaptured.sum())):
        facts |= {"captured": len(graph) - uncaptured, "uncaptured": uncaptured}
    return Shape("size", facts | {"links": graph.link_count}, {})


def _as_float(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
