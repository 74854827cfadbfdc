"""SALSA: hubs and authorities as the walks of a reader who steps back and forth."""

from functools import cache
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats, Ids
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Limit, Tolerance, Weighted
from weft.engine import CLOSED, Components, Trace, fixed_point, powers, unit
from weft.graph.webgraph import WebGraph
from weft.rank.hits import EMPTY, settled
from weft.rank.parts import Parts
from weft.rank.ranking import Certainty, Ranking

Solve = Annotated[
    Literal["closed", "walk"],
    Field(description="by the closed form, or step by step as the readers walk"),
]
Scores = dict[str, Floats]
Explained = dict[str, Parts]


@method(
    "rank",
    "salsa",
    cites="lempel2001",
    dimensions=Dimensions(
        model="Markov model",
        metric="hub and authority scores",
        algorithm="HITS",
        scope="single page",
        applications=("web search",),
    ),
)
def salsa(
    graph: WebGraph,
    *,
    solve: Solve = "closed",
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score each page by how often readers who step back and forth along links meet it.

    From an authority the reader goes back along a random link to a hub, and
    from there along a random link to an authority. The walk cannot leave its
    bipartite component, and readers start evenly on all pages: a component
    has the share of its pages, and within it a page the share of its links.
    So a lone link can outrank the leader of a large component. No iteration is
    needed; `solve=walk` makes the steps nevertheless, as a check.

    Examples
    --------
    >>> salsa(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by salsa, led by x>
    """
    components = graph.flow().components()
    scores, parts = closed(graph, components, weighted=weighted)
    trace = CLOSED
    if solve == "walk":
        scores, parts, trace = walked(graph, tolerance, limit, weighted=weighted)
    return Ranking(
        "salsa", graph.pages, scores, trace, cache(lambda: _certainty(components)), parts
    )


def closed(graph: WebGraph, components: Components, *, weighted: bool) -> tuple[Scores, Explained]:
    """Each component's share of the pages, spread over its links."""
    scores, parts = {}, {}
    for name, rows, degrees, mine, other in (
        (
            "authority",
            graph.inlinks,
            graph.indegrees(weighted=weighted),
            components.target,
            components.source,
        ),
        (
            "hub",
            graph.outlinks,
            graph.outdegrees(weighted=weighted),
            components.source,
            components.target,
        ),
    ):
        inside = degrees > 0
        pages = np.bincount(mine[inside], minlength=components.count)
        links = np.bincount(mine[inside], degrees[inside], components.count).astype(np.float64)
        per_link = pages * powers(links, -1.0) / max(pages.sum(), 1)
        scores[name] = degrees * _spread(per_link, mine)
        parts[name] = Parts(rows, _spread(per_link, other), weighted=weighted)
    return scores, parts


def walked(
    graph: WebGraph, tolerance: float, limit: int, *, weighted: bool
) -> tuple[Scores, Explained, Trace]:
    """Both walks, step by step, from all pages of their side alike."""
    flow = graph.flow(weighted=weighted)
    into, out = graph.indegrees(weighted=weighted), graph.outdegrees(weighted=weighted)
    back, forth = powers(into, -1.0), powers(out, -1.0)

    def passed(both: Floats) -> tuple[Floats, Floats]:
        authority, hub = both.T
        return flow.backward(authority * back) * forth, flow.forward(hub * forth) * back

    def step(both: Floats) -> Floats:
        hubs, authorities = passed(both)
        return np.column_stack([flow.forward(hubs), flow.backward(authorities)])

    start = np.column_stack([unit(powers(into, 0.0)), unit(powers(out, 0.0))])
    both, trace = fixed_point(step, start, tolerance, limit, "salsa")
    after = step(both)
    scores, parts = {}, {}
    for at, (name, rows) in enumerate((("authority", graph.inlinks), ("hub", graph.outlinks))):
        scores[name] = both[:, at]
        brought = Parts(rows, passed(both)[at], weighted=weighted)
        parts[name] = settled(brought, both[:, at], after[:, at])
    return scores, parts, trace


def _spread(values: Floats, labels: Ids) -> Floats:
    return np.append(values, 0.0)[labels]


def _certainty(components: Components) -> Certainty:
    count = components.count
    if not count:
        return Certainty(note=EMPTY)
    note = f"{count} components, each with its share of the pages: compare within a component"
    return Certainty(count == 1, count, count, note="" if count == 1 else note)
