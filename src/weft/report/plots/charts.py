"""Charts: scatter plots with lines on logarithmic axes, and bar charts."""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, dist, floor, log10
from typing import NamedTuple

import numpy as np

from weft.core.arrays import Floats
from weft.core.html import Markup, html_element, join_html
from weft.report.plots.svg import (
    COLOURS,
    DEFAULT_FRAME,
    SMALL_FONT_SIZE,
    Frame,
    Heading,
    fill_attributes,
    stroke_attributes,
    svg_document,
    svg_text,
)

MIN_POWER_TICKS = 3
LEFT, RIGHT_MARGIN, TOP, TITLE_HEIGHT = 62.0, 18.0, 76.0, 52.0
PLOT_HEIGHT, NARROW_PLOT_HEIGHT, AXIS_HEIGHT, LEGEND_ROW_HEIGHT = 286.0, 210.0, 54.0, 18.0
LETTER_WIDTH = 6.7
MIN_DOT_DISTANCE, MIN_TICK_DISTANCE, MARK_LABEL_HEIGHT = 3.5, 34.0, 15.0


class Axis(NamedTuple):
    """An axis that maps values from `low` to `high` to positions from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False
    max_ticks: int = 5
    unit: str = ""

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
        rough = (self.high - self.low) / self.max_ticks or 1.0
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


class ChartLabels(NamedTuple):
    """The texts of a chart; the description is for screen readers, the unit for ticks of y."""

    title: str
    x_label: str
    y_label: str
    description: str
    subtitle: str = ""
    y_unit: str = ""


def draw_axes(x: Axis, y: Axis, labels: ChartLabels) -> Iterator[Markup]:
    """Draw grid lines, tick values and labels of two axes."""
    for value in x.ticks():
        at = x.position(value)
        if x.logarithmic:
            yield _grid_line(at, y.start, at, y.end)
        yield svg_text(
            at, y.start + 15, format_tick(value), "soft", text_anchor="middle", size=SMALL_FONT_SIZE
        )
    for value in y.ticks():
        at = y.position(value)
        yield _grid_line(x.start, at, x.end, at)
        tick = format_tick(value) + y.unit
        yield svg_text(x.start - 6, at + 4, tick, "soft", text_anchor="end", size=SMALL_FONT_SIZE)
    yield svg_text(
        (x.start + x.end) / 2, y.start + 33, labels.x_label, "soft", text_anchor="middle"
    )
    yield svg_text(x.start, TOP - 9, labels.y_label, "soft")


def _grid_line(x1: float, y1: float, x2: float, y2: float) -> Markup:
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    positions = {name: f"{value:.1f}" for name, value in ends.items()}
    return html_element("line", **positions, **stroke_attributes("line"))


class Series(NamedTuple):
    """Points to draw as dots, or as a line with an SVG dash pattern.

    Dots with titles are elements of their own, with x as the key to link them by.
    """

    name: str
    x: Floats
    y: Floats
    colour: str
    as_dots: bool = False
    dash_pattern: str = ""
    titles: Sequence[str] = ()


class Mark(NamedTuple):
    """A value marked by a vertical line, with a label."""

    value: float
    label: str = ""


def draw_log_scatter(
    labels: ChartLabels,
    series: Sequence[Series],
    marks: Sequence[Mark] = (),
    frame: Frame = DEFAULT_FRAME,
) -> Markup:
    """Draw series on logarithmic axes, without values that are not positive.

    The range of the axes is that of the dots; lines are cut where they leave it.
    """
    positive = [kept for kept in map(_drop_nonpositive, series) if len(kept.x)]
    dots = [kept for kept in positive if kept.as_dots]
    if not dots:
        return _empty_chart(labels, frame)
    bottom = _plot_bottom(frame)
    x = _logarithmic_axis([kept.x for kept in dots], LEFT, frame.width - RIGHT_MARGIN)
    y = _logarithmic_axis([kept.y for kept in dots], bottom, TOP)._replace(unit=labels.y_unit)
    points = [
        join_html(_draw_dots(kept, x, y)) if kept.as_dots else _draw_line(kept, x, y)
        for kept in positive
    ]
    legend = _draw_legend(positive, frame.width, bottom + AXIS_HEIGHT)
    return _assemble_chart(labels, frame, (x, y), legend, *_draw_marks(marks, x, y), *points)


def draw_curves(
    labels: ChartLabels,
    series: Sequence[Series],
    spreads: Sequence[Floats] = (),
    frame: Frame = DEFAULT_FRAME,
) -> Markup:
    """Draw lines on linear axes that begin at zero, each with a band of its spread."""
    if not series or not len(series[0].x):
        return _empty_chart(labels, frame)
    spread_of = spreads or [np.zeros(1)] * len(series)
    pairs = list(zip(series, spread_of, strict=True))
    high = max(float((drawn.y + spread).max()) for drawn, spread in pairs)
    right = max(float(drawn.x.max()) for drawn in series)
    bottom = _plot_bottom(frame)
    x = Axis(0.0, right, LEFT, frame.width - RIGHT_MARGIN)
    y = Axis(0.0, high * 1.02 or 1.0, bottom, TOP)
    bands = [_draw_band(drawn, spread, x, y) for drawn, spread in pairs] if spreads else []
    lines = [_draw_line(drawn, x, y) for drawn in series]
    legend = _draw_legend(series, frame.width, bottom + AXIS_HEIGHT)
    return _assemble_chart(labels, frame, (x, y), legend, *bands, *lines)


def _draw_band(series: Series, spread: Floats, x: Axis, y: Axis) -> Markup:
    """The area between the line less its spread and the line plus it."""
    upper = zip(series.x.tolist(), (series.y + spread).tolist(), strict=True)
    lower = zip(series.x[::-1].tolist(), (series.y - spread)[::-1].tolist(), strict=True)
    points = [f"{x.position(a):.1f} {y.position(b):.1f}" for a, b in (*upper, *lower)]
    path = f"M{'L'.join(points)}Z"
    return html_element("path", d=path, fill_opacity="0.18", **fill_attributes(series.colour))


def _plot_bottom(frame: Frame) -> float:
    return TOP + (NARROW_PLOT_HEIGHT if frame.narrow else PLOT_HEIGHT)


def _logarithmic_axis(columns: Sequence[Floats], start: float, end: float) -> Axis:
    low = min(float(values.min()) for values in columns)
    high = max(float(values.max()) for values in columns)
    return Axis(low, high * 1.02, start, end, logarithmic=True)


def draw_bars(
    labels: ChartLabels, bars: Series, marks: Sequence[Mark] = (), frame: Frame = DEFAULT_FRAME
) -> Markup:
    """Draw a bar for each value of x, from zero up."""
    x, y = bars.x, bars.y
    if not len(x) or not float(y.max(initial=0)):
        return _empty_chart(labels, frame)
    left, right, bottom = LEFT, frame.width - RIGHT_MARGIN, _plot_bottom(frame)
    span = float(x.max() - x.min()) + 1.2
    max_ticks = min(ceil(span) + 1, int((right - left) / MIN_TICK_DISTANCE))
    x_axis = Axis(float(x.min()) - 0.6, float(x.max()) + 0.6, left, right, max_ticks=max_ticks)
    top = TOP + MARK_LABEL_HEIGHT * len(marks)
    y_axis = Axis(0.0, float(y.max()) * 1.05, bottom, top, unit=labels.y_unit)
    width = max(0.8 * (x_axis.position(x.min() + 1) - x_axis.position(x.min())), 1.0)
    drawn = [
        html_element(
            "rect",
            html_element("title", title),
            x=f"{x_axis.position(at) - width / 2:.1f}",
            y=f"{y_axis.position(value):.1f}",
            width=f"{width:.1f}",
            height=f"{bottom - y_axis.position(value):.2f}",
            **fill_attributes(bars.colour),
        )
        for at, value, title in zip(x.tolist(), y.tolist(), bars.titles, strict=True)
    ]
    axes = (x_axis, y_axis)
    return _assemble_chart(labels, frame, axes, [], *drawn, *_draw_marks(marks, *axes))


def _assemble_chart(
    labels: ChartLabels,
    frame: Frame,
    axes: tuple[Axis, Axis],
    legend: Sequence[Markup],
    *parts: Markup,
) -> Markup:
    """Put axes, contents and the rows of a legend into a document."""
    height = axes[1].start + AXIS_HEIGHT - 8 + LEGEND_ROW_HEIGHT * len(legend)
    drawn = draw_axes(*axes, labels)
    return svg_document(frame, height, TITLE_HEIGHT, _heading(labels), *drawn, *parts, *legend)


def _heading(labels: ChartLabels) -> Heading:
    return Heading(labels.title, labels.description, labels.subtitle)


def _empty_chart(labels: ChartLabels, frame: Frame) -> Markup:
    message = svg_text(12, 62, "nothing to draw", "soft")
    return svg_document(frame, 80, 44, _heading(labels._replace(subtitle="")), message)


def _drop_nonpositive(series: Series) -> Series:
    positive = (series.x > 0) & (series.y > 0)
    titles = [series.titles[k] for k in np.flatnonzero(positive).tolist()] if series.titles else ()
    return series._replace(x=series.x[positive], y=series.y[positive], titles=titles)


def _draw_dots(series: Series, x: Axis, y: Axis) -> Iterator[Markup]:
    """Draw dots: without titles as one path, with titles as elements that do not overlap."""
    points = [
        (round(x.position(a), 1), round(y.position(b), 1))
        for a, b in zip(series.x, series.y, strict=True)
    ]
    if not series.titles:
        path = join_html([f"M{a:g} {b:g}h0" for a, b in sorted(set(points))])
        yield html_element(
            "path", d=path, stroke_linecap="round", **stroke_attributes(series.colour, 4.5)
        )
        return
    for k in _separate_points(points):
        yield html_element(
            "a",
            html_element("title", series.titles[k]),
            html_element(
                "circle",
                cx=f"{points[k][0]:g}",
                cy=f"{points[k][1]:g}",
                r="2.6",
                **fill_attributes(series.colour),
            ),
            data_key=f"{series.x[k]:.0f}",
            tabindex="-1",
        )


def _separate_points(points: Sequence[tuple[float, float]]) -> list[int]:
    """The first point, those not too close to the one kept before, and the last."""
    kept = [0]
    for k in range(1, len(points)):
        if dist(points[k], points[kept[-1]]) >= MIN_DOT_DISTANCE or k == len(points) - 1:
            kept.append(k)
    return kept


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


def _draw_marks(marks: Sequence[Mark], x: Axis, y: Axis) -> Iterator[Markup]:
    """Draw marks; each label is on a line of its own above the plot, towards its middle."""
    labels = []
    for k, mark in enumerate(marks):
        at, top, line = x.position(mark.value), y.end, stroke_attributes("soft")
        if mark.label:
            top -= MARK_LABEL_HEIGHT * (len(marks) - k)
            line = stroke_attributes("t2", 1.5)
            labels.append(_mark_label(mark.label, at, top + 10, leftwards=at > 0.6 * x.end))
        yield html_element(
            "path", d=f"M{at:.1f} {y.start:.1f}V{top:.1f}", stroke_dasharray="3 3", **line
        )
    yield from labels


def _mark_label(text: str, x: float, y: float, *, leftwards: bool) -> Markup:
    side, anchor = (-5, "end") if leftwards else (5, "start")
    halo = {"stroke": COLOURS["ground"], "stroke_width": "4", "paint_order": "stroke"}
    return svg_text(x + side, y, text, size=11, text_anchor=anchor, font_weight="600", **halo)


def _draw_legend(series: Iterable[Series], width: float, top: float) -> list[Markup]:
    """Draw the names of series with a sample of each, in as many rows as the width needs."""
    rows: list[list[Markup]] = [[]]
    at = LEFT
    for named in (labelled for labelled in series if labelled.name):
        sample, stroke_width, room = ("h0", 4.5, 9) if named.as_dots else ("h18", 2.0, 24)
        needed = room + LETTER_WIDTH * len(named.name) + 16
        if rows[-1] and at + needed - 16 > width:
            rows.append([])
            at = LEFT
        y = top + LEGEND_ROW_HEIGHT * (len(rows) - 1)
        rows[-1] += [
            html_element(
                "path",
                d=f"M{at:g} {y - 4:g}{sample}",
                stroke_dasharray=named.dash_pattern,
                stroke_linecap="round" if named.as_dots else "",
                **stroke_attributes(named.colour, stroke_width),
            ),
            svg_text(at + room, y, named.name, "soft"),
        ]
        at += needed
    return [join_html(row) for row in rows if row]
