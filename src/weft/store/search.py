"""Find pages by their words."""

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
from weft.gather.url import reversed_host
from weft.store.index import TextIndex, panics_as_damage
from weft.store.mapped import Sorted
from weft.store.query import Query
from weft.store.snippet import Snippet

BOOSTS = {"title": 3.0, "anchor": 2.0, "body": 1.0, "url": 1.0}
OCCURS = {None: Occur.Should, "should": Occur.Should, "must": Occur.Must, "must_not": Occur.MustNot}
DIGITS = 5
FIRST = 1


@dataclass(frozen=True, slots=True)
class Span:
    """Between which moments a page must have been captured, in seconds since 1970."""

    since: int = 0
    until: int = 1 << 40

    @classmethod
    def between(cls, since: str = "", until: str = "") -> "Span":
        """From dates as people write them: 2004, 2004-05 or 2004-05-31; the second is excluded.

        A page without a date, whose moment is zero, is between none.

        Examples
        --------
        >>> Span.between("1970-01-02").since
        86400
        """
        if not (since or until):
            return ALWAYS
        return cls(max(_moment(since, 0), FIRST), _moment(until, 1 << 40))


def _moment(date: str, default: int) -> int:
    if not date:
        return default
    for form in ("%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"):
        with suppress(ValueError):
            return int(datetime.strptime(date, form).replace(tzinfo=UTC).timestamp())
    raise BadParameter(f"{date!r} is not a date", hint="write 2004, 2004-05 or 2004-05-31")


ALWAYS = Span()


@dataclass(frozen=True, slots=True)
class Found:
    """Page numbers from best to worst with their scores, and how many pages match in all."""

    numbers: tuple[int, ...]
    scores: tuple[float, ...]
    total: int


def run_query(text_index: TextIndex, query: Query, keys: Sorted, k: int, span: Span) -> Found:
    """The k best pages; equal scores are ordered by the pages' numbers, which is by URL.

    Where the last place is tied, more is fetched until the tie is whole, so
    that the order never depends on how the index was built.
    """
    with panics_as_damage(text_index.folder):
        return _run_query(text_index, query, keys, k, span)


def _run_query(text_index: TextIndex, query: Query, keys: Sorted, k: int, span: Span) -> Found:
    searcher = text_index.index.searcher()
    full = _whole_query(text_index, query, keys, span)
    if not query.words:
        return _in_order(text_index, full, k)
    limit = k + 1
    while True:
        result = searcher.search(full, limit)
        scores = _rounded(np.array([score for score, _ in result.hits]))
        if len(scores) < limit or scores[-1] < scores[k - 1]:
            break
        limit *= 4
    values = searcher.fast_field_values("number", [address for _, address in result.hits])
    numbers = text_index.page_numbers(values)
    order = np.lexsort((numbers, -scores))[:k]
    total = result.count  # type: ignore[attr-defined]
    return Found(tuple(numbers[order].tolist()), tuple(scores[order].tolist()), total)


def _in_order(text_index: TextIndex, full: IndexQuery, k: int) -> Found:
    """The first k of pages that all score the same."""
    searcher = text_index.index.searcher()
    result = searcher.search(full, k, order_by_field="number", order=Order.Asc)
    numbers = tuple(text_index.page_numbers([number for number, _ in result.hits]).tolist())
    total = result.count  # type: ignore[attr-defined]
    return Found(numbers, (1.0,) * len(numbers), total)


def _rounded(scores: Floats) -> Floats:
    """Scores to the digits that do not depend on the order of additions."""
    scale = 10.0 ** (DIGITS - 1 - np.floor(np.log10(np.maximum(scores, 1e-30))))
    rounded: Floats = np.round(scores * scale) / scale
    return rounded


def _whole_query(text_index: TextIndex, query: Query, keys: Sorted, span: Span) -> IndexQuery:
    schema = text_index.schema
    parts = [(Occur.Must, words_query(text_index, query))]
    ranges = [
        [_site(text_index, site, keys) for site in sites]
        for sites in (query.sites, query.without_sites)
    ]
    spoken = [
        [IndexQuery.term_query(schema, "language", code.lower()) for code in codes]
        for codes in (query.languages, query.without_languages)
    ]
    for wanted, unwanted in (ranges, spoken):
        for choices, occur in ((wanted, Occur.Must), (unwanted, Occur.MustNot)):
            if choices:
                either = IndexQuery.boolean_query([(Occur.Should, part) for part in choices])
                parts.append((occur, IndexQuery.const_score_query(either, 0.0)))
    if span != ALWAYS:
        inside = IndexQuery.range_query(
            schema, "time", FieldType.Integer, span.since, span.until, include_upper=False
        )
        parts.append((Occur.Must, IndexQuery.const_score_query(inside, 0.0)))
    return parts[0][1] if len(parts) == 1 else IndexQuery.boolean_query(parts)


