"""The law of surfing: the number of pages that visitors view is inverse Gaussian."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weft.core.arrays import Floats


@dataclass(frozen=True, slots=True)
class InverseGaussian:
    """The inverse Gaussian distribution with mean `mu` and shape `lam`.

    f(x) = sqrt(lam / (2 pi x^3)) exp(-lam (x - mu)^2 / (2 mu^2 x)), x > 0. In
    SciPy it is `invgauss(mu / lam, scale=lam)`.
    """

    mu: float
    lam: float

    @property
    def variance(self) -> float:
        """The variance mu^3 / lam."""
        return self.mu**3 / self.lam

    @property
    def mode(self) -> float:
        """The most probable value."""
        # mu (sqrt(1 + t^2) - t) with t = 3 mu / (2 lam), without its cancellation for large t
        t = 1.5 * self.mu / self.lam
        return float(self.mu / (np.hypot(1.0, t) + t))

    def pdf(self, x: npt.ArrayLike) -> Floats:
        """The density at x > 0."""
        x = np.asarray(x, float)
        exponent = -self.lam * (x / self.mu - 1) ** 2 / (2 * x)
        density: Floats = np.sqrt(self.lam / (2 * np.pi * x**3)) * np.exp(exponent)
        return density

    def cdf(self, x: npt.ArrayLike) -> Floats:
        """The probability of at most x > 0."""
        from scipy.special import ndtr  # noqa: PLC0415  slow to load

        below, _, log_reflected = self._log_terms(x)
        probability: Floats = np.minimum(ndtr(below) + np.exp(log_reflected), 1.0)
        return probability

    def log_survival(self, x: npt.ArrayLike) -> Floats:
        """The logarithm of the probability of more than x > 0."""
        _, log_above, log_reflected = self._log_terms(x)
        # log(e^a - e^b) for b < a; where rounding makes them equal, nothing is left
        with np.errstate(divide="ignore"):
            log: Floats = log_above + np.log(-np.expm1(np.minimum(log_reflected - log_above, 0.0)))
        return log

    def continue_probability(self, clicks: npt.ArrayLike) -> Floats:
        """The probability to view a further page after `clicks` pages: S(L + 1) / S(L)."""
        clicks = np.asarray(clicks, float)
        before, after = self.log_survival(clicks), self.log_survival(clicks + 1)
        known = np.isfinite(before) & np.isfinite(after)
        # far out in the tail, where nothing is left of both, the rate of stopping is constant
        limit = np.exp(-self.lam / (2 * self.mu**2))
        with np.errstate(invalid="ignore"):
            return np.where(known, np.exp(np.minimum(after - before, 0.0)), limit)

    def _log_terms(self, x: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
        """The argument of Phi, log(1 - Phi) of it, and log(e^(2 lam/mu) Phi(-…)).

        The exponential alone overflows for large lam / mu, and Phi alone
        underflows; the sum of their logarithms does neither.
        """
        from scipy.special import log_ndtr  # noqa: PLC0415  slow to load

        x = np.asarray(x, float)
        root = np.sqrt(self.lam / x)
        below, beyond = root * (x / self.mu - 1), root * (x / self.mu + 1)
        return below, log_ndtr(-below), 2 * self.lam / self.mu + log_ndtr(-beyond)


def fit_inverse_gaussian(values: npt.ArrayLike) -> InverseGaussian | None:
    """The inverse Gaussian of greatest likelihood; None if all values are the same, or none.

    mu is the mean, and 1 / lam the mean of 1 / x - 1 / mu.

    Examples
    --------
    >>> fit_inverse_gaussian([1, 1, 1, 2, 2, 3, 4, 5, 8, 13])
    InverseGaussian(mu=4.0, lam=4.02372968...)
    """
    x = np.asarray(values, float)
    if not len(x) or x.min() == x.max():
        return None
    mu = float(x.mean())
    # mean of 1/x - 1/mu = mean of (x - mu)^2 / (x mu^2), a sum of positive terms
    inverse = float(np.mean((x / mu - 1) ** 2 / x))
    return InverseGaussian(mu, 1 / inverse)


def ks_distance(values: npt.ArrayLike, law: InverseGaussian) -> float:
    """The Kolmogorov-Smirnov distance of a distribution and the shares of values up to each."""
    x, counts = np.unique(np.asarray(values, float), return_counts=True)
    cdf, up_to = law.cdf(x), np.cumsum(counts) / counts.sum()
    before = up_to - counts / counts.sum()
    return float(max(np.max(up_to - cdf), np.max(cdf - before)))
