"""Hubs and authorities over links that count by what their anchors say."""

from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Floats, stacked
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Limit, Tolerance
from weft.graph.among import keys
from weft.graph.baseset import BaseSet
from weft.rank.hits import Norm
from weft.rank.mutual import Votes, judged, settle
from weft.rank.ranking import Ranking
from weft.rank.terms import occurrences

Rounds = Annotated[
    int, Field(ge=0, le=1000, description="stop after so many rounds; 0 until the scores settle")
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
    rounds: Rounds = 0,
    norm: Norm = "L2",
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score hubs and authorities over links that count by the words around them.

    A link weighs one more for every time that a word or phrase of the query
    stands in its anchor or the fifty characters to either side, over all links
    from the one page to the other. The paper stops after five rounds, when the
    order of the best settles; without `rounds` the scores themselves settle.
    Without a query, or where no link says its words, this is HITS.

    Examples
    --------
    >>> clever([("a", "x"), ("b", "x"), ("b", "y")])
    <Ranking of 4 pages by clever, led by x>
    """
    weights = 1.0 + mentions(base)
    votes = Votes.of(keys(base.graph.outlinks), weights, weights, np.ones(len(base)))
    pair = settle(votes, tolerance, limit, "clever", rounds)
    return judged("clever", base.pages, votes, pair, norm)


def mentions(base: BaseSet) -> Floats:
    """How often each link of the graph, in the order of its rows, names words of the query."""
    links = keys(base.graph.outlinks)
    found = np.zeros(len(links))
    terms = base.terms
    shown = base.anchors if terms else None
    if shown is None or not len(shown):
        return found
    said = [shown[name] for name in ("before", "anchor", "after")]
    window = pc.binary_join_element_wise(*said, pa.scalar(" ", pa.large_string()))
    times = occurrences(window.to_pylist(), terms).sum(axis=0)
    key = stacked(shown["source"], shown["target"])
    counted = np.isin(key, links)
    place = np.searchsorted(links, key[counted])
    return np.bincount(place, times[counted], len(links)).astype(np.float64)
