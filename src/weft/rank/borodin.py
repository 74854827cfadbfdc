"""HITS with another way to sum: how hubs weigh the pages they link to."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats, Ids, Rows
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Limit, Tolerance, Weighted
from weft.engine import Scaled, Trace, fixed_point, largest, powers, principal
from weft.graph.webgraph import WebGraph
from weft.rank.hits import EMPTY, settled, ties
from weft.rank.parts import Parts
from weft.rank.ranking import Certainty, Ranking

Power = Annotated[
    float,
    Field(ge=1, le=1000, description="power of the norm: 1 sums as HITS, more favours the best"),
]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The links of each page in one direction, and whose link each is."""

    rows: Rows
    owner: Ids
    filled: Ids

    @classmethod
    def of(cls, rows: Rows) -> "Side":
        """The links as compressed rows have them."""
        counts = np.diff(rows.starts)
        pages = np.arange(len(counts), dtype=np.int32)
        return cls(rows, np.repeat(pages, counts), pages[counts > 0])

    def sums(self, values: Floats) -> Floats:
        """What the links of each page add up to; zero where there are none."""
        return self._reduced(np.add, values)

    def tops(self, values: Floats) -> Floats:
        """The largest of the links of each page; zero where there are none."""
        return self._reduced(np.maximum, values)

    def _reduced(self, how: np.ufunc, values: Floats) -> Floats:
        # reduceat would give an empty row the value of the next: only filled rows are cut
        found = np.zeros(len(self.rows.starts) - 1)
        found[self.filled] = how.reduceat(values, self.rows.starts[:-1][self.filled])
        return found


Give = Callable[[Side, Floats], Floats]


def everything(_side: Side, values: Floats) -> Floats:
    """Every link gives what is at its other end, as in HITS."""
    return values


def best(side: Side, values: Floats) -> Floats:
    """Only the best link gives; where several are, they share."""
    tops = side.tops(values)[side.owner]
    leads = (values == tops).astype(np.float64)
    shared: Floats = tops * leads / side.sums(leads)[side.owner]
    return shared


def curved(power: float) -> Give:
    """Links add up to the norm of that power, each giving its part of it."""

    def give(side: Side, values: Floats) -> Floats:
        tops = side.tops(values)[side.owner]
        shares = np.divide(values, tops, out=np.zeros_like(values), where=tops > 0) ** power
        whole = side.sums(shares)[side.owner]
        return tops * shares * powers(whole, 1 / power - 1)

    return give


MUTUAL = Dimensions(
    model="hubs and authorities",
    metric="hub and authority scores",
    algorithm="HITS",
    scope="single page",
    applications=("web search", "topic distillation"),
)


@method("rank", "hub-averaging", cites="borodin2001", dimensions=MUTUAL)
def hub_averaging(
    graph: WebGraph,
    *,
    weighted: Weighted = False,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Ranking:
    """Score hubs by the average of the authorities they link to, not by their sum.

    A hub is good if all its links are: links to poor pages cost it. The
    authorities are those of OnormRank by similarity. The largest score is one.
    A page with a single link, to the best authority, is among the best hubs.

    Examples
    --------
    >>> hub_averaging(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])).order("hub")[0]
    np.int32(0)
    """
    out = graph.outdegrees(weighted=weighted)
    flow = graph.flow(weighted=weighted)
    even = Scaled(flow, powers(out, -0.5), np.ones(len(graph)))
    pair = principal(even, np.sqrt(out), tolerance, limit, "hub-averaging")
    authority = largest(pair.target)
    average = flow.backward(authority) * powers(out, -1.0)
    best_hub, arrived = float(average.max(initial=0)), flow.forward(average)
    scale = 1 / float(arrived.max()) if best_hub else 0.0
    into = Parts(graph.inlinks, average * scale, weighted=weighted)
    each = authority / best_hub if best_hub else authority
    parts = {
        "authority": settled(into, authority, arrived * scale),
        "hub": Parts(graph.outlinks, each, powers(out, -1.0), weighted),
    }
    return Ranking(
        "hub-averaging",
        graph.pages,
        {"authority": authority, "hub": largest(average)},
        pair.trace,
        cache(lambda: ties(even, pair)),
        parts,
    )


@method("rank", "max", cites="borodin2005", dimensions=MUTUAL)
def maximum(graph: WebGraph, *, tolerance: Tolerance = 1e-10, limit: Limit = 1000) -> Ranking:
    """Score hubs by the best authority they link to.

    From equal authorities the pages with most links keep the score one, and so
    does every hub that links to one of them; others score by how they are
    linked to these. It is Authority-Threshold with one page per hub.

    Examples
    --------
    >>> maximum(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])).scores["authority"]
    array([0. , 1. , 0. , 0.5])
    """
    return alternate("max", graph, best, everything, tolerance, limit)


@method("rank", "norm", cites="borodin2005", dimensions=MUTUAL)
def norm(
    graph: WebGraph, *, power: Power = 2.0, tolerance: Tolerance = 1e-10, limit: Limit = 1000
) -> Ranking:
    """Score hubs by a norm of the authorities they link to, between HITS and Max.

    A hub scores the p-th root of the sum of p-th powers: `power` 1 is HITS,
    and with a growing power the best authority of a hub decides alone. The
    largest score is one.

    Examples
    --------
    >>> norm(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by norm, led by x>
    """
    return alternate("norm", graph, curved(power), everything, tolerance, limit)


def alternate(
    name: str, graph: WebGraph, to_hub: Give, to_authority: Give, tolerance: float, limit: int
) -> Ranking:
    """From equal authorities to hubs to authorities and so on, the largest of each being one.

    `to_hub` says what each link gives to the hub it is on, `to_authority` what
    it gives to the page it leads to. Where the scores go round in a cycle, they
    are the mean of one time round.
    """
    out, into = Side.of(graph.outlinks), Side.of(graph.inlinks)

    def hubs(authority: Floats) -> Floats:
        return out.sums(to_hub(out, authority[out.rows.ids]))

    def authorities(hub: Floats) -> Floats:
        return into.sums(to_authority(into, hub[into.rows.ids]))

    def step(both: Floats) -> Floats:
        hub = largest(hubs(both[:, 0]))
        return np.column_stack([largest(authorities(hub)), hub])

    start = np.zeros((len(graph), 2))
    start[into.filled, 0], start[out.filled, 1] = 1.0, 1.0
    both, trace = fixed_point(step, start, tolerance, limit, name)
    authority, hub = (largest(values) for values in both.T.copy())
    parts = {
        "authority": _given(into, to_authority, hub, authority),
        "hub": _given(out, to_hub, authority, hub),
    }
    look = cache(lambda: _certainty(graph, trace))
    scores = {"authority": authority, "hub": hub}
    return Ranking(name, graph.pages, scores, trace, look, parts)


def _given(side: Side, give: Give, other: Floats, score: Floats) -> Parts:
    each = give(side, other[side.rows.ids])
    found = side.sums(each)
    top = float(found.max(initial=0))
    scale = 1 / top if top else 0.0
    return settled(Parts(side.rows, each * scale, by_link=True), score, found * scale)


def _certainty(graph: WebGraph, trace: Trace) -> Certainty:
    count = graph.flow().components().count
    if not count:
        return Certainty(note=EMPTY)
    note = "found from equal authorities; another start may lead elsewhere"
    if trace.stopped == "cycle":
        note = f"it goes round through {trace.period} answers, of which this is the mean"
    return Certainty(unique=False, components=count, note=note)
