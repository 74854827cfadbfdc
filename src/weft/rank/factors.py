"""Factors behind links and words, found by expectation and maximisation."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from weft.core.arrays import Floats, Ids
from weft.core.progress import track
from weft.engine import Trace
from weft.graph.webgraph import WebGraph, link_weights

NEAR = 1e-6
TINY = np.finfo(float).tiny
F = TypeVar("F")


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The entries of a matrix that are not zero: row, column, value."""

    row: Ids
    column: Ids
    value: Floats

    @classmethod
    def of_links(cls, graph: WebGraph, *, weighted: bool = False) -> "Cells":
        """The links of a graph in the order of its rows."""
        rows = graph.outlinks
        source = rows.owners()
        value = link_weights(rows) if weighted else np.ones(len(source))
        return cls(source, np.asarray(rows.ids), value.astype(np.float64))

    def by_row(self, n: int) -> "Cells":
        """The same with the values of each row made to sum to one."""
        return replace(self, value=self.value / np.bincount(self.row, self.value, n)[self.row])


@dataclass(frozen=True, slots=True, eq=False)
class LinkFactors:
    """P(z), P(d|z) and P(c|z): what share of links each factor makes, from where, to where."""

    share: Floats
    source: Floats
    target: Floats


@dataclass(frozen=True, slots=True, eq=False)
class JointFactors:
    """P(t|z), P(c|z) and P(z|d): the words and the cited pages of each factor, and who has it."""

    term: Floats
    target: Floats
    mixture: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Fit(Generic[F]):
    """The factors found, those a round before, and the logarithm of their likelihood.

    `reached` says how many of the `starts` came to that likelihood.
    """

    factors: F
    before: F
    likelihood: float
    trace: Trace
    reached: int = 1
    starts: int = 1

    @property
    def note(self) -> str:
        """What a reader must know of the answer."""
        if self.starts == 1:
            return "a local optimum, found from one start; others may lead elsewhere"
        return f"a local optimum, which {self.reached} of {self.starts} starts came to"


def climb(
    step: Callable[[F], tuple[F, float]], start: F, tolerance: float, limit: int, label: str
) -> Fit[F]:
    """Improve factors until the logarithm of their likelihood settles to a share `tolerance`.

    `step` gives better factors and the likelihood of those it was given.
    """
    before = factors = start
    value, change = -np.inf, np.inf
    for rounds in track(range(limit + 1), label, limit + 1):
        better, now = step(factors)
        change = abs(now - value) / max(abs(now), 1.0) if rounds else np.inf
        value = now
        if change < tolerance or rounds == limit:
            break
        before, factors = factors, better
    settled = change < tolerance
    trace = Trace(rounds, change, settled, "settled" if settled else "limit")
    return Fit(factors, before, value, trace)


def best(fits: Iterable[Fit[F]]) -> Fit[F]:
    """The first of the fits that come nearest to the data, but for rounding."""
    made = list(fits)
    top = max(fit.likelihood for fit in made)
    near = [fit for fit in made if fit.likelihood >= top - NEAR * max(abs(top), 1.0)]
    return replace(near[0], reached=len(near), starts=len(made))


def link_step(cells: Cells, factors: LinkFactors, temper: float = 1.0) -> tuple[LinkFactors, float]:
    """One round for links: Q(z|d,c) from the factors, and the factors from Q."""
    q, likelihood = link_shares(cells, factors, temper)
    mass = q.sum(axis=1)
    better = LinkFactors(
        divided(mass, mass.sum()),
        divided(_sums(cells.row, q, factors.source.shape[1]), mass[:, None]),
        divided(_sums(cells.column, q, factors.target.shape[1]), mass[:, None]),
    )
    return better, likelihood


def link_shares(cells: Cells, factors: LinkFactors, temper: float = 1.0) -> tuple[Floats, float]:
    """What of each link is due to each factor, and the likelihood of all links."""
    source, target = factors.source[:, cells.row], factors.target[:, cells.column]
    return _shares(factors.share[:, None] * source * target, cells.value, temper)


def joint_step(
    words: Cells, links: Cells, factors: JointFactors, alpha: float, temper: float = 1.0
) -> tuple[JointFactors, float]:
    """One round for words and links together; the values of every row sum to one.

    Rows are pages. Words count `alpha`, links the rest; a page that has only
    one of the two is judged by that.
    """
    n = factors.mixture.shape[1]
    from_words, likely_words = mixed_shares(words, factors.term, factors.mixture, temper)
    from_links, likely_links = mixed_shares(links, factors.target, factors.mixture, temper)
    term = _sums(words.column, from_words, factors.term.shape[1])
    target = _sums(links.column, from_links, factors.target.shape[1])
    mixture = alpha * _sums(words.row, from_words, n) + (1 - alpha) * _sums(
        links.row, from_links, n
    )
    better = JointFactors(
        divided(term, term.sum(axis=1, keepdims=True)),
        divided(target, target.sum(axis=1, keepdims=True)),
        divided(mixture, mixture.sum(axis=0)),
    )
    return better, alpha * likely_words + (1 - alpha) * likely_links


def mixed_shares(
    cells: Cells, emission: Floats, mixture: Floats, temper: float = 1.0
) -> tuple[Floats, float]:
    """What of each cell is due to each factor, where rows mix factors that emit columns."""
    return _shares(emission[:, cells.column] * mixture[:, cells.row], cells.value, temper)


def random_links(n: int, k: int, seed: int, start: int) -> LinkFactors:
    """Random factors for the links of n pages."""
    chance = np.random.default_rng([seed, start])
    source, target = (_distributions(chance, k, n) for _ in range(2))
    return LinkFactors(np.full(k, 1 / k), source, target)


def random_joint(n: int, terms: int, k: int, seed: int, start: int) -> JointFactors:
    """Random factors for the words and links of n pages."""
    chance = np.random.default_rng([seed, start])
    mixture = _distributions(chance, n, k).T
    return JointFactors(_distributions(chance, k, terms), _distributions(chance, k, n), mixture)


def _distributions(chance: np.random.Generator, rows: int, columns: int) -> Floats:
    drawn = chance.exponential(size=(rows, columns))
    return divided(drawn, drawn.sum(axis=1, keepdims=True))


def _shares(joint: Floats, value: Floats, temper: float) -> tuple[Floats, float]:
    total = joint.sum(axis=0)
    likelihood = float(value @ np.log(np.maximum(total, TINY)))
    if temper != 1:
        joint = joint**temper
        total = joint.sum(axis=0)
    return joint * divided(value, total), likelihood


def _sums(place: Ids, q: Floats, n: int) -> Floats:
    return np.array([np.bincount(place, row, n) for row in q]).reshape(len(q), n)


def divided(x: npt.ArrayLike, by: npt.ArrayLike) -> Floats:
    """A quotient in which nothing shared by nobody is nothing."""
    x, by = np.asarray(x, float), np.asarray(by, float)
    found: Floats = np.zeros(np.broadcast_shapes(x.shape, by.shape))
    np.divide(x, by, out=found, where=by > 0)
    return found
