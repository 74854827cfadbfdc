"""The link operator: products with the link matrix A and its transpose, on any backend.

A(i, j) is the weight of the link from page i to page j.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from weft.core.arrays import Floats
from weft.kernels.bipartite_components import BipartiteComponents


class VectorSums(NamedTuple):
    """Sums over a new vector: of squares, of entries, and of absolute changes from the old one."""

    squares: float
    total: float
    change: float


def assign_and_sum(y: Floats, new: Floats) -> VectorSums:
    """Set `y` to new values in place, and return the sums over them."""
    change = float(np.abs(new - y).sum())
    y[:] = new
    return VectorSums(float(np.square(new).sum()), float(new.sum()), change)


class RecurrenceTerms(NamedTuple):
    """The terms of the Lanczos recurrence to subtract: alpha * current + beta * previous."""

    current: Floats
    previous: Floats
    alpha: float
    beta: float


def assign_recurrence(y: Floats, product: Floats, terms: RecurrenceTerms) -> VectorSums:
    """Set `y` to a product less the terms of the recurrence, and return the sums over it."""
    return assign_and_sum(y, product - terms.alpha * terms.current - terms.beta * terms.previous)


class WalkState(NamedTuple):
    """The state of a Neumann series: what each page passes on next, and the total so far.

    A page passes on what arrived times its `row_scale`. Besides what arrives
    over links, each page gets `teleport_mass` times its entry in `teleport`,
    which has a single entry if uniform.
    """

    outgoing: Floats
    total: Floats
    row_scale: Floats
    teleport: Floats
    teleport_mass: float


class StepNorms(NamedTuple):
    """The L1 norm of what arrived in a step, and how much of it at dangling pages."""

    change: float
    dangling_mass: float


def accumulate_neumann_step(arrived: Floats, state: WalkState) -> StepNorms:
    """Add what arrived to the total, and set what is passed on next."""
    arrived = arrived + state.teleport_mass * state.teleport
    np.add(state.total, arrived, out=state.total)
    np.multiply(arrived, state.row_scale, out=state.outgoing)
    return StepNorms(float(np.abs(arrived).sum()), float(arrived[state.row_scale == 0].sum()))


class LinkOperator(Protocol):
    """The link matrix A of a graph, ready for products in both directions.

    Vectors have one value per page, or a row of several values per page.
    """

    @property
    def n(self) -> int:
        """The number of pages."""

    @property
    def link_count(self) -> int:
        """The number of links."""

    @property
    def batches_columns(self) -> bool:
        """Whether several columns share a pass over the links."""

    def rmatvec(self, x: Floats) -> Floats:
        """A'x: the sum of `x` over the pages that link to each page."""

    def matvec(self, x: Floats) -> Floats:
        """A x: the sum of `x` over the pages that each page links to."""

    def rmatvec_into(self, x: Floats, y: Floats, scale: float = 1.0) -> VectorSums:
        """Set `y` to scale * A'x, and return the sums over it."""

    def matvec_into(self, x: Floats, y: Floats, scale: float = 1.0) -> VectorSums:
        """Set `y` to scale * A x, and return the sums over it."""

    def rmatvec_recurrence(self, x: Floats, y: Floats, terms: RecurrenceTerms) -> VectorSums:
        """Set `y` to A'x less the terms of a recurrence, and return the sums over it."""

    def neumann_step(self, state: WalkState, *, low_precision: bool = False) -> StepNorms:
        """One step of a Neumann series; `low_precision` allows float32 messages."""

    def hub_authority_components(self) -> BipartiteComponents:
        """The connected components of the bipartite graph of hubs and authorities."""


@dataclass(frozen=True, slots=True, eq=False)
class ScaledOperator:
    """An operator with scaled links: A(i, j) is multiplied by row_scale[i] * column_scale[j]."""

    operator: LinkOperator
    row_scale: Floats
    column_scale: Floats

    @property
    def n(self) -> int:
        """The number of pages."""
        return self.operator.n

    @property
    def link_count(self) -> int:
        """The number of links."""
        return self.operator.link_count

    @property
    def batches_columns(self) -> bool:
        """Whether several columns share a pass over the links."""
        return self.operator.batches_columns

    def rmatvec(self, x: Floats) -> Floats:
        """A'x."""
        return scale_rows(self.column_scale, self.operator.rmatvec(scale_rows(self.row_scale, x)))

    def matvec(self, x: Floats) -> Floats:
        """A x."""
        return scale_rows(self.row_scale, self.operator.matvec(scale_rows(self.column_scale, x)))

    def rmatvec_into(self, x: Floats, y: Floats, scale: float = 1.0) -> VectorSums:
        """Set `y` to scale * A'x."""
        return assign_and_sum(y, scale * self.rmatvec(x))

    def matvec_into(self, x: Floats, y: Floats, scale: float = 1.0) -> VectorSums:
        """Set `y` to scale * A x."""
        return assign_and_sum(y, scale * self.matvec(x))

    def rmatvec_recurrence(self, x: Floats, y: Floats, terms: RecurrenceTerms) -> VectorSums:
        """Set `y` to A'x less the terms of a recurrence."""
        return assign_recurrence(y, self.rmatvec(x), terms)

    def neumann_step(self, state: WalkState, *, low_precision: bool = False) -> StepNorms:  # noqa: ARG002
        """One step of a Neumann series."""
        return accumulate_neumann_step(self.rmatvec(state.outgoing), state)

    def hub_authority_components(self) -> BipartiteComponents:
        """The bipartite components, which do not depend on the weights."""
        return self.operator.hub_authority_components()


def scale_rows(scale: Floats, x: Floats) -> Floats:
    """Multiply the value, or the row of values, of each page by its factor."""
    return scale * x if x.ndim == 1 else scale[:, None] * x


def safe_power(degrees: Floats, exponent: float) -> Floats:
    """Raise each degree to a power; zero stays zero, even with a negative exponent.

    Examples
    --------
    >>> safe_power(np.array([0.0, 4.0]), -0.5)
    array([0. , 0.5])
    """
    powers = np.zeros_like(degrees)
    np.power(degrees, exponent, out=powers, where=degrees > 0)
    return powers
