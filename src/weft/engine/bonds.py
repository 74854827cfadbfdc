"""Ties of links and words that hold both ways: put together, and added up by where they lead."""

from typing import Any

import numpy as np
from numba import njit

from weft.core.arrays import Floats, Ids, Offsets, Weights


@njit(cache=True, nogil=True)
def bonds(
    out: tuple[Offsets, Ids],
    into: tuple[Offsets, Ids],
    said: tuple[Offsets, Ids, Floats],
    words: int,
) -> tuple[Offsets, Ids, Weights]:
    """Rows of what each page is tied to, then of what each of so many words is tied to.

    A link ties two pages by one, so that those that link to each other are
    tied by two. Words come after the pages, and are tied to those that have
    them `said`, by their weights; what weighs nothing is no tie. Links are in
    order, by source and by target; so are ties.

    Examples
    --------
    >>> out, into = (
    ...     (np.array(s), np.array([i], np.int32)) for s, i in (([0, 1, 1], 1), ([0, 0, 1], 0))
    ... )
    >>> said = np.array([0, 0, 1]), np.array([0], np.int32), np.array([0.5])
    >>> [array.tolist() for array in bonds(out, into, said, 1)]
    [[0, 1, 3, 4], [1, 0, 2, 1], [1.0, 1.0, 0.5, 0.5]]
    """
    n, most = len(out[0]) - 1, 2 * len(out[1]) + 2 * len(said[1])
    starts = np.zeros(n + words + 1, np.int64)
    ids, weights = np.empty(most, np.int32), np.empty(most, np.float32)
    for page in range(n):
        linked = _linked(page, out, into, starts[page], ids, weights)
        starts[page + 1] = _spoken(page, n, said, linked, ids, weights)
        for k in range(linked, starts[page + 1]):
            starts[ids[k] + 1] += 1
    for word in range(n, n + words):
        starts[word + 1] += starts[word]
    places = starts[n:].copy()
    for page in range(n):
        for k in range(starts[page], starts[page + 1]):
            if ids[k] >= n:
                at = places[ids[k] - n]
                ids[at], weights[at] = page, weights[k]
                places[ids[k] - n] += 1
    return starts, ids[: starts[-1]].copy(), weights[: starts[-1]].copy()


@njit(cache=True, nogil=True)
def _linked(page: int, out: Any, into: Any, at: int, ids: Ids, weights: Weights) -> int:
    """Write the pages that a page links to or is linked from, in order; where they end."""
    a, last, b, end = out[0][page], out[0][page + 1], into[0][page], into[0][page + 1]
    while a < last or b < end:
        to = a < last and (b == end or out[1][a] <= into[1][b])
        back = b < end and (a == last or into[1][b] <= out[1][a])
        ids[at], weights[at] = out[1][a] if to else into[1][b], to + back
        a, b, at = a + to, b + back, at + 1
    return at


@njit(cache=True, nogil=True)
def _spoken(page: int, n: int, said: Any, begin: int, ids: Ids, weights: Weights) -> int:
    """Write the words of a page after its links, in order; where they end."""
    end = begin
    for k in range(said[0][page], said[0][page + 1]):
        if not said[2][k] > 0:
            continue
        word, at = n + said[1][k], end
        while at > begin and ids[at - 1] > word:
            ids[at], weights[at] = ids[at - 1], weights[at - 1]
            at -= 1
        ids[at], weights[at], end = word, said[2][k], end + 1
    return end


@njit(cache=True, nogil=True)
def leads(
    starts: Offsets, ids: Ids, weights: Weights, home: Ids, groups: int
) -> tuple[Floats, Floats]:
    """How much of the ties of each point leads to each group, and of those of each group together.

    Who is at home in no group has the home -1, which comes last.

    Examples
    --------
    >>> pair = np.array([0, 1, 2]), np.array([1, 0], np.int32), np.ones(2, np.float32)
    >>> [table.tolist() for table in leads(*pair, np.array([0, -1], np.int32), 1)]
    [[[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]]]
    """
    points, among = np.zeros((len(home), groups + 1)), np.zeros((groups + 1, groups + 1))
    for i in range(len(home)):
        for k in range(starts[i], starts[i + 1]):
            points[i, home[ids[k]]] += weights[k]
        among[home[i]] += points[i]
    return points, among
