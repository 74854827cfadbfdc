"""The unified family of Ding et al.: HITS, OnormRank, InormRank and SnormRank.

All are HITS on links divided by powers of the degrees at their ends.
"""

from functools import cache, partial
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.params import MaxIter, Tol, Weighted
from weft.core.register import method
from weft.engine import (
    CLOSED_FORM,
    LinkOperator,
    ScaledOperator,
    Trace,
    fixed_point,
    normalize_l2,
    principal_singular_pair,
    safe_power,
)
from weft.graph.webgraph import WebGraph
from weft.rank.hits import (
    HITS_DIMENSIONS,
    NO_LINKS_ZERO_NOTE,
    add_residual,
    ratio_of_sums,
    spectral_certainty,
)
from weft.rank.ranking import Certainty, Contributions, Ranking

Scheme = Annotated[
    Literal["similarity", "surfing"],
    Field(description="similarity: iterate as HITS; surfing: random walk to similar pages"),
]
SnormScheme = Annotated[
    Literal["similarity", "power", "surfing"],
    Field(
        description="similarity: closed form; power: iteration from equal pages; "
        "surfing: random walk to similar pages"
    ),
]
InDegreePower = Annotated[
    float, Field(ge=-10, le=10, description="divide links by the target's in-degree to this power")
]
OutDegreePower = Annotated[
    float, Field(ge=-10, le=10, description="divide links by the source's out-degree to this power")
]
Powers = tuple[float, float]  # p and q: of the in-degree, and of the out-degree
Solution = tuple[dict[str, Floats], dict[str, Contributions], Trace]


@method("rank", "unified", cites="ding2003", dimensions=HITS_DIMENSIONS, on_gpu=True)
def unified_hits(
    graph: WebGraph,
    *,
    p: InDegreePower = 0.5,
    q: OutDegreePower = 0.5,
    scheme: Scheme = "similarity",
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score by HITS with links divided by powers of the degrees.

    The weight of a link is indegree^-p outdegree^-q. By similarity the scores
    are the principal singular vectors of these weights, of length one: (p, q) =
    (0, 0) is HITS, (0, 1/2) OnormRank, (1/2, 0) InormRank and (1/2, 1/2)
    SnormRank. By surfing they are the stationary distribution of a walk from a
    page to co-cited pages, which sums to one and needs no iteration. The walk
    never leaves a bipartite component; each has the share of its link weights.

    Examples
    --------
    >>> unified_hits(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]), p=0.25)
    <Ranking of 4 pages by unified, led by x>
    """
    solve = _surfing_ranking if scheme == "surfing" else partial(_similarity_ranking, tol, max_iter)
    return solve("unified", graph, (p, q), weighted=weighted)


@method("rank", "onorm", cites="ding2003", dimensions=HITS_DIMENSIONS, on_gpu=True)
def onorm(
    graph: WebGraph,
    *,
    scheme: Scheme = "similarity",
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score by HITS with links divided by roots of out-degrees.

    OnormRank: the more links a page has, the less each counts. By similarity
    its authorities are those of Hub-Averaging; by surfing they are the
    in-degrees, as in SALSA on a single component.

    Examples
    --------
    >>> onorm(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by onorm, led by x>
    """
    solve = _surfing_ranking if scheme == "surfing" else partial(_similarity_ranking, tol, max_iter)
    return solve("onorm", graph, (0.0, 0.5), weighted=weighted)


@method("rank", "inorm", cites="ding2003", dimensions=HITS_DIMENSIONS, on_gpu=True)
def inorm(
    graph: WebGraph,
    *,
    scheme: Scheme = "similarity",
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score by HITS with links divided by roots of in-degrees.

    InormRank: OnormRank with hubs and authorities exchanged. By surfing its
    hubs are the out-degrees.

    Examples
    --------
    >>> inorm(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])).order("hub")[0]
    np.int32(2)
    """
    solve = _surfing_ranking if scheme == "surfing" else partial(_similarity_ranking, tol, max_iter)
    return solve("inorm", graph, (0.5, 0.0), weighted=weighted)


@method("rank", "snorm", cites="ding2003", dimensions=HITS_DIMENSIONS, on_gpu=True)
def snorm(
    graph: WebGraph,
    *,
    scheme: SnormScheme = "similarity",
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score by HITS with links divided by roots of both degrees.

    SnormRank: the scores are the square roots of the degrees, scaled to length
    one, without iteration. Every bipartite component has the singular value
    one, so that with several of them any mixture is a solution: `scheme=power`
    gives that of power iteration from equal pages, in which a small component
    can lead.

    Examples
    --------
    >>> snorm(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by snorm, led by x>
    """
    if scheme == "surfing":
        return _surfing_ranking("snorm", graph, (0.5, 0.5), weighted=weighted)
    operator = graph.operator(weighted=weighted)
    scores, contributions, trace = (
        _sqrt_degree_scores(graph, weighted=weighted)
        if scheme == "similarity"
        else _power_iteration(graph, tol, max_iter, weighted=weighted)
    )
    return Ranking(
        "snorm",
        graph.pages,
        scores,
        trace,
        cache(lambda: _component_certainty(operator, "components tie: any mixture is a solution")),
        contributions,
        {"singular value": 1.0},
    )


def degree_scaled_operator(
    graph: WebGraph, p: float, q: float, *, weighted: bool
) -> ScaledOperator:
    """The scaled adjacency matrix D_out^-q A D_in^-p."""
    operator = graph.operator(weighted=weighted)
    power = operator.vectors.power
    return ScaledOperator(
        operator, power(operator.outdegrees(), -q), power(operator.indegrees(), -p)
    )


