"""The link operator: products with the link matrix A and its transpose, its vectors and backends.

A(i, j) is the weight of the link from page i to page j.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from weft.core.arrays import CSR, Floats, Ids
from weft.core.errors import UnknownName
from weft.core.memory import MemoryNeed
from weft.core.register import GPU_BACKENDS, chosen_backend
from weft.kernels.bipartite_components import BipartiteComponents, sum_by_component

Item = TypeVar("Item", bound=np.generic)


class VectorSums(NamedTuple):
    """Sums over a new vector: of squares, of entries, and of absolute changes from the old one."""

    squares: float
    total: float
    change: float


class RecurrenceTerms(NamedTuple):
    """The terms of the Lanczos recurrence to subtract: alpha * current + beta * previous."""

    current: Floats
    previous: Floats
    alpha: float
    beta: float


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


def array_namespace(x: Any) -> ModuleType:
    """The functions for an array: of the package that defines its type.

    Examples
    --------
    >>> array_namespace(np.zeros(1)) is np
    True
    """
    return sys.modules[type(x).__module__.partition(".")[0]]


def take_by_label(values: Floats, labels: Ids) -> Floats:
    """The value of each page's label; zero for label -1.

    Examples
    --------
    >>> take_by_label(np.array([5.0, 7.0]), np.array([1, -1, 0]))
    array([7., 0., 5.])
    """
    xp = array_namespace(values)
    if not values.shape[0]:
        none: Floats = xp.zeros_like(labels, dtype=values.dtype)
        return none
    taken: Floats = xp.take(xp.concat([xp.zeros_like(values[:1]), values]), labels + 1)
    return taken


class Vectors:
    """Vectors as arrays of the Python array API standard, on one device; by default of NumPy.

    Solvers allocate and combine vectors by these methods, and else use only
    functions of the standard, so that they run on the arrays of any backend.
    """

    xp: Any = np

    def zeros(self, *shape: int) -> Floats:
        """A new vector of zeros."""
        zeros: Floats = self.xp.zeros(shape, dtype=self.xp.float64)
        return zeros

    def ones(self, *shape: int) -> Floats:
        """A new vector of ones."""
        ones: Floats = self.xp.ones(shape, dtype=self.xp.float64)
        return ones

    def asarray(self, x: npt.ArrayLike) -> Floats:
        """The numbers as a contiguous vector of the backend; not copied if they are one already."""
        return np.ascontiguousarray(x, np.float64)

    def to_host(self, x: npt.NDArray[Item]) -> npt.NDArray[Item]:
        """The vector as a NumPy array; not copied if it is one already."""
        return x

    def combine(
        self,
        y: Floats,
        weights: Sequence[float],
        vectors: Sequence[Floats],
        *,
        nonnegative: bool = False,
    ) -> VectorSums:
        """Set `y`, which may be one of the vectors, to their weighted sum; return its sums.

        With `nonnegative`, negative entries become zero. Here and below, a
        vector with a single entry has it everywhere.
        """
        xp, new = self.xp, weights[0] * vectors[0]
        for weight, vector in zip(weights[1:], vectors[1:], strict=True):
            new += weight * vector
        if nonnegative:
            new = xp.clip(new, 0.0, None)
        new = xp.broadcast_to(new, y.shape)
        change = float(xp.sum(xp.abs(new - y)))
        y[...] = new
        return VectorSums(float(xp.sum(new * new)), float(xp.sum(new)), change)

    def power(self, x: Floats, exponent: float, factor: float = 1.0) -> Floats:
        """`factor` times a power of each entry; zero stays zero, even with a negative exponent."""
        xp = self.xp
        positive = x > 0
        base = xp.where(positive, x, xp.ones_like(x))
        powers: Floats = xp.where(positive, factor * base**exponent, xp.zeros_like(x))
        return powers

    def accumulate(self, arrived: Floats, state: WalkState) -> StepNorms:
        """Add what arrived, and the teleport, to the total; set what is passed on next."""
        xp = self.xp
        arrived = arrived + state.teleport_mass * state.teleport
        arrived = xp.broadcast_to(arrived, state.total.shape)
        state.total[...] += arrived
        state.outgoing[...] = arrived * state.row_scale
        dangling = xp.where(state.row_scale == 0, arrived, xp.zeros_like(arrived))
        return StepNorms(float(xp.sum(xp.abs(arrived))), float(xp.sum(dangling)))

    def extrapolate(self, first: Floats, second: Floats, state: WalkState) -> float:
        """Extrapolate three successive totals, if their differences shrink by a constant factor.

        Vector Aitken: with d1, d2 the differences and b = d2 - d1, the new total is
        x + t d2, where t = -(d2 . b) / (b . b) minimises the remaining step
        |d2 + t b|. That step is passed on next, so that the extrapolation changes
        only the number of iterations. Returns its mass at dangling pages.
        """
        xp = self.xp
        last = state.total - second
        bend = last - (second - first)
        squares = float(xp.sum(bend * bend))
        t = -float(xp.sum(last * bend)) / squares if squares else 0.0
        step = last + t * bend
        state.total[...] += t * last
        state.outgoing[...] = step * state.row_scale
        return float(xp.sum(xp.where(state.row_scale == 0, step, xp.zeros_like(step))))

    def sum_by_label(self, values: Floats, labels: Ids, count: int) -> Floats:
        """Sum values by label, below `count`; those with label -1 are left out."""
        return sum_by_component(values, labels, count)

    def scale_by_label(self, y: Floats, scale: Floats, labels: Ids) -> VectorSums:
        """Multiply each entry of `y` by the scale of its label, and by zero for label -1."""
        return self.combine(y, [1.0], [y * take_by_label(scale, labels)])


HOST_VECTORS = Vectors()


BACKENDS = {
    "scipy": "weft.engine.backends.scipy",
    "numba": "weft.engine.backends.numba",
    "cupy": "weft.engine.backends.cupy",
}
MIN_NUMBA_LINKS = 2_000_000


def default_backend(link_count: int) -> str:
    """The backend for that many links, unless another is chosen by name."""
    return "scipy" if link_count < MIN_NUMBA_LINKS else "numba"


def select_backend(link_count: int) -> str:
    """The name of the backend: the one chosen, or the default for that many links."""
    return chosen_backend.get() or default_backend(link_count)


def import_backend(name: str) -> ModuleType:
    """The module of a backend, with its `build_operator`."""
    return import_module(BACKENDS[name])


@contextmanager
def use(backend: str) -> Iterator[None]:
    """Use one backend, `scipy`, `numba` or `cupy` (a GPU), for all operators built in the block.

    The default depends on the number of links alone: a GPU is never used unless asked for.
    """
    if backend not in BACKENDS:
        raise UnknownName("backend", backend, BACKENDS)
    module = import_backend(backend)
    token = chosen_backend.set(backend)
    try:
        yield
    except MemoryError as error:
        explained = module.explain_memory_error(error) if backend in GPU_BACKENDS else None
        if explained is None:
            raise
        raise explained from None
    finally:
        chosen_backend.reset(token)


class LinkOperator(ABC):
    """The link matrix A of a graph, ready for products in both directions.

    Vectors have one value per page, or a row of several values per page. They
    are arrays of the backend, which may be on another device: `asarray` brings
    a NumPy array there, `to_host` back. Products take either, and return
    arrays of the backend. A backend has the products; the steps of solvers are
    made of these, unless it has a faster way.
    """

    __slots__ = ()
    if TYPE_CHECKING:  # a property here would be the default of the field of a dataclass

        @property
        def n(self) -> int:
            """The number of pages."""

    @property
    @abstractmethod
    def link_count(self) -> int:
        """The number of links."""

    @abstractmethod
    def rmatvec(self, x: Floats) -> Floats:
        """A'x: the sum of `x` over the pages that link to each page."""

    @abstractmethod
    def matvec(self, x: Floats) -> Floats:
        """A x: the sum of `x` over the pages that each page links to."""

    @abstractmethod
    def hub_authority_components(self) -> BipartiteComponents:
        """The components of hubs and authorities, with labels as arrays of the backend."""

    @property
    def batches_columns(self) -> bool:
        """Whether several columns share a pass over the links."""
        return True

    @property
    def vectors(self) -> Vectors:
        """The vectors of the backend, and their steps; by default NumPy arrays."""
        return HOST_VECTORS

    def zeros(self, *columns: int) -> Floats:
        """Zeros, one per page, or one per page and column."""
        return self.vectors.zeros(self.n, *columns)

    def ones(self, *columns: int) -> Floats:
        """Ones, one per page, or one per page and column."""
        return self.vectors.ones(self.n, *columns)

    def asarray(self, x: npt.ArrayLike) -> Floats:
        """Numbers as a vector of the backend."""
        return self.vectors.asarray(x)

    def to_host(self, x: npt.NDArray[Item]) -> npt.NDArray[Item]:
        """A vector of the backend as a NumPy array."""
        return self.vectors.to_host(x)

    def outdegrees(self) -> Floats:
        """The number of links of each page, or the sum of their weights."""
        return self.matvec(self.ones())

    def indegrees(self) -> Floats:
        """The number of links to each page, or the sum of their weights."""
        return self.rmatvec(self.ones())

    def rmatvec_into(self, x: Floats, y: Floats, scale: float = 1.0) -> VectorSums:
        """Set `y` to scale * A'x, and return the sums over it."""
        return self.vectors.combine(y, [scale], [self.rmatvec(x)])

    def matvec_into(self, x: Floats, y: Floats, scale: float = 1.0) -> VectorSums:
        """Set `y` to scale * A x, and return the sums over it."""
        return self.vectors.combine(y, [scale], [self.matvec(x)])

    def rmatvec_recurrence(self, x: Floats, y: Floats, terms: RecurrenceTerms) -> VectorSums:
        """Set `y` to A'x less the terms of a recurrence, and return the sums over it."""
        weights = [1.0, -terms.alpha, -terms.beta]
        return self.vectors.combine(y, weights, [self.rmatvec(x), terms.current, terms.previous])

    def neumann_step(self, state: WalkState, *, low_precision: bool = False) -> StepNorms:  # noqa: ARG002
        """One step of a Neumann series; `low_precision` allows float32 messages."""
        return self.vectors.accumulate(self.rmatvec(state.outgoing), state)


