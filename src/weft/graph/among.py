"""The links among some pages, found by reading the rows of those pages alone."""

import numpy as np

from weft.core.arrays import Ids, Offsets, Rows, stacked

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
    return stacked(rows.owners(), rows.ids)


def inner(rows: Rows, pages: Ids) -> tuple[Offsets, Ids, Ids]:
    """The links among some pages, which ascend: where they stand, and their ends by place there."""
    from weft.engine import inner as kernels  # noqa: PLC0415  which loads a compiler

    starts, ids = np.asarray(rows.starts), np.asarray(rows.ids)
    at, source, target = kernels.inner(starts, ids, pages, standing(rows, pages))
    return at, source, target


def standing(rows: Rows, pages: Ids) -> Ids:
    """The place of every page among some, -1 for the others; none where all are far too many."""
    n, links = len(rows.starts) - 1, (rows.starts[pages + 1] - rows.starts[pages]).sum()
    place = np.full(0 if n > MANY * links else n, -1, np.int32)
    if len(place):
        place[pages] = np.arange(len(pages), dtype=np.int32)
    return place
