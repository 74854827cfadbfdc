"""Make probabilities as certain as held-out examples say."""

import numpy as np

from weft.classify.text import softmax
from weft.core.arrays import Floats, Ids

MIN_PROBABILITY = 1e-6
EXPONENTS = (-1.5, 1.5)  # natural logarithms of the smallest and the largest


def calibrate(
    probabilities: Floats, numbers: Ids, bounds: tuple[float, float] = EXPONENTS
) -> float:
    """The exponent of probabilities that makes held-out examples most likely."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415  slow to load

    at = np.arange(len(numbers))

    def loss(log_exponent: float) -> float:
        rows = raise_to(probabilities, float(np.exp(log_exponent)))
        return float(-np.log(np.maximum(rows[at, numbers], MIN_PROBABILITY)).mean())

    return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x))


def raise_to(probabilities: Floats, exponent: float) -> Floats:
    """Probabilities to the power of an exponent, divided by their sum."""
    return softmax(exponent * np.log(np.maximum(probabilities, MIN_PROBABILITY)))
