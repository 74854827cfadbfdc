"""Distance-based centrality: reach, eccentricity and harmonic centrality."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats, Ids
from weft.core.params import Seed
from weft.core.progress import track
from weft.core.register import Dimensions, method
from weft.engine import CLOSED_FORM, LinkOperator
from weft.graph.webgraph import ArrowNames, WebGraph
from weft.rank.ranking import Certainty, Contributions, Ranking

Direction = Annotated[
    Literal["out", "in", "both"],
    Field(description="distances from a page along links, to it, or both"),
]
SampleSize = Annotated[
    int,
    Field(
        ge=1,
        description="measure distances to a random sample of up to this many",
    ),
]
MAX_BLOCK_CELLS = 1 << 22


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
    graph: WebGraph, *, direction: Direction = "out", sample: SampleSize = 1000, seed: Seed = 0
) -> Ranking:
    """Score each page by how much of the graph is near it.

    A page is more central if it reaches more pages; among equals, if the
    farthest of them is nearer (eccentricity, here radius), then if their mean
    distance is smaller. `score` is the share of other pages that are less
    central, and `harmonic` the harmonic centrality, the mean of 1/distance. The
    radius over all pages, infinite if one cannot be reached, is in the details
    with diameter and centre. Distances are exact up to `sample` pages; in
    larger graphs counts are estimates, and radii are lower bounds.

    Examples
    --------
    >>> ring = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")]
    >>> centrality(WebGraph.from_links(ring))
    <Ranking of 3 pages by centrality, led by a>
    >>> centrality(WebGraph.from_links(ring)).details["radius"]
    array([1., 2., 2.])
    """
    n = len(graph)
    sampled = sample_pages(n, sample, seed)
    directions: tuple[Literal["out", "in"], ...] = (
        ("out", "in") if direction == "both" else (direction,)
    )
    distances = DistanceSummary.combine_directions(
        [measure_distances(graph, sampled, direction) for direction in directions]
    )
    others = max((n - 1) * len(directions), 1)
    scores = {
        "score": fraction_outranked(distances),
        "reachable": distances.reached * distances.scale,
        "harmonic": distances.harmonic_sum * distances.scale / others,
    }
    note = f"estimated from {len(sampled):,} of {n:,} pages" if len(sampled) < n else ""
    return Ranking(
        "centrality",
        graph.pages,
        scores,
        CLOSED_FORM,
        cache(lambda: Certainty(unique=not note, note=note)),
        {name: _undivided_contributions(graph, values) for name, values in scores.items()},
        _distance_details(graph, distances),
    )


@dataclass(frozen=True, slots=True, eq=False)
class DistanceSummary:
    """Distances between each page and the sampled pages, aggregated per page.

    `reached` of the `sampled` other pages, their maximal and total distance,
    and the sum of 1/distance. `scale` extrapolates a count to all pages.
    """

    sampled: Floats
    reached: Floats
    max_distance: Floats
    total_distance: Floats
    harmonic_sum: Floats
    scale: Floats

    @staticmethod
    def combine_directions(summaries: list["DistanceSummary"]) -> "DistanceSummary":
        """Both directions together: counts add up, the larger maximum counts."""
        if len(summaries) == 1:
            return summaries[0]
        first, second = summaries
        return DistanceSummary(
            first.sampled + second.sampled,
            first.reached + second.reached,
            np.maximum(first.max_distance, second.max_distance),
            first.total_distance + second.total_distance,
            first.harmonic_sum + second.harmonic_sum,
            first.scale,
        )

    @property
    def mean_distance(self) -> Floats:
        """The average distance to the pages reached, zero where there is none."""
        return np.divide(
            self.total_distance,
            self.reached,
            out=np.zeros_like(self.total_distance),
            where=self.reached > 0,
        )


def sample_pages(n: int, sample_size: int, seed: int) -> Ids:
    """All n pages, or a random sample of them in page order."""
    if n <= sample_size:
        return np.arange(n, dtype=np.int32)
    sample = np.random.default_rng(seed).choice(n, sample_size, replace=False)
    return np.sort(sample).astype(np.int32)


def measure_distances(
    graph: WebGraph, sample: Ids, direction: Literal["out", "in"]
) -> DistanceSummary:
    """Search breadth-first from blocks of sampled pages to all pages within reach.

    Distances from a page to the sample ("out") need searches against the links.
    """
    n = len(graph)
    reached, max_distance, total_distance, harmonic_sum = (np.zeros(n) for _ in range(4))
    width = max(MAX_BLOCK_CELLS // max(n, 1), 1)
    blocks = [sample[start : start + width] for start in range(0, len(sample), width)]
    for block in track(blocks, "centrality", len(blocks)):
        layers = bfs_layer_counts(graph.operator(), block, direction)
        for distance, count in enumerate(layers, start=1):
            reached += count
            max_distance[count > 0] = np.maximum(max_distance[count > 0], distance)
            total_distance += distance * count
            harmonic_sum += count / distance
    sampled = np.full(n, float(len(sample)))
    sampled[sample] -= 1  # the page itself
    scale = np.divide(n - 1, sampled, out=np.zeros(n), where=sampled > 0)
    return DistanceSummary(sampled, reached, max_distance, total_distance, harmonic_sum, scale)


def bfs_layer_counts(
    operator: LinkOperator, sources: Ids, direction: Literal["out", "in"]
) -> Iterator[Floats]:
    """For distance 1, 2, …: how many of the sources are at that distance from each page."""
    visited = np.zeros((operator.n, len(sources)), bool)
    visited[sources, np.arange(len(sources))] = True
    frontier = visited.astype(np.float64)
    while True:
        paths = operator.matvec(frontier) if direction == "out" else operator.rmatvec(frontier)
        layer = (paths > 0) & ~visited
        counts = layer.sum(axis=1, dtype=np.float64)
        if not counts.any():
            return
        yield counts
        visited |= layer
        frontier = layer.astype(np.float64)


def fraction_outranked(distances: DistanceSummary) -> Floats:
    """The share of other pages that are less central; ties get equal shares."""
    n = len(distances.reached)
    keys = np.column_stack(
        [-_reached_share(distances), distances.max_distance, np.round(distances.mean_distance, 12)]
    )
    # unique sorts the keys, the most central first
    _, group, sizes = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    outranked = n - np.cumsum(sizes)
    return np.asarray(outranked[group.reshape(-1)] / max(n - 1, 1), np.float64)


def _reached_share(distances: DistanceSummary) -> Floats:
    return np.round(distances.reached / np.maximum(distances.sampled, 1.0), 12)


def _distance_details(graph: WebGraph, distances: DistanceSummary) -> dict[str, object]:
    unreached = distances.reached < distances.sampled
    radius = np.where(unreached, np.inf, distances.max_distance)
    # the centre: all pages that tie with the first in reach and eccentricity
    share = _reached_share(distances)
    first = np.lexsort((distances.max_distance, -share))[:1]
    centre = (share == share[first]) & (distances.max_distance == distances.max_distance[first])
    pairs = float(distances.reached.sum())
    return {
        "radius": radius,
        "radius over reachable": distances.max_distance,
        "mean distance": distances.mean_distance,
        "centre": ArrowNames(graph.names.filter(pa.array(centre))),
        "diameter": float(distances.max_distance.max(initial=0)),
        "average distance": float(distances.total_distance.sum()) / pairs if pairs else 0.0,
    }


def _undivided_contributions(graph: WebGraph, values: Floats) -> Contributions:
    """One source for all: distances are not sums over links."""
    return Contributions(graph.outlinks, np.zeros(len(graph)), other_sources={"distances": values})
