"""Frequent page sets: the sets of pages that enough sessions view together."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from weft.core.arrays import Ids
from weft.core.text import pluralise
from weft.usage.transactions import Transactions

MAX_SETS = 20_000
PageSet = tuple[int, ...]


class FrequentSets(NamedTuple):
    """Page sets in order of their pages, with the number of sessions of each.

    `min_sessions` is the support that was used: it is raised until there are at
    most 20,000 sets.
    """

    sessions: dict[PageSet, int]
    min_sessions: int
    notes: tuple[str, ...] = ()


def find_frequent_sets(
    transactions: Transactions, min_sessions: int, max_size: int, max_sets: int = MAX_SETS
) -> FrequentSets:
    """The page sets of up to `max_size` pages in at least `min_sessions` sessions.

    A depth-first search over lists of sessions (Eclat): a set is extended by
    larger page numbers only, so that each is found once.

    Examples
    --------
    >>> from weft.graph.transitions import Sessions
    >>> from weft.usage.transactions import build_transactions
    >>> paths = Sessions.from_paths([["a", "b", "c"], ["a", "b"], ["b", "c"]])
    >>> find_frequent_sets(build_transactions(paths, max_share=1), 2, 3).sessions
    {(0,): 2, (0, 1): 2, (1,): 3, (1, 2): 2, (2,): 2}
    """
    matrix = transactions.matrix(weighted=False)
    by_page, together, wanted = matrix.tocsc(), (matrix.T @ matrix).tocsr(), max(min_sessions, 1)
    while True:
        found = dict[PageSet, int]()
        for pages, count in _iter_frequent_sets(by_page, together, wanted, max_size):
            found[pages] = count
            if len(found) > max_sets:
                break
        else:
            break
        wanted *= 2
    notes: tuple[str, ...] = ()
    if wanted > max(min_sessions, 1):
        least = pluralise(wanted, "session")
        notes = (f"page sets in under {least} left out, for there are over {max_sets:,}",)
    return FrequentSets(found, wanted, notes)


def _iter_frequent_sets(
    by_page: Any, together: Any, wanted: int, max_size: int
) -> Iterator[tuple[PageSet, int]]:
    """All frequent sets; `together` counts the sessions of each pair, which saves most lists."""
    together.sort_indices()
    for page in np.flatnonzero(np.diff(by_page.indptr) >= wanted).tolist():
        row = slice(together.indptr[page], together.indptr[page + 1])
        others = together.indices[row][together.data[row] >= wanted]
        own = _sessions_of(by_page, page)
        yield (page,), len(own)
        if max_size > 1:
            frequent = [
                (other, np.intersect1d(own, _sessions_of(by_page, other), assume_unique=True))
                for other in others[others > page].tolist()
            ]
            yield from _extend((page,), frequent, wanted, max_size)


def _sessions_of(by_page: Any, page: int) -> Ids:
    sessions: Ids = by_page.indices[by_page.indptr[page] : by_page.indptr[page + 1]]
    return sessions


def _extend(
    pages: PageSet, candidates: list[tuple[int, Ids]], wanted: int, max_size: int
) -> Iterator[tuple[PageSet, int]]:
    """The sets that begin with some pages; candidates have the sessions of these and their own."""
    for at, (page, sessions) in enumerate(candidates):
        larger = (*pages, page)
        yield larger, len(sessions)
        if len(larger) == max_size:
            continue
        shared = (
            (other, np.intersect1d(sessions, others, assume_unique=True))
            for other, others in candidates[at + 1 :]
        )
        frequent = [(other, both) for other, both in shared if len(both) >= wanted]
        yield from _extend(larger, frequent, wanted, max_size)
