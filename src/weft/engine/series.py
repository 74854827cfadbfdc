"""Follow links again and again, and add up every visit."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from weft.core.arrays import Floats
from weft.core.progress import track
from weft.engine.flow import Flow, Visits
from weft.engine.iterate import Trace, dot, steady

HALF = 2.0**-24
NOWHERE = np.zeros(1)


def series(
    flow: Flow,
    start: Floats,
    each: Floats,
    tolerance: float,
    limit: int,
    label: str,
    *,
    share: float = 1.0,
    jump: Floats = NOWHERE,
) -> tuple[Floats, Trace]:
    """The solution of `x = M^T x + start`, where a link from i carries `each[i]` of what is at i.

    `share` is the most of a page's value that its links pass on together, so
    that with `each = share / outdegree` the solution is the sum of all walks
    from the start. What arrives at a page without links is lost; or, where
    `jump` is given, `share` of it goes on to all pages as `jump` has it (one
    entry where all get the same), and the rounds begin at `start / (1 -
    share)`, from where they need fewer. `start` is not negative, and may hold
    several columns.

    A round passes on what the last one brought; its change is that, as a share
    of the whole. A `share` below one bounds the error, and once a round brings
    so little that seven digits of it are enough for the tolerance, it is
    passed on with no more. With jumps, where every round shrinks it alike, a
    leap is taken to where that leads.
    """
    if start.ndim > 1:
        rest = (each, tolerance, limit, label)
        if flow.together:
            return _columns(flow, start, *rest, share=share, jump=jump)
        return _one_by_one(start, lambda one: series(flow, one, *rest, share=share, jump=jump))
    visits, stuck = _begin(flow, start, each, share, jump)
    total, jumps = visits.total, jump is not NOWHERE
    whole, change, rate = float(total.sum()), np.inf, np.nan
    kept: list[Floats] = []
    pause, ready = 2, 0
    enough = tolerance * (1 - share) / (4 * HALF)
    for rounds in track(range(1, limit + 1), label, limit):
        rough = change < enough
        found, stuck = flow.pass_on(visits._replace(base=share * stuck * jumps), roughly=rough)
        whole += 0.0 if jumps else found
        before, last, change = rate, change, found / whole if whole else 0.0
        rate = change / last if last else 0.0
        if change < tolerance:
            error = bound(change, share)
            return total, Trace(rounds, change, converged=True, rate=rate, error=error)
        if len(kept) == 2:
            stuck, rate, kept = leap(kept[0], kept[1], visits), np.nan, []
            pause, ready = 2 * pause, rounds + pause
        elif kept or (jumps and rounds > ready and steady(before, rate, change / tolerance)):
            kept.append(total.copy())
    error = bound(change, share)
    return total, Trace(limit, change, converged=False, stopped="limit", rate=rate, error=error)


def leap(first: Floats, second: Floats, visits: Visits) -> float:
    """Go on to where three rounds point, if what they brought shrinks by one and the same factor.

    The new total is the one in line with the last two that leaves least to
    bring (Aitken's process, as a least-squares fit); what is sent is what it
    leaves, so that nothing but the number of rounds depends on the guess. The
    two totals before are overwritten, for memory is what large graphs lack.
    """
    one = np.subtract(second, first, out=first)
    two = np.subtract(visits.total, second, out=second)
    bend = np.subtract(two, one, out=one)
    scale = dot(bend, bend)
    ahead = -dot(two, bend) / scale if scale else 0.0
    np.multiply(two, ahead, out=visits.sent)
    np.add(visits.total, visits.sent, out=visits.total)
    np.multiply(bend, ahead, out=bend)
    brought = np.add(two, bend, out=two)
    np.multiply(brought, visits.each, out=visits.sent)
    return float(brought[visits.each == 0].sum())


def bound(change: float, share: float) -> float:
    """How far the sum can still be from its end after a round that brought `change`."""
    return share / (1 - share) * change if share < 1 else np.nan


def _begin(
    flow: Flow, start: Floats, each: Floats, share: float, jump: Floats
) -> tuple[Visits, float]:
    """Where to begin, with what the first round brings there, and what of that gets stuck."""
    ends = each == 0
    if jump is NOWHERE:
        visits = Visits(start * each, start.copy(), each, jump, 0.0)
        return visits, 0.0
    total = start / (1 - share)
    brought = start - total
    sent = total * each
    stuck = share * float(total[ends].sum())
    flow.pass_on(Visits(sent, brought, each, jump, stuck))
    np.multiply(brought, each, out=sent)
    np.add(total, brought, out=total)
    return Visits(sent, total, each, jump, 0.0), float(brought[ends].sum())


def _one_by_one(
    start: Floats, solve: Callable[[Floats], tuple[Floats, Trace]]
) -> tuple[Floats, Trace]:
    """Several sums one after the other; the trace is that of the slowest."""
    solved = [solve(column) for column in np.ascontiguousarray(start.T)]
    worst = max((trace for _, trace in solved), key=lambda trace: (trace.rounds, trace.change))
    error = max(trace.error for _, trace in solved)
    return np.stack([found for found, _ in solved]).T, replace(worst, error=error)


def _columns(
    flow: Flow,
    start: Floats,
    each: Floats,
    tolerance: float,
    limit: int,
    label: str,
    *,
    share: float,
    jump: Floats,
) -> tuple[Floats, Trace]:
    """Several sums in the same passes, until the slowest is done."""
    ends, guess = each == 0, jump is not NOWHERE

    def onward(x: Floats) -> Floats:
        arrived = flow.forward(x * each[:, None])
        arrived += share * x[ends].sum(axis=0) * jump[:, None]
        return arrived

    total = start / (1 - share) if guess else start.copy()
    brought = onward(total) + start - total if guess else start
    total += brought if guess else 0.0
    change, rate = np.inf, np.nan
    for rounds in track(range(1, limit + 1), label, limit):
        brought = onward(brought)
        total += brought
        added, whole = np.abs(brought).sum(axis=0), total.sum(axis=0)
        shares = np.divide(added, whole, out=np.zeros_like(added), where=whole > 0)
        last, change = change, float(shares.max(initial=0))
        rate = change / last if last else 0.0
        if change < tolerance:
            return total, Trace(
                rounds, change, converged=True, rate=rate, error=bound(change, share)
            )
    error = bound(change, share)
    return total, Trace(limit, change, converged=False, stopped="limit", rate=rate, error=error)
