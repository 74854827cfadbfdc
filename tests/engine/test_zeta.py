"""The zeta function of Hurwitz, against SciPy's and by its own definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import zeta as other

from weft.engine.zeta import HIGH, LOW, at_least, exponent, zeta, zeta_slopes

exponents = st.floats(1.05, 6.0)
starts = st.integers(1, 10**6).map(float)


@given(exponents, starts)
def test_it_is_what_scipy_has(a: float, q: float) -> None:
    assert zeta(a, q) == pytest.approx(float(other(a, q)), rel=1e-11)


@given(exponents, starts)
def test_slopes_are_differences(a: float, q: float) -> None:
    value, slope, bend = zeta_slopes(a, q)
    step = 1e-4 * (a - 1)
    before, after = zeta(a - step, q), zeta(a + step, q)
    assert value == pytest.approx(zeta(a, q), rel=1e-13)
    assert slope == pytest.approx((after - before) / (2 * step), rel=1e-4)
    assert bend == pytest.approx((after - 2 * value + before) / step**2, rel=1e-2)


@given(st.floats(1.05, 5.9), starts)
def test_the_mean_of_logarithms_leads_back_to_the_exponent(a: float, q: float) -> None:
    value, slope, _ = zeta_slopes(a, q)
    assert exponent(-slope / value, q) == pytest.approx(a, rel=1e-7)


def test_beyond_its_range_an_exponent_is_at_the_end() -> None:
    assert exponent(0.0, 1.0) == pytest.approx(HIGH)
    assert exponent(1e6, 1.0) == pytest.approx(LOW)


@given(exponents, st.integers(1, 50).map(float))
def test_chances_fall_from_one_by_those_of_each_number(a: float, q: float) -> None:
    reach = at_least(a, q, q + np.arange(30))
    assert reach[0] == 1
    np.testing.assert_allclose(-np.diff(reach), (q + np.arange(29)) ** -a / zeta(a, q), rtol=1e-8)
