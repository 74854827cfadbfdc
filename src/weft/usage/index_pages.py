"""PageGather: candidates for new index pages, from pages that sessions view together."""

import re
from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from math import fsum
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats, Ids, Offsets, link_keys, pack_pairs
from weft.core.register import Dimensions, method
from weft.core.text import join_with_and, pluralise, shorten, strip_common_host, strip_scheme
from weft.graph.webgraph import WebGraph
from weft.store.tokens import is_stop_word
from weft.usage.page_graph import PageGraph, connected_pages, maximal_cliques
from weft.usage.transactions import TitledSessions, Transactions, build_transactions
from weft.usage.usage import Usage

ClusterShape = Annotated[
    Literal["cliques", "components"],
    Field(description="pages all viewed with each other, or connected by such pairs"),
]
MinTogether = Annotated[
    float,
    Field(ge=0, le=1, description="lowest co-occurrence of a pair; 0: two pairs for each page"),
]
ExcludeLinked = Annotated[bool, Field(description="leave out pairs of pages that are linked")]
MaxPages = Annotated[int, Field(ge=2, le=100, description="most pages of an index page")]
MaxOverlap = Annotated[
    float, Field(ge=0, le=1, description="largest share of its pages on a better candidate")
]
MinSessions = Annotated[
    int,
    Field(ge=0, description="fewest sessions with both pages of a pair; 0: 0.1%, 2 to 10"),
]
Top = Annotated[int, Field(ge=1, le=10_000, description="how many candidates to list")]
PAIRS_PER_PAGE = 2
MIN_SESSION_SHARE, FEWEST_SESSIONS, ENOUGH_SESSIONS = 0.001, 2, 10
WORD_PATTERN = re.compile(r"[^\W\d_]{2,}")
MIN_TITLE_SHARE = 0.75
MAX_TITLE_WORDS, MAX_TITLE_CHARS, MAX_NAMED_PAGES = 4, 80, 3
A_PERSON_DECIDES = "these are candidates: a person decides which index pages to make"
CANDIDATE_SCHEMA = pa.schema(
    {
        "candidate": pa.int32(),
        "title": pa.string(),
        "co-occurrence": pa.float64(),
        "sessions": pa.int64(),
        "linked from": pa.string(),
        "pages": pa.list_(pa.string()),
    }
)
PAGE_SCHEMA = pa.schema(
    {
        "candidate": pa.int32(),
        "page": pa.string(),
        "title": pa.string(),
        "co-occurrence": pa.float64(),
        "sessions": pa.int64(),
    }
)


class PagePairs(NamedTuple):
    """Pairs of pages i < j and their co-occurrence, the lower of P(i | j) and P(j | i)."""

    first: Ids
    second: Ids
    values: Floats


@method(
    "usage",
    "index-pages",
    cites="perkowitz1998",
    dimensions=Dimensions(
        model="co-citation and co-reference",
        metric="likelihood",
        algorithm="clustering",
        scope="multiple pages",
        applications=("adaptive web sites",),
        data="links and usage",
    ),
)
def index_pages(
    sessions: TitledSessions,
    *,
    clusters: ClusterShape = "cliques",
    min_together: MinTogether = 0.0,
    exclude_linked: ExcludeLinked = True,
    max_pages: MaxPages = 20,
    max_overlap: MaxOverlap = 0.5,
    min_sessions: MinSessions = 0,
    top: Top = 20,
) -> Usage:
    """Propose index pages of pages viewed together (PageGather).

    Two pages co-occur as often as the lower of the shares of the sessions of
    one that also view the other. Pairs in `min_sessions`, at or above
    `min_together`, make a graph, whose cliques or connected components are the
    candidates, best mean co-occurrence first. A candidate is dropped if more than `max_overlap` of
    its pages are on a better one. `linked from` names an existing page that
    links to all of them. A person decides which of them become pages.

    Examples
    --------
    >>> paths = [["a", "b", "c"], ["a", "b", "c"], ["x", "y"], ["x", "y"], ["x", "c"]]
    >>> index_pages(paths, min_together=0.5).to_table()["pages"].to_pylist()
    [['a', 'b', 'c'], ['x', 'y']]
    """
    transactions = build_transactions(sessions.sessions, 0.0, 1.0)
    share = int(np.ceil(MIN_SESSION_SHARE * len(transactions)))
    enough = min_sessions or min(max(share, FEWEST_SESSIONS), ENOUGH_SESSIONS)
    pairs = co_occurrence(transactions, enough)
    notes, linked = list(transactions.notes), 0
    if exclude_linked:
        pairs, linked = drop_linked_pairs(pairs, sessions.graph)
        if linked:
            notes.append(f"{pluralise(linked, 'pair')} of linked pages left out")
    threshold = min_together or choose_threshold(pairs)
    chosen = pairs.values >= threshold - 1e-12
    graph = PageGraph.from_pairs(pairs.first[chosen], pairs.second[chosen])
    if clusters == "cliques":
        candidates, complete = maximal_cliques(graph)
        notes += [] if complete else [f"only the first {len(candidates):,} cliques were looked at"]
    else:
        candidates = connected_pages(graph)
    strengths = _PairValues(pairs)
    cut = sum(len(pages) > max_pages for pages in candidates)
    if cut:
        notes.append(f"{pluralise(cut, 'candidate')} cut to {max_pages} pages")
    sized = {strengths.keep_strongest(pages, max_pages) for pages in candidates}
    ranked = sorted(
        sized, key=lambda pages: (-round(strengths.mean(pages), 12), -len(pages), pages)
    )
    kept = drop_overlapping(ranked, max_overlap)
    facts: dict[str, Any] = {
        "candidates": len(kept),
        "lowest co-occurrence": float(threshold),
        "pairs": int(chosen.sum()),
        "pages": len(graph.neighbours),
        "sessions": len(transactions),
        "fewest sessions of a pair": enough,
    }
    notes.append(A_PERSON_DECIDES if kept else "no pages are viewed together often enough")
    tables = _tables(sessions, transactions, kept[:top], strengths)
    return Usage("index-pages", facts, tables, tuple(notes))


