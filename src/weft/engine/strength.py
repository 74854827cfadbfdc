"""Two-step paths through witnesses, and how strong a tie of two pages they make."""

from typing import Any, Literal, NamedTuple

import numpy as np

from weft.core.arrays import Floats, Ids, Rows

Measure = Literal["sum", "cosine", "jaccard", "min", "max", "lift"]
MEASURES: tuple[Measure, ...] = ("sum", "cosine", "jaccard", "min", "max", "lift")


class Paths(NamedTuple):
    """Two steps: from a page to witnesses, and from a witness to the page's partners.

    A path counts what its witness is worth; one that is worth nothing is left
    out. `here` and `there` are the degrees of a page and of a partner, and
    `chance` the number of witnesses there could be.
    """

    first: Rows
    second: Rows
    worth: Floats
    here: Floats
    there: Floats
    chance: float


def strength(code: int, total: Any, here: Any, there: Any, chance: Any) -> Any:
    """A sum over shared witnesses as a strength, by the number of its measure.

    Examples
    --------
    >>> float(strength(MEASURES.index("jaccard"), 2.0, 3.0, 3.0, 5.0))
    0.5
    """
    if code == 1:
        return total / np.sqrt(here * there)
    if code == 2:
        return total / (here + there - total)
    if code == 3:
        return total / np.maximum(here, there)
    if code == 4:
        return total / np.minimum(here, there)
    if code == 5:
        return total * chance / (here * there)
    return total


def summed(paths: Paths, page: int, witnesses: Ids) -> Floats:
    """What the paths from a page through some of its witnesses count, for every partner."""
    on = np.asarray(paths.second.starts)
    first = on[witnesses]
    counts = on[witnesses + 1] - first
    ends = np.cumsum(counts)
    at = np.arange(int(counts.sum())) + np.repeat(first - (ends - counts), counts)
    found = np.asarray(paths.second.ids[at])
    sums = np.zeros(len(paths.there))
    sums += np.bincount(found, np.repeat(paths.worth[witnesses], counts), len(paths.there))
    if page < len(sums):
        sums[page] = 0.0
    return sums
