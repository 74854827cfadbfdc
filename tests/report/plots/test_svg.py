"""SVG documents: valid XML, colours as attributes, text escaped."""

from xml.etree import ElementTree

from weft.report.plots.svg import (
    COLOURS,
    fill_attributes,
    stroke_attributes,
    svg_document,
    svg_text,
)


def test_a_document_is_self_contained() -> None:
    drawn = svg_document(100, "Title & more", "all in words", svg_text(1, 2, "<here>"))
    root = ElementTree.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["aria-label"] == "all in words"
    assert root.attrib["viewBox"] == "0 0 640 100"
    texts = ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")]
    assert texts == ["Title & more", "<here>"]


def test_every_colour_has_a_class_by_which_a_page_may_change_it() -> None:
    for name, colour in COLOURS.items():
        assert fill_attributes(name) == {"class_": f"fill-{name}", "fill": colour}
        assert stroke_attributes(name)["class_"] == f"stroke-{name}"
