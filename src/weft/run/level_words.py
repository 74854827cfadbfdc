"""The telling words of hosts and domains: those of their pages together."""

from dataclasses import replace
from functools import cache

import numpy as np

from weft.core.arrays import Ids, Rows, stacked, upper
from weft.graph.baseset import BaseSet
from weft.graph.hosts import groups_of
from weft.graph.webgraph import rows_of
from weft.store.collection import Collection
from weft.store.telling import Words

MOST = 64


def with_words(collection: Collection, base: BaseSet) -> BaseSet:
    """A base set of hosts or domains that knows their words; one of pages as it is."""
    if base.level == "page":
        return base

    def read() -> Words:
        owner, names = groups_of(collection, base.level)
        said = collection.words(np.arange(len(owner), dtype=np.int32))
        every = added_up(said, owner, len(names))
        return Words(every.stems, some(every.rows, base.numbers))

    return replace(base, read_words=cache(read))


def added_up(said: Words, owner: Ids, n: int) -> Words:
    """The words of pages as those of their owners, the weightiest of each.

    Examples
    --------
    >>> pages = Words.of(["", "", ""], ["cat", "cat dog", "dog"], ["", "", ""])
    >>> both = added_up(pages, np.array([0, 0, 1], np.int32), 2)
    >>> both.rows.starts.tolist()
    [0, 2, 3]
    """
    rows = said.rows
    page = np.repeat(owner, np.diff(rows.starts))
    weights = np.ones(len(rows.ids)) if rows.weights is None else rows.weights
    key, place = np.unique(stacked(page, rows.ids), return_inverse=True)
    total = np.bincount(place, weights, len(key))
    order = np.lexsort((key, -total, upper(key)))
    turn = np.arange(len(order)) - np.searchsorted(upper(key[order]), upper(key[order]))
    best = np.sort(order[turn < MOST])
    return Words(said.stems, rows_of(key[best], total[best], n))


def some(rows: Rows, chosen: Ids) -> Rows:
    """Some of all rows."""
    counts = np.diff(rows.starts)[chosen]
    starts = np.concatenate([[0], np.cumsum(counts)])
    at = np.arange(starts[-1]) + np.repeat(rows.starts[chosen] - starts[:-1], counts)
    return Rows(starts, rows.ids[at], None if rows.weights is None else rows.weights[at])
