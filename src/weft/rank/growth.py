"""By how much links multiply scores, group by group."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats, Ids, stacked
from weft.core.progress import track
from weft.engine import Flow, flow
from weft.engine.cycles import cycles
from weft.graph.webgraph import WebGraph, link_weights, reverse, rows_of

EQUAL = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """How fast scores grow in each group of pages that reach each other, between two bounds.

    `group` is each page's group, -1 for a page on no cycle, and `shape` the
    scores that the group settles to.
    """

    group: Ids
    shape: Floats
    low: Floats
    high: Floats

    @property
    def most(self) -> float:
        """The growth of the fastest group: the spectral radius of the links."""
        return float(self.high.max(initial=0))

    @property
    def leaders(self) -> Ids:
        """The groups that no other is known to outgrow."""
        best = float(self.low.max(initial=0))
        return np.flatnonzero(self.high >= best * (1 - EQUAL)).astype(np.int32)

    @property
    def gap(self) -> float:
        """How far at least the fastest group stands above the next, as a share of it."""
        if len(self.leaders) != 1:
            return 0.0 if len(self.leaders) else np.nan
        second = np.sort(self.high)[-2] if len(self.high) > 1 else 0.0
        return float(1 - second / self.most)


def grow(graph: WebGraph, limit: int, *, weighted: bool = False) -> Growth:
    """Bound the growth of every group.

    Examples
    --------
    >>> both_ways = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")]
    >>> print(f"{grow(WebGraph.from_links(both_ways), 100).most:.6f}")
    1.414214
    """
    rows = graph.outlinks
    source = rows.owners()
    target, weight = np.asarray(rows.ids), link_weights(rows)
    group = cycles(rows)
    inside = (group[source] >= 0) & (group[source] == group[target])
    own = rows_of(stacked(source[inside], target[inside]), weight[inside], len(graph))
    into = reverse(own, len(graph))
    return _enclose(flow(own, into, weighted=weighted), group, limit)


def _enclose(links: Flow, group: Ids, limit: int) -> Growth:
    """Power iteration in all groups at once, until the fastest are known to nine digits.

    Inside a group the least and the most that a score is multiplied by enclose
    the growth, whatever the scores (Collatz and Wielandt).
    """
    count = int(group.max(initial=-1)) + 1
    on = group >= 0
    where, x = group[on], on.astype(np.float64)
    growth = Growth(group, x, np.zeros(count), np.full(count, np.inf))
    for _ in track(range(limit if count else 0), "growth", limit):
        y = links.forward(x)
        low, high = np.full(count, np.inf), np.zeros(count)
        np.minimum.at(low, where, y[on] / x[on])
        np.maximum.at(high, where, y[on] / x[on])
        growth = Growth(group, x, low, high)
        first = growth.leaders
        if (high[first] - low[first] <= EQUAL / 10 * high[first]).all():
            break
        # the mean of two rounds: scores that swing would never settle otherwise
        rate = np.bincount(where, y[on], count) / np.bincount(where, x[on], count)
        x = x.copy()
        x[on] = (x[on] + y[on] / rate[where]) / 2
    return growth