def co_occurrence(transactions: Transactions, min_sessions: int = 1) -> PagePairs:
    """The pairs of pages that enough sessions viewed."""
    from scipy.sparse import triu  # noqa: PLC0415  slow to load

    matrix = transactions.matrix(weighted=False)
    together = triu(matrix.T @ matrix, k=1).tocsr().sorted_indices().tocoo()
    first, second = (np.asarray(end, np.int32) for end in (together.row, together.col))
    counts = transactions.page_sessions
    # the lower of the shares n_ij / n_i and n_ij / n_j
    values = together.data / np.maximum(counts[first], counts[second])
    kept = together.data >= min_sessions
    return PagePairs(first[kept], second[kept], values[kept])


def drop_linked_pairs(pairs: PagePairs, graph: WebGraph) -> tuple[PagePairs, int]:
    """The pairs without a link in either direction, and the number of the others."""
    links = link_keys(graph.outlinks)
    keys = pack_pairs(pairs.first, pairs.second), pack_pairs(pairs.second, pairs.first)
    linked = np.isin(keys[0], links) | np.isin(keys[1], links)
    kept = PagePairs(pairs.first[~linked], pairs.second[~linked], pairs.values[~linked])
    return kept, int(linked.sum())


def choose_threshold(pairs: PagePairs) -> float:
    """The co-occurrence at which there are about two pairs for each page."""
    if not len(pairs.values):
        return 0.0
    pages = len(np.union1d(pairs.first, pairs.second))
    wanted = min(PAIRS_PER_PAGE * pages, len(pairs.values))
    return float(np.sort(pairs.values)[-wanted])


class _PairValues:
    """Looks up the co-occurrence of pairs of pages."""

    def __init__(self, pairs: PagePairs) -> None:
        self.pairs, keys = pairs, pack_pairs(pairs.first, pairs.second).tolist()
        self.values = dict(zip(keys, pairs.values.tolist(), strict=True))

    def among(self, pages: Sequence[int]) -> Floats:
        """The matrix of co-occurrence among some pages, zero on the diagonal."""
        size = len(pages)
        found = np.zeros((size, size))
        for i in range(size):
            for j in range(i + 1, size):
                low, high = sorted((pages[i], pages[j]))
                found[i, j] = found[j, i] = self.values.get((low << 32) | high, 0.0)
        return found

    def mean(self, pages: Sequence[int]) -> float:
        """The mean co-occurrence of the pairs of some pages."""
        size = len(pages)
        return float(self.among(pages).sum() / (size * (size - 1)))

    def keep_strongest(self, pages: Sequence[int], max_pages: int) -> tuple[int, ...]:
        """At most `max_pages` of some pages: the weakest is removed again and again."""
        if len(pages) <= max_pages:
            return tuple(pages)
        inside = np.isin(self.pairs.first, pages) & np.isin(self.pairs.second, pages)
        joined: dict[int, dict[int, float]] = {page: {} for page in pages}
        for i, j, value in zip(*(column[inside].tolist() for column in self.pairs), strict=True):
            joined[i][j] = joined[j][i] = value
        # the weakest first, of equal ones the last; sums that have changed since are skipped
        waiting = [(_total(others), -page) for page, others in joined.items()]
        heapify(waiting)
        while len(joined) > max_pages:
            total, negative = heappop(waiting)
            if -negative in joined and total == _total(joined[-negative]):
                for other in joined.pop(-negative):
                    del joined[other][-negative]
                    heappush(waiting, (_total(joined[other]), -other))
        return tuple(joined)


def _total(values: dict[int, float]) -> float:
    return round(fsum(values.values()), 12)


