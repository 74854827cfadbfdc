"""A sheet that stands alone: sound XML, colours in it, words escaped."""

from xml.etree import ElementTree

from weft.run.plots.paper import COLOURS, fill, sheet, stroke, words


def test_a_sheet_is_a_file_of_its_own() -> None:
    drawn = sheet(100, "Title & more", "all in words", words(1, 2, "<here>"))
    root = ElementTree.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["aria-label"] == "all in words"
    assert root.attrib["viewBox"] == "0 0 640 100"
    told = ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")]
    assert told == ["Title & more", "<here>"]


def test_every_colour_has_a_class_by_which_a_page_may_change_it() -> None:
    for name, colour in COLOURS.items():
        assert fill(name) == {"class_": f"fill-{name}", "fill": colour}
        assert stroke(name)["class_"] == f"stroke-{name}"
