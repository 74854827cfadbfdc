"""How many pairs of pages are within each number of clicks, and what follows from it."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats


def average(within: Floats) -> float | None:
    """The average connected distance: over pairs of different pages that a way joins.

    `within[t]` is how many pairs are within t clicks, pages with themselves
    among them.

    Examples
    --------
    >>> average(np.array([3.0, 5.0, 6.0]))
    1.3333333333333333
    """
    at = np.diff(within)
    joined = float(at.sum())
    return float(at @ np.arange(1, len(within))) / joined if joined > 0 else None


def effective(within: Floats, share: float = 0.9) -> float:
    """The number of clicks within which so many of the joined pairs are, taken between two.

    Pairs of a page with itself count.

    Examples
    --------
    >>> effective(np.array([12.0, 24, 34, 38, 41, 43]))
    3.2333333333333343
    """
    wanted = share * within[-1]
    if within[0] >= wanted:
        return 0.0
    at = int(np.searchsorted(within, wanted))
    return float(at - 1 + (wanted - within[at - 1]) / (within[at] - within[at - 1]))


def jackknife(parts: Floats, measure: Callable[[Floats], float | None]) -> float | None:
    """The standard error of a measure of a sum, by leaving out one of its parts at a time.

    Unknown where there are fewer than two parts, or the measure of some is.

    Examples
    --------
    >>> jackknife(np.array([[1.0], [2.0], [3.0]]), lambda total: float(total[0]))
    1.1547005383792515
    """
    if len(parts) < 2:
        return None
    found = [measure(parts.sum(axis=0) - part) for part in parts]
    if None in found:
        return None
    left = np.array(found, float)
    return float(np.sqrt((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum()))


def pair_tables(within: Floats, *, exact: bool) -> dict[str, pa.Table]:
    """The neighbourhood function, and the histogram of distances; whole numbers where exact."""
    at = np.diff(within)
    kind = np.int64 if exact else np.float64
    return {
        "neighbourhood": pa.table(
            {
                "hops": np.arange(len(within)),
                "pairs": within.astype(kind),
                "share": within / max(within[-1], 1),
            }
        ),
        "distances": pa.table(
            {
                "distance": np.arange(1, len(within)),
                "pairs": at.astype(kind),
                "share": at / max(at.sum(), 1e-300),
            }
        ),
    }
