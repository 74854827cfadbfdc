"""Search the index: BM25 over all fields, filters, and ties in page order."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import log
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tantivy import FieldType, Occur, Order, Schema, Searcher, parse_query_lenient
from tantivy import Query as IndexQuery

from weft.core.arrays import Floats
from weft.core.errors import BadParameter
from weft.gather.url import reverse_host
from weft.store.arrow_files import SortedColumn
from weft.store.index import TextIndex, panics_as_malformed
from weft.store.query import Query
from weft.store.snippet import Snippet

FIELD_BOOSTS = {"title": 3.0, "anchor": 2.0, "body": 1.0, "url": 1.0}
CLAUSE_OCCURS = {
    None: Occur.Should,
    "should": Occur.Should,
    "must": Occur.Must,
    "must_not": Occur.MustNot,
}
SCORE_DIGITS = 5
MIN_TIMESTAMP = 1


@dataclass(frozen=True, slots=True)
class TimeRange:
    """When a page must have been captured: from `since`, before `until`, in Unix seconds."""

    since: int = 0
    until: int = 1 << 40

    @classmethod
    def from_dates(cls, since: str = "", until: str = "") -> "TimeRange":
        """From dates such as 2004, 2004-05 or 2004-05-31; `until` is exclusive.

        A page without a capture time, whose time is 0, is in no range of dates.

        Examples
        --------
        >>> TimeRange.from_dates("1970-01-02").since
        86400
        """
        if not (since or until):
            return ANY_TIME
        first, end = max(_parse_date(since, 0), MIN_TIMESTAMP), _parse_date(until, 1 << 40)
        if first >= end:
            raise BadParameter(f"no time is from {since} until {until}", hint="exchange the dates")
        return cls(first, end)


def _parse_date(date: str, default: int) -> int:
    if not date:
        return default
    for date_format in ("%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"):
        with suppress(ValueError):
            return int(datetime.strptime(date, date_format).replace(tzinfo=UTC).timestamp())
    raise BadParameter(f"{date!r} is not a date", hint="write 2004, 2004-05 or 2004-05-31")


ANY_TIME = TimeRange()


@dataclass(frozen=True, slots=True)
class ScoredPages:
    """Page numbers from best to worst, their scores, and how many pages match in all."""

    page_numbers: tuple[int, ...]
    scores: tuple[float, ...]
    total: int


def run_query(
    text_index: TextIndex, query: Query, keys: SortedColumn, k: int, time_range: TimeRange
) -> ScoredPages:
    """Find the k best pages; equal scores are ordered by page number, which is by URL.

    Where the last position is tied, more hits are fetched until all tied pages
    are there, so that the order never depends on how the index was built.
    """
    with panics_as_malformed(text_index.folder):
        return _search_index(text_index, query, keys, k, time_range)


def _search_index(
    text_index: TextIndex, query: Query, keys: SortedColumn, k: int, time_range: TimeRange
) -> ScoredPages:
    searcher = text_index.index.searcher()
    index_query = _build_index_query(text_index, query, keys, time_range)
    if not query.expression:
        return _first_in_page_order(text_index, index_query, k)
    limit = k + 1
    while True:
        result = searcher.search(index_query, limit)
        scores = _round_scores(np.array([score for score, _ in result.hits]))
        if len(scores) < limit or scores[-1] < scores[k - 1]:
            break
        limit *= 4
    values = searcher.fast_field_values("number", [address for _, address in result.hits])
    numbers = text_index.check_page_numbers(values)
    order = np.lexsort((numbers, -scores))[:k]
    total = result.count  # type: ignore[attr-defined]
    return ScoredPages(tuple(numbers[order].tolist()), tuple(scores[order].tolist()), total)


def _first_in_page_order(text_index: TextIndex, index_query: IndexQuery, k: int) -> ScoredPages:
    """The first k pages of a query without words, where all scores are equal."""
    searcher = text_index.index.searcher()
    result = searcher.search(index_query, k, order_by_field="number", order=Order.Asc)
    numbers = tuple(text_index.check_page_numbers([number for number, _ in result.hits]).tolist())
    total = result.count  # type: ignore[attr-defined]
    return ScoredPages(numbers, (1.0,) * len(numbers), total)


def _round_scores(scores: Floats) -> Floats:
    """Round scores to the digits that do not depend on the order of summation."""
    scale = 10.0 ** (SCORE_DIGITS - 1 - np.floor(np.log10(np.maximum(scores, 1e-30))))
    rounded: Floats = np.round(scores * scale) / scale
    return rounded


def _build_index_query(
    text_index: TextIndex, query: Query, keys: SortedColumn, time_range: TimeRange
) -> IndexQuery:
    """The words, and the filters by site, language and time, which add nothing to the score."""
    schema = text_index.schema
    parts = [(Occur.Must, build_words_query(text_index, query))]
    site_filters = [
        [_site_query(text_index, site, keys) for site in sites]
        for sites in (query.sites, query.excluded_sites)
    ]
    language_filters = [
        [IndexQuery.term_query(schema, "language", code.lower()) for code in codes]
        for codes in (query.languages, query.excluded_languages)
    ]
    for included, excluded in (site_filters, language_filters):
        for alternatives, occur in ((included, Occur.Must), (excluded, Occur.MustNot)):
            if alternatives:
                any_of = IndexQuery.boolean_query([(Occur.Should, part) for part in alternatives])
                parts.append((occur, IndexQuery.const_score_query(any_of, 0.0)))
    if time_range != ANY_TIME:
        in_range = IndexQuery.range_query(
            schema,
            "time",
            FieldType.Integer,
            time_range.since,
            time_range.until,
            include_upper=False,
        )
        parts.append((Occur.Must, IndexQuery.const_score_query(in_range, 0.0)))
    return parts[0][1] if len(parts) == 1 else IndexQuery.boolean_query(parts)


def build_words_query(text_index: TextIndex, query: Query) -> IndexQuery:
    """The words in every field, stemmed by each stemmer of the index."""
    if not query.expression:
        return IndexQuery.const_score_query(IndexQuery.all_query(), 1.0)
    tree, _ = parse_query_lenient(query.expression)
    return IndexQuery.boolean_query(_build_clauses(text_index, text_index.index.searcher(), tree))


def _build_clauses(
    text_index: TextIndex, searcher: Searcher, tree: dict[str, Any]
) -> list[tuple[Occur, IndexQuery]]:
    """The clauses of a parsed expression; optional words are not nested, which is faster."""
    if tree["type"] == "literal":
        variants = text_index.stem_and_expand_prefix(tree["phrase"])
        parts = list(_field_queries(text_index.schema, searcher, variants))
        return [(Occur.Should, part) for part in parts] if variants else []
    clauses = []
    for occur, subtree in tree["clauses"]:
        inner = _build_clauses(text_index, searcher, subtree)
        if CLAUSE_OCCURS[occur] == Occur.Should and subtree["type"] == "literal":
            clauses += inner
        elif inner:
            clauses.append((CLAUSE_OCCURS[occur], IndexQuery.boolean_query(inner)))
    return clauses


def _field_queries(
    schema: Schema, searcher: Searcher, variants: Sequence[tuple[str, ...]]
) -> Iterator[IndexQuery]:
    """The variants of a word or phrase in each field, with one IDF for all of them.

    A page has one language, so the variants of different stemmers are on
    different pages. tantivy computes the IDF of each stem by itself, and would
    take a word on the one Danish page for a rare word: the boost replaces it by
    the IDF of all stems of the word together.
    """
    yield IndexQuery.empty_query()
    stems = {stem for variant in variants for stem in variant}
    for field, boost in FIELD_BOOSTS.items():
        counts = {stem: searcher.doc_freq(field, stem) for stem in stems}
        present = [variant for variant in variants if all(map(counts.__getitem__, variant))]
        stems_by_position = [set(stems) for stems in zip(*present, strict=True)]
        word_counts = [sum(map(counts.__getitem__, stems)) for stems in stems_by_position]
        word_idf = _sum_bm25_idf(word_counts, searcher.num_docs)
        for variant in present:
            stem_idf = _sum_bm25_idf([counts[stem] for stem in variant], searcher.num_docs)
            part = _phrase_query(schema, field, variant)
            yield IndexQuery.boost_query(part, boost * word_idf / stem_idf)


def _sum_bm25_idf(counts: Sequence[int], page_count: int) -> float:
    """The sum of ln(1 + (N - n + 0.5) / (n + 0.5)) over words on n of N pages."""
    return sum(log(1 + (page_count - count + 0.5) / (count + 0.5)) for count in counts)


def _phrase_query(schema: Schema, field: str, stems: Sequence[str]) -> IndexQuery:
    if len(stems) == 1:
        return IndexQuery.term_query(schema, field, stems[0])
    return IndexQuery.phrase_query(schema, field, list(stems))


def _site_query(text_index: TextIndex, site: str, keys: SortedColumn) -> IndexQuery:
    first, last = site_page_range(site, keys)
    if first == last:
        return IndexQuery.empty_query()
    return IndexQuery.range_query(
        text_index.schema, "number", FieldType.Unsigned, first, last, include_upper=False
    )


def site_page_range(site: str, keys: SortedColumn) -> tuple[int, int]:
    """The range of page numbers of a top-level domain, a domain, a host or a path prefix."""
    host, _, path = site.removeprefix("http://").removeprefix("https://").partition("/")
    key = reverse_host(host.lower())
    if path:
        prefix = f"{key}/{path}"
        return keys.insertion_point(prefix), keys.insertion_point(f"{prefix}\U0010ffff")
    first, last = _subdomain_range(key.removesuffix("/"), keys)
    return (first, last) if first < last or "." in host else _subdomain_range(host.lower(), keys)


def _subdomain_range(key: str, keys: SortedColumn) -> tuple[int, int]:
    """The pages of a host and its subdomains: `.` and `/` are adjacent, then comes `0`."""
    return keys.insertion_point(f"{key}."), keys.insertion_point(f"{key}0")


def build_results_table(
    scored: ScoredPages, pages: pa.Table, snippets: Sequence[Snippet]
) -> pa.Table:
    """The table of a search: score, url, title, language, time and snippet, best first.

    The time is null where it is not known.
    """
    rows = pages.select(["url", "title", "language", "time"]).take(
        pa.array(scored.page_numbers, pa.int64())
    )
    dated = pc.if_else(pc.greater(rows["time"], 0), rows["time"], None)
    rows = rows.set_column(rows.column_names.index("time"), "time", dated)
    table = rows.add_column(0, "score", pa.array(scored.scores, pa.float64()))
    if snippets:
        table = table.append_column("snippet", pa.array([s.text for s in snippets], pa.string()))
    return table
