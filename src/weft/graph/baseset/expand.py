"""Build the base set of a query: search, expand along links, filter pages and links."""

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids, Offsets, pack_pairs
from weft.core.memoize import memoize
from weft.engine import operator_from_csr, principal_singular_pair
from weft.graph.anchors import read_anchor_table, read_anchor_texts, read_block_table
from weft.graph.baseset.apply_filters import filter_links
from weft.graph.baseset.baseset import (
    LINKED_FROM,
    LINKS_TO,
    MAX_HOST_TITLES,
    AbsentPage,
    BaseSet,
)
from weft.graph.baseset.candidates import CandidatePages, reject_unwanted, rejected_numbers
from weft.graph.baseset.filters import encode_owners, induced_link_arrays, internal_links
from weft.graph.baseset.roots import find_roots
from weft.graph.levels import HostRanges, add_self_links, load_dated_graph, uncaptured_pages
from weft.graph.link_facts import read_name_hashes, sample_inlinks
from weft.graph.selection import DEFAULT_PER_DOMAIN, DEFAULT_SELECTION, Between, Selection
from weft.graph.views import Dropped, link_positions
from weft.graph.webgraph import WebGraph, csr_from_keys, transpose
from weft.store.collection import Collection
from weft.store.search import ANY_TIME, TimeRange

ROOT_SCORE_TOL, ROOT_SCORE_MAX_ITER = 1e-10, 1000


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
    collection: Collection,
    graph: WebGraph,
    candidates: CandidatePages,
    options: Selection,
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


_host_ranges = memoize(HostRanges.from_collection)


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
