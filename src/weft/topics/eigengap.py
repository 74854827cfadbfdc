"""The eigengap of a topic: how hard it is to split in two."""

import numpy as np

from weft.core.arrays import CSR, Floats, Ids
from weft.kernels.eigengap import lanczos_tridiagonals

LANCZOS_STEPS = 12


def eigengaps(affinity: CSR, labels: Ids, group_count: int) -> Floats:
    """One minus the second eigenvalue of the random walk inside each group.

    A group with a gap near zero has two parts that are hardly connected; a
    clique has one or more. `labels` are -1 for nodes of no group. Computed for
    all groups at once by twelve Lanczos steps, so the gap may be slightly too
    large. A group without edges gets 2.

    Examples
    --------
    >>> two = CSR(np.array([0, 1, 2, 3, 4]), np.array([1, 0, 3, 2], np.int32))
    >>> eigengaps(two, np.array([0, 0, 0, 0], np.int32), 1).tolist()
    [0.0]
    """
    weights = (
        np.ones(len(affinity.ids), np.float32) if affinity.weights is None else affinity.weights
    )
    tridiagonal = np.zeros((group_count, LANCZOS_STEPS, LANCZOS_STEPS))
    tridiagonal[:, range(LANCZOS_STEPS), range(LANCZOS_STEPS)] = -1.0
    start = np.random.default_rng(0).standard_normal(len(labels))
    lanczos_tridiagonals(affinity.starts, affinity.ids, weights, labels, start, tridiagonal)
    gaps: Floats = np.maximum(1 - np.linalg.eigvalsh(tridiagonal)[:, -1], 0.0).round(6)
    return gaps
