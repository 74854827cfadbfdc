"""How likely a link is that is not there, by the links that are.

Every score is that of a pair, the page that would link and the page it would
link to. A question holds one of them fixed and asks for all others at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weft.core.arrays import Flags, Floats, Ids, Rows
from weft.core.errors import BadParameter
from weft.graph.webgraph import WebGraph
from weft.suggest.around import Around, onward
from weft.suggest.liken import shared_words

Way = Literal["to", "from"]
FACING: dict[Way, Literal["inlinks", "outlinks"]] = {"to": "inlinks", "from": "outlinks"}
STEPS = 3
SMALL = 1_000
KATZ_STEPS = 4
USUAL_B = 0.05
ROUNDS, FEWER = 10_000, 200
LEFT = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Where a page should link `to`, or `from` where links should lead to it.

    With `undirected` a link counts in both directions. Where it is asked of
    some pages `alone`, others may have a score of zero.
    """

    around: Around
    page: int
    way: Way = "to"
    undirected: bool = False
    alone: Ids | None = None

    @property
    def graph(self) -> WebGraph:
        """The links that count."""
        return self.around.both_ways if self.undirected else self.around.graph

    @property
    def links(self) -> Ids:
        """The pages that it links to already, or that link to it."""
        return row(self.graph.inlinks if self.way == "from" else self.graph.outlinks, self.page)

    def spread(self, x: Floats) -> Floats:
        """One click on, or one back."""
        return onward(self.graph, x, back=self.way == "from")

    def from_neighbours(self, worth: Floats) -> Floats:
        """For all others what the pages in between are worth together."""
        x = np.zeros(len(self.graph))
        x[self.links] = worth[self.links]
        if self.alone is None:
            return self.spread(x)
        found, rows = np.zeros(len(x)), getattr(self.graph, FACING[self.way])
        for page in self.alone.tolist():
            # one after the other, as `spread` adds: `sum` alone would differ in the last digits
            found[page] = np.cumsum(x[row(rows, page)])[-1:].sum()
        return found

    @property
    def outdegrees(self) -> Floats:
        """How many links each page has."""
        return degrees(self.around, "out", undirected=self.undirected)

    @property
    def indegrees(self) -> Floats:
        """How many links lead to each page."""
        return degrees(self.around, "in", undirected=self.undirected)

    def once(self, name: str, make: Callable[[], Floats]) -> Floats:
        """What follows from the links that count, made when it is first asked for."""
        return self.around.once(f"{name}, both ways" if self.undirected else name, make)

    @property
    def shares(self) -> Floats:
        """What each link of a page gets of one unit."""
        return self.once("shares", lambda: inverse(self.outdegrees))

    @property
    def scale(self) -> Floats:
        """One over the length of each page's links."""
        return self.once("scale", lambda: np.sqrt(inverse(self.outdegrees)))

    def sizes(self) -> tuple[float, Floats]:
        """How many neighbours the page has, and every other on the side that faces it."""
        ways = self.outdegrees, self.indegrees
        own, others = ways if self.way == "to" else ways[::-1]
        return float(own[self.page]), others

    def open(self) -> Flags:
        """Pages within three steps, links followed either way, that are not linked already."""
        found = self.around.latest("near", self.page, lambda: near(self.around.graph, self.page))
        found = found.copy()
        found[self.page] = False
        found[self.links] = False
        return found


def near(graph: WebGraph, page: int) -> Flags:
    """The pages within three steps of one, links followed either way."""
    found, fresh = np.zeros(len(graph), bool), np.zeros(len(graph), bool)
    fresh[page] = True
    for _ in range(STEPS):
        found |= fresh
        edge = fresh.astype(np.float64)
        fresh = (onward(graph, edge) + onward(graph, edge, back=True) > 0) & ~found
    return found | fresh


def row(rows: Rows, page: int) -> Ids:
    """The neighbours of a page."""
    return np.asarray(rows.ids[rows.starts[page] : rows.starts[page + 1]])


def degrees(around: Around, end: Literal["out", "in"], *, undirected: bool = False) -> Floats:
    """How many links each page has, or how many lead to it."""
    graph = around.both_ways if undirected else around.graph
    rows = graph.outlinks if end == "out" else graph.inlinks
    name = "both degrees" if undirected else f"{end} degrees"
    return around.once(name, lambda: np.diff(rows.starts).astype(np.float64))


def common(question: Question) -> Floats:
    """How many pages lie in between."""
    return question.from_neighbours(np.ones(len(question.graph)))


def jaccard(question: Question) -> Floats:
    """Their share of all neighbours of both."""
    shared, (own, others) = common(question), question.sizes()
    found = np.zeros(len(shared))
    np.divide(shared, own + others - shared, out=found, where=shared > 0)
    return found


def adamic_adar(question: Question) -> Floats:
    """Each counts less the more links it has: one over the logarithm of their number.

    Of one more than their number where links are directed, for then a page in
    between may have a single link.
    """

    def make() -> Floats:
        links = question.outdegrees
        counted = links if question.undirected else links + 1
        several = counted > 1
        worth = np.zeros(len(links))
        worth[several] = 1 / np.log(counted[several])
        return worth

    return question.from_neighbours(question.once("worth by logarithm", make))


