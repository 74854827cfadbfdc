"""One family from HITS to SnormRank: how far degrees are divided out of the links."""

from functools import cache
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Limit, Tolerance, Weighted
from weft.engine import CLOSED, Scaled, Trace, fixed_point, length, powers, principal
from weft.graph.webgraph import WebGraph
from weft.rank.hits import EMPTY, ratio, settled, ties
from weft.rank.parts import Parts
from weft.rank.ranking import Certainty, Ranking

Scheme = Annotated[
    Literal["similarity", "surfing"],
    Field(
        description="scores spread by similarity as in HITS, or as readers surf from a page to "
        "similar ones"
    ),
]
SnormScheme = Annotated[
    Literal["similarity", "power", "surfing"],
    Field(
        description="scores spread by similarity, in closed form or by power iteration from equal "
        "pages, or as readers surf from a page to similar ones"
    ),
]
IntoPower = Annotated[
    float, Field(ge=-10, le=10, description="divide a link by this power of its target's in-degree")
]
OutPower = Annotated[
    float, Field(ge=-10, le=10, description="divide a link by this power of its page's out-degree")
]
Answer = tuple[dict[str, Floats], dict[str, Parts], Trace]


MUTUAL = Dimensions(
    model="hubs and authorities",
    metric="hub and authority scores",
    algorithm="HITS",
    scope="single page",
    applications=("web search", "topic distillation"),
)


@method("rank", "unified", cites="ding2003", dimensions=MUTUAL)
def unified(
    graph: WebGraph,
    *,
    p: IntoPower = 0.5,
    q: OutPower = 0.5,
    scheme: Scheme = "similarity",
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score authorities and hubs with links divided by powers of the degrees.

    A link counts as `indegree^-p * outdegree^-q`. By similarity the scores
    are the principal singular vectors of these links, of length one: (0, 0) is
    HITS, (0, 1/2) OnormRank, (1/2, 0) InormRank and (1/2, 1/2) SnormRank. By
    surfing they are where readers are found who go from a page to pages linked
    from the same hubs, by how many; they sum to one, and no iteration is
    needed. Surfing readers never leave a bipartite component; each is taken to
    hold as many of them as its links count.

    Examples
    --------
    >>> unified(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]), p=0.25)
    <Ranking of 4 pages by unified, led by x>
    """
    if scheme == "surfing":
        return _surfing("unified", graph, p, q, weighted=weighted)
    return _similar("unified", graph, (p, q), tolerance, limit, weighted=weighted)


@method("rank", "onorm", cites="ding2003", dimensions=MUTUAL)
def onorm(
    graph: WebGraph,
    *,
    scheme: Scheme = "similarity",
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score authorities and hubs with the links of a page divided by the root of their number.

    OnormRank: a page that links to many counts less for each. By similarity
    its authorities are those of Hub-Averaging; by surfing they are the
    in-degrees, as in SALSA on a single component.

    Examples
    --------
    >>> onorm(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by onorm, led by x>
    """
    if scheme == "surfing":
        return _surfing("onorm", graph, 0.0, 0.5, weighted=weighted)
    return _similar("onorm", graph, (0.0, 0.5), tolerance, limit, weighted=weighted)


@method("rank", "inorm", cites="ding2003", dimensions=MUTUAL)
def inorm(
    graph: WebGraph,
    *,
    scheme: Scheme = "similarity",
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score authorities and hubs with the links to a page divided by the root of their number.

    InormRank: OnormRank with hubs and authorities exchanged. By surfing its
    hubs are the out-degrees.

    Examples
    --------
    >>> inorm(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])).order("hub")[0]
    np.int32(2)
    """
    if scheme == "surfing":
        return _surfing("inorm", graph, 0.5, 0.0, weighted=weighted)
    return _similar("inorm", graph, (0.5, 0.0), tolerance, limit, weighted=weighted)


@method("rank", "snorm", cites="ding2003", dimensions=MUTUAL)
def snorm(
    graph: WebGraph,
    *,
    scheme: SnormScheme = "similarity",
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score authorities and hubs with links divided by the roots of both degrees.

    SnormRank: the scores are the roots of the degrees, scaled to length one,
    and need no iteration. Every bipartite component reaches the principal
    value one, so that with several of them any blend would be a solution:
    `scheme=power` gives the one that power iteration from equal pages finds,
    in which a small component can lead.

    Examples
    --------
    >>> snorm(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by snorm, led by x>
    """
    if scheme == "surfing":
        return _surfing("snorm", graph, 0.5, 0.5, weighted=weighted)
    scores, parts, trace = (
        _roots(graph, weighted=weighted)
        if scheme == "similarity"
        else _powered(graph, tolerance, limit, weighted=weighted)
    )
    note = "components tie: any blend of them solves the equations"
    look = cache(lambda: _each(graph, note))
    return Ranking("snorm", graph.pages, scores, trace, look, parts, {"singular value": 1.0})


