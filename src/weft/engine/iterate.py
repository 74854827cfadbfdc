"""Repeat a step until it changes nothing, and say how that ended."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weft.core.arrays import Floats
from weft.core.progress import track

STEADY = 0.01
Stop = Literal["settled", "limit", "cycle", "closed form"]


@dataclass(frozen=True, slots=True)
class Trace:
    """How an iteration ended.

    `change` is what the last round changed, in the norm that the method tests;
    `rate` is by how much each round shrank it, near one where rounds hardly
    help, and `error` bounds the distance to the answer where a bound is known.
    `period` is after how many rounds a cycle comes back; zero where there is none.
    """

    rounds: int
    change: float
    converged: bool
    stopped: Stop = "settled"
    rate: float = np.nan
    error: float = np.nan
    period: int = 0


RETURN = 1e-6
CLOSED = Trace(0, 0.0, converged=True, stopped="closed form", error=0.0)


def fixed_point(
    step: Callable[[Floats], Floats], start: Floats, tolerance: float, limit: int, label: str
) -> tuple[Floats, Trace]:
    """Apply `step` until the scores change by less than `tolerance` in total.

    A step that comes back to where it was would go round forever: it is
    stopped and told as a cycle, and the answer is the mean of one time round,
    which does not depend on where the cycle was noticed. One past round is
    kept to compare with, a later one each time as many again have gone by
    (Brent's algorithm). It counts as met again where the distance is next to
    nothing beside a round's change; scores that only settle slowly are always
    further away from the past than that.
    """
    x, change, rate = start, np.inf, np.nan
    kept, at = start, 0
    for rounds in track(range(1, limit + 1), label, limit):
        y = step(x)
        now = float(np.abs(y - x).sum())
        rate = now / change if change else 0.0
        x, change = y, now
        if change < tolerance:
            return x, Trace(rounds, change, converged=True, rate=rate)
        if float(np.abs(x - kept).sum()) < min(tolerance, RETURN) * min(1.0, change):
            trace = Trace(
                rounds, change, converged=False, stopped="cycle", rate=rate, period=rounds - at
            )
            return mean_round(step, x, trace.period), trace
        if rounds >= 2 * at:
            kept, at = x, rounds
    return x, Trace(limit, change, converged=False, stopped="limit", rate=rate)


def mean_round(step: Callable[[Floats], Floats], x: Floats, period: int) -> Floats:
    """The mean of the scores over one time round a cycle."""
    total = x.copy()
    for _ in range(period - 1):
        x = step(x)
        total += x
    return total / period


def unit(x: Floats) -> Floats:
    """Scale to sum one; zeros stay zeros, for no links are no evidence."""
    total = x.sum()
    return x / total if total > 0 else x


def length(x: Floats) -> Floats:
    """Scale to length one; zeros stay zeros."""
    norm = np.sqrt(np.square(x).sum())
    return x / norm if norm > 0 else x


def largest(x: Floats) -> Floats:
    """Scale so that the largest is one; zeros stay zeros."""
    top = x.max(initial=0)
    return x / top if top > 0 else x


def dot(x: Floats, y: Floats) -> float:
    """The sum of products, without the threads of a BLAS, which go on spinning on our cores."""
    return float(np.einsum("i,i", x, y))


def steady(before: float, rate: float, left: float) -> bool:
    """Whether rounds shrink the change by one factor, with some of them still to come."""
    return abs(rate - before) < STEADY * rate and left > 10
