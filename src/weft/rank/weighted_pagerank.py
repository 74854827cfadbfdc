"""PageRank that favours popular targets."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Flags, Floats
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Follow, Limit, Tolerance
from weft.engine import Scaled, Trace, powers, series
from weft.graph.webgraph import WebGraph
from weft.rank.parts import Parts
from weft.rank.ranking import Ranking, certain

OutFloor = Annotated[
    float,
    Field(ge=0, description="added to every page's number of links, so that none counts as zero"),
]


@method(
    "rank",
    "weighted-pagerank",
    cites="xing2004",
    dimensions=Dimensions(
        model="Markov model",
        metric="PageRank",
        algorithm="PageRank",
        scope="single page",
        applications=("web search",),
    ),
)
def weighted_pagerank(
    graph: WebGraph,
    *,
    follow: Follow = 0.85,
    out_floor: OutFloor = 0.0,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score pages by PageRank that gives popular targets more of what a page passes on.

    A link takes the target's share of the in-links of all pages that its
    source links to, times the target's share of their out-links. The two
    shares make the whole smaller than one, so that scores leak and do not sum
    to the number of pages. Literally, a page without links takes nothing over
    a link, unless all its siblings are without: then their out-links count
    alike. `out_floor` of 0.5 or 1 lets such pages take their part. A graph
    without links gives `1 - follow` for every page.

    Examples
    --------
    >>> links = [("a", "x"), ("a", "y"), ("b", "x"), ("x", "a"), ("y", "a")]
    >>> weighted_pagerank(WebGraph.from_links(links))
    <Ranking of 4 pages by weighted-pagerank, led by a>
    """
    shares = Shares.of(graph, out_floor)
    scores, trace = shares.settle(follow, tolerance, limit)
    parts = shares.parts(follow * scores, np.full(len(graph), 1 - follow))
    look = certain("" if graph.link_count else "no links: every page has the least score")
    return Ranking(
        "weighted-pagerank", graph.pages, {"score": scores}, trace, look, {"score": parts}
    )


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """What a link from i to j takes: `source[i] * target[j]`, or `last[i] * popular[j]`.

    The second where `blind`: where no target of i has links. Such a target
    never passes anything on, so what it gets is added when the rest is settled.
    """

    graph: WebGraph
    source: Floats
    target: Floats
    last: Floats
    popular: Floats

    @classmethod
    def of(cls, graph: WebGraph, out_floor: float) -> "Shares":
        """Weigh all links of a graph."""
        flow = graph.flow()
        popular, leading = graph.indegrees(), graph.outdegrees() + out_floor
        siblings, led = flow.backward(popular), flow.backward(leading)
        source = powers(siblings * led, -1.0)
        blind: Flags = (led == 0) & (siblings > 0)
        last = np.where(blind, powers(siblings * graph.outdegrees(), -1.0), 0.0)
        return cls(graph, source, popular * leading, last, popular)

    def settle(self, follow: float, tolerance: float, limit: int) -> tuple[Floats, Trace]:
        """The scores: `1 - follow` for every page, and what links pass on of it."""
        n, flow = len(self.graph), self.graph.flow()
        least = np.full(n, 1 - follow)
        every = Scaled(flow, self.source, self.target)
        scores, trace = series(
            every, least, np.full(n, follow), tolerance, limit, "weighted-pagerank", share=follow
        )
        if self.last.any():
            scores += self.popular * flow.forward(follow * self.last * scores)
        return scores, trace

    def parts(self, passed: Floats, least: Floats) -> Parts:
        """What each link brought, of what each page passes on."""
        rows, rest = self.graph.inlinks, {"jumps": least}
        if not self.last.any():
            return Parts(rows, passed * self.source, self.target, rest=rest)
        ids, counts = rows.ids, np.diff(rows.starts)
        plain = (passed * self.source)[ids] * np.repeat(self.target, counts)
        late = (passed * self.last)[ids] * np.repeat(self.popular, counts)
        return Parts(rows, plain + late, by_link=True, rest=rest)
