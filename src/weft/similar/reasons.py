"""Reasons for suggested links: pages in between, peers, shared words; and their anchor texts."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from weft.core.arrays import Floats, Ids
from weft.core.text import join_with_and, pluralise, shorten, strip_scheme
from weft.graph.views import link_positions
from weft.similar.context import WebContext
from weft.similar.link_scores import LinkQuery, coupling_cosine, neighbours_of
from weft.similar.similarity import MAX_WITNESSES, Witness, top_shared_words
from weft.store.tokens import is_stop_word

MAX_NAMED_PAGES = 2
MAX_ANCHOR_LINKS = 500
MAX_NAME_CHARS = 80
WORD_PATTERN = re.compile(r"[^\W\d_]{2,}")
UNINFORMATIVE_WORDS = frozenset(
    {"contents", "toc", "more", "read", "see", "go", "continue", "details"}
)


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
    return [
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
    return "; ".join(phrases) or "only longer paths lead there"


def _join_example_names(context: WebContext, pages: Ids) -> str:
    names = [
        shorten(strip_scheme(context.graph.pages[page]), MAX_NAME_CHARS)
        for page in pages[:MAX_NAMED_PAGES].tolist()
    ]
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
