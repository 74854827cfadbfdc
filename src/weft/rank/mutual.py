"""Hubs and authorities over links that weigh what a method says, in each direction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from weft.core.arrays import Floats, Offsets, Rows, lower, upper
from weft.engine import (
    Flow,
    Pair,
    Trace,
    fixed_point,
    flow,
    length,
    principal,
    runner_up,
    sums,
    unit,
)
from weft.rank.hits import ties
from weft.rank.parts import Parts
from weft.rank.ranking import Certainty, Ranking


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
        source, target = upper(key), lower(key)
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
    look = cache(lambda: _certainty(votes, pair, value))
    return Ranking(name, pages, scores, pair.trace, look, parts, {"eigenvalue": value})


def _rows(row: Offsets, other: Offsets, weight: Floats, n: int) -> Rows:
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=n), out=starts[1:])
    return Rows(starts, other.astype(np.int32), weight)


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
    components, authority = votes.flow.components(), pair.target
    masses = sums(authority, components.target, components.count)
    if not masses.any():
        return Certainty(note="no links that count: every score is zero")
    led = sums(votes.forward(votes.backward(authority)), components.target, components.count)
    live = masses > 1e-9 * masses.max()
    ratios = led[live] / masses[live]
    tied = int((ratios > ratios.max() * (1 - 1e-9)).sum())
    note = f"{tied} components tie: their scores are the blend that equal hubs lead to"
    gap = np.nan
    if pair.trace.converged:
        second = runner_up(lambda x: votes.forward(votes.backward(x)), authority)
        gap = max(0.0, 1 - second / value)
    return Certainty(tied == 1, components.count, tied, gap, "" if tied == 1 else note)
