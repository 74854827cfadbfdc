"""Fixed-point iteration until convergence, with cycle detection, and norms of vectors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weft.core.arrays import Floats
from weft.core.json import JsonObject, to_json_value
from weft.core.progress import track

MAX_RATE_DRIFT = 0.01
CYCLE_TOL = 1e-6
StopReason = Literal["converged", "max_iter", "cycle", "closed form"]


@dataclass(frozen=True, slots=True)
class Trace:
    """How an iteration ended.

    `change` is the last change, in the norm that the method tests; `rate` the
    ratio of the last two, near one for slow convergence; `error` a bound of
    the distance to the solution, where one is known. `period` is the length of
    a cycle, zero if there is none.
    """

    iterations: int
    change: float
    converged: bool
    stopped: StopReason = "converged"
    rate: float = np.nan
    error: float = np.nan
    period: int = 0

    def to_document(self) -> JsonObject:
        """The JSON of a trace."""
        names = ("converged", "iterations", "change", "stopped")
        document: JsonObject = to_json_value({name: getattr(self, name) for name in names})
        return document


CLOSED_FORM = Trace(0, 0.0, converged=True, stopped="closed form", error=0.0)


def fixed_point(
    step: Callable[[Floats], Floats], start: Floats, tol: float, max_iter: int, label: str
) -> tuple[Floats, Trace]:
    """Apply `step` until the scores change by less than `tol` in the L1 norm.

    A step that returns to an earlier state would cycle forever: the iteration
    stops and reports a cycle, and the result is the mean over one period,
    which does not depend on where the cycle was noticed. Brent's algorithm:
    compare with one earlier state, replaced when the number of iterations has
    doubled. It counts as reached again if its distance is negligible compared
    with the last change; scores that converge slowly never come that close.
    """
    x, change, rate = start, np.inf, np.nan
    reference, reference_at = start, 0
    for iteration in track(range(1, max_iter + 1), label, max_iter):
        y = step(x)
        new_change = float(np.abs(y - x).sum())
        rate = new_change / change if change else 0.0
        x, change = y, new_change
        if change < tol:
            return x, Trace(iteration, change, converged=True, rate=rate)
        if float(np.abs(x - reference).sum()) < min(tol, CYCLE_TOL) * min(1.0, change):
            trace = Trace(
                iteration,
                change,
                converged=False,
                stopped="cycle",
                rate=rate,
                period=iteration - reference_at,
            )
            return mean_over_cycle(step, x, trace.period), trace
        if iteration >= 2 * reference_at:
            reference, reference_at = x, iteration
    return x, Trace(max_iter, change, converged=False, stopped="max_iter", rate=rate)


def mean_over_cycle(step: Callable[[Floats], Floats], x: Floats, period: int) -> Floats:
    """The mean of the scores over one period of a cycle."""
    total = x.copy()
    for _ in range(period - 1):
        x = step(x)
        total += x
    return total / period


def normalize_l1(x: Floats) -> Floats:
    """Scale to sum one; all zeros stay zeros, as for a graph without links."""
    total = x.sum()
    return x / total if total > 0 else x


def normalize_l2(x: Floats) -> Floats:
    """Scale to L2 norm one; all zeros stay zeros."""
    norm = np.sqrt(np.square(x).sum())
    return x / norm if norm > 0 else x


def normalize_max(x: Floats) -> Floats:
    """Scale so that the maximum is one; all zeros stay zeros."""
    largest = x.max(initial=0)
    return x / largest if largest > 0 else x


def dot(x: Floats, y: Floats) -> float:
    """The dot product without BLAS, whose threads would keep spinning on our cores."""
    return float(np.einsum("i,i", x, y))


def is_shrinking_steadily(previous_rate: float, rate: float, remaining_factor: float) -> bool:
    """Whether the change shrinks by a constant factor, with several iterations still to go."""
    return abs(rate - previous_rate) < MAX_RATE_DRIFT * rate and remaining_factor > 10
