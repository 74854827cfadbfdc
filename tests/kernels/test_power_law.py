"""Maximum-likelihood fits: known distributions are found again."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import zeta
from scipy.special import zeta as other

from weft.core.arrays import Floats
from weft.kernels.power_law import (
    MAX_EXPONENT,
    MAX_SAMPLE,
    MIN_EXPONENT,
    fit_exponent,
    fit_exponential_family,
    fit_tails,
    has_closer_fit,
    hurwitz_zeta,
    hurwitz_zeta_derivatives,
    inverse_survival,
    ks_distance,
    power_law_survival,
    summation_quadrature,
)
from weft.structure.power_law import ValueCounts


def power(x: Floats) -> Floats:
    return np.log(x)[:, None]


def exponential(x: Floats) -> Floats:
    return x[:, None]


def truncated(x: Floats) -> Floats:
    return np.column_stack([np.log(x), x])


def log_normal(x: Floats) -> Floats:
    return np.column_stack([np.log(x), np.log(x) ** 2])


KNOWN: list[tuple[Callable[[Floats], Floats], list[float]]] = [
    (power, [2.3]),
    (exponential, [0.2]),
    (truncated, [1.5, 0.01]),
    (log_normal, [0.5, 0.4]),
]


@pytest.mark.parametrize("start", [1.0, 7.0, 900.0])
@pytest.mark.parametrize("a", [1.6, 2.5, 4.0])
def test_summation_points_give_zeta(a: float, start: float) -> None:
    points, room = summation_quadrature(start)
    assert float(room @ points**-a) == pytest.approx(hurwitz_zeta(a, start), rel=1e-6)


@pytest.mark.parametrize(("terms", "weights"), KNOWN)
@pytest.mark.parametrize("start", [1.0, 20.0])
def test_a_distribution_is_found_from_its_own_counts(
    terms: Callable[[Floats], Floats], weights: list[float], start: float
) -> None:
    """Counts in exactly the proportions of a distribution have it as their best fit."""
    points, room = summation_quadrature(start)
    counts = room * np.exp(-terms(points) @ np.array(weights))
    some = counts > 1e-14 * counts.max()
    found = fit_exponential_family(terms, points[some], counts[some])
    np.testing.assert_allclose(found.weights, weights, rtol=1e-4)
    assert float(np.exp(found.log_pmf(points)) @ room) == pytest.approx(1)


def test_a_negative_rate_is_not_taken() -> None:
    values = np.array([1.0, 2.0, 1000.0])
    found = fit_exponential_family(truncated, values, np.array([500.0, 100.0, 50.0]))
    assert 0 <= found.weights[1] < 1e-9
    alone = fit_exponential_family(power, values, np.array([500.0, 100.0, 50.0]))
    np.testing.assert_allclose(found.log_pmf(values), alone.log_pmf(values), rtol=1e-6)


def test_survival_of_a_family_falls_from_one() -> None:
    law = fit_exponential_family(exponential, np.arange(3.0, 60), 0.9 ** np.arange(57.0))
    reach = law.survival(np.array([3.0, 4.0, 13.0]), 3.0)
    assert reach[0] == pytest.approx(1)
    assert reach[2] / reach[1] == pytest.approx((reach[1] / reach[0]) ** 9)


exponents = st.floats(1.05, 6.0)
starts = st.integers(1, 10**6).map(float)


@given(exponents, starts)
def test_zeta_is_that_of_scipy(a: float, q: float) -> None:
    assert hurwitz_zeta(a, q) == pytest.approx(float(other(a, q)), rel=1e-11)


@given(exponents, starts)
def test_derivatives_are_finite_differences(a: float, q: float) -> None:
    value, slope, bend = hurwitz_zeta_derivatives(a, q)
    step = 1e-4 * (a - 1)
    before, after = hurwitz_zeta(a - step, q), hurwitz_zeta(a + step, q)
    assert value == pytest.approx(hurwitz_zeta(a, q), rel=1e-13)
    assert slope == pytest.approx((after - before) / (2 * step), rel=1e-4)
    assert bend == pytest.approx((after - 2 * value + before) / step**2, rel=1e-2)


@given(st.floats(1.05, 5.9), starts)
def test_the_mean_logarithm_gives_the_exponent(a: float, q: float) -> None:
    value, slope, _ = hurwitz_zeta_derivatives(a, q)
    assert fit_exponent(-slope / value, q) == pytest.approx(a, rel=1e-7)


def test_an_exponent_out_of_range_is_clipped() -> None:
    assert fit_exponent(0.0, 1.0) == pytest.approx(MAX_EXPONENT)
    assert fit_exponent(1e6, 1.0) == pytest.approx(MIN_EXPONENT)


@given(exponents, st.integers(1, 50).map(float))
def test_survival_falls_by_the_probability_of_each_value(a: float, q: float) -> None:
    reach = power_law_survival(a, q, q + np.arange(30))
    assert reach[0] == 1
    np.testing.assert_allclose(
        -np.diff(reach), (q + np.arange(29)) ** -a / hurwitz_zeta(a, q), rtol=1e-8
    )


numbers = st.lists(st.integers(1, 60), min_size=5, max_size=80)


@given(numbers, st.floats(1.2, 5.0))
def test_ks_distance_is_the_largest_gap_over_all_integers(found: list[int], a: float) -> None:
    counted = ValueCounts.of(found)
    low, high = min(found), max(found)
    every = np.arange(low, high + 1)
    law = 1 - zeta(a, every + 1.0) / zeta(a, float(low))
    share = np.array([np.mean(np.array(found) <= x) for x in every])
    gap = ks_distance(counted.values, counted.tail_counts, 0, a, 2.0)
    assert gap == pytest.approx(np.abs(law - share).max(), abs=1e-12)


@given(numbers, st.floats(0.01, 0.5))
def test_a_closer_fit_is_one_of_smaller_distance(found: list[int], distance: float) -> None:
    counted = ValueCounts.of(found)
    starts = np.arange(len(counted.values) - 1, dtype=np.int32)
    parts = counted.values, counted.tail_counts, counted.tail_log_sums, starts
    gaps = fit_tails(*parts)[:, 1]
    assert has_closer_fit(*parts, distance) == bool((gaps < distance).any())


@given(st.floats(1.2, 4.0), st.integers(1, 5000).map(float), st.floats(1e-6, 1.0))
def test_a_quantile_is_the_largest_with_its_probability(
    a: float, q: float, probability: float
) -> None:
    x = inverse_survival(a, q, np.array([probability]))[0]
    assert q <= x <= MAX_SAMPLE
    goal = probability * zeta(a, q)
    assert zeta(a, x) >= goal * (1 - 1e-9) or x == q
    if x < MAX_SAMPLE:
        assert zeta(a, x + 1) < goal * (1 + 1e-9)
