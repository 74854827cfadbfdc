"""What is counted in sessions for the prediction of clicks: contexts, pages and their vectors."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from weft.core.arrays import (
    CSR,
    Floats,
    Ids,
    Offsets,
    pack_pairs,
    sort_unique,
    take_rows,
    unpack_first_ids,
    unpack_second_ids,
)
from weft.engine.operator import operator_from_csr
from weft.engine.svd import singular_triplets
from weft.graph.transitions import Sessions
from weft.graph.views import symmetric_csr
from weft.graph.webgraph import WebGraph, link_weights, row_sums

DIMENSIONS = 32
MAX_RECENT_PAGES = 30
MIN_CANDIDATES, MAX_CANDIDATES = 20, 200


class PathCounts(NamedTuple):
    """Counts of what visitors did: rows of pages, with how often.

    `by_order` has for each order the pages after a context of that many pages,
    and `continuations`, for all but the highest order, before how many
    different pages such a run of context and page began: the counts of
    Kneser and Ney. `by_entry` has the pages after a pair of entry page and last
    page; `two_later` the pages two views after a page; `with_entry` how many
    of the sessions with an entry page view a page later.
    """

    by_order: tuple[CSR, CSR, CSR]
    continuations: tuple[CSR, CSR]
    by_entry: CSR
    two_later: CSR
    with_entry: CSR


class PageFacts(NamedTuple):
    """Numbers for each page: from the clicks, the sessions and the links."""

    clicks: Floats
    sources: Floats
    entries: Floats
    view_rates: Floats
    exit_rates: Floats
    indegrees: Floats
    outdegrees: Floats
    vectors: npt.NDArray[np.float32]


class PathQueries(NamedTuple):
    """Paths to continue: query k has the last pages `pages[firsts[k]:ends[k]]`, at least one.

    `entries` has the page that each path begins with. `contexts` has a column
    for each order, and one for the pair of entry and last page: the row of
    `PathCounts`, or -1 for one that was never seen.
    """

    pages: Ids
    firsts: Offsets
    ends: Offsets
    entries: Ids
    contexts: npt.NDArray[np.int64]

    def take(self, which: Any) -> "PathQueries":
        """Some of the queries, given as numbers or a slice."""
        parts = (each[which] for each in (self.firsts, self.ends, self.entries, self.contexts))
        return PathQueries(self.pages, *parts)


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """The contexts that occurred, as sorted packed pairs; the number of one is its index.

    A pair is a page and the page before it, which is `page_count` at the
    beginning of a session; a triple is the number of a pair and the page after
    it; and an entry pair is the first page of a session and a later one.
    """

    page_count: int
    pairs: Offsets
    triples: Offsets
    entry_pairs: Offsets

    @classmethod
    def of(cls, sessions: Sessions) -> Self:
        """The contexts of all views of some sessions."""
        n, none = len(sessions.graph), np.zeros(0, np.int64)
        pairs = sort_unique(_pair_keys(sessions.starts, sessions.pages, n))
        triples = sort_unique(
            cls(n, pairs, none, none).triple_keys(sessions.starts, sessions.pages)
        )
        entry_pairs = sort_unique(_entry_keys(sessions.starts, sessions.pages))
        return cls(n, pairs, triples[triples >= 0], entry_pairs[entry_pairs >= 0])

    def triple_keys(self, starts: Offsets, pages: Ids) -> Offsets:
        """The number of the pair that ends one view before, packed with the page; -1 for none."""
        numbers = _find_keys(self.pairs, _pair_keys(starts, pages, self.page_count))
        before = _values_before(starts, numbers, -1)
        return np.where(before >= 0, pack_pairs(np.maximum(before, 0), pages), -1)

    def number(self, starts: Offsets, pages: Ids) -> npt.NDArray[np.int64]:
        """The contexts of each view: page, pair, triple and entry pair; -1 for unknown ones."""
        return np.column_stack(
            [
                pages.astype(np.int64),
                _find_keys(self.pairs, _pair_keys(starts, pages, self.page_count)),
                _find_keys(self.triples, self.triple_keys(starts, pages)),
                _find_keys(self.entry_pairs, _entry_keys(starts, pages)),
            ]
        )


def _pair_keys(starts: Offsets, pages: Ids, page_count: int) -> Offsets:
    return pack_pairs(_values_before(starts, pages, page_count), pages)


def _values_before(starts: Offsets, values: Ids | Offsets, at_start: int) -> Offsets:
    """The value of the view before each view of a session, or the one for the first."""
    before = np.empty(len(values), np.int64)
    before[1:] = values[:-1]
    before[starts[:-1][np.diff(starts) > 0]] = at_start
    return before


def _entry_keys(starts: Offsets, pages: Ids) -> Offsets:
    """Entry page and page of each view, packed; -1 for the entry itself."""
    first = starts[:-1][np.diff(starts) > 0]
    entries = np.repeat(pages[first], np.diff(starts)[np.diff(starts) > 0])
    keys = pack_pairs(entries, pages)
    keys[first] = -1
    return keys


def _find_keys(known: Offsets, keys: Offsets) -> Offsets:
    """The index of each key in sorted ones, -1 for none."""
    at = np.searchsorted(known, keys)
    found = np.append(known, -2)[at] == keys
    return np.where(found, at, -1)


@dataclass(frozen=True, slots=True, eq=False)
class PathTables:
    """What sessions, and the links between their pages, say on the next click."""

    graph: WebGraph
    contexts: Contexts
    counts: PathCounts
    facts: PageFacts
    popular: Ids

    @classmethod
    def count(cls, sessions: Sessions) -> Self:
        """Count the clicks of sessions by context."""
        contexts = Contexts.of(sessions)
        counts = _count_clicks(sessions, contexts)
        facts = _page_facts(sessions, counts)
        order = np.argsort(-facts.clicks, kind="stable")[:MIN_CANDIDATES].astype(np.int32)
        return cls(sessions.graph, contexts, counts, facts, order[facts.clicks[order] > 0])

    @property
    def size(self) -> int:
        """The number of counts that are stored."""
        counts = self.counts
        tables = *counts.by_order, counts.by_entry, counts.two_later, counts.with_entry
        return sum(len(rows.ids) for rows in tables)

    def list_candidates(self, pages: Ids) -> CSR:
        """The pages that may be clicked on each of some pages, a row for each.

        They are the pages linked there or clicked there before, and where these
        are few, the most clicked pages of all. Of very many, those clicked most
        are kept.
        """
        clicked = take_rows(self.counts.by_order[0], pages)
        sources = [clicked, take_rows(self.graph.outlinks, pages)]
        keys = np.concatenate([pack_pairs(rows.row_ids(), rows.ids) for rows in sources])
        short = np.bincount(unpack_first_ids(keys), minlength=len(pages)) < MIN_CANDIDATES
        few = np.flatnonzero(short).repeat(len(self.popular))
        popular = np.tile(self.popular, int(short.sum()))
        other = popular != pages[few]
        keys = sort_unique(np.concatenate([keys, pack_pairs(few[other], popular[other])]))
        row, target = unpack_first_ids(keys), unpack_second_ids(keys).astype(np.int32)
        here = np.zeros(len(keys))
        here[np.searchsorted(keys, pack_pairs(clicked.row_ids(), clicked.ids))] = link_weights(
            clicked
        )
        starts = np.searchsorted(row, np.arange(len(pages) + 1))
        order = np.lexsort((target, -self.facts.clicks[target], -here, row))
        kept = np.sort(order[np.arange(len(keys)) - starts[row] < MAX_CANDIDATES])
        starts = np.searchsorted(row[kept], np.arange(len(pages) + 1)).astype(np.int64)
        return CSR(starts, target[kept])

    def ask(self, starts: Offsets, pages: Ids, next_views: Offsets) -> PathQueries:
        """Paths up to the views before some views of sessions, with their contexts."""
        session = np.searchsorted(starts, next_views - 1, side="right") - 1
        first = starts[session]
        return PathQueries(
            pages,
            np.maximum(first, next_views - MAX_RECENT_PAGES),
            next_views.astype(np.int64),
            pages[first],
            self.contexts.number(starts, pages)[next_views - 1],
        )


def clicked_views(sessions: Sessions) -> Offsets:
    """The views that a click led to: not the first of a session, and not inferred."""
    is_clicked = ~sessions.inferred
    is_clicked[sessions.starts[:-1][np.diff(sessions.starts) > 0]] = False
    return np.flatnonzero(is_clicked)


def _count_clicks(sessions: Sessions, contexts: Contexts) -> PathCounts:
    starts, pages, n = sessions.starts, sessions.pages, len(sessions.graph)
    clicked = clicked_views(sessions)
    target = pages[clicked]
    before = contexts.number(starts, pages)[clicked - 1]
    sizes = n, len(contexts.pairs), len(contexts.triples)
    first, second, third = (_count_rows(before[:, k], target, size) for k, size in enumerate(sizes))
    # Kneser and Ney: each different context of the next order counts once.
    last_page = unpack_second_ids(contexts.pairs)
    page_before = unpack_second_ids(contexts.pairs[unpack_first_ids(contexts.triples)])
    last_pair = _find_keys(
        contexts.pairs, pack_pairs(page_before, unpack_second_ids(contexts.triples))
    )
    continuations = (
        _count_rows(last_page[second.row_ids()], second.ids, sizes[0]),
        _count_rows(last_pair[third.row_ids()], third.ids, sizes[1]),
    )
    view = np.arange(len(pages))
    place = view - starts[sessions.session_ids]
    later = view[place >= 2]
    seen = sort_unique(pack_pairs(sessions.session_ids, pages)[place >= 1])
    entry_of_seen = pages[starts[unpack_first_ids(seen)]]
    return PathCounts(
        (first, second, third),
        continuations,
        _count_rows(before[:, 3], target, len(contexts.entry_pairs)),
        _count_rows(pages[later - 2], pages[later], n),
        _count_rows(entry_of_seen, unpack_second_ids(seen), n),
    )


def _count_rows(row: npt.NDArray[np.integer], pages: npt.NDArray[np.integer], n: int) -> CSR:
    """How often each page occurs in each of n rows; row -1 is left out."""
    known = row >= 0
    keys, counts = np.unique(pack_pairs(row[known], pages[known]), return_counts=True)
    starts = np.searchsorted(unpack_first_ids(keys), np.arange(n + 1)).astype(np.int64)
    return CSR(starts, unpack_second_ids(keys).astype(np.int32), counts.astype(np.float64))


def _page_facts(sessions: Sessions, counts: PathCounts) -> PageFacts:
    graph, transitions = sessions.graph, sessions.transitions
    n = len(graph)
    first_order = counts.by_order[0]
    seen = np.bincount(counts.with_entry.ids, link_weights(counts.with_entry), n)
    return PageFacts(
        np.bincount(first_order.ids, link_weights(first_order), n).astype(np.float64),
        np.bincount(first_order.ids, minlength=n).astype(np.float64),
        transitions.entries.astype(np.float64),
        ((seen + 0.5) / (len(sessions) + 1.0)).astype(np.float64),
        (transitions.exits + 0.5) / (transitions.views + 2.0),
        graph.indegrees().astype(np.float64),
        graph.outdegrees().astype(np.float64),
        page_vectors(graph, first_order, transitions.views > 0),
    )


def page_vectors(
    graph: WebGraph, clicks: CSR, viewed: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float32]:
    """Vectors of length one for viewed pages, near where links and clicks join the pages.

    They span the leading singular vectors of the symmetric matrix of links and
    of log(1 + clicks) between viewed pages, scaled by degree.
    """
    n, pages = len(graph), np.flatnonzero(viewed).astype(np.int32)
    local = np.full(n, -1, np.int32)
    local[pages] = np.arange(len(pages), dtype=np.int32)
    linked, clicked = take_rows(graph.outlinks, pages), take_rows(clicks, pages)
    source = np.concatenate([linked.row_ids(), clicked.row_ids()])
    target = local[np.concatenate([linked.ids, clicked.ids])]
    weight = np.concatenate([np.ones(len(linked.ids)), np.log1p(link_weights(clicked))])
    inside = (target >= 0) & (target != source)
    joined = symmetric_csr(source[inside], target[inside], weight[inside], len(pages))
    scale = (row_sums(joined, weighted=True) + 1.0) ** -0.5
    weights = link_weights(joined) * scale[joined.row_ids()] * scale[joined.ids]
    scaled = CSR(joined.starts, joined.ids, weights)
    found = singular_triplets(operator_from_csr(scaled, scaled, weighted=True), DIMENSIONS)
    vectors = np.zeros((n, DIMENSIONS), np.float32)
    spanned: Floats = found.source * np.sqrt(found.values)
    lengths = np.maximum(np.linalg.norm(spanned, axis=1, keepdims=True), 1e-12)
    vectors[pages, : spanned.shape[1]] = spanned / lengths
    return vectors
