"""The bow-tie drawn to scale: the area of each region is proportional to its pages."""

from collections.abc import Iterator, Mapping
from math import pi, sqrt
from textwrap import wrap
from typing import Any, NamedTuple

from weft.core.html import Markup, html_element
from weft.core.text import format_share, pluralise
from weft.report.plots.svg import (
    COLOURS,
    DEFAULT_FRAME,
    FONT_SIZE,
    SMALL_FONT_SIZE,
    Frame,
    Heading,
    svg_document,
    svg_text,
)
from weft.structure.bowtie import REGIONS

OUTER_REGIONS = ("tendrils in", "tubes", "tendrils out", "other", "disconnected")
REGION_COLOURS = {
    "core": "t1",
    "in": "t3",
    "out": "t2",
    "tubes": "t4",
    "tendrils in": "t9",
    "tendrils out": "t8",
    "other": "t5",
    "disconnected": "t10",
}
# half the height of a wing at the core, at its bend and at its end, as shares of its length
WING_START, WING_BEND, WING_END = 0.22, 0.26, 0.72
WING_AREA = 2 * (WING_START + WING_BEND + WING_END) / 3
SIDE_MARGIN, GAP, TOP, ROW_GAP, LABEL_HEIGHT = 84.0, 6.0, 46.0, 40.0, 40.0
MAX_HEIGHT, MAX_COLUMN_WIDTH, MIN_RADIUS = 340.0, 96.0, 4.0
MIN_INNER_WING, MIN_INNER_RADIUS = 82.0, 30.0
LABEL_LETTER_WIDTH, NOTE_LETTER_WIDTH = 6.8, 6.0


class Circle(NamedTuple):
    """The core, or a region outside of the wings."""

    region: str
    x: float
    y: float
    radius: float


class Wing(NamedTuple):
    """In or out: `x` is its end at the core; `length` is negative if it points left."""

    region: str
    x: float
    y: float
    length: float

    @property
    def foot(self) -> tuple[float, float]:
        """Where lines to outer regions start."""
        return self.x + 0.8 * self.length, self.y + 0.53 * abs(self.length)


class BowTieLayout(NamedTuple):
    """Where regions are; `enlarged` are those too small to be seen to scale."""

    core: Circle
    wings: list[Wing]
    outer: list[Circle]
    enlarged: list[str]
    bottom: float


def draw_bow_tie(
    region_sizes: Mapping[str, int], title: str, level: str = "page", frame: Frame = DEFAULT_FRAME
) -> Markup:
    """Draw in, core and out in a row, and the outer regions as circles below.

    A page has the same area in all regions, the largest for which all fits;
    regions that would be too small to be seen are drawn larger.
    """
    total = sum(region_sizes.values())
    sizes = [
        f"{name} {count:,} ({format_share(count / max(total, 1))})"
        for name, count in region_sizes.items()
    ]
    heading = Heading(title, f"{title}: {', '.join(sizes)}")
    if "core" not in region_sizes or not total:
        message = svg_text(12, 52, "no core, no bow-tie", "soft")
        return svg_document(frame, 80, 34, heading, message)
    layout = lay_out_bow_tie(region_sizes, frame.width)
    labels = {
        name: f"{name.capitalize()} {pluralise(count, level)}, {format_share(count / total)},"
        f" {REGIONS[name]}"
        for name, count in region_sizes.items()
    }
    shapes: list[Wing | Circle] = [*layout.wings, layout.core, *layout.outer]
    parts = [
        *_draw_connectors(layout),
        *(
            _draw_region(shape, region_sizes[shape.region], labels[shape.region], frame)
            for shape in shapes
        ),
    ]
    note = f"Drawn larger than to scale: {', '.join(layout.enlarged)}." if layout.enlarged else ""
    lines = wrap(note, int(frame.width / NOTE_LETTER_WIDTH))
    for k, line in enumerate(lines):
        parts.append(svg_text(12, layout.bottom + 10 + 14 * k, line, "soft", SMALL_FONT_SIZE))
    height = layout.bottom + 6 + 14 * len(lines)
    return svg_document(frame, height, TOP - 10, heading, *parts)


