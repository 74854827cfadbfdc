"""Sets of pages as arrays, and the links between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.core.arrays import Ids, Offsets, link_positions, pack_pairs, unpack_pairs
from weft.graph.webgraph import WebGraph

NO_IDS = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class PageSets:
    """Sets of pages as parallel arrays (page, set), sorted by set, then page.

    The position of a page in a set is its index in these arrays.
    """

    page_ids: Ids
    set_ids: Ids
    set_count: int
    page_count: int

    @classmethod
    def from_sets(cls, sets: Sequence[Ids], page_count: int) -> "PageSets":
        """Concatenate sets of the pages of a graph; duplicates within a set are dropped."""
        set_ids = np.repeat(np.arange(len(sets), dtype=np.int32), [len(pages) for pages in sets])
        page_ids = np.concatenate([NO_IDS, *sets]).astype(np.int32)
        set_ids, page_ids = unpack_pairs(np.unique(pack_pairs(set_ids, page_ids)))
        return cls(page_ids, set_ids, len(sets), page_count)

    @property
    def are_disjoint(self) -> bool:
        """Whether no page is in two sets."""
        return bool((np.bincount(self.page_ids, minlength=1) <= 1).all())

    def find_positions(self, set_ids: Ids, page_ids: Ids) -> Offsets:
        """The position of each page in the set given for it; -1 if it is not a member."""
        if self.are_disjoint:  # one lookup table instead of a binary search
            position_of_page = np.full(self.page_count, -1, np.int64)
            position_of_page[self.page_ids] = np.arange(len(self.page_ids))
            at = position_of_page[page_ids]
            return np.where(np.append(self.set_ids, -1)[at] == set_ids, at, -1)
        own_keys, keys = pack_pairs(self.set_ids, self.page_ids), pack_pairs(set_ids, page_ids)
        at = np.minimum(np.searchsorted(own_keys, keys), max(len(own_keys) - 1, 0))
        return np.where(own_keys[at] == keys, at, -1) if len(own_keys) else at - 1

    def sum_by_set(self, values: npt.NDArray[Any]) -> Offsets:
        """Sum the values of the members of each set."""
        return np.bincount(self.set_ids, values, self.set_count).astype(np.int64)

    def split_by_set(self, values: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """Split the values of all members into one array per set."""
        return np.split(values, np.searchsorted(self.set_ids, np.arange(1, self.set_count)))


def count_links_between(graph: WebGraph, sets: Sequence[Ids]) -> Offsets:
    """Number of links from the pages of each set (row) to those of each set (column)."""
    page_sets = PageSets.from_sets(sets, len(graph))
    rows = graph.outlinks
    at, _ = link_positions(rows, page_sets.page_ids)
    source_set = np.repeat(page_sets.set_ids, np.diff(rows.starts)[page_sets.page_ids])
    target = np.asarray(rows.ids[at])
    # the sets of each page as CSR rows: order[starts[page] : starts[page + 1]]
    order = np.argsort(page_sets.page_ids, kind="stable")
    starts = np.searchsorted(page_sets.page_ids[order], np.arange(len(graph) + 1))
    # repeat each link once for every set of its target
    repeats = np.diff(starts)[target]
    ends = np.cumsum(repeats)
    positions = np.arange(int(repeats.sum())) + np.repeat(
        starts[target] - (ends - repeats), repeats
    )
    target_set = page_sets.set_ids[order[positions]]
    pair = np.repeat(source_set, repeats).astype(np.int64) * page_sets.set_count + target_set
    cells: Offsets = np.bincount(pair, minlength=page_sets.set_count**2).astype(np.int64)
    return cells.reshape(page_sets.set_count, page_sets.set_count)


def links_from_to(graph: WebGraph, source_pages: Ids, target_pages: Ids) -> tuple[Ids, Ids]:
    """The links from one set of pages to another, those to the most linked target first."""
    is_target = np.zeros(len(graph), bool)
    is_target[target_pages] = True
    at, source = link_positions(graph.outlinks, source_pages)
    target = np.asarray(graph.outlinks.ids[at])
    source, target = source[is_target[target]], target[is_target[target]]
    link_counts = np.bincount(target, minlength=1)
    order = np.lexsort((source, target, -link_counts[target]))
    return source[order].astype(np.int32), target[order]
