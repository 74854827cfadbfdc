"""How hard it would be to part a topic in two: the gap below its first eigenvalue."""

import numpy as np
from scipy.sparse import csr_array

from weft.core.arrays import Floats, Ids, Rows

STEPS = 12
TINY = 1e-9


def gaps(ties: Rows, home: Ids, topics: int) -> Floats:
    """One less the second eigenvalue of a walk along the ties inside each group; -1 is no group.

    Near zero a group falls into two that hardly touch. Of a group whose points
    are all tied alike it is one or more. Found for all groups at once, by
    twelve steps of Lanczos, so that it may be a little too large; a group
    without ties has two.

    Examples
    --------
    >>> two = Rows(np.array([0, 1, 2, 3, 4]), np.array([1, 0, 3, 2], np.int32))
    >>> gaps(two, np.array([0, 0, 0, 0], np.int32), 1).tolist()
    [0.0]
    """
    n = len(home)
    source = np.repeat(np.arange(n, dtype=np.int32), np.diff(ties.starts))
    inside = (home[source] == home[ties.ids]) & (home[source] >= 0)
    weight = np.ones(len(source)) if ties.weights is None else ties.weights.astype(np.float64)
    weight = weight * inside
    root = np.sqrt(np.bincount(source, weight, n))
    even = np.where(root > 0, 1 / np.maximum(root, TINY), 0.0)
    walk = csr_array((weight * even[source] * even[ties.ids], ties.ids, ties.starts), shape=(n, n))
    at = np.where(home < 0, topics, home)

    def total(values: Floats) -> Floats:
        sums = np.zeros(topics + 1)
        return sums + np.bincount(at, values, topics + 1)

    first = root / np.sqrt(np.maximum(total(root * root), TINY))[at]
    small = np.zeros((topics + 1, STEPS, STEPS))
    small[:, range(STEPS), range(STEPS)] = -1.0
    before, beta = np.zeros(n), np.zeros(topics + 1)
    x = np.random.default_rng(0).standard_normal(n) * (root > 0)
    for step in range(STEPS):
        x -= total(x * first)[at] * first
        size = np.sqrt(total(x * x))
        going = size > TINY
        x *= np.where(going, 1 / np.maximum(size, TINY), 0.0)[at]
        if step:
            beta = size * going
            small[:, step, step - 1] = small[:, step - 1, step] = beta
        fresh = walk @ x
        alpha = total(x * fresh)
        small[going, step, step] = alpha[going]
        x, before = fresh - alpha[at] * x - beta[at] * before, x
    found: Floats = np.maximum(1 - np.linalg.eigvalsh(small)[:topics, -1], 0.0).round(6)
    return found