def resource_allocation(question: Question) -> Floats:
    """Each shares one unit among its links."""
    return question.from_neighbours(question.shares)


def preferential(question: Question) -> Floats:
    """The product of both pages' numbers of links."""
    own, others = question.sizes()
    return own * others


def co_citation(question: Question) -> Floats:
    """Pages that are linked together with those that the one links to already.

    Two pages are as close as the cosine of the links to them, of which each
    counts less the more links its page has. The closeness to all that is
    linked already adds up.
    """
    graph = question.graph
    fewer = question.shares
    rarely = question.once("root of in-links", lambda: np.sqrt(inverse(question.indegrees)))
    x = np.zeros(len(graph))
    if question.way == "to":
        x[question.links] = rarely[question.links]
        listing = onward(graph, x, back=True) * fewer
        listing[question.page] = 0.0
        return np.asarray(onward(graph, listing) * rarely)
    x[question.links] = fewer[question.links]
    together = onward(graph, x) * rarely
    return np.asarray(onward(graph, together, back=True) * rarely[question.page])


def coupling(question: Question, nearest: int = 0) -> Floats:
    """Pages that link as the one does, by the cosine of their links, and link to the other.

    Only so many of those `nearest` to the page in question count, or all.
    """
    graph = question.graph
    if question.way == "to":
        return onward(graph, foremost(like(question, question.page), nearest))
    scale = question.scale
    x = np.zeros(len(graph))
    x[question.links] = scale[question.links]
    return onward(graph, onward(graph, x), back=True) * scale


def like(question: Question, page: int) -> Floats:
    """The cosine of the links of a page with those of every other."""
    graph = question.graph
    x = np.zeros(len(graph))
    x[row(graph.outlinks, page)] = 1.0
    scale = question.scale
    found: Floats = onward(graph, x, back=True) * scale * scale[page]
    found[page] = 0.0
    return found


def foremost(values: Floats, most: int) -> Floats:
    """The same with nothing but the largest, and what is equal to the last of them."""
    some = values[values > 0]
    if not most or len(some) <= most:
        return values
    bar = np.partition(some, len(some) - most)[len(some) - most]
    return np.where(values >= bar * (1 - 1e-12), values, 0.0)


def text(question: Question) -> Floats:
    """How alike the words of both pages are, where they are known; the same both ways."""
    around, page = question.around, question.page
    return around.latest("words", page, lambda: shared_words(around, page)[0])


def walk(question: Question, follow: float) -> Floats:
    """Where a reader is who starts at the one and jumps back there now and then."""
    graph, far = question.graph, question.way == "from"
    share = question.shares
    x = np.zeros(len(graph))
    x[question.page] = 1 - follow
    total = x.copy()
    for _ in range(walk_rounds(len(graph), follow)):
        x = follow * (onward(graph, x, back=True) * share if far else onward(graph, x * share))
        total += x
    return total


def walk_rounds(n: int, follow: float) -> int:
    """How many clicks are followed: on a small web all that count, else all but a hundredth."""
    return int(np.ceil(np.log(1e-12 if n <= SMALL else LEFT) / np.log(follow)))


def katz(question: Question, b: float) -> Floats:
    """All ways, each counting less the longer it is; of a large web those of up to four clicks."""
    graph = question.graph
    if len(graph) <= SMALL:
        matrix = np.eye(len(graph))
        source = graph.outlinks.owners().astype(np.int64)
        matrix[source, graph.outlinks.ids] -= b
        one = np.eye(len(graph))[question.page]
        solved: Floats = np.linalg.solve(matrix if question.way == "from" else matrix.T, one)
        found: Floats = solved - one
        return found
    x = np.zeros(len(graph))
    x[question.page] = 1.0
    total = np.zeros(len(graph))
    for _ in range(KATZ_STEPS):
        x = b * question.spread(x)
        total += x
    return total


def katz_b(question: Question, b: float) -> float:
    """The weight of a click: as given, if all ways together count finitely; else half of that."""
    rho = radius(question)
    if not b:
        return 0.5 / rho if rho else USUAL_B
    if b * rho >= 1:
        raise BadParameter(
            f"katz: b is {b:g}, and ways of all lengths count without end from {1 / rho:.6g} on",
            hint=f"use a smaller one, such as {0.5 / rho:.3g}, or none",
        )
    return b


def radius(question: Question) -> float:
    """The spectral radius of the links: by how much ways grow in number with each click.

    That of the group of pages, all of which reach each other, that grows
    fastest. Where another that grows as fast leads to it, ways still grow by
    this much, if never quite. Of a web that takes too long it is somewhat more.
    """
    from weft.rank.growth import grow  # noqa: PLC0415  loads all methods of ranking

    name = "radius both ways" if question.undirected else "radius"
    graph = question.graph
    limit = ROUNDS if len(graph) <= SMALL else FEWER
    return question.around.once(name, lambda: grow(graph, limit).most)


def inverse(values: Floats) -> Floats:
    """One over each, nothing over zero."""
    found = np.zeros(len(values))
    np.divide(1.0, values, out=found, where=values > 0)
    return found
