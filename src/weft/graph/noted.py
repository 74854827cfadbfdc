"""What is known of each page by itself, found when first asked for."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Ids
from weft.graph.filters import owners
from weft.graph.stoplist import StopList
from weft.store.collection import Collection


class Noted:
    """A number from zero for each page of a snapshot, told of each page once."""

    def __init__(self, collection: Collection, tell: Callable[[pa.Array], Ids]) -> None:
        self.urls, self.tell = collection.pages["url"], tell
        self.values = np.zeros(len(collection), np.int32)

    def of(self, pages: Ids) -> Ids:
        """The numbers of some pages; `tell` is asked for those of new URLs."""
        known = self.values[pages]
        if not known.all():
            fresh = pages[known == 0]
            self.values[fresh] = self.tell(self.urls.take(pa.array(fresh)).combine_chunks()) + 1
            known = self.values[pages]
        return known - 1


def owners_of(collection: Collection, pages: Ids, level: str) -> Ids:
    """The host, domain or site of each page as a number, of which there are no more than needed."""

    def make() -> Noted:
        known = dict[str, int]()

        def tell(urls: pa.Array) -> Ids:
            own, names = owners(urls, level)
            numbers = [known.setdefault(name, len(known)) for name in names]
            return np.array(numbers, np.int32)[own]

        return Noted(collection, tell)

    found = collection.once(f"{level} of pages", make).of(pages)
    return np.unique(found, return_inverse=True)[1].astype(np.int32)


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
        return Noted(collection, lambda urls: tell(urls).astype(np.int32))

    return collection.once(f"pages like {what}", make).of(pages).astype(bool)
