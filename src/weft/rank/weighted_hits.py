"""HITS with separate link weights for authorities and hubs, and weights of pages."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from weft.core.arrays import CSR, Floats, Offsets, unpack_first_ids, unpack_second_ids
from weft.engine import (
    LinkOperator,
    SingularPair,
    Trace,
    fixed_point,
    normalize_l1,
    normalize_l2,
    operator_from_csr,
    principal_singular_pair,
    second_eigenvalue_modulus,
    sum_by_component,
)
from weft.rank.hits import spectral_certainty
from weft.rank.ranking import Certainty, Contributions, Ranking


@dataclass(frozen=True, slots=True, eq=False)
class WeightedLinks:
    """Links with one weight for authorities (`inlinks`) and one for hubs (`outlinks`).

    With W_a and W_h these weights and R the page weights, a = W_a' R h and
    h = W_h R a. `is_symmetric` if W_a = W_h and R is the identity.
    """

    inlinks: CSR
    outlinks: CSR
    page_weights: Floats
    operator: LinkOperator
    is_symmetric: bool

    @classmethod
    def from_keys(
        cls,
        link_keys: Offsets,
        authority_weights: Floats,
        hub_weights: Floats,
        page_weights: Floats,
    ) -> "WeightedLinks":
        """From sorted link keys (source in the high bits, target in the low) and weights."""
        n = len(page_weights)
        source, target = unpack_first_ids(link_keys), unpack_second_ids(link_keys)
        by_target = np.argsort(target, kind="stable")
        inlinks = _csr_from_pairs(
            target[by_target], source[by_target], authority_weights[by_target], n
        )
        outlinks = _csr_from_pairs(source, target, hub_weights, n)
        same_weights = np.array_equal(authority_weights, hub_weights)
        return cls(
            inlinks,
            outlinks,
            page_weights,
            operator_from_csr(outlinks, inlinks, weighted=True),
            same_weights and bool((page_weights == 1).all()),
        )

    @property
    def n(self) -> int:
        """The number of pages."""
        return len(self.page_weights)

    def rmatvec(self, x: Floats) -> Floats:
        """W_a' R x: the weighted sum over the pages that link to each page."""
        return self.operator.rmatvec(self.page_weights * x)

    def matvec(self, x: Floats) -> Floats:
        """W_h R x: the weighted sum over the pages that each page links to."""
        return self.operator.matvec(self.page_weights * x)


def solve_weighted_hits(
    links: WeightedLinks, tol: float, max_iter: int, label: str, iterations: int = 0
) -> SingularPair:
    """Iterate from equal hubs to convergence, or for exactly `iterations` steps if given.

    Symmetric weights use the Lanczos solver; others need power iteration,
    since W_a' R W_h R is not a symmetric matrix.
    """
    n = links.n
    if links.is_symmetric and not iterations:
        return principal_singular_pair(links.operator, np.ones(n), tol, max_iter, label)

    def step(both: Floats) -> Floats:
        authority = normalize_l2(links.rmatvec(both[n:]))
        return np.concatenate([authority, normalize_l2(links.matvec(authority))])

    start = np.concatenate([np.zeros(n), normalize_l2(np.ones(n))])
    if not links.rmatvec(start[n:]).any():
        return SingularPair(np.zeros(n), np.zeros(n), 0.0, Trace(1, 0.0, converged=True))
    # tol 0 runs all iterations
    both, trace = fixed_point(
        step, start, 0.0 if iterations else tol, iterations or max_iter, label
    )
    if iterations and trace.change < tol:
        trace = replace(trace, converged=True, stopped="converged")
    value = float(np.sqrt(np.square(links.matvec(both[:n])).sum()))
    return SingularPair(both[n:], both[:n], value, trace)


def ranking_from_pair(
    name: str, pages: Sequence[str], links: WeightedLinks, pair: SingularPair, norm: str
) -> Ranking:
    """The ranking of a pair of hub and authority scores."""
    normalize = normalize_l1 if norm == "L1" else normalize_l2
    authority, hub = normalize(pair.target), normalize(pair.source)
    weights = links.page_weights
    eigenvalue = float(np.sqrt(np.square(links.rmatvec(links.matvec(pair.target))).sum()))
    return Ranking(
        name,
        pages,
        {"authority": authority, "hub": hub},
        pair.trace,
        cache(lambda: _certainty(links, pair, eigenvalue)),
        {
            "authority": _contributions(links.inlinks, weights * pair.source, authority, links),
            "hub": _contributions(links.outlinks, weights * pair.target, hub, links),
        },
        {"eigenvalue": eigenvalue},
    )


def _csr_from_pairs(rows: Offsets, columns: Offsets, weights: Floats, n: int) -> CSR:
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=starts[1:])
    return CSR(starts, columns.astype(np.int32), weights)


def _contributions(rows: CSR, values: Floats, score: Floats, links: WeightedLinks) -> Contributions:
    """What each link adds to a score, and what is left of a score that has not converged."""
    operator = links.operator
    sums = operator.rmatvec(values) if rows is links.inlinks else operator.matvec(values)
    total = sums.sum()
    factor = float(score.sum() / total) if total > 0 else 0.0
    residual = score - factor * sums
    converged = np.abs(residual).max(initial=0) <= 1e-9 * score.max(initial=0)
    others = {} if converged else {"not converged": residual}
    return Contributions(rows, values * factor, weighted=True, other_sources=others)


def _certainty(links: WeightedLinks, pair: SingularPair, eigenvalue: float) -> Certainty:
    """How many components tie for the largest eigenvalue, each by its own eigenvalue."""
    if pair.value and pair.component_count:
        return spectral_certainty(links.operator, pair)
    components, authority = links.operator.hub_authority_components(), pair.target
    labels, count = components.authority_labels, components.count
    before = sum_by_component(authority, labels, count)
    if not before.any():
        return Certainty(note="no links that count: all scores are zero")
    # the eigenvalue of a component is the factor by which an iteration grows its authorities
    after = sum_by_component(links.rmatvec(links.matvec(authority)), labels, count)
    nonzero = before > 1e-9 * before.max()
    eigenvalues = after[nonzero] / before[nonzero]
    tied = int((eigenvalues > eigenvalues.max() * (1 - 1e-9)).sum())
    note = f"{tied} components tie: the scores mix them, from equal hubs"
    gap = np.nan
    if pair.trace.converged:
        second = second_eigenvalue_modulus(
            links.operator.vectors, lambda x: links.rmatvec(links.matvec(x)), authority
        )
        gap = max(0.0, 1 - second / eigenvalue)
    return Certainty(tied == 1, count, tied, gap, "" if tied == 1 else note)
