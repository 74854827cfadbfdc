"""Build the base set of a query: find its roots, expand along links, filter pages and links."""

import re
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Floats, Ids, Offsets, csr_from_keys, link_positions, pack_pairs
from weft.core.memoize import memoize
from weft.engine import operator_from_csr, principal_singular_pair
from weft.graph.baseset.baseset import (
    GIVEN,
    LINKED_FROM,
    LINKS_TO,
    MAX_HOST_TITLES,
    ROOT,
    AbsentPage,
    BaseSet,
)
from weft.graph.baseset.candidates import (
    CandidatePages,
    encode_page_owners,
    encode_titles,
    reject_unwanted,
    rejected_numbers,
)
from weft.graph.baseset.filters import filter_links, induced_link_arrays, internal_links
from weft.graph.levels import (
    HostRanges,
    add_self_links,
    encode_owners,
    load_dated_graph,
    pages_in_time,
    uncaptured_pages,
)
from weft.graph.link_facts import (
    read_anchor_table,
    read_anchor_texts,
    read_block_table,
    read_name_hashes,
    sample_inlinks,
)
from weft.graph.selection import DEFAULT_PER_DOMAIN, DEFAULT_SELECTION, Between, Selection
from weft.graph.views import Dropped
from weft.graph.webgraph import WebGraph, transpose
from weft.store.collection import Collection, SearchResults
from weft.store.search import ANY_TIME, TimeRange

SEARCHED_PER_ROOT = 10
MAX_SEARCHED = 10_000
SITE_DECAY = 0.92
MIN_SITES = 3
ENOUGH_WITH_ALL_WORDS = 100
MIN_REPEATED_TITLE_CHARS = 13
PLAIN_WORDS = re.compile(r"\w+(?:\s+\w+)+")
OPERATORS = {"AND", "OR", "NOT"}
ROOT_SCORE_TOL, ROOT_SCORE_MAX_ITER = 1e-10, 1000
_host_ranges = memoize(HostRanges.from_collection)


def find_roots(collection: Collection, selection: Selection) -> CandidatePages:
    """The root set: the pages given, those that a search finds, or all pages."""
    if selection.pages:
        given = dict.fromkeys(collection.find_page(url) for url in selection.pages)
        numbers = np.fromiter(given, np.int32, len(given))
        return _ranked_candidates(numbers, GIVEN, np.ones(len(numbers)))
    if selection.query:
        is_diverse = selection.roots == "diverse"
        return (search_diverse_roots if is_diverse else search_first_roots)(collection, selection)
    numbers = np.flatnonzero(pages_in_time(collection, selection.time_range)).astype(np.int32)
    return CandidatePages.from_roots(numbers, GIVEN, np.zeros_like(numbers), np.ones(len(numbers)))


def _ranked_candidates(numbers: Ids, origin: int, scores: Floats) -> CandidatePages:
    rank = np.arange(1, len(numbers) + 1, dtype=np.int32)
    return CandidatePages.from_roots(numbers, origin, rank, scores)


def search_first_roots(collection: Collection, selection: Selection) -> CandidatePages:
    """The first results of a search."""
    results = _search(collection, selection, selection.query, selection.root_size)
    numbers = np.array(results.page_numbers, np.int32)
    candidates = _ranked_candidates(numbers, ROOT, results.to_table()["score"].to_numpy())
    candidates.search_total = results.total
    return candidates


def search_diverse_roots(collection: Collection, selection: Selection) -> CandidatePages:
    """Results of a search spread over sites, then the others of its first results.

    Results with all words of a query, and with its phrase, score for each of
    these again. The n-th page of a host counts 0.92^n as much where there are
    three hosts or more, and a title of a host counts once. Pages that were not
    captured are left out, unless nothing else is found.
    """
    root_size = selection.root_size
    numbers, scores, total = _search_all_forms(collection, selection)
    hosts = encode_page_owners(collection, numbers, "host")
    spread = spread_over_sites(scores, hosts)
    spread[_repeats_title(collection, numbers, hosts)] = 0.0
    diverse = np.argsort(-spread, kind="stable")[:root_size]
    diverse = diverse[spread[diverse] > 0]
    others = np.setdiff1d(np.arange(min(root_size, len(numbers))), diverse)
    order = np.concatenate([diverse, others])
    candidates = _ranked_candidates(numbers[order], ROOT, scores[order])
    candidates.search_total = total
    return candidates


def _search(collection: Collection, selection: Selection, query: str, limit: int) -> SearchResults:
    return collection.search(query, limit, time_range=selection.time_range, with_snippets=False)


