"""Values find their places, and round numbers stand beside them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.run.plots.axes import Axis, frame, written

values = st.floats(0.001, 1e6)


@given(values, values, st.booleans())
def test_the_ends_are_the_ends_and_larger_is_further(one: float, two: float, logs: bool) -> None:  # noqa: FBT001
    low, high = sorted((one, two))
    axis = Axis(low, high, 400.0, 40.0, logs=logs)
    if high > low * (1 + 1e-9):
        assert axis.at(low) == pytest.approx(400)
        assert axis.at(high) == pytest.approx(40)
        assert axis.at((low + high) / 2) <= 400
    assert 40 <= axis.at(low / 10) <= 400


def test_powers_of_ten_are_evenly_spread() -> None:
    axis = Axis(1, 1000, 0.0, 300.0, logs=True)
    assert [axis.at(x) for x in (1, 10, 100, 1000)] == pytest.approx([0, 100, 200, 300])


@given(st.floats(0, 1e5), st.floats(0.01, 1e5), st.booleans())
def test_ticks_are_few_and_inside(low: float, more: float, logs: bool) -> None:  # noqa: FBT001
    axis = Axis(low + (1e-3 if logs else 0), low + 1e-3 + more, 0.0, 1.0, logs=logs)
    ticks = axis.ticks()
    assert len(ticks) <= 9
    slack = 1e-6 * axis.high
    assert all(axis.low - slack <= tick <= axis.high + slack for tick in ticks)


def test_values_are_written_for_people() -> None:
    assert [written(x) for x in (0, 3.5, 100_000, 1e-4)] == ["0", "3.5", "100,000", "10⁻⁴"]


def test_a_frame_says_what_it_measures() -> None:
    drawn = "".join(frame(Axis(0, 10, 0, 100), Axis(1, 100, 90, 0, logs=True), "clicks", "pages"))
    assert ">clicks<" in drawn
    assert ">pages<" in drawn
    assert drawn.count("<line") == 6 + 3
