"""A bow-tie drawn to scale: every region has the area of its pages."""

from collections.abc import Iterator, Mapping
from math import pi, sqrt
from typing import NamedTuple

from weft.core.markup import Markup, tag
from weft.run.plots.paper import WIDTH, fill, sheet, words

COLUMN, MARGIN, TOP, ROOM = 132.0, 14.0, 40.0, 240.0
LONG, NARROW, WIDE = 0.95, 0.6, 1.4
WORDS = 40.0
BESIDE = ("tendrils in", "other", "disconnected", "tendrils out")
COLOURS = {
    "core": "one",
    "in": "three",
    "out": "two",
    "tubes": "four",
    "tendrils in": "three",
    "tendrils out": "two",
    "other": "five",
    "disconnected": "six",
}


class Sizes(NamedTuple):
    """How long each region is along the row, at one unit of area for a page."""

    core: float
    into: float
    out: float


def bow_tie_picture(pages: Mapping[str, int], title: str) -> Markup:
    """The regions with their sizes: in, core and out in a row, tubes below, then what hangs beside.

    One page has the same area everywhere, and the largest that the sheet has
    room for.
    """
    total = sum(pages.values())
    about = f"{title}: " + ", ".join(
        f"{name} {count:,} ({count / max(total, 1):.1%})" for name, count in pages.items()
    )
    if "core" not in pages or not total:
        return sheet(80, title, about, words(12, 52, "no core, no bow-tie", "soft"))
    unit = _unit(pages)
    row = _main(pages, unit, total)
    return sheet(row.height, title, about, *row.parts)


class Drawn(NamedTuple):
    """What was drawn, and how far down it reaches."""

    parts: list[Markup]
    height: float


def _unit(pages: Mapping[str, int]) -> float:
    """The area of one page, so that all fits: the row in width and height, and each square."""
    sides = {name: sqrt(count) for name, count in pages.items()}
    lengths = _lengths(pages, 1.0)
    tallest = max(lengths.core, WIDE / LONG * max(sides["in"], sides["out"]))
    wide = (WIDTH - 2 * MARGIN) / max(sum(lengths), 1e-9)
    below = max(*(sides[name] for name in BESIDE), 1e-9)
    return float(min(wide, ROOM / max(tallest, 1e-9), (COLUMN - 8) / below)) ** 2


def _lengths(pages: Mapping[str, int], unit: float) -> Sizes:
    core = 2 * sqrt(unit * pages["core"] / pi)
    return Sizes(core, *(LONG * sqrt(unit * pages[name]) for name in ("in", "out")))


def _main(pages: Mapping[str, int], unit: float, total: int) -> Drawn:
    """In, core and out, whose columns are as wide as their words at least."""
    lengths = _lengths(pages, unit)
    columns = [max(length, COLUMN) for length in (lengths.into, lengths.core, lengths.out)]
    spare = WIDTH - 2 * MARGIN - sum(columns)
    if spare < 0:
        columns = [max(c + spare, COLUMN) if c == max(columns) else c for c in columns]
    left = (WIDTH - sum(columns)) / 2
    middle = left + columns[0] + columns[1] / 2
    tall = max(lengths.core, WIDE / LONG**2 * max(lengths.into, lengths.out))
    y = TOP + tall / 2
    parts = [
        tag(
            "circle",
            cx=f"{middle:.1f}",
            cy=f"{y:.1f}",
            r=f"{lengths.core / 2:.2f}",
            **fill("one"),
        ),
        _wing(middle - lengths.core / 2 - 3, y, -lengths.into, "in"),
        _wing(middle + lengths.core / 2 + 3, y, lengths.out, "out"),
    ]
    base = TOP + tall + 16
    centres = (
        middle - lengths.core / 2 - max(lengths.into, COLUMN) / 2,
        middle,
        middle + lengths.core / 2 + max(lengths.out, COLUMN) / 2,
    )
    for name, at in zip(("in", "core", "out"), centres, strict=True):
        half = COLUMN / 2
        placed = min(max(at, MARGIN + half), WIDTH - MARGIN - half)
        parts += _named(name, pages[name], total, placed, base)
    tubes = _tubes(pages["tubes"], unit, total, base + WORDS)
    beside = _beside(pages, unit, total, tubes.height)
    return Drawn([*parts, *tubes.parts, *beside.parts], beside.height)


def _wing(x: float, y: float, length: float, name: str) -> Markup:
    """A wing that widens away from the core; its mean height makes its area that of its pages."""
    mean = abs(length) / LONG**2
    near, far = mean * NARROW / 2, mean * WIDE / 2
    path = (
        f"M{x:.1f} {y - near:.2f}L{x + length:.2f} {y - far:.2f}"
        f"V{y + far:.2f}L{x:.1f} {y + near:.2f}Z"
    )
    return tag("path", d=path, **fill(COLOURS[name]))


def _tubes(count: int, unit: float, total: int, y: float) -> Drawn:
    """A band from in to out, as high as its pages need."""
    wide = WIDTH - 2 * MARGIN - COLUMN
    high = count * unit / wide
    band = tag(
        "rect",
        x=f"{MARGIN + COLUMN / 2:.1f}",
        y=f"{y:.1f}",
        width=f"{wide:.1f}",
        height=f"{high:.3f}",
        **fill("four"),
    )
    named = _named("tubes", count, total, WIDTH / 2, y + high + 14)
    return Drawn([band, *named], y + high + WORDS + 14)


def _beside(pages: Mapping[str, int], unit: float, total: int, y: float) -> Drawn:
    """A square for each region that hangs beside, or apart."""
    sides = {name: sqrt(unit * pages[name]) for name in BESIDE}
    high = max(sides.values())
    step = (WIDTH - 2 * MARGIN) / len(BESIDE)
    parts = []
    for k, (name, side) in enumerate(sides.items()):
        at = MARGIN + step * (k + 0.5)
        place = {"x": f"{at - side / 2:.2f}", "y": f"{y + high - side:.2f}"}
        size = {"width": f"{side:.2f}", "height": f"{side:.2f}"}
        parts.append(tag("rect", **place, **size, **fill(COLOURS[name])))
        parts += _named(name, pages[name], total, at, y + high + 15)
    return Drawn(parts, y + high + WORDS + 10)


def _named(name: str, count: int, total: int, x: float, y: float) -> Iterator[Markup]:
    yield words(x, y, name, anchor="middle")
    yield words(x, y + 15, f"{count:,} ({count / total:.1%})", "soft", anchor="middle", size=11)
