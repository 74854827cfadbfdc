"""Randomized HITS: a random surfer who alternates forward and backward steps, and jumps."""

from dataclasses import replace

import numpy as np

from weft.core.arrays import Floats
from weft.core.params import Damping, MaxIter, Tol, Weighted
from weft.core.register import Dimensions, method
from weft.engine import fixed_point
from weft.graph.webgraph import WebGraph
from weft.rank.hits import add_residual
from weft.rank.ranking import Contributions, Ranking, unique_certainty


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
    on_gpu=True,
)
def randomized_hits(
    graph: WebGraph,
    *,
    damping: Damping = 0.8,
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score authorities and hubs by HITS with random jumps.

    A random surfer follows links forward and backward in turn, and before each
    step jumps to any page with probability 1 - `damping`. A few changed links
    change the scores little, and pages in all connected components have a
    score. Visits to a page without links in the direction of the next step are
    lost; the scores are scaled to sum one, and `details` has the totals before
    scaling, for n surfers.

    Examples
    --------
    >>> randomized_hits(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by randomized-hits, led by x>
    """
    n = len(graph)
    operator = graph.operator(weighted=weighted)
    forward = operator.vectors.power(operator.outdegrees(), -1.0, damping)
    backward = operator.vectors.power(operator.indegrees(), -1.0, damping)
    jump = (1 - damping) / max(n, 1)

    # h = (1-d)/n + d A_col a and a = (1-d)/n + d A_row' h, with A scaled by column and row sums
    def score_hubs(authorities: Floats) -> Floats:
        return jump + operator.matvec(authorities * backward)

    def step(authorities: Floats) -> Floats:
        return jump + operator.rmatvec(score_hubs(authorities) * forward)

    authority, trace = fixed_point(step, operator.ones() * jump, tol, max_iter, "randomized")
    hub = score_hubs(authority)
    to_authority, to_hub, again = hub * forward, authority * backward, step(authority)
    authority, hub, to_authority, to_hub, again = map(
        operator.to_host, (authority, hub, to_authority, to_hub, again)
    )
    totals = {"authority": float(authority.sum()), "hub": float(hub.sum())}
    sides = (
        ("authority", graph.inlinks, authority, to_authority, again),
        ("hub", graph.outlinks, hub, to_hub, hub),
    )
    scores, contributions = {}, {}
    for name, links, values, amounts, sums in sides:
        scale = 1 / totals[name] if totals[name] else 0.0
        scores[name] = values * scale
        jumps = {"jumps": np.full(n, jump * scale)}
        explained = Contributions(links, amounts * scale, weighted=weighted, other_sources=jumps)
        contributions[name] = add_residual(explained, scores[name], sums * scale)
    # each step contracts differences by d^2
    bound = trace.change * damping**2 / (1 - damping**2)
    return Ranking(
        "randomized-hits",
        graph.pages,
        scores,
        replace(trace, error=bound),
        unique_certainty("" if graph.link_count else "no links: all scores are equal"),
        contributions,
        {f"{name} total": total * n for name, total in totals.items()},
    )
