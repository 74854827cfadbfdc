"""Hubs and authorities over links that weigh what a method says, in each direction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets, Rows
from weft.engine import Flow, Pair, Trace, bipartite, fixed_point, flow, length, principal, unit
from weft.rank.hits import STEPS, ties
from weft.rank.parts import Parts
from weft.rank.ranking import Certainty, Ranking, lazily


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Links with a weight for authorities (`into`) and one for hubs (`out`).

    `relevance` is what the opinion of each page counts for, in both directions.
    The votes are `symmetric` where links weigh the same both ways, and all
    opinions count one.
    """

    into: Rows
    out: Rows
    relevance: Floats
    flow: Flow
    symmetric: bool

    @classmethod
    def of(cls, key: Offsets, authority: Floats, hub: Floats, relevance: Floats) -> "Votes":
        """From links as sorted keys, a source above a target each, and their weights."""
        n = len(relevance)
        source, target = key >> 32, key & 0xFFFFFFFF
        turned = np.argsort(target, kind="stable")
        into = _rows(target[turned], source[turned], authority[turned], n)
        out = _rows(source, target, hub, n)
        symmetric = np.array_equal(authority, hub) and bool((relevance == 1).all())
        return cls(into, out, relevance, flow(out, into, weighted=True), symmetric)

    @property
    def n(self) -> int:
        """How many pages there are."""
        return len(self.relevance)

    def forward(self, x: Floats) -> Floats:
        """What arrives at each page from its hubs."""
        return self.flow.forward(self.relevance * x)

    def backward(self, x: Floats) -> Floats:
        """What each page leads to."""
        return self.flow.backward(self.relevance * x)


def settle(votes: Votes, tolerance: float, limit: int, label: str, rounds: int = 0) -> Pair:
    """Hubs and authorities from equal hubs on, to where both settle, or for exactly so many rounds.

    Where the weights of the two directions differ, no method for symmetric
    matrices applies.
    """
    n = votes.n
    if votes.symmetric and not rounds:
        return principal(votes.flow, np.ones(n), tolerance, limit, label)

    def step(both: Floats) -> Floats:
        authority = length(votes.forward(both[n:]))
        return np.concatenate([authority, length(votes.backward(authority))])

    start = np.concatenate([np.zeros(n), length(np.ones(n))])
    if not votes.forward(start[n:]).any():
        return Pair(np.zeros(n), np.zeros(n), 0.0, Trace(1, 0.0, converged=True))
    exactly = 0.0 if rounds else tolerance
    both, trace = fixed_point(step, start, exactly, rounds or limit, label)
    if rounds and trace.change < tolerance:
        trace = replace(trace, converged=True, stopped="settled")
    led = votes.backward(both[:n])
    return Pair(both[n:], both[:n], float(np.sqrt(np.square(led).sum())), trace)


def judged(name: str, pages: Sequence[str], votes: Votes, pair: Pair, norm: str) -> Ranking:
    """The ranking that a pair of hubs and authorities makes."""
    scale = unit if norm == "L1" else length
    scores = {"authority": scale(pair.target), "hub": scale(pair.source)}
    parts = {
        "authority": _parts(votes.into, votes.relevance * pair.source, scores["authority"], votes),
        "hub": _parts(votes.out, votes.relevance * pair.target, scores["hub"], votes),
    }
    value = float(np.sqrt(np.square(votes.forward(votes.backward(pair.target))).sum()))
    look = lazily(lambda: _certainty(votes, pair, value))
    return Ranking(name, pages, scores, pair.trace, look, parts, {"eigenvalue": value})


def _rows(row: Offsets, other: Offsets, weight: Floats, n: int) -> Rows:
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=n), out=starts[1:])
    # thirds and sevenths need all digits, which the weights of a stored graph do not
    return Rows(starts, other.astype(np.int32), weight)  # type: ignore[arg-type]


def _parts(rows: Rows, each: Floats, score: Floats, votes: Votes) -> Parts:
    """The votes that made a score; where it has not settled, what is still to come is the rest."""
    arrived = votes.flow.forward(each) if rows is votes.into else votes.flow.backward(each)
    total = arrived.sum()
    factor = float(score.sum() / total) if total > 0 else 0.0
    open_ = score - factor * arrived
    unsettled = np.abs(open_).max(initial=0) > 1e-9 * score.max(initial=0)
    rest = {"not settled": open_} if unsettled else {}
    return Parts(rows, each * factor, weighted=True, rest=rest)


def _certainty(votes: Votes, pair: Pair, value: float) -> Certainty:
    """How many components tie for the principal value: each has one of its own."""
    if pair.value and pair.components:
        return ties(votes.flow, pair)
    components, authority = bipartite(votes.out), pair.target
    masses = _sums(authority, components.target, components.count)
    if not masses.any():
        return Certainty(note="no links that count: every score is zero")
    led = _sums(votes.forward(votes.backward(authority)), components.target, components.count)
    live = masses > 1e-9 * masses.max()
    ratios = led[live] / masses[live]
    tied = int((ratios > ratios.max() * (1 - 1e-9)).sum())
    note = f"{tied} components tie: their scores are the blend that equal hubs lead to"
    gap = max(0.0, 1 - runner_up(votes, authority) / value) if pair.trace.converged else np.nan
    return Certainty(tied == 1, components.count, tied, gap, "" if tied == 1 else note)


def runner_up(votes: Votes, authority: Floats) -> float:
    """The size of the second eigenvalue, by Arnoldi steps beside the first vector.

    The matrix has no symmetry, but beside an eigenvector it has its other
    eigenvalues. On small graphs they are exact, on large ones the second may
    fall a little short.
    """
    basis = np.zeros((STEPS + 1, votes.n))
    basis[0] = length(authority)
    small = np.zeros((STEPS + 1, STEPS + 1))
    fresh = votes.forward(np.random.default_rng(0).random(votes.n))
    least = 1e-12 * max(np.abs(fresh).max(), np.abs(votes.forward(votes.backward(basis[0]))).max())
    for step in range(1, STEPS + 1):
        for _ in range(2):
            fresh = fresh - (basis[:step] @ fresh) @ basis[:step]
        if np.abs(fresh).max() < least:
            break
        basis[step] = length(fresh)
        small[step, step - 1] = basis[step] @ fresh
        fresh = votes.forward(votes.backward(basis[step]))
        small[: step + 1, step] = basis[: step + 1] @ fresh
    return float(np.abs(np.linalg.eigvals(small[1:, 1:])).max())


def _sums(values: Floats, labels: Ids, count: int) -> Floats:
    inside = labels >= 0
    return np.bincount(labels[inside], values[inside], count).astype(np.float64)
