"""Prestige: eigenvector centrality of in-links, and its damped form, Katz centrality."""

from functools import cache
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.params import MaxIter, Tol, Weighted
from weft.core.register import Dimensions, method
from weft.engine import LinkOperator, Trace, fixed_point, neumann_series, normalize_l1
from weft.graph.webgraph import WebGraph
from weft.rank.ranking import Certainty, Contributions, Ranking, unique_certainty
from weft.rank.spectral_radius import SpectralBounds, bound_spectral_radius

UseDamped = Annotated[
    bool, Field(description="use damped prestige (Katz) even if plain prestige is defined")
]
Beta = Annotated[float, Field(gt=0, description="Katz attenuation: largest share a link passes on")]


@method(
    "rank",
    "prestige",
    cites="prajapati2012",
    dimensions=Dimensions(
        model="single node",
        metric="PageRank",
        algorithm="eigenvectors",
        scope="single page",
        applications=("web search",),
    ),
)
def prestige(
    graph: WebGraph,
    *,
    damped: UseDamped = False,
    beta: Beta = 0.1,
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score each page by the scores of the pages that link to it.

    Each score is proportional to the sum of the linking pages' scores: the
    principal left eigenvector of the adjacency matrix, summing to one. It
    exists only if the links have a cycle, and is unique only if one strongly
    connected component has the largest spectral radius. Otherwise, or with
    `damped`, Katz centrality: every page has 1 of its own plus `beta` times the
    score of each linking page, with `beta` limited to half of 1 / spectral
    radius. `details["variant"]` says which of the two was used.

    Examples
    --------
    >>> ring = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "a")]
    >>> prestige(WebGraph.from_links(ring))
    <Ranking of 3 pages by prestige, led by a>
    >>> prestige(WebGraph.from_links([("a", "b")])).certainty.note
    'links form no cycle: damped prestige instead'
    """
    operator = graph.operator(weighted=weighted)
    bounds = bound_spectral_radius(graph, max_iter, weighted=weighted)
    details: dict[str, Any]
    if damped or len(bounds.dominant_components) != 1:
        radius = bounds.radius_upper_bound
        beta = min(beta, 0.5 / radius) if radius else beta
        own = np.ones(len(graph))
        scores, trace = neumann_series(operator, own, beta * own, tol, max_iter, "prestige")
        contributions = Contributions(
            graph.inlinks, beta * scores, weighted=weighted, other_sources={"its own": own}
        )
        details = {"variant": "damped", "spectral radius": radius, "beta": beta}
    else:
        scores, trace = principal_left_eigenvector(operator, bounds, tol, max_iter)
        radius = float(operator.rmatvec(scores).sum())
        contributions = Contributions(graph.inlinks, scores / radius, weighted=weighted)
        details = {"variant": "eigenvector", "spectral radius": radius}
    return Ranking(
        "prestige",
        graph.pages,
        {"score": scores},
        trace,
        unique_certainty("damped by option") if damped else cache(lambda: _certainty(bounds)),
        {"score": contributions},
        details,
    )


def principal_left_eigenvector(
    operator: LinkOperator, bounds: SpectralBounds, tol: float, max_iter: int
) -> tuple[Floats, Trace]:
    """The principal left eigenvector x' A = r x', from that of the dominant component.

    Power iteration with A + r I, which has the same eigenvector and does not
    oscillate on periodic components.
    """
    start = np.where(bounds.component == bounds.dominant_components[0], bounds.eigenvector, 0.0)
    return fixed_point(
        lambda x: normalize_l1(normalize_l1(operator.rmatvec(x)) + x),
        normalize_l1(start),
        tol,
        max_iter,
        "prestige",
    )


def _certainty(bounds: SpectralBounds) -> Certainty:
    tied = len(bounds.dominant_components)
    note = f"{tied} components tie: damped prestige instead"
    if tied == 0:
        note = "links form no cycle: damped prestige instead"
    return Certainty(
        components=len(bounds.upper),
        multiplicity=tied,
        gap=bounds.gap_lower_bound,
        note="" if tied == 1 else note,
    )