def drop_overlapping(
    ranked: Sequence[tuple[int, ...]], max_overlap: float
) -> list[tuple[int, ...]]:
    """The candidates of which at most a share of the pages is on any better candidate.

    Examples
    --------
    >>> drop_overlapping([(1, 2), (2, 3), (1, 2, 3)], 0.5)
    [(1, 2), (2, 3)]
    """
    kept, places = list[tuple[int, ...]](), dict[int, list[int]]()
    for pages in ranked:
        shared = Counter(place for page in pages for place in places.get(page, ()))
        if max(shared.values(), default=0) <= max_overlap * len(pages):
            for page in pages:
                places.setdefault(page, []).append(len(kept))
            kept.append(pages)
    return kept


def _tables(
    sessions: TitledSessions,
    transactions: Transactions,
    kept: Sequence[tuple[int, ...]],
    strengths: _PairValues,
) -> dict[str, pa.Table]:
    candidates, page_rows = list[dict[str, Any]](), list[dict[str, Any]]()
    counts, rows = transactions.page_sessions, transactions.rows
    row_ids = rows.row_ids()
    for number, pages in enumerate(kept, 1):
        members: Ids = np.array(pages, np.int32)
        among = strengths.among(pages)
        means = among.sum(axis=1) / (len(pages) - 1)
        order = np.lexsort((members, -means.round(12)))
        ordered = members[order]
        names, titles = sessions.names(ordered), sessions.titles(ordered)
        candidates.append(
            {
                "candidate": number,
                "title": propose_title(names, titles),
                "co-occurrence": float(means.mean()),
                "sessions": _sessions_with_two(rows.ids, row_ids, members),
                "linked from": _existing_index(sessions.graph, members),
                "pages": names,
            }
        )
        page_rows += [
            {
                "candidate": number,
                "page": name,
                "title": title,
                "co-occurrence": mean,
                "sessions": count,
            }
            for name, title, mean, count in zip(
                names, titles, means[order].tolist(), counts[ordered].tolist(), strict=True
            )
        ]
    return {
        "candidates": pa.Table.from_pylist(candidates, schema=CANDIDATE_SCHEMA),
        "pages": pa.Table.from_pylist(page_rows, schema=PAGE_SCHEMA),
    }


def _sessions_with_two(views: Ids, session: Ids, members: Ids) -> int:
    """How many sessions viewed at least two of some pages."""
    counts: Offsets = np.bincount(session[np.isin(views, members)])
    return int((counts >= 2).sum())


def _existing_index(graph: WebGraph, members: Ids) -> str:
    """A page that links to all of some pages; of several the one with the fewest links."""
    linking = [graph.inlinks.row(int(page)) for page in members]
    pages, counts = np.unique(np.concatenate(linking), return_counts=True)
    common = pages[counts == len(members)]
    if not len(common):
        return ""
    starts = np.asarray(graph.outlinks.starts)
    return graph.pages[int(common[np.argmin(starts[common + 1] - starts[common])])]


def propose_title(names: Sequence[str], titles: Sequence[str]) -> str:
    """A title for a list of pages.

    The words that most titles share, in the order of the first title that has
    them. Without titles those of the addresses, without the host. If none is
    shared, the first titles or addresses.

    Examples
    --------
    >>> names = ["http://a.org/cats/1", "http://a.org/cats/2"]
    >>> propose_title(names, ["Big cats of Asia", "Big cats of Africa"])
    'Big cats'
    >>> propose_title(names, ["", ""]), propose_title(["x", "y"], ["", ""])
    ('cats', 'x and y')
    >>> propose_title(["x", "y", "z", "w"], ["Lion", "Tiger", "Puma", "Lynx"])
    'Lion, Tiger, Puma, …'
    """
    addresses = strip_common_host(names)
    texts = list(filter(None, titles)) or [strip_scheme(name).partition("/")[2] for name in names]
    if words := _shared_words(texts, len(names)):
        return shorten(" ".join(words), MAX_TITLE_CHARS)
    each = [title or address for title, address in zip(titles, addresses, strict=True)]
    first = each[:MAX_NAMED_PAGES]
    named = join_with_and(first) if first == each else ", ".join([*first, "…"])
    return shorten(named, MAX_TITLE_CHARS)


def _shared_words(texts: Sequence[str], page_count: int) -> list[str]:
    """The words that at least three quarters of the pages have, as first written."""
    spellings, counts = dict[str, str](), Counter[str]()
    for text in texts:
        words = {word.lower(): word for word in reversed(WORD_PATTERN.findall(text))}
        counts.update(words.keys())
        for word in reversed(words):
            spellings.setdefault(word, words[word])
    shared = [
        spelling
        for word, spelling in spellings.items()
        if counts[word] >= max(2, MIN_TITLE_SHARE * page_count) and not is_stop_word(word, "en")
    ]
    return shared[:MAX_TITLE_WORDS]
