"""SVG documents: valid XML, colours as attributes, text escaped."""

from xml.etree import ElementTree

from weft.report.plots.svg import (
    DEFAULT_FRAME,
    NEUTRAL_COLOURS,
    SERIES_COLOURS,
    Frame,
    Heading,
    fill_attributes,
    stroke_attributes,
    svg_document,
    svg_text,
)

HEADING = Heading("Title & more", "all in words", "a line below")


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(one.itertext()) for one in root.iter() if one.tag.endswith("text")]


def test_a_document_is_self_contained() -> None:
    drawn = svg_document(DEFAULT_FRAME, 100, 40, HEADING, svg_text(1, 2, "<here>"))
    root = ElementTree.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["aria-label"] == "all in words"
    assert root.attrib["viewBox"] == "0 0 640 100"
    assert texts(root) == ["Title & more", "a line below", "<here>"]


def test_below_a_heading_the_title_and_its_room_are_left_out() -> None:
    drawn = svg_document(Frame(360, titled=False), 100, 40, HEADING, svg_text(1, 2, "here"))
    root = ElementTree.fromstring(drawn)
    assert root.attrib["viewBox"] == "0 40 360 60"
    assert texts(root) == ["here"]


def test_every_colour_has_classes_by_which_a_page_may_change_it() -> None:
    for name, colour in NEUTRAL_COLOURS.items():
        assert fill_attributes(name) == {"class_": f"fill-{name}", "fill": colour}
        assert stroke_attributes(name)["class_"] == f"stroke-{name}"
    for name, colour in SERIES_COLOURS.items():
        assert fill_attributes(name) == {"class_": f"fill {name}", "fill": colour}
        assert stroke_attributes(name)["class_"] == f"stroke {name}"
