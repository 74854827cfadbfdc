"""Links that most pages of a site carry: its menus and footers."""

import numpy as np

from weft.core.arrays import Flags, Ids, Offsets
from weft.graph.filters import Links
from weft.graph.hosts import HostRuns
from weft.graph.levels import load
from weft.graph.noted import noted_owners
from weft.graph.webgraph import WebGraph
from weft.store.collection import Collection

SITE, MOST = 5, 0.5


def captured(graph: WebGraph) -> Flags:
    """The pages whose links are known: those that were captured; without captures, those with any.

    Examples
    --------
    >>> captured(WebGraph.from_links([("a", "x"), ("b", "x")])).tolist()
    [True, False, True]
    """
    linking: Flags = np.diff(graph.outlinks.starts) > 0
    return linking if graph.seen is None else linking | ~graph.seen


def menu_bar(sizes: Offsets) -> Offsets:
    """How many pages of sites of some sizes may link to a page before the link is navigation.

    Half of the pages may; every page of a site of fewer than five.

    Examples
    --------
    >>> menu_bar(np.array([4, 5, 6])).tolist()
    [4, 2, 3]
    """
    return np.where(sizes >= SITE, np.floor(MOST * sizes), sizes).astype(np.int64)


class Sites:
    """The captured pages of each site of a collection, counted when first asked for.

    By number of the site: the first of them and the last, and how many may link
    to a page before the link is navigation. Those of a domain are counted at
    once, and written where nothing else is, so that threads may share it.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.noted = noted_owners(collection, "site")
        self.runs = HostRuns.of(collection)
        self.counted = np.zeros(self.runs.domains, bool)
        # as many as there can be; what is never written to takes no memory
        self.first, self.last, self.bar = (np.zeros(len(collection), np.int64) for _ in range(3))

    def count(self, pages: Ids) -> None:
        """Count the sites of some pages, and of all others of their domains."""
        domains = np.unique(self.runs.domain_of(pages))
        fresh = domains[~self.counted[domains]]
        if not len(fresh):
            return
        others = self.runs.pages_of(fresh)
        others = others[captured_pages(self.collection)[others]]
        site = self.noted.of(others)
        own = np.unique(site)
        self.bar[own] = menu_bar(np.bincount(site)[own])
        self.last[site] = others  # which ascend: of several the last one stays
        self.first[site[::-1]] = others[::-1]
        self.counted[fresh] = True


def menu_links(collection: Collection, pages: Ids, links: Links, chosen: Flags) -> Flags:
    """Of the links chosen among some pages those that most captured pages of their site carry.

    Both numbers are those of the whole collection: the captured pages of the
    site, and how many of them link to the page.
    """
    from weft.engine.votes import widespread  # noqa: PLC0415  which loads a compiler

    linking = np.zeros(len(pages), bool)
    linking[links.source[chosen]] = True
    sites = collection.once("captured pages of sites", lambda: Sites(collection))
    sites.count(pages[linking])
    rows = load(collection).inlinks
    found: Flags = widespread(
        (links.source, links.target),
        chosen,
        pages,
        (np.asarray(rows.starts), np.asarray(rows.ids)),
        sites.noted.values,
        (sites.first, sites.last, sites.bar),
    )
    return found


def captured_pages(collection: Collection) -> Flags:
    """The pages of a collection whose links are known."""
    return collection.once("captured pages", lambda: captured(load(collection)))
