"""HITS on several singular vectors at once, so that few changed links change little."""

from functools import cache
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats, Rows
from weft.core.dimensions import Dimensions
from weft.core.errors import BadParameter
from weft.core.methods import method
from weft.core.params import Weighted
from weft.core.progress import track
from weft.engine import CLOSED
from weft.graph.webgraph import WebGraph, link_weights
from weft.rank.hits import EMPTY
from weft.rank.parts import Parts
from weft.rank.ranking import Certainty, Ranking
from weft.rank.singular import NONE, Leading, leading, products

Among = Annotated[
    int, Field(ge=0, le=1000, description="how many pairs of singular vectors; 0 takes all")
]
Power = Annotated[
    float, Field(ge=0, le=10, description="a vector counts by this power of its eigenvalue")
]
Side = tuple[Floats, Parts]

WHOLE = 2000
BLOCK = 64


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
    graph: WebGraph, *, vectors: Among = 20, power: Power = 2.0, weighted: Weighted = False
) -> Ranking:
    """Score authorities and hubs by all leading singular vectors, each by its strength.

    The score of a page is the sum of its squared entries in the leading
    vectors, each times a power of its eigenvalue. Where the last of them has
    equals they are taken in as well, for one of them alone would depend on
    nothing in the graph. One vector gives the order of HITS; all with power 1
    give the in-degree, all with power 2 the sum of squared co-citation counts,
    and all with power 0 one for every page.

    Examples
    --------
    >>> subspace_hits(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by subspace-hits, led by x>
    """
    found = NONE
    closed = not vectors and power in {0.0, 1.0, 2.0}
    if graph.link_count and not closed:
        found = leading(graph.flow(weighted=weighted), vectors or _all(graph))
        closed = power == 0 and found.after == 0 and len(found.values) < vectors
    if not graph.link_count:
        sides = _alike(graph, 0.0)
    elif not closed:
        sides = _squares(graph, found, power, weighted=weighted)
    elif power == 0:
        sides = _alike(graph, 1.0)
    elif power == 1:
        sides = _lengths(graph, weighted=weighted)
    else:
        sides = _meetings(graph, weighted=weighted)
    return Ranking(
        "subspace-hits",
        graph.pages,
        {name: score for name, (score, _) in sides.items()},
        CLOSED,
        cache(lambda: _certainty(graph, found)),
        {name: brought for name, (_, brought) in sides.items()},
        {"eigenvalues": np.square(found.values)},
    )


def _squares(graph: WebGraph, found: Leading, power: float, *, weighted: bool) -> dict[str, Side]:
    """By the vectors found; a link carries the product of its ends in each."""
    strength, carried = found.values ** (2 * power), found.values ** (2 * power - 1)

    def side(rows: Rows, mine: Floats, other: Floats) -> Side:
        each = products(rows, mine * carried, other)
        return np.square(mine) @ strength, Parts(rows, each, weighted=weighted, by_link=True)

    return {
        "authority": side(graph.inlinks, found.target, found.source),
        "hub": side(graph.outlinks, found.source, found.target),
    }


def _alike(graph: WebGraph, score: float) -> dict[str, Side]:
    alike, nothing = np.full(len(graph), score), np.zeros(len(graph))
    rest = {"the same for every page": alike}
    return {
        "authority": (alike, Parts(graph.inlinks, nothing, rest=rest)),
        "hub": (alike, Parts(graph.outlinks, nothing, rest=rest)),
    }


def _lengths(graph: WebGraph, *, weighted: bool) -> dict[str, Side]:
    """All vectors with power one: the squared weights of a page's links."""

    def side(rows: Rows) -> Side:
        each = np.asarray(link_weights(rows), float) if weighted else np.ones(len(rows.ids))
        owners = rows.owners().astype(np.int64)
        score = np.bincount(owners, np.square(each), len(graph)).astype(np.float64)
        return score, Parts(rows, each, weighted=weighted, by_link=True)

    return {"authority": side(graph.inlinks), "hub": side(graph.outlinks)}


def _meetings(graph: WebGraph, *, weighted: bool) -> dict[str, Side]:
    """All vectors with power two: the squared counts of how often pages are linked together."""
    flow, n = graph.flow(weighted=weighted), len(graph)
    sides = {}
    for name, rows, there, back in (
        ("authority", graph.inlinks, flow.backward, flow.forward),
        ("hub", graph.outlinks, flow.forward, flow.backward),
    ):
        score, each = np.zeros(n), np.zeros(len(rows.ids))
        for first in track(range(0, n, BLOCK), name, -(-n // BLOCK)):
            block = np.arange(first, min(first + BLOCK, n))
            together = back(there(np.eye(n, len(block), -first)))
            inside = slice(int(rows.starts[first]), int(rows.starts[block[-1] + 1]))
            owners = np.repeat(block - first, np.diff(rows.starts[first : block[-1] + 2]))
            score[block] = np.square(together).sum(axis=0)
            each[inside] = there(together)[rows.ids[inside], owners]
        sides[name] = (score, Parts(rows, each, weighted=weighted, by_link=True))
    return sides


def _all(graph: WebGraph) -> int:
    if len(graph) > WHOLE:
        raise BadParameter(
            f"all singular vectors of {len(graph):,} pages are too many to find",
            hint="take a number of them, or power 0, 1 or 2, which need none",
        )
    return len(graph)


def _certainty(graph: WebGraph, found: Leading) -> Certainty:
    if not graph.link_count:
        return Certainty(note=EMPTY)
    if found.cut:
        return Certainty(unique=False, note="the last vector has more equals than were looked for")
    return Certainty(gap=found.gap)
