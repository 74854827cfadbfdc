"""Tables of their unexpected terms, concepts and pages, and of matching pages, with examples."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import CSR, Floats, Ids, Offsets, take_rows
from weft.core.text import strip_scheme
from weft.gather.url import host
from weft.sites.concepts import (
    MAX_CONCEPTS,
    Concept,
    count_concept_sentences,
    drop_redundant_pairs,
    find_concepts,
)
from weft.sites.measures import (
    SiteTerms,
    document_frequency,
    match_pages,
    page_unexpectedness,
    total_term_counts,
    unexpectedness,
    word_jaccard,
)
from weft.sites.site import Site
from weft.sites.texts import TermReader

MAX_LISTED_TERMS = 5
MIN_MATCH_TERMS = 5
MAX_EXAMPLE_PAGES, FULL_WEIGHT_TERMS = 200, 20
BM25_K1, BM25_B = 1.2, 0.75
UNEXPECTEDNESS_COLUMN = ("unexpectedness", pa.float64())
EXAMPLE_COLUMNS = [("example", pa.string()), ("snippet", pa.string())]
COVERAGE_COLUMNS = [("their_pages", pa.int64()), ("my_pages", pa.int64()), *EXAMPLE_COLUMNS]
TERMS_SCHEMA = pa.schema([("term", pa.string()), UNEXPECTEDNESS_COLUMN, *COVERAGE_COLUMNS])
CONCEPTS_SCHEMA = pa.schema(
    [("concept", pa.string()), UNEXPECTEDNESS_COLUMN, ("alone", pa.float64()), *COVERAGE_COLUMNS]
)
PAGES_SCHEMA = pa.schema(
    [
        ("page", pa.string()),
        ("title", pa.string()),
        UNEXPECTEDNESS_COLUMN,
        ("terms", pa.int64()),
        ("unexpected", pa.string()),
        ("nearest", pa.string()),
        ("cosine", pa.float64()),
        ("snippet", pa.string()),
    ]
)
MATCHES_SCHEMA = pa.schema(
    [
        ("mine", pa.string()),
        ("theirs", pa.string()),
        ("cosine", pa.float64()),
        ("path", pa.float64()),
        ("title", pa.float64()),
        ("unexpected", pa.string()),
    ]
)


@dataclass(frozen=True, eq=False)
class SiteTextComparison:
    """The texts of two sites as terms, and the terms that are expected anyway.

    `known_page_terms` are those of further pages that the reader knows,
    `site_name_terms` the words of their own name.
    """

    reader: TermReader
    mine: Site
    theirs: Site
    my_terms: SiteTerms
    their_terms: SiteTerms
    known_page_terms: SiteTerms
    expected_terms: Ids
    site_name_terms: Ids

    @cached_property
    def stems(self) -> list[str]:
        """The stem of each term."""
        return list(self.reader.term_ids)

    @cached_property
    def written_forms(self) -> list[str]:
        """The most common written form of each term."""
        return self.reader.most_common_forms()

    @cached_property
    def term_unexpectedness(self) -> Floats:
        """How unexpected each term is on their site as a whole."""
        mine, known, theirs = (
            total_term_counts(terms.term_counts, len(self.stems))
            for terms in (self.my_terms, self.known_page_terms, self.their_terms)
        )
        return unexpectedness(mine + known, theirs, self.expected_terms)

    def unexpected_terms_table(self, top: int) -> tuple[pa.Table, int]:
        """Their unexpected terms, and how many there are.

        Ordered by unexpectedness to one digit, then pages, then occurrences.
        """
        their_pages, my_pages = (
            document_frequency(terms.term_counts, len(self.stems))
            for terms in (self.their_terms, self.my_terms)
        )
        counts = total_term_counts(self.their_terms.term_counts, len(self.stems))
        order = np.lexsort((-counts, -their_pages, -self.term_unexpectedness.round(1)))
        order = order[self.term_unexpectedness[order] > 0]
        examples = _best_page_per_term(self.their_terms.term_counts, order[:top])
        rows = [
            {
                "term": self.written_forms[term],
                "unexpectedness": float(self.term_unexpectedness[term]),
                "their_pages": int(their_pages[term]),
                "my_pages": int(my_pages[term]),
                "example": int(self.theirs.captured_pages[page]),
                "wanted": [term],
            }
            for term, page in zip(order[:top].tolist(), examples.tolist(), strict=True)
        ]
        return self._table_with_snippets(rows, TERMS_SCHEMA), len(order)

    def unexpected_concepts_table(self, top: int) -> tuple[pa.Table, int, bool]:
        """Their unexpected concepts, how many there are, and whether all were compared.

        Ordered by unexpectedness to one digit, then by how much it exceeds that
        of the terms alone, times pages.
        """
        found = [find_concepts(terms) for terms in (self.their_terms, self.my_terms)]
        name_terms = set(self.site_name_terms.tolist())
        concepts = [
            concept for concept in dict.fromkeys(chain(*found)) if name_terms.isdisjoint(concept)
        ]
        theirs, their_pages = count_concept_sentences(self.their_terms, concepts, len(self.stems))
        mine, my_pages = count_concept_sentences(self.my_terms, concepts, len(self.stems))
        is_expected = [np.isin(concept, self.expected_terms).all() for concept in concepts]
        value = unexpectedness(mine, theirs, np.flatnonzero(is_expected).astype(np.int32))
        alone = np.array([self.term_unexpectedness[list(concept)].max() for concept in concepts])
        sizes = np.array([len(pages) for pages in their_pages])
        gain = sizes * np.maximum(value - alone, 0)
        order = np.lexsort((-sizes, -gain.round(9), -value.round(1)))
        kept = drop_redundant_pairs(concepts, theirs)
        order = order[np.isin(order, kept) & (value[order] > 0)]
        rows = []
        for k in order[:top].tolist():
            example = self._best_example_page(concepts[k], their_pages[k])
            rows.append(
                {
                    "concept": concepts[k],
                    "unexpectedness": float(value[k]),
                    "alone": float(alone[k]),
                    "their_pages": int(sizes[k]),
                    "my_pages": len(my_pages[k]),
                    "example": int(self.theirs.captured_pages[example]),
                    "wanted": concepts[k],
                }
            )
        complete = max(map(len, found)) < MAX_CONCEPTS
        return self._table_with_snippets(rows, CONCEPTS_SCHEMA), len(order), complete

    def unexpected_pages_table(
        self, top: int, min_terms: int, known_pages: Ids
    ) -> tuple[pa.Table, int]:
        """Their unexpected pages without known ones, and how many there are."""
        value = page_unexpectedness(
            self.their_terms.term_counts, self.term_unexpectedness, min_terms
        )
        value = np.where(np.isin(self.theirs.captured_pages, known_pages), 0, np.nan_to_num(value))
        order = np.argsort(-value.round(12), kind="stable")
        order = order[value[order] > 0]
        nearest = self._nearest_of_mine(order[:top])
        shown = self.theirs.captured_pages[order[:top]]
        titles = self._page_column("title", shown)
        rows = []
        for page, number, title in zip(order[:top].tolist(), shown.tolist(), titles, strict=True):
            terms = self._most_unexpected_terms(
                self.their_terms.terms_of_page(page),
                self.term_unexpectedness,
                self.their_terms.counts_of_page(page),
            )
            url, cosine = nearest.get(page, ("", 0.0))
            rows.append(
                {
                    "page": self._page_column("url", [number])[0],
                    "title": title,
                    "unexpectedness": float(value[page]),
                    "terms": len(self.their_terms.terms_of_page(page)),
                    "unexpected": self._join_written_forms(terms),
                    "nearest": url,
                    "cosine": cosine,
                    "example": number,
                    "wanted": terms,
                }
            )
        return self._table_with_snippets(rows, PAGES_SCHEMA), len(order)

    def matches_table(self, top: int, threshold: float) -> tuple[pa.Table, int, bool]:
        """My pages with their best match, how many have one, and whether all were compared."""
        my_counts, their_counts = (
            _drop_short_pages(terms.term_counts) for terms in (self.my_terms, self.their_terms)
        )
        pairs = match_pages(my_counts, their_counts, len(self.stems), threshold=threshold)
        order = np.argsort(-pairs.cosine.round(12), kind="stable")[:top]
        columns = (column[order].tolist() for column in (pairs.mine, pairs.theirs, pairs.cosine))
        rows = []
        for mine, theirs, cosine in zip(*columns, strict=True):
            numbers = [self.mine.captured_pages[mine], self.theirs.captured_pages[theirs]]
            urls, titles = (self._page_column(name, numbers) for name in ("url", "title"))
            paths = [strip_scheme(url)[len(host(url)) :] for url in urls]
            rows.append(
                {
                    "mine": urls[0],
                    "theirs": urls[1],
                    "cosine": cosine,
                    "path": word_jaccard(*paths),
                    "title": word_jaccard(*titles),
                    "unexpected": self._join_written_forms(
                        self.unexpected_terms_of_pair(mine, theirs)
                    ),
                }
            )
        return pa.Table.from_pylist(rows, schema=MATCHES_SCHEMA), len(pairs.mine), pairs.exact

    def unexpected_terms_of_pair(self, my_page: int, their_page: int) -> list[int]:
        """The most unexpected terms of one of their pages compared with one of mine."""
        mine, theirs = np.zeros(len(self.stems)), np.zeros(len(self.stems))
        mine[self.my_terms.terms_of_page(my_page)] = self.my_terms.counts_of_page(my_page)
        terms = self.their_terms.terms_of_page(their_page)
        theirs[terms] = counts = self.their_terms.counts_of_page(their_page)
        value = unexpectedness(mine, theirs, self.expected_terms)
        return self._most_unexpected_terms(terms, value, counts)

    def _most_unexpected_terms(self, terms: Ids, values: Floats, counts: Floats) -> list[int]:
        """The most unexpected of some terms, to one digit; among equals the most frequent first."""
        order = np.lexsort((-counts, -values[terms].round(1)))
        return [term for term in terms[order].tolist() if values[term] > 0][:MAX_LISTED_TERMS]

    def _best_example_page(self, concept: Concept, pages: Ids) -> int:
        """The page on which the rarest term of a concept is most frequent, for its length."""
        counts = [
            min(self._normalized_term_count(page, term) for term in concept)
            for page in pages[:MAX_EXAMPLE_PAGES].tolist()
        ]
        return int(pages[int(np.argmax(counts))])

    def _normalized_term_count(self, page: int, term: int) -> float:
        """The count of a term on a page, over the square root of the page length."""
        at = np.searchsorted(self.their_terms.terms_of_page(page), term)
        counts = self.their_terms.counts_of_page(page)
        return float(counts[at] / counts.sum() ** 0.5)

    def _nearest_of_mine(self, pages: Offsets) -> dict[int, tuple[str, float]]:
        """The most similar of my pages to each of some of theirs: its URL and the cosine."""
        their_counts = take_rows(self.their_terms.term_counts, pages.astype(np.int32))
        my_counts = _drop_short_pages(self.my_terms.term_counts)
        pairs = match_pages(their_counts, my_counts, len(self.stems), threshold=0)
        # the sides are swapped: `pairs.mine` are positions in `pages`, `pairs.theirs` my pages
        urls = self._page_column("url", self.mine.captured_pages[pairs.theirs])
        matches = zip(pages[pairs.mine].tolist(), urls, pairs.cosine.tolist(), strict=True)
        return {page: (url, cosine) for page, url, cosine in matches}

    def _join_written_forms(self, terms: Iterable[int]) -> str:
        return ", ".join(self.written_forms[term] for term in terms)

    def _page_column(self, name: str, numbers: Sequence[int] | Ids) -> list[str]:
        column = self.reader.collection.pages[name]
        values: list[str] = column.take(pa.array(numbers, pa.int64())).to_pylist()
        return values

    def _table_with_snippets(self, rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
        """Build a table: example pages become URLs, each with a snippet of the wanted terms."""
        numbers = [row["example"] for row in rows]
        wanted = [{self.stems[term] for term in row["wanted"]} for row in rows]
        snippets, urls = self.reader.snippets(numbers, wanted), self._page_column("url", numbers)
        for row, snippet, url in zip(rows, snippets, urls, strict=True):
            row["snippet"], row["example"] = snippet, url
            if "concept" in row:
                row["concept"] = self._terms_in_text_order(row["concept"], snippet)
        return pa.Table.from_pylist(
            [{name: row[name] for name in schema.names} for row in rows], schema=schema
        )

    def _terms_in_text_order(self, concept: Concept, text: str) -> str:
        """The terms of a concept in the order in which a text has them."""
        lower = text.lower()
        at = {
            self.written_forms[term]: lower.find(self.written_forms[term][:4]) for term in concept
        }
        return " ".join(sorted(at, key=lambda form: (at[form] < 0, at[form])))


def _best_page_per_term(term_counts: CSR, terms: Offsets) -> Offsets:
    """For each term the page with the largest BM25 weight of it.

    Pages with fewer than `FULL_WEIGHT_TERMS` distinct terms count for less.
    """
    sizes, counts = np.diff(term_counts.starts), np.asarray(term_counts.weights, np.float64)
    page = np.repeat(np.arange(len(sizes)), sizes)
    length = np.bincount(page, counts, len(sizes))
    wanted = np.isin(term_counts.ids, terms)
    page, term, tf = page[wanted], term_counts.ids[wanted], counts[wanted]
    mean_length = max(float(length.sum()) / max(len(length), 1), 1.0)
    # tf / (tf + k1 (1 - b + b |d| / mean |d|))
    weight = tf / (tf + BM25_K1 * (1 - BM25_B + BM25_B * length[page] / mean_length))
    weight *= np.minimum(sizes[page] / FULL_WEIGHT_TERMS, 1)
    order = np.lexsort((page, -weight.round(12), term))
    best: Offsets = page[order][np.searchsorted(term[order], terms)]
    return best


def _drop_short_pages(term_counts: CSR) -> CSR:
    """Empty the rows of pages with fewer than `MIN_MATCH_TERMS` distinct terms."""
    sizes = np.diff(term_counts.starts)
    kept = sizes >= MIN_MATCH_TERMS
    entries = np.repeat(kept, sizes)
    starts = np.append(0, np.cumsum(np.where(kept, sizes, 0)))
    return CSR(starts, term_counts.ids[entries], np.asarray(term_counts.weights)[entries])
