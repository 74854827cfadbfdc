"""Strongly and weakly connected components."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.fact_sheet import LazyTables
from weft.core.register import Dimensions, method
from weft.graph.webgraph import WebGraph
from weft.kernels.components import (
    ComponentLabels,
    strongly_connected_components,
    weakly_connected_components,
)
from weft.structure.power_law import TailSearch, ValueCounts, fit_power_law
from weft.structure.shape import Shape, UncapturedPages, apply_uncaptured_option

MIN_TAIL_COMPONENTS = 50
NamesOf = Callable[[Sequence[int]], list[str]]
MaxListedComponents = Annotated[
    int, Field(ge=0, le=100_000, description="how many of the largest components to list")
]


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
    spark="weft.spark.structure:connected_components",
)
def connected_components(
    graph: WebGraph, *, uncaptured: UncapturedPages = "drop", max_rows: MaxListedComponents = 20
) -> Shape:
    """Find the strongly and weakly connected components.

    In a *strong* component a path leads from every page to every other; in a
    *weak* one it does if links may be followed in either direction. The tables
    give the number of components of each size, the largest, and the component
    of each page; components are numbered by their first page. A power law is
    fitted to the sizes of all except the largest, as `degrees` does but without
    a test, where more than 50 components have more than one page.

    Examples
    --------
    >>> shape = connected_components(
    ...     WebGraph.from_links([("a", "b"), ("b", "a"), ("b", "c"), ("d", "e")])
    ... )
    >>> shape["strong components"], shape["largest weak component"]
    (4, 3)
    """
    graph, notes = apply_uncaptured_option(graph, uncaptured)
    components = {
        "strong": strongly_connected_components(graph.outlinks),
        "weak": weakly_connected_components(graph.outlinks),
    }

    def names_of(pages: Sequence[int]) -> list[str]:
        return [graph.pages[page] for page in pages]

    labels = {kind: pa.array(found.labels) for kind, found in components.items()}
    tables = LazyTables(
        sizes=pa.concat_tables(size_table(kind, found) for kind, found in components.items()),
        largest=pa.concat_tables(
            largest_components_table(names_of, kind, found, max_rows)
            for kind, found in components.items()
        ),
        pages=lambda: pa.table({"page": graph.names, **labels}),
    )
    facts = component_facts(components, len(graph), graph.level)
    return Shape("components", facts, tables, notes)


def component_facts(
    components: dict[str, ComponentLabels], page_count: int, level: str
) -> dict[str, Any]:
    """The numbers of components, the largest of them, and how their sizes are distributed."""
    n = max(page_count, 1)
    facts: dict[str, Any] = {}
    for kind, found in components.items():
        facts[f"{kind} components"] = len(found.sizes)
        facts[f"largest {kind} component"] = int(found.sizes.max(initial=0))
    for kind, found in components.items():
        facts[f"share in the largest {kind} component"] = int(found.sizes.max(initial=0)) / n
        facts[f"{kind} components of one {level}"] = int(np.sum(found.sizes == 1))
        facts[f"exponent of {kind} sizes"] = _size_exponent(found)
    return facts | {f"{level}s": page_count}


def _size_exponent(components: ComponentLabels) -> float | None:
    """Fit a power law to the sizes of all components except the largest, where there are enough."""
    if np.sum(components.sizes > 1) <= MIN_TAIL_COMPONENTS:
        return None
    sizes = ValueCounts.of(np.sort(components.sizes)[:-1])
    power_law = fit_power_law(sizes, TailSearch(MIN_TAIL_COMPONENTS))
    return power_law.exponent if power_law else None


def size_table(connection: str, components: ComponentLabels) -> pa.Table:
    """Count the components of each size and their pages."""
    sizes, counts = np.unique(components.sizes.astype(np.int64), return_counts=True)
    return pa.table(
        {
            "connection": pa.array([connection] * len(sizes), pa.string()),
            "size": sizes,
            "components": counts,
            "pages": sizes * counts,
        }
    )


def largest_components_table(
    names_of: NamesOf, connection: str, components: ComponentLabels, max_rows: int
) -> pa.Table:
    """The largest components with their first pages; `names_of` gives the names of some pages."""
    order = np.argsort(-components.sizes.astype(np.int64), kind="stable")[:max_rows]
    # written from the last page to the first, so that the first page of each component remains
    first = np.empty(len(components.sizes), np.int32)
    first[components.labels[::-1]] = np.arange(len(components.labels), dtype=np.int32)[::-1]
    return pa.table(
        {
            "connection": pa.array([connection] * len(order), pa.string()),
            "component": order,
            "pages": components.sizes[order].astype(np.int64),
            "first page": pa.array(names_of(first[order].tolist()), pa.string()),
        }
    )
