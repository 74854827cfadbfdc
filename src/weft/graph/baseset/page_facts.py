"""Lazily computed facts of pages: title, owner, and whether they are on a stop-list."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Ids
from weft.core.memoize import memoize
from weft.graph.baseset.filters import encode_owners
from weft.graph.baseset.stoplist import StopList, match_regex
from weft.store.collection import Collection

PREFETCH_PAGES = 1 << 13


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
