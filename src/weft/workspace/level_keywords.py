"""Term weights of hosts and domains: sums over their pages."""

from dataclasses import replace
from functools import cache

import numpy as np

from weft.core.arrays import CSR, Ids, pack_pairs, unpack_first_ids
from weft.graph.baseset.baseset import BaseSet
from weft.graph.levels import group_pages
from weft.graph.webgraph import csr_from_keys
from weft.store.collection import Collection
from weft.store.term_weights import TermWeights

MAX_KEYWORDS = 64


def attach_keywords(collection: Collection, base: BaseSet) -> BaseSet:
    """The base set with the term weights of its hosts or domains; pages have their own."""
    if base.level == "page":
        return base

    def read_keywords() -> TermWeights:
        group_of_page, names = group_pages(collection, base.level)
        page_weights = collection.term_weights(np.arange(len(group_of_page), dtype=np.int32))
        group_weights = sum_term_weights(page_weights, group_of_page, len(names))
        rows = select_rows(group_weights.matrix, base.page_numbers)
        return TermWeights(group_weights.stems, rows)

    return replace(base, read_term_weights=cache(read_keywords))


def sum_term_weights(
    page_weights: TermWeights, group_of_page: Ids, group_count: int
) -> TermWeights:
    """Sum the term weights of pages over their hosts or domains; the largest 64 of each.

    Examples
    --------
    >>> pages = TermWeights.from_texts(["", "", ""], ["cat", "cat dog", "dog"], ["", "", ""])
    >>> both = sum_term_weights(pages, np.array([0, 0, 1], np.int32), 2)
    >>> both.matrix.starts.tolist()
    [0, 2, 3]
    """
    rows = page_weights.matrix
    group = np.repeat(group_of_page, np.diff(rows.starts))
    weights = np.ones(len(rows.ids)) if rows.weights is None else rows.weights
    # one key for each pair of group and stem, with the sum of its weights
    key, pair = np.unique(pack_pairs(group, rows.ids), return_inverse=True)
    total = np.bincount(pair, weights, len(key))
    # by group, then by falling weight: the rank of each stem within its group
    order = np.lexsort((key, -total, unpack_first_ids(key)))
    ordered_group = unpack_first_ids(key[order])
    rank = np.arange(len(order)) - np.searchsorted(ordered_group, ordered_group)
    best = np.sort(order[rank < MAX_KEYWORDS])
    return TermWeights(page_weights.stems, csr_from_keys(key[best], total[best], group_count))


def select_rows(rows: CSR, row_ids: Ids) -> CSR:
    """The CSR matrix of some rows, in the order given."""
    counts = np.diff(rows.starts)[row_ids]
    starts = np.concatenate([[0], np.cumsum(counts)])
    # entry k of the result, in row i, is entry k + (old start - new start of i) of the source
    entries = np.arange(starts[-1]) + np.repeat(rows.starts[row_ids] - starts[:-1], counts)
    return CSR(starts, rows.ids[entries], None if rows.weights is None else rows.weights[entries])
