"""Average clicks: a distance between pages in which links of long lists count for more."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats, Ids
from weft.core.errors import BadParameter
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.graph.webgraph import WebGraph
from weft.structure.shape import Shape

NO_PAGES: list[str] = []
Source = Annotated[str, Field(description="page to start from")]
Targets = Annotated[list[str], Field(description="pages to go to; default: the nearest")]
Pages = Annotated[list[str], Field(description="pages to compare, each with every other")]
Base = Annotated[
    float, Field(gt=1, le=1e6, description="links of an average page: base of the logarithm")
]
ClickDamping = Annotated[
    float, Field(gt=0, le=1, description="damping factor: probability of following a link")
]
MaxDistance = Annotated[float, Field(ge=0, description="maximum of average clicks; 0: no limit")]
MaxListedPages = Annotated[
    int, Field(ge=1, le=100_000, description="how many of the nearest pages to list")
]
Outdegrees = Annotated[
    list[str], Field(description="PAGE=NUMBER: out-degree of a page, instead of the graph's")
]

PATHS_SCHEMA = pa.schema(
    {
        "page": pa.string(),
        "average clicks": pa.float64(),
        "clicks": pa.int32(),
        "plain clicks": pa.int32(),
        "path": pa.list_(pa.string()),
    }
)


class LinkLengths(NamedTuple):
    """The length of the links of each page, and the distance at which a search ends."""

    per_page: Floats
    max_distance: float


class PathsFromPage(NamedTuple):
    """Shortest paths from one page: facts, a row for each path, and notes."""

    facts: dict[str, Any]
    table: pa.Table
    notes: tuple[str, ...]


NO_PATHS = PathsFromPage({"reached": 0}, PATHS_SCHEMA.empty_table(), ())


@method(
    "structure",
    "clicks",
    cites="matsuo2001",
    dimensions=Dimensions(
        model="Markov model",
        metric="distance between pages",
        algorithm="best-first search",
        scope="multiple pages",
        applications=("web communities", "web search", "adaptive web sites"),
    ),
)
def average_clicks(
    graph: WebGraph,
    *,
    source: Source = "",
    targets: Targets = NO_PAGES,
    pages: Pages = NO_PAGES,
    base: Base = 7.0,
    damping: ClickDamping = 1.0,
    within: MaxDistance = 0.0,
    outdegrees: Outdegrees = NO_PAGES,
    max_rows: MaxListedPages = 100,
) -> Shape:
    """Measure distances between pages in average clicks.

    A link of a page with d links has the length log(d / damping) to the base 7,
    the number of links of an average page: one click among 7 links is 1, one
    among 49 is 2, and the only link of a page is 0. The distance is that of the
    shortest path in this measure. Beside it are the clicks on this path and the
    plain clicks, those on the path with the fewest. The links of a page are its
    distinct targets, captured or not. Distances between `pages` are tables of
    all pairs in both measures. Without source and pages the result is empty.

    Examples
    --------
    >>> graph = WebGraph.from_links([("a", "b"), ("a", "c"), ("b", "d")])
    >>> shape = average_clicks(graph, source="a", targets=["d"])
    >>> shape.to_table().to_pylist()[0]["average clicks"]
    0.3562071871080222
    """
    compared = list(dict.fromkeys(pages))
    graph.page_numbers([*([source] if source else []), *compared, *targets])  # all must exist
    lengths = _link_lengths(graph, base, damping, outdegrees, within or np.inf)
    paths = _paths_from_source(graph, source, targets, lengths, max_rows) if source else NO_PATHS
    facts: dict[str, Any] = dict(paths.facts)
    tables = {} if compared and not source else {"paths": paths.table}
    if compared:
        matrices = _distance_matrices(graph, compared, lengths)
        columns = matrices["plain clicks"].columns[1:]
        connected = sum(len(column) - column.null_count for column in columns) - len(compared)
        facts |= {f"{graph.level}s compared": len(compared), "connected pairs": connected}
        tables |= matrices
    facts |= {"base": base, "damping": damping}
    notes = paths.notes if source or compared else (f"no {graph.level} to start from was given",)
    return Shape("clicks", facts, tables, notes)


def _link_lengths(
    graph: WebGraph, base: float, damping: float, outdegrees: list[str], max_distance: float
) -> LinkLengths:
    degrees = np.diff(graph.outlinks.starts).astype(np.float64)
    for given in outdegrees:
        page, _, number = given.rpartition("=")
        if not number.isdigit() or not int(number):
            raise BadParameter(f"{given!r} is not PAGE=NUMBER", hint="as in http://a.org/=12")
        degrees[graph.page_numbers([page])[0]] = int(number)
    # log_base(d / damping); a page without links has no link to measure
    return LinkLengths(np.log(np.maximum(degrees, 1) / damping) / np.log(base), max_distance)


def _paths_from_source(
    graph: WebGraph, source: str, targets: list[str], lengths: LinkLengths, max_rows: int
) -> PathsFromPage:
    from weft.kernels.traversal import bfs_distances, dijkstra, path_to  # noqa: PLC0415  loads the compiler

    start = int(graph.page_numbers([source])[0])
    shortest = dijkstra(graph.outlinks, lengths.per_page, start, lengths.max_distance)
    plain_clicks, _ = bfs_distances([graph.outlinks], [start])
    reached = np.flatnonzero(shortest.hops > 0)
    if targets:
        chosen = graph.page_numbers(targets)
    else:  # by distance, then clicks, then page
        order = np.lexsort((reached, shortest.hops[reached], shortest.distance[reached]))
        chosen = reached[order[:max_rows]].astype(np.int32)
    paths = [
        path_to(int(page), shortest.predecessor) if shortest.hops[page] >= 0 else []
        for page in chosen
    ]
    rows = {
        "page": [graph.pages[int(page)] for page in chosen],
        "average clicks": shortest.distance[chosen],
        "clicks": _null_if_unreached(shortest.hops[chosen]),
        "plain clicks": _null_if_unreached(plain_clicks[chosen]),
        "path": [[graph.pages[page] for page in path] for path in paths],
    }
    distance = shortest.distance[reached]
    facts = {
        "from": source,
        "reached": len(reached),
        "mean average clicks": float(distance.mean()) if len(reached) else None,
        "furthest": float(distance.max()) if len(reached) else None,
        "links of the source": int(np.diff(graph.outlinks.starts)[start]),
        "length of these links": float(lengths.per_page[start]),
    }
    cut = f"the nearest {max_rows:,} of {pluralise(len(reached), graph.level)} reached are listed"
    notes = (cut,) if not targets and len(reached) > max_rows else ()
    return PathsFromPage(facts, pa.table(rows, PATHS_SCHEMA), notes)


def _null_if_unreached(clicks: Ids) -> pa.Array:
    """Numbers of clicks, null where no path leads."""
    return pa.array(clicks, pa.int32(), mask=clicks < 0)


def _distance_matrices(
    graph: WebGraph, pages: list[str], lengths: LinkLengths
) -> dict[str, pa.Table]:
    """Distances from each page (row) to each page (column): average clicks, and plain ones."""
    from weft.kernels.traversal import bfs_distances, dijkstra  # noqa: PLC0415  loads the compiler

    numbers, links = graph.page_numbers(pages), graph.outlinks
    average, plain = [], []
    for page in numbers.tolist():
        shortest = dijkstra(links, lengths.per_page, page, lengths.max_distance)
        average.append(shortest.distance[numbers])
        plain.append(bfs_distances([links], [page])[0][numbers])
    matrices = {
        "average clicks": [pa.array(column) for column in np.array(average).T],
        "plain clicks": [_null_if_unreached(column) for column in np.array(plain).T],
    }
    names = ["from", *pages]
    return {
        name: pa.Table.from_arrays([pa.array(pages, pa.string()), *columns], names)
        for name, columns in matrices.items()
    }
