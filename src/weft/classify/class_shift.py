"""Classes that other pages have more or less often than the examples."""

import numpy as np

from weft.core.arrays import Floats

SHIFT_ITERATIONS, SHIFT_TOL = 100, 1e-6
MIN_SHIFT, EXAMPLE_PAGES = 0.1, 100


def follow_shift(probabilities: Floats, shares: Floats) -> Floats:
    """The shares of classes among pages, from probabilities that rest on those of the examples.

    Each page counts by its probabilities, these change with the shares, and so
    on to a fixed point: the shares under which the pages are most likely (Saerens,
    Latinne, Decaestecker 2002), with a hundred more pages like the examples.
    Shares that are less than a tenth off stay: so much may be chance.

    Examples
    --------
    >>> sure = np.repeat([[0.99, 0.01], [0.01, 0.99]], [9000, 1000], axis=0)
    >>> follow_shift(sure, np.array([0.5, 0.5])).round(2).tolist()
    [0.9, 0.1]
    >>> follow_shift(np.full((1000, 2), 0.5), np.array([0.5, 0.5])).tolist()
    [0.5, 0.5]
    """
    found = shares
    for _ in range(SHIFT_ITERATIONS):
        expected = np.asarray(shift(probabilities, shares, found).sum(axis=0))
        improved = (expected + EXAMPLE_PAGES * shares) / (len(probabilities) + EXAMPLE_PAGES)
        change = float(np.abs(improved - found).max())
        found = improved
        if change < SHIFT_TOL:
            break
    return found if np.abs(found - shares).sum() / 2 >= MIN_SHIFT else shares


def shift(probabilities: Floats, shares: Floats, others: Floats) -> Floats:
    """Probabilities that rest on some shares of classes, as they are where the shares differ."""
    if shares is others:
        return probabilities
    found = probabilities * (others / shares)
    found /= np.maximum(found.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return found
