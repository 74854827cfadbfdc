"""Discrete power laws after Clauset, Shalizi and Newman: fit, bootstrap test, alternatives."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import erfc, sqrt
from typing import Any, NamedTuple

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.progress import track
from weft.kernels.power_law import ExponentialFamily, fit_exponential_family

MULTINOMIAL_VALUES = 2048
SIGNIFICANCE_LEVEL, EQUAL_FIT_TOLERANCE = 0.1, 1e-6


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Distinct positive integers in ascending order, and how often each occurs."""

    values: Floats
    counts: Offsets

    @classmethod
    def of(cls, numbers: Any) -> "ValueCounts":
        """Count numbers without the zeros, which no power law covers.

        Examples
        --------
        >>> ValueCounts.of([3, 0, 1, 1]).counts.tolist()
        [2, 1]
        """
        counts = np.bincount(np.asarray(numbers).astype(np.int64))
        values = np.flatnonzero(counts[1:]) + 1 if len(counts) else np.zeros(0, np.int64)
        return cls(values.astype(np.float64), counts[values])

    @cached_property
    def tail_counts(self) -> Offsets:
        """How many numbers are at least as large as each value; then a zero."""
        return np.append(np.cumsum(self.counts[::-1])[::-1], 0)

    @cached_property
    def tail_log_sums(self) -> Floats:
        """The sum of log x over the numbers at least as large as each value; then a zero."""
        sums = np.cumsum((self.counts * np.log(self.values))[::-1])
        return np.append(sums[::-1], 0.0)

    def tail(self, x_min: float) -> "ValueCounts":
        """The numbers that are at least `x_min`."""
        kept = self.values >= x_min
        return ValueCounts(self.values[kept], self.counts[kept])

    def __len__(self) -> int:
        return int(self.counts.sum())


class PowerLaw(NamedTuple):
    """The power law p(x) = x^-exponent / zeta(exponent, x_min) for integers x >= x_min.

    `ks_distance` is the distance of Kolmogorov and Smirnov: the largest
    difference between the fitted and the empirical distribution function.
    `tail_size` is the number of values fitted.
    """

    exponent: float
    x_min: float
    ks_distance: float
    tail_size: int

    @property
    def standard_error(self) -> float:
        """The standard error of the exponent: (exponent - 1) / sqrt(n)."""
        return (self.exponent - 1) / float(np.sqrt(self.tail_size))

    def log_pmf(self, values: Floats) -> Floats:
        """The logarithm of the probability of each value."""
        from weft.kernels.power_law import hurwitz_zeta  # noqa: PLC0415  loads the compiler

        normalizer = hurwitz_zeta(self.exponent, self.x_min)
        log_pmf: Floats = -self.exponent * np.log(values) - np.log(normalizer)
        return log_pmf

    def survival(self, values: Floats) -> Floats:
        """The probability P(X >= x) for each value x."""
        from weft.kernels.power_law import power_law_survival  # noqa: PLC0415  loads the compiler

        survival: Floats = power_law_survival(
            self.exponent, self.x_min, np.asarray(values, np.float64)
        )
        return survival


class TailSearch(NamedTuple):
    """Limits of the search for x_min: the size of a tail, and the number of starts to try."""

    min_tail: int = 50
    max_starts: int = 500

    def candidate_starts(self, data: ValueCounts) -> Ids:
        """The positions of values where a tail may start, evenly chosen if there are many.

        The largest value alone makes no tail.
        """
        long_enough = np.flatnonzero(data.tail_counts[:-1] >= self.min_tail)
        starts = long_enough[long_enough < len(data.values) - 1]
        if len(starts) > self.max_starts:
            starts = starts[np.linspace(0, len(starts) - 1, self.max_starts).round().astype(int)]
        return starts.astype(np.int32)


DEFAULT_TAIL_SEARCH = TailSearch()


def fit_every_tail(data: ValueCounts, search: TailSearch) -> list[PowerLaw]:
    """Fit the tail from each candidate start on by maximum likelihood."""
    from weft.kernels.power_law import fit_tails  # noqa: PLC0415  loads the compiler

    starts = search.candidate_starts(data)
    fits = fit_tails(data.values, data.tail_counts, data.tail_log_sums, starts)
    return [
        PowerLaw(float(a), float(data.values[at]), float(distance), int(data.tail_counts[at]))
        for at, (a, distance) in zip(starts.tolist(), fits, strict=True)
    ]


def fit_power_law(data: ValueCounts, search: TailSearch = DEFAULT_TAIL_SEARCH) -> PowerLaw | None:
    """Fit a power law with the x_min of least KS distance.

    None where there are too few numbers, or all are the same.

    Examples
    --------
    >>> law = fit_power_law(ValueCounts.of([1] * 60 + [2] * 16 + [3] * 8 + [4] * 4 + [5] * 3))
    >>> law.x_min, round(law.exponent, 3)
    (1.0, 2.386)
    """
    return min(fit_every_tail(data, search), key=lambda law: law.ks_distance, default=None)


def bootstrap_p_value(
    data: ValueCounts, power_law: PowerLaw, search: TailSearch, samples: int, seed: int
) -> float:
    """The p-value of a fit by the semi-parametric bootstrap; small ones speak against it.

    It is the share of samples whose own best fit has no smaller KS distance
    than that of the data. The search for x_min is repeated in every sample.
    """
    from weft.kernels.power_law import has_closer_fit  # noqa: PLC0415  loads the compiler

    no_closer = 0
    for k in track(range(samples), "bootstrap", samples):
        sample = draw_bootstrap_sample(data, power_law, np.random.default_rng([seed, k]))
        no_closer += not has_closer_fit(
            sample.values,
            sample.tail_counts,
            sample.tail_log_sums,
            search.candidate_starts(sample),
            power_law.ks_distance,
        )
    return no_closer / samples


