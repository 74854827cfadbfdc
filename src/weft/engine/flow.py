"""Sums over links: the one thing that every method asks of a graph."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from weft.core.arrays import Floats
from weft.engine.components import Components


class Sums(NamedTuple):
    """What a pass over the links tells of its result: squares, sum, and change from before."""

    squares: float
    total: float
    change: float


def replaced(y: Floats, new: Floats) -> Sums:
    """Set `y` to its new values, and tell of them."""
    change = float(np.abs(new - y).sum())
    y[:] = new
    return Sums(float(np.square(new).sum()), float(new.sum()), change)


class Less(NamedTuple):
    """What to take off a sum over links: two vectors, each times its factor."""

    one: Floats
    two: Floats
    ones: float
    twos: float


def lessened(y: Floats, found: Floats, less: Less) -> Sums:
    """Set `y` to a sum that was found less what is to be taken off, and tell of it."""
    return replaced(y, found - less.ones * less.one - less.twos * less.two)


class Visits(NamedTuple):
    """A walk under way: what pages send on, what has arrived so far, and who sends how much on.

    Besides what comes over links, every page gets `base` times its entry in
    `jump`, which has one entry where all pages get the same.
    """

    sent: Floats
    total: Floats
    each: Floats
    jump: Floats
    base: float


class Passed(NamedTuple):
    """What a pass brought in absolute terms, and what of it got stuck at pages without links."""

    change: float
    stuck: float


def passed(arrived: Floats, visits: Visits) -> Passed:
    """Add what arrived to the total, and make what is sent what is passed on of it."""
    arrived = arrived + visits.base * visits.jump
    np.add(visits.total, arrived, out=visits.total)
    np.multiply(arrived, visits.each, out=visits.sent)
    return Passed(float(np.abs(arrived).sum()), float(arrived[visits.each == 0].sum()))


class Flow(Protocol):
    """The links of a graph, ready to be summed over in both directions.

    Values are one per page, or a row of several per page.
    """

    @property
    def n(self) -> int:
        """How many pages there are."""

    @property
    def links(self) -> int:
        """How many links there are."""

    @property
    def together(self) -> bool:
        """Whether several values per page share a pass over the links."""

    def forward(self, x: Floats) -> Floats:
        """What arrives at each page: the sum of `x` over the pages that link to it."""

    def backward(self, x: Floats) -> Floats:
        """What each page leads to: the sum of `x` over the pages it links to."""

    def forward_into(self, x: Floats, y: Floats, scale: float = 1.0) -> Sums:
        """Set `y` to what arrives at each page, scaled, and tell of it."""

    def backward_into(self, x: Floats, y: Floats, scale: float = 1.0) -> Sums:
        """Set `y` to what each page leads to, scaled, and tell of it."""

    def forward_less(self, x: Floats, y: Floats, less: Less) -> Sums:
        """Set `y` to what arrives at each page, less other vectors, and tell of it."""

    def pass_on(self, visits: Visits, *, roughly: bool = False) -> Passed:
        """One round of a walk; roughly allows seven digits of what is passed on."""

    def components(self) -> Components:
        """The components of the bipartite graph of hubs and authorities."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """A flow whose link from i to j weighs `source[i] * target[j]` times as much."""

    flow: Flow
    source: Floats
    target: Floats

    @property
    def n(self) -> int:
        """How many pages there are."""
        return self.flow.n

    @property
    def links(self) -> int:
        """How many links there are."""
        return self.flow.links

    @property
    def together(self) -> bool:
        """Whether several values per page share a pass over the links."""
        return self.flow.together

    def forward(self, x: Floats) -> Floats:
        """What arrives at each page."""
        return by_page(self.target, self.flow.forward(by_page(self.source, x)))

    def backward(self, x: Floats) -> Floats:
        """What each page leads to."""
        return by_page(self.source, self.flow.backward(by_page(self.target, x)))

    def forward_into(self, x: Floats, y: Floats, scale: float = 1.0) -> Sums:
        """Set `y` to what arrives at each page, scaled."""
        return replaced(y, scale * self.forward(x))

    def backward_into(self, x: Floats, y: Floats, scale: float = 1.0) -> Sums:
        """Set `y` to what each page leads to, scaled."""
        return replaced(y, scale * self.backward(x))

    def forward_less(self, x: Floats, y: Floats, less: Less) -> Sums:
        """Set `y` to what arrives at each page, less other vectors."""
        return lessened(y, self.forward(x), less)

    def pass_on(self, visits: Visits, *, roughly: bool = False) -> Passed:  # noqa: ARG002
        """One round of a walk."""
        return passed(self.forward(visits.sent), visits)

    def components(self) -> Components:
        """The components of the bipartite graph, whatever the links weigh."""
        return self.flow.components()


def by_page(factor: Floats, x: Floats) -> Floats:
    """Each page's value, or its row of values, times the page's factor."""
    return factor * x if x.ndim == 1 else factor[:, None] * x


def powers(degrees: Floats, power: float) -> Floats:
    """Each degree to a power; a degree of zero stays zero, whatever the power.

    Examples
    --------
    >>> powers(np.array([0.0, 4.0]), -0.5)
    array([0. , 0.5])
    """
    found = np.zeros_like(degrees)
    np.power(degrees, power, out=found, where=degrees > 0)
    return found
