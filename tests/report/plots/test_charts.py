"""Charts: points and bars at their positions."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.report.plots.charts import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    Axis,
    ChartLabels,
    Series,
    draw_axes,
    draw_bars,
    draw_log_scatter,
    format_tick,
)

LABELS = ChartLabels("A title", "x axis", "y axis", "in words", "a line below")


def dots(x: list[float], y: list[float]) -> Series:
    return Series("some", np.array(x), np.array(y), "one", as_dots=True)


def places(drawn: str, pattern: str) -> list[tuple[float, ...]]:
    return [tuple(map(float, found)) for found in re.findall(pattern, drawn)]


def test_dots_span_the_axes() -> None:
    drawn = draw_log_scatter(LABELS, [dots([1, 10, 100], [5, 0.5, 0.05])])
    inside = places(drawn, r"M([\d.]+) ([\d.]+)h0")[:3]
    assert inside[0] == pytest.approx((LEFT, TOP), abs=4)
    assert inside[-1] == pytest.approx((RIGHT, BOTTOM), abs=4)
    assert inside[1][0] == pytest.approx((LEFT + RIGHT) / 2, abs=4)


def test_dots_at_one_place_are_drawn_once() -> None:
    drawn = draw_log_scatter(LABELS, [dots([1, 10, 10, 10], [5, 0.5, 0.5, 0.05])])
    assert len(places(drawn, r"M([\d.]+) ([\d.]+)h0")) == 3 + 1


def test_a_line_ends_where_it_leaves() -> None:
    line = Series("a law", np.array([1.0, 10, 100]), np.array([5.0, 0.5, 1e-9]), "two")
    drawn = draw_log_scatter(LABELS, [dots([1, 10, 100], [5, 0.5, 0.05]), line])
    path = re.search(r'd="(M[\d. ]+L[^"]*)"', drawn)
    assert path is not None
    assert path[1].count("L") == 1
    assert "a law" in drawn


def test_what_has_no_logarithm_is_left_out() -> None:
    drawn = draw_log_scatter(LABELS, [dots([0, 1, 10], [1, 2, 0])])
    assert len(places(drawn, r"M([\d.]+) ([\d.]+)h0")) == 1 + 1
    assert "nothing to draw" in draw_log_scatter(LABELS, [dots([0], [1])])


def test_bars_have_the_heights_of_their_values() -> None:
    drawn = draw_bars(LABELS, np.array([1.0, 2, 3]), np.array([0.1, 0.4, 0.2]), [1.8])
    found = places(drawn, r'<rect x="([\d.]+)" y="[\d.]+" width="[\d.]+" height="([\d.]+)"')
    heights = [height for _, height in found]
    assert heights[1] / heights[0] == pytest.approx(4, rel=0.01)
    assert heights[2] / heights[0] == pytest.approx(2, rel=0.01)
    assert "stroke-dasharray" in drawn
    assert "nothing to draw" in draw_bars(LABELS, np.zeros(0), np.zeros(0))


values = st.floats(0.001, 1e6)


@given(values, values, st.booleans())
def test_the_ends_are_the_ends_and_larger_is_further(one: float, two: float, logs: bool) -> None:  # noqa: FBT001
    low, high = sorted((one, two))
    axis = Axis(low, high, 400.0, 40.0, logarithmic=logs)
    if high > low * (1 + 1e-9):
        assert axis.position(low) == pytest.approx(400)
        assert axis.position(high) == pytest.approx(40)
        assert axis.position((low + high) / 2) <= 400
    assert 40 <= axis.position(low / 10) <= 400


def test_powers_of_ten_are_evenly_spread() -> None:
    axis = Axis(1, 1000, 0.0, 300.0, logarithmic=True)
    assert [axis.position(x) for x in (1, 10, 100, 1000)] == pytest.approx([0, 100, 200, 300])


@given(st.floats(0, 1e5), st.floats(0.01, 1e5), st.booleans())
def test_ticks_are_few_and_inside(low: float, more: float, logs: bool) -> None:  # noqa: FBT001
    axis = Axis(low + (1e-3 if logs else 0), low + 1e-3 + more, 0.0, 1.0, logarithmic=logs)
    ticks = axis.ticks()
    assert len(ticks) <= 9
    slack = 1e-6 * axis.high
    assert all(axis.low - slack <= tick <= axis.high + slack for tick in ticks)


def test_tick_formats() -> None:
    assert [format_tick(x) for x in (0, 3.5, 100_000, 1e-4)] == ["0", "3.5", "100,000", "10⁻⁴"]


def test_axes_have_labels() -> None:
    drawn = "".join(
        draw_axes(Axis(0, 10, 0, 100), Axis(1, 100, 90, 0, logarithmic=True), "clicks", "pages")
    )
    assert ">clicks<" in drawn
    assert ">pages<" in drawn
    assert drawn.count("<line") == 6 + 3
