"""SVG documents, texts and colours of all plots.

A plot is a self-contained SVG file. Its colours are attributes, for a white
background; each also has CSS classes, so that a page can override it. Parts
that a page may link are `a` elements with a `data-key`: the page knows where
they lead.
"""

from typing import NamedTuple

from weft.core.html import Markup, html_element

FONT_SIZE, SMALL_FONT_SIZE = 12.0, 10.5
NARROW_WIDTH = 480.0
NEUTRAL_COLOURS = {"ground": "#ffffff", "ink": "#1f2328", "soft": "#5d646d", "line": "#dfe1dc"}
SERIES_COLOURS = {
    "t1": "#2f6f9f",
    "t2": "#c4612f",
    "t3": "#2c8a6d",
    "t4": "#8f5a9e",
    "t5": "#8d701d",
    "t8": "#7a5c45",
    "t9": "#6e8b3d",
    "t10": "#6b6f76",
}
COLOURS = NEUTRAL_COLOURS | SERIES_COLOURS


class Frame(NamedTuple):
    """The width of a plot, and whether it has its title or goes below a heading."""

    width: float = 640.0
    titled: bool = True

    @property
    def narrow(self) -> bool:
        """Whether labels have little room."""
        return self.width < NARROW_WIDTH


DEFAULT_FRAME = Frame()


class Heading(NamedTuple):
    """The title of a plot, a line below it, and a description for screen readers."""

    title: str
    description: str
    subtitle: str = ""


def fill_attributes(colour: str) -> dict[str, str]:
    """The attributes of a shape filled with a colour."""
    return {"class_": _colour_classes("fill", colour), "fill": COLOURS[colour]}


def stroke_attributes(colour: str, width: float = 1.0) -> dict[str, str]:
    """The attributes of a line of a colour."""
    return {
        "class_": _colour_classes("stroke", colour),
        "fill": "none",
        "stroke": COLOURS[colour],
        "stroke_width": f"{width:g}",
    }


def _colour_classes(property_name: str, colour: str) -> str:
    separator = " " if colour in SERIES_COLOURS else "-"
    return f"{property_name}{separator}{colour}"


def svg_text(
    x: float, y: float, text: str, colour: str = "ink", size: float = FONT_SIZE, **attributes: str
) -> Markup:
    """A text at (x, y) with further attributes, such as `text_anchor`."""
    position = {"x": f"{x:.1f}", "y": f"{y:.1f}", "font_size": f"{size:g}"}
    return html_element("text", text, **position, **attributes, **fill_attributes(colour))


def svg_document(
    frame: Frame, height: float, title_height: float, heading: Heading, *parts: object
) -> Markup:
    """An SVG document; the first `title_height` units are for the title, and cut without it."""
    top = 0.0 if frame.titled else title_height
    title = [
        html_element(
            "rect",
            width=f"{frame.width:g}",
            height=f"{height:g}",
            rx="6",
            **fill_attributes("ground"),
        ),
        svg_text(12, 22, heading.title, size=14, font_weight="600"),
        svg_text(12, 41, heading.subtitle, "soft") if heading.subtitle else "",
    ]
    return html_element(
        "svg",
        html_element("desc", heading.description),
        *(title if frame.titled else []),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 {top:g} {frame.width:g} {height - top:g}",
        font_family="system-ui, sans-serif",
        role="group",
        aria_label=heading.description,
        class_="plot",
    )
