"""Search: parse a query, and run it on the full-text index."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import log
from typing import Any

import numpy as np
from tantivy import FieldType, Occur, Order, Schema, Searcher, parse_query_lenient
from tantivy import Query as IndexQuery

from weft.core.arrays import Flags, Floats, Ids
from weft.core.errors import BadParameter
from weft.gather.url import reverse_host
from weft.store.arrow_files import SortedColumn
from weft.store.index import TextIndex, panics_as_malformed

MAX_QUERY_CHARS = 2_000
MAX_NESTING = 20
QUERY_TOKEN = re.compile(
    r'(?P<sign>[+-])?(?:"(?P<phrase>[^"]*)"?|(?P<paren>[()])|(?P<word>[^\s()"]+))'
)
FILTER_TERM = re.compile(r"(site|lang|tag):(.+)", re.IGNORECASE)
FILTER_NAMES = ("site", "lang", "tag")
EVERYTHING = "*"
OPERATORS = ("AND", "OR", "NOT")
PREFIX_WORD = re.compile(r"\w\*+$")
FIELD_BOOSTS = {"title": 3.0, "anchor": 2.0, "body": 1.0, "url": 1.0}
CLAUSE_OCCURS = {
    None: Occur.Should,
    "should": Occur.Should,
    "must": Occur.Must,
    "must_not": Occur.MustNot,
}
SCORE_DIGITS = 5
MIN_TIMESTAMP = 1
MAX_RANGES = 256


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: the expression for the index, and the filters on pages.

    `expression` is in tantivy's query language, with every word quoted, so that
    no character of the user's is an operator there; a word that ends in `*` is
    a prefix. `terms` are the words and phrases asked for, not the excluded ones.
    """

    expression: str
    terms: tuple[str, ...]
    sites: tuple[str, ...]
    excluded_sites: tuple[str, ...]
    languages: tuple[str, ...]
    excluded_languages: tuple[str, ...]
    tags: tuple[str, ...] = ()
    excluded_tags: tuple[str, ...] = ()


@dataclass(slots=True)
class QueryParser:
    """The state of parsing; `open_parens` says of each open parenthesis whether it is negated."""

    clauses: list[str] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    filters: dict[str, list[str]] = field(
        default_factory=lambda: {sign + name: [] for name in FILTER_NAMES for sign in ("", "-")}
    )
    open_parens: list[bool] = field(default_factory=list)
    negating: bool = False
    wants_everything: bool = False

    def read_token(self, token: re.Match[str]) -> None:
        """Read one token."""
        word = token["word"] or ""
        if word in OPERATORS and not token["sign"]:
            self._read_operator(word)
            return
        sign = "-" if self.negating else token["sign"] or ""
        self.negating = False
        if filter_term := FILTER_TERM.fullmatch(word):
            name, value = filter_term.groups()
            self.filters[sign.replace("+", "") + name.lower()].append(value)
        elif token["paren"]:
            self._read_parenthesis(sign, token["paren"])
        elif word == EVERYTHING:
            self.wants_everything = True
        elif words := _strip_special_characters(word or token["phrase"] or ""):
            words += "*" * bool(PREFIX_WORD.search(word))
            if sign != "-" and not any(self.open_parens):
                self.terms.append(words)
            self.clauses.append(f'{sign}"{words.lower()}"')

    def _read_operator(self, word: str) -> None:
        """Read AND, OR or NOT; tantivy writes AND NOT as AND with a minus."""
        if word == "NOT":
            self.negating = True
        else:
            self.clauses.append(word)

    def _read_parenthesis(self, sign: str, paren: str) -> None:
        """Keep parentheses that match and are nested at most `MAX_NESTING` deep."""
        if paren == "(":
            self.open_parens.append(sign == "-")
        if 0 < len(self.open_parens) <= MAX_NESTING:
            self.clauses.append(sign + paren if paren == "(" else paren)
        if paren == ")" and self.open_parens:
            self.open_parens.pop()


def parse_query(text: str) -> Query:
    """Parse words, "phrases", AND, OR, NOT, parentheses, +, -, `site:`, `lang:` and `tag:`.

    A lone `*` stands for all pages.

    Examples
    --------
    >>> parse_query('jaguar "e-type" -atari site:example.com').expression
    '"jaguar" "e-type" -"atari"'
    >>> parse_query('democ* "big *"').terms
    ('democ*', 'big')
    """
    if len(text) > MAX_QUERY_CHARS:
        raise BadParameter(
            f"the query has {len(text):,} characters", hint=f"at most {MAX_QUERY_CHARS:,}"
        )
    parser = QueryParser()
    for token in QUERY_TOKEN.finditer(text.encode("utf-8", "replace").decode()):
        parser.read_token(token)
    expression = _repair_expression(parser.clauses)
    filters = {name: tuple(values) for name, values in parser.filters.items()}
    is_limited = parser.wants_everything or any(filters.values())
    if not parser.terms and (expression or not is_limited):
        problem = "only excludes words" if expression else "has no words"
        raise BadParameter(f"the query {problem}", hint="add a word that the pages should contain")
    return Query(expression, tuple(parser.terms), *filters.values())


