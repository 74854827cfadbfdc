"""Charts: points and bars at their positions."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.report.plots.charts import (
    LEFT,
    PLOT_HEIGHT,
    RIGHT_MARGIN,
    TOP,
    Axis,
    ChartLabels,
    Mark,
    Series,
    draw_axes,
    draw_bars,
    draw_log_scatter,
    format_tick,
)
from weft.report.plots.svg import Frame

LEGEND = r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>a long name'
RIGHT, BOTTOM = Frame().width - RIGHT_MARGIN, TOP + PLOT_HEIGHT
LABELS = ChartLabels("A title", "x axis", "y axis", "in words", "a line below")


def dots(x: list[float], y: list[float]) -> Series:
    return Series("some", np.array(x), np.array(y), "t1", as_dots=True)


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
    line = Series("a law", np.array([1.0, 10, 100]), np.array([5.0, 0.5, 1e-9]), "t2")
    drawn = draw_log_scatter(LABELS, [dots([1, 10, 100], [5, 0.5, 0.05]), line])
    path = re.search(r'd="(M[\d. ]+L[^"]*)"', drawn)
    assert path is not None
    assert path[1].count("L") == 1
    assert "a law" in drawn


def test_what_has_no_logarithm_is_left_out() -> None:
    drawn = draw_log_scatter(LABELS, [dots([0, 1, 10], [1, 2, 0])])
    assert len(places(drawn, r"M([\d.]+) ([\d.]+)h0")) == 1 + 1
    assert "nothing to draw" in draw_log_scatter(LABELS, [dots([0], [1])])


def test_dots_with_titles_are_parts_to_link_and_do_not_overlap() -> None:
    titles = [f"<{k}>" for k in range(5)]
    many = dots([1, 10, 10.1, 10.2, 100], [5, 0.5, 0.5, 0.5, 0.05])._replace(titles=titles)
    root = ElementTree.fromstring(draw_log_scatter(LABELS, [many]))
    links = root.findall(".//{*}a[@data-key]")
    assert [link.attrib["data-key"] for link in links] == ["1", "10", "100"]
    assert [link.findtext("{*}title") for link in links] == ["<0>", "<1>", "<4>"]
    assert not any("href" in link.attrib for link in links)


def test_titles_stay_with_their_dots() -> None:
    some = dots([0, 1, 10], [1, 2, 3])._replace(titles=["none", "first", "second"])
    drawn = draw_log_scatter(LABELS, [some])
    assert "<title>none</title>" not in drawn
    assert "<title>second</title>" in drawn


def bars(x: list[float], y: list[float]) -> Series:
    titles = [f"bar {value}" for value in x]
    return Series("", np.array(x), np.array(y), "t1", titles=titles)


def test_bars_have_the_heights_of_their_values() -> None:
    drawn = draw_bars(LABELS, bars([1, 2, 3], [0.1, 0.4, 0.2]), [Mark(1.8, "the mean")])
    found = places(drawn, r'<rect x="([\d.]+)" y="[\d.]+" width="[\d.]+" height="([\d.]+)"')
    heights = [height for _, height in found]
    assert heights[1] / heights[0] == pytest.approx(4, rel=0.01)
    assert heights[2] / heights[0] == pytest.approx(2, rel=0.01)
    assert "stroke-dasharray" in drawn
    assert ">the mean</text>" in drawn
    assert "<title>bar 2</title>" in drawn
    assert "nothing to draw" in draw_bars(LABELS, bars([], []))


@pytest.mark.parametrize("count", [1, 2, 5, 12, 400])
@pytest.mark.parametrize("width", [360.0, 640.0])
def test_ticks_of_bars_are_integers_with_room(count: int, width: float) -> None:
    x = [float(k) for k in range(count)]
    drawn = draw_bars(LABELS, bars(x, [1.0] * count), frame=Frame(width))
    ticks = re.findall(r'<text x="([\d.]+)"[^>]*text-anchor="middle"[^>]*>(\d+)<', drawn)
    assert [int(text) for _, text in ticks][:2] == ([0] if count == 1 else [0, int(ticks[1][1])])
    steps = np.diff([float(at) for at, _ in ticks])
    assert all(steps > 25)


def test_a_narrow_plot_wraps_its_legend_and_stays_inside() -> None:
    series = [dots([1, 10], [1, 2])._replace(name=f"a long name {k}") for k in range(4)]
    wide, narrow = (draw_log_scatter(LABELS, series, frame=Frame(width)) for width in (640, 360))
    rows = [len({y for _, y in places(one, LEGEND)}) for one in (wide, narrow)]
    assert rows[0] < rows[1]
    assert all(float(x) <= 360 for x in re.findall(r'\b(?:x|x1|x2|cx)="([\d.]+)"', narrow))


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


def test_ticks_of_y_have_their_unit() -> None:
    """A share is read as a percentage: 10 %, not 0.1."""
    labels = LABELS._replace(y_unit=" %")
    drawn = draw_log_scatter(labels, [dots([1, 10, 100], [100, 1, 0.01])])
    assert re.findall(r'text-anchor="end"[^>]*>([^<]*)<', drawn) == [
        "0.01 %",
        "0.1 %",
        "1 %",
        "10 %",
        "100 %",
    ]
    assert ">40 %<" in draw_bars(labels, bars([1, 2], [10, 40]))


def test_axes_have_labels() -> None:
    drawn = "".join(draw_axes(Axis(0, 10, 0, 100), Axis(1, 100, 90, 0, logarithmic=True), LABELS))
    assert ">x axis<" in drawn
    assert ">y axis<" in drawn
    assert drawn.count("<line") == 3
    assert drawn.count("<text") == 6 + 3 + 2
