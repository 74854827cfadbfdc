"""How near a page is to all the others."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats, Ids
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Seed
from weft.core.progress import track
from weft.engine import CLOSED, Flow
from weft.graph.webgraph import Names, WebGraph
from weft.rank.parts import Parts
from weft.rank.ranking import Certainty, Ranking

Direction = Annotated[
    Literal["out", "in", "both"],
    Field(description="distances from a page along links, to it, or both ways"),
]
Sample = Annotated[
    int,
    Field(
        ge=1,
        description="how many pages distances are measured with; where there are more, as many "
        "are drawn",
    ),
]
CELLS = 1 << 22


@method(
    "rank",
    "centrality",
    cites="prajapati2012",
    dimensions=Dimensions(
        model="single node",
        metric="distance between pages",
        algorithm="graph traversal",
        scope="single page",
        applications=("adaptive web sites",),
    ),
)
def centrality(
    graph: WebGraph, *, direction: Direction = "out", sample: Sample = 1000, seed: Seed = 0
) -> Ranking:
    """Score each page by how much of the graph is near it.

    A page is the more central the more pages it reaches; where that is equal,
    the nearer the farthest of them (its radius), then the nearer their
    average. The first score is the share of other pages that it stands before,
    so that ties tie; `harmonic` is the mean of one over the distance. The
    radius over all pages, infinite where one is out of reach, is in the
    details with the diameter and the centre. Distances are exact up to
    `sample` pages; beyond, counts are estimates from those drawn, and radii
    are at least what they say.

    Examples
    --------
    >>> ring = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")]
    >>> centrality(WebGraph.from_links(ring))
    <Ranking of 3 pages by centrality, led by a>
    >>> centrality(WebGraph.from_links(ring)).details["radius"]
    array([1., 2., 2.])
    """
    n = len(graph)
    drawn = draw(n, sample, seed)
    ways: tuple[Literal["out", "in"], ...] = ("out", "in") if direction == "both" else (direction,)
    near = [measure(graph, drawn, way) for way in ways]
    reach = Reach.together(near)
    scores = {
        "score": standing(reach),
        "reachable": reach.count * reach.scale,
        "harmonic": reach.nearness * reach.scale / max((n - 1) * len(ways), 1),
    }
    parts = {name: _unexplained(graph, values) for name, values in scores.items()}
    note = f"estimated from {len(drawn):,} of {n:,} pages" if len(drawn) < n else ""
    look = cache(lambda: Certainty(unique=not note, note=note))
    return Ranking("centrality", graph.pages, scores, CLOSED, look, parts, _details(graph, reach))


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """Distances between each page and those drawn, summed up.

    How many are reached, out of `asked`; the farthest, the sum, and the sum of
    one over each distance. `scale` takes a count from those asked to all.
    """

    asked: Floats
    count: Floats
    farthest: Floats
    distance: Floats
    nearness: Floats
    scale: Floats

    @staticmethod
    def together(near: list["Reach"]) -> "Reach":
        """Both directions as one: counts add up, the farther of the two is the farthest."""
        if len(near) == 1:
            return near[0]
        one, two = near
        return Reach(
            one.asked + two.asked,
            one.count + two.count,
            np.maximum(one.farthest, two.farthest),
            one.distance + two.distance,
            one.nearness + two.nearness,
            one.scale,
        )

    @property
    def mean(self) -> Floats:
        """The average distance to the pages reached, zero where there is none."""
        return np.divide(
            self.distance, self.count, out=np.zeros_like(self.distance), where=self.count > 0
        )


def draw(n: int, sample: int, seed: int) -> Ids:
    """The pages that distances are measured with: all, or a random choice in page order."""
    if n <= sample:
        return np.arange(n, dtype=np.int32)
    chosen = np.random.default_rng(seed).choice(n, sample, replace=False)
    return np.sort(chosen).astype(np.int32)


def measure(graph: WebGraph, drawn: Ids, way: Literal["out", "in"]) -> Reach:
    """Go back from the pages drawn, block by block, to all that reach them; or on from them."""
    n = len(graph)
    count, farthest, distance, nearness = (np.zeros(n) for _ in range(4))
    width = max(CELLS // max(n, 1), 1)
    blocks = [drawn[at : at + width] for at in range(0, len(drawn), width)]
    for block in track(blocks, "centrality", len(blocks)):
        for steps, met in enumerate(layers(graph.flow(), block, way), start=1):
            count += met
            farthest[met > 0] = np.maximum(farthest[met > 0], steps)
            distance += steps * met
            nearness += met / steps
    asked = np.full(n, float(len(drawn)))
    asked[drawn] -= 1
    scale = np.divide(n - 1, asked, out=np.zeros(n), where=asked > 0)
    return Reach(asked, count, farthest, distance, nearness, scale)


def layers(flow: Flow, block: Ids, way: Literal["out", "in"]) -> Iterator[Floats]:
    """For one step, two steps and so on: how many of the block each page is that far from."""
    seen = np.zeros((flow.n, len(block)), bool)
    seen[block, np.arange(len(block))] = True
    edge = seen.astype(np.float64)
    while True:
        arrived = flow.backward(edge) if way == "out" else flow.forward(edge)
        fresh = (arrived > 0) & ~seen
        met = fresh.sum(axis=1, dtype=np.float64)
        if not met.any():
            return
        yield met
        seen |= fresh
        edge = fresh.astype(np.float64)


def standing(reach: Reach) -> Floats:
    """The share of other pages that each page stands before; equal pages stand equal."""
    n = len(reach.count)
    keys = np.column_stack([-_share(reach), reach.farthest, np.round(reach.mean, 12)])
    _, place, sizes = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    behind = n - np.cumsum(sizes)
    return np.asarray(behind[place.reshape(-1)] / max(n - 1, 1), np.float64)


def _share(reach: Reach) -> Floats:
    return np.round(reach.count / np.maximum(reach.asked, 1.0), 12)


def _details(graph: WebGraph, reach: Reach) -> dict[str, object]:
    missing = reach.count < reach.asked
    radius = np.where(missing, np.inf, reach.farthest)
    first = np.lexsort((reach.farthest, -_share(reach)))[:1]
    centre = (_share(reach) == _share(reach)[first]) & (reach.farthest == reach.farthest[first])
    pairs = float(reach.count.sum())
    return {
        "radius": radius,
        "radius over reachable": reach.farthest,
        "mean distance": reach.mean,
        "centre": Names(graph.names.filter(pa.array(centre))),
        "diameter": float(reach.farthest.max(initial=0)),
        "average distance": float(reach.distance.sum()) / pairs if pairs else 0.0,
    }


def _unexplained(graph: WebGraph, values: Floats) -> Parts:
    """Distances are no sums over links."""
    return Parts(graph.outlinks, np.zeros(len(graph)), rest={"distances": values})
