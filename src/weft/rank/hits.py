"""Hubs and authorities."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Limit, Tolerance, Weighted
from weft.engine import Flow, Pair, principal, runner_up, unit
from weft.graph.webgraph import WebGraph
from weft.rank.parts import Later, Parts
from weft.rank.ranking import Certainty, Ranking

Norm = Annotated[
    Literal["L2", "L1"], Field(description="scale scores to length one, or to sum one")
]

EMPTY = "no links: every score is zero"


@method(
    "rank",
    "hits",
    cites="kleinberg1999",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="HITS",
        scope="single page",
        applications=("web search", "topic distillation"),
    ),
)
def hits(
    graph: WebGraph,
    *,
    norm: Norm = "L2",
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score each page as an authority and as a hub.

    Good hubs link to good authorities, and good authorities are linked from
    good hubs: the principal singular vectors of the link matrix, found from
    equal hubs. Pages that no link joins to the strongest group score zero.
    Where several groups tie for the principal value, the scores are the blend
    that equal hubs lead to, and `certainty` says so; it warns of a near tie too.

    Examples
    --------
    >>> hits(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by hits, led by x>
    """
    flow = graph.flow(weighted=weighted)
    pair = principal(flow, np.ones(len(graph)), tolerance, limit, "hits")
    scores = {"authority": pair.target, "hub": pair.source}
    if norm == "L1":
        scores = {name: unit(values) for name, values in scores.items()}
    return Ranking(
        "hits",
        graph.pages,
        scores,
        pair.trace,
        cache(lambda: ties(flow, pair)),
        Later(lambda: brought(graph, flow, scores, weighted=weighted), scores),
        {"singular value": pair.value},
    )


def brought(
    graph: WebGraph, flow: Flow, scores: Mapping[str, Floats], *, weighted: bool
) -> dict[str, Parts]:
    """What links brought to authorities and hubs of which each sums the other up to scale."""
    authority, hub = scores["authority"], scores["hub"]
    arrived, led = flow.forward(hub), flow.backward(authority)
    into, out = ratio(authority, arrived), ratio(hub, led)
    authorities = Parts(graph.inlinks, hub * into, weighted=weighted)
    hubs = Parts(graph.outlinks, authority * out, weighted=weighted)
    return {
        "authority": settled(authorities, authority, arrived * into),
        "hub": settled(hubs, hub, led * out),
    }


def ties(flow: Flow, pair: Pair) -> Certainty:
    """How many components tie for the principal value, and how far it stands above the next."""
    if not pair.value:
        return Certainty(components=pair.components, note=EMPTY)
    if pair.tied > 1:
        note = f"{pair.tied} components tie: their scores are the blend that equal pages lead to"
        return Certainty(
            unique=False,
            components=pair.components,
            multiplicity=pair.tied,
            gap=0.0,
            note=note,
        )
    second = runner_up(lambda x: flow.forward(flow.backward(x)), pair.target)
    gap = max(0.0, 1 - second / pair.value**2)
    note = "a near tie: few changed links could change every score" if gap < 1e-6 else ""
    return Certainty(components=pair.components, multiplicity=pair.tied, gap=gap, note=note)


def settled(parts: Parts, score: Floats, found: Floats) -> Parts:
    """The parts of a score, with what its links do not add up to while it is not settled."""
    left = score - found
    if np.abs(left).max(initial=0) <= 1e-10 * np.abs(score).max(initial=0):
        return parts
    return replace(parts, rest={**parts.rest, "not settled": left})


def ratio(wanted: Floats, found: Floats) -> float:
    """What to multiply by so that the second adds up to what the first does."""
    total = found.sum()
    return float(wanted.sum() / total) if total else 0.0
