"""Navigation links: links on most pages of a site, such as menus and footers."""

import numpy as np

from weft.core.arrays import Flags, Ids, Offsets
from weft.core.memoize import memoize
from weft.graph.baseset.filters import LinkArrays
from weft.graph.baseset.page_facts import lazy_owner_numbers
from weft.graph.levels import HostRanges, load_graph
from weft.graph.webgraph import WebGraph
from weft.store.collection import Collection

MIN_SITE_PAGES, MAX_LINKING_SHARE = 5, 0.5


def known_outlinks_mask(graph: WebGraph) -> Flags:
    """The pages whose links are known: captured ones and those with links.

    Examples
    --------
    >>> known_outlinks_mask(WebGraph.from_links([("a", "x"), ("b", "x")])).tolist()
    [True, False, True]
    """
    linking: Flags = np.diff(graph.outlinks.starts) > 0
    return linking if graph.uncaptured is None else linking | ~graph.uncaptured


def navigation_thresholds(sizes: Offsets) -> Offsets:
    """The most pages of a site of each size that may link to a page without being navigation.

    That is half of the pages, and all pages of a site with fewer than five.

    Examples
    --------
    >>> navigation_thresholds(np.array([4, 5, 6])).tolist()
    [4, 2, 3]
    """
    return np.where(sizes >= MIN_SITE_PAGES, np.floor(MAX_LINKING_SHARE * sizes), sizes).astype(
        np.int64
    )


class SitePageCounts:
    """The captured pages of each site of a collection, counted on first use.

    By site number: `first` and `last` captured page, and `max_linking`. All
    sites of a domain are counted together, into entries that no other domain
    uses, so that threads may share an instance.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.site_of_page = lazy_owner_numbers(collection, "site")
        self.host_ranges = HostRanges.from_collection(collection)
        self.counted = np.zeros(self.host_ranges.domain_count, bool)
        # One entry per page, an upper bound for sites; untouched zeros take no memory.
        self.first, self.last, self.max_linking = (
            np.zeros(len(collection), np.int64) for _ in range(3)
        )

    def count_sites_of(self, pages: Ids) -> None:
        """Count all sites of the domains of some pages."""
        domains = np.unique(self.host_ranges.domains_of_pages(pages))
        uncounted = domains[~self.counted[domains]]
        if not len(uncounted):
            return
        domain_pages = self.host_ranges.pages_of_domains(uncounted)
        captured = domain_pages[pages_with_known_outlinks(self.collection)[domain_pages]]
        site = self.site_of_page.take(captured)
        sites = np.unique(site)
        self.max_linking[sites] = navigation_thresholds(np.bincount(site)[sites])
        # Pages ascend, and of several assignments to a site the last stays.
        self.last[site] = captured
        self.first[site[::-1]] = captured[::-1]
        self.counted[uncounted] = True


_site_page_counts = memoize(SitePageCounts)


def navigation_links(
    collection: Collection, pages: Ids, links: LinkArrays, candidates: Flags
) -> Flags:
    """The candidate links that most captured pages of their site have.

    Both the captured pages of the site and those of them that link to the
    target are counted in the whole collection.
    """
    from weft.kernels.link_counts import links_over_site_threshold  # noqa: PLC0415  which loads a compiler

    is_source = np.zeros(len(pages), bool)
    is_source[links.source[candidates]] = True
    sites = _site_page_counts(collection)
    sites.count_sites_of(pages[is_source])
    rows = load_graph(collection).inlinks
    sitewide: Flags = links_over_site_threshold(
        (links.source, links.target),
        candidates,
        pages,
        (np.asarray(rows.starts), np.asarray(rows.ids)),
        sites.site_of_page.values,
        (sites.first, sites.last, sites.max_linking),
    )
    return sitewide


@memoize
def pages_with_known_outlinks(collection: Collection) -> Flags:
    """The pages of a collection whose links are known."""
    return known_outlinks_mask(load_graph(collection))
