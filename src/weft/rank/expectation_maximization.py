"""Expectation-maximisation for PHITS (links) and for PLSA joined with PHITS (words and links)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from weft.core.arrays import Floats, Ids
from weft.core.progress import track
from weft.engine import Trace
from weft.graph.webgraph import WebGraph, link_weights

LIKELIHOOD_TOLERANCE = 1e-6
MIN_PROBABILITY = np.finfo(float).tiny
F = TypeVar("F")


@dataclass(frozen=True, slots=True, eq=False)
class COOMatrix:
    """A sparse matrix in coordinate format: the row, column and value of each entry."""

    row: Ids
    column: Ids
    value: Floats

    @classmethod
    def from_links(cls, graph: WebGraph, *, weighted: bool = False) -> "COOMatrix":
        """The adjacency matrix of a graph, in the order of its outlinks."""
        links = graph.outlinks
        source = links.row_ids()
        value = link_weights(links) if weighted else np.ones(len(source))
        return cls(source, np.asarray(links.ids), value.astype(np.float64))

    def normalize_rows(self, n: int) -> "COOMatrix":
        """The matrix with each of its n rows scaled to sum one."""
        return replace(self, value=self.value / np.bincount(self.row, self.value, n)[self.row])


@dataclass(frozen=True, slots=True, eq=False)
class LinkFactors:
    """P(z), P(d|z) and P(c|z): the share of each factor z, its citing and its cited pages."""

    prior: Floats
    source: Floats
    target: Floats


@dataclass(frozen=True, slots=True, eq=False)
class JointFactors:
    """P(t|z), P(c|z) and P(z|d): the terms and cited pages of a factor z, and who has it."""

    term: Floats
    target: Floats
    mixture: Floats


@dataclass(frozen=True, slots=True, eq=False)
class EMFit(Generic[F]):
    """The factors of an EM run, those one iteration before, and the log-likelihood.

    `starts_at_best` of the random `starts` reached that likelihood.
    """

    factors: F
    previous: F
    likelihood: float
    trace: Trace
    starts_at_best: int = 1
    starts: int = 1

    @property
    def local_optimum_note(self) -> str:
        """How sure the optimum is."""
        if self.starts == 1:
            return "local optimum from one random start; another may differ"
        return f"local optimum, reached by {self.starts_at_best} of {self.starts} random starts"


def run_em(
    step: Callable[[F], tuple[F, float]], start: F, tol: float, max_iter: int, label: str
) -> EMFit[F]:
    """Iterate EM until the log-likelihood changes by less than a share `tol`.

    `step` returns improved factors, and the log-likelihood of the given ones.
    """
    previous = factors = start
    likelihood, change = -np.inf, np.inf
    for iteration in track(range(max_iter + 1), label, max_iter + 1):
        improved, current = step(factors)
        change = abs(current - likelihood) / max(abs(current), 1.0) if iteration else np.inf
        likelihood = current
        if change < tol or iteration == max_iter:
            break
        previous, factors = factors, improved
    converged = change < tol
    trace = Trace(iteration, change, converged, "converged" if converged else "max_iter")
    return EMFit(factors, previous, likelihood, trace)


def best_fit(fits: Iterable[EMFit[F]]) -> EMFit[F]:
    """The first fit with the highest log-likelihood, up to a relative tolerance."""
    candidates = list(fits)
    highest = max(fit.likelihood for fit in candidates)
    threshold = highest - LIKELIHOOD_TOLERANCE * max(abs(highest), 1.0)
    best = [fit for fit in candidates if fit.likelihood >= threshold]
    return replace(best[0], starts_at_best=len(best), starts=len(candidates))


def link_em_step(
    matrix: COOMatrix, factors: LinkFactors, tempering: float = 1.0
) -> tuple[LinkFactors, float]:
    """One EM iteration of PHITS.

    E-step: Q(z|d,c) ∝ P(z) P(d|z) P(c|z). M-step: P(d|z) ∝ sum over c of
    n(d,c) Q(z|d,c), and likewise P(c|z) and P(z).
    """
    q, likelihood = link_responsibilities(matrix, factors, tempering)
    mass = q.sum(axis=1)
    improved = LinkFactors(
        safe_divide(mass, mass.sum()),
        safe_divide(_sum_by_index(matrix.row, q, factors.source.shape[1]), mass[:, None]),
        safe_divide(_sum_by_index(matrix.column, q, factors.target.shape[1]), mass[:, None]),
    )
    return improved, likelihood


def link_responsibilities(
    matrix: COOMatrix, factors: LinkFactors, tempering: float = 1.0
) -> tuple[Floats, float]:
    """n(d,c) Q(z|d,c), a row per factor and a column per link, and the log-likelihood."""
    source, target = factors.source[:, matrix.row], factors.target[:, matrix.column]
    return _responsibilities(factors.prior[:, None] * source * target, matrix.value, tempering)


def joint_em_step(
    words: COOMatrix,
    links: COOMatrix,
    factors: JointFactors,
    word_weight: float,
    tempering: float = 1.0,
) -> tuple[JointFactors, float]:
    """One EM iteration of the joint model of words and links (Cohn and Hofmann 2001).

    Both matrices have a row per page, which sums to one. Words count alpha =
    `word_weight`, links 1 - alpha; a page that has only one of the two gets
    its mixture P(z|d) from that.
    """
    n = factors.mixture.shape[1]
    word_q, word_likelihood = mixture_responsibilities(
        words, factors.term, factors.mixture, tempering
    )
    link_q, link_likelihood = mixture_responsibilities(
        links, factors.target, factors.mixture, tempering
    )
    # P(t|z) and P(c|z) each from its own side, P(z|d) from both
    term = _sum_by_index(words.column, word_q, factors.term.shape[1])
    target = _sum_by_index(links.column, link_q, factors.target.shape[1])
    link_weight = 1 - word_weight
    mixture = word_weight * _sum_by_index(words.row, word_q, n)
    mixture = mixture + link_weight * _sum_by_index(links.row, link_q, n)
    improved = JointFactors(
        safe_divide(term, term.sum(axis=1, keepdims=True)),
        safe_divide(target, target.sum(axis=1, keepdims=True)),
        safe_divide(mixture, mixture.sum(axis=0)),
    )
    return improved, word_weight * word_likelihood + link_weight * link_likelihood


def mixture_responsibilities(
    matrix: COOMatrix, emission: Floats, mixture: Floats, tempering: float = 1.0
) -> tuple[Floats, float]:
    """n(d,c) Q(z|d,c) ∝ P(c|z) P(z|d), a row per factor, and the log-likelihood."""
    return _responsibilities(
        emission[:, matrix.column] * mixture[:, matrix.row], matrix.value, tempering
    )


def random_link_factors(n: int, k: int, seed: int, start: int) -> LinkFactors:
    """Random start: k factors of the links of n pages."""
    rng = np.random.default_rng([seed, start])
    source, target = (_random_distributions(rng, k, n) for _ in range(2))
    return LinkFactors(np.full(k, 1 / k), source, target)


def random_joint_factors(n: int, terms: int, k: int, seed: int, start: int) -> JointFactors:
    """Random start: k factors of the words and links of n pages."""
    rng = np.random.default_rng([seed, start])
    mixture = _random_distributions(rng, n, k).T
    return JointFactors(
        _random_distributions(rng, k, terms), _random_distributions(rng, k, n), mixture
    )


def _random_distributions(rng: np.random.Generator, rows: int, columns: int) -> Floats:
    """Rows drawn uniformly from the simplex: exponential variates scaled to sum one."""
    values = rng.exponential(size=(rows, columns))
    return safe_divide(values, values.sum(axis=1, keepdims=True))


def _responsibilities(joint: Floats, counts: Floats, tempering: float) -> tuple[Floats, float]:
    """The E-step: Q(z|…) ∝ P(z, …)^tempering times the counts, and sum of n log P."""
    total = joint.sum(axis=0)
    likelihood = float(counts @ np.log(np.maximum(total, MIN_PROBABILITY)))
    if tempering != 1:
        joint = joint**tempering
        total = joint.sum(axis=0)
    return joint * safe_divide(counts, total), likelihood


def _sum_by_index(index: Ids, responsibilities: Floats, n: int) -> Floats:
    return np.array([np.bincount(index, row, n) for row in responsibilities]).reshape(
        len(responsibilities), n
    )


def safe_divide(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Floats:
    """Divide elementwise; zero where the denominator is not positive."""
    numerator, denominator = np.asarray(numerator, float), np.asarray(denominator, float)
    quotient: Floats = np.zeros(np.broadcast_shapes(numerator.shape, denominator.shape))
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient
