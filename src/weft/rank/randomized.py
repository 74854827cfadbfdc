"""HITS of readers who now and then jump."""

from dataclasses import replace

import numpy as np

from weft.core.arrays import Floats
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Follow, Limit, Tolerance, Weighted
from weft.engine import fixed_point, powers
from weft.graph.webgraph import WebGraph
from weft.rank.hits import settled
from weft.rank.parts import Parts
from weft.rank.ranking import Ranking, certain


@method(
    "rank",
    "randomized-hits",
    cites="ng2001stable",
    dimensions=Dimensions(
        model="Markov model",
        metric="hub and authority scores",
        algorithm="HITS",
        scope="single page",
        applications=("web search", "topic distillation"),
    ),
)
def randomized_hits(
    graph: WebGraph,
    *,
    follow: Follow = 0.8,
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score authorities and hubs by a reader who goes forth, back, and at times jumps.

    The reader follows links forward and backward in turn, and before each step
    jumps to any page with probability 1 - `follow`. Few changed links change
    the scores little, and every page of every component has a score. What
    reaches a page that has no link in the wanted direction is lost; scores
    are scaled to sum one, and `details` holds their totals for n readers.

    Examples
    --------
    >>> randomized_hits(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by randomized-hits, led by x>
    """
    n = len(graph)
    flow = graph.flow(weighted=weighted)
    forth = follow * powers(graph.outdegrees(weighted=weighted), -1.0)
    back = follow * powers(graph.indegrees(weighted=weighted), -1.0)
    jump = (1 - follow) / max(n, 1)

    def hubs(authorities: Floats) -> Floats:
        return jump + flow.backward(authorities * back)

    def step(authorities: Floats) -> Floats:
        return jump + flow.forward(hubs(authorities) * forth)

    authority, trace = fixed_point(step, np.full(n, jump), tolerance, limit, "randomized")
    hub = hubs(authority)
    totals = {"authority": float(authority.sum()), "hub": float(hub.sum())}
    sides = (
        ("authority", graph.inlinks, authority, hub * forth, step(authority)),
        ("hub", graph.outlinks, hub, authority * back, hub),
    )
    scores, parts = {}, {}
    for name, rows, values, each, found in sides:
        scale = 1 / totals[name] if totals[name] else 0.0
        scores[name] = values * scale
        rest = {"jumps": np.full(n, jump * scale)}
        brought = Parts(rows, each * scale, weighted=weighted, rest=rest)
        parts[name] = settled(brought, scores[name], found * scale)
    bound = trace.change * follow**2 / (1 - follow**2)
    return Ranking(
        "randomized-hits",
        graph.pages,
        scores,
        replace(trace, error=bound),
        certain("" if graph.link_count else "no links: every page scores the same"),
        parts,
        {f"{name} total": total * n for name, total in totals.items()},
    )
