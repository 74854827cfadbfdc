"""A power law fitted to whole numbers, as Clauset, Shalizi and Newman do it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets


@dataclass(frozen=True, eq=False)
class Counted:
    """Distinct positive numbers, rising, and how often each occurs."""

    values: Floats
    counts: Offsets

    @classmethod
    def of(cls, numbers: Any) -> "Counted":
        """Count numbers; zeros are outside of every law here, and left out.

        Examples
        --------
        >>> Counted.of([3, 0, 1, 1]).counts.tolist()
        [2, 1]
        """
        often = np.bincount(np.asarray(numbers).astype(np.int64))
        values = np.flatnonzero(often[1:]) + 1 if len(often) else np.zeros(0, np.int64)
        return cls(values.astype(np.float64), often[values])

    @cached_property
    def above(self) -> Offsets:
        """How many numbers are as large as each value; then a zero."""
        return np.append(np.cumsum(self.counts[::-1])[::-1], 0)

    @cached_property
    def logs(self) -> Floats:
        """The sum of the logarithms of the numbers as large as each value; then a zero."""
        sums = np.cumsum((self.counts * np.log(self.values))[::-1])
        return np.append(sums[::-1], 0.0)

    def tail(self, start: float) -> "Counted":
        """Those as large as `start`."""
        kept = self.values >= start
        return Counted(self.values[kept], self.counts[kept])

    def __len__(self) -> int:
        return int(self.counts.sum())


class PowerLaw(NamedTuple):
    """The law `p(x) = x ** -exponent / zeta(exponent, start)` for whole x from `start` on.

    `misfit` is the distance of Kolmogorov and Smirnov: the largest difference
    between the shares of numbers up to some x, by law and by count. `size`
    is how many numbers the law was fitted to.
    """

    exponent: float
    start: float
    misfit: float
    size: int

    @property
    def error(self) -> float:
        """The standard error of the exponent."""
        return (self.exponent - 1) / float(np.sqrt(self.size))

    def logs(self, values: Floats) -> Floats:
        """The logarithm of the chance of each value."""
        from weft.engine.zeta import zeta  # noqa: PLC0415  compiled

        whole = zeta(self.exponent, self.start)
        found: Floats = -self.exponent * np.log(values) - np.log(whole)
        return found

    def at_least(self, values: Floats) -> Floats:
        """The chance that a number of the law is as large as each value."""
        from weft.engine.zeta import at_least  # noqa: PLC0415  compiled

        found: Floats = at_least(self.exponent, self.start, np.asarray(values, np.float64))
        return found


class Search(NamedTuple):
    """Where a tail may start: with so many numbers in it at least, at so many values at most."""

    least: int = 50
    most: int = 500

    def starts(self, numbers: Counted) -> Ids:
        """The places of the values that a tail may start at, evenly chosen if there are many.

        The largest value alone makes no tail.
        """
        enough = np.flatnonzero(numbers.above[:-1] >= self.least)
        places = enough[enough < len(numbers.values) - 1]
        if len(places) > self.most:
            places = places[np.linspace(0, len(places) - 1, self.most).round().astype(int)]
        return places.astype(np.int32)


USUAL = Search()


def fits(numbers: Counted, search: Search) -> list[PowerLaw]:
    """The law of largest likelihood for the tail from each start on."""
    from weft.engine.tails import fit_tails  # noqa: PLC0415  compiled

    starts = search.starts(numbers)
    found = fit_tails(numbers.values, numbers.above, numbers.logs, starts)
    return [
        PowerLaw(float(a), float(numbers.values[at]), float(gap), int(numbers.above[at]))
        for at, (a, gap) in zip(starts.tolist(), found, strict=True)
    ]


def fit(numbers: Counted, search: Search = USUAL) -> PowerLaw | None:
    """The law that its own tail lies closest to; none where numbers are too few or all alike.

    Examples
    --------
    >>> law = fit(Counted.of([1] * 60 + [2] * 16 + [3] * 8 + [4] * 4 + [5] * 3))
    >>> law.start, round(law.exponent, 3)
    (1.0, 2.386)
    """
    return min(fits(numbers, search), key=lambda law: law.misfit, default=None)
