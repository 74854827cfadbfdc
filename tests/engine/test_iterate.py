"""Where an iteration ends: at rest, going round, or at the limit; and scaling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats
from weft.engine import Trace, fixed_point, unit


def spiral(period: float, shrink: float) -> Trace:
    """How it ends where each round turns a point by a part of the circle, and draws it inwards."""
    angle = 2 * np.pi / period
    turn = shrink * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return fixed_point(lambda x: turn @ x, np.array([1.0, 0.0]), 1e-10, 30_000, "spiral")[1]


@given(st.integers(2, 40), st.integers(0, 100))
def test_cycles_of_any_length_are_found_after_any_beginning(period: int, lead: int) -> None:
    """Numbers go up to a ring, and then round it; the answer is the mean of the ring."""

    def step(x: Floats) -> Floats:
        return x + 1 if x[0] < lead + period - 1 else np.array([float(lead)])

    mean, trace = fixed_point(step, np.zeros(1), 1e-10, 1000, "ring")
    assert (trace.stopped, trace.period, trace.converged) == ("cycle", period, False)
    assert trace.rounds <= 3 * max(period, lead) + 3
    assert mean.tolist() == pytest.approx([lead + (period - 1) / 2])


def test_a_cycle_may_be_drawn_near() -> None:
    def step(x: Floats) -> Floats:
        return np.array([-x[0], 0.5 * x[1] + 1])

    mean, trace = fixed_point(step, np.array([1.0, 0.0]), 1e-10, 1000, "ring")
    assert (trace.stopped, trace.period) == ("cycle", 2)
    assert mean.tolist() == pytest.approx([0, 2])


@pytest.mark.parametrize("period", [2, 3, 7, 64])
def test_a_circle_is_told_from_a_spiral_that_settles(period: int) -> None:
    assert spiral(period, 1.0).period == period
    for shrink in (0.5, 0.99, 0.999):
        settled = spiral(period, shrink)
        assert settled.converged
        assert settled.period == 0


def test_settling_slowly_is_no_cycle() -> None:
    trace = fixed_point(lambda x: 0.9999 * x, np.ones(3), 1e-10, 500, "slow")[1]
    assert (trace.stopped, trace.rounds, trace.period) == ("limit", 500, 0)
    assert trace.rate == pytest.approx(0.9999)


def test_a_wide_tolerance_makes_no_cycle_of_a_swing() -> None:
    trace = fixed_point(lambda x: -0.9 * x, np.ones(4), 0.5, 500, "swing")[1]
    assert trace.converged


def test_without_tolerance_every_round_is_made() -> None:
    x, trace = fixed_point(lambda x: -x, np.ones(1), 0.0, 7, "swing")
    assert (x.tolist(), trace.rounds, trace.stopped) == ([-1], 7, "limit")


def test_unit_sums_to_one_and_leaves_zeros() -> None:
    assert unit(np.array([1.0, 3.0])).tolist() == [0.25, 0.75]
    assert unit(np.zeros(3)).tolist() == [0, 0, 0]