def words_query(text_index: TextIndex, query: Query) -> IndexQuery:
    """The words over every field, as the stemmer of each language in the index has them."""
    if not query.words:
        return IndexQuery.const_score_query(IndexQuery.all_query(), 1.0)
    tree, _ = parse_query_lenient(query.words)
    return IndexQuery.boolean_query(_clauses(text_index, text_index.index.searcher(), tree))


def _clauses(
    text_index: TextIndex, searcher: Searcher, tree: dict[str, Any]
) -> list[tuple[Occur, IndexQuery]]:
    """The parts that have words; those that may but need not be there lie flat, for speed."""
    if tree["type"] == "literal":
        choices = text_index.choices(tree["phrase"])
        parts = list(_in_fields(text_index.schema, searcher, choices))
        return [(Occur.Should, part) for part in parts] if choices else []
    found = []
    for name, part in tree["clauses"]:
        clauses = _clauses(text_index, searcher, part)
        if OCCURS[name] == Occur.Should and part["type"] == "literal":
            found += clauses
        elif clauses:
            found.append((OCCURS[name], IndexQuery.boolean_query(clauses)))
    return found


def _in_fields(
    schema: Schema, searcher: Searcher, choices: Sequence[tuple[str, ...]]
) -> Iterator[IndexQuery]:
    """Words in every field, where each is as rare as all its stems are together.

    A page has one language, so the pages of different stems are different
    pages. The index would take each stem for itself, and a word on the one
    Danish page for a rare word.
    """
    yield IndexQuery.empty_query()
    stems = {stem for words in choices for stem in words}
    for field, boost in BOOSTS.items():
        counts = {stem: searcher.doc_freq(field, stem) for stem in stems}
        there = [words for words in choices if all(map(counts.__getitem__, words))]
        forms = [set(forms) for forms in zip(*there, strict=True)]
        weight = _rarity([sum(map(counts.__getitem__, form)) for form in forms], searcher.num_docs)
        for words in there:
            own = _rarity([counts[stem] for stem in words], searcher.num_docs)
            part = _in_a_row(schema, field, words)
            yield IndexQuery.boost_query(part, boost * weight / own)


def _rarity(counts: Sequence[int], pages: int) -> float:
    """What BM25 makes of words that so many pages have."""
    return sum(log(1 + (pages - count + 0.5) / (count + 0.5)) for count in counts)


def _in_a_row(schema: Schema, field: str, words: Sequence[str]) -> IndexQuery:
    if len(words) == 1:
        return IndexQuery.term_query(schema, field, words[0])
    return IndexQuery.phrase_query(schema, field, list(words))


def _site(text_index: TextIndex, site: str, keys: Sorted) -> IndexQuery:
    first, last = site_range(site, keys)
    if first == last:
        return IndexQuery.empty_query()
    return IndexQuery.range_query(
        text_index.schema, "number", FieldType.Unsigned, first, last, include_upper=False
    )


def site_range(site: str, keys: Sorted) -> tuple[int, int]:
    """The run of page numbers of a top-level domain, a domain, a host or a folder of one."""
    place, _, path = site.removeprefix("http://").removeprefix("https://").partition("/")
    key = reversed_host(place.lower())
    if path:
        return keys.place(f"{key}/{path}"), keys.place(f"{key}/{path}\U0010ffff")
    first, last = _below(key.removesuffix("/"), keys)
    return (first, last) if first < last or "." in place else _below(place.lower(), keys)


def _below(stem: str, keys: Sorted) -> tuple[int, int]:
    return keys.place(f"{stem}."), keys.place(f"{stem}0")


def found_table(found: Found, pages: pa.Table, marked: Sequence[Snippet]) -> pa.Table:
    """The pages found, best first, with what a reader wants to see of them.

    A page of which nobody knows when it was captured has no time.
    """
    rows = pages.select(["url", "title", "language", "time"]).take(
        pa.array(found.numbers, pa.int64())
    )
    dated = pc.if_else(pc.greater(rows["time"], 0), rows["time"], None)
    rows = rows.set_column(rows.column_names.index("time"), "time", dated)
    table = rows.add_column(0, "score", pa.array(found.scores, pa.float64()))
    if marked:
        table = table.append_column("snippet", pa.array([s.text for s in marked], pa.string()))
    return table