def links(graph: WebGraph, p: float, q: float, *, weighted: bool) -> Scaled:
    """The links divided by powers of the degrees at their ends."""
    return Scaled(
        graph.flow(weighted=weighted),
        powers(graph.outdegrees(weighted=weighted), -q),
        powers(graph.indegrees(weighted=weighted), -p),
    )


def _similar(
    name: str,
    graph: WebGraph,
    power: tuple[float, float],
    tolerance: float,
    limit: int,
    *,
    weighted: bool,
) -> Ranking:
    flow = links(graph, *power, weighted=weighted)
    pair = principal(flow, np.ones(len(graph)), tolerance, limit, name)
    authority, hub = pair.target, pair.source
    parts = _brought(graph, flow, authority, hub, weighted=weighted)
    return Ranking(
        name,
        graph.pages,
        {"authority": authority, "hub": hub},
        pair.trace,
        cache(lambda: ties(flow, pair)),
        parts,
        {"singular value": pair.value},
    )


def _surfing(name: str, graph: WebGraph, p: float, q: float, *, weighted: bool) -> Ranking:
    """The chain over a symmetric matrix is found where its row sums are."""
    flow = links(graph, p, q, weighted=weighted)
    ones = np.ones(len(graph))
    hubs, authorities = flow.backward(ones), flow.forward(ones)
    met, seen = flow.forward(hubs), flow.backward(authorities)
    total = float(met.sum()), float(seen.sum())
    scale = [1 / t if t else 0.0 for t in total]
    parts = {
        "authority": Parts(graph.inlinks, flow.source * hubs * scale[0], flow.target, weighted),
        "hub": Parts(graph.outlinks, flow.target * authorities * scale[1], flow.source, weighted),
    }
    note = "components: each holds readers by what its links count"
    look = cache(lambda: _each(graph, note))
    scores = {"authority": met * scale[0], "hub": seen * scale[1]}
    return Ranking(name, graph.pages, scores, CLOSED, look, parts)


def _roots(graph: WebGraph, *, weighted: bool) -> Answer:
    scores, parts = {}, {}
    for name, rows, degrees in (
        ("authority", graph.inlinks, graph.indegrees(weighted=weighted)),
        ("hub", graph.outlinks, graph.outdegrees(weighted=weighted)),
    ):
        scores[name] = length(np.sqrt(degrees))
        each = np.full(len(graph), float(powers(degrees.sum(keepdims=True), -0.5)[0]))
        parts[name] = Parts(rows, each, powers(degrees, -0.5), weighted)
    return scores, parts, CLOSED


def _powered(graph: WebGraph, tolerance: float, limit: int, *, weighted: bool) -> Answer:
    flow = links(graph, 0.5, 0.5, weighted=weighted)

    def step(both: Floats) -> Floats:
        met = length(flow.forward(flow.backward(both[:, 0])))
        seen = length(flow.backward(flow.forward(both[:, 1])))
        return np.column_stack([met, seen])

    start = np.tile(length(np.ones(len(graph)))[:, None], 2)
    both, trace = fixed_point(step, start, tolerance, limit, "snorm")
    authority, hub = both.T.copy()
    scores = {"authority": authority, "hub": hub}
    # each side has a blend of its own, so that it is explained through its own other side
    parts = {
        "authority": _brought(
            graph, flow, authority, length(flow.backward(authority)), weighted=weighted
        )["authority"],
        "hub": _brought(graph, flow, length(flow.forward(hub)), hub, weighted=weighted)["hub"],
    }
    return scores, parts, trace


def _brought(
    graph: WebGraph, flow: Scaled, authority: Floats, hub: Floats, *, weighted: bool
) -> dict[str, Parts]:
    arrived, led = flow.forward(hub), flow.backward(authority)
    into, out = ratio(authority, arrived), ratio(hub, led)
    return {
        "authority": settled(
            Parts(graph.inlinks, flow.source * hub * into, flow.target, weighted),
            authority,
            arrived * into,
        ),
        "hub": settled(
            Parts(graph.outlinks, flow.target * authority * out, flow.source, weighted),
            hub,
            led * out,
        ),
    }


def _each(graph: WebGraph, note: str) -> Certainty:
    count = graph.flow().components().count
    if not count:
        return Certainty(note=EMPTY)
    return Certainty(count == 1, count, count, note="" if count == 1 else f"{count} {note}")