def _strip_special_characters(words: str) -> str:
    """Blank the characters that stay special inside quotes; empty if no word is left."""
    kept = re.sub(r'[\\"()*\x00-\x1f]', " ", words).strip()
    return kept if re.search(r"\w", kept) else ""


def _repair_expression(clauses: list[str]) -> str:
    """Close open parentheses, and drop empty ones and operators with nothing to join."""
    text = " ".join(clauses)
    unclosed = text.count("(") - text.count(")")
    text += " )" * max(unclosed, 0)
    empty = re.compile(r"[+-]?\(\s*(?:(?:AND|OR)\s*)*\)")
    while empty.search(text):
        text = empty.sub(" ", text)
    text = re.sub(r"\s+", " ", text)
    # Of several operators in a row the first counts; none begins or ends an expression.
    text = re.sub(r"\b(AND|OR)(?: (?:AND|OR))+(?= |$)", r"\1", text)
    text = re.sub(r"^ ?(?:AND|OR)(?: |$)| (?:AND|OR) ?$", "", text)
    text = re.sub(r"\( (?:AND|OR) ", "( ", text)
    return re.sub(r" (?:AND|OR) \)", " )", text).strip()


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
    text_index: TextIndex,
    query: Query,
    keys: SortedColumn,
    k: int,
    time_range: TimeRange,
    pages: Flags | None = None,
) -> ScoredPages:
    """Find the k best pages; equal scores are ordered by page number, which is by URL.

    Where the last position is tied, more hits are fetched until all tied pages
    are there, so that the order never depends on how the index was built.
    `pages` limits the search to some of them.
    """
    with panics_as_malformed(text_index.folder):
        index_query = _build_index_query(text_index, query, keys, time_range)
        if pages is not None:
            parts = [(Occur.Must, index_query), (Occur.Must, _pages_query(text_index, pages))]
            index_query = IndexQuery.boolean_query(parts)
        return _search_index(text_index, query, index_query, k)


def match_query(
    text_index: TextIndex, query: Query, keys: SortedColumn, time_range: TimeRange
) -> Ids:
    """The numbers of all pages that match, ascending."""
    with panics_as_malformed(text_index.folder):
        searcher = text_index.index.searcher()
        index_query = _build_index_query(text_index, query, keys, time_range)
        limit = max(searcher.num_docs, 1)
        found = searcher.search(
            index_query, limit, count=False, order_by_field="number", order=Order.Asc
        )
    return text_index.check_page_numbers([number for number, _ in found.hits]).astype(np.int32)


def _pages_query(text_index: TextIndex, pages: Flags) -> IndexQuery:
    """The pages of a mask, range by range; it adds nothing to the score.

    Pages that are scattered are listed one by one: thousands of ranges take longer.
    """
    edges = np.flatnonzero(np.diff(pages, prepend=False, append=False)).tolist()
    if len(edges) > 2 * MAX_RANGES:
        numbers = np.flatnonzero(pages).tolist()
        listed = IndexQuery.term_set_query(text_index.schema, "number", numbers)
        return IndexQuery.const_score_query(listed, 0.0)
    ranges = [
        IndexQuery.range_query(
            text_index.schema, "number", FieldType.Unsigned, first, last, include_upper=False
        )
        for first, last in zip(edges[::2], edges[1::2], strict=True)
    ]
    any_of = IndexQuery.boolean_query([(Occur.Should, part) for part in ranges])
    return IndexQuery.const_score_query(any_of if ranges else IndexQuery.empty_query(), 0.0)


def _search_index(
    text_index: TextIndex, query: Query, index_query: IndexQuery, k: int
) -> ScoredPages:
    searcher = text_index.index.searcher()
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
    for name, boost in FIELD_BOOSTS.items():
        counts = {stem: searcher.doc_freq(name, stem) for stem in stems}
        present = [variant for variant in variants if all(map(counts.__getitem__, variant))]
        stems_by_position = [set(stems) for stems in zip(*present, strict=True)]
        word_counts = [sum(map(counts.__getitem__, stems)) for stems in stems_by_position]
        word_idf = _sum_bm25_idf(word_counts, searcher.num_docs)
        for variant in present:
            stem_idf = _sum_bm25_idf([counts[stem] for stem in variant], searcher.num_docs)
            part = _phrase_query(schema, name, variant)
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
