"""Charts: scatter plots with lines on logarithmic axes, and bar charts."""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np

from weft.core.arrays import Floats
from weft.core.html import Markup, html_element, join_html
from weft.report.plots.svg import (
    SMALL_FONT_SIZE,
    WIDTH,
    fill_attributes,
    stroke_attributes,
    svg_document,
    svg_text,
)

MIN_POWER_TICKS = 3
HEIGHT = 430.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, WIDTH - 18, 76.0, HEIGHT - 68
LETTER_WIDTH = 6.7


class Axis(NamedTuple):
    """An axis that maps values from `low` to `high` to positions from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def position(self, value: float) -> float:
        """The position of a value; values outside of the range are clipped."""
        low, high, value = (self._scale(x) for x in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)

    def ticks(self) -> list[float]:
        """The values of the ticks: round numbers; on a logarithmic axis powers of ten, or 1-2-5.

        Examples
        --------
        >>> Axis(1, 5000, 0, 100, logarithmic=True).ticks()
        [1.0, 10.0, 100.0, 1000.0]
        >>> Axis(30, 250, 0, 100, logarithmic=True).ticks()
        [50.0, 100.0, 200.0]
        >>> Axis(0, 7, 0, 100).ticks()
        [0.0, 2.0, 4.0, 6.0]
        """
        if self.logarithmic:
            first, last = ceil(log10(self.low) - 1e-9), floor(log10(self.high) + 1e-9)
            if last - first >= MIN_POWER_TICKS - 1:
                stride = max(1, ceil((last - first) / 7))
                return [10.0**power for power in range(first, last + 1, stride)]
            values = [k * 10.0**power for power in range(first - 1, last + 1) for k in (1, 2, 5)]
            return [value for value in values if self.low <= value * (1 + 1e-9) <= self.high]
        step = self._tick_step()
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]

    def _scale(self, value: float) -> float:
        return log10(max(value, self.low)) if self.logarithmic else value

    def _tick_step(self) -> float:
        rough = (self.high - self.low) / 5 or 1.0
        power: float = 10.0 ** floor(log10(rough))
        return next(k * power for k in (1, 2, 5, 10) if k * power >= rough * 0.999)


def format_tick(value: float) -> str:
    """Format the value of a tick.

    Examples
    --------
    >>> format_tick(1000), format_tick(1e-5), format_tick(0.25), format_tick(1e7)
    ('1,000', '10⁻⁵', '0.25', '10⁷')
    """
    if value and (abs(value) < 1e-3 or abs(value) >= 1e6):
        power = round(log10(abs(value)))
        if abs(value / 10.0**power - 1) < 1e-9:
            return "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"{value:.0e}" if abs(value) < 1e-3 else f"{value / 1e6:g} M"
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def draw_axes(x: Axis, y: Axis, x_label: str, y_label: str) -> Iterator[Markup]:
    """Draw grid lines, tick values and labels of two axes."""
    for value in x.ticks():
        at = x.position(value)
        yield _grid_line(at, y.start, at, y.end)
        yield svg_text(
            at, y.start + 15, format_tick(value), "soft", anchor="middle", size=SMALL_FONT_SIZE
        )
    for value in y.ticks():
        at = y.position(value)
        yield _grid_line(x.start, at, x.end, at)
        yield svg_text(
            x.start - 6, at + 4, format_tick(value), "soft", anchor="end", size=SMALL_FONT_SIZE
        )
    yield svg_text((x.start + x.end) / 2, y.start + 33, x_label, "soft", anchor="middle")
    yield svg_text(x.start, y.end - 9, y_label, "soft")


def _grid_line(x1: float, y1: float, x2: float, y2: float) -> Markup:
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    positions = {name: f"{value:.1f}" for name, value in ends.items()}
    return html_element("line", **positions, **stroke_attributes("line"))


class Series(NamedTuple):
    """Points to draw as dots, or as a line with an SVG dash pattern."""

    name: str
    x: Floats
    y: Floats
    colour: str
    as_dots: bool = False
    dash_pattern: str = ""


class ChartLabels(NamedTuple):
    """The texts of a chart; the description is for screen readers."""

    title: str
    x_label: str
    y_label: str
    description: str
    subtitle: str = ""


def draw_log_scatter(
    labels: ChartLabels, series: Sequence[Series], vertical_lines: Sequence[float] = ()
) -> Markup:
    """Draw series on logarithmic axes, without values that are not positive.

    The range of the axes is that of the dots; lines are cut where they leave it.
    """
    positive = [kept for kept in map(_drop_nonpositive, series) if len(kept.x)]
    dots = [kept for kept in positive if kept.as_dots]
    if not dots:
        return _empty_chart(labels)
    x = _logarithmic_axis([kept.x for kept in dots], LEFT, RIGHT)
    y = _logarithmic_axis([kept.y for kept in dots], BOTTOM, TOP)
    marks = [_vertical_line(x.position(value), y) for value in vertical_lines]
    points = [
        _draw_dots(kept, x, y) if kept.as_dots else _draw_line(kept, x, y) for kept in positive
    ]
    return _assemble_chart(labels, x, y, *marks, *points, _draw_legend(positive))


def _logarithmic_axis(columns: Sequence[Floats], start: float, end: float) -> Axis:
    low = min(float(values.min()) for values in columns)
    high = max(float(values.max()) for values in columns)
    return Axis(low, high * 1.02, start, end, logarithmic=True)


def draw_bars(
    labels: ChartLabels, x: Floats, y: Floats, vertical_lines: Sequence[float] = ()
) -> Markup:
    """Draw a bar for each value of x, from zero up."""
    if not len(x) or not float(y.max(initial=0)):
        return _empty_chart(labels)
    x_axis = Axis(float(x.min()) - 0.6, float(x.max()) + 0.6, LEFT, RIGHT)
    y_axis = Axis(0.0, float(y.max()) * 1.05, BOTTOM, TOP)
    width = max(0.8 * (x_axis.position(x.min() + 1) - x_axis.position(x.min())), 1.0)
    bars = [
        html_element(
            "rect",
            x=f"{x_axis.position(at) - width / 2:.1f}",
            y=f"{y_axis.position(value):.1f}",
            width=f"{width:.1f}",
            height=f"{BOTTOM - y_axis.position(value):.2f}",
            **fill_attributes("one"),
        )
        for at, value in zip(x.tolist(), y.tolist(), strict=True)
    ]
    marks = [_vertical_line(x_axis.position(value), y_axis) for value in vertical_lines]
    return _assemble_chart(labels, x_axis, y_axis, *bars, *marks)


def _assemble_chart(labels: ChartLabels, x: Axis, y: Axis, *parts: Markup) -> Markup:
    subtitle = svg_text(12, 41, labels.subtitle, "soft")
    axes = draw_axes(x, y, labels.x_label, labels.y_label)
    return svg_document(HEIGHT, labels.title, labels.description, subtitle, *axes, *parts)


def _empty_chart(labels: ChartLabels) -> Markup:
    message = svg_text(12, 52, "nothing to draw", "soft")
    return svg_document(80, labels.title, labels.description, message)


def _drop_nonpositive(series: Series) -> Series:
    positive = (series.x > 0) & (series.y > 0)
    return series._replace(x=series.x[positive], y=series.y[positive])


def _draw_dots(series: Series, x: Axis, y: Axis) -> Markup:
    """Draw a dot for each point, one for points at the same position."""
    positions = {
        (round(x.position(a), 1), round(y.position(b), 1))
        for a, b in zip(series.x, series.y, strict=True)
    }
    path = join_html([f"M{a:g} {b:g}h0" for a, b in sorted(positions)])
    return html_element(
        "path", d=path, stroke_linecap="round", **stroke_attributes(series.colour, 4.5)
    )


def _draw_line(series: Series, x: Axis, y: Axis) -> Markup:
    inside = (series.y >= y.low) & (series.x <= x.high)
    last = int(np.flatnonzero(inside).max(initial=0)) + 1
    points = [
        f"{x.position(a):.1f} {y.position(b):.1f}"
        for a, b in zip(series.x[:last].tolist(), series.y[:last].tolist(), strict=True)
    ]
    path = "M" + "L".join(points)
    return html_element(
        "path", d=path, stroke_dasharray=series.dash_pattern, **stroke_attributes(series.colour, 2)
    )


def _vertical_line(x: float, y: Axis) -> Markup:
    path = f"M{x:.1f} {y.start:.1f}V{y.end:.1f}"
    return html_element("path", d=path, stroke_dasharray="2 3", **stroke_attributes("soft"))


def _draw_legend(series: Iterable[Series]) -> Markup:
    """Draw the names of series with a sample of each, in a line at the bottom."""
    parts, at, y = [], LEFT, HEIGHT - 14
    for named in (labelled for labelled in series if labelled.name):
        length, width = ("h0", 4.5) if named.as_dots else ("h18", 2.0)
        parts.append(
            html_element(
                "path",
                d=f"M{at:g} {y - 4:g}{length}",
                stroke_dasharray=named.dash_pattern,
                stroke_linecap="round" if named.as_dots else "",
                **stroke_attributes(named.colour, width),
            )
        )
        at += 9 if named.as_dots else 24
        parts.append(svg_text(at, y, named.name, "soft"))
        at += LETTER_WIDTH * len(named.name) + 16
    return join_html(parts)
