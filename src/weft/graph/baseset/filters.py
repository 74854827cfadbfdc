"""Link filters: each marks the links among some pages that do not count."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import numpy as np
import pyarrow as pa

from weft.core.arrays import CSR, Flags, Floats, Ids, Weights, pack_pairs
from weft.gather.url import domain, host, site
from weft.graph.selection import Between, Level
from weft.graph.views import Dropped, induced_links
from weft.graph.webgraph import (
    ArrowNames,
    WebGraph,
    build_csr,
    csr_from_keys,
    link_weights,
    transpose,
)
from weft.store.arrow_files import string_buffers

UrlOwner = Callable[[str], str]
URL_CACHE = lru_cache(maxsize=1 << 16)
OWNER_FUNCTIONS: dict[str, UrlOwner] = {
    name: URL_CACHE(of) for name, of in (("host", host), ("domain", domain), ("site", site))
}
MIN_EXTERNAL_SHARE = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class LinkArrays:
    """Links among some pages as parallel arrays: source, target and weight, by position."""

    source: Ids
    target: Ids
    weight: Weights

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, kept: Flags) -> "LinkArrays":
        at = np.flatnonzero(kept)
        return LinkArrays(self.source.take(at), self.target.take(at), self.weight.take(at))

    def to_graph(self, names: pa.Array, level: Level) -> WebGraph:
        """A graph of these links; the weights of parallel links are summed."""
        key, n = pack_pairs(self.source, self.target), len(names)
        if (np.diff(key) > 0).all() and (self.source != self.target).all():
            outlinks = csr_from_keys(key, self.weight, n)
        else:
            outlinks = build_csr(self.source, self.target, self.weight, n)
        return WebGraph(ArrowNames(names), outlinks, transpose(outlinks, n), level)


def induced_link_arrays(outlinks: CSR, pages: Ids) -> LinkArrays:
    """The links among some pages, which ascend."""
    if len(pages) == len(outlinks.starts) - 1:
        source = np.repeat(pages, np.diff(outlinks.starts))
        return LinkArrays(source, np.asarray(outlinks.ids), np.asarray(link_weights(outlinks)))
    at, source, target = induced_links(outlinks, pages)
    weight = np.ones(len(at), np.float32) if outlinks.weights is None else outlinks.weights[at]
    return LinkArrays(source, target, weight)


def encode_owners(names: pa.Array, level: str) -> tuple[Ids, list[str]]:
    """The host, domain or site of each page as a number, and the names by number.

    Only URL prefixes that differ from the previous one are parsed.
    """
    from weft.kernels.url_prefix import find_prefix_changes  # noqa: PLC0415  which loads a compiler

    starts, buffer = string_buffers(names)
    is_new, ends = find_prefix_changes(starts, buffer, level == "site")
    number_of = dict[str, int]()
    first, text = np.flatnonzero(is_new), buffer.data
    numbers = [
        number_of.setdefault(OWNER_FUNCTIONS[level](str(text[start:end], "utf-8")), len(number_of))
        for start, end in zip(starts[first].tolist(), ends[first].tolist(), strict=True)
    ]
    return np.array(numbers, np.int32)[np.cumsum(is_new) - 1], list(number_of)


def links_within_groups(links: LinkArrays, remaining: Flags, group: Ids) -> Flags:
    """The remaining links inside a group, such as a domain: Kleinberg's intrinsic links."""
    from weft.kernels.link_counts import intra_group_links  # noqa: PLC0415  which loads a compiler

    internal: Flags = intra_group_links((links.source, links.target), remaining, group)
    return internal


def internal_links(
    links: LinkArrays, remaining: Flags, owner_ids: Callable[[str], Ids], between: Between
) -> tuple[Flags, tuple[Dropped, ...]]:
    """The remaining links inside one owner, and how many these are.

    With `auto` owners are domains; where few external links would remain, as
    within one site, owners are hosts, or else every link counts. Few is less
    than half of the links and less than one per linked page, too few for a
    connected graph.
    """
    if between in ("page", "any"):
        return np.zeros(len(links), bool), ()
    if between != "auto":
        internal = links_within_groups(links, remaining, owner_ids(between))
        return internal, (Dropped(f"same {between}", 0, int(np.count_nonzero(internal))),)
    few, total = "few links lead to another domain", int(np.count_nonzero(remaining))
    linked_pages = cache(partial(count_linked_pages, links, remaining))
    for level, reason in (("domain", ""), ("host", f", as {few}")):
        internal = links_within_groups(links, remaining, owner_ids(level))
        count = int(np.count_nonzero(internal))
        external = total - count
        if external >= MIN_EXTERNAL_SHARE * total or external >= linked_pages():
            return internal, (Dropped(f"same {level}{reason}", 0, count),)
    return np.zeros(len(links), bool), (Dropped(f"inside a site, as {few} or host", 0, 0),)


def count_linked_pages(links: LinkArrays, remaining: Flags) -> int:
    """The number of pages at either end of the remaining links."""
    linked = np.zeros(max(int(links.source.max()), int(links.target.max())) + 1, bool)
    linked[links.source[remaining]] = linked[links.target[remaining]] = True
    return int(np.count_nonzero(linked))


def excess_group_links(
    links: LinkArrays, remaining: Flags, group: Ids, page_rank: Floats, max_links: int
) -> Flags:
    """The remaining links beyond the first `max_links` from a group to a page of another.

    Pages of a group count in the order of `page_rank`, ties in page order. Links
    are sorted by source.
    """
    from weft.kernels.link_counts import links_over_group_limit  # noqa: PLC0415  which loads a compiler

    ends, order = (links.source, links.target), np.lexsort((page_rank, group))
    excess: Flags = links_over_group_limit(ends, remaining, order, group, max_links)
    return excess


def sitewide_links(
    links: LinkArrays,
    group: Ids,
    page_rank: Floats,
    find_sitewide: Callable[[LinkArrays, Flags], Flags],
) -> Flags:
    """The links that most pages of their site have, except that of the site's first page.

    A site that links to a page from everywhere counts once; its first page is
    that of the smallest `page_rank`. Links that another page of the site repeats
    are candidates, of which `find_sitewide` selects those on most pages of the
    site in the whole collection. Links are sorted by source.
    """
    from weft.kernels.link_counts import repeated_group_links  # noqa: PLC0415  which loads a compiler

    repeated: Flags = repeated_group_links(
        (links.source, links.target), np.lexsort((page_rank, group)), group
    )
    return find_sitewide(links, repeated) if repeated.any() else repeated
