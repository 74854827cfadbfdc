"""The links among some pages, found by reading the rows of those pages alone."""

import numpy as np

from weft.core.arrays import Ids, Offsets, Rows


def places(rows: Rows, pages: Ids) -> tuple[Offsets, Ids]:
    """Where the links of some pages stand in `rows.ids`, and beside each the page it belongs to."""
    first = np.asarray(rows.starts[pages])
    counts = np.asarray(rows.starts[pages + 1]) - first
    ends = np.cumsum(counts)
    shift = np.repeat(first - (ends - counts), counts)
    return np.arange(len(shift)) + shift, np.repeat(pages, counts)


def keys(rows: Rows) -> Offsets:
    """Each link as one number, its source above its target; rows are in their order."""
    source = np.repeat(np.arange(len(rows.starts) - 1, dtype=np.int64), np.diff(rows.starts))
    return source << 32 | rows.ids


def inner(rows: Rows, pages: Ids) -> tuple[Offsets, Offsets]:
    """The links among some pages, which ascend: where they stand, and their keys by place there."""
    at, _ = places(rows, pages)
    ids = np.asarray(rows.ids[at])
    counts = np.asarray(rows.starts[pages + 1]) - rows.starts[pages]
    source, target = np.repeat(np.arange(len(pages)), counts), np.searchsorted(pages, ids)
    target[target == len(pages)] = 0
    inside = pages[target] == ids if len(pages) else np.zeros(0, bool)
    return at[inside], source[inside] << 32 | target[inside]
