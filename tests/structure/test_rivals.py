"""Which law fits better: where it is known, and as powerlaw has it."""

import numpy as np
import powerlaw
import pytest

from weft.structure.goodness import draw_law
from weft.structure.powerlaw import Counted, PowerLaw, Search, fit, fits
from weft.structure.rivals import Rival, rivals


def compared(numbers: Counted, start: float) -> dict[str, Rival]:
    law = next(law for law in fits(numbers, Search()) if law.start == start)
    return {rival.name: rival for rival in rivals(numbers, law)}


def log_normal(seed: int = 3, size: int = 5000) -> np.ndarray:
    numbers = np.exp(np.random.default_rng(seed).normal(1.5, 1.3, size)).round()
    return numbers[numbers > 0]


def test_powerlaw_finds_the_same() -> None:
    """Its log-normal is one of real numbers, rounded; so the last digits differ."""
    numbers = log_normal()
    ours = compared(Counted.of(numbers), 8.0)
    theirs = powerlaw.Fit(numbers, discrete=True, estimate_discrete=False, xmin=8.0, verbose=0)
    names = {
        "log-normal": "lognormal",
        "exponential": "exponential",
        "truncated power law": "truncated_power_law",
    }
    for name, other in names.items():
        ratio, p = theirs.distribution_compare("power_law", other, normalized_ratio=True)
        assert ours[name].ratio == pytest.approx(float(ratio), rel=2e-3)
        assert ours[name].p == pytest.approx(float(p), abs=1e-4)
    weights = ours["truncated power law"].law.weights
    assert weights[0] == pytest.approx(float(theirs.truncated_power_law.alpha), rel=1e-3)
    assert weights[1] == pytest.approx(float(theirs.truncated_power_law.Lambda), rel=1e-3)
    assert ours["log-normal"].spelled == "mean of logarithms 1.56, deviation 1.27"


def test_the_true_law_wins() -> None:
    assert compared(Counted.of(log_normal()), 4.0)["log-normal"].fits == "better"
    steps = Counted.of(np.random.default_rng(1).geometric(0.1, 5000))
    assert compared(steps, 2.0)["exponential"].fits == "better"
    pure = draw_law(PowerLaw(2.3, 2.0, 0, 0), 20_000, np.random.default_rng(2))
    assert compared(pure, 2.0)["exponential"].fits == "worse"
    assert compared(pure, 2.0)["truncated power law"].fits == "as well"


def test_the_exponential_is_the_geometric_law() -> None:
    numbers = np.random.default_rng(4).geometric(0.05, 3000)
    rate = compared(Counted.of(numbers), 5.0)["exponential"].law.weights[0]
    beyond = numbers[numbers >= 5]
    assert 1 - np.exp(-rate) == pytest.approx(1 / (beyond.mean() - 5 + 1), rel=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_laws_that_hold_the_power_law_fit_no_worse(seed: int) -> None:
    drawn = draw_law(PowerLaw(2.2, 1.0, 0, 0), 3000, np.random.default_rng(seed))
    law = fit(drawn)
    assert law is not None
    for rival in rivals(drawn, law):
        if rival.name != "exponential":
            assert rival.ratio <= 1e-3
            assert rival.fits != "worse"
