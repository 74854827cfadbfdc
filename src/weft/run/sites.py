"""A site of a collection by its name: a host, a domain, or a folder of one."""

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.core.errors import UnknownName, WeftError
from weft.core.wording import shortened
from weft.gather.url import domain_of_host, host
from weft.store.collection import Collection
from weft.store.mapped import Sorted
from weft.store.numbering import KINDS
from weft.store.search import site_range

SCHEME = re.compile(r"^[a-z]+://", re.IGNORECASE)
FOLDER_END = re.compile(r"[/ ?]")
LOOKED_AT, NEAR, NAMED = 50_000, 2_000, 5


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """The pages of a site by number: all, those fetched or listed, and those that were fetched."""

    name: str
    everything: Ids
    pages: Ids
    fetched: Ids

    @property
    def unread(self) -> int:
        """How many of its pages are only linked to."""
        return len(self.everything) - len(self.pages)


def find_site(collection: Collection, name: str) -> Site:
    """A site by its host, domain or folder; `www.` and the scheme may be left out."""
    plain = SCHEME.sub("", name.strip()).rstrip("/")
    bare = plain.removeprefix("www.")
    for spelling in dict.fromkeys([plain, bare, f"www.{bare}"] if bare else []):
        numbers = _below(collection, spelling)
        if len(numbers):
            break
    else:
        raise _unknown(collection, plain)
    kind = collection.pages["kind"].take(pa.array(numbers)).to_numpy()
    fetched = kind == KINDS["fetched"]
    known = fetched | (kind == KINDS["listed"])
    if not known.any():
        raise WeftError(
            f"{plain} is only linked to: no page of it was fetched",
            hint="`weft add` its pages first",
        )
    return Site(spelling, numbers, numbers[known], numbers[fetched])


def _below(collection: Collection, site: str) -> Ids:
    """The pages below a host, a domain or a folder, and of folders that begin alike this alone."""
    keys = Sorted(collection.pages["key"])
    first, last = site_range(site, keys)
    numbers = np.arange(first, last, dtype=np.int32)
    _, slash, path = site.partition("/")
    if not slash:
        return numbers
    rest = (key.partition("/")[2][len(path) + 1 :] for key in keys.values[first:last].to_pylist())
    inside: Ids = numbers[[bool(FOLDER_END.match(end)) for end in rest]]
    return inside


def _unknown(collection: Collection, name: str) -> UnknownName:
    """Tell of a site that is not there, with one that is almost so called."""
    kind = collection.pages["kind"].to_numpy()
    known = np.flatnonzero(np.isin(kind, [KINDS["fetched"], KINDS["listed"]]))
    some = known[:: max(1, len(known) // LOOKED_AT)]
    urls = collection.pages["url"].take(pa.array(some)).to_pylist()
    hosts = list(dict.fromkeys(host(url) for url in urls))
    domains = list(dict.fromkeys(domain_of_host(place) for place in hosts))
    near = [place for place in (*domains, *hosts) if abs(len(place) - len(name)) < 8]
    there = f"there are {', '.join(shortened(place, 60) for place in domains[:NAMED])}"
    more = f" and {len(domains) - NAMED:,} more" if len(domains) > NAMED else ""
    hint = there + more if domains else "the collection has no pages"
    return UnknownName("site", shortened(name, 80), near[:NEAR], hint=hint)
