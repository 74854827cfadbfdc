"""The bow-tie to scale: areas are proportional to pages, and all is inside the drawing."""

import re
from math import pi
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.report.plots.bowtie import draw_bow_tie
from weft.report.plots.svg import WIDTH

NAMES = ["core", "in", "out", "tubes", "tendrils in", "tendrils out", "other", "disconnected"]
counts = st.one_of(st.just(0), st.integers(1, 10), st.integers(1, 10**7))


def drawn(pages: dict[str, int]) -> tuple[dict[str, float], list[float], float]:
    """The area of each region, every x of a corner, and the height of the sheet."""
    root = ElementTree.fromstring(draw_bow_tie(pages, "A bow-tie"))
    shapes = [e for e in root.iter() if e.tag.rpartition("}")[2] in ("circle", "path", "rect")][1:]
    circle, *rest = shapes
    radius, middle = float(circle.attrib["r"]), float(circle.attrib["cx"])
    area = {"core": pi * radius**2}
    edges = [middle - radius, middle + radius]
    for name, wing in zip(("in", "out"), rest[:2], strict=True):
        numbers = [float(x) for x in re.findall(r"-?[\d.]+", wing.attrib["d"])]
        x, near, away, far, _, _, low = numbers
        area[name] = abs(away - x) * ((low - near) + 2 * ((low + near) / 2 - far)) / 2
        edges += [x, away]
    for name, box in zip(
        ("tubes", "tendrils in", "other", "disconnected", "tendrils out"), rest[2:], strict=True
    ):
        left, wide, high = (float(box.attrib[key]) for key in ("x", "width", "height"))
        area[name] = wide * high
        edges += [left, left + wide]
    return area, edges, float(root.attrib["viewBox"].split()[3])


@given(st.integers(2, 10**7), st.lists(counts, min_size=7, max_size=7))
def test_one_page_has_the_same_area_everywhere(core: int, others: list[int]) -> None:
    pages = dict(zip(NAMES, [core, *others], strict=True))
    area, edges, height = drawn(pages)
    unit = sum(area.values()) / sum(pages.values())
    for name, found in area.items():
        assert found == pytest.approx(pages[name] * unit, rel=0.03, abs=3)
    assert min(edges) >= 0
    assert max(edges) <= WIDTH
    assert 150 < height < 800


def test_every_region_is_named_with_count_and_share() -> None:
    pages = dict(zip(NAMES, [1859, 419, 2530, 52, 203, 799, 647, 1744], strict=True))
    picture = draw_bow_tie(pages, "Web")
    for name, size in {"core": "1,859 (22.5%)", "tubes": "52 (0.6%)", "in": "419 (5.1%)"}.items():
        assert f">{name}<" in picture
        assert f">{size}<" in picture


def test_without_a_core_there_is_no_bow_tie() -> None:
    assert "no core, no bow-tie" in draw_bow_tie({"no core": 5}, "Web")
    assert "no core, no bow-tie" in draw_bow_tie({}, "Web")