def draw_bootstrap_sample(
    data: ValueCounts, power_law: PowerLaw, rng: np.random.Generator
) -> ValueCounts:
    """Draw as many numbers as the data has: its body resampled, its tail from the power law."""
    n, is_body = len(data), data.values < power_law.x_min
    tail_size = int(rng.binomial(n, power_law.tail_size / n))
    tail = sample_power_law(power_law, tail_size, rng)
    if not is_body.any():
        return tail
    body_counts = data.counts[is_body]
    body = rng.multinomial(n - tail_size, body_counts / body_counts.sum())
    values = np.concatenate([data.values[is_body][body > 0], tail.values])
    return ValueCounts(values, np.concatenate([body[body > 0], tail.counts]))


def sample_power_law(power_law: PowerLaw, size: int, rng: np.random.Generator) -> ValueCounts:
    """Draw numbers from a power law.

    The counts of the first values are one multinomial draw, so that millions
    of numbers cost little; larger values are drawn one by one, by inversion.
    """
    from weft.kernels.power_law import inverse_survival  # noqa: PLC0415  loads the compiler

    first = power_law.x_min + np.arange(MULTINOMIAL_VALUES + 1.0)
    survival = power_law.survival(first)
    # p(x) = P(X >= x) - P(X >= x + 1); the last class is everything beyond
    counts = rng.multinomial(size, np.append(-np.diff(survival), survival[-1]))
    beyond = inverse_survival(power_law.exponent, first[-1], 1 - rng.random(int(counts[-1])))
    beyond_values, beyond_counts = np.unique(beyond, return_counts=True)
    drawn = np.flatnonzero(counts[:-1])
    return ValueCounts(
        np.concatenate([first[drawn], beyond_values]),
        np.concatenate([counts[drawn], beyond_counts]).astype(np.int64),
    )


def _log_normal_statistics(x: Floats) -> Floats:
    return np.column_stack([np.log(x), np.log(x) ** 2])


def _exponential_statistics(x: Floats) -> Floats:
    return np.asarray(x, np.float64)[:, None]


def _truncated_power_law_statistics(x: Floats) -> Floats:
    return np.column_stack([np.log(x), x])


# sufficient statistics t(x) of exponential families: p(x) is proportional to exp(-w . t(x))
ALTERNATIVE_TERMS: dict[str, Callable[[Floats], Floats]] = {
    "log-normal": _log_normal_statistics,
    "exponential": _exponential_statistics,
    "truncated power law": _truncated_power_law_statistics,
}
NESTING_ALTERNATIVE = "truncated power law"


@dataclass(frozen=True, slots=True, eq=False)
class AlternativeFit:
    """Another distribution fitted to the tail of a power law, compared with it by Vuong's test.

    `vuong_ratio` is the normalized log-likelihood ratio: positive speaks for
    the power law, negative for the alternative. `p_value` is the probability
    of a ratio at least as far from zero if both fit equally well.
    """

    name: str
    distribution: ExponentialFamily
    vuong_ratio: float
    p_value: float

    @property
    def verdict(self) -> str:
        """Whether it fits worse than the power law, as well, or better."""
        if self.p_value >= SIGNIFICANCE_LEVEL:
            return "as well"
        return "worse" if self.vuong_ratio > 0 else "better"

    @property
    def parameter_summary(self) -> str:
        """Its parameters, by the names of its textbook form."""
        first, last = float(self.distribution.weights[0]), float(self.distribution.weights[-1])
        if self.name == "exponential":
            return f"rate {last:.3g}"
        if self.name == NESTING_ALTERNATIVE:
            return f"exponent {first:.4g}, rate {last:.3g}"
        # exp(-(first log x + last log^2 x)) is log-normal: last = 1 / (2 sigma^2)
        variance = 1 / (2 * last)
        if variance > 1 / EQUAL_FIT_TOLERANCE:
            return "no different from the power law"
        return f"mean of logarithms {(1 - first) * variance:.3g}, deviation {sqrt(variance):.3g}"


def fit_alternatives(data: ValueCounts, power_law: PowerLaw) -> list[AlternativeFit]:
    """Fit each alternative to the tail of a power law and compare the two."""
    tail = data.tail(power_law.x_min)
    power_law_log_pmf = power_law.log_pmf(tail.values)
    fits = []
    for name, terms in ALTERNATIVE_TERMS.items():
        fitted = fit_exponential_family(terms, tail.values, tail.counts.astype(np.float64))
        log_ratios = power_law_log_pmf - fitted.log_pmf(tail.values)
        fits.append(AlternativeFit(name, fitted, *vuong_test(log_ratios, tail, name)))
    return fits


def vuong_test(log_ratios: Floats, tail: ValueCounts, alternative: str) -> tuple[float, float]:
    """Vuong's ratio and its p-value, from the log-likelihood ratio of each value.

    The truncated power law contains the power law; for nested distributions
    twice the log-likelihood ratio has a chi-square distribution, as in Clauset,
    Shalizi and Newman. An alternative whose fit equals the power law is neither
    better nor worse.
    """
    n = len(tail)
    mean = float(log_ratios @ tail.counts) / n
    deviation = sqrt(float((log_ratios - mean) ** 2 @ tail.counts) / n)
    if deviation < EQUAL_FIT_TOLERANCE:
        return 0.0, 1.0
    ratio = mean * sqrt(n) / deviation
    if alternative == NESTING_ALTERNATIVE:
        return ratio, erfc(sqrt(abs(mean * n)))
    return ratio, erfc(abs(ratio) / sqrt(2))
