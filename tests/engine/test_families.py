"""Laws fitted by largest likelihood: known ones are found again, and slopes are zero."""

from collections.abc import Callable

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.engine.families import fit_law, spread
from weft.engine.zeta import zeta


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
def test_points_add_up_to_zeta(a: float, start: float) -> None:
    points, room = spread(start)
    assert float(room @ points**-a) == pytest.approx(zeta(a, start), rel=1e-6)


@pytest.mark.parametrize(("terms", "weights"), KNOWN)
@pytest.mark.parametrize("start", [1.0, 20.0])
def test_a_law_is_found_from_the_numbers_it_makes(
    terms: Callable[[Floats], Floats], weights: list[float], start: float
) -> None:
    """Counts in the very proportions of the law have it as their best."""
    points, room = spread(start)
    counts = room * np.exp(-terms(points) @ np.array(weights))
    some = counts > 1e-14 * counts.max()
    found = fit_law(terms, points[some], counts[some])
    np.testing.assert_allclose(found.weights, weights, rtol=1e-4)
    assert float(np.exp(found.logs(points)) @ room) == pytest.approx(1)


def test_a_rate_below_zero_would_fit_better_and_is_not_taken() -> None:
    values = np.array([1.0, 2.0, 1000.0])
    found = fit_law(truncated, values, np.array([500.0, 100.0, 50.0]))
    assert 0 <= found.weights[1] < 1e-9
    alone = fit_law(power, values, np.array([500.0, 100.0, 50.0]))
    np.testing.assert_allclose(found.logs(values), alone.logs(values), rtol=1e-6)


def test_chances_fall_from_one() -> None:
    law = fit_law(exponential, np.arange(3.0, 60), 0.9 ** np.arange(57.0))
    reach = law.at_least(np.array([3.0, 4.0, 13.0]), 3.0)
    assert reach[0] == pytest.approx(1)
    assert reach[2] / reach[1] == pytest.approx((reach[1] / reach[0]) ** 9)
