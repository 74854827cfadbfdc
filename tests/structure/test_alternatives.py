"""Alternatives to the power law: known cases, and as the powerlaw package has them."""

import numpy as np
import powerlaw
import pytest

from weft.structure.power_law import (
    AlternativeFit,
    PowerLaw,
    TailSearch,
    ValueCounts,
    fit_alternatives,
    fit_every_tail,
    fit_power_law,
    sample_power_law,
)


def compared(numbers: ValueCounts, start: float) -> dict[str, AlternativeFit]:
    law = next(law for law in fit_every_tail(numbers, TailSearch()) if law.x_min == start)
    return {fit.name: fit for fit in fit_alternatives(numbers, law)}


def log_normal(seed: int = 3, size: int = 5000) -> np.ndarray:
    numbers = np.exp(np.random.default_rng(seed).normal(1.5, 1.3, size)).round()
    return numbers[numbers > 0]


@pytest.mark.slow
def test_powerlaw_finds_the_same() -> None:
    """Its log-normal is one of real numbers, rounded; so the last digits differ."""
    numbers = log_normal()
    ours = compared(ValueCounts.of(numbers), 8.0)
    theirs = powerlaw.Fit(numbers, discrete=True, estimate_discrete=False, xmin=8.0, verbose=0)
    names = {
        "log-normal": "lognormal",
        "exponential": "exponential",
        "truncated power law": "truncated_power_law",
    }
    for name, other in names.items():
        ratio, p = theirs.distribution_compare("power_law", other, normalized_ratio=True)
        assert ours[name].vuong_ratio == pytest.approx(float(ratio), rel=2e-3)
        assert ours[name].p_value == pytest.approx(float(p), abs=1e-4)
    weights = ours["truncated power law"].distribution.weights
    assert weights[0] == pytest.approx(float(theirs.truncated_power_law.alpha), rel=1e-3)
    assert weights[1] == pytest.approx(float(theirs.truncated_power_law.Lambda), rel=1e-3)
    assert ours["log-normal"].parameter_summary == "mean of logarithms 1.56, deviation 1.27"


def test_the_true_law_wins() -> None:
    assert compared(ValueCounts.of(log_normal()), 4.0)["log-normal"].verdict == "better"
    steps = ValueCounts.of(np.random.default_rng(1).geometric(0.1, 5000))
    assert compared(steps, 2.0)["exponential"].verdict == "better"
    pure = sample_power_law(PowerLaw(2.3, 2.0, 0, 0), 20_000, np.random.default_rng(2))
    assert compared(pure, 2.0)["exponential"].verdict == "worse"
    assert compared(pure, 2.0)["truncated power law"].verdict == "as well"


def test_the_exponential_is_the_geometric_law() -> None:
    numbers = np.random.default_rng(4).geometric(0.05, 3000)
    rate = compared(ValueCounts.of(numbers), 5.0)["exponential"].distribution.weights[0]
    beyond = numbers[numbers >= 5]
    assert 1 - np.exp(-rate) == pytest.approx(1 / (beyond.mean() - 5 + 1), rel=1e-5)


def test_the_exponential_is_fitted_to_values_beyond_the_range_of_floats() -> None:
    """exp(-rate x) of the largest is 0 as a float: powerlaw counts the smallest float instead."""
    numbers = np.append(np.random.default_rng(5).geometric(0.3, 3000), [9_000, 9_500])
    fit = compared(ValueCounts.of(numbers), 1.0)["exponential"]
    assert fit.distribution.weights[0] == pytest.approx(np.log1p(1 / (numbers.mean() - 1)))
    assert fit.distribution.log_pmf(np.array([9_500.0]))[0] < np.log(np.finfo(float).tiny)


@pytest.mark.parametrize("seed", range(5))
def test_laws_that_contain_the_power_law_fit_no_worse(seed: int) -> None:
    drawn = sample_power_law(PowerLaw(2.2, 1.0, 0, 0), 3000, np.random.default_rng(seed))
    law = fit_power_law(drawn)
    assert law is not None
    for fit in fit_alternatives(drawn, law):
        if fit.name != "exponential":
            assert fit.vuong_ratio <= 1e-3
            assert fit.verdict != "worse"
