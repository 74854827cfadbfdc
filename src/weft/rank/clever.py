"""CLEVER: HITS with links weighted by query terms in and around their anchor text."""

from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Floats, link_keys, pack_pairs
from weft.core.params import MaxIter, Tol
from weft.core.register import Dimensions, method
from weft.graph.baseset.baseset import BaseSet
from weft.rank.hits import Norm
from weft.rank.ranking import Ranking
from weft.rank.term_matrix import count_occurrences
from weft.rank.weighted_hits import WeightedLinks, ranking_from_pair, solve_weighted_hits

Iterations = Annotated[
    int, Field(ge=0, le=1000, description="exact number of iterations; 0 until convergence")
]


@method(
    "rank",
    "clever",
    cites="chakrabarti1998",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="HITS",
        scope="single page",
        applications=("topic distillation",),
        data="links and content",
    ),
)
def clever(
    base: BaseSet,
    *,
    iterations: Iterations = 0,
    norm: Norm = "L2",
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score hubs and authorities, links weighted by anchor text.

    The weight of a link is one plus the occurrences of query terms in its
    anchor text and the fifty characters on either side, over all links from
    the one page to the other. The paper stops after five iterations, when the
    order at the top is stable; by default the scores converge. Without a query,
    or if no anchor text has its terms, this is HITS.

    Examples
    --------
    >>> clever([("a", "x"), ("b", "x"), ("b", "y")])
    <Ranking of 4 pages by clever, led by x>
    """
    weights = 1.0 + count_query_mentions(base)
    links = WeightedLinks.from_keys(
        link_keys(base.graph.outlinks), weights, weights, np.ones(len(base))
    )
    pair = solve_weighted_hits(links, tol, max_iter, "clever", iterations)
    return ranking_from_pair("clever", base.pages, links, pair, norm)


def count_query_mentions(base: BaseSet) -> Floats:
    """How often query terms occur in and around the anchors of each link, in CSR order."""
    graph_keys = link_keys(base.graph.outlinks)
    terms = base.query_terms
    anchors = base.anchors if terms else None
    if anchors is None or not len(anchors):
        return np.zeros(len(graph_keys))
    columns = [anchors[name] for name in ("before", "anchor", "after")]
    window = pc.binary_join_element_wise(*columns, pa.scalar(" ", pa.large_string()))
    occurrences = count_occurrences(window.to_pylist(), terms).sum(axis=0)
    anchor_keys = pack_pairs(anchors["source"], anchors["target"])
    in_graph = np.isin(anchor_keys, graph_keys)
    link = np.searchsorted(graph_keys, anchor_keys[in_graph])
    return np.bincount(link, occurrences[in_graph], len(graph_keys)).astype(np.float64)
