"""Laws of whole numbers whose logarithm is a sum of known terms, fitted by largest likelihood.

Such a law is `p(x) = exp(-sum of weights * terms(x)) / norm` for whole x from a
start on. Its likelihood has one peak, where law and numbers agree on the means
of the terms.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats

SINGLY, PANELS, WIDTH = 1024, 160, 0.5
ROUNDS, EXACT = 200, 1e-14
Terms = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """A law with its weights, and the logarithm of what its terms alone add up to."""

    terms: Terms
    weights: Floats
    norm: float

    def logs(self, values: Floats) -> Floats:
        """The logarithm of the chance of each value."""
        found: Floats = -self.terms(values) @ self.weights - self.norm
        return found

    def at_least(self, values: Floats, start: float) -> Floats:
        """The chance that a number of the law from `start` on is as large as each value.

        Far out, where numbers are not looked at one by one, it is between those
        of the points around, which is good enough for drawing.
        """
        points, room = spread(start)
        mass = np.exp(self.logs(points)) * room
        reach = np.cumsum(mass[::-1])[::-1] - np.where(room == 1, 0, mass / 2)
        logs = np.log(np.maximum(reach, np.finfo(float).tiny))
        found: Floats = np.exp(np.interp(np.log(values), np.log(points), logs))
        return found


def spread(start: float) -> tuple[Floats, Floats]:
    """Points whose weighted sum is the sum over all whole numbers from `start` on.

    The first count one by one; what comes after is an integral over the
    logarithm, from half a step before the next number on.
    """
    single = start + np.arange(SINGLY)
    inside, share = np.polynomial.legendre.leggauss(8)
    middle = np.log(single[-1] + 0.5) + WIDTH * (np.arange(PANELS) + 0.5)
    far = np.exp(middle[:, None] + WIDTH / 2 * inside)
    room = far * share * WIDTH / 2
    return np.append(single, far), np.append(np.ones(SINGLY), room)


def fit_law(terms: Terms, values: Floats, counts: Floats) -> Law:
    """The weights of largest likelihood for numbers, the last of them at least zero.

    Newton's steps are halved while they overshoot. One that would take the last
    weight below zero leaves a tenth of it, and the others follow.
    """
    points, room = spread(float(values[0]))
    at, of = terms(points), terms(values)
    mean = counts / counts.sum() @ of
    weights = 1 / np.maximum(of[-1], 1e-9)
    weights[0] = 1 + 1 / max(float(mean[0] - of[0, 0]), 1e-3)
    norm, average, spread_out = _moments(at, room, weights)
    for _ in range(ROUNDS):
        slope = mean - average
        step = -np.linalg.lstsq(spread_out, slope)[0]
        if weights[-1] + step[-1] <= 0:
            step[-1] = -0.9 * weights[-1]
            left = slope[:-1] + spread_out[:-1, -1] * step[-1]
            step[:-1] = -np.linalg.lstsq(spread_out[:-1, :-1], left)[0]
        gain = float(slope @ step)
        if abs(gain) < EXACT:
            break
        cost, size = norm + float(mean @ weights), 1.0
        while size > EXACT:
            tried = weights + size * step
            norm, average, spread_out = _moments(at, room, tried)
            if norm + float(mean @ tried) <= cost + 1e-4 * size * gain:
                break
            size /= 2
        else:
            break
        weights = tried
    return Law(terms, weights, _moments(at, room, weights)[0])


def _moments(at: Floats, room: Floats, weights: Floats) -> tuple[float, Floats, Floats]:
    """The logarithm of the norm of a law, and the means and covariances of its terms."""
    told = -at @ weights
    top = float(told.max())
    mass = room * np.exp(told - top)
    held = mass > 0
    share, inside = mass[held] / mass.sum(), at[held]
    mean = share @ inside
    away = inside - mean
    return top + float(np.log(mass.sum())), mean, (away * share[:, None]).T @ away
