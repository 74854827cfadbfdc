"""PageRank, and the random surfer that its variants share."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from weft.core.arrays import Flags, Floats
from weft.core.params import Damping, Dangling, DanglingRule, MaxIter, Tol, Weighted
from weft.core.register import Dimensions, method
from weft.engine import NO_TELEPORT, Trace, neumann_series, safe_power
from weft.graph.webgraph import WebGraph
from weft.rank.contributions import Contributions, LazyContributions
from weft.rank.ranking import Ranking, unique_certainty

Normalization = Annotated[
    Literal["sum", "classic"],
    Field(description="scores sum to one, or (1-d) + d·sum of 1998 (mean about one)"),
]
NO_LINKS_TELEPORT_NOTE = "no links: scores come from jumps alone"


@method(
    "rank",
    "pagerank",
    cites="page1998",
    dimensions=Dimensions(
        model="Markov model",
        metric="PageRank",
        algorithm="PageRank",
        scope="single page",
        applications=("web search", "web crawling"),
    ),
)
def pagerank(
    graph: WebGraph,
    *,
    damping: Damping = 0.85,
    dangling: DanglingRule = "teleport",
    normalization: Normalization = "sum",
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score each page by how often a random surfer visits it.

    The stationary distribution of a surfer who follows a random link of the
    page with probability `damping` and else jumps to any page. From a page
    without links they always jump, unless `dangling` says otherwise.
    `normalization=classic` is the formula as printed in 1998, `(1-d) + d * sum`:
    visits that reach a page without links are lost whatever `dangling` says,
    and the order is the same as with the defaults. Pages without in-links have
    the lowest score. A graph without links gives equal scores.

    Examples
    --------
    >>> pagerank(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by pagerank, led by x>
    """
    n = len(graph)
    teleport = uniform_distribution(n)
    classic = normalization == "classic"
    surfer = RandomSurfer.from_graph(
        graph, damping, "leak" if classic else dangling, weighted=weighted
    )
    visits, trace = surfer.stationary_distribution(teleport, tol, max_iter)

    def compute_contributions() -> dict[str, Contributions]:
        contributions = surfer.contributions(visits, teleport)
        return {"score": contributions.multiply(n) if classic else contributions}

    scores = {"score": visits * n if classic else visits}
    return Ranking(
        "pagerank",
        graph.pages,
        scores,
        trace,
        unique_certainty("" if graph.link_count else NO_LINKS_TELEPORT_NOTE),
        LazyContributions(compute_contributions, scores),
    )


def uniform_distribution(n: int) -> Floats:
    """The uniform distribution over n pages."""
    return np.full(n, 1 / max(n, 1))


def solve_pagerank(
    graph: WebGraph,
    teleport: Floats,
    damping: float,
    dangling: Dangling,
    *,
    weighted: bool = False,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> tuple[Floats, Contributions, Trace]:
    """PageRank with a teleport vector that sums to one: scores, contributions and trace.

    Examples
    --------
    >>> graph = WebGraph.from_links([("a", "b"), ("b", "c")])
    >>> solve_pagerank(graph, np.array([0.5, 0.5, 0.0]), 0.5, "leak")[0]
    array([0.25  , 0.375 , 0.1875])
    """
    surfer = RandomSurfer.from_graph(graph, damping, dangling, weighted=weighted)
    scores, trace = surfer.stationary_distribution(teleport, tol, max_iter)
    return scores, surfer.contributions(scores, teleport), trace


@dataclass(frozen=True, slots=True, eq=False)
class RandomSurfer:
    """A Markov chain on a graph: transitions along links, and a rule for dangling pages.

    `transition_weights[i]` is damping / outdegree of page i, the share of its
    visits that each of its links takes (times the weight of the link, if
    `weighted`); `dangling_mask` are the pages without links.
    """

    graph: WebGraph
    damping: float
    dangling: Dangling
    weighted: bool
    transition_weights: Floats
    dangling_mask: Flags

    @classmethod
    def from_graph(
        cls, graph: WebGraph, damping: float, dangling: Dangling, *, weighted: bool
    ) -> Self:
        """The surfer who follows all links of a page equally often, or by weight."""
        transition_weights = safe_power(graph.outdegrees(weighted=weighted), -1.0)
        transition_weights *= damping
        dangling_mask = transition_weights == 0
        return cls(graph, damping, dangling, weighted, transition_weights, dangling_mask)

    def stationary_distribution(
        self, teleport: Floats, tol: float, max_iter: int
    ) -> tuple[Floats, Trace]:
        """The share of visits at each page; a column for each column of `teleport`.

        The Neumann series x = (1-d) sum_k (d P')^k t adds up walks that end at
        dangling pages. A surfer who jumps from there starts the next walk of
        the same series, which only scales x (`teleport`); one who stays there
        (`self`) multiplies the visits of that page by 1 + d + d^2 + … = 1/(1-d).
        """
        visits, trace = neumann_series(
            self.graph.operator(weighted=self.weighted),
            (1 - self.damping) * teleport,
            self.transition_weights,
            tol,
            max_iter,
            "pagerank",
            damping=self.damping,
            teleport=self._dangling_distribution(teleport),
        )
        if self.dangling == "leak":
            return visits, trace
        if self.dangling == "self":
            visits = (visits.T / np.where(self.dangling_mask, 1 - self.damping, 1.0)).T
        # scaling to sum one turns what is missing at some pages into an excess at others
        return _normalize_columns(visits), replace(trace, error=2 * trace.error)

    def _dangling_distribution(self, teleport: Floats) -> Floats:
        """Where walks continue from dangling pages; nowhere if scaling has the same effect."""
        if self.dangling == "uniform":
            return np.full(1, 1 / max(len(teleport), 1))
        if self.dangling != "teleport" or teleport.ndim > 1 or not len(teleport):
            return NO_TELEPORT
        return teleport[:1] if (teleport == teleport[0]).all() else teleport

    def contributions(self, scores: Floats, teleport: Floats) -> Contributions:
        """Split the scores into what links, jumps and dangling pages add."""
        return Contributions(
            self.graph.inlinks,
            self.transition_weights * scores,
            weighted=self.weighted,
            other_sources={
                "jumps": (1 - self.damping) * teleport,
                **self._dangling_contributions(scores, teleport),
            },
        )

    def _dangling_contributions(self, scores: Floats, teleport: Floats) -> dict[str, Floats]:
        if self.dangling == "leak" or not self.dangling_mask.any():
            return {}
        if self.dangling == "self":
            return {"staying there": self.damping * np.where(self.dangling_mask, scores, 0.0)}
        target = teleport if self.dangling == "teleport" else uniform_distribution(len(teleport))
        return {"pages without links": self.damping * scores[self.dangling_mask].sum() * target}


def _normalize_columns(x: Floats) -> Floats:
    """Scale each column in place to sum one."""
    x /= np.where(x.sum(axis=0) > 0, x.sum(axis=0), 1.0)
    return x
