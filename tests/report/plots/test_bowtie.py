"""The bow-tie to scale: areas are proportional to pages, and all is inside the drawing."""

from itertools import pairwise
from math import pi
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.report.plots.bowtie import WING_AREA, draw_bow_tie, lay_out_bow_tie
from weft.report.plots.svg import Frame

NAMES = ["core", "in", "out", "tubes", "tendrils in", "tendrils out", "other", "disconnected"]
WEB = dict(zip(NAMES, [1859, 419, 2530, 52, 203, 799, 647, 1744], strict=True))
counts = st.one_of(st.just(0), st.integers(1, 10), st.integers(1, 10**7))


@given(
    st.integers(2, 10**7), st.lists(counts, min_size=7, max_size=7), st.sampled_from([360.0, 640.0])
)
def test_one_page_has_the_same_area_everywhere(core: int, others: list[int], width: float) -> None:
    pages = dict(zip(NAMES, [core, *others], strict=True))
    layout = lay_out_bow_tie(pages, width)
    circles = [layout.core, *layout.outer]
    areas = {circle.region: pi * circle.radius**2 for circle in circles}
    areas |= {wing.region: WING_AREA * wing.length**2 for wing in layout.wings}
    assert set(areas) == {name for name, count in pages.items() if count}
    to_scale = [areas[name] / pages[name] for name in areas if name not in layout.enlarged]
    for area in to_scale:
        assert area == pytest.approx(to_scale[0])
    edges = [
        at for circle in circles for at in (circle.x - circle.radius, circle.x + circle.radius)
    ]
    edges += [wing.x + wing.length for wing in layout.wings]
    assert min(edges) >= 0
    assert max(edges) <= width
    for left, right in pairwise(layout.outer):
        assert left.x + left.radius < right.x - right.radius
    assert 0 < layout.bottom < 800


def test_every_region_is_a_part_to_link_with_name_and_count() -> None:
    root = ElementTree.fromstring(draw_bow_tie(WEB, "Web", "host"))
    links = {link.attrib["data-key"]: link for link in root.findall(".//{*}a")}
    assert set(links) == set(NAMES)
    assert (
        links["core"].attrib["aria-label"] == "Core 1,859 hosts, 22.5 %, largest strong component"
    )
    assert [text.text for text in links["tubes"].findall("{*}text")] == ["Tubes", "52"]
    assert links["in"].attrib["class"] == "region t3"


def test_what_is_not_to_scale_is_named() -> None:
    assert "Drawn larger than to scale" not in draw_bow_tie(WEB, "Web")
    picture = draw_bow_tie({**WEB, "core": 10**7}, "Web", frame=Frame(360))
    assert "Drawn larger than to scale: in, out, tendrils in" in picture


def test_without_a_core_there_is_no_bow_tie() -> None:
    assert "no core, no bow-tie" in draw_bow_tie({"no core": 5}, "Web")
    assert "no core, no bow-tie" in draw_bow_tie({}, "Web")