def _search_all_forms(collection: Collection, selection: Selection) -> tuple[Ids, Floats, int]:
    """Captured pages by falling score, and how many pages match the query in all."""
    limit = min(SEARCHED_PER_ROOT * selection.root_size, MAX_SEARCHED)
    forms = query_forms(selection.query)
    results = [_search(collection, selection, form, limit) for form in forms]
    numbers = np.concatenate([np.array(found.page_numbers, np.int32) for found in results])
    scores = np.concatenate([found.to_table()["score"].to_numpy() for found in results])
    pages, position = np.unique(numbers, return_inverse=True)
    totals = np.bincount(position, scores, len(pages)).astype(np.float64)
    if len(results) > 1 and len(results[1]) >= ENOUGH_WITH_ALL_WORDS:
        totals[~np.isin(pages, np.array(results[1].page_numbers))] = 0.0
    captured = ~uncaptured_pages(collection)[pages]
    kept = captured & (totals > 0) if captured.any() else totals > 0
    pages, totals = pages[kept], totals[kept]
    order = np.argsort(-np.round(totals, 6), kind="stable")
    return pages[order].astype(np.int32), totals[order], results[0].total


def query_forms(query: str) -> list[str]:
    """A query of several plain words: as it is, with all words required, and as a phrase.

    Examples
    --------
    >>> query_forms("big cats")
    ['big cats', '+big +cats', '"big cats"']
    >>> query_forms("cats -dogs")
    ['cats -dogs']
    """
    words = query.split()
    if not PLAIN_WORDS.fullmatch(query.strip()) or OPERATORS & set(words):
        return [query]
    return [query, " ".join(f"+{word}" for word in words), f'"{" ".join(words)}"']


def spread_over_sites(scores: Floats, hosts: Ids) -> Floats:
    """Scores that fall with each page of a host: the n-th counts 0.92^n as much.

    Pages are in descending order of score. If they are on fewer than three
    hosts, scores stay as they are.

    Examples
    --------
    >>> spread_over_sites(np.ones(4), np.array([0, 0, 1, 2])).tolist()
    [1.0, 0.92, 1.0, 1.0]
    """
    if len(np.unique(hosts)) < MIN_SITES:
        return scores.copy()
    order = np.argsort(hosts, kind="stable")
    nth = np.empty(len(hosts), np.int64)
    nth[order] = np.arange(len(hosts)) - np.searchsorted(hosts[order], hosts[order])
    return scores * SITE_DECAY**nth


def _repeats_title(collection: Collection, numbers: Ids, hosts: Ids) -> Flags:
    """Whether a better result on the same host has the same title, unless that is short."""
    if not len(numbers):
        return np.zeros(0, bool)
    titles = encode_titles(collection, numbers)
    texts = collection.pages["title"].take(pa.array(numbers)).to_pylist()
    is_long = np.array([len(text or "") >= MIN_REPEATED_TITLE_CHARS for text in texts])
    _, first = np.unique(np.stack([hosts, titles]), axis=1, return_index=True)
    is_first = np.zeros(len(numbers), bool)
    is_first[first] = True
    repeats: Flags = ~is_first & is_long & (titles >= 0)
    return repeats


@dataclass(frozen=True, slots=True, eq=False)
class RootScores:
    """Hub and authority scores of the root pages, in the order of the root set."""

    hub: Floats
    authority: Floats

    def top_pages(self, k: int) -> tuple[Ids, Ids]:
        """The positions of the k best hubs and authorities with positive scores."""
        return _top_positive(self.hub, k), _top_positive(self.authority, k)


def _top_positive(scores: Floats, k: int) -> Ids:
    order = np.argsort(-np.round(scores, 12), kind="stable")[:k]
    return order[scores[order] > 0].astype(np.int32)


