"""Which links of a base set count: navigation, internal and excess links are dropped.

Each filter marks links among some pages; `filter_links` applies all in turn, and counts
what each drops.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np
import pyarrow as pa

from weft.core.arrays import (
    CSR,
    Flags,
    Floats,
    Ids,
    Offsets,
    Weights,
    csr_from_keys,
    pack_pairs,
    subset_positions,
)
from weft.core.memoize import memoize
from weft.graph.baseset.candidates import (
    CandidatePages,
    encode_page_owners,
    lazy_owner_numbers,
    rejected_numbers,
    stoplisted_candidates,
    stoplisted_link_targets,
)
from weft.graph.baseset.stoplist import read_stoplist
from weft.graph.levels import OWNER_FUNCTIONS, HostRanges, load_graph
from weft.graph.link_facts import nofollow_positions
from weft.graph.selection import Between, Level, Selection
from weft.graph.views import Dropped
from weft.graph.webgraph import (
    ArrowNames,
    WebGraph,
    build_csr,
    induced_links,
    link_weights,
    transpose,
)
from weft.store.collection import Collection

MIN_EXTERNAL_SHARE = 0.5
MIN_SITE_PAGES, MAX_LINKING_SHARE = 5, 0.5
NOFOLLOW_REASON, LEGAL_PAGE_REASON = "marked nofollow", "leading to legal or contact pages"
STOPLISTED_TARGET_REASON = "leading to pages on the stop-list"


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


def links_within_groups(links: LinkArrays, remaining: Flags, group: Ids) -> Flags:
    """The remaining links inside a group, such as a domain: Kleinberg's intrinsic links."""
    from weft.kernels.csr import intra_group_links  # noqa: PLC0415  which loads a compiler

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
    from weft.kernels.csr import links_over_group_limit  # noqa: PLC0415  which loads a compiler

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
    from weft.kernels.csr import repeated_group_links  # noqa: PLC0415  which loads a compiler

    repeated: Flags = repeated_group_links(
        (links.source, links.target), np.lexsort((page_rank, group)), group
    )
    return find_sitewide(links, repeated) if repeated.any() else repeated


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
    from weft.kernels.csr import links_over_site_threshold  # noqa: PLC0415  which loads a compiler

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


@dataclass(slots=True, eq=False)
class LinkFilter:
    """Links, which of them still count, and what was dropped."""

    links: LinkArrays
    remaining: Flags
    dropped: list[Dropped] = field(default_factory=list)

    def drop(self, dropped: Flags, reason: str) -> None:
        """Drop some of the remaining links, and note how many, if any."""
        if count := int(np.count_nonzero(dropped)):
            self.dropped.append(Dropped(reason, 0, count))
            self.remaining &= ~dropped


