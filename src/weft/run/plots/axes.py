"""Axes: from values to places, and the values that are written beside them."""

from collections.abc import Iterator
from math import ceil, floor, log10
from typing import NamedTuple

from weft.core.markup import Markup, tag
from weft.run.plots.paper import SMALL, stroke, words

FEW = 3


class Axis(NamedTuple):
    """A stretch from `start` to `end` for values from `low` to `high`, or for their logarithms."""

    low: float
    high: float
    start: float
    end: float
    logs: bool = False

    def at(self, value: float) -> float:
        """The place of a value; one below the lowest is at the start."""
        low, high, value = (self._scaled(x) for x in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)

    def ticks(self) -> list[float]:
        """The values to write down: round numbers; of logarithms powers of ten, and more if few.

        Examples
        --------
        >>> Axis(1, 5000, 0, 100, logs=True).ticks()
        [1.0, 10.0, 100.0, 1000.0]
        >>> Axis(30, 250, 0, 100, logs=True).ticks()
        [50.0, 100.0, 200.0]
        >>> Axis(0, 7, 0, 100).ticks()
        [0.0, 2.0, 4.0, 6.0]
        """
        if self.logs:
            first, last = ceil(log10(self.low) - 1e-9), floor(log10(self.high) + 1e-9)
            if last - first >= FEW - 1:
                step = max(1, ceil((last - first) / 7))
                return [10.0**power for power in range(first, last + 1, step)]
            near = [k * 10.0**power for power in range(first - 1, last + 1) for k in (1, 2, 5)]
            return [value for value in near if self.low <= value * (1 + 1e-9) <= self.high]
        round_step = self._step()
        first = ceil(self.low / round_step - 1e-9)
        return [k * round_step for k in range(first, floor(self.high / round_step + 1e-9) + 1)]

    def _scaled(self, value: float) -> float:
        return log10(max(value, self.low)) if self.logs else value

    def _step(self) -> float:
        rough = (self.high - self.low) / 5 or 1.0
        power: float = 10.0 ** floor(log10(rough))
        return next(k * power for k in (1, 2, 5, 10) if k * power >= rough * 0.999)


def written(value: float) -> str:
    """A value as it stands beside an axis.

    Examples
    --------
    >>> written(1000), written(1e-5), written(0.25), written(1e7)
    ('1,000', '10⁻⁵', '0.25', '10⁷')
    """
    if value and (abs(value) < 1e-3 or abs(value) >= 1e6):
        power = round(log10(abs(value)))
        if abs(value / 10.0**power - 1) < 1e-9:
            return "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"{value:.0e}" if abs(value) < 1e-3 else f"{value / 1e6:g} M"
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def frame(x: Axis, y: Axis, below: str, beside: str) -> Iterator[Markup]:
    """Lines and values of two axes, and what they measure; y begins at the bottom."""
    for value in x.ticks():
        at = x.at(value)
        yield _line(at, y.start, at, y.end)
        yield words(at, y.start + 15, written(value), "soft", anchor="middle", size=SMALL)
    for value in y.ticks():
        at = y.at(value)
        yield _line(x.start, at, x.end, at)
        yield words(x.start - 6, at + 4, written(value), "soft", anchor="end", size=SMALL)
    yield words((x.start + x.end) / 2, y.start + 33, below, "soft", anchor="middle")
    yield words(x.start, y.end - 9, beside, "soft")


def _line(x1: float, y1: float, x2: float, y2: float) -> Markup:
    places = zip(("x1", "y1", "x2", "y2"), (x1, y1, x2, y2), strict=True)
    return tag("line", **{name: f"{at:.1f}" for name, at in places}, **stroke("line"))
