"""PageRank, and the random surfer that its variants share."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from weft.core.arrays import Flags, Floats
from weft.core.params import Damping, Dangling, DanglingRule, MaxIter, Tol, Weighted
from weft.core.register import Dimensions, method
from weft.engine import NO_TELEPORT, LinkOperator, Trace, neumann_series
from weft.engine.operator import scale_rows
from weft.graph.webgraph import WebGraph
from weft.rank.ranking import Contributions, LazyContributions, Ranking, unique_certainty

Normalization = Annotated[
    Literal["sum", "classic"],
    Field(description="scores sum to one, or (1-d) + d·sum of 1998 (mean about one)"),
]
NO_LINKS_TELEPORT_NOTE = "no links: scores come from jumps alone"


PAGERANK_DIMENSIONS = Dimensions(
    model="Markov model",
    metric="PageRank",
    algorithm="PageRank",
    scope="single page",
    applications=("web search", "web crawling"),
)


@method(
    "rank",
    "pagerank",
    cites="page1998",
    dimensions=PAGERANK_DIMENSIONS,
    spark="weft.spark.rank:pagerank",
    on_gpu=True,
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
    teleport = np.full(1, 1 / max(n, 1))  # the same at all pages
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
    `weighted`), as a vector of `operator`.
    """

    graph: WebGraph
    operator: LinkOperator
    damping: float
    dangling: Dangling
    weighted: bool
    transition_weights: Floats

    @classmethod
    def from_graph(
        cls, graph: WebGraph, damping: float, dangling: Dangling, *, weighted: bool
    ) -> Self:
        """The surfer who follows all links of a page equally often, or by weight."""
        operator = graph.operator(weighted=weighted)
        transition_weights = operator.vectors.power(operator.outdegrees(), -1.0, damping)
        return cls(graph, operator, damping, dangling, weighted, transition_weights)

    def stationary_distribution(
        self, teleport: Floats, tol: float, max_iter: int
    ) -> tuple[Floats, Trace]:
        """The share of visits at each page; a column for each column of `teleport`.

        A teleport vector with a single entry has it at all pages.
        """
        return solve_surfer(
            self.operator,
            self.transition_weights,
            teleport,
            self.damping,
            self.dangling,
            tol=tol,
            max_iter=max_iter,
        )

    def contributions(self, scores: Floats, teleport: Floats) -> Contributions:
        """Split the scores into what links, jumps and dangling pages add."""
        transition_weights = self.operator.to_host(self.transition_weights)
        teleport = np.broadcast_to(teleport, scores.shape)
        dangling = transition_weights == 0
        return Contributions(
            self.graph.inlinks,
            transition_weights * scores,
            weighted=self.weighted,
            other_sources={
                "jumps": (1 - self.damping) * teleport,
                **self._dangling_contributions(scores, teleport, dangling),
            },
        )

    def _dangling_contributions(
        self, scores: Floats, teleport: Floats, dangling: Flags
    ) -> dict[str, Floats]:
        if self.dangling == "leak" or not dangling.any():
            return {}
        if self.dangling == "self":
            return {"staying there": self.damping * np.where(dangling, scores, 0.0)}
        target = teleport if self.dangling == "teleport" else uniform_distribution(len(teleport))
        return {"pages without links": self.damping * scores[dangling].sum() * target}


def solve_surfer(
    operator: LinkOperator,
    transition_weights: Floats,
    teleport: Floats,
    damping: float,
    dangling: Dangling,
    *,
    tol: float,
    max_iter: int,
) -> tuple[Floats, Trace]:
    """The share of visits at each page, over the links of an operator.

    A teleport vector with a single entry has it at all pages; the result is
    on the host.

    The Neumann series x = (1-d) sum_k (d P')^k t adds up walks that end at
    dangling pages. A surfer who jumps from there starts the next walk of
    the same series, which only scales x (`teleport`); one who stays there
    (`self`) multiplies the visits of that page by 1 + d + d^2 + … = 1/(1-d).
    """
    visits, trace = neumann_series(
        operator,
        (1 - damping) * teleport,
        transition_weights,
        tol,
        max_iter,
        "pagerank",
        damping=damping,
        teleport=_dangling_distribution(teleport, dangling, operator.n),
    )
    if dangling == "leak":
        return operator.to_host(visits), trace
    if dangling == "self":
        xp = operator.vectors.xp
        stays = xp.astype(operator.asarray(transition_weights) == 0, visits.dtype)
        visits = scale_rows(1 + stays * damping / (1 - damping), visits)
    # scaling to sum one turns what is missing at some pages into an excess at others
    visits = _normalize_columns(operator, visits)
    return operator.to_host(visits), replace(trace, error=2 * trace.error)


def _dangling_distribution(teleport: Floats, dangling: Dangling, n: int) -> Floats:
    """Where walks continue from dangling pages; nowhere if scaling has the same effect."""
    if dangling == "uniform":
        return np.full(1, 1 / max(n, 1))
    if dangling != "teleport" or teleport.ndim > 1 or not len(teleport):
        return NO_TELEPORT
    return teleport[:1] if (teleport == teleport[0]).all() else teleport


def _normalize_columns(operator: LinkOperator, x: Floats) -> Floats:
    """Scale each column to sum one; a single one in place."""
    xp = operator.vectors.xp
    if x.ndim == 1:
        total = float(xp.sum(x))
        operator.vectors.combine(x, [1 / total if total > 0 else 1.0], [x])
        return x
    totals = xp.sum(x, axis=0)
    scaled: Floats = x / xp.where(totals > 0, totals, xp.ones_like(totals))
    return scaled


@method("rank", "pagerank-hubs", cites="ding2003", dimensions=PAGERANK_DIMENSIONS, on_gpu=True)
def pagerank_hubs(
    graph: WebGraph,
    *,
    damping: Damping = 0.9,
    dangling: DanglingRule = "teleport",
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score hubs by PageRank on the reversed links.

    PageRank of the transposed graph: the score of a page comes from the pages
    it links to, each of which splits its score among all pages that link to
    it. `dangling` applies to pages without in-links. A graph without links
    gives equal scores.

    Examples
    --------
    >>> pagerank_hubs(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by pagerank-hubs, led by b>
    """
    scores, contributions, trace = solve_pagerank(
        reverse_graph(graph),
        uniform_distribution(len(graph)),
        damping,
        dangling,
        weighted=weighted,
        tol=tol,
        max_iter=max_iter,
    )
    certainty = unique_certainty("" if graph.link_count else NO_LINKS_TELEPORT_NOTE)
    return Ranking(
        "pagerank-hubs", graph.pages, {"hub": scores}, trace, certainty, {"hub": contributions}
    )


def reverse_graph(graph: WebGraph) -> WebGraph:
    """The transposed graph: every link reversed; nothing is copied."""
    return WebGraph(graph.pages, graph.inlinks, graph.outlinks, graph.level)
