"""Charts hold what they were given, at the places where it belongs."""

import re

import numpy as np
import pytest

from weft.run.plots.charts import BOTTOM, LEFT, RIGHT, TOP, Labels, Series, bars, scatter

LABELS = Labels("A title", "x axis", "y axis", "in words", "a line below")


def dots(x: list[float], y: list[float]) -> Series:
    return Series("some", np.array(x), np.array(y), "one", dots=True)


def places(drawn: str, pattern: str) -> list[tuple[float, ...]]:
    return [tuple(map(float, found)) for found in re.findall(pattern, drawn)]


def test_dots_span_the_axes() -> None:
    drawn = scatter(LABELS, [dots([1, 10, 100], [5, 0.5, 0.05])])
    inside = places(drawn, r"M([\d.]+) ([\d.]+)h0")[:3]
    assert inside[0] == pytest.approx((LEFT, TOP), abs=4)
    assert inside[-1] == pytest.approx((RIGHT, BOTTOM), abs=4)
    assert inside[1][0] == pytest.approx((LEFT + RIGHT) / 2, abs=4)


def test_dots_at_one_place_are_drawn_once() -> None:
    drawn = scatter(LABELS, [dots([1, 10, 10, 10], [5, 0.5, 0.5, 0.05])])
    assert len(places(drawn, r"M([\d.]+) ([\d.]+)h0")) == 3 + 1


def test_a_line_ends_where_it_leaves() -> None:
    line = Series("a law", np.array([1.0, 10, 100]), np.array([5.0, 0.5, 1e-9]), "two")
    drawn = scatter(LABELS, [dots([1, 10, 100], [5, 0.5, 0.05]), line])
    path = re.search(r'd="(M[\d. ]+L[^"]*)"', drawn)
    assert path is not None
    assert path[1].count("L") == 1
    assert "a law" in drawn


def test_what_has_no_logarithm_is_left_out() -> None:
    drawn = scatter(LABELS, [dots([0, 1, 10], [1, 2, 0])])
    assert len(places(drawn, r"M([\d.]+) ([\d.]+)h0")) == 1 + 1
    assert "nothing to draw" in scatter(LABELS, [dots([0], [1])])


def test_bars_have_the_heights_of_their_values() -> None:
    drawn = bars(LABELS, np.array([1.0, 2, 3]), np.array([0.1, 0.4, 0.2]), [1.8])
    found = places(drawn, r'<rect x="([\d.]+)" y="[\d.]+" width="[\d.]+" height="([\d.]+)"')
    heights = [height for _, height in found]
    assert heights[1] / heights[0] == pytest.approx(4, rel=0.01)
    assert heights[2] / heights[0] == pytest.approx(2, rel=0.01)
    assert "stroke-dasharray" in drawn
    assert "nothing to draw" in bars(LABELS, np.zeros(0), np.zeros(0))
