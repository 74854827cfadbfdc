"""HITS where only good enough pages have a say."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Limit, Tolerance
from weft.engine import powers
from weft.graph.webgraph import WebGraph
from weft.rank.borodin import Give, Side, alternate, everything
from weft.rank.ranking import Ranking

Count = Annotated[int, Field(ge=1, description="how many authorities count")]
Scope = Annotated[
    Literal["hub", "all"],
    Field(description="count the best authorities of each hub (2005), or of all pages (2001)"),
]
SAME = 1e-12


def leaders(k: int) -> Give:
    """Only a page's k best links give."""

    def give(side: Side, values: Floats) -> Floats:
        crowded = np.flatnonzero(np.diff(side.rows.starts)[side.owner] > k)
        order = crowded[np.lexsort((-values[crowded], side.owner[crowded]))]
        place = np.arange(len(order)) - np.searchsorted(side.owner[order], side.owner[order])
        given = values.copy()
        given[order[place >= k]] = 0
        return given

    return give


def champions(k: int) -> Give:
    """Only links to the k best pages of all give, and to those as good as the last of them."""

    def give(side: Side, values: Floats) -> Floats:
        pages = np.zeros(len(side.rows.starts) - 1)
        pages[side.rows.ids] = values
        if len(pages) <= k:
            return values
        bar = np.partition(pages, -k)[-k]
        return np.where(values >= bar - SAME, values, 0)

    return give


def above_average(side: Side, values: Floats) -> Floats:
    """Only links from pages that are at least the average of those linking there give."""
    counts = np.diff(side.rows.starts).astype(np.float64)
    means = side.sums(values) * powers(counts, -1.0)
    return np.where(values >= means[side.owner] - SAME, values, 0)


MUTUAL = Dimensions(
    model="hubs and authorities",
    metric="hub and authority scores",
    algorithm="HITS",
    scope="single page",
    applications=("web search", "topic distillation"),
)


@method("rank", "authority-threshold", cites="borodin2005", dimensions=MUTUAL)
def authority_threshold(
    graph: WebGraph,
    *,
    k: Count = 10,
    scope: Scope = "hub",
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score hubs by only the best authorities they link to.

    A page is a good hub if it links to good authorities, whatever else it
    links to: its k best count, as AT(k) of 2005 has it, or with `scope=all`
    those of the k best of all pages, as in 2001 (ties with the last count,
    zeros do not). With k as large as the graph this is HITS, with k = 1 Max.
    The largest score is one.

    Examples
    --------
    >>> authority_threshold(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]), k=1)
    <Ranking of 4 pages by authority-threshold, led by x>
    """
    counted = leaders(k) if scope == "hub" else champions(k)
    return alternate("authority-threshold", graph, counted, everything, tolerance, limit)


@method("rank", "hub-threshold", cites="borodin2001", dimensions=MUTUAL)
def hub_threshold(graph: WebGraph, *, tolerance: Tolerance = 1e-10, limit: Limit = 1000) -> Ranking:
    """Score authorities by only those hubs that are at least average for the page.

    Of the pages that link to a page, those below their average do not count.
    The largest score is one. The sum jumps where a hub crosses the average, so
    that the scores may never settle and go round in a cycle; the answer is then
    the mean of one time round, and the trace and `certainty` tell of it.

    Examples
    --------
    >>> hub_threshold(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by hub-threshold, led by x>
    """
    return alternate("hub-threshold", graph, everything, above_average, tolerance, limit)


@method("rank", "full-threshold", cites="borodin2001", dimensions=MUTUAL)
def full_threshold(
    graph: WebGraph,
    *,
    k: Count = 10,
    scope: Scope = "all",
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score by the best authorities and by the hubs that are at least average.

    Authority-Threshold and Hub-Threshold together, with what both say about
    ties and settling. The largest score is one.

    Examples
    --------
    >>> full_threshold(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by full-threshold, led by x>
    """
    counted = leaders(k) if scope == "hub" else champions(k)
    return alternate("full-threshold", graph, counted, above_average, tolerance, limit)
