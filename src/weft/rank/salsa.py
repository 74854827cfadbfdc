"""SALSA: hubs and authorities by random walks that alternate backward and forward steps."""

from functools import cache
from typing import Annotated, Literal

from pydantic import Field

from weft.core.arrays import Floats
from weft.core.params import MaxIter, Tol, Weighted
from weft.core.register import Dimensions, method
from weft.engine import (
    CLOSED_FORM,
    BipartiteComponents,
    LinkOperator,
    Trace,
    fixed_point,
    normalize_l1,
)
from weft.engine.operator import take_by_label
from weft.graph.webgraph import WebGraph
from weft.rank.hits import NO_LINKS_ZERO_NOTE, add_residual
from weft.rank.ranking import Certainty, Contributions, Ranking

Solver = Annotated[
    Literal["closed", "walk"],
    Field(description="closed form, or power iteration of the random walk"),
]
Scores = dict[str, Floats]
ContributionsByScore = dict[str, Contributions]


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
    spark="weft.spark.rank:salsa",
    on_gpu=True,
)
def salsa(
    graph: WebGraph,
    *,
    solver: Solver = "closed",
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score authorities and hubs by random walks back and forth.

    From an authority the walk follows a random link backward to a hub, and from
    there a random link forward to an authority. It cannot leave its bipartite
    component, and starts on all pages alike: a component has the share of its
    pages, and within it each page the share of its links. So the target of a
    single link can outrank the leader of a large component. The closed form
    needs no iteration; `solver=walk` iterates, as a check.

    Examples
    --------
    >>> salsa(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by salsa, led by x>
    """
    operator = graph.operator(weighted=weighted)
    components = operator.hub_authority_components()
    scores, contributions = closed_form(graph, operator, components, weighted=weighted)
    trace = CLOSED_FORM
    if solver == "walk":
        scores, contributions, trace = random_walk(
            graph, operator, tol, max_iter, weighted=weighted
        )
    return Ranking(
        "salsa", graph.pages, scores, trace, cache(lambda: _certainty(components)), contributions
    )


def closed_form(
    graph: WebGraph, operator: LinkOperator, components: BipartiteComponents, *, weighted: bool
) -> tuple[Scores, ContributionsByScore]:
    """The share of pages of each component, divided by its links, times the degree."""
    vectors, count = operator.vectors, components.count
    scores, contributions = {}, {}
    for name, links, degrees, own_labels, other_labels in (
        (
            "authority",
            graph.inlinks,
            operator.indegrees(),
            components.authority_labels,
            components.hub_labels,
        ),
        (
            "hub",
            graph.outlinks,
            operator.outdegrees(),
            components.hub_labels,
            components.authority_labels,
        ),
    ):
        # |pages of the component| / |all pages| / |links of the component|
        pages = vectors.sum_by_label(operator.ones(), own_labels, count)
        total_degree = vectors.sum_by_label(degrees, own_labels, count)
        per_link = pages * vectors.power(total_degree, -1.0)
        per_link = per_link / max(float(vectors.xp.sum(pages)), 1.0)
        scores[name] = operator.to_host(degrees * take_by_label(per_link, own_labels))
        contributions[name] = Contributions(
            links, operator.to_host(take_by_label(per_link, other_labels)), weighted=weighted
        )
    return scores, contributions


def random_walk(
    graph: WebGraph, operator: LinkOperator, tol: float, max_iter: int, *, weighted: bool
) -> tuple[Scores, ContributionsByScore, Trace]:
    """Power iteration of both walks, from a uniform distribution over the pages of each side."""
    power, xp = operator.vectors.power, operator.vectors.xp
    into, out = operator.indegrees(), operator.outdegrees()
    backward, forward = power(into, -1.0), power(out, -1.0)

    def half_step(both: Floats) -> tuple[Floats, Floats]:
        """What each hub sends to each of its links in the authority walk, and the reverse."""
        authority, hub = both[:, 0], both[:, 1]
        return (
            operator.matvec(authority * backward) * forward,
            operator.rmatvec(hub * forward) * backward,
        )

    def step(both: Floats) -> Floats:
        per_hub, per_authority = half_step(both)
        walked: Floats = xp.stack(
            [operator.rmatvec(per_hub), operator.matvec(per_authority)], axis=1
        )
        return walked

    start = xp.stack([normalize_l1(power(into, 0.0)), normalize_l1(power(out, 0.0))], axis=1)
    both, trace = fixed_point(step, start, tol, max_iter, "salsa")
    values = [operator.to_host(side) for side in half_step(both)]
    both, sums = operator.to_host(both), operator.to_host(step(both))
    scores, contributions = {}, {}
    for k, (name, links) in enumerate((("authority", graph.inlinks), ("hub", graph.outlinks))):
        scores[name] = both[:, k]
        explained = Contributions(links, values[k], weighted=weighted)
        contributions[name] = add_residual(explained, both[:, k], sums[:, k])
    return scores, contributions, trace


def _certainty(components: BipartiteComponents) -> Certainty:
    count = components.count
    if not count:
        return Certainty(note=NO_LINKS_ZERO_NOTE)
    note = f"{count} components, each with its share of the pages: compare within a component"
    return Certainty(count == 1, count, count, note="" if count == 1 else note)
