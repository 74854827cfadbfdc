"""HITS: hubs and authorities."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.params import MaxIter, Tol, Weighted
from weft.core.register import Dimensions, method
from weft.engine import (
    LinkOperator,
    SingularPair,
    normalize_l1,
    principal_singular_pair,
    second_eigenvalue_modulus,
)
from weft.graph.webgraph import WebGraph
from weft.rank.ranking import Certainty, Contributions, LazyContributions, Ranking

Norm = Annotated[
    Literal["L2", "L1"], Field(description="norm of the scores: length one (L2) or sum one (L1)")
]

NO_LINKS_ZERO_NOTE = "no links: all scores are zero"
HITS_DIMENSIONS = Dimensions(
    model="hubs and authorities",
    metric="hub and authority scores",
    algorithm="HITS",
    scope="single page",
    applications=("web search", "topic distillation"),
)


@method(
    "rank",
    "hits",
    cites="kleinberg1999",
    dimensions=HITS_DIMENSIONS,
    spark="weft.spark.rank:hits",
    on_gpu=True,
)
def hits(
    graph: WebGraph,
    *,
    norm: Norm = "L2",
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score each page as an authority and as a hub.

    Good hubs link to good authorities, and good authorities are linked from
    good hubs: authorities a and hubs h are the principal singular vectors of
    the adjacency matrix, A a = s h and A' h = s a. Pages outside the dominant
    connected component score zero. If several components tie for the largest
    singular value, the scores are the mixture that iteration from equal hubs
    converges to; `certainty` notes this, and near ties too.

    Examples
    --------
    >>> hits(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by hits, led by x>
    """
    operator = graph.operator(weighted=weighted)
    pair = principal_singular_pair(operator, operator.ones(), tol, max_iter, "hits")
    scores = {"authority": pair.target, "hub": pair.source}
    if norm == "L1":
        scores = {name: normalize_l1(values) for name, values in scores.items()}
    scores = {name: operator.to_host(values) for name, values in scores.items()}
    return Ranking(
        "hits",
        graph.pages,
        scores,
        pair.trace,
        cache(lambda: spectral_certainty(operator, pair)),
        LazyContributions(
            lambda: hits_contributions(graph, operator, scores, weighted=weighted), scores
        ),
        {"singular value": pair.value},
    )


def hits_contributions(
    graph: WebGraph, operator: LinkOperator, scores: Mapping[str, Floats], *, weighted: bool
) -> dict[str, Contributions]:
    """Split authorities a = A' h / s and hubs h = A a / s into what each link adds."""
    authority, hub = scores["authority"], scores["hub"]
    hub_sums = operator.to_host(operator.rmatvec(hub))
    authority_sums = operator.to_host(operator.matvec(authority))
    # 1 / s, from the sums of both sides
    to_authority, to_hub = ratio_of_sums(authority, hub_sums), ratio_of_sums(hub, authority_sums)
    authorities = Contributions(graph.inlinks, hub * to_authority, weighted=weighted)
    hubs = Contributions(graph.outlinks, authority * to_hub, weighted=weighted)
    return {
        "authority": add_residual(authorities, authority, hub_sums * to_authority),
        "hub": add_residual(hubs, hub, authority_sums * to_hub),
    }


def spectral_certainty(operator: LinkOperator, pair: SingularPair) -> Certainty:
    """How many components tie for the largest singular value, and the eigengap of A'A."""
    if not pair.value:
        return Certainty(components=pair.component_count, note=NO_LINKS_ZERO_NOTE)
    if pair.tied_components > 1:
        note = f"{pair.tied_components} components tie: the scores mix them, from equal pages"
        return Certainty(
            unique=False,
            components=pair.component_count,
            multiplicity=pair.tied_components,
            gap=0.0,
            note=note,
        )
    second = second_eigenvalue_modulus(
        operator.vectors, lambda x: operator.rmatvec(operator.matvec(x)), pair.target
    )
    gap = max(0.0, 1 - second / pair.value**2)
    note = "near tie: a few changed links could change every score" if gap < 1e-6 else ""
    return Certainty(
        components=pair.component_count, multiplicity=pair.tied_components, gap=gap, note=note
    )


def add_residual(contributions: Contributions, score: Floats, link_sums: Floats) -> Contributions:
    """Add what the links of an unconverged score do not explain, as "not converged"."""
    residual = score - link_sums
    if np.abs(residual).max(initial=0) <= 1e-10 * np.abs(score).max(initial=0):
        return contributions
    return replace(
        contributions, other_sources={**contributions.other_sources, "not converged": residual}
    )


def ratio_of_sums(numerator: Floats, denominator: Floats) -> float:
    """The sum of the first over the sum of the second; zero where that is zero."""
    total = denominator.sum()
    return float(numerator.sum() / total) if total else 0.0
