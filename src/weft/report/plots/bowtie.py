"""The bow-tie drawn to scale: the area of each region is proportional to its pages."""

from collections.abc import Iterator, Mapping
from math import pi, sqrt
from typing import NamedTuple

from weft.core.html import Markup, html_element
from weft.report.plots.svg import WIDTH, fill_attributes, svg_document, svg_text

MIN_COLUMN_WIDTH, MARGIN, TOP_MARGIN, MAX_ROW_HEIGHT = 132.0, 14.0, 40.0, 240.0
WING_LENGTH, WING_INNER_HEIGHT, WING_OUTER_HEIGHT = 0.95, 0.6, 1.4
LABEL_HEIGHT = 40.0
OUTER_REGIONS = ("tendrils in", "other", "disconnected", "tendrils out")
REGION_COLOURS = {
    "core": "one",
    "in": "three",
    "out": "two",
    "tubes": "four",
    "tendrils in": "three",
    "tendrils out": "two",
    "other": "five",
    "disconnected": "six",
}


class RegionLengths(NamedTuple):
    """The lengths of core, in and out along the row."""

    core: float
    in_: float
    out: float


def draw_bow_tie(region_sizes: Mapping[str, int], title: str) -> Markup:
    """Draw in, core and out in a row, tubes below, and the outer regions below these.

    A page has the same area in all regions, the largest for which all fits.
    """
    total = sum(region_sizes.values())
    sizes = [f"{name} {_format_size(count, total)}" for name, count in region_sizes.items()]
    description = f"{title}: {', '.join(sizes)}"
    if "core" not in region_sizes or not total:
        message = svg_text(12, 52, "no core, no bow-tie", "soft")
        return svg_document(80, title, description, message)
    regions = _draw_regions(region_sizes, _area_per_page(region_sizes), total)
    return svg_document(regions.bottom, title, description, *regions.parts)


class SvgFragment(NamedTuple):
    """Elements of a drawing, and the y at which it ends."""

    parts: list[Markup]
    bottom: float


def _area_per_page(region_sizes: Mapping[str, int]) -> float:
    """The largest area of a page for which the row and each square below fit."""
    sides = {name: sqrt(count) for name, count in region_sizes.items()}
    lengths = _region_lengths(region_sizes, 1.0)
    tallest = max(lengths.core, WING_OUTER_HEIGHT / WING_LENGTH * max(sides["in"], sides["out"]))
    by_width = (WIDTH - 2 * MARGIN) / max(sum(lengths), 1e-9)
    by_height = MAX_ROW_HEIGHT / max(tallest, 1e-9)
    by_squares = (MIN_COLUMN_WIDTH - 8) / max(*(sides[name] for name in OUTER_REGIONS), 1e-9)
    return float(min(by_width, by_height, by_squares)) ** 2


def _region_lengths(region_sizes: Mapping[str, int], page_area: float) -> RegionLengths:
    diameter = 2 * sqrt(page_area * region_sizes["core"] / pi)  # area = pi r^2
    wings = (WING_LENGTH * sqrt(page_area * region_sizes[name]) for name in ("in", "out"))
    return RegionLengths(diameter, *wings)


