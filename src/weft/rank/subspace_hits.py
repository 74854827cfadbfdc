"""Subspace HITS: scores from several singular vectors, stable under small changes of links."""

from functools import cache
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import CSR, Floats
from weft.core.errors import BadParameter
from weft.core.params import Weighted
from weft.core.progress import track
from weft.core.register import Dimensions, method
from weft.engine import CLOSED_FORM
from weft.graph.webgraph import WebGraph, link_weights
from weft.rank.hits import NO_LINKS_ZERO_NOTE
from weft.rank.hits_vectors import (
    MORE_TIES_NOTE,
    NO_TRIPLETS,
    LeadingTriplets,
    leading_triplets,
    link_dot_products,
)
from weft.rank.ranking import Certainty, Contributions, Ranking

VectorCount = Annotated[
    int, Field(ge=0, le=1000, description="number of singular vector pairs; 0 for all")
]
EigenvaluePower = Annotated[
    float, Field(ge=0, le=10, description="power of the eigenvalue that weighs each vector")
]
ScoredSide = tuple[Floats, Contributions]

MAX_PAGES_ALL_VECTORS = 2000
BLOCK_SIZE = 64


@method(
    "rank",
    "subspace-hits",
    cites="ng2001stable",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="eigenvectors",
        scope="single page",
        applications=("web search", "topic distillation"),
    ),
)
def subspace_hits(
    graph: WebGraph,
    *,
    vectors: VectorCount = 20,
    power: EigenvaluePower = 2.0,
    weighted: Weighted = False,
) -> Ranking:
    """Score authorities and hubs by several singular vectors.

    The score of page j is the sum over the leading vectors of f(lambda) v_j^2,
    with f(lambda) a power of the eigenvalue. Vectors that tie with the last are
    included, since only their span is unique. One vector gives the order of
    HITS; all vectors with power 1 give the in-degree, with power 2 the sum of
    squared co-citation counts, and with power 0 one for every page.

    Examples
    --------
    >>> subspace_hits(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by subspace-hits, led by x>
    """
    triplets = NO_TRIPLETS
    closed_form = not vectors and power in {0.0, 1.0, 2.0}
    if graph.link_count and not closed_form:
        triplets = leading_triplets(
            graph.operator(weighted=weighted), vectors or _count_all_vectors(graph)
        )
        # fewer vectors than requested are all there are
        closed_form = power == 0 and triplets.next_value == 0 and len(triplets.values) < vectors
    if not graph.link_count:
        sides = _constant_scores(graph, 0.0)
    elif not closed_form:
        sides = _vector_scores(graph, triplets, power, weighted=weighted)
    elif power == 0:
        sides = _constant_scores(graph, 1.0)
    elif power == 1:
        sides = _squared_weight_scores(graph, weighted=weighted)
    else:
        sides = _squared_cocitation_scores(graph, weighted=weighted)
    return Ranking(
        "subspace-hits",
        graph.pages,
        {name: score for name, (score, _) in sides.items()},
        CLOSED_FORM,
        cache(lambda: _certainty(graph, triplets)),
        {name: contributions for name, (_, contributions) in sides.items()},
        {"eigenvalues": np.square(triplets.values)},
    )


def _vector_scores(
    graph: WebGraph, triplets: LeadingTriplets, power: float, *, weighted: bool
) -> dict[str, ScoredSide]:
    """Scores from singular vectors; lambda = s^2.

    v_j = sum over links i-j of u_i / s splits lambda^p v_j^2 into the products
    s^(2p-1) u_i v_j of links.
    """
    vector_weights = triplets.values ** (2 * power)
    link_factors = triplets.values ** (2 * power - 1)

    def score_side(links: CSR, own: Floats, other: Floats) -> ScoredSide:
        amounts = link_dot_products(links, own * link_factors, other)
        contributions = Contributions(links, amounts, weighted=weighted, per_link=True)
        return np.square(own) @ vector_weights, contributions

    return {
        "authority": score_side(graph.inlinks, triplets.target, triplets.source),
        "hub": score_side(graph.outlinks, triplets.source, triplets.target),
    }


def _constant_scores(graph: WebGraph, score: float) -> dict[str, ScoredSide]:
    scores, zeros = np.full(len(graph), score), np.zeros(len(graph))
    sources = {"the same for every page": scores}
    return {
        "authority": (scores, Contributions(graph.inlinks, zeros, other_sources=sources)),
        "hub": (scores, Contributions(graph.outlinks, zeros, other_sources=sources)),
    }


def _squared_weight_scores(graph: WebGraph, *, weighted: bool) -> dict[str, ScoredSide]:
    """All vectors with power 1: the diagonal of A'A, the squared weights of a page's links."""

    def score_side(links: CSR) -> ScoredSide:
        amounts = np.asarray(link_weights(links), float) if weighted else np.ones(len(links.ids))
        rows = links.row_ids().astype(np.int64)
        score = np.bincount(rows, np.square(amounts), len(graph)).astype(np.float64)
        return score, Contributions(links, amounts, weighted=weighted, per_link=True)

    return {"authority": score_side(graph.inlinks), "hub": score_side(graph.outlinks)}


def _squared_cocitation_scores(graph: WebGraph, *, weighted: bool) -> dict[str, ScoredSide]:
    """All vectors with power 2: the diagonal of (A'A)^2, the squared co-citation counts.

    In blocks of columns, so that the co-citation matrix never exists as a whole.
    """
    operator, n = graph.operator(weighted=weighted), len(graph)
    sides = {}
    for name, links, matvec, rmatvec in (
        ("authority", graph.inlinks, operator.matvec, operator.rmatvec),
        ("hub", graph.outlinks, operator.rmatvec, operator.matvec),
    ):
        score, amounts = np.zeros(n), np.zeros(len(links.ids))
        for first in track(range(0, n, BLOCK_SIZE), name, -(-n // BLOCK_SIZE)):
            block = np.arange(first, min(first + BLOCK_SIZE, n))
            # C = A'A and A C, the columns of this block
            cocitation = rmatvec(matvec(np.eye(n, len(block), -first)))
            score[block] = np.square(cocitation).sum(axis=0)
            # (C^2)_jj = sum over links i-j of (A C)_ij
            in_block = slice(int(links.starts[first]), int(links.starts[block[-1] + 1]))
            columns = np.repeat(block - first, np.diff(links.starts[first : block[-1] + 2]))
            amounts[in_block] = matvec(cocitation)[links.ids[in_block], columns]
        sides[name] = (score, Contributions(links, amounts, weighted=weighted, per_link=True))
    return sides


def _count_all_vectors(graph: WebGraph) -> int:
    if len(graph) > MAX_PAGES_ALL_VECTORS:
        raise BadParameter(
            f"all singular vectors of {len(graph):,} pages are too many to compute",
            hint="limit the number of vectors, or use power 0, 1 or 2, which need none",
        )
    return len(graph)


def _certainty(graph: WebGraph, triplets: LeadingTriplets) -> Certainty:
    if not graph.link_count:
        return Certainty(note=NO_LINKS_ZERO_NOTE)
    if triplets.may_miss_ties:
        return Certainty(unique=False, note=MORE_TIES_NOTE)
    return Certainty(gap=triplets.relative_eigengap)