@dataclass(frozen=True, slots=True, eq=False)
class ScaledOperator(LinkOperator):
    """An operator with scaled links: A(i, j) is multiplied by row_scale[i] * column_scale[j].

    The scales are vectors of the operator.
    """

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

    @property
    def vectors(self) -> Vectors:
        """The vectors of the operator."""
        return self.operator.vectors

    def rmatvec(self, x: Floats) -> Floats:
        """A'x."""
        x = scale_rows(self.row_scale, self.asarray(x))
        return scale_rows(self.column_scale, self.operator.rmatvec(x))

    def matvec(self, x: Floats) -> Floats:
        """A x."""
        x = scale_rows(self.column_scale, self.asarray(x))
        return scale_rows(self.row_scale, self.operator.matvec(x))

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


# While links are sorted into bins, and a few vectors of the solver.
OPERATOR_MEMORY = MemoryNeed("the link matrix", 72, 18)


class Adjacency(NamedTuple):
    """The links of a graph as CSR in both directions; made from `edge_list` where that is given."""

    outlinks: CSR
    inlinks: CSR
    edge_list: tuple[Ids, Ids] | None
    n: int


def operator_from_csr(outlinks: CSR, inlinks: CSR, *, weighted: bool = False) -> LinkOperator:
    """Build the link operator of out-links and in-links."""
    return build_operator(
        Adjacency(outlinks, inlinks, None, len(outlinks.starts) - 1), weighted=weighted
    )


def build_operator(adjacency: Adjacency, *, weighted: bool = False) -> LinkOperator:
    """Build the link operator on the selected backend, which is imported here."""
    link_count = len(adjacency.edge_list[0] if adjacency.edge_list else adjacency.outlinks.ids)
    backend = select_backend(link_count)
    if backend not in GPU_BACKENDS:  # these check the memory of their device
        OPERATOR_MEMORY.check(adjacency.n, link_count)
    operator: LinkOperator = import_backend(backend).build_operator(adjacency, weighted=weighted)
    return operator


def sum_rows(rows: CSR, x: Floats, *, weighted: bool = False) -> Floats:
    """The sum of `x` over each row on the processor, by the backend for that many links.

    Rows need not be as many as values in `x`, such as those of a block of pages.
    """
    backend = select_backend(len(rows.ids))
    if backend in GPU_BACKENDS:
        backend = default_backend(len(rows.ids))
    sums: Floats = import_backend(backend).sum_rows(rows, x, weighted=weighted)
    return sums
