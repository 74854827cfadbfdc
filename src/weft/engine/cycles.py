"""Groups of pages that all reach each other."""

import numpy as np

from weft.core.arrays import Ids, Rows


def cycles(outlinks: Rows) -> Ids:
    """For each page the group of pages it goes round with, numbered by first page; -1 where alone.

    A page that links to itself goes round by itself.

    Examples
    --------
    >>> cycles(Rows(np.array([0, 1, 2, 3, 4]), np.array([1, 0, 3, 0])))
    array([ 0,  0, -1, -1], dtype=int32)
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    n = len(outlinks.starts) - 1
    ones = np.ones(len(outlinks.ids), np.int8)
    links = csr_array((ones, outlinks.ids, outlinks.starts), shape=(n, n))
    _, labels = connected_components(links, connection="strong")
    names, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    round_ = sizes > 1
    round_[labels[outlinks.ids[outlinks.owners() == outlinks.ids]]] = True
    order = np.argsort(first, kind="stable")
    order = order[round_[order]]
    rank = np.full(len(names), -1, np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[labels]
