"""The rarest fifth of the links of each page: who shares most links shares one of these."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from weft.core.arrays import Ids, Offsets, Rows, lower, stacked
from weft.graph.build import read_rows
from weft.graph.levels import page_rows
from weft.store.collection import Collection
from weft.store.mapped import check_ids, map_array

LEAST = 5
SHARE = (4, 5)
FILE = "rare_ids.npy"
BLOCK = 1 << 22


def rare_counts(counts: Offsets) -> Offsets:
    """Of how many links of a page one must be shared by who shares over four fifths of all."""
    few: Offsets = np.where(counts >= LEAST, counts - SHARE[0] * counts // SHARE[1], 0)
    return few


def rarest(outlinks: Rows, inlinks: Rows) -> Rows:
    """The rarest links of each page with five or more: those whose targets have fewest links."""
    starts = np.asarray(outlinks.starts)
    ids = [np.zeros(0, np.int32), *_blocks(outlinks, _turns(np.diff(inlinks.starts)))]
    return Rows(_starts(starts), np.concatenate(ids))


def _starts(starts: Offsets) -> Offsets:
    return np.concatenate([[0], np.cumsum(rare_counts(np.diff(starts)))])


def _turns(often: Offsets) -> tuple[Ids, Ids]:
    """The pages in the order of how often they are linked to, and the place of each there."""
    order = np.argsort(often, kind="stable").astype(np.int32)
    turn = np.empty(len(order), np.int32)
    turn[order] = np.arange(len(order), dtype=np.int32)
    return order, turn


def _blocks(outlinks: Rows, turns: tuple[Ids, Ids]) -> Iterator[Ids]:
    """The rarest links of some pages at a time."""
    starts, (order, turn) = np.asarray(outlinks.starts), turns
    at = 0
    while at < len(starts) - 1:
        end = max(at + 1, int(np.searchsorted(starts, starts[at] + BLOCK, side="right")) - 1)
        counts = np.diff(starts[at : end + 1])
        page = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        key = np.sort(stacked(page, turn[outlinks.ids[starts[at] : starts[end]]]))
        place = np.arange(len(key)) - np.repeat(starts[at:end] - starts[at], counts)
        yield order[lower(key[place < np.repeat(rare_counts(counts), counts)])]
        at = end


def write_rare(folder: Path) -> None:
    """Write the rarest links of a new graph beside it."""
    rows = rarest(read_rows(folder, "out"), read_rows(folder, "in"))
    np.save(folder / FILE, rows.ids, allow_pickle=False)


def rare_links(collection: Collection) -> Rows:
    """The rarest links of each page of a snapshot."""

    def read() -> Rows:
        folder = collection.path("graph")
        starts = _starts(page_rows(collection, "out").starts)
        ids = map_array(folder / FILE, "<i4", length=int(starts[-1]))
        check_ids(folder / FILE, ids, len(collection))
        return Rows(starts, ids)

    return collection.once("rare links", read)
