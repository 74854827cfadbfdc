"""Power laws fitted to the tails of numbers that come with how often they occur.

`values` are distinct positive whole numbers as floats, rising; `above` has how
many numbers are as large as each of them, and `logs` the sum of their
logarithms. Both end with a zero.
"""

from typing import Any

import numpy as np
from numba import njit

from weft.engine.zeta import exponent, zeta

LARGEST = 2.0**50
LOG_LARGEST = np.log(LARGEST)


@njit(nogil=True, cache=True)
def fit_tails(values: Any, above: Any, logs: Any, starts: Any) -> Any:
    """For the tail from each start on: the exponent, and how far law and numbers lie apart."""
    found = np.empty((starts.size, 2))
    for k in range(starts.size):
        at = starts[k]
        found[k, 0] = exponent(logs[at] / above[at], values[at])
        found[k, 1] = apart(values, above, at, found[k, 0], 2.0)
    return found


@njit(nogil=True, cache=True)
def comes_closer(values: Any, above: Any, logs: Any, starts: Any, than: float) -> bool:
    """Whether the tail from some start on lies closer to its law than that."""
    for k in range(starts.size):
        at = starts[k]
        a = exponent(logs[at] / above[at], values[at])
        if apart(values, above, at, a, than) < than:
            return True
    return False


@njit(nogil=True, cache=True)
def apart(values: Any, above: Any, at: int, a: float, enough: float) -> float:
    """The largest gap between the shares of numbers up to each x, by law and by count.

    All whole numbers from the first to the last are looked at: where none
    occurs, the gap is widest just before the next that does. The search ends
    once the gap is `enough`.
    """
    whole, many = zeta(a, values[at]), above[at]
    gap = 0.0
    for k in range(at, values.size):
        beyond = zeta(a, values[k] + 1.0)
        before = (beyond + values[k] ** -a) / whole
        gap = max(gap, abs(before - above[k] / many))
        gap = max(gap, abs(beyond / whole - above[k + 1] / many))
        if gap >= enough:
            break
    return gap


@njit(nogil=True, cache=True)
def draw_beyond(a: float, q: float, chances: Any) -> Any:
    """Numbers of the law from `q` on, each the largest that is reached with its chance.

    The integral in place of the sum comes within a step or two. Beyond `LARGEST`
    floats have no whole numbers left, and none is drawn.
    """
    whole = zeta(a, q)
    found = np.empty(chances.size)
    for k in range(chances.size):
        goal = chances[k] * whole
        log = -np.log((a - 1.0) * goal) / (a - 1.0)
        x = LARGEST if log >= LOG_LARGEST else max(np.floor(np.exp(log) + 0.5), q)
        while x > q and zeta(a, x) < goal:
            x -= 1.0
        while x < LARGEST and zeta(a, x + 1.0) >= goal:
            x += 1.0
        found[k] = x
    return found
