"""The principal pair of singular vectors of a flow."""

from dataclasses import dataclass, replace

import numpy as np

from weft.core.arrays import Flags, Floats, Ids
from weft.core.progress import track
from weft.engine.components import Components, sums
from weft.engine.flow import Flow, Less
from weft.engine.iterate import Stop, Trace, dot, length

STEPS = 16
ROOM = 1 << 27
SHORT = 1e-14
PIECE = 1 << 14
TIE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Scores of pages as sources and as targets, each of length one, and their singular value.

    `components` is how many parts of the graph there are that share no link,
    `tied` how many of them reach that value; zero where that was not looked at.
    """

    source: Floats
    target: Floats
    value: float
    trace: Trace
    components: int = 0
    tied: int = 0


def principal(flow: Flow, start: Floats, tolerance: float, limit: int, label: str) -> Pair:
    """From `start` at the sources to where both vectors settle.

    Each component has a principal value of its own, so that the answer lies on
    the strongest alone, and is exactly zero elsewhere. Where several tie, it
    is the projection of the start on all of them, whatever the road. The
    change is that of both vectors, as a share of their sums.
    """
    pair = _settle(flow, start, tolerance, limit, label)
    if not pair.trace.converged:
        return pair
    components = flow.components()
    if components.count < 2:
        return replace(pair, components=components.count, tied=components.count)
    won, share = _strongest(flow, pair, components)
    if share < 0.5:
        # one that began small would have won in the end
        begin = start * _inside(won, components.source)
        pair = _settle(flow, begin, tolerance, limit, label)
    for values, labels in ((pair.source, components.source), (pair.target, components.target)):
        np.multiply(values, _inside(won, labels), out=values)
        _scale(values)
    return replace(pair, components=components.count, tied=int(won.sum()))


def _strongest(flow: Flow, pair: Pair, components: Components) -> tuple[Flags, float]:
    """Which components reach the largest value, and what share of the pair they hold.

    What the target leads to is summed anew: where it was next to nothing, and
    negative, it has become zero, and no value may be too large for that.
    """
    room = flow.backward(pair.target)
    np.square(room, out=room)
    led = sums(room, components.source, components.count)
    np.square(pair.target, out=room)
    masses = sums(room, components.target, components.count)
    values = np.divide(led, masses, out=np.zeros_like(led), where=masses > np.finfo(float).tiny)
    won = values >= values.max(initial=0) * (1 - TIE)
    return won, float(masses[won].sum() / masses.sum()) if masses.any() else 1.0


def _inside(won: Flags, labels: Ids) -> Flags:
    inside: Flags = np.append(won, [False])[labels]
    return inside


def _settle(flow: Flow, start: Floats, tolerance: float, limit: int, label: str) -> Pair:
    """Steps of Lanczos, then rounds of power iteration that say whether both vectors stay.

    Both only ever combine the powers of the links applied to the start. Where
    too few rounds are left for steps, there are rounds alone.
    """
    source, target = length(start), np.zeros(flow.n)
    if not flow.forward_into(source, target).squares:
        return Pair(np.zeros(flow.n), target, 0.0, Trace(1, 0.0, converged=True))
    rounds, change, rate = 0, np.inf, np.nan
    for _ in track(range(limit), label, limit):
        most = min(STEPS, max(4, ROOM // flow.n), limit - rounds - 2)
        if most > 1:
            target, steps, rate = lanczos(flow, target, source, tolerance, most)
            rounds += steps + 1
        if most > 1 or not rounds:
            _scale(target)
            led = flow.backward_into(target, source)
        arrived = flow.forward_into(source, target, 1 / led.squares)
        led = flow.backward_into(target, source, 1 / np.sqrt(arrived.squares))
        rounds += 1
        change = led.change / led.total + arrived.change / arrived.total
        if change < tolerance or rounds >= limit:
            break
    settled = change < tolerance
    stop: Stop = "settled" if settled else "limit"
    trace = Trace(rounds, change, converged=settled, stopped=stop, rate=rate)
    return _pair(source, target, led.squares, trace)


def _pair(source: Floats, target: Floats, top: float, trace: Trace) -> Pair:
    for values in (source, target):
        np.maximum(values, 0, out=values)
        _scale(values)
    return Pair(source, target, float(np.sqrt(top)), trace)


def _scale(values: Floats) -> None:
    """Bring to length one, in place."""
    norm = np.sqrt(dot(values, values))
    if norm:
        values /= norm


def lanczos(
    flow: Flow, start: Floats, source: Floats, tolerance: float, most: int
) -> tuple[Floats, int, float]:
    """The best principal vector at the targets among the first powers applied to the start.

    With it, how many powers it took until a round would change it by less than
    the tolerance, and the second value there as a share of the first. The
    start and the source are overwritten. Each new vector is beside the last
    two; that in the end it may lean on the first ones costs powers, not digits.
    """
    basis, diagonal = [start], np.zeros(0)
    room = np.zeros((most, flow.n))  # one piece, in large pages where the machine has them
    norms, totals = np.array([np.sqrt(dot(start, start))]), np.array([start.sum()])
    for k in range(most):
        led = flow.backward_into(basis[k], source, 1 / norms[k])
        diagonal = np.append(diagonal, led.squares)
        older = norms[k] / norms[k - 1] if k else 0.0
        less = Less(basis[k], basis[max(k - 1, 0)], led.squares / norms[k], older)
        fresh = room[k]
        rest = flow.forward_less(source, fresh, less)
        values, vectors = np.linalg.eigh(np.diag(diagonal) + _beside(norms[1:]))
        weights = vectors[:, -1] / norms
        total = weights @ totals
        left = abs(vectors[-1, -1]) * rest.change / (values[-1] * abs(total))
        if left < tolerance / 4 or np.sqrt(rest.squares) < SHORT * led.squares or k + 1 == most:
            break
        basis.append(fresh)
        norms, totals = np.append(norms, np.sqrt(rest.squares)), np.append(totals, rest.total)
    second = values[-2] / values[-1] if k else 0.0
    return _blend(weights * np.sign(total), basis), k + 1, float(second)


def _beside(values: Floats) -> Floats:
    """A matrix with values above and below its diagonal."""
    return np.diag(values, 1) + np.diag(values, -1)


def _blend(weights: Floats, vectors: list[Floats]) -> Floats:
    """Make the first vector the sum of all times their weights, a stretch of it at a time."""
    first, *others = vectors
    for at in range(0, len(first), PIECE):
        some = slice(at, at + PIECE)
        first[some] *= weights[0]
        for weight, vector in zip(weights[1:], others, strict=True):
            first[some] += weight * vector[some]
    return first
