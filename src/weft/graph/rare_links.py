"""The rarest links of each page: two pages that share most of their links share one of these.

This is the prefix filter of similarity joins: of n links, more than 4/5 shared
leave at most n - 4n/5 unshared, so that the rarest n - floor(4n/5) hold a shared one.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from weft.core.arrays import CSR, Ids, Offsets, pack_pairs, unpack_second_ids
from weft.graph.build import read_csr
from weft.graph.levels import read_page_csr
from weft.store.arrow_files import check_ids, map_array
from weft.store.collection import Collection

MIN_MIRROR_LINKS = 5
MIRROR_SHARE = (4, 5)
RARE_LINKS_FILE = "rare_link_ids.npy"
LINKS_PER_BLOCK = 1 << 22


def rare_link_quota(counts: Offsets) -> Offsets:
    """The number of rare links to keep of pages with `counts` links: n - floor(4n/5), n >= 5."""
    kept: Offsets = np.where(
        counts >= MIN_MIRROR_LINKS, counts - MIRROR_SHARE[0] * counts // MIRROR_SHARE[1], 0
    )
    return kept


def select_rare_links(outlinks: CSR, inlinks: CSR) -> CSR:
    """The rarest links of each page with five or more: those to targets of smallest in-degree."""
    page_order = _order_by_inlinks(np.diff(inlinks.starts))
    ids = [np.zeros(0, np.int32), *_iter_rare_blocks(outlinks, page_order)]
    return CSR(_rare_starts(np.asarray(outlinks.starts)), np.concatenate(ids))


def _rare_starts(starts: Offsets) -> Offsets:
    return np.concatenate([[0], np.cumsum(rare_link_quota(np.diff(starts)))])


def _order_by_inlinks(inlink_counts: Offsets) -> tuple[Ids, Ids]:
    """The pages sorted by in-degree, and the rank of each page in that order."""
    order = np.argsort(inlink_counts, kind="stable").astype(np.int32)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return order, rank


def _iter_rare_blocks(outlinks: CSR, page_order: tuple[Ids, Ids]) -> Iterator[Ids]:
    """Yield the rarest links of a block of pages with about `LINKS_PER_BLOCK` links."""
    starts, (order, rank) = np.asarray(outlinks.starts), page_order
    at = 0
    while at < len(starts) - 1:
        block_end = int(np.searchsorted(starts, starts[at] + LINKS_PER_BLOCK, side="right")) - 1
        end = max(at + 1, block_end)
        counts = np.diff(starts[at : end + 1])
        page = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        # Sort the links of each page by the rank of their targets, and keep the first.
        key = np.sort(pack_pairs(page, rank[outlinks.ids[starts[at] : starts[end]]]))
        position = np.arange(len(key)) - np.repeat(starts[at:end] - starts[at], counts)
        yield order[unpack_second_ids(key[position < np.repeat(rare_link_quota(counts), counts)])]
        at = end


def write_rare_links(folder: Path) -> None:
    """Write the rarest links of a new graph beside it."""
    rows = select_rare_links(read_csr(folder, "out"), read_csr(folder, "in"))
    np.save(folder / RARE_LINKS_FILE, rows.ids, allow_pickle=False)


def read_rare_links(collection: Collection) -> CSR:
    """The rarest links of each page of a snapshot."""

    def read() -> CSR:
        folder = collection.checked_snapshot_path("graph")
        starts = _rare_starts(read_page_csr(collection, "out").starts)
        ids = map_array(folder / RARE_LINKS_FILE, "<i4", length=int(starts[-1]))
        check_ids(folder / RARE_LINKS_FILE, ids, len(collection))
        return CSR(starts, ids)

    return collection.memoize("rare links", read)
