"""How near the second eigenvalue comes to the first."""

from collections.abc import Callable

import numpy as np

from weft.core.arrays import Floats
from weft.engine.iterate import length

STEPS = 20
ROOM = 1 << 25


def runner_up(onward: Callable[[Floats], Floats], first: Floats) -> float:
    """The size of the second eigenvalue of a linear step, by Arnoldi steps beside its first vector.

    Beside an eigenvector a matrix has its other eigenvalues, symmetric or not.
    On small graphs they are exact; on large ones, where there is room for fewer
    steps, the second may fall a little short.
    """
    n = len(first)
    steps = min(STEPS, max(4, ROOM // max(n, 1)))
    basis, small = np.zeros((steps + 1, n)), np.zeros((steps + 1, steps + 1))
    basis[0] = length(first)
    fresh = onward(np.random.default_rng(0).random(n))
    least = 1e-12 * max(np.abs(fresh).max(initial=0), np.abs(onward(basis[0])).max(initial=0))
    for step in range(1, steps + 1):
        for _ in range(2):
            fresh = fresh - (basis[:step] @ fresh) @ basis[:step]
        if np.abs(fresh).max() < least:
            break
        basis[step] = length(fresh)
        small[step, step - 1] = basis[step] @ fresh
        fresh = onward(basis[step])
        small[: step + 1, step] = basis[: step + 1] @ fresh
    return float(np.abs(np.linalg.eigvals(small[1:, 1:])).max())
