"""Sites of a collection, found by name: a host, a domain, or a folder of one."""

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from weft.core.arrays import Ids
from weft.core.errors import UnknownName, WeftError
from weft.core.text import shorten
from weft.gather.url import domain_of_host, host
from weft.store.arrow_files import SortedColumn
from weft.store.collection import Collection
from weft.store.numbering import PAGE_KINDS
from weft.store.search import site_page_range

SCHEME_PATTERN = re.compile(r"^[a-z]+://", re.IGNORECASE)
FOLDER_END_PATTERN = re.compile(r"[/ ?]")
MAX_SAMPLED_PAGES, MAX_SIMILAR_NAMES, MAX_LISTED_DOMAINS = 50_000, 2_000, 5


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """The page numbers of a site: all, those captured or listed, and those captured."""

    name: str
    all_pages: Ids
    pages: Ids
    captured_pages: Ids

    @property
    def uncaptured_count(self) -> int:
        """How many of its pages are linked, not captured or listed."""
        return len(self.all_pages) - len(self.pages)


def find_site(collection: Collection, name: str) -> Site:
    """Find a site by host, domain or folder; `www.` and the scheme may be left out."""
    address = SCHEME_PATTERN.sub("", name.strip()).rstrip("/")
    bare = address.removeprefix("www.")
    for spelling in dict.fromkeys([address, bare, f"www.{bare}"] if bare else []):
        numbers = _pages_below(collection, spelling)
        if len(numbers):
            break
    else:
        raise _unknown_site_error(collection, address)
    kind = collection.pages["kind"].take(pa.array(numbers)).to_numpy()
    captured = kind == PAGE_KINDS["captured"]
    known = captured | (kind == PAGE_KINDS["listed"])
    if not known.any():
        raise WeftError(
            f"{address} is linked, but none of its pages was captured",
            hint="`weft add` its pages first",
        )
    return Site(spelling, numbers, numbers[known], numbers[captured])


def _pages_below(collection: Collection, site: str) -> Ids:
    """The pages of a host, a domain or a folder; `a.org/x` does not include `a.org/xy`."""
    keys = SortedColumn(collection.pages["key"])
    first, last = site_page_range(site, keys)
    numbers = np.arange(first, last, dtype=np.int32)
    _, slash, path = site.partition("/")
    if not slash:
        return numbers
    ends = (key.partition("/")[2][len(path) + 1 :] for key in keys.values[first:last].to_pylist())
    inside: Ids = numbers[[bool(FOLDER_END_PATTERN.match(end)) for end in ends]]
    return inside


def _unknown_site_error(collection: Collection, name: str) -> UnknownName:
    """The error for an unknown site: with a similar name if there is one, else some domains."""
    kind = collection.pages["kind"].to_numpy()
    known = np.flatnonzero(np.isin(kind, [PAGE_KINDS["captured"], PAGE_KINDS["listed"]]))
    sample = known[:: max(1, len(known) // MAX_SAMPLED_PAGES)]
    urls = collection.pages["url"].take(pa.array(sample)).to_pylist()
    hosts = list(dict.fromkeys(host(url) for url in urls))
    domains = list(dict.fromkeys(domain_of_host(host_name) for host_name in hosts))
    similar = [
        known_name for known_name in (*domains, *hosts) if abs(len(known_name) - len(name)) < 8
    ]
    listed = ", ".join(shorten(domain, 60) for domain in domains[:MAX_LISTED_DOMAINS])
    more = (
        f" and {len(domains) - MAX_LISTED_DOMAINS:,} more"
        if len(domains) > MAX_LISTED_DOMAINS
        else ""
    )
    hint = f"there are {listed}{more}" if domains else "the collection has no pages"
    return UnknownName("site", shorten(name, 80), similar[:MAX_SIMILAR_NAMES], hint=hint)
