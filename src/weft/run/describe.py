"""What the graph of a collection is like: one part of its structure, or the heads of them all."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, cast

import pyarrow as pa

import weft.structure  # noqa: F401  registers its methods
from weft.core.errors import BadParameter
from weft.core.methods import find
from weft.graph.options import Level
from weft.graph.webgraph import WebGraph
from weft.run.analyse import View, look, provenance
from weft.run.names import named
from weft.store.collection import Collection
from weft.structure import Shape


class Head(NamedTuple):
    """How many of a part's first facts an overview takes, and options that leave tables out.

    No option may change a fact: a figure is the same wherever it is shown.
    """

    facts: int
    options: Mapping[str, Any]


PAGES = {"home", "pages", "source", "targets"}
OVERVIEW = {
    "reciprocity": Head(2, {}),
    "components": Head(4, {"most": 0}),
    "bow-tie": Head(12, {}),
    "degrees": Head(4, {}),
    "distances": Head(3, {}),
    "depth": Head(4, {}),
}


def describe(collection: Collection, view: View, name: str, options: Mapping[str, Any]) -> Shape:
    """Describe a part of a collection by a method, or without a name by the heads of all."""
    options = find("structure", name).checked(options) if name else options
    seen = look(collection, view)
    graph = seen.base.graph
    if name:
        meant = {key: _meant(collection, view.level, key, value) for key, value in options.items()}
        made = cast("Shape", find("structure", name)(graph, **meant))
    elif options:
        raise BadParameter("an overview has no options", hint="name the part that has them")
    else:
        made = overview(graph)
    return replace(made, provenance=provenance(collection, seen))


def _meant(collection: Collection, level: Level, option: str, value: Any) -> Any:
    """An option's value, with URLs as the collection has them where it names pages."""
    if option not in PAGES or not value:
        return value
    if isinstance(value, str):
        return named(collection, level, value)
    return [named(collection, level, each) for each in value]


def overview(graph: WebGraph) -> Shape:
    """The most telling facts of every part that is found quickly.

    Examples
    --------
    >>> found = overview(WebGraph.from_links([("a", "b"), ("b", "a"), ("b", "c")]))
    >>> found
    <overview: pages 3, links 3, reciprocity 0.6667, mutual pairs 1>
    >>> found["core"], found["out"]
    (2, 1)
    """
    parts: dict[str, Shape] = {"": _size(graph)}
    for name, head in OVERVIEW.items():
        parts[name] = cast("Shape", find("structure", name)(graph, **head.options))
    rows = [
        (part, fact, value)
        for part, shape in parts.items()
        for fact, value in list(shape.facts.items())[: OVERVIEW[part].facts if part else None]
    ]
    facts: dict[str, Any] = {}
    for _, fact, value in rows:
        facts.setdefault(fact, value)
    table = pa.table(
        {
            "part": pa.array([part for part, _, _ in rows], pa.string()),
            "fact": pa.array([fact for _, fact, _ in rows], pa.string()),
            "value": pa.array([_number(value) for _, _, value in rows], pa.float64()),
            "text": pa.array([v if isinstance(v, str) else None for _, _, v in rows], pa.string()),
        }
    )
    tables = {part: shape.to_table() for part, shape in parts.items() if part}
    notes = dict.fromkeys(note for shape in parts.values() for note in shape.notes)
    return Shape(
        "overview",
        facts,
        {"facts": table, **tables},
        tuple(notes),
        {},
        {"level": graph.level},
    )


def _size(graph: WebGraph) -> Shape:
    facts: dict[str, Any] = {f"{graph.level}s": len(graph)}
    if graph.seen is not None and (unread := int(graph.seen.sum())):
        facts |= {"fetched": len(graph) - unread, "never fetched": unread}
    return Shape("size", facts | {"links": graph.link_count}, {})


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