@dataclass(frozen=True, slots=True, eq=False)
class LinkVerdicts:
    """For each candidate page, kept or rejected, whether links from it and to it count.

    `pages` ascend. By page, `source_reason` is the index in `reasons` of why
    links from it do not count, `target_reason` of why links to it do not;
    `len(reasons)` means that they count. `target_position` is the position among
    the kept pages of the page that links to it count for.
    """

    pages: Ids
    reasons: tuple[str, ...]
    source_reason: Ids
    target_reason: Ids
    target_position: Ids

    @classmethod
    def from_page_verdicts(cls, candidates: CandidatePages, *, redirect: bool) -> "LinkVerdicts":
        """Drop links of rejected pages; with `redirect` links to a mirror go to its original."""
        rejected = rejected_numbers(candidates.rejected)
        pages = np.sort(np.concatenate([candidates.page_numbers, rejected]))
        page_reasons = [reason for reason, _ in candidates.rejected.values()]
        link_reasons = STOPLISTED_TARGET_REASON, LEGAL_PAGE_REASON
        reasons = tuple(dict.fromkeys([NOFOLLOW_REASON, *page_reasons, *link_reasons]))
        index = {reason: k for k, reason in enumerate(reasons)}
        at = np.searchsorted(pages, rejected)
        source_reason = np.full(len(pages), len(reasons), np.int32)
        source_reason[at] = [index[reason] for reason in page_reasons]
        target_reason = source_reason.copy()
        position = np.searchsorted(candidates.page_numbers, pages).astype(np.int32)
        if redirect:
            original = np.array([other for _, other in candidates.rejected.values()], np.int32)
            is_mirror = original >= 0
            target_reason[at[is_mirror]] = len(reasons)
            position[at[is_mirror]] = np.searchsorted(candidates.page_numbers, original[is_mirror])
        return cls(pages, reasons, source_reason, target_reason, position)

    def ignore_links_to(self, pages: Flags, reason: str) -> None:
        """Drop the links to some of the kept pages, unless they are dropped already."""
        counting = np.flatnonzero(self.target_reason == len(self.reasons))
        ignored = counting[pages[self.target_position[counting]]]
        self.target_reason[ignored] = self.reasons.index(reason)

    def apply(self, outlinks: CSR, nofollow_links: Offsets) -> LinkFilter:
        """The links among the kept pages that count, and how many others were dropped."""
        from weft.kernels.csr import filter_induced_links  # noqa: PLC0415  which loads a compiler

        starts, ids = np.asarray(outlinks.starts), np.asarray(outlinks.ids)
        weights = np.zeros(0, np.float32) if outlinks.weights is None else outlinks.weights
        source, target, weight, link_counts = filter_induced_links(
            (starts, ids, weights),
            self.pages,
            subset_positions(outlinks, self.pages),
            nofollow_links,
            (self.source_reason, self.target_reason, self.target_position),
            len(self.reasons),
        )
        page_counts = np.bincount(self.source_reason, minlength=len(self.reasons))
        counts = zip(self.reasons, page_counts.tolist(), link_counts.tolist(), strict=False)
        links = LinkArrays(source, target, weight)
        dropped = [Dropped(*count) for count in counts if any(count[1:])]
        return LinkFilter(links, np.ones(len(links), bool), dropped)


def filter_links(
    collection: Collection, graph: WebGraph, candidates: CandidatePages, options: Selection
) -> tuple[WebGraph, tuple[Dropped, ...]]:
    """The graph of the kept pages, in order, with the links that count, and what was dropped.

    Links of rejected pages are counted too, under the reason of the page.
    """
    pages, outlinks = candidates.page_numbers, graph.outlinks
    verdicts = LinkVerdicts.from_page_verdicts(candidates, redirect=options.mirrors == "redirect")
    if options.stoplist_drops == "links":
        stoplisted = stoplisted_candidates(collection, candidates, 0, options)
        verdicts.ignore_links_to(stoplisted, STOPLISTED_TARGET_REASON)
    legal = stoplisted_link_targets(collection, pages, read_stoplist(options.stoplist))
    verdicts.ignore_links_to(legal, LEGAL_PAGE_REASON)
    nofollow = np.zeros(0, np.int64)
    if options.nofollow == "drop":
        nofollow = nofollow_positions(collection, outlinks, verdicts.pages)
    link_filter = verdicts.apply(outlinks, nofollow)
    rank = np.where(candidates.rank, candidates.rank, np.inf)
    owner_ids = cache(partial(encode_page_owners, collection, pages))
    if options.boilerplate == "drop":
        find_sitewide = partial(navigation_links, collection, pages)
        repeated = sitewide_links(link_filter.links, owner_ids("site"), rank, find_sitewide)
        link_filter.drop(repeated, "repeated on most pages of a site")
    _drop_internal_and_excess(link_filter, owner_ids, rank, options)
    names, links = graph.names.take(pa.array(pages)), link_filter.links[link_filter.remaining]
    return links.to_graph(names, graph.level), tuple(link_filter.dropped)


def _drop_internal_and_excess(
    link_filter: LinkFilter, owner_ids: Callable[[str], Ids], rank: Floats, options: Selection
) -> None:
    """Drop the links inside one owner, and those beyond `per_domain` from one domain to a page.

    Navigation links have been dropped before, so that the others show whether
    the links between domains are enough.
    """
    links, remaining = link_filter.links, link_filter.remaining
    internal, dropped = internal_links(links, remaining, owner_ids, options.between)
    link_filter.dropped += dropped
    link_filter.remaining &= ~internal
    if options.per_domain:
        level = options.between if options.between in OWNER_FUNCTIONS else "domain"
        excess = excess_group_links(
            links, link_filter.remaining, owner_ids(level), rank, options.per_domain
        )
        link_filter.drop(excess, f"more than {options.per_domain} pages of one {level} to a page")
