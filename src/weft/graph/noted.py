"""What is known of each page by itself, found when first asked for."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Ids
from weft.graph.filters import owners
from weft.graph.stoplist import StopList
from weft.store.collection import Collection

AHEAD = 1 << 13


class Noted:
    """A number from zero for each page of a snapshot, told of each page once.

    Where to begin telling takes as long as to tell of some thousand pages, so
    many others are told of along with those asked for: `ahead` of them, in order.
    """

    def __init__(
        self, column: pa.ChunkedArray, tell: Callable[[pa.Array], Ids], *, ahead: int = 0
    ) -> None:
        self.words = column.chunk(0) if column.num_chunks else pa.array([], column.type)
        self.tell, self.ahead, self.reached = tell, ahead, 0
        self.values = np.zeros(len(column), np.int32)

    def of(self, pages: Ids) -> Ids:
        """The numbers of some pages; `tell` is asked for those of new ones, by their words."""
        known = self.values[pages]
        if not known.all():
            fresh = pages[known == 0]
            fresh = np.concatenate([fresh, self._others(fresh)])
            self.values[fresh] = self.tell(self.words.take(pa.array(fresh))) + 1
            known = self.values[pages]
        return known - 1

    def _others(self, asked: Ids) -> Ids:
        """The next pages that nobody asked for."""
        start, self.reached = self.reached, min(self.reached + self.ahead, len(self.values))
        unknown = self.values[start : self.reached] == 0
        unknown[asked[(asked >= start) & (asked < self.reached)] - start] = False
        return start + np.flatnonzero(unknown).astype(np.int32)


def titles_of(collection: Collection, pages: Ids) -> Ids:
    """A number for each page that is the same where titles are; -1 where there is none."""

    def make() -> Noted:
        known = {"": 0}

        def tell(titles: pa.Array) -> Ids:
            coded = titles.dictionary_encode()
            words = coded.dictionary.to_pylist()
            numbers = np.array([known.setdefault(title, len(known)) for title in words], np.int32)
            found: Ids = numbers[coded.indices.to_numpy()]
            return found

        return Noted(collection.pages["title"], tell)

    found: Ids = collection.once("titles of pages", make).of(pages) - 1
    return found


def owners_of(collection: Collection, pages: Ids, level: str) -> Ids:
    """The host, domain or site of each page as a number, the same whenever it is asked for."""
    return noted_owners(collection, level).of(pages)


def noted_owners(collection: Collection, level: str) -> Noted:
    """The host, domain or site of the pages of a collection, as far as it was asked for."""

    def make() -> Noted:
        known = dict[str, int]()

        def tell(urls: pa.Array) -> Ids:
            own, names = owners(urls, level)
            numbers = [known.setdefault(name, len(known)) for name in names]
            return np.array(numbers, np.int32)[own]

        return Noted(collection.pages["url"], tell)

    return collection.once(f"{level} of pages", make)


def stopped(collection: Collection, pages: Ids, listed: StopList) -> Flags:
    """Which pages a stop-list leaves out."""
    return _flags(collection, pages, listed.pages, listed.stops)


def shunned(collection: Collection, pages: Ids, listed: StopList) -> Flags:
    """Which pages links to count for nothing, by a stop-list."""
    return _flags(collection, pages, listed.links, listed.shuns)


def _flags(
    collection: Collection, pages: Ids, what: str, tell: Callable[[pa.Array], Flags]
) -> Flags:
    def make() -> Noted:
        return Noted(collection.pages["url"], lambda urls: tell(urls).astype(np.int32), ahead=AHEAD)

    return collection.once(f"pages like {what}", make).of(pages).astype(bool)