def _draw_regions(region_sizes: Mapping[str, int], page_area: float, total: int) -> SvgFragment:
    """Draw all regions; the columns of in, core and out are at least as wide as their labels."""
    lengths = _region_lengths(region_sizes, page_area)
    columns = [max(length, MIN_COLUMN_WIDTH) for length in (lengths.in_, lengths.core, lengths.out)]
    spare = WIDTH - 2 * MARGIN - sum(columns)
    if spare < 0:
        columns = [max(c + spare, MIN_COLUMN_WIDTH) if c == max(columns) else c for c in columns]
    left = (WIDTH - sum(columns)) / 2
    middle = left + columns[0] + columns[1] / 2
    height = max(lengths.core, WING_OUTER_HEIGHT / WING_LENGTH**2 * max(lengths.in_, lengths.out))
    y = TOP_MARGIN + height / 2
    parts = [
        html_element(
            "circle",
            cx=f"{middle:.1f}",
            cy=f"{y:.1f}",
            r=f"{lengths.core / 2:.2f}",
            **fill_attributes("one"),
        ),
        _draw_wing(middle - lengths.core / 2 - 3, y, -lengths.in_, "in"),
        _draw_wing(middle + lengths.core / 2 + 3, y, lengths.out, "out"),
    ]
    label_y = TOP_MARGIN + height + 16
    centres = (
        middle - lengths.core / 2 - max(lengths.in_, MIN_COLUMN_WIDTH) / 2,
        middle,
        middle + lengths.core / 2 + max(lengths.out, MIN_COLUMN_WIDTH) / 2,
    )
    for name, centre in zip(("in", "core", "out"), centres, strict=True):
        half = MIN_COLUMN_WIDTH / 2
        x = min(max(centre, MARGIN + half), WIDTH - MARGIN - half)  # inside the margins
        parts += _region_label(name, region_sizes[name], total, x, label_y)
    tubes = _draw_tubes(region_sizes["tubes"], page_area, total, label_y + LABEL_HEIGHT)
    outer = _draw_outer_regions(region_sizes, page_area, total, tubes.bottom)
    return SvgFragment([*parts, *tubes.parts, *outer.parts], outer.bottom)


def _draw_wing(x: float, y: float, length: float, region: str) -> Markup:
    """A trapezium that widens away from the core; its area is length times mean height."""
    mean = abs(length) / WING_LENGTH**2
    near, far = mean * WING_INNER_HEIGHT / 2, mean * WING_OUTER_HEIGHT / 2
    path = (
        f"M{x:.1f} {y - near:.2f}L{x + length:.2f} {y - far:.2f}"
        f"V{y + far:.2f}L{x:.1f} {y + near:.2f}Z"
    )
    return html_element("path", d=path, **fill_attributes(REGION_COLOURS[region]))


def _draw_tubes(count: int, page_area: float, total: int, y: float) -> SvgFragment:
    """A band below the row, as high as its pages need."""
    width = WIDTH - 2 * MARGIN - MIN_COLUMN_WIDTH
    height = count * page_area / width
    band = html_element(
        "rect",
        x=f"{MARGIN + MIN_COLUMN_WIDTH / 2:.1f}",
        y=f"{y:.1f}",
        width=f"{width:.1f}",
        height=f"{height:.3f}",
        **fill_attributes("four"),
    )
    label = _region_label("tubes", count, total, WIDTH / 2, y + height + 14)
    return SvgFragment([band, *label], y + height + LABEL_HEIGHT + 14)


def _draw_outer_regions(
    region_sizes: Mapping[str, int], page_area: float, total: int, y: float
) -> SvgFragment:
    """A square for each region outside in, core, out and tubes."""
    sides = {name: sqrt(page_area * region_sizes[name]) for name in OUTER_REGIONS}
    height = max(sides.values())
    step = (WIDTH - 2 * MARGIN) / len(OUTER_REGIONS)
    parts = []
    for k, (name, side) in enumerate(sides.items()):
        centre = MARGIN + step * (k + 0.5)
        position = {"x": f"{centre - side / 2:.2f}", "y": f"{y + height - side:.2f}"}
        size = {"width": f"{side:.2f}", "height": f"{side:.2f}"}
        colour = fill_attributes(REGION_COLOURS[name])
        parts.append(html_element("rect", **position, **size, **colour))
        parts += _region_label(name, region_sizes[name], total, centre, y + height + 15)
    return SvgFragment(parts, y + height + LABEL_HEIGHT + 10)


def _region_label(region: str, count: int, total: int, x: float, y: float) -> Iterator[Markup]:
    yield svg_text(x, y, region, anchor="middle")
    yield svg_text(x, y + 15, _format_size(count, total), "soft", anchor="middle", size=11)


def _format_size(count: int, total: int) -> str:
    return f"{count:,} ({count / max(total, 1):.1%})"
