"""Neumann series: solve x = M'x + start by summing the powers of M' applied to the start."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from weft.core.arrays import Floats
from weft.core.progress import track
from weft.engine.fixed_point import Trace, dot, is_shrinking_steadily
from weft.engine.operator import LinkOperator, WalkState

SINGLE_PRECISION_EPS = 2.0**-24
NO_TELEPORT = np.zeros(1)


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
    start / (1 - damping), which takes fewer steps. `start` is nonnegative, and
    may have several columns.

    An iteration passes on what the last one added; the change is its L1 norm
    relative to the total. With damping < 1 that bounds the error, and once an
    iteration adds so little that single precision is enough for `tol`, it is
    computed in that. With teleport, steady convergence is accelerated by
    Aitken extrapolation.
    """
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
    state, dangling_mass = _initial_state(operator, start, row_scale, damping, teleport)
    total, teleports = state.total, teleport is not NO_TELEPORT
    mass, change, rate = float(total.sum()), np.inf, np.nan
    earlier_totals: list[Floats] = []
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
            return total, Trace(iteration, change, converged=True, rate=rate, error=error)
        if len(earlier_totals) == 2:
            dangling_mass = aitken_extrapolate(earlier_totals[0], earlier_totals[1], state)
            rate, earlier_totals = np.nan, []
            pause, next_extrapolation = 2 * pause, iteration + pause
        elif earlier_totals or (
            teleports
            and iteration > next_extrapolation
            and is_shrinking_steadily(last_rate, rate, change / tol)
        ):
            earlier_totals.append(total.copy())
    error = error_bound(change, damping)
    return total, Trace(
        max_iter, change, converged=False, stopped="max_iter", rate=rate, error=error
    )


def aitken_extrapolate(first: Floats, second: Floats, state: WalkState) -> float:
    """Extrapolate three successive totals, if their differences shrink by a constant factor.

    Vector Aitken: with d1, d2 the differences and b = d2 - d1, the new total is
    x + t d2, where t = -(d2 . b) / (b . b) minimises the remaining step
    |d2 + t b|. That step is passed on next, so that the extrapolation changes
    only the number of iterations. Returns its mass at dangling pages. `first`
    and `second` are overwritten to save memory.
    """
    d1 = np.subtract(second, first, out=first)
    d2 = np.subtract(state.total, second, out=second)
    b = np.subtract(d2, d1, out=d1)
    b_squared = dot(b, b)
    t = -dot(d2, b) / b_squared if b_squared else 0.0
    np.multiply(d2, t, out=state.outgoing)
    np.add(state.total, state.outgoing, out=state.total)
    np.multiply(b, t, out=b)
    step = np.add(d2, b, out=d2)
    np.multiply(step, state.row_scale, out=state.outgoing)
    return float(step[state.row_scale == 0].sum())


def error_bound(change: float, damping: float) -> float:
    """Bound of the distance to the limit, after an iteration with this change."""
    return damping / (1 - damping) * change if damping < 1 else np.nan


def _initial_state(
    operator: LinkOperator, start: Floats, row_scale: Floats, damping: float, teleport: Floats
) -> tuple[WalkState, float]:
    """The state after the first iteration, and the mass that arrived at dangling pages."""
    dangling = row_scale == 0
    if teleport is NO_TELEPORT:
        state = WalkState(start * row_scale, start.copy(), row_scale, teleport, 0.0)
        return state, 0.0
    total = start / (1 - damping)
    added = start - total
    outgoing = total * row_scale
    dangling_mass = damping * float(total[dangling].sum())
    operator.neumann_step(WalkState(outgoing, added, row_scale, teleport, dangling_mass))
    np.multiply(added, row_scale, out=outgoing)
    np.add(total, added, out=total)
    return WalkState(outgoing, total, row_scale, teleport, 0.0), float(added[dangling].sum())


def _solve_column_by_column(
    start: Floats, solve: Callable[[Floats], tuple[Floats, Trace]]
) -> tuple[Floats, Trace]:
    """Solve for one column after the other; the trace is that of the slowest."""
    solved = [solve(column) for column in np.ascontiguousarray(start.T)]
    slowest = max(
        (trace for _, trace in solved), key=lambda trace: (trace.iterations, trace.change)
    )
    error = max(trace.error for _, trace in solved)
    return np.stack([solution for solution, _ in solved]).T, replace(slowest, error=error)


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
    dangling, teleports = row_scale == 0, teleport is not NO_TELEPORT

    def apply_step(x: Floats) -> Floats:
        arrived = operator.rmatvec(x * row_scale[:, None])
        arrived += damping * x[dangling].sum(axis=0) * teleport[:, None]
        return arrived

    total = start / (1 - damping) if teleports else start.copy()
    added = apply_step(total) + start - total if teleports else start
    total += added if teleports else 0.0
    change, rate = np.inf, np.nan
    for iteration in track(range(1, max_iter + 1), label, max_iter):
        added = apply_step(added)
        total += added
        added_mass, mass = np.abs(added).sum(axis=0), total.sum(axis=0)
        relative = np.divide(added_mass, mass, out=np.zeros_like(added_mass), where=mass > 0)
        last_change, change = change, float(relative.max(initial=0))
        rate = change / last_change if last_change else 0.0
        if change < tol:
            return total, Trace(
                iteration, change, converged=True, rate=rate, error=error_bound(change, damping)
            )
    error = error_bound(change, damping)
    return total, Trace(
        max_iter, change, converged=False, stopped="max_iter", rate=rate, error=error
    )
