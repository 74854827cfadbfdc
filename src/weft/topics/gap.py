"""How hard it would be to part a topic in two: the gap below its first eigenvalue."""

import numpy as np

from weft.core.arrays import Floats, Ids, Rows
from weft.engine.parting import tridiagonals

STEPS = 12


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
    weights = np.ones(len(ties.ids), np.float32) if ties.weights is None else ties.weights
    small = np.zeros((topics, STEPS, STEPS))
    small[:, range(STEPS), range(STEPS)] = -1.0
    start = np.random.default_rng(0).standard_normal(len(home))
    tridiagonals(ties.starts, ties.ids, weights, home, start, small)
    found: Floats = np.maximum(1 - np.linalg.eigvalsh(small)[:, -1], 0.0).round(6)
    return found
