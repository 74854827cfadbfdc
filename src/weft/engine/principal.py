"""The principal pair of singular vectors of a flow."""

from dataclasses import dataclass, replace

import numpy as np

from weft.core.arrays import Flags, Floats
from weft.core.progress import track
from weft.engine.components import Components, sums
from weft.engine.flow import Flow
from weft.engine.iterate import Trace, dot, length, steady

PATIENCE = 40
STEPS = 10
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
    pair.source[~_inside(won, components.source)] = 0
    pair.target[~_inside(won, components.target)] = 0
    _scale(pair.source)
    _scale(pair.target)
    return replace(pair, components=components.count, tied=int(won.sum()))


def _strongest(flow: Flow, pair: Pair, components: Components) -> tuple[Flags, float]:
    """Which components reach the largest value, and what share of the pair they hold."""
    led = flow.backward(pair.target)
    np.square(led, out=led)
    led = sums(led, components.source, components.count)
    masses = sums(np.square(pair.target), components.target, components.count)
    values = np.divide(led, masses, out=np.zeros_like(led), where=masses > np.finfo(float).tiny)
    won = values >= values.max(initial=0) * (1 - TIE)
    return won, float(masses[won].sum() / masses.sum()) if masses.any() else 1.0


def _inside(won: Flags, labels: np.ndarray) -> Flags:
    inside: Flags = np.append(won, [False])[labels]
    return inside


def _settle(flow: Flow, start: Floats, tolerance: float, limit: int, label: str) -> Pair:
    """Power iteration; where that would take long, a few steps of Lanczos bring it on.

    Both only ever combine the powers of the links applied to the start.
    """
    source, target = length(start), np.zeros(flow.n)
    top = flow.forward_into(source, target).squares
    if not top:
        return Pair(np.zeros(flow.n), target, 0.0, Trace(1, 0.0, converged=True))
    norm = np.sqrt(top)
    change, rate, fresh, rounds = np.inf, np.nan, 0, 0
    kept: list[Floats] = []
    for _ in track(range(limit), label, limit):
        led = flow.backward_into(target, source, 1 / norm)
        arrived = flow.forward_into(source, target, 1 / top)
        norm = np.sqrt(arrived.squares)
        top *= norm
        before, last = rate, change
        change = led.change / led.total + arrived.change / arrived.total
        rate, fresh, rounds = (change / last if last else 0.0), fresh + 1, rounds + 1
        if change < tolerance:
            return _pair(source, target, top, Trace(rounds, change, converged=True, rate=rate))
        if rounds >= limit:
            break
        if len(kept) == 2:
            norm, fresh, change, kept = _leap(kept[0], kept[1], target), 0, np.inf, []
        elif fresh > 4 and _slow(change, rate, tolerance):
            target[:], norm, fresh, change, kept = krylov(flow, target), 1.0, 0, np.inf, []
            rounds += STEPS
        elif kept or (fresh > 3 and steady(before, rate, change / tolerance)):
            kept.append(target.copy())
    trace = Trace(rounds, change, converged=False, stopped="limit", rate=rate)
    return _pair(source, target, top, trace)


def _leap(first: Floats, second: Floats, target: Floats) -> float:
    """Go on to where three rounds point, where each shrinks the change alike; the new length.

    Two of the three vectors are overwritten (Aitken's process, by least squares).
    """
    one = np.subtract(second, first, out=first)
    two = np.subtract(target, second, out=second)
    bend = np.subtract(two, one, out=one)
    scale = dot(bend, bend)
    np.multiply(two, -dot(two, bend) / scale if scale else 0.0, out=two)
    np.add(target, two, out=target)
    return float(np.sqrt(dot(target, target)))


def _slow(change: float, rate: float, tolerance: float) -> bool:
    """Whether settling would take more rounds than patience has."""
    return rate >= 1 or np.log(tolerance / change) / np.log(rate) > PATIENCE


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


def krylov(flow: Flow, start: Floats) -> Floats:
    """The best principal vector at the targets among the first powers applied to the start."""
    basis, images = [length(start)], []
    for _ in range(STEPS):
        image = flow.forward(flow.backward(basis[-1]))
        images.append(image)
        rest = image.copy()
        for _ in range(2):
            for vector in basis:
                rest -= dot(vector, rest) * vector
        norm = np.sqrt(dot(rest, rest))
        if norm < 1e-13 * np.sqrt(dot(image, image)):
            break
        basis.append(rest / norm)
    small = np.array([[dot(vector, image) for image in images] for vector in basis[: len(images)]])
    weights = np.linalg.eigh((small + small.T) / 2)[1][:, -1]
    best = sum((w * v for w, v in zip(weights, basis, strict=False)), np.zeros(flow.n))
    return best if best.sum() > 0 else -best