def lay_out_bow_tie(region_sizes: Mapping[str, int], width: float) -> BowTieLayout:
    """Place the regions; those without pages are left out."""
    # lengths and radii for an area of one per page
    wings = {name: sqrt(region_sizes[name] / WING_AREA) for name in ("in", "out")}
    core = sqrt(region_sizes["core"] / pi)
    radii = {name: sqrt(region_sizes[name] / pi) for name in OUTER_REGIONS if region_sizes[name]}
    column = min(MAX_COLUMN_WIDTH, width / max(len(radii), 1))
    largest = 2 * max(radii.values(), default=0.0)
    row_height = max(2 * core, 2 * WING_END * max(wings.values()))
    scale = min(
        (width - 2 * SIDE_MARGIN - 2 * GAP) / (sum(wings.values()) + 2 * core),
        min(MAX_HEIGHT, 0.75 * width) / (row_height + largest),
    )
    while sum(max(2 * scale * radius + 8, column) for radius in radii.values()) > width + 1e-6:
        scale *= 0.98
    enlarged = []

    def enlarge(region: str, size: float, least: float) -> float:
        if region_sizes[region] == 0 or size >= least:
            return size
        enlarged.append(region)
        return least

    radius = enlarge("core", scale * core, MIN_RADIUS)
    left, right = (enlarge(name, scale * size, 2 * MIN_RADIUS) for name, size in wings.items())
    x = (width - left - right - 2 * radius - 2 * GAP) / 2 + left + GAP + radius
    y = TOP + max(scale * row_height, 2 * MIN_RADIUS) / 2
    pair = [Wing("in", x - radius - GAP, y, -left), Wing("out", x + radius + GAP, y, right)]
    row = y + scale * row_height / 2 + ROW_GAP + scale * largest / 2
    shown = [(name, enlarge(name, scale * size, MIN_RADIUS)) for name, size in radii.items()]
    columns = [max(2 * radius + 8, column) for _, radius in shown]
    spare = (width - sum(columns)) / max(len(columns), 1)
    outer = [
        Circle(name, sum(columns[:k]) + k * spare + (columns[k] + spare) / 2, row, radius)
        for k, (name, radius) in enumerate(shown)
    ]
    bottom = (
        row + max(scale * largest / 2, MIN_RADIUS) + LABEL_HEIGHT
        if outer
        else y + scale * row_height / 2 + 8
    )
    return BowTieLayout(
        Circle("core", x, y, radius),
        [wing for wing in pair if wing.length],
        outer,
        enlarged,
        bottom,
    )


def _draw_region(shape: Wing | Circle, pages: int, label: str, frame: Frame) -> Markup:
    """A region with its name and number of pages, to be linked by a page that shows it."""
    colour = REGION_COLOURS[shape.region]
    attributes = {
        "fill": COLOURS[colour],
        "fill_opacity": "0.24",
        "stroke": COLOURS[colour],
        "stroke_width": "1.25",
        "stroke_linejoin": "round",
    }
    drawn = (
        html_element("path", d=_wing_path(shape), **attributes)
        if isinstance(shape, Wing)
        else html_element(
            "circle",
            cx=f"{shape.x:.1f}",
            cy=f"{shape.y:.1f}",
            r=f"{shape.radius:.2f}",
            **attributes,
        )
    )
    x, y, anchor = _wing_label(shape) if isinstance(shape, Wing) else _circle_label(shape, frame)
    size = SMALL_FONT_SIZE if frame.narrow else FONT_SIZE
    font: dict[str, Any] = {"size": size, "text_anchor": anchor, "aria_hidden": "true"}
    return html_element(
        "a",
        drawn,
        svg_text(x, y, shape.region.capitalize(), **font, font_weight="600"),
        " ",
        svg_text(x, y + 15, f"{pages:,}", **font),
        class_=f"region {colour}",
        data_key=shape.region,
        aria_label=label,
    )


def _wing_path(wing: Wing) -> str:
    def at(along: float, up: float) -> str:
        return f"{wing.x + along * wing.length:.2f} {wing.y + up * abs(wing.length):.2f}"

    return (
        f"M{at(0, -WING_START)}Q{at(0.5, -WING_BEND)} {at(1, -WING_END)}"
        f"L{at(1, WING_END)}Q{at(0.5, WING_BEND)} {at(0, WING_START)}Z"
    )


def _wing_label(wing: Wing) -> tuple[float, float, str]:
    """Where the label of a wing is, and its anchor: inside if it fits, else beside its end."""
    if abs(wing.length) >= MIN_INNER_WING:
        return wing.x + 0.6 * wing.length, wing.y - 2, "middle"
    side, anchor = (-8, "end") if wing.length < 0 else (8, "start")
    return wing.x + wing.length + side, wing.y - 2, anchor


def _circle_label(circle: Circle, frame: Frame) -> tuple[float, float, str]:
    """The same of the core, inside if it fits, else above; and of outer regions, below."""
    if circle.region == "core":
        inside = circle.radius >= MIN_INNER_RADIUS
        return circle.x, circle.y - (2 if inside else circle.radius + 22), "middle"
    half = LABEL_LETTER_WIDTH * len(circle.region) / 2
    x = min(max(circle.x, half), frame.width - half)
    return x, circle.y + circle.radius + 16, "middle"


def _draw_connectors(layout: BowTieLayout) -> Iterator[Markup]:
    """Dotted lines from the wings to tendrils and tubes."""
    feet = {wing.region: wing.foot for wing in layout.wings}
    ends = {"tendrils in": ("in",), "tendrils out": ("out",), "tubes": ("in", "out")}
    for circle in layout.outer:
        for region in ends.get(circle.region, ()):
            (x, y), top = feet.get(region, layout.core[1:3]), circle.y - circle.radius
            middle = (y + top) / 2
            yield html_element(
                "path",
                d=f"M{x:.1f} {y:.1f}C{x:.1f} {middle:.1f} {circle.x:.1f} {middle:.1f}"
                f" {circle.x:.1f} {top:.1f}",
                class_="stroke-soft",
                fill="none",
                stroke=COLOURS["soft"],
                stroke_dasharray="1 4",
                stroke_linecap="round",
            )
