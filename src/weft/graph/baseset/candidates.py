"""Candidate pages of a base set: facts about them, and why some are rejected."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids, Offsets
from weft.core.memoize import memoize
from weft.gather.url import match_pattern, match_regex
from weft.graph.baseset.baseset import GIVEN, ROOT
from weft.graph.baseset.stoplist import StopList, read_stoplist
from weft.graph.levels import encode_owners
from weft.graph.link_facts import (
    MIN_MIRROR_LINKS,
    PageTraits,
    find_identically_linked_pages,
    find_mirrors,
    read_rare_links,
)
from weft.graph.selection import Selection
from weft.graph.webgraph import WebGraph
from weft.store.collection import Collection

PREFETCH_PAGES = 1 << 13
STOPLISTED_PAGE_REASON, MIRROR_REASON = "on the stop-list", "mirrors of other pages"


class LazyPageNumbers:
    """A number of at least 0 for each page of a snapshot, computed once per page.

    A call of `compute` has a fixed cost of some thousand pages, so that each
    call also computes the next `prefetch` pages, in page order.
    """

    def __init__(
        self, column: pa.ChunkedArray, compute: Callable[[pa.Array], Ids], *, prefetch: int = 0
    ) -> None:
        self.column = column.chunk(0) if column.num_chunks else pa.array([], column.type)
        self.compute, self.prefetch, self.prefetched = compute, prefetch, 0
        self.values = np.zeros(len(column), np.int32)

    def take(self, pages: Ids) -> Ids:
        """The numbers of some pages; `compute` gets the column values of unknown ones."""
        # `values` holds the number plus one, and 0 for pages not yet computed.
        values = self.values[pages]
        if not values.all():
            unknown = pages[values == 0]
            unknown = np.concatenate([unknown, self._next_unknown(unknown)])
            self.values[unknown] = self.compute(self.column.take(pa.array(unknown))) + 1
            values = self.values[pages]
        return values - 1

    def _next_unknown(self, requested: Ids) -> Ids:
        """The unknown ones of the next `prefetch` pages, without those asked for."""
        start = self.prefetched
        self.prefetched = min(start + self.prefetch, len(self.values))
        unknown = self.values[start : self.prefetched] == 0
        ahead = requested[(requested >= start) & (requested < self.prefetched)]
        unknown[ahead - start] = False
        return start + np.flatnonzero(unknown).astype(np.int32)


def encode_titles(collection: Collection, pages: Ids) -> Ids:
    """The title of each page as a number, -1 for none; equal titles have equal numbers."""
    return _lazy_title_numbers(collection).take(pages) - 1


@memoize
def _lazy_title_numbers(collection: Collection) -> LazyPageNumbers:
    number_of = {"": 0}

    def encode(titles: pa.Array) -> Ids:
        coded = titles.dictionary_encode()
        distinct = coded.dictionary.to_pylist()
        numbers = [number_of.setdefault(title, len(number_of)) for title in distinct]
        encoded: Ids = np.array(numbers, np.int32)[coded.indices.to_numpy()]
        return encoded

    return LazyPageNumbers(collection.pages["title"], encode)


def encode_page_owners(collection: Collection, pages: Ids, level: str) -> Ids:
    """The host, domain or site of each page as a number, the same for all calls."""
    return lazy_owner_numbers(collection, level).take(pages)


@memoize
def lazy_owner_numbers(collection: Collection, level: str) -> LazyPageNumbers:
    """The hosts, domains or sites of the pages of a collection, as lazy numbers."""
    number_of = dict[str, int]()

    def encode(urls: pa.Array) -> Ids:
        owner_ids, names = encode_owners(urls, level)
        numbers = [number_of.setdefault(name, len(number_of)) for name in names]
        return np.array(numbers, np.int32)[owner_ids]

    return LazyPageNumbers(collection.pages["url"], encode)


def stoplisted_pages(collection: Collection, pages: Ids, stoplist: StopList) -> Flags:
    """Which pages are on a stop-list."""
    return _lazy_matches(collection, stoplist.page_pattern).take(pages).astype(bool)


def stoplisted_link_targets(collection: Collection, pages: Ids, stoplist: StopList) -> Flags:
    """The pages to which links do not count, by a stop-list."""
    return _lazy_matches(collection, stoplist.link_pattern).take(pages).astype(bool)


@memoize
def _lazy_matches(collection: Collection, pattern: str) -> LazyPageNumbers:
    return LazyPageNumbers(
        collection.pages["url"],
        lambda urls: match_regex(urls, pattern).astype(np.int32),
        prefetch=PREFETCH_PAGES,
    )


@dataclass(slots=True, eq=False)
class CandidatePages:
    """The pages so far, as parallel arrays: origin, rank and score in the search, via.

    `rejected` has the reason for each rejected page, and the page that replaces
    it, -1 for none; `search_total` counts all pages that the search found.
    """

    page_numbers: Ids
    origin: Ids
    rank: Ids
    score: Floats
    via: Ids
    rejected: dict[int, tuple[str, int]] = field(default_factory=dict)
    search_total: int = 0

    @classmethod
    def from_roots(
        cls, page_numbers: Ids, origin: int, rank: Ids, score: Floats
    ) -> "CandidatePages":
        """The candidates before expansion: the root set."""
        n = len(page_numbers)
        return cls(
            page_numbers, np.full(n, origin, np.int32), rank, score, np.full(n, -1, np.int32)
        )

    def add_pages(self, pages: Ids, via: Ids, origin: int) -> None:
        """Add pages that are neither candidates nor rejected; the first `via` of each counts."""
        distinct, first = np.unique(pages, return_index=True)
        known = np.concatenate([self.page_numbers, rejected_numbers(self.rejected)])
        is_new = ~np.isin(distinct, known)
        new_pages, n = distinct[is_new], int(is_new.sum())
        self.page_numbers = np.concatenate([self.page_numbers, new_pages])
        self.origin = np.concatenate([self.origin, np.full(n, origin, np.int32)])
        self.rank = np.concatenate([self.rank, np.zeros(n, np.int32)])
        self.score = np.concatenate([self.score, np.zeros(n)])
        self.via = np.concatenate([self.via, via[first[is_new]]])

    def reorder(self, order: Offsets) -> None:
        """Keep the candidates at some positions, in that order."""
        self.page_numbers, self.origin, self.rank = (
            values[order] for values in (self.page_numbers, self.origin, self.rank)
        )
        self.score, self.via = self.score[order], self.via[order]

    def reject(self, rejected: Flags, reason: str, replaced_by: Ids | None = None) -> None:
        """Remove candidates with a reason; the flags are those of the last candidates."""
        at = np.flatnonzero(rejected) + len(self.page_numbers) - len(rejected)
        others = np.full(len(rejected), -1, np.int32) if replaced_by is None else replaced_by
        pages, replacements = self.page_numbers[at].tolist(), others[rejected].tolist()
        for page, replacement in zip(pages, replacements, strict=True):
            self.rejected[page] = reason, replacement
        self.reorder(np.delete(np.arange(len(self.page_numbers)), at))


def rejected_numbers(rejected: dict[int, tuple[str, int]]) -> Ids:
    """The numbers of the rejected pages."""
    return np.fromiter(rejected, np.int32, len(rejected))


def reject_unwanted(
    collection: Collection,
    graph: WebGraph,
    candidates: CandidatePages,
    start: int,
    options: Selection,
) -> None:
    """Reject the candidates from `start` on that the options exclude.

    The stop-list does not apply to pages given by URL, and its path endings not
    to roots. With `stoplist_drops="links"` the pages of the stop-list stay.
    """
    for pattern in options.exclude:
        names = graph.names.take(pa.array(candidates.page_numbers[start:]))
        candidates.reject(match_pattern(names, pattern), f"without {pattern}")
    if options.stoplist_drops == "pages":
        new_pages, stoplist = candidates.page_numbers[start:], read_stoplist(options.stoplist)
        rejected = stoplisted_candidates(collection, candidates, start, options)
        is_root = _are_roots(candidates, start)
        rejected |= stoplisted_link_targets(collection, new_pages, stoplist) & ~is_root
        candidates.reject(rejected, STOPLISTED_PAGE_REASON)
    if options.mirrors != "keep":
        _reject_mirrors(collection, graph, candidates, start, by_links=options.mirrors == "links")


def stoplisted_candidates(
    collection: Collection, candidates: CandidatePages, start: int, options: Selection
) -> Flags:
    """Which candidates from `start` on are on the stop-list, and were not given by URL."""
    listed = stoplisted_pages(
        collection, candidates.page_numbers[start:], read_stoplist(options.stoplist)
    )
    return listed & ~(_are_roots(candidates, start) & bool(options.pages))


def _are_roots(candidates: CandidatePages, start: int) -> Flags:
    return np.isin(candidates.origin[start:], (ROOT, GIVEN))


def _reject_mirrors(
    collection: Collection,
    graph: WebGraph,
    candidates: CandidatePages,
    start: int,
    *,
    by_links: bool,
) -> None:
    """Reject mirrors; of two the one with the later rank, then the one with fewer inlinks.

    With `by_links` owners and titles do not matter, and pages with few links are
    mirrors where all links agree.
    """
    new_pages = candidates.page_numbers[start:]
    rank = np.where(candidates.rank[start:], candidates.rank[start:], np.iinfo(np.int32).max)
    order = np.lexsort((new_pages, -_degrees(graph.inlinks.starts, new_pages), rank))
    candidates.reorder(np.concatenate([np.arange(start), start + order]))
    pages = candidates.page_numbers
    degrees = _degrees(graph.outlinks.starts, pages)
    replaced_by = np.full(len(pages), -1, np.int32)
    many = np.flatnonzero(degrees >= MIN_MIRROR_LINKS)
    traits = PageTraits.uniform(len(many))
    if not by_links:
        traits = PageTraits(
            encode_page_owners(collection, pages[many], "domain"),
            encode_titles(collection, pages[many]),
        )
    original = find_mirrors(graph.outlinks, read_rare_links(collection), pages[many], traits)
    replaced_by[many] = np.where(original >= 0, pages[many[original]], -1)
    if by_links:
        few = np.flatnonzero((degrees > 0) & (degrees < MIN_MIRROR_LINKS))
        original = find_identically_linked_pages(graph.outlinks, pages[few])
        replaced_by[few] = np.where(original >= 0, pages[few[original]], -1)
    candidates.reject(replaced_by >= 0, MIRROR_REASON, replaced_by)


def _degrees(starts: Offsets, pages: Ids) -> Offsets:
    degrees: Offsets = np.asarray(starts[pages + 1]) - starts[pages]
    return degrees
