"""The machine for large graphs: compiled kernels over partitioned links."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.engine import rows as by_rows
from weft.engine import sweeps
from weft.engine.bins import Bins, sort_links
from weft.engine.choose import Links
from weft.engine.components import Components
from weft.engine.flow import Less, Passed, Sums, Visits
from weft.engine.pool import run
from weft.engine.unite import of_bins

FEW = 1 << 17


@dataclass(frozen=True, slots=True, eq=False)
class BinFlow:
    """Links in bins, with room for their messages, which one caller at a time may use."""

    n: int
    bins: Bins
    carried: Floats
    told: Floats
    lock: Lock = field(default_factory=Lock)

    @property
    def links(self) -> int:
        """How many links there are."""
        return len(self.bins.receivers)

    @property
    def together(self) -> bool:
        """Whether several values per page share a pass over the links."""
        return False

    def forward(self, x: Floats) -> Floats:
        """What arrives at each page."""
        return _columns(self.forward_into, x, self.n)

    def backward(self, x: Floats) -> Floats:
        """What each page leads to."""
        return _columns(self.backward_into, x, self.n)

    def forward_into(self, x: Floats, y: Floats, scale: float = 1.0) -> Sums:
        """Set `y` to what arrives at each page, scaled."""
        with self.lock:
            run(sweeps.forward, self.bins, x, self.carried, scale, y, self.told)
            return Sums(*self.told.sum(axis=0).tolist())

    def backward_into(self, x: Floats, y: Floats, scale: float = 1.0) -> Sums:
        """Set `y` to what each page leads to, scaled."""
        with self.lock:
            run(sweeps.backward, self.bins, x, self.carried, scale, y, self.told)
            return Sums(*self.told.sum(axis=0).tolist())

    def forward_less(self, x: Floats, y: Floats, less: Less) -> Sums:
        """Set `y` to what arrives at each page, less other vectors."""
        with self.lock:
            run(sweeps.forward_less, self.bins, x, self.carried, less, y, self.told)
            return Sums(*self.told.sum(axis=0).tolist())

    def pass_on(self, visits: Visits, *, roughly: bool = False) -> Passed:
        """One round of a walk; roughly, with messages of half the size and seven digits each."""
        with self.lock:
            carried = self.carried.view(np.float32) if roughly else self.carried
            run(sweeps.pass_on, self.bins, carried, visits, self.told)
            change, stuck, _ = self.told.sum(axis=0).tolist()
        return Passed(change, stuck)

    def components(self) -> Components:
        """The components of the bipartite graph of hubs and authorities."""
        return of_bins(self.bins, self.n)


def make(links: Links, *, weighted: bool) -> "BinFlow | by_rows.RowFlow":
    """Bins where the values of all pages outgrow the cache; else, or with weights, rows."""
    if weighted or links.n <= FEW:
        return by_rows.make(links, weighted=weighted)
    if links.ends:
        return from_ends(*links.ends, links.n)
    rows = links.outlinks
    source = np.repeat(np.arange(links.n, dtype=np.int32), np.diff(rows.starts))
    return from_ends(source, np.asarray(rows.ids), links.n, self_links=True)


def from_ends(source: Ids, target: Ids, n: int, *, self_links: bool = False) -> BinFlow:
    """From the ends of the links, in any order; rows have no self-links but those to keep."""
    bins = sort_links(source, target, n, self_links=self_links)
    return BinFlow(n, bins, np.empty(len(bins.senders)), np.zeros((len(bins.messages), 3)))


def _columns(into: Callable[[Floats, Floats], Sums], x: Floats, n: int) -> Floats:
    """One pass for each column; columns lie in memory one after the other, as do the results."""
    found = np.zeros((*x.shape[1:], n))
    columns = np.ascontiguousarray(x.T, np.float64)
    for column, y in zip(np.atleast_2d(columns), np.atleast_2d(found), strict=True):
        into(column, y)
    return found.T
