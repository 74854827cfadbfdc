"""PageRank: where a reader who follows links, and now and then jumps, is found."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from weft.core.arrays import Flags, Floats
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Dangling, DanglingRule, Follow, Limit, Tolerance, Weighted
from weft.engine import NOWHERE, Trace, powers, series
from weft.graph.webgraph import WebGraph
from weft.rank.parts import Later, Parts
from weft.rank.ranking import Ranking, certain

Form = Annotated[
    Literal["sum", "classic"],
    Field(description="scores that sum to one, or the (1-d) + d form of 1998, about one a page"),
]
NO_LINKS = "no links: every page has what jumps bring it"


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
    follow: Follow = 0.85,
    dangling: DanglingRule = "teleport",
    form: Form = "sum",
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score each page by how often a random reader is there.

    The reader follows a link of the page with probability `follow` and else
    jumps to any page. From a page without links they jump as well, unless
    `dangling` says otherwise. `form=classic` is `(1-d) + d * sum` as printed:
    what reaches a page without links is lost, whatever `dangling` says, and
    the order is that of `form=sum` with its default. A page without links to
    it has the least score. A graph without links gives equal scores.

    Examples
    --------
    >>> pagerank(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by pagerank, led by x>
    """
    jump, n = evenly(len(graph)), len(graph)
    rule: Dangling = "leak" if form == "classic" else dangling
    reader = Reader.of(graph, follow, rule, weighted=weighted)
    found, trace = reader.read(jump, tolerance, limit)

    def brought() -> dict[str, Parts]:
        parts = reader.parts(found, jump)
        return {"score": scaled(parts, n) if form == "classic" else parts}

    scores = {"score": found * n if form == "classic" else found}
    look = certain("" if graph.link_count else NO_LINKS)
    return Ranking("pagerank", graph.pages, scores, trace, look, Later(brought, scores))


def evenly(n: int) -> Floats:
    """The same share for each of n pages."""
    return np.full(n, 1 / max(n, 1))


def surf(
    graph: WebGraph,
    jump: Floats,
    follow: float,
    dangling: Dangling,
    *,
    weighted: bool = False,
    tolerance: float = 1e-10,
    limit: int = 1000,
) -> tuple[Floats, Parts, Trace]:
    """PageRank with jumps to `jump`, which sums to one: its scores, their parts, the trace.

    Examples
    --------
    >>> graph = WebGraph.from_links([("a", "b"), ("b", "c")])
    >>> surf(graph, np.array([0.5, 0.5, 0.0]), 0.5, "leak")[0]
    array([0.25  , 0.375 , 0.1875])
    """
    reader = Reader.of(graph, follow, dangling, weighted=weighted)
    scores, trace = reader.read(jump, tolerance, limit)
    return scores, reader.parts(scores, jump), trace


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """A reader of a graph: what they take along each link, and what they do where there is none.

    From page i they take `each[i]` of their visits along each link, and at the
    `stuck` pages there is no link to follow.
    """

    graph: WebGraph
    follow: float
    dangling: Dangling
    weighted: bool
    each: Floats
    stuck: Flags

    @classmethod
    def of(cls, graph: WebGraph, follow: float, dangling: Dangling, *, weighted: bool) -> Self:
        """The reader that follows every link of a page alike, or by its weight."""
        each = powers(graph.outdegrees(weighted=weighted), -1.0)
        each *= follow
        return cls(graph, follow, dangling, weighted, each, each == 0)

    def read(self, jump: Floats, tolerance: float, limit: int) -> tuple[Floats, Trace]:
        """How often they are at each page; a `jump` of several columns gives as many answers.

        Walks that end at pages without links are added up. A reader who jumps
        from there begins the next walk of that sum, which only scales it; one
        who stays there adds to each visit the rounds it lasts.
        """
        found, trace = series(
            self.graph.flow(weighted=self.weighted),
            (1 - self.follow) * jump,
            self.each,
            tolerance,
            limit,
            "pagerank",
            share=self.follow,
            jump=self._onward(jump),
        )
        if self.dangling == "leak":
            return found, trace
        if self.dangling == "self":
            found = (found.T / np.where(self.stuck, 1 - self.follow, 1.0)).T
        # what is still missing at some pages is, scaled, too much at others
        return _unit(found), replace(trace, error=2 * trace.error)

    def _onward(self, jump: Floats) -> Floats:
        """Where walks go on from pages without links; nowhere if scaling can make up for it."""
        if self.dangling == "uniform":
            return np.full(1, 1 / max(len(jump), 1))
        if self.dangling != "teleport" or jump.ndim > 1 or not len(jump):
            return NOWHERE
        return jump[:1] if (jump == jump[0]).all() else jump

    def parts(self, scores: Floats, jump: Floats) -> Parts:
        """What links, jumps and pages without links brought to each score."""
        rest = {"jumps": (1 - self.follow) * jump, **self._from_stuck(scores, jump)}
        return Parts(self.graph.inlinks, self.each * scores, weighted=self.weighted, rest=rest)

    def _from_stuck(self, scores: Floats, jump: Floats) -> dict[str, Floats]:
        if self.dangling == "leak" or not self.stuck.any():
            return {}
        if self.dangling == "self":
            return {"staying there": self.follow * np.where(self.stuck, scores, 0.0)}
        to = jump if self.dangling == "teleport" else evenly(len(jump))
        return {"pages without links": self.follow * scores[self.stuck].sum() * to}


def _unit(x: Floats) -> Floats:
    """Scale each column in place to sum one."""
    x /= np.where(x.sum(axis=0) > 0, x.sum(axis=0), 1.0)
    return x


def scaled(parts: Parts, factor: float) -> Parts:
    """The same parts on another scale."""
    rest = {reason: amount * factor for reason, amount in parts.rest.items()}
    return replace(parts, each=parts.each * factor, rest=rest)
