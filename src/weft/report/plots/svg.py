"""SVG documents, texts and colours of all plots.

A plot is a self-contained SVG file. Its colours are attributes, for a white
background; each also has a CSS class, so that a page can override it.
"""

from weft.core.html import Markup, html_element

WIDTH, FONT_SIZE, SMALL_FONT_SIZE = 640.0, 12.0, 10.5
COLOURS = {
    "ground": "#ffffff",
    "ink": "#1f2328",
    "soft": "#5d646d",
    "line": "#dfe1dc",
    "one": "#2f6f9f",
    "two": "#c4612f",
    "three": "#2c8a6d",
    "four": "#8f5a9e",
    "five": "#8d701d",
    "six": "#6b6f76",
}


def fill_attributes(colour: str) -> dict[str, str]:
    """The attributes of a shape filled with a colour."""
    return {"class_": f"fill-{colour}", "fill": COLOURS[colour]}


def stroke_attributes(colour: str, width: float = 1.0) -> dict[str, str]:
    """The attributes of a line of a colour."""
    return {
        "class_": f"stroke-{colour}",
        "fill": "none",
        "stroke": COLOURS[colour],
        "stroke_width": f"{width:g}",
    }


def svg_text(
    x: float,
    y: float,
    text: str,
    colour: str = "ink",
    *,
    anchor: str = "start",
    size: float = FONT_SIZE,
) -> Markup:
    """A text; its anchor (start, middle or end) is at (x, y)."""
    position = {"x": f"{x:.1f}", "y": f"{y:.1f}"}
    font = {"text_anchor": anchor, "font_size": f"{size:g}"}
    return html_element("text", text, **position, **font, **fill_attributes(colour))


def svg_document(height: float, title: str, description: str, *parts: object) -> Markup:
    """An SVG document of a given height, with a title, and a description for screen readers."""
    return html_element(
        "svg",
        html_element("title", description),
        html_element(
            "rect", width=f"{WIDTH:g}", height=f"{height:g}", rx="6", **fill_attributes("ground")
        ),
        html_element(
            "text",
            title,
            x="12",
            y="22",
            font_size="14",
            font_weight="600",
            **fill_attributes("ink"),
        ),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH:g} {height:g}",
        font_family="system-ui, sans-serif",
        role="img",
        aria_label=description,
        class_="plot",
    )
