"""Iterative solvers: fixed points and Neumann series, and the trace that they leave."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from weft.core.arrays import Floats
from weft.core.json import JsonObject, to_json_value
from weft.core.progress import track
from weft.engine.operator import LinkOperator, WalkState, array_namespace

MAX_RATE_DRIFT = 0.01
CYCLE_TOL = 1e-6
StopReason = Literal["converged", "max_iter", "cycle", "closed form"]
SINGLE_PRECISION_EPS = 2.0**-24
NO_TELEPORT = np.zeros(1)


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
    xp = array_namespace(start)
    x, change, rate = start, np.inf, np.nan
    reference, reference_at = start, 0
    for iteration in track(range(1, max_iter + 1), label, max_iter):
        y = step(x)
        new_change = float(xp.sum(xp.abs(y - x)))
        rate = new_change / change if change else 0.0
        x, change = y, new_change
        if change < tol:
            return x, Trace(iteration, change, converged=True, rate=rate)
        if float(xp.sum(xp.abs(x - reference))) < min(tol, CYCLE_TOL) * min(1.0, change):
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
    total = x
    for _ in range(period - 1):
        x = step(x)
        total = total + x
    return total / period


def normalize_l1(x: Floats) -> Floats:
    """Scale to sum one; all zeros stay zeros, as for a graph without links."""
    total = float(array_namespace(x).sum(x))
    return x / total if total > 0 else x


def normalize_l2(x: Floats) -> Floats:
    """Scale to L2 norm one; all zeros stay zeros."""
    norm = float(array_namespace(x).sum(x * x)) ** 0.5
    return x / norm if norm > 0 else x


def normalize_max(x: Floats) -> Floats:
    """Scale so that the maximum is one; all zeros stay zeros."""
    largest = float(array_namespace(x).max(x)) if x.size else 0.0
    return x / largest if largest > 0 else x


def is_shrinking_steadily(previous_rate: float, rate: float, remaining_factor: float) -> bool:
    """Whether the change shrinks by a constant factor, with several iterations still to go."""
    return abs(rate - previous_rate) < MAX_RATE_DRIFT * rate and remaining_factor > 10


def neumann_series(
    operator: LinkOperator,
    start: Floats,
    row_scale: Floats,
    tol: float,
    max_iter: int,
    label: str,
    *,
    damping: float = 1.0,
    teleport: Floats = NO_TELEPORT,
) -> tuple[Floats, Trace]:
    """The solution of x = M'x + start, where M(i, j) = row_scale[i] for each link from i to j.

    `damping` is the largest row sum of M: with row_scale = damping / outdegree,
    x sums all walks from the start. What arrives at a dangling page is lost;
    with `teleport`, a distribution over pages (one entry if uniform), damping
    times that mass is distributed by it, and the iteration starts from
    start / (1 - damping), which takes fewer steps. `start` is nonnegative, may
    have several columns, and has a single entry if it is the same at all pages.
    The solution is a vector of the operator.

    An iteration passes on what the last one added; the change is its L1 norm
    relative to the total. With damping < 1 that bounds the error, and once an
    iteration adds so little that single precision is enough for `tol`, it is
    computed in that. With teleport, steady convergence is accelerated by
    Aitken extrapolation.
    """
    teleports = teleport is not NO_TELEPORT
    start, row_scale = operator.asarray(start), operator.asarray(row_scale)
    if start.ndim > 1:
        common = (row_scale, tol, max_iter, label)
        if operator.batches_columns:
            return _solve_columns_batched(
                operator, start, *common, damping=damping, teleport=teleport
            )
        return _solve_column_by_column(
            start,
            lambda column: neumann_series(
                operator, column, *common, damping=damping, teleport=teleport
            ),
        )
    state, mass, dangling_mass = _initial_state(operator, start, row_scale, damping, teleport)
    change, rate = np.inf, np.nan
    earlier_totals = (NO_TELEPORT, NO_TELEPORT)
    if teleports:  # only these are extrapolated
        earlier_totals = (operator.zeros(), operator.zeros())
    kept_totals = 0
    pause, next_extrapolation = 2, 0
    single_precision_below = tol * (1 - damping) / (4 * SINGLE_PRECISION_EPS)
    for iteration in track(range(1, max_iter + 1), label, max_iter):
        added, dangling_mass = operator.neumann_step(
            state._replace(teleport_mass=damping * dangling_mass * teleports),
            low_precision=change < single_precision_below,
        )
        mass += 0.0 if teleports else added
        last_rate, last_change, change = rate, change, added / mass if mass else 0.0
        rate = change / last_change if last_change else 0.0
        if change < tol:
            error = error_bound(change, damping)
            trace = Trace(iteration, change, converged=True, rate=rate, error=error)
            return state.total, trace
        if kept_totals == 2:
            dangling_mass = operator.vectors.extrapolate(*earlier_totals, state)
            rate, kept_totals = np.nan, 0
            pause, next_extrapolation = 2 * pause, iteration + pause
        elif kept_totals or (
            teleports
            and iteration > next_extrapolation
            and is_shrinking_steadily(last_rate, rate, change / tol)
        ):
            operator.vectors.combine(earlier_totals[kept_totals], [1.0], [state.total])
            kept_totals += 1
    error = error_bound(change, damping)
    return state.total, Trace(
        max_iter, change, converged=False, stopped="max_iter", rate=rate, error=error
    )


def error_bound(change: float, damping: float) -> float:
    """Bound of the distance to the limit, after an iteration with this change."""
    return damping / (1 - damping) * change if damping < 1 else np.nan


def _initial_state(
    operator: LinkOperator, start: Floats, row_scale: Floats, damping: float, teleport: Floats
) -> tuple[WalkState, float, float]:
    """The state after the first iteration, its mass, and what of it arrived at dangling pages.

    With teleport, the iteration begins at start / (1 - damping), which needs a
    correction in the first step: what arrives there, less the excess of that start.
    """
    vectors = operator.vectors
    state = WalkState(
        operator.zeros(), operator.zeros(), row_scale, operator.asarray(teleport), 0.0
    )
    if teleport is NO_TELEPORT:
        norms = vectors.accumulate(start, state)
        return state, norms.change, 0.0
    begun = vectors.accumulate(start / (1 - damping), state)
    excess = state._replace(total=operator.zeros())
    vectors.combine(excess.total, [-damping / (1 - damping)], [start])
    operator.neumann_step(excess._replace(teleport_mass=damping * begun.dangling_mass))
    return state, begun.change, vectors.accumulate(excess.total, state).dangling_mass


def _solve_column_by_column(
    start: Floats, solve: Callable[[Floats], tuple[Floats, Trace]]
) -> tuple[Floats, Trace]:
    """Solve for one column after the other; the trace is that of the slowest."""
    xp = array_namespace(start)
    solved = [solve(start[:, column]) for column in range(start.shape[1])]
    slowest = max(
        (trace for _, trace in solved), key=lambda trace: (trace.iterations, trace.change)
    )
    error = max(trace.error for _, trace in solved)
    return xp.stack([solution for solution, _ in solved], axis=1), replace(slowest, error=error)


def _solve_columns_batched(
    operator: LinkOperator,
    start: Floats,
    row_scale: Floats,
    tol: float,
    max_iter: int,
    label: str,
    *,
    damping: float,
    teleport: Floats,
) -> tuple[Floats, Trace]:
    """Solve for all columns in the same passes, until the slowest has converged."""
    xp, teleports = array_namespace(start), teleport is not NO_TELEPORT
    dangling = xp.astype(row_scale == 0, start.dtype)[:, None]
    teleport = operator.asarray(teleport)

    def apply_step(x: Floats) -> Floats:
        arrived = operator.rmatvec(x * row_scale[:, None])
        arrived += damping * xp.sum(x * dangling, axis=0) * teleport[:, None]
        return arrived

    total = start / (1 - damping) if teleports else start + 0.0
    added = apply_step(total) + start - total if teleports else start
    if teleports:
        total += added
    change, rate = np.inf, np.nan
    for iteration in track(range(1, max_iter + 1), label, max_iter):
        added = apply_step(added)
        total += added
        added_mass, mass = xp.sum(xp.abs(added), axis=0), xp.sum(total, axis=0)
        relative = added_mass / xp.where(mass > 0, mass, xp.ones_like(mass))
        last_change, change = change, float(xp.max(relative)) if relative.shape[0] else 0.0
        rate = change / last_change if last_change else 0.0
        if change < tol:
            return total, Trace(
                iteration, change, converged=True, rate=rate, error=error_bound(change, damping)
            )
    error = error_bound(change, damping)
    return total, Trace(
        max_iter, change, converged=False, stopped="max_iter", rate=rate, error=error
    )
