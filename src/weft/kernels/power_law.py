"""Discrete power laws and exponential families, fitted by maximum likelihood.

The power law is p(x) = x^-a / zeta(a, q) for integers x >= q, with the Hurwitz
zeta function (Clauset, Shalizi and Newman 2009). Alternatives are exponential
families p(x) = exp(-sum of weights * terms(x)) / norm: their likelihood has one
maximum, where the fitted and the observed means of the terms agree.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.core.arrays import Floats
from weft.kernels.compiler import njit

EULER_MACLAURIN_START = 12.0
# B_2k / (2k)! of the Bernoulli numbers, k = 1 to 6
BERNOULLI = np.array(
    [1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000]
)
MIN_EXPONENT, MAX_EXPONENT = 1.01, 6.0
MAX_EXPONENT_ITER = 60
MAX_SAMPLE = 2.0**50
LOG_MAX_SAMPLE = np.log(MAX_SAMPLE)
EXACT_TERMS, TAIL_PANELS, PANEL_LOG_WIDTH = 1024, 160, 0.5
MAX_NEWTON_ITER, NEWTON_TOL = 200, 1e-14
SufficientStatistics = Callable[[Floats], Floats]


@njit(nogil=True, cache=True)
def hurwitz_zeta(a: float, q: float) -> Any:
    """The Hurwitz zeta function: the sum of (q + k)^-a over all k >= 0.

    Terms below `EULER_MACLAURIN_START` are added one by one, the others by the
    Euler-Maclaurin formula.

    Examples
    --------
    >>> round(hurwitz_zeta(2.0, 1.0) * 6 / np.pi**2, 12)
    1.0
    """
    total = 0.0
    while q < EULER_MACLAURIN_START:
        total += q**-a
        q += 1.0
    power = q**-a
    total += power * (q / (a - 1.0) + 0.5)
    rising = a * power / q  # a (a + 1) … (a + 2k) / q^(a + 2k + 1)
    for k in range(BERNOULLI.size):
        total += BERNOULLI[k] * rising
        rising *= (a + 2 * k + 1.0) * (a + 2 * k + 2.0) / (q * q)
    return total


@njit(nogil=True, cache=True)
def hurwitz_zeta_derivatives(a: float, q: float) -> tuple[float, float, float]:
    """The Hurwitz zeta function with its first and second derivative by `a`."""
    value, first, second = 0.0, 0.0, 0.0
    while q < EULER_MACLAURIN_START:
        power, log = q**-a, np.log(q)
        value += power
        first -= power * log
        second += power * log * log
        q += 1.0
    # the integral of x^-a from q on, and half of the first term
    power, log, inverse = q**-a, np.log(q), 1.0 / (a - 1.0)
    integral = power * q * inverse
    value += integral + 0.5 * power
    first -= integral * (log + inverse) + 0.5 * power * log
    second += integral * ((log + inverse) ** 2 + inverse * inverse) + 0.5 * power * log * log
    # d ln(rising) / da, and minus its derivative, along with the rising factorial
    rising, log_slope, log_bend = a * power / q, 1.0 / a - log, 1.0 / (a * a)
    for k in range(BERNOULLI.size):
        term = BERNOULLI[k] * rising
        value += term
        first += term * log_slope
        second += term * (log_slope * log_slope - log_bend)
        for factor in (a + 2 * k + 1.0, a + 2 * k + 2.0):
            rising *= factor / q
            log_slope += 1.0 / factor
            log_bend += 1.0 / (factor * factor)
    return value, first, second


@njit(nogil=True, cache=True)
def fit_exponent(mean_log: float, q: float) -> Any:
    """The maximum-likelihood exponent for integers from `q` on with that mean of ln x.

    The expected mean is -zeta'(a, q) / zeta(a, q), which decreases with a.
    Newton's method solves for a, within `MIN_EXPONENT` and `MAX_EXPONENT`.
    """
    low, high = MIN_EXPONENT, MAX_EXPONENT
    a = min(max(1.0 + 1.0 / max(mean_log - np.log(q - 0.5), 1e-9), MIN_EXPONENT), MAX_EXPONENT)
    for _ in range(MAX_EXPONENT_ITER):
        value, first, second = hurwitz_zeta_derivatives(a, q)
        excess = -first / value - mean_log
        if excess > 0:
            low = a
        else:
            high = a
        slope = (first / value) ** 2 - second / value
        new = a - excess / slope
        if not low <= new <= high:
            new = 0.5 * (low + high)
        if abs(new - a) < 1e-14 * a:
            return new
        a = new
    return a


@njit(nogil=True, cache=True)
def power_law_survival(a: float, q: Any, values: Any) -> Any:
    """P(X >= x) of the power law from `q` on, for each value x."""
    norm = hurwitz_zeta(a, q)
    survival = np.empty(values.size)
    for k in range(values.size):
        survival[k] = hurwitz_zeta(a, values[k]) / norm
    return survival


@njit(nogil=True, cache=True)
def fit_tails(values: Any, tail_counts: Any, tail_log_sums: Any, starts: Any) -> Any:
    """For the tail from each start on: the exponent and the KS distance."""
    fits = np.empty((starts.size, 2))
    for k in range(starts.size):
        start = starts[k]
        fits[k, 0] = fit_exponent(tail_log_sums[start] / tail_counts[start], values[start])
        fits[k, 1] = ks_distance(values, tail_counts, start, fits[k, 0], 2.0)
    return fits


@njit(nogil=True, cache=True)
def has_closer_fit(
    values: Any, tail_counts: Any, tail_log_sums: Any, starts: Any, distance: float
) -> bool:
    """Whether some tail has a smaller KS distance to its fit than that."""
    for k in range(starts.size):
        start = starts[k]
        a = fit_exponent(tail_log_sums[start] / tail_counts[start], values[start])
        if ks_distance(values, tail_counts, start, a, distance) < distance:
            return True
    return False


@njit(nogil=True, cache=True)
def ks_distance(values: Any, tail_counts: Any, start: int, a: float, stop_at: float) -> float:
    """The Kolmogorov-Smirnov distance: the largest gap between both distribution functions.

    Between two observed values the gap is largest just before the second, so
    that both sides of each value are enough. Stops once the gap is `stop_at`.
    """
    norm, count = hurwitz_zeta(a, values[start]), tail_counts[start]
    gap = 0.0
    for k in range(start, values.size):
        above = hurwitz_zeta(a, values[k] + 1.0)
        before = (above + values[k] ** -a) / norm
        gap = max(gap, abs(before - tail_counts[k] / count))
        gap = max(gap, abs(above / norm - tail_counts[k + 1] / count))
        if gap >= stop_at:
            break
    return gap


@njit(nogil=True, cache=True)
def inverse_survival(a: float, q: float, probabilities: Any) -> Any:
    """Quantiles of the power law from `q` on: the largest x with P(X >= x) >= probability.

    The integral in place of the sum gives x up to a step or two. None is above
    `MAX_SAMPLE`, where floats have no integers left.
    """
    norm = hurwitz_zeta(a, q)
    quantiles = np.empty(probabilities.size)
    for k in range(probabilities.size):
        goal = probabilities[k] * norm
        log = -np.log((a - 1.0) * goal) / (a - 1.0)
        x = MAX_SAMPLE if log >= LOG_MAX_SAMPLE else max(np.floor(np.exp(log) + 0.5), q)
        while x > q and hurwitz_zeta(a, x) < goal:
            x -= 1.0
        while x < MAX_SAMPLE and hurwitz_zeta(a, x + 1.0) >= goal:
            x += 1.0
        quantiles[k] = x
    return quantiles


@dataclass(frozen=True, slots=True, eq=False)
class ExponentialFamily:
    """A fitted distribution: its terms, their weights, and the logarithm of the norm."""

    terms: SufficientStatistics
    weights: Floats
    log_norm: float

    def log_pmf(self, values: Floats) -> Floats:
        """The log probability of each value."""
        log_probabilities: Floats = -self.terms(values) @ self.weights - self.log_norm
        return log_probabilities

    def survival(self, values: Floats, start: float) -> Floats:
        """P(X >= x) for each value x, of the distribution from `start` on.

        Interpolated where the tail is integrated, which is enough for plots.
        """
        points, point_weights = summation_quadrature(start)
        mass = np.exp(self.log_pmf(points)) * point_weights
        tail_mass = np.cumsum(mass[::-1])[::-1] - np.where(point_weights == 1, 0, mass / 2)
        logs = np.log(np.maximum(tail_mass, np.finfo(float).tiny))
        probabilities: Floats = np.exp(np.interp(np.log(values), np.log(points), logs))
        return probabilities


def summation_quadrature(start: float) -> tuple[Floats, Floats]:
    """Points and weights whose weighted sum is the sum over all integers from `start` on.

    The first 1,024 integers count one by one. The others are an integral over
    ln x, by Gauss-Legendre quadrature in panels, from half a step before the
    next integer on.
    """
    integers = start + np.arange(EXACT_TERMS)
    nodes, node_weights = np.polynomial.legendre.leggauss(8)
    middle = np.log(integers[-1] + 0.5) + PANEL_LOG_WIDTH * (np.arange(TAIL_PANELS) + 0.5)
    tail = np.exp(middle[:, None] + PANEL_LOG_WIDTH / 2 * nodes)
    tail_weights = tail * node_weights * PANEL_LOG_WIDTH / 2
    return np.append(integers, tail), np.append(np.ones(EXACT_TERMS), tail_weights)


def fit_exponential_family(
    terms: SufficientStatistics, values: Floats, counts: Floats
) -> ExponentialFamily:
    """Maximum-likelihood weights for observed values, the last of them positive.

    Newton's method with backtracking. A step that would make the last weight
    negative leaves a tenth of it, and the others are solved for that.
    """
    points, point_weights = summation_quadrature(float(values[0]))
    point_terms, value_terms = terms(points), terms(values)
    mean = counts / counts.sum() @ value_terms
    weights = 1 / np.maximum(value_terms[-1], 1e-9)
    weights[0] = 1 + 1 / max(float(mean[0] - value_terms[0, 0]), 1e-3)
    log_norm, expected, covariance = _log_norm_and_moments(point_terms, point_weights, weights)
    for _ in range(MAX_NEWTON_ITER):
        gradient = mean - expected
        step = -np.linalg.lstsq(covariance, gradient)[0]
        if weights[-1] + step[-1] <= 0:
            step[-1] = -0.9 * weights[-1]
            reduced = gradient[:-1] + covariance[:-1, -1] * step[-1]
            step[:-1] = -np.linalg.lstsq(covariance[:-1, :-1], reduced)[0]
        gain = float(gradient @ step)
        if abs(gain) < NEWTON_TOL:
            break
        cost, size = log_norm + float(mean @ weights), 1.0
        while size > NEWTON_TOL:
            candidate = weights + size * step
            log_norm, expected, covariance = _log_norm_and_moments(
                point_terms, point_weights, candidate
            )
            if log_norm + float(mean @ candidate) <= cost + 1e-4 * size * gain:
                break
            size /= 2
        else:
            break
        weights = candidate
    return ExponentialFamily(
        terms, weights, _log_norm_and_moments(point_terms, point_weights, weights)[0]
    )


def _log_norm_and_moments(
    term_values: Floats, point_weights: Floats, weights: Floats
) -> tuple[float, Floats, Floats]:
    """The log of the norm of the distribution, and mean and covariance of its terms."""
    log_mass = -term_values @ weights
    largest = float(log_mass.max())
    mass = point_weights * np.exp(log_mass - largest)
    positive = mass > 0
    probabilities, terms = mass[positive] / mass.sum(), term_values[positive]
    mean = probabilities @ terms
    centred = terms - mean
    return largest + float(np.log(mass.sum())), mean, (centred * probabilities[:, None]).T @ centred
