"""Apply the link filters of a base set one after the other, and count what each drops."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np
import pyarrow as pa

from weft.core.arrays import CSR, Flags, Floats, Ids, Offsets
from weft.graph.baseset.candidates import CandidatePages, rejected_numbers, stoplisted_candidates
from weft.graph.baseset.filters import (
    OWNER_FUNCTIONS,
    LinkArrays,
    excess_group_links,
    internal_links,
    sitewide_links,
)
from weft.graph.baseset.navigation import navigation_links
from weft.graph.baseset.page_facts import encode_page_owners, stoplisted_link_targets
from weft.graph.baseset.stoplist import read_stoplist
from weft.graph.link_facts import nofollow_positions
from weft.graph.selection import Selection
from weft.graph.views import Dropped, subset_positions
from weft.graph.webgraph import WebGraph
from weft.store.collection import Collection

NOFOLLOW_REASON, LEGAL_PAGE_REASON = "marked nofollow", "leading to legal or contact pages"
STOPLISTED_TARGET_REASON = "leading to pages on the stop-list"


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
