"""How an iteration ends: converged, in a cycle, or at max_iter; and norms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats
from weft.engine import Trace, fixed_point, normalize_l1


def spiral(period: float, shrink: float) -> Trace:
    """Iterate a rotation by a fraction of the circle, times a factor."""
    angle = 2 * np.pi / period
    turn = shrink * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return fixed_point(lambda x: turn @ x, np.array([1.0, 0.0]), 1e-10, 30_000, "spiral")[1]


@given(st.integers(2, 40), st.integers(0, 100))
def test_cycles_of_any_length_are_found_after_any_lead(period: int, lead: int) -> None:
    """Numbers count up to a cycle, and then go round; the result is the mean of the cycle."""

    def step(x: Floats) -> Floats:
        return x + 1 if x[0] < lead + period - 1 else np.array([float(lead)])

    mean, trace = fixed_point(step, np.zeros(1), 1e-10, 1000, "ring")
    assert (trace.stopped, trace.period, trace.converged) == ("cycle", period, False)
    assert trace.iterations <= 3 * max(period, lead) + 3
    assert mean.tolist() == pytest.approx([lead + (period - 1) / 2])


def test_a_cycle_may_be_approached() -> None:
    def step(x: Floats) -> Floats:
        return np.array([-x[0], 0.5 * x[1] + 1])

    mean, trace = fixed_point(step, np.array([1.0, 0.0]), 1e-10, 1000, "ring")
    assert (trace.stopped, trace.period) == ("cycle", 2)
    assert mean.tolist() == pytest.approx([0, 2])


@pytest.mark.parametrize("period", [2, 3, 7, 64])
def test_a_circle_differs_from_a_spiral_that_converges(period: int) -> None:
    assert spiral(period, 1.0).period == period
    for shrink in (0.5, 0.99, 0.999):
        converging = spiral(period, shrink)
        assert converging.converged
        assert converging.period == 0


def test_slow_convergence_is_not_a_cycle() -> None:
    trace = fixed_point(lambda x: 0.9999 * x, np.ones(3), 1e-10, 500, "slow")[1]
    assert (trace.stopped, trace.iterations, trace.period) == ("max_iter", 500, 0)
    assert trace.rate == pytest.approx(0.9999)


def test_a_large_tol_makes_no_cycle_of_an_oscillation() -> None:
    trace = fixed_point(lambda x: -0.9 * x, np.ones(4), 0.5, 500, "swing")[1]
    assert trace.converged


def test_with_tol_zero_all_iterations_are_made() -> None:
    x, trace = fixed_point(lambda x: -x, np.ones(1), 0.0, 7, "swing")
    assert (x.tolist(), trace.iterations, trace.stopped) == ([-1], 7, "max_iter")


def test_normalize_l1_sums_to_one_and_keeps_zeros() -> None:
    assert normalize_l1(np.array([1.0, 3.0])).tolist() == [0.25, 0.75]
    assert normalize_l1(np.zeros(3)).tolist() == [0, 0, 0]