def _similarity_ranking(
    tol: float, max_iter: int, name: str, graph: WebGraph, powers: Powers, *, weighted: bool
) -> Ranking:
    operator = degree_scaled_operator(graph, *powers, weighted=weighted)
    pair = principal_singular_pair(operator, operator.ones(), tol, max_iter, name)
    authority, hub = operator.to_host(pair.target), operator.to_host(pair.source)
    return Ranking(
        name,
        graph.pages,
        {"authority": authority, "hub": hub},
        pair.trace,
        cache(lambda: spectral_certainty(operator, pair)),
        _contributions(graph, operator, authority, hub, weighted=weighted),
        {"singular value": pair.value},
    )


def _surfing_ranking(name: str, graph: WebGraph, powers: Powers, *, weighted: bool) -> Ranking:
    """The stationary distribution of a walk by similarity.

    Its transition matrix is the symmetric matrix S = L'L (hubs: L L'), scaled
    by rows; the stationary distribution of such a chain is its row sums, S 1.
    """
    operator = degree_scaled_operator(graph, *powers, weighted=weighted)
    hub_sums, authority_sums = operator.outdegrees(), operator.indegrees()  # L 1 and L' 1
    authority, hub, hub_sums, authority_sums, row_scale, column_scale = map(
        operator.to_host,
        (
            operator.rmatvec(hub_sums),
            operator.matvec(authority_sums),
            hub_sums,
            authority_sums,
            operator.row_scale,
            operator.column_scale,
        ),
    )
    authority_total, hub_total = float(authority.sum()), float(hub.sum())
    authority_scale = 1 / authority_total if authority_total else 0.0
    hub_scale = 1 / hub_total if hub_total else 0.0
    contributions = {
        "authority": Contributions(
            graph.inlinks, row_scale * hub_sums * authority_scale, column_scale, weighted
        ),
        "hub": Contributions(
            graph.outlinks, column_scale * authority_sums * hub_scale, row_scale, weighted
        ),
    }
    note = "components, each with the share of its link weights"
    return Ranking(
        name,
        graph.pages,
        {"authority": authority * authority_scale, "hub": hub * hub_scale},
        CLOSED_FORM,
        cache(lambda: _component_certainty(operator, note)),
        contributions,
    )


def _sqrt_degree_scores(graph: WebGraph, *, weighted: bool) -> Solution:
    scores, contributions = {}, {}
    for name, links, degrees in (
        ("authority", graph.inlinks, graph.indegrees(weighted=weighted)),
        ("hub", graph.outlinks, graph.outdegrees(weighted=weighted)),
    ):
        scores[name] = normalize_l2(np.sqrt(degrees))
        # sqrt(d / sum d) = d * (sum d)^-1/2 * d^-1/2
        values = np.full(len(graph), float(safe_power(degrees.sum(keepdims=True), -0.5)[0]))
        contributions[name] = Contributions(links, values, safe_power(degrees, -0.5), weighted)
    return scores, contributions, CLOSED_FORM


def _power_iteration(graph: WebGraph, tol: float, max_iter: int, *, weighted: bool) -> Solution:
    operator = degree_scaled_operator(graph, 0.5, 0.5, weighted=weighted)

    def step(both: Floats) -> Floats:
        authority = normalize_l2(operator.rmatvec(operator.matvec(both[:, 0])))
        hub = normalize_l2(operator.matvec(operator.rmatvec(both[:, 1])))
        stepped: Floats = operator.vectors.xp.stack([authority, hub], axis=1)
        return stepped

    start = operator.ones(2) / max(operator.n, 1) ** 0.5
    both, trace = fixed_point(step, start, tol, max_iter, "snorm")
    authority, hub = operator.to_host(both).T.copy()
    # the two sides mix components differently, so that each is explained by hubs of its own
    own_hub = normalize_l2(operator.to_host(operator.matvec(authority)))
    own_authority = normalize_l2(operator.to_host(operator.rmatvec(hub)))
    authorities = _contributions(graph, operator, authority, own_hub, weighted=weighted)
    hubs = _contributions(graph, operator, own_authority, hub, weighted=weighted)
    contributions = {"authority": authorities["authority"], "hub": hubs["hub"]}
    return {"authority": authority, "hub": hub}, contributions, trace


def _contributions(
    graph: WebGraph, operator: ScaledOperator, authority: Floats, hub: Floats, *, weighted: bool
) -> dict[str, Contributions]:
    """Split a = L' h / s and h = L a / s into what each link adds, as in HITS."""
    hub_sums = operator.to_host(operator.rmatvec(hub))
    authority_sums = operator.to_host(operator.matvec(authority))
    to_authority, to_hub = ratio_of_sums(authority, hub_sums), ratio_of_sums(hub, authority_sums)
    row_scale = operator.to_host(operator.row_scale)
    column_scale = operator.to_host(operator.column_scale)
    authorities = Contributions(
        graph.inlinks, row_scale * hub * to_authority, column_scale, weighted
    )
    hubs = Contributions(graph.outlinks, column_scale * authority * to_hub, row_scale, weighted)
    return {
        "authority": add_residual(authorities, authority, hub_sums * to_authority),
        "hub": add_residual(hubs, hub, authority_sums * to_hub),
    }


def _component_certainty(operator: LinkOperator, note: str) -> Certainty:
    count = operator.hub_authority_components().count
    if not count:
        return Certainty(note=NO_LINKS_ZERO_NOTE)
    return Certainty(count == 1, count, count, note="" if count == 1 else f"{count} {note}")
