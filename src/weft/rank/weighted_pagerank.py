"""Weighted PageRank: links to popular pages pass on more."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Flags, Floats
from weft.core.params import Damping, MaxIter, Tol
from weft.core.register import Dimensions, method
from weft.engine import ScaledOperator, Trace, neumann_series, safe_power
from weft.graph.webgraph import WebGraph
from weft.rank.ranking import Contributions, Ranking, unique_certainty

OutDegreeFloor = Annotated[
    float,
    Field(ge=0, description="added to every out-degree, so that none is zero"),
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
    on_gpu=True,
)
def weighted_pagerank(
    graph: WebGraph,
    *,
    damping: Damping = 0.85,
    out_floor: OutDegreeFloor = 0.0,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score pages by PageRank with more weight on popular targets.

    A link passes on W_in W_out of its source's score: the target's share of the
    in-links of all pages that the source links to, times its share of their
    out-links. The weights of a page add up to less than one, so that scores
    leak and do not sum to the number of pages. As printed, a target without
    out-links gets nothing, unless none of its siblings has any: then W_out is
    equal for all. `out_floor` of 0.5 or 1 gives such targets a share. A graph
    without links gives `1 - damping` for every page.

    Examples
    --------
    >>> links = [("a", "x"), ("a", "y"), ("b", "x"), ("x", "a"), ("y", "a")]
    >>> weighted_pagerank(WebGraph.from_links(links))
    <Ranking of 4 pages by weighted-pagerank, led by a>
    """
    shares = LinkShares.from_graph(graph, out_floor)
    scores, trace = shares.solve(damping, tol, max_iter)
    return Ranking(
        "weighted-pagerank",
        graph.pages,
        {"score": scores},
        trace,
        unique_certainty("" if graph.link_count else "no links: all scores are equal"),
        {"score": shares.contributions(damping * scores, np.full(len(graph), 1 - damping))},
    )


@dataclass(frozen=True, slots=True, eq=False)
class LinkShares:
    """The weight of a link i-j: `source_factor[i] * target_factor[j]`, a product of rank one.

    If no target of i has out-links, it is `dead_end_factor[i] * popularity[j]`
    instead. Such targets pass nothing on, so that their share is added after
    the iteration.
    """

    graph: WebGraph
    source_factor: Floats
    target_factor: Floats
    dead_end_factor: Floats
    popularity: Floats

    @classmethod
    def from_graph(cls, graph: WebGraph, out_floor: float) -> "LinkShares":
        """W_in W_out = I_j O_j / (sum of I over targets of i * sum of O over targets of i)."""
        operator = graph.operator()
        indegrees, outdegrees = graph.indegrees(), graph.outdegrees() + out_floor
        in_sums, out_sums = (
            operator.to_host(operator.matvec(degrees)) for degrees in (indegrees, outdegrees)
        )
        only_dead_ends: Flags = (out_sums == 0) & (in_sums > 0)
        dead_end_factor = safe_power(in_sums * graph.outdegrees(), -1.0)
        return cls(
            graph,
            safe_power(in_sums * out_sums, -1.0),
            indegrees * outdegrees,
            np.where(only_dead_ends, dead_end_factor, 0.0),
            indegrees,
        )

    def solve(self, damping: float, tol: float, max_iter: int) -> tuple[Floats, Trace]:
        """The solution of x = (1 - d) 1 + d W' x."""
        operator = self.graph.operator()
        scores, trace = neumann_series(
            ScaledOperator(
                operator, operator.asarray(self.source_factor), operator.asarray(self.target_factor)
            ),
            np.full(1, 1 - damping),
            operator.ones() * damping,
            tol,
            max_iter,
            "weighted-pagerank",
            damping=damping,
        )
        scores = operator.to_host(scores)
        if self.dead_end_factor.any():
            passed_on = damping * self.dead_end_factor * scores
            scores += self.popularity * operator.to_host(operator.rmatvec(passed_on))
        return scores, trace

    def contributions(self, passed_on: Floats, base_score: Floats) -> Contributions:
        """Split the scores into what each link adds, of what its source passes on."""
        links, jumps = self.graph.inlinks, {"jumps": base_score}
        if not self.dead_end_factor.any():
            return Contributions(
                links, passed_on * self.source_factor, self.target_factor, other_sources=jumps
            )
        ids, counts = links.ids, np.diff(links.starts)
        regular = (passed_on * self.source_factor)[ids] * np.repeat(self.target_factor, counts)
        dead_ends = (passed_on * self.dead_end_factor)[ids] * np.repeat(self.popularity, counts)
        return Contributions(links, regular + dead_ends, per_link=True, other_sources=jumps)
