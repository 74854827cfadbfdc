"""Repeat a step until it changes nothing, and say how that ended."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weft.core.arrays import Floats
from weft.core.progress import track

Stop = Literal["settled", "limit", "cycle", "closed form"]


@dataclass(frozen=True, slots=True)
class Trace:
    """How an iteration ended.

    `change` is what the last round changed, in the norm that the method tests;
    `rate` is by how much each round shrank it, near one where rounds hardly
    help, and `error` bounds the distance to the answer where a bound is known.
    """

    rounds: int
    change: float
    converged: bool
    stopped: Stop = "settled"
    rate: float = np.nan
    error: float = np.nan


CLOSED = Trace(0, 0.0, converged=True, stopped="closed form", error=0.0)


def fixed_point(
    step: Callable[[Floats], Floats], start: Floats, tolerance: float, limit: int, label: str
) -> tuple[Floats, Trace]:
    """Apply `step` until the scores change by less than `tolerance` in total.

    A step that comes back to where it was two rounds ago would go on forever:
    it is stopped and told as a cycle.
    """
    x, before, change, rate = start, start, np.inf, np.nan
    for rounds in track(range(1, limit + 1), label, limit):
        y = step(x)
        now = float(np.abs(y - x).sum())
        rate = now / change if change else 0.0
        returned = float(np.abs(y - before).sum())
        x, before, change = y, x, now
        if change < tolerance:
            return x, Trace(rounds, change, converged=True, rate=rate)
        if rounds > 2 and returned < tolerance * min(1.0, change):
            return x, Trace(rounds, change, converged=False, stopped="cycle", rate=rate)
    return x, Trace(limit, change, converged=False, stopped="limit", rate=rate)


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
