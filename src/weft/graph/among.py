"""The links among some pages, found by reading the rows of those pages alone."""

import numpy as np

from weft.core.arrays import Ids, Offsets, Rows

MANY = 64


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
    counts = np.asarray(rows.starts[pages + 1]) - rows.starts[pages]
    target = standing(np.asarray(rows.ids[at]), pages, len(rows.starts) - 1)
    inside = target >= 0
    source = np.repeat(np.arange(len(pages)) << 32, counts)[inside]
    return at[inside], source | target[inside]


def standing(ids: Ids, pages: Ids, n: int) -> Ids:
    """The place of each among some pages of n, which ascend; -1 where it is none of them."""
    if n > MANY * len(ids):
        place = np.minimum(np.searchsorted(pages, ids), max(len(pages) - 1, 0)).astype(np.int32)
        return np.where(pages[place] == ids, place, np.int32(-1)) if len(pages) else place - 1
    where = np.full(n, -1, np.int32)
    where[pages] = np.arange(len(pages), dtype=np.int32)
    return where[ids]
