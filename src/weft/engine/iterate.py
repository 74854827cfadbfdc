"""How an iteration ended, and the scaling that iterations share."""

from dataclasses import dataclass

from weft.core.arrays import Floats


@dataclass(frozen=True, slots=True)
class Trace:
    """How an iteration ended."""

    rounds: int
    change: float
    converged: bool


def unit(x: Floats) -> Floats:
    """Scale to sum one; zeros stay zeros, for no links are no evidence."""
    total = x.sum()
    return x / total if total > 0 else x