def score_roots(graph: WebGraph, roots: Ids) -> RootScores:
    """Score the root pages as hubs and as authorities, with one vote per host.

    Hub scores are the principal left singular vector of the matrix of root page
    by linked host, authority scores the right one of the matrix of linking host
    by root page. Entries are 0 or 1, however many links there are, and links
    inside a host do not count.
    """
    at, link_sources = link_positions(graph.outlinks, roots)
    link_targets = np.asarray(graph.outlinks.ids[at])
    all_pages = np.concatenate([roots, link_sources, link_targets])
    pages, number = np.unique(all_pages, return_inverse=True)
    hosts = encode_owners(graph.names.take(pa.array(pages)), "host")[0].astype(np.int64)
    root, source, target = np.split(number, [len(roots), len(roots) + len(at)])
    root_position = np.full(len(pages), -1, np.int64)
    root_position[root] = np.arange(len(roots))
    external = hosts[source] != hosts[target]
    source, target = source[external], target[external]
    to_root = root_position[target] >= 0
    host_count = int(hosts.max(initial=-1)) + 1
    hub, _ = _principal_singular_vectors(
        root_position[source], hosts[target], len(roots), host_count
    )
    _, authority = _principal_singular_vectors(
        hosts[source[to_root]], root_position[target[to_root]], host_count, len(roots)
    )
    return RootScores(hub, authority)


def _principal_singular_vectors(
    row: Offsets, column: Offsets, row_count: int, column_count: int
) -> tuple[Floats, Floats]:
    """The principal left and right singular vectors of a 0-1 matrix, given its ones."""
    size = max(row_count, column_count)
    matrix = csr_from_keys(np.unique(pack_pairs(row, column)), None, size)
    operator = operator_from_csr(matrix, transpose(matrix, size))
    pair = principal_singular_pair(
        operator, np.ones(size), ROOT_SCORE_TOL, ROOT_SCORE_MAX_ITER, "selective"
    )
    return pair.source[:row_count], pair.target[:column_count]


def build_query_base_set(
    collection: Collection,
    query: str = "",
    selection: Selection = DEFAULT_SELECTION,
    **changes: Any,
) -> BaseSet:
    """The base set of a query: the first results of a search, and the pages around them.

    All pages that a root links to are added, and at most `max_inlinks` of those
    that link to it, chosen by `sampling`. A second step does the same for all
    pages so far. The roots can be given as `pages` instead; without these and
    without a query they are the whole collection. Pages on the stop-list and
    mirrors are rejected before anything is added through them.

    Of the links among these pages the likely recommendations count: no nofollow
    links, none inside one owner, one of the links that most pages of a site
    have, and at most `per_domain` from a domain to a page. Each filter is a word
    of the selection, given there or by name, and what it left out is in
    `dropped`. The same seed gives the same base set.
    """
    options = selection.with_changes(query=query or selection.query, **changes)
    options = options.with_defaults(DEFAULT_PER_DOMAIN, "first")
    graph = load_dated_graph(collection, options.time_range)
    candidates = find_roots(collection, options)
    reject_unwanted(collection, graph, candidates, 0, options)
    not_sampled, start = np.zeros(0, np.int32), 0
    for step in range(options.steps if options.has_base_set else 0):
        size = len(candidates.page_numbers)
        skipped = _add_linked_pages(
            collection, graph, candidates, start, options, first_step=not step
        )
        reject_unwanted(collection, graph, candidates, size, options)
        not_sampled, start = np.concatenate([not_sampled, skipped]), size
    # Pages that were not sampled for one page may have come in through another.
    missing = np.zeros(len(graph), bool)
    missing[not_sampled] = True
    missing[candidates.page_numbers] = missing[rejected_numbers(candidates.rejected)] = False
    base = _assemble_base_set(collection, graph, candidates, options)
    if not len(not_sampled):
        return base
    reason = f"more than {options.max_inlinks} links to a page"
    sampled = Dropped(reason, int(np.count_nonzero(missing)), len(not_sampled))
    return replace(base, dropped=(sampled, *base.dropped))


def whole_base_set(
    collection: Collection, *, between: Between = "page", time_range: TimeRange = ANY_TIME
) -> BaseSet:
    """All pages and links of a collection, unfiltered, as a base set without a query."""
    all_links = load_dated_graph(collection, time_range)
    if between == "any":
        all_links = add_self_links(collection, all_links)
    graph, dropped = drop_internal_links(all_links, between)
    return attach_readers(collection, replace(BaseSet.from_graph(graph), dropped=dropped))


def attach_readers(collection: Collection, base: BaseSet) -> BaseSet:
    """A base set that reads texts, titles and anchors from a collection on first use."""
    numbers, outlinks = base.page_numbers, base.graph.outlinks
    return replace(
        base,
        collection=collection,
        read_texts=cache(lambda: collection.texts(numbers.tolist())),
        read_anchors=cache(lambda: read_anchor_table(collection, numbers, outlinks)),
        read_titles=cache(lambda: read_titles(collection, numbers)),
        read_term_weights=cache(lambda: collection.term_weights(numbers)),
        read_blocks=cache(lambda: read_block_table(collection, numbers, outlinks)),
        read_anchor_texts=partial(read_anchor_texts, collection, numbers),
        read_host_titles=partial(sample_host_titles, collection),
    )


