"""Compare two sites of a collection: what is on theirs and missing on mine."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.errors import BadParameter
from weft.core.text import join_with_and, pluralise
from weft.gather.url import canonicalize_url, domain_of_host, host
from weft.graph.selection import DEFAULT_SELECTION
from weft.graph.webgraph import WebGraph
from weft.sites.concepts import MAX_CONCEPTS
from weft.sites.links import LinkComparison, compare_outlinks
from weft.sites.site import Site, find_site
from weft.sites.tables import (
    CONCEPTS_SCHEMA,
    MATCHES_SCHEMA,
    PAGES_SCHEMA,
    TERMS_SCHEMA,
    SiteTextComparison,
)
from weft.sites.texts import MAX_TEXT_CHARS, TermReader
from weft.store.arrow_files import SortedColumn
from weft.store.collection import Collection
from weft.store.search import ANY_TIME, parse_query, run_query
from weft.store.snippet import make_snippets, query_stems
from weft.structure.shape import Shape
from weft.workspace.analyse import load_selection

TABLE_NAMES = ("terms", "pages", "concepts", "links", "domains", "matches", "keywords")
ADDRESS_PATTERN = re.compile(r"[a-z]+://\S+|(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?", re.IGNORECASE)
MIN_HOST_SHARE, MAX_ROWS = 0.1, 10_000
LABEL_WORD_PATTERN = re.compile(r"[^\W\d_]{2,}")
KEYWORDS_SCHEMA = pa.schema(
    {
        "keyword": pa.string(),
        "their_pages": pa.int64(),
        "my_pages": pa.int64(),
        "page": pa.string(),
        "title": pa.string(),
        "score": pa.float64(),
        "snippet": pa.string(),
    }
)


@dataclass(frozen=True, slots=True)
class CompareSitesOptions:
    """Options of a comparison.

    Pages match if their cosine similarity is at least `threshold`. A page can
    be unexpected if it has at least `min_terms` different terms. `known` holds
    words and addresses that are expected anyway. Each of `keywords` is searched
    on both sites. Tables have at most `top` rows, that of keywords `top` rows
    for each.
    """

    top: int = 50
    threshold: float = 0.2
    min_terms: int = 20
    known: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.top <= MAX_ROWS:
            raise BadParameter(f"tables have 1 to {MAX_ROWS:,} rows, not {self.top}")
        if not 0 <= self.threshold <= 1:
            raise BadParameter(f"a cosine is 0 to 1, not {self.threshold}")
        if self.min_terms < 1:
            raise BadParameter(f"a page has at least 1 term, not {self.min_terms}")


@dataclass(frozen=True, slots=True)
class ExpectedContent:
    """Expected anyway: words, pages of the collection, and URLs or domains of links."""

    words: str
    pages: tuple[int, ...]
    link_targets: frozenset[str]

    @classmethod
    def from_words_and_addresses(
        cls, collection: Collection, given: Iterable[str]
    ) -> "ExpectedContent":
        """Sort words from addresses; without a scheme, an address must be that of a page."""
        words, pages, targets = list[str](), list[int](), set[str]()
        for word in (word for text in given for word in text.split()):
            if ADDRESS_PATTERN.fullmatch(word):
                number = collection.page_number(word)
                if number < 0 and "://" not in word:
                    words.append(word)
                    continue
                targets |= _link_targets_of_address(collection, word, number)
                pages += [number] if number >= 0 else []
            else:
                words.append(word)
        return cls(" ".join(words), tuple(pages), frozenset(targets))


def _link_targets_of_address(collection: Collection, address: str, page: int) -> set[str]:
    """The URL that an address means, and its domain if the address has no path."""
    url = collection.pages["url"][page].as_py() if page >= 0 else canonicalize_url(address)
    has_path = "/" in address.partition("://")[2 if "://" in address else 0].rstrip("/")
    return {url} if has_path else {url, domain_of_host(host(url))}


def compare_sites(
    collection: Collection, mine: str, theirs: str, options: CompareSitesOptions
) -> Shape:
    """Terms, pages, concepts and links of their site that mine lacks (Liu, Ma and Yu 2001)."""
    own, other = find_site(collection, mine), find_site(collection, theirs)
    known = ExpectedContent.from_words_and_addresses(collection, options.known)
    links = compare_outlinks(collection, own, other, known.link_targets, options.top)
    facts: dict[str, Any] = {
        "mine": own.name,
        "theirs": other.name,
        "my pages": len(own.pages),
        "their pages": len(other.pages),
    }
    tables, notes = dict[str, pa.Table](), list[str]()
    if len(other.captured_pages):
        text_facts, tables, notes = _compare_texts(collection, own, other, known, options)
        facts |= text_facts
    else:
        notes.append(f"no page of {other.name} has text: only links are compared")
        empty = zip(TABLE_NAMES, (TERMS_SCHEMA, PAGES_SCHEMA, CONCEPTS_SCHEMA), strict=False)
        tables = {name: schema.empty_table() for name, schema in empty}
        tables["matches"] = MATCHES_SCHEMA.empty_table()
    tables |= {"links": links.links_table, "domains": links.domains_table}
    tables["keywords"] = _keyword_table(collection, own, other, options)
    facts |= {
        "unexpected links": links.url_count,
        "unexpected domains": links.domain_count,
        "their pages that link to mine": links.pages_linking_to_mine,
    }
    return Shape(
        "compare-sites",
        facts,
        {name: tables[name] for name in TABLE_NAMES},
        (*notes, *_link_notes(own, other, links)),
        options=asdict(options),
        provenance=load_selection(collection, DEFAULT_SELECTION, "sites", WebGraph).provenance(),
    )


def _compare_texts(
    collection: Collection,
    mine: Site,
    theirs: Site,
    expected_content: ExpectedContent,
    options: CompareSitesOptions,
) -> tuple[dict[str, Any], dict[str, pa.Table], list[str]]:
    """Compare the texts of two sites: facts, tables and notes."""
    reader = TermReader.of(collection, mine.captured_pages, theirs.captured_pages)
    own, other = reader.read_pages(mine.captured_pages), reader.read_pages(theirs.captured_pages)
    pages = np.unique(np.array(expected_content.pages, np.int32))
    extra = reader.read_pages(np.setdiff1d(pages, mine.captured_pages))
    named = reader.terms_of_text(" ".join(_site_name_words(collection, theirs)))
    expected = np.union1d(reader.terms_of_text(expected_content.words), named)
    texts = SiteTextComparison(reader, mine, theirs, own, other, extra, expected, named)
    tables, counts = dict[str, pa.Table](), dict[str, int]()
    tables["terms"], counts["unexpected terms"] = texts.unexpected_terms_table(options.top)
    tables["concepts"], counts["unexpected concepts"], complete = texts.unexpected_concepts_table(
        options.top
    )
    tables["pages"], long_enough = texts.unexpected_pages_table(
        options.top, options.min_terms, pages
    )
    tables["matches"], matched, exact = texts.matches_table(options.top, options.threshold)
    facts = {"my pages with a match": matched, **counts}
    notes = _text_notes(texts, len(theirs.captured_pages) - long_enough, options.min_terms)
    if not complete:
        notes.append(f"only the {MAX_CONCEPTS:,} concepts on most pages of each site are compared")
    if not exact:
        notes.append("too many pages: those that share only common terms are not compared")
    return facts, tables, notes


def _site_name_words(collection: Collection, site: Site) -> list[str]:
    """The words in the host names of a site, without their public suffix.

    Only hosts with at least a tenth of the site's pages count.
    """
    urls = collection.pages["url"].take(pa.array(site.captured_pages)).to_pylist()
    pages_of_host = Counter(host(url) for url in urls)
    words = set[str]()
    for name, count in pages_of_host.items():
        if count >= MIN_HOST_SHARE * len(urls):
            suffix = domain_of_host(name).partition(".")[2]
            words.update(LABEL_WORD_PATTERN.findall(name.removesuffix(suffix)))
    return sorted(words)


def _text_notes(comparison: SiteTextComparison, short_pages: int, min_terms: int) -> list[str]:
    """Notes on what the comparison of texts left out or assumed."""
    notes = []
    own_name = np.intersect1d(comparison.site_name_terms, comparison.their_terms.term_counts.ids)
    if len(own_name):
        names = join_with_and([comparison.written_forms[term] for term in own_name.tolist()])
        notes.append(f"their own name counts as known: {names}")
    if not len(comparison.mine.captured_pages):
        notes.append(f"no page of {comparison.mine.name} has text: all terms are unexpected")
    if short_pages:
        notes.append(
            f"{pluralise(short_pages, 'page')} of theirs with fewer than {min_terms} terms left out"
        )
    if comparison.reader.truncated_pages:
        truncated = pluralise(comparison.reader.truncated_pages, "page")
        notes.append(f"{truncated} cut after {MAX_TEXT_CHARS:,} characters")
    shared = len(np.intersect1d(comparison.mine.all_pages, comparison.theirs.all_pages))
    if shared:
        notes.append(f"{pluralise(shared, 'page')} of theirs are mine too")
    return notes


def _link_notes(mine: Site, theirs: Site, comparison: LinkComparison) -> list[str]:
    """Notes on uncaptured pages and on links that most pages of a site have."""
    notes = [
        f"{pluralise(site.uncaptured_count, 'page')} of {site.name} linked but not captured:"
        " text unknown"
        for site in (mine, theirs)
        if site.uncaptured_count
    ]
    if comparison.sitewide_count:
        links = pluralise(comparison.sitewide_count, "link")
        notes.append(f"{links} on most of their pages, as in a footer, listed last")
    return notes


def _keyword_table(
    collection: Collection, mine: Site, theirs: Site, options: CompareSitesOptions
) -> pa.Table:
    """Search keywords on both sites: their best pages, and the number of pages of each site."""
    keys, rows = SortedColumn(collection.pages["key"]), list[dict[str, Any]]()
    for keyword in options.keywords:
        query = parse_query(keyword)
        index = collection.text_index
        found, own = (
            run_query(index, replace(query, sites=(site.name,)), keys, options.top, ANY_TIME)
            for site in (theirs, mine)
        )
        columns = collection.pages.select(["url", "title", "language"])
        pages = columns.take(pa.array(found.page_numbers, pa.int64())).to_pylist()
        texts = collection.texts(found.page_numbers)
        stems = query_stems(query, index)
        snippets = make_snippets(texts, [page["language"] for page in pages], stems)
        rows += [
            {
                "keyword": keyword,
                "their_pages": found.total,
                "my_pages": own.total,
                "page": page["url"],
                "title": page["title"],
                "score": score,
                "snippet": snippet.text,
            }
            for page, score, snippet in zip(pages, found.scores, snippets, strict=True)
        ]
    return pa.Table.from_pylist(rows, schema=KEYWORDS_SCHEMA)
