"""Hubs and authorities of several communities, as probabilities."""

from functools import cache, partial
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats, Offsets, Rows
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Factors, Limit, Restarts, Seed, Tolerance, Weighted
from weft.graph.webgraph import WebGraph
from weft.rank.factors import (
    Cells,
    Fit,
    LinkFactors,
    best,
    climb,
    divided,
    link_shares,
    link_step,
    random_links,
)
from weft.rank.parts import Parts
from weft.rank.ranking import Certainty, Ranking

Temper = Annotated[
    float, Field(gt=0, le=1, description="below 1 pages are shared among factors more evenly")
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
    temper: Temper = 1.0,
    weighted: Weighted = False,
    seed: Seed = 0,
    tolerance: Tolerance = 1e-8,
    limit: Limit = 500,
) -> Ranking:
    """Score each page as an authority and as a hub of several communities.

    Links are taken to be drawn in two steps: a factor z, then a source from
    P(d|z) and a target from P(c|z), found by maximising the likelihood of all
    links. `authority 1` and `hub 1` are those of the factor with most links,
    and so on. The first scores are those of a page's best factor, counted by
    how much the page belongs to it: P(c|z) P(z|c), which is high for the
    characteristic pages of each community; with one factor it is in-degree. The
    best of several random starts is a local optimum, and may not be the best
    there is. A graph without links gives zeros.

    Examples
    --------
    >>> two = [("a", "x"), ("b", "x"), ("b", "y"), ("c", "z"), ("d", "z")]
    >>> list(phits(two, factors=2).scores)
    ['authority', 'hub', 'authority 1', 'hub 1', 'authority 2', 'hub 2']
    """
    cells = Cells.of_links(graph, weighted=weighted)
    step = partial(link_step, cells, temper=temper)
    fit = best(
        climb(step, random_links(len(graph), factors, seed, start), tolerance, limit, "phits")
        for start in range(restarts)
    )
    return ranked(graph, cells, fit, temper)


def ranked(graph: WebGraph, cells: Cells, fit: Fit[LinkFactors], temper: float = 1.0) -> Ranking:
    """The ranking that factors of links make, from the factor with most links on."""
    order = np.argsort(-np.round(fit.factors.share, 9), kind="stable")
    share, source, target = (
        values[order] for values in (fit.factors.share, fit.factors.source, fit.factors.target)
    )
    q, _ = link_shares(cells, fit.before, temper)
    given = shared_out(q[order])
    turned = np.argsort(cells.column, kind="stable")
    scores, parts = {}, {}
    sides = {"authority": (target, graph.inlinks, turned), "hub": (source, graph.outlinks, None)}
    for name, (each, rows, place) in sides.items():
        scores[name], parts[name] = characteristic(share, each, rows, given, place)
    for z in range(len(share)):
        for name, (each, rows, place) in sides.items():
            by_link = given[z] if place is None else given[z][place]
            scores[f"{name} {z + 1}"] = each[z]
            parts[f"{name} {z + 1}"] = Parts(rows, by_link, by_link=True)
    details = {"likelihood": fit.likelihood, "factors": LinkFactors(share, source, target)}
    look = cache(lambda: _certainty(graph, fit, len(share)))
    return Ranking("phits", graph.pages, scores, fit.trace, look, parts, details)


def characteristic(
    share: Floats, each: Floats, rows: Rows, given: Floats, place: Offsets | None
) -> tuple[Floats, Parts]:
    """Each page's P(c|z) P(z|c) where that is greatest, and the links it is due to."""
    joint = share[:, None] * each
    belongs = divided(joint, joint.sum(axis=0))
    worth = each * belongs
    pages = np.arange(worth.shape[1])
    factor = np.argmax(np.round(worth / max(worth.max(initial=0), 1e-300), 12), axis=0)
    owner = np.repeat(pages, np.diff(rows.starts))
    ordered = given if place is None else given[:, place]
    by_link = ordered[factor[owner], np.arange(len(owner))]
    scale = belongs[factor, pages]
    return worth[factor, pages], Parts(rows, by_link, scale=scale, by_link=True)


def shared_out(q: Floats) -> Floats:
    """What each link gives to a factor's distribution, which sums to one."""
    return divided(q, q.sum(axis=1, keepdims=True))


def _certainty(graph: WebGraph, fit: Fit[LinkFactors], factors: int) -> Certainty:
    if not graph.link_count:
        return Certainty(note="no links: every score is zero")
    components = graph.flow().components().count
    return Certainty(factors == 1, components, fit.reached, note="" if factors == 1 else fit.note)
