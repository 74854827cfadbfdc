"""The two charts that numbers need: dots and lines on axes of logarithms, and bars."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from weft.core.arrays import Floats
from weft.core.markup import Markup, join, tag
from weft.run.plots.axes import Axis, frame
from weft.run.plots.paper import WIDTH, fill, sheet, stroke, words

HEIGHT = 430.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, WIDTH - 18, 76.0, HEIGHT - 68
LETTER = 6.7


class Series(NamedTuple):
    """Points that are drawn as dots, or as a line; `dashes` as SVG has them."""

    name: str
    x: Floats
    y: Floats
    colour: str
    dots: bool = False
    dashes: str = ""


class Labels(NamedTuple):
    """What a chart is called, what its axes measure, the whole in words, and a line below."""

    title: str
    below: str
    beside: str
    about: str
    told: str = ""


def scatter(labels: Labels, series: Sequence[Series], marks: Sequence[float] = ()) -> Markup:
    """Series on axes of logarithms; values that have none are left out, `marks` are upright lines.

    The axes are those of the dots. Where lines leave them, they are cut.
    """
    kept = [_positive(one) for one in series]
    dots = [one for one in kept if one.dots and len(one.x)]
    if not dots:
        return sheet(80, labels.title, labels.about, words(12, 52, "nothing to draw", "soft"))
    x, y = (
        Axis(
            min(float(values.min()) for values in of),
            max(float(values.max()) for values in of) * 1.02,
            *ends,
            logs=True,
        )
        for of, ends in (
            ([one.x for one in dots], (LEFT, RIGHT)),
            ([one.y for one in dots], (BOTTOM, TOP)),
        )
    )
    drawn = [_dots(one, x, y) if one.dots else _curve(one, x, y) for one in kept if len(one.x)]
    upright = [_upright(x.at(at), y) for at in marks]
    lines = frame(x, y, labels.below, labels.beside)
    key = _key([one for one in kept if len(one.x)])
    told = words(12, 41, labels.told, "soft")
    return sheet(HEIGHT, labels.title, labels.about, told, *lines, *upright, *drawn, key)


def bars(labels: Labels, x: Floats, y: Floats, marks: Sequence[float] = ()) -> Markup:
    """A bar for each value of x, from zero up."""
    if not len(x) or not float(y.max(initial=0)):
        return sheet(80, labels.title, labels.about, words(12, 52, "nothing to draw", "soft"))
    across = Axis(float(x.min()) - 0.6, float(x.max()) + 0.6, LEFT, RIGHT)
    up = Axis(0.0, float(y.max()) * 1.05, BOTTOM, TOP)
    wide = max(0.8 * (across.at(x.min() + 1) - across.at(x.min())), 1.0)
    drawn = [
        tag(
            "rect",
            x=f"{across.at(at) - wide / 2:.1f}",
            y=f"{up.at(value):.1f}",
            width=f"{wide:.1f}",
            height=f"{BOTTOM - up.at(value):.2f}",
            **fill("one"),
        )
        for at, value in zip(x.tolist(), y.tolist(), strict=True)
    ]
    upright = [_upright(across.at(at), up) for at in marks]
    lines = frame(across, up, labels.below, labels.beside)
    told = words(12, 41, labels.told, "soft")
    return sheet(HEIGHT, labels.title, labels.about, told, *lines, *drawn, *upright)


def _positive(one: Series) -> Series:
    held = (one.x > 0) & (one.y > 0)
    return one._replace(x=one.x[held], y=one.y[held])


def _dots(one: Series, x: Axis, y: Axis) -> Markup:
    """A dot for each point, once for those that fall on the same place."""
    places = {(round(x.at(a), 1), round(y.at(b), 1)) for a, b in zip(one.x, one.y, strict=True)}
    path = join([f"M{a:g} {b:g}h0" for a, b in sorted(places)])
    return tag("path", d=path, stroke_linecap="round", **stroke(one.colour, 4.5))


def _curve(one: Series, x: Axis, y: Axis) -> Markup:
    inside = (one.y >= y.low) & (one.x <= x.high)
    last = int(np.flatnonzero(inside).max(initial=0)) + 1
    points = [
        f"{x.at(a):.1f} {y.at(b):.1f}"
        for a, b in zip(one.x[:last].tolist(), one.y[:last].tolist(), strict=True)
    ]
    path = "M" + "L".join(points)
    return tag("path", d=path, stroke_dasharray=one.dashes, **stroke(one.colour, 2))


def _upright(at: float, y: Axis) -> Markup:
    path = f"M{at:.1f} {y.start:.1f}V{y.end:.1f}"
    return tag("path", d=path, stroke_dasharray="2 3", **stroke("soft"))


def _key(series: Iterable[Series]) -> Markup:
    """The names of series with a piece of each, in a line at the foot."""
    parts, at, y = [], LEFT, HEIGHT - 14
    for one in series:
        if not one.name:
            continue
        piece, wide = ("h0", 4.5) if one.dots else ("h18", 2.0)
        drawn = stroke(one.colour, wide)
        parts.append(
            tag(
                "path",
                d=f"M{at:g} {y - 4:g}{piece}",
                stroke_dasharray=one.dashes,
                stroke_linecap="round" if one.dots else "",
                **drawn,
            )
        )
        at += 9 if one.dots else 24
        parts.append(words(at, y, one.name, "soft"))
        at += LETTER * len(one.name) + 16
    return join(parts)
