"""What all plots share: colours, words, and the sheet that they are drawn on.

A plot is SVG that needs nothing else. Its colours stand in it, for a white
ground; each also has a class, by which a page may choose others.
"""

from weft.core.markup import Markup, tag

WIDTH, FONT, SMALL = 640.0, 12.0, 10.5
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


def fill(name: str) -> dict[str, str]:
    """The attributes of something filled with a colour."""
    return {"class_": f"fill-{name}", "fill": COLOURS[name]}


def stroke(name: str, width: float = 1.0) -> dict[str, str]:
    """The attributes of a line of a colour."""
    wide = f"{width:g}"
    return {
        "class_": f"stroke-{name}",
        "fill": "none",
        "stroke": COLOURS[name],
        "stroke_width": wide,
    }


def words(
    x: float, y: float, said: str, colour: str = "ink", *, anchor: str = "start", size: float = FONT
) -> Markup:
    """Words at a place, which is their start, middle or end."""
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text_anchor": anchor, "font_size": f"{size:g}"}
    return tag("text", said, **place, **fill(colour))


def sheet(height: float, title: str, about: str, *parts: object) -> Markup:
    """A drawing of so many units, with a title above, and words for those who do not see it."""
    return tag(
        "svg",
        tag("title", about),
        tag("rect", width=f"{WIDTH:g}", height=f"{height:g}", rx="6", **fill("ground")),
        tag("text", title, x="12", y="22", font_size="14", font_weight="600", **fill("ink")),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH:g} {height:g}",
        font_family="system-ui, sans-serif",
        role="img",
        aria_label=about,
        class_="plot",
    )
