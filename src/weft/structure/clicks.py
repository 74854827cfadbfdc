"""Average clicks: how far a reader has to go, where long lists of links count for more."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.dimensions import Dimensions
from weft.core.errors import BadParameter
from weft.core.methods import method
from weft.core.wording import count
from weft.graph.webgraph import WebGraph
from weft.structure.shape import Shape

NONE: list[str] = []
Source = Annotated[str, Field(description="the page to start from")]
Targets = Annotated[list[str], Field(description="the pages to go to; without them the nearest")]
Pages = Annotated[list[str], Field(description="pages to measure the ways between, all to all")]
Base = Annotated[
    float, Field(gt=1, le=1e6, description="one click among so many links counts as one")
]
Alpha = Annotated[
    float, Field(gt=0, le=1, description="probability of following a link at all, at each page")
]
Within = Annotated[
    float, Field(ge=0, description="go no further than so many average clicks; 0 is no limit")
]
Most = Annotated[int, Field(ge=1, le=100_000, description="how many of the nearest pages to list")]
Outdegrees = Annotated[
    list[str],
    Field(description="PAGE=NUMBER: how many links a page shows, where the graph does not know"),
]


class Lengths(NamedTuple):
    """What a link of each page counts, and how far to go."""

    link: Floats
    within: float


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
def clicks(
    graph: WebGraph,
    *,
    source: Source = "",
    targets: Targets = NONE,
    pages: Pages = NONE,
    base: Base = 7.0,
    alpha: Alpha = 1.0,
    within: Within = 0.0,
    outdegrees: Outdegrees = NONE,
    most: Most = 100,
) -> Shape:
    """Measure ways between pages in average clicks: the more links on a page, the longer each.

    A link on a page with d links counts `log(d / alpha)` to the base of 7, the
    links of an average page: one click among seven is one, one among 49 is
    two, and the only link of a page is nothing. The distance is that of the
    shortest way in this measure, with the clicks on it and, beside them, the
    plain clicks of the way with fewest. A page's links are its distinct
    targets, pages never fetched among them. Ways between `pages` are given as
    tables of all pairs in both measures. Without source and pages the answer
    is empty.

    Examples
    --------
    >>> graph = WebGraph.from_links([("a", "b"), ("a", "c"), ("b", "d")])
    >>> found = clicks(graph, source="a", targets=["d"])
    >>> found.to_table().to_pylist()[0]["average clicks"]
    0.3562071871080222
    """
    between = list(dict.fromkeys(pages))
    asked = ([source] if source else []) + between + targets
    graph.numbers(asked)
    lengths = _lengths(graph, base, alpha, outdegrees, within or np.inf)
    shown = _from(graph, source, targets, lengths, most) if source else _NOWHERE
    facts: dict[str, Any] = dict(shown.facts)
    tables = {} if between and not source else {"ways": shown.table}
    if between:
        matrices = _matrices(graph, between, lengths)
        ways = matrices["plain clicks"].columns[1:]
        joined = sum(len(way) - way.null_count for way in ways) - len(between)
        facts |= {f"{graph.level}s compared": len(between), "pairs joined": joined}
        tables |= matrices
    facts |= {"base": base, "alpha": alpha}
    notes = shown.notes if source or between else (f"no {graph.level} to start from was given",)
    return Shape("clicks", facts, tables, notes)


WAYS = pa.schema(
    {
        "page": pa.string(),
        "average clicks": pa.float64(),
        "clicks": pa.int32(),
        "plain clicks": pa.int32(),
        "path": pa.list_(pa.string()),
    }
)


class Shown(NamedTuple):
    """The ways from one page."""

    facts: dict[str, Any]
    table: pa.Table
    notes: tuple[str, ...]


_NOWHERE = Shown({"reached": 0}, WAYS.empty_table(), ())


def _lengths(
    graph: WebGraph, base: float, alpha: float, outdegrees: list[str], within: float
) -> Lengths:
    degrees = np.diff(graph.outlinks.starts).astype(np.float64)
    for given in outdegrees:
        page, _, number = given.rpartition("=")
        if not number.isdigit() or not int(number):
            raise BadParameter(f"{given!r} is not PAGE=NUMBER", hint="as in http://a.org/=12")
        degrees[graph.numbers([page])[0]] = int(number)
    return Lengths(np.log(np.maximum(degrees, 1) / alpha) / np.log(base), within)


def _from(graph: WebGraph, source: str, targets: list[str], lengths: Lengths, most: int) -> Shown:
    from weft.engine.hops import clicks as plain_clicks  # noqa: PLC0415  loads the compiler
    from weft.engine.nearest import nearest, way_to  # noqa: PLC0415

    start = int(graph.numbers([source])[0])
    found = nearest(graph.outlinks, lengths.link, start, lengths.within)
    plain, _ = plain_clicks([graph.outlinks], [start])
    near = found.clicks > 0
    reached = np.flatnonzero(near)
    if targets:
        chosen = graph.numbers(targets)
    else:
        order = np.lexsort((reached, found.clicks[reached], found.distance[reached]))
        chosen = reached[order[:most]].astype(np.int32)
    ways = [way_to(int(page), found.before) if found.clicks[page] >= 0 else [] for page in chosen]
    rows = {
        "page": [graph.pages[int(page)] for page in chosen],
        "average clicks": found.distance[chosen],
        "clicks": _known(found.clicks[chosen]),
        "plain clicks": _known(plain[chosen]),
        "path": [[graph.pages[page] for page in way] for way in ways],
    }
    distance = found.distance[reached]
    facts = {
        "from": source,
        "reached": len(reached),
        "mean average clicks": float(distance.mean()) if len(reached) else None,
        "furthest": float(distance.max()) if len(reached) else None,
        "links there": int(np.diff(graph.outlinks.starts)[start]),
        "a link there counts": float(lengths.link[start]),
    }
    told = f"the nearest {most:,} of {count(len(reached), graph.level)} reached are listed"
    return Shown(
        facts, pa.table(rows, WAYS), (told,) if not targets and len(reached) > most else ()
    )


def _known(numbers: Any) -> pa.Array:
    """Numbers of clicks, none where no way leads."""
    return pa.array(numbers, pa.int32(), mask=numbers < 0)


def _matrices(graph: WebGraph, pages: list[str], lengths: Lengths) -> dict[str, pa.Table]:
    """From each page, a row, to each page, a column: average clicks, and plain ones."""
    from weft.engine.hops import clicks as plain_clicks  # noqa: PLC0415  loads the compiler
    from weft.engine.nearest import nearest  # noqa: PLC0415

    numbers, links = graph.numbers(pages), graph.outlinks
    average, plain = [], []
    for page in numbers.tolist():
        average.append(nearest(links, lengths.link, page, lengths.within).distance[numbers])
        plain.append(plain_clicks([links], [page])[0][numbers])
    found = {
        "average clicks": [pa.array(column) for column in np.array(average).T],
        "plain clicks": [_known(column) for column in np.array(plain).T],
    }
    names = ["from", *pages]
    return {
        name: pa.Table.from_arrays([pa.array(pages, pa.string()), *columns], names)
        for name, columns in found.items()
    }
