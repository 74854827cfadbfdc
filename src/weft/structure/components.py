"""The parts of a web that hang together, along links and across them."""

from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.engine.connected import Parts, strong, weak
from weft.graph.webgraph import WebGraph
from weft.structure.fetched import SeenPages, fetched
from weft.structure.powerlaw import Counted, Search, fit
from weft.structure.shape import Shape, Tables

LEAST = 50
Most = Annotated[int, Field(ge=0, le=100_000, description="how many of the largest to list")]


@method(
    "structure",
    "components",
    cites="tarjan1972",
    dimensions=Dimensions(
        model="whole graph",
        metric="whole-graph properties",
        algorithm="graph traversal",
        scope="whole web",
        applications=("modelling the web graph",),
    ),
)
def components(graph: WebGraph, *, seen: SeenPages = "drop", most: Most = 20) -> Shape:
    """Find the parts of a web that hang together: strongly, and if directions do not matter.

    In a *strong* component every page leads to every other; in a *weak* one
    every page is joined with every other if links are followed either way. The
    tables say how many components there are of each size, which are the
    largest, and in which each page is; these are numbered by their first pages.
    The sizes but for the largest are described by a power law, as degrees are
    by `degrees`, untested, where more than 50 have more than one page.

    Examples
    --------
    >>> found = components(WebGraph.from_links([("a", "b"), ("b", "a"), ("b", "c"), ("d", "e")]))
    >>> found["strong components"], found["largest weak component"]
    (4, 3)
    """
    graph, notes = fetched(graph, seen)
    found = {"strong": strong(graph.outlinks), "weak": weak(graph.outlinks)}
    sizes = [_sizes(kind, parts) for kind, parts in found.items()]
    largest = [_largest(graph, kind, parts, most) for kind, parts in found.items()]
    labels = {kind: pa.array(parts.label) for kind, parts in found.items()}
    tables = Tables(
        sizes=pa.concat_tables(sizes),
        largest=pa.concat_tables(largest),
        pages=lambda: pa.table({"page": graph.names, **labels}),
    )
    facts = _facts(found, graph) | {f"{graph.level}s": len(graph)}
    return Shape("components", facts, tables, notes)


def _facts(found: dict[str, Parts], graph: WebGraph) -> dict[str, Any]:
    n = max(len(graph), 1)
    facts: dict[str, Any] = {}
    for kind, parts in found.items():
        facts[f"{kind} components"] = len(parts.sizes)
        facts[f"largest {kind} component"] = int(parts.sizes.max(initial=0))
    for kind, parts in found.items():
        facts[f"share in the largest {kind} component"] = int(parts.sizes.max(initial=0)) / n
        facts[f"{kind} components of one {graph.level}"] = int(np.sum(parts.sizes == 1))
        several = np.sum(parts.sizes > 1) > LEAST
        law = fit(Counted.of(np.sort(parts.sizes)[:-1]), Search(LEAST)) if several else None
        facts[f"exponent of {kind} sizes"] = law.exponent if law else None
    return facts


def _sizes(kind: str, parts: Parts) -> pa.Table:
    """How many components there are of each size, and how many pages these have."""
    size, number = np.unique(parts.sizes.astype(np.int64), return_counts=True)
    return pa.table(
        {
            "connection": pa.array([kind] * len(size), pa.string()),
            "size": size,
            "components": number,
            "pages": size * number,
        }
    )


def _largest(graph: WebGraph, kind: str, parts: Parts, most: int) -> pa.Table:
    order = np.argsort(-parts.sizes.astype(np.int64), kind="stable")[:most]
    first = np.empty(len(parts.sizes), np.int32)
    first[parts.label[::-1]] = np.arange(len(graph), dtype=np.int32)[::-1]
    return pa.table(
        {
            "connection": pa.array([kind] * len(order), pa.string()),
            "component": order,
            "pages": parts.sizes[order].astype(np.int64),
            "first page": pa.array([graph.pages[k] for k in first[order]], pa.string()),
        }
    )
