"""The Hurwitz zeta function, its slopes, and the power law of whole numbers that it makes."""

from typing import Any

import numpy as np
from numba import njit

FAR = 12.0
BERNOULLI = np.array(
    [1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000]
)
LOW, HIGH = 1.01, 6.0
ROUNDS = 60


@njit(nogil=True, cache=True)
def zeta(a: float, q: float) -> Any:
    """The sum of `(q + k) ** -a` over k = 0, 1, 2 and so on.

    Terms up to `FAR` are added one by one, the rest by Euler and Maclaurin.

    Examples
    --------
    >>> round(zeta(2.0, 1.0) * 6 / np.pi**2, 12)
    1.0
    """
    whole = 0.0
    while q < FAR:
        whole += q**-a
        q += 1.0
    power = q**-a
    whole += power * (q / (a - 1.0) + 0.5)
    rising = a * power / q
    for k in range(BERNOULLI.size):
        whole += BERNOULLI[k] * rising
        rising *= (a + 2 * k + 1.0) * (a + 2 * k + 2.0) / (q * q)
    return whole


@njit(nogil=True, cache=True)
def zeta_slopes(a: float, q: float) -> tuple[float, float, float]:
    """Zeta with its first and second derivative by `a`."""
    whole, slope, bend = 0.0, 0.0, 0.0
    while q < FAR:
        power, log = q**-a, np.log(q)
        whole += power
        slope -= power * log
        bend += power * log * log
        q += 1.0
    power, log, less = q**-a, np.log(q), 1.0 / (a - 1.0)
    rest = power * q * less
    whole += rest + 0.5 * power
    slope -= rest * (log + less) + 0.5 * power * log
    bend += rest * ((log + less) ** 2 + less * less) + 0.5 * power * log * log
    rising, one, two = a * power / q, 1.0 / a - log, 1.0 / (a * a)
    for k in range(BERNOULLI.size):
        term = BERNOULLI[k] * rising
        whole += term
        slope += term * one
        bend += term * (one * one - two)
        for factor in (a + 2 * k + 1.0, a + 2 * k + 2.0):
            rising *= factor / q
            one += 1.0 / factor
            two += 1.0 / (factor * factor)
    return whole, slope, bend


@njit(nogil=True, cache=True)
def exponent(mean_log: float, q: float) -> Any:
    """The exponent of largest likelihood for numbers from `q` on with that mean of logarithms.

    Under the law the mean is `-zeta'(a, q) / zeta(a, q)`, which falls with a;
    Newton finds where it is as given, inside a bracket from `LOW` to `HIGH`.
    """
    low, high = LOW, HIGH
    a = min(max(1.0 + 1.0 / max(mean_log - np.log(q - 0.5), 1e-9), LOW), HIGH)
    for _ in range(ROUNDS):
        whole, slope, bend = zeta_slopes(a, q)
        over = -slope / whole - mean_log
        if over > 0:
            low = a
        else:
            high = a
        fall = (slope / whole) ** 2 - bend / whole
        new = a - over / fall
        if not low <= new <= high:
            new = 0.5 * (low + high)
        if abs(new - a) < 1e-14 * a:
            return new
        a = new
    return a


@njit(nogil=True, cache=True)
def at_least(a: float, q: Any, values: Any) -> Any:
    """The chance that a number of the law from `q` on is as large as each value."""
    whole = zeta(a, q)
    found = np.empty(values.size)
    for k in range(values.size):
        found[k] = zeta(a, values[k]) / whole
    return found
