"""PHITS: a probabilistic model of hubs and authorities of several communities."""

from functools import cache, partial
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import CSR, Floats, Offsets
from weft.core.params import Factors, MaxIter, Restarts, Seed, Tol, Weighted
from weft.core.register import Dimensions, method
from weft.graph.webgraph import WebGraph
from weft.rank.expectation_maximization import (
    COOMatrix,
    EMFit,
    LinkFactors,
    best_fit,
    link_em_step,
    link_responsibilities,
    random_link_factors,
    run_em,
    safe_divide,
)
from weft.rank.hits import NO_LINKS_ZERO_NOTE
from weft.rank.ranking import Certainty, Contributions, Ranking

Tempering = Annotated[
    float, Field(gt=0, le=1, description="EM tempering: below 1, factors share pages more evenly")
]


@method(
    "rank",
    "phits",
    cites="cohn2000",
    dimensions=Dimensions(
        model="probabilistic model",
        metric="likelihood",
        algorithm="expectation-maximisation",
        scope="multiple pages",
        applications=("web search", "page categorisation"),
    ),
)
def phits(
    graph: WebGraph,
    *,
    factors: Factors = 4,
    restarts: Restarts = 5,
    tempering: Tempering = 1.0,
    weighted: Weighted = False,
    seed: Seed = 0,
    tol: Tol = 1e-8,
    max_iter: MaxIter = 500,
) -> Ranking:
    """Score hubs and authorities of several communities.

    Each link is modelled as drawn from a factor z: its source from P(d|z), its
    target from P(c|z), fitted by maximum likelihood. `authority 1` and `hub 1`
    are those of the factor with most links, and so on. `authority` is
    P(c|z) P(z|c) of a page's best factor, which is high for characteristic
    pages of a community; with one factor it is the in-degree. The result is the
    best local optimum of several random starts. A graph without links gives
    zeros.

    Examples
    --------
    >>> two = [("a", "x"), ("b", "x"), ("b", "y"), ("c", "z"), ("d", "z")]
    >>> list(phits(two, factors=2).scores)
    ['authority', 'hub', 'authority 1', 'hub 1', 'authority 2', 'hub 2']
    """
    matrix = COOMatrix.from_links(graph, weighted=weighted)
    step = partial(link_em_step, matrix, tempering=tempering)
    fit = best_fit(
        run_em(step, random_link_factors(len(graph), factors, seed, start), tol, max_iter, "phits")
        for start in range(restarts)
    )
    return ranking_from_factors(graph, matrix, fit, tempering)


def ranking_from_factors(
    graph: WebGraph, matrix: COOMatrix, fit: EMFit[LinkFactors], tempering: float = 1.0
) -> Ranking:
    """The ranking of fitted factors, numbered from the factor with most links."""
    order = np.argsort(-np.round(fit.factors.prior, 9), kind="stable")
    prior, source, target = (
        values[order] for values in (fit.factors.prior, fit.factors.source, fit.factors.target)
    )
    # the factors are sums of the responsibilities of the iteration before
    q, _ = link_responsibilities(matrix, fit.previous, tempering)
    per_link = normalize_responsibilities(q[order])
    by_target = np.argsort(matrix.column, kind="stable")  # from the order of outlinks to inlinks
    scores, contributions = {}, {}
    sides = {"authority": (target, graph.inlinks, by_target), "hub": (source, graph.outlinks, None)}
    for name, (conditional, links, link_order) in sides.items():
        scores[name], contributions[name] = characteristic_scores(
            prior, conditional, links, per_link, link_order
        )
    for z in range(len(prior)):
        for name, (conditional, links, link_order) in sides.items():
            amounts = per_link[z] if link_order is None else per_link[z][link_order]
            scores[f"{name} {z + 1}"] = conditional[z]
            contributions[f"{name} {z + 1}"] = Contributions(links, amounts, per_link=True)
    return Ranking(
        "phits",
        graph.pages,
        scores,
        fit.trace,
        cache(lambda: _certainty(graph, fit, len(prior))),
        contributions,
        {"likelihood": fit.likelihood, "factors": LinkFactors(prior, source, target)},
    )


def characteristic_scores(
    prior: Floats,
    conditional: Floats,
    rows: CSR,
    per_link_shares: Floats,
    link_order: Offsets | None,
) -> tuple[Floats, Contributions]:
    """The largest P(c|z) P(z|c) of each page over factors z, and what its links add to it."""
    joint = prior[:, None] * conditional
    membership = safe_divide(joint, joint.sum(axis=0))  # P(z|c)
    score = conditional * membership
    pages = np.arange(score.shape[1])
    factor = np.argmax(np.round(score / max(score.max(initial=0), 1e-300), 12), axis=0)
    # each link with its share in the best factor of the page whose row it is in
    page_of_link = np.repeat(pages, np.diff(rows.starts))
    shares = per_link_shares if link_order is None else per_link_shares[:, link_order]
    amounts = shares[factor[page_of_link], np.arange(len(page_of_link))]
    scale = membership[factor, pages]
    return score[factor, pages], Contributions(rows, amounts, scale=scale, per_link=True)


def normalize_responsibilities(responsibilities: Floats) -> Floats:
    """The share of each link in a factor; the shares of a factor sum to one."""
    return safe_divide(responsibilities, responsibilities.sum(axis=1, keepdims=True))


def _certainty(graph: WebGraph, fit: EMFit[LinkFactors], factors: int) -> Certainty:
    if not graph.link_count:
        return Certainty(note=NO_LINKS_ZERO_NOTE)
    components = graph.operator().hub_authority_components().count
    return Certainty(
        factors == 1,
        components,
        fit.starts_at_best,
        note="" if factors == 1 else fit.local_optimum_note,
    )
