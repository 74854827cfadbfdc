"""The search for missing links by any score: candidates, exclusions, rank fusion, reasons."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids, Offsets, link_positions
from weft.core.memoize import memoize
from weft.core.text import join_with_and, pluralise, shorten, strip_scheme
from weft.graph.baseset.filters import known_outlinks_mask, navigation_thresholds
from weft.graph.baseset.stoplist import default_stoplist
from weft.graph.cocitation import top_k
from weft.graph.link_facts import MIN_MIRROR_LINKS, MIRROR_SHARE
from weft.graph.selection import DropOrKeep
from weft.similar.context import WebContext
from weft.similar.link_scores import (
    LinkDirection,
    LinkQuery,
    click_shares,
    coupling_cosine,
    neighbours_of,
)
from weft.similar.similarity import MAX_WITNESSES, Witness, top_shared_words
from weft.similar.suggestion import Suggestion, Suggestions
from weft.store.tokens import is_stop_word

MAX_NAMED_PAGES = 2
NO_REASON = "only longer paths lead there"
MAX_ANCHOR_LINKS = 500
MAX_NAME_CHARS = 80
WORD_PATTERN = re.compile(r"[^\W\d_]{2,}")
UNINFORMATIVE_WORDS = frozenset(
    {"contents", "toc", "more", "read", "see", "go", "continue", "details"}
)

PageName = Annotated[str, Field(description="page to find missing links of")]
Direction = Annotated[
    Literal["both", "to", "from"],
    Field(description="links to other pages, from other pages, or both"),
]
Undirected = Annotated[bool, Field(description="count every link in both directions")]
SameSite = Annotated[bool, Field(description="suggest only pages of the same site")]
Uncaptured = Annotated[DropOrKeep, Field(description="pages that are linked but not captured")]
Top = Annotated[int, Field(ge=1, le=1_000, description="how many links per direction")]
LinkScore = Callable[[LinkQuery], Floats]
RRF_K = 60
OVERSAMPLING = 3
INVERSE_NOFOLLOW_SHARE = 3
INVERSE_WELL_KNOWN_SHARE, MIN_SITES = 4, 100
STOPLISTED_NOTE = "on the stop-list left out"
ERROR_NOTE = "left out that a server answered with an error"
SPONSORED_NOTE = "left out, as a third of the links there or more are marked nofollow or sponsored"
NAVIGATION_NOTE = "left out for being in the menus or footers of most sites that link there"
WELL_KNOWN_NOTE = "left out that a quarter of all sites link to"
EXCLUDED_IN_BOTH_DIRECTIONS = (STOPLISTED_NOTE, ERROR_NOTE, SPONSORED_NOTE)


@dataclass(frozen=True, slots=True)
class LinkReason:
    """The witnesses of a suggested link, their numbers, and a sentence that sums them up."""

    intermediate_count: int
    peer_count: int
    sentence: str
    witnesses: tuple[Witness, ...]
    shared_words: tuple[str, ...]


def explain_suggestions(query: LinkQuery, suggested: Ids) -> list[LinkReason]:
    """Find the reasons for each suggested page."""
    context, page = query.context, query.page
    to = query.direction == "to"
    links = [(page, other) if to else (other, page) for other in suggested.tolist()]
    intermediates = [_intermediates(context, *link) for link in links]
    peers = _peers_linking_to(query, suggested) if to else _peers_of_sources(query, suggested)
    witnesses = _make_witnesses(context, links, intermediates, peers)
    words = [top_shared_words(context, page, other) for other in suggested.tolist()]
    reasons = [
        LinkReason(
            len(between),
            len(alike),
            _reason_sentence(context, query.direction, (between, alike), shared),
            listed,
            shared,
        )
        for between, alike, listed, shared in zip(
            intermediates, peers, witnesses, words, strict=True
        )
    ]
    return [
        _add_traffic(reason, context, query.direction, link)
        for reason, link in zip(reasons, links, strict=True)
    ]


def _add_traffic(
    reason: LinkReason, context: WebContext, direction: str, link: tuple[int, int]
) -> LinkReason:
    """The reason with what readers did: how many go there in two clicks, and by which pages."""
    shares = click_shares(context)
    if shares is None:
        return reason
    source, target = link
    first = shares[[source]]
    through = first.data * shares[first.indices][:, [target]].toarray()[:, 0]
    between = _sort_by_similarity(first.indices.astype(np.int32), through)
    if not len(between):
        return reason
    readers = "its readers go there" if direction == "to" else "its readers come here"
    names = join_with_and(_example_names(context, between))
    phrase = f"{through.sum():.1%} of {readers} in two clicks, by way of {names}"
    found = [Witness("readers", context.graph.pages[page]) for page in between[:MAX_WITNESSES]]
    sentence = phrase if reason.sentence == NO_REASON else f"{phrase}; {reason.sentence}"
    return replace(reason, sentence=sentence, witnesses=(*reason.witnesses, *found))


def _intermediates(context: WebContext, source: int, target: int) -> Ids:
    """The pages on two-link paths from source to target, those with the fewest links first."""
    graph = context.graph
    between = np.intersect1d(
        neighbours_of(graph.outlinks, source),
        neighbours_of(graph.inlinks, target),
        assume_unique=True,
    )
    starts = np.asarray(graph.outlinks.starts)
    return between[np.argsort(starts[between + 1] - starts[between], kind="stable")]


def _peers_linking_to(query: LinkQuery, suggested: Ids) -> list[Ids]:
    """For each target the pages that link there and have links like the source, best first."""
    directed = replace(query, undirected=False)
    cosine = coupling_cosine(directed, query.page)
    linking = (neighbours_of(directed.graph.inlinks, other) for other in suggested.tolist())
    return [_sort_by_similarity(pages, cosine[pages]) for pages in linking]


def _peers_of_sources(query: LinkQuery, suggested: Ids) -> list[Ids]:
    """For each source the pages with links like its own that link to the target, best first."""
    graph = query.context.graph
    rows, linking = graph.outlinks, neighbours_of(graph.inlinks, query.page)
    # all links of the pages that link to the target, and whose they are
    at, _ = link_positions(rows, linking)
    outdegrees = np.asarray(rows.starts)[linking + 1] - np.asarray(rows.starts)[linking]
    targets, owner = np.asarray(rows.ids[at]), np.repeat(np.arange(len(linking)), outdegrees)
    peers, is_own = [], np.zeros(len(graph), bool)
    for other in suggested.tolist():
        own = neighbours_of(rows, other)
        is_own[own] = True
        shared = np.bincount(owner[is_own[targets]], minlength=len(linking))
        is_own[own] = False
        # the cosine, up to a factor that is the same for all
        peers.append(_sort_by_similarity(linking, shared / np.sqrt(np.maximum(outdegrees, 1))))
    return peers


def _sort_by_similarity(pages: Ids, similarity: Floats) -> Ids:
    """The pages of positive similarity, in descending order."""
    positive = np.flatnonzero(similarity > 0)
    return pages[positive[np.argsort(-similarity[positive].round(12), kind="stable")]]


def _make_witnesses(
    context: WebContext, links: list[tuple[int, int]], intermediates: list[Ids], peers: list[Ids]
) -> list[tuple[Witness, ...]]:
    """The first witnesses of each link with the anchor texts of theirs, all looked up at once."""
    between_lists = [between[:MAX_WITNESSES].tolist() for between in intermediates]
    peer_lists = [alike[:MAX_WITNESSES].tolist() for alike in peers]
    witness_links: list[tuple[int, int]] = []
    for (source, target), between, alike in zip(links, between_lists, peer_lists, strict=True):
        for page in between:
            witness_links += [(source, page), (page, target)]
        witness_links += [(page, target) for page in alike]
    ends = np.array(witness_links, np.int32).reshape(-1, 2).T
    anchors = iter([texts[0] if texts else "" for texts in context.anchor_texts(*ends)])
    names, witnesses = context.graph.pages, []
    for between, alike in zip(between_lists, peer_lists, strict=True):
        on_paths = [
            Witness("intermediate", names[page], next(anchors), next(anchors)) for page in between
        ]
        beside = [Witness("peer", names[page], "", next(anchors)) for page in alike]
        witnesses.append((*on_paths, *beside))
    return witnesses


def _reason_sentence(
    context: WebContext, direction: str, witnesses: tuple[Ids, Ids], words: tuple[str, ...]
) -> str:
    where = "there" if direction == "to" else "here"
    phrases = []
    for pages, relation in zip(
        witnesses, ("that it links to", "with links like its own"), strict=True
    ):
        if len(pages):
            verb = "links" if len(pages) == 1 else "link"
            phrases.append(
                f"{pluralise(len(pages), context.level)} {relation} {verb} {where}"
                f"{_join_example_names(context, pages)}"
            )
    if words:
        phrases.append(f"shared words: {', '.join(words)}")
    return "; ".join(phrases) or NO_REASON


def _example_names(context: WebContext, pages: Ids) -> list[str]:
    return [
        shorten(strip_scheme(context.graph.pages[page]), MAX_NAME_CHARS)
        for page in pages[:MAX_NAMED_PAGES].tolist()
    ]


def _join_example_names(context: WebContext, pages: Ids) -> str:
    names = _example_names(context, pages)
    if len(pages) <= MAX_NAMED_PAGES:
        return f" ({join_with_and(names)})"
    return f", such as {join_with_and(names)}"


def suggest_anchor_texts(context: WebContext, pages: Ids) -> list[tuple[str, str]]:
    """Propose an anchor text for a link to each page, with its source.

    It is the most common informative anchor of existing `links`, else the
    `title` of the page.
    """
    linking = [
        neighbours_of(context.graph.inlinks, page)[:MAX_ANCHOR_LINKS] for page in pages.tolist()
    ]
    link_counts = [len(sources) for sources in linking]
    sources = np.concatenate([np.zeros(0, np.int32), *linking])
    anchors = iter(context.anchor_texts(sources, np.repeat(pages, link_counts)))
    proposals = []
    for title, link_count in zip(context.titles(pages), link_counts, strict=True):
        counts = Counter(
            text for _ in range(link_count) for text in next(anchors) if is_informative_anchor(text)
        )
        proposals.append(_most_common_anchor(counts, title))
    return proposals


def _most_common_anchor(anchor_counts: Counter[str], title: str) -> tuple[str, str]:
    if anchor_counts:
        best = min(anchor_counts, key=lambda text: (-anchor_counts[text], text))
        return shorten(best, MAX_NAME_CHARS), "links"
    return (shorten(title, MAX_NAME_CHARS), "title") if title.strip() else ("", "")


@lru_cache(1 << 14)
def is_informative_anchor(anchor: str) -> bool:
    """Whether an anchor text says something about its target.

    Examples
    --------
    >>> [is_informative_anchor(text) for text in ("Next page", "here", "Jaguar magazine")]
    [False, False, True]
    """
    words = WORD_PATTERN.findall(anchor.lower())
    return any(not is_stop_word(word, "en") and word not in UNINFORMATIVE_WORDS for word in words)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingLinkOptions:
    """Options of all methods: the page, the direction, which pages, and how many links."""

    page: PageName = ""
    direction: Direction = "both"
    undirected: Undirected = False
    same_site: SameSite = False
    uncaptured: Uncaptured = "drop"
    top: Top = 10

    @property
    def directions(self) -> tuple[LinkDirection, ...]:
        """The directions to search in."""
        return ("to", "from") if self.direction == "both" else (self.direction,)


def find_missing_links(
    context: WebContext,
    method_name: str,
    options: MissingLinkOptions,
    scores: Mapping[str, LinkScore],
    fused_methods: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Suggestions:
    """Find the missing links of a page by the first score, or by the fused ranks of several."""
    if not options.page:
        return Suggestions(method_name, "", notes=("no page was given",))
    page, all_notes = context.require_page_number(options.page), list(notes)
    found: dict[LinkDirection, tuple[Suggestion, ...]] = {}
    for direction in options.directions:
        query = LinkQuery(context, page, direction, options.undirected)
        nearby = query.unlinked_nearby_pages()
        ordering = fused_methods or tuple(scores)
        values = {method: scores[method](query) * nearby for method in ordering}
        if fused_methods:
            total = reciprocal_rank_fusion(list(values.values()))
        else:
            total = next(iter(values.values()))
        # only now: without the ranks of ineligible pages, fusion finds fewer hidden links
        total = total * eligible_pages(query, options)
        best, excluded = _best_candidates(context, total, direction, options.top)
        linked = np.concatenate([[page], query.linked_pages]).astype(np.int32)
        chosen = drop_near_duplicates(context, linked, best, options.top)
        # scores that do not order the pages are computed for the chosen ones alone
        shown = replace(query, only=chosen)
        values = {
            name: values[name] if name in values else score(shown) for name, score in scores.items()
        }
        found[direction] = tuple(_make_suggestions(query, chosen, total, values))
        all_notes += [
            f"{direction}: {pluralise(count, 'page')} {reason}"
            for reason, count in excluded.items()
        ]
        if len(chosen) < min(options.top, len(best)):
            copies = pluralise(len(best) - len(chosen), "copy")
            all_notes.append(f"{direction}: {copies} of other pages left out")
        if len(best) < options.top:
            all_notes += _note_uncaptured(query, options)
    return Suggestions(
        method_name, options.page, found.get("to", ()), found.get("from", ()), tuple(all_notes)
    )


def eligible_pages(query: LinkQuery, options: MissingLinkOptions) -> Flags:
    """The pages that may be suggested: unlinked, nearby, and not ruled out by the options."""
    eligible = query.unlinked_nearby_pages()
    if options.same_site:
        sites = query.context.site_ids
        eligible &= sites == sites[query.page]
    uncaptured = query.context.graph.uncaptured
    if options.uncaptured == "drop" and uncaptured is not None:
        eligible &= ~uncaptured
    return eligible


def _note_uncaptured(query: LinkQuery, options: MissingLinkOptions) -> list[str]:
    """A note on the pages that were left out because they were not captured, if there are any."""
    all_pages = eligible_pages(query, replace(options, uncaptured="keep"))
    count = int(all_pages.sum() - eligible_pages(query, options).sum())
    if not count:
        return []
    return [f"{query.direction}: {pluralise(count, 'page')} nearby left out, as not captured"]


def reciprocal_rank_fusion(scores: list[Floats]) -> Floats:
    """Fuse rankings: the sum of 1 / (60 + rank); equal scores share the better rank.

    Examples
    --------
    >>> reciprocal_rank_fusion([np.array([3.0, 2.0, 0.0]), np.array([0.0, 1.0, 0.0])]).round(4)
    array([0.0164, 0.0325, 0.    ])
    """
    total = np.zeros(len(scores[0]))
    for values in scores:
        positive = np.flatnonzero(values > 0)
        descending = positive[np.argsort(-values[positive])]
        is_new = np.diff(values[descending], prepend=np.inf) != 0
        ranks = np.maximum.accumulate(np.where(is_new, np.arange(1, len(positive) + 1), 1))
        total[descending] += 1 / (RRF_K + ranks)
    return total


def is_stoplisted(context: WebContext, pages: Ids) -> Flags:
    """Pages on the stop-list: portals, counters, advertisers, legal and contact pages."""
    names, stoplist = pa.array(context.base.page_names(pages), pa.string()), default_stoplist()
    stoplisted: Flags = stoplist.match_pages(names) | stoplist.match_link_targets(names)
    return stoplisted


def is_error_page(context: WebContext, pages: Ids) -> Flags:
    """Pages that a server answered with an error."""
    return np.array([kind == "error" for kind in context.kinds(pages)], bool)


def is_sponsored(context: WebContext, pages: Ids) -> Flags:
    """Pages to which a third of the links or more are marked nofollow, sponsored or ugc."""
    starts = np.asarray(context.graph.inlinks.starts)
    marked = context.nofollow_counts[pages]
    sponsored: Flags = (marked > 0) & (
        INVERSE_NOFOLLOW_SHARE * marked >= starts[pages + 1] - starts[pages]
    )
    return sponsored


def is_navigation_target(context: WebContext, pages: Ids) -> Flags:
    """Pages in the menus or footers of most sites that link to them.

    As in a base set: a site of five captured pages or more, more than half of
    which link there.
    """
    threshold = navigation_thresholds(_captured_pages_per_site(context))
    linking = [_linking_pages_per_site(context, page) for page in pages.tolist()]
    in_menus = [
        2 * np.count_nonzero(counts > threshold) > np.count_nonzero(counts) for counts in linking
    ]
    return np.array(in_menus, bool)


def is_well_known(context: WebContext, pages: Ids) -> Flags:
    """Pages that a quarter of all sites link to, where there are at least a hundred sites.

    Search engines, for example: who wants to link there does already.
    """
    sites = np.count_nonzero(_captured_pages_per_site(context))
    if sites < MIN_SITES:
        return np.zeros(len(pages), bool)
    linking_sites = [
        np.count_nonzero(_linking_pages_per_site(context, page)) for page in pages.tolist()
    ]
    well_known: Flags = INVERSE_WELL_KNOWN_SHARE * np.array(linking_sites, np.int64) >= sites
    return well_known


def _linking_pages_per_site(context: WebContext, page: int) -> Offsets:
    """How many pages of each site link to a page."""
    linking = neighbours_of(context.graph.inlinks, page)
    return np.bincount(context.site_ids[linking], minlength=len(context.site_names))


@memoize
def _captured_pages_per_site(context: WebContext) -> Offsets:
    captured_sites = context.site_ids[known_outlinks_mask(context.graph)]
    return np.bincount(captured_sites, minlength=len(context.site_names))


EXCLUSIONS: dict[str, Callable[[WebContext, Ids], Flags]] = {
    STOPLISTED_NOTE: is_stoplisted,
    ERROR_NOTE: is_error_page,
    SPONSORED_NOTE: is_sponsored,
    NAVIGATION_NOTE: is_navigation_target,
    WELL_KNOWN_NOTE: is_well_known,
}


def _best_candidates(
    context: WebContext, scores: Floats, direction: LinkDirection, top: int
) -> tuple[Ids, dict[str, int]]:
    """The best pages that are not excluded, at least `top` if there are, and counts by reason."""
    size = OVERSAMPLING * top
    while True:
        best = top_k(scores, size).astype(np.int32)
        kept, excluded = np.ones(len(best), bool), dict[str, int]()
        for reason, is_excluded in EXCLUSIONS.items():
            if direction == "to" or reason in EXCLUDED_IN_BOTH_DIRECTIONS:
                dropped = kept & is_excluded(context, best)
                kept &= ~dropped
                excluded |= {reason: int(dropped.sum())} if dropped.any() else {}
        if kept.sum() >= top or len(best) < size:
            return best[kept], excluded
        size *= 2


def drop_near_duplicates(
    context: WebContext, existing: Ids, candidates: Ids, max_pages: int
) -> Ids:
    """The first candidates that are copies neither of existing pages nor of each other.

    As in a base set, pages with five links or more are copies if over four
    fifths of the links of the larger are in both; on one site only if they also
    have the same title.
    """
    kept: list[int] = []
    for page in candidates.tolist():
        if len(kept) == max_pages:
            break
        others = np.concatenate([existing, np.array(kept, np.int32)])
        if not _is_near_duplicate(context, page, others):
            kept.append(page)
    return np.array(kept, np.int32)


def _is_near_duplicate(context: WebContext, page: int, others: Ids) -> bool:
    rows = context.graph.outlinks
    starts = np.asarray(rows.starts)
    own_links = int(starts[page + 1] - starts[page])
    if own_links < MIN_MIRROR_LINKS:
        return False
    # cheap bounds first: the sizes must allow the overlap, then sites and titles
    links = starts[others + 1] - starts[others]
    possible = others[
        _is_overlap_too_large(np.minimum(links, own_links), np.maximum(links, own_links))
    ]
    possible = possible[_may_be_copies(context, page, possible)] if len(possible) else possible
    if not len(possible):
        return False
    is_own = np.zeros(len(context.graph), bool)
    is_own[neighbours_of(rows, page)] = True
    at, _ = link_positions(rows, possible)
    links = starts[possible + 1] - starts[possible]
    owner = np.repeat(np.arange(len(possible)), links)
    shared = np.bincount(owner[is_own[rows.ids[at]]], minlength=len(possible))
    return bool(_is_overlap_too_large(shared, np.maximum(links, own_links)).any())


def _is_overlap_too_large(shared: Any, links: Any) -> Flags:
    exceeds: Flags = MIRROR_SHARE[1] * shared > MIRROR_SHARE[0] * links
    return exceeds


def _may_be_copies(context: WebContext, page: int, others: Ids) -> Flags:
    """Pages of another site, or with the same title."""
    other_site: Flags = context.site_ids[others] != context.site_ids[page]
    same_site = others[~other_site]
    [title] = context.titles(np.array([page], np.int32))
    possible = other_site.copy()
    possible[~other_site] = [
        bool(title) and other_title == title for other_title in context.titles(same_site)
    ]
    return possible


def _make_suggestions(
    query: LinkQuery, chosen: Ids, scores: Floats, scores_by_method: Mapping[str, Floats]
) -> list[Suggestion]:
    context, to = query.context, query.direction == "to"
    titles, kinds = context.titles(chosen), context.kinds(chosen)
    targets = chosen if to else np.array([query.page], np.int32)
    anchors = suggest_anchor_texts(context, targets)
    suggestions = []
    for k, reason in enumerate(explain_suggestions(query, chosen)):
        page = int(chosen[k])
        suggestions.append(
            Suggestion(
                context.graph.pages[page],
                titles[k],
                kinds[k],
                query.direction,
                float(scores[page]),
                {method: float(values[page]) for method, values in scores_by_method.items()},
                reason.intermediate_count,
                reason.peer_count,
                reason.sentence,
                reason.witnesses,
                reason.shared_words,
                *anchors[k if to else 0],
            )
        )
    return suggestions