def drop_internal_links(graph: WebGraph, between: Between) -> tuple[WebGraph, tuple[Dropped, ...]]:
    """The links between different pages, hosts, domains or sites, and what was dropped."""
    if between in ("page", "any"):
        return graph, ()
    links = induced_link_arrays(graph.outlinks, np.arange(len(graph), dtype=np.int32))
    owner_ids = cache(lambda level: encode_owners(graph.names, level)[0])
    internal, dropped = internal_links(links, np.ones(len(links), bool), owner_ids, between)
    external = links[~internal].to_graph(graph.names, graph.level)
    return replace(external, uncaptured=graph.uncaptured), dropped


def _add_linked_pages(
    collection: Collection,
    graph: WebGraph,
    candidates: CandidatePages,
    start: int,
    options: Selection,
    *,
    first_step: bool,
) -> Ids:
    """Add the pages linked with those from `start` on; return the inlinks that were not sampled."""
    name_hashes = read_name_hashes(collection)
    hubs = authorities = candidates.page_numbers[start:]
    if first_step and options.selective:
        best_hubs, best_authorities = score_roots(graph, hubs).top_pages(options.selective)
        hubs, authorities = hubs[best_hubs], authorities[best_authorities]
    at, via = link_positions(graph.outlinks, hubs)
    candidates.add_pages(np.asarray(graph.outlinks.ids[at]), via, LINKED_FROM)
    sampled, via, not_sampled = sample_inlinks(
        graph, authorities, options.max_inlinks, options.seed, name_hashes, options.sampling
    )
    candidates.add_pages(sampled, via, LINKS_TO)
    return not_sampled


def _assemble_base_set(
    collection: Collection, graph: WebGraph, candidates: CandidatePages, options: Selection
) -> BaseSet:
    """Build the base set of the candidates, in page order, with the links that count."""
    candidates.reorder(np.argsort(candidates.page_numbers, kind="stable").astype(np.int64))
    numbers, via = candidates.page_numbers, candidates.via
    view, dropped = filter_links(collection, graph, candidates, options)
    if options.between == "any":
        view = add_self_links(collection, view, numbers)
    uncaptured = None if graph.uncaptured is None else graph.uncaptured[numbers]
    base = BaseSet(
        graph=replace(view, uncaptured=uncaptured),
        query=options.query,
        page_numbers=numbers,
        origin=candidates.origin,
        rank=candidates.rank,
        via=np.where(via < 0, -1, np.searchsorted(numbers, via)).astype(np.int32),
        text_score=candidates.score,
        dropped=dropped,
        absent=_rejection_reasons(graph, candidates),
        search_total=candidates.search_total,
    )
    return attach_readers(collection, base)


def _rejection_reasons(graph: WebGraph, candidates: CandidatePages) -> dict[str, AbsentPage]:
    """The rejected pages by name, with the reason."""
    others = np.array([other for _, other in candidates.rejected.values()], np.int32)
    pages, originals = (
        graph.names.take(pa.array(numbers, mask=numbers < 0)).to_pylist()
        for numbers in (rejected_numbers(candidates.rejected), others)
    )
    reasons = [reason for reason, _ in candidates.rejected.values()]
    return {
        page: AbsentPage("it mirrors", original) if original else AbsentPage(reason)
        for page, original, reason in zip(pages, originals, reasons, strict=True)
    }


def read_titles(collection: Collection, page_numbers: Ids) -> list[str]:
    """The titles of pages."""
    titles: list[str] = collection.pages["title"].take(pa.array(page_numbers)).to_pylist()
    return titles


def sample_host_titles(collection: Collection, page_number: int) -> list[str]:
    """Titles of captured pages on the host of a page, spread evenly over the host."""
    first_pages = _host_ranges(collection).first_page
    host = int(np.searchsorted(first_pages, page_number, side="right")) - 1
    return _read_host_titles(collection, *first_pages[host : host + 2].tolist())


@memoize
def _read_host_titles(collection: Collection, first: int, end: int) -> list[str]:
    pages = np.arange(first, end)
    pages = pages[~uncaptured_pages(collection)[pages]]
    if not len(pages):
        return []
    sample = pages[np.unique(np.linspace(0, len(pages) - 1, MAX_HOST_TITLES).astype(np.int64))]
    return [title for title in read_titles(collection, sample.astype(np.int32)) if title]
