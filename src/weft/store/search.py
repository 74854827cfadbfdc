"""Find pages by their words."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa
from tantivy import Document, FieldType, Occur, Order, Searcher, SnippetGenerator
from tantivy import Query as IndexQuery

from weft.core.errors import BadParameter
from weft.gather.url import reversed_host
from weft.store.index import FIELDS, TextIndex
from weft.store.mapped import Sorted
from weft.store.query import Query
from weft.store.words import family

BOOSTS = {"title": 3.0, "anchor": 2.0, "body": 1.0, "url": 1.0}
DIGITS = 5
SNIPPET = 240


@dataclass(frozen=True, slots=True)
class Span:
    """Between which moments a page must have been captured, in seconds since 1970."""

    since: int = 0
    until: int = 1 << 40

    @classmethod
    def between(cls, since: str = "", until: str = "") -> "Span":
        """From dates as people write them: 2004, 2004-05 or 2004-05-31; the second is excluded.

        Examples
        --------
        >>> Span.between("1970-01-02").since
        86400
        """
        return cls(_moment(since, 0), _moment(until, 1 << 40))


def _moment(date: str, default: int) -> int:
    if not date:
        return default
    for form in ("%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"):
        with suppress(ValueError):
            return int(datetime.strptime(date, form).replace(tzinfo=UTC).timestamp())
    raise BadParameter(f"{date!r} is not a date", hint="write 2004, 2004-05 or 2004-05-31")


ALWAYS = Span()


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a page's text, and where in it the words of the query stand."""

    text: str = ""
    marks: tuple[tuple[int, int], ...] = ()


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
    searcher = text_index.index.searcher()
    full = _whole_query(text_index, query, keys, span)
    if not query.words:
        return _in_order(searcher, full, k)
    limit = k + 1
    while True:
        result = searcher.search(full, limit)
        scores = [_rounded(score) for score, _ in result.hits]
        if len(scores) < limit or scores[-1] < scores[k - 1]:
            break
        limit *= 4
    values = searcher.fast_field_values("number", [address for _, address in result.hits])
    numbers = [int(value or 0) for value in values]
    order = sorted(zip(scores, numbers, strict=True), key=lambda hit: (-hit[0], hit[1]))[:k]
    total = result.count  # type: ignore[attr-defined]
    return Found(tuple(number for _, number in order), tuple(score for score, _ in order), total)


def _in_order(searcher: Searcher, full: IndexQuery, k: int) -> Found:
    """The first k of pages that all score the same."""
    result = searcher.search(full, k, order_by_field="number", order=Order.Asc)
    numbers = tuple(int(number) for number, _ in result.hits)
    total = result.count  # type: ignore[attr-defined]
    return Found(numbers, (1.0,) * len(numbers), total)


def _rounded(score: float) -> float:
    """A score to the digits that do not depend on the order of additions."""
    return float(f"{score:.{DIGITS}g}")


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
    """The words over every field of every family of languages."""
    if not query.words:
        return IndexQuery.const_score_query(IndexQuery.all_query(), 1.0)
    boosts = {f"{f}_{name}": BOOSTS[f] for f in FIELDS for name in text_index.families}
    boosts["url"] = BOOSTS["url"]
    parsed, _ = text_index.index.parse_query_lenient(query.words, list(boosts), boosts)
    return parsed


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


def snippets(
    text_index: TextIndex, query: Query, texts: Sequence[str], languages: Sequence[str]
) -> list[Snippet]:
    """For each text the piece that says most of the query."""
    words = words_query(text_index, query)
    searcher = text_index.index.searcher()
    makers: dict[str, SnippetGenerator] = {}
    return [
        _snippet(text_index, searcher, words, makers, text, family(language))
        for text, language in zip(texts, languages, strict=True)
    ]


def _snippet(
    text_index: TextIndex,
    searcher: Searcher,
    words: IndexQuery,
    makers: dict[str, SnippetGenerator],
    text: str,
    name: str,
) -> Snippet:
    field = f"body_{name}"
    if field not in makers:
        makers[field] = SnippetGenerator.create(searcher, words, text_index.schema, field)
        makers[field].set_max_num_chars(SNIPPET)
    document = Document()
    document.add_text(field, " ".join(text.split()))
    made = makers[field].snippet_from_doc(document)
    fragment = made.fragment()
    if not fragment:
        return Snippet(" ".join(text[: 2 * SNIPPET].split())[:SNIPPET])
    raw = fragment.encode()
    marks = _joined([(mark.start, mark.end) for mark in made.highlighted()])
    places = [[len(raw[:at].decode("utf-8", "ignore")) for at in mark] for mark in marks]
    return Snippet(fragment, tuple((start, end) for start, end in places))


def _joined(marks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Marks in their order; those that overlap, as pairs of characters do, become one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(marks):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def found_table(found: Found, pages: pa.Table, marked: Sequence[Snippet]) -> pa.Table:
    """The pages found, best first, with what a reader wants to see of them."""
    rows = pages.select(["url", "title", "language", "time"]).take(
        pa.array(found.numbers, pa.int64())
    )
    table = rows.add_column(0, "score", pa.array(found.scores, pa.float64()))
    if marked:
        table = table.append_column("snippet", pa.array([s.text for s in marked], pa.string()))
    return table
