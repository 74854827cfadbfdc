"""Other laws that the same tail may follow, and how they compare with the power law."""

from collections.abc import Callable
from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np

from weft.core.arrays import Floats
from weft.engine.families import Law, fit_law
from weft.structure.powerlaw import Counted, PowerLaw

PLAIN, SAME = 0.1, 1e-6


def _log_normal(x: Floats) -> Floats:
    return np.column_stack([np.log(x), np.log(x) ** 2])


def _exponential(x: Floats) -> Floats:
    return np.asarray(x, np.float64)[:, None]


def _truncated(x: Floats) -> Floats:
    return np.column_stack([np.log(x), x])


TERMS: dict[str, Callable[[Floats], Floats]] = {
    "log-normal": _log_normal,
    "exponential": _exponential,
    "truncated power law": _truncated,
}
HOLDS_POWER_LAW = "truncated power law"


@dataclass(frozen=True, slots=True, eq=False)
class Rival:
    """A law fitted to the same tail as the power law.

    `ratio` is the difference of the two logarithms of likelihood, divided by its
    standard deviation: positive speaks for the power law, negative for the
    rival. `p` is the chance of one so far from zero if neither were better.
    """

    name: str
    law: Law
    ratio: float
    p: float

    @property
    def fits(self) -> str:
        """Whether it fits worse than the power law, as well, or better."""
        if self.p >= PLAIN:
            return "as well"
        return "worse" if self.ratio > 0 else "better"

    @property
    def spelled(self) -> str:
        """Its parameters in words."""
        first, last = float(self.law.weights[0]), float(self.law.weights[-1])
        if self.name == "exponential":
            return f"rate {last:.3g}"
        if self.name == HOLDS_POWER_LAW:
            return f"exponent {first:.4g}, rate {last:.3g}"
        variance = 1 / (2 * last)
        if variance > 1 / SAME:
            return "no different from the power law"
        return f"mean of logarithms {(1 - first) * variance:.3g}, deviation {sqrt(variance):.3g}"


def rivals(numbers: Counted, law: PowerLaw) -> list[Rival]:
    """Each rival fitted to the tail of a power law, and compared with it."""
    tail = numbers.tail(law.start)
    own = law.logs(tail.values)
    found = []
    for name, terms in TERMS.items():
        other = fit_law(terms, tail.values, tail.counts.astype(np.float64))
        found.append(Rival(name, other, *compare(own - other.logs(tail.values), tail, name)))
    return found


def compare(gains: Floats, tail: Counted, name: str) -> tuple[float, float]:
    """Vuong's ratio and its p, from what each value gains under the power law.

    The truncated law holds the power law as a special case; for that the ratio
    is of chi-square, as Clauset, Shalizi and Newman have it. A rival that came
    as close to the power law as to be the same is neither better nor worse.
    """
    size = len(tail)
    mean = float(gains @ tail.counts) / size
    spread = sqrt(float((gains - mean) ** 2 @ tail.counts) / size)
    if spread < SAME:
        return 0.0, 1.0
    ratio = mean * sqrt(size) / spread
    if name == HOLDS_POWER_LAW:
        return ratio, erfc(sqrt(abs(mean * size)))
    return ratio, erfc(abs(ratio) / sqrt(2))
