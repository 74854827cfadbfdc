"""Compare two sites of a collection: what theirs has that mine lacks."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.errors import BadParameter
from weft.core.wording import count, listed
from weft.gather.url import canonical, domain_of_host, host
from weft.run.analyse import View, look, provenance
from weft.run.site_links import Outside, outside
from weft.run.site_tables import CONCEPTS, MATCHES, PAGES, TERMS, Texts
from weft.run.site_texts import LONGEST_TEXT, Reader
from weft.run.sites import Site, find_site
from weft.store.collection import Collection
from weft.store.mapped import Sorted
from weft.store.query import parse
from weft.store.search import ALWAYS, run_query
from weft.store.snippet import make_snippets, wanted_stems
from weft.structure.concepts import MOST as MOST_CONCEPTS
from weft.structure.shape import Shape

PARTS = ("terms", "pages", "concepts", "links", "domains", "matches", "keywords")
ADDRESS = re.compile(r"[a-z]+://\S+|(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?", re.IGNORECASE)
USUAL, MOST = 0.1, 10_000
LABEL = re.compile(r"[^\W\d_]{2,}")
KEYWORDS = pa.schema(
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
class Asked:
    """How two sites are compared.

    Pages correspond by a cosine of at least `threshold`. A page may be
    unexpected that has at least `least` different terms. `known` are words
    and addresses that are expected anyway; each of `keywords` is looked for on
    both sites. Tables have at most `top` rows, of keywords that many each.
    """

    top: int = 50
    threshold: float = 0.2
    least: int = 20
    known: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.top <= MOST:
            raise BadParameter(f"tables have 1 to {MOST:,} rows, not {self.top}")
        if not 0 <= self.threshold <= 1:
            raise BadParameter(f"a cosine is 0 to 1, not {self.threshold}")
        if self.least < 1:
            raise BadParameter(f"a page has at least 1 term, not {self.least}")


@dataclass(frozen=True, slots=True)
class Known:
    """What is expected anyway: words, pages of the collection, and where links may lead."""

    words: str
    pages: tuple[int, ...]
    ends: frozenset[str]

    @classmethod
    def of(cls, collection: Collection, given: Iterable[str]) -> "Known":
        """From words and addresses; an address without scheme is one if a page is so called."""
        words, pages, ends = list[str](), list[int](), set[str]()
        for word in (word for text in given for word in text.split()):
            if ADDRESS.fullmatch(word):
                number = collection.number(word)
                if number < 0 and "://" not in word:
                    words.append(word)
                    continue
                ends |= _ends(collection, word, number)
                pages += [number] if number >= 0 else []
            else:
                words.append(word)
        return cls(" ".join(words), tuple(pages), frozenset(ends))


def _ends(collection: Collection, word: str, number: int) -> set[str]:
    """The URL that an address means, and the domain if it is the address of one."""
    url = collection.pages["url"][number].as_py() if number >= 0 else canonical(word)
    bare = "/" not in word.partition("://")[2 if "://" in word else 0].rstrip("/")
    return {url, *([domain_of_host(host(url))] if bare else [])}


def compare_sites(collection: Collection, mine: str, theirs: str, asked: Asked) -> Shape:
    """What their site has that mine lacks, after Liu, Ma and Yu (2001)."""
    own, other = find_site(collection, mine), find_site(collection, theirs)
    known = Known.of(collection, asked.known)
    links = outside(collection, own, other, known.ends, asked.top)
    facts: dict[str, Any] = {
        "mine": own.name,
        "theirs": other.name,
        "my pages": len(own.pages),
        "their pages": len(other.pages),
    }
    tables, notes = dict[str, pa.Table](), list[str]()
    if len(other.fetched):
        said, tables, notes = _texts(collection, own, other, known, asked)
        facts |= said
    else:
        notes.append(f"no page of {other.name} has text: their links alone are compared")
        empty = zip(PARTS, (TERMS, PAGES, CONCEPTS), strict=False)
        tables = {name: schema.empty_table() for name, schema in empty}
        tables["matches"] = MATCHES.empty_table()
    tables |= {"links": links.links, "domains": links.domains}
    tables["keywords"] = _keywords(collection, own, other, asked)
    facts |= {
        "unexpected links": links.urls_found,
        "unexpected domains": links.domains_found,
        "their pages that link to mine": links.to_mine,
    }
    return Shape(
        "compare-sites",
        facts,
        {name: tables[name] for name in PARTS},
        (*notes, *_link_notes(own, other, links)),
        options=asdict(asked),
        provenance=provenance(collection, look(collection, View())),
    )


def _texts(
    collection: Collection, mine: Site, theirs: Site, known: Known, asked: Asked
) -> tuple[dict[str, Any], dict[str, pa.Table], list[str]]:
    """What the texts of two sites show: facts, tables and notes."""
    reader = Reader.of(collection, mine.fetched, theirs.fetched)
    own, other = reader.read(mine.fetched), reader.read(theirs.fetched)
    pages = np.unique(np.array(known.pages, np.int32))
    extra = reader.read(np.setdiff1d(pages, mine.fetched))
    named = reader.terms(" ".join(_labels(collection, theirs)))
    expected = np.union1d(reader.terms(known.words), named)
    texts = Texts(reader, mine, theirs, own, other, extra, expected, named)
    tables, found = dict[str, pa.Table](), dict[str, int]()
    tables["terms"], found["unexpected terms"] = texts.terms(asked.top)
    tables["concepts"], found["unexpected concepts"], every = texts.concepts(asked.top)
    tables["pages"], looked_at = texts.pages(asked.top, asked.least, pages)
    tables["matches"], matched, exact = texts.matches(asked.top, asked.threshold)
    facts = {"my pages with a match": matched, **found}
    notes = _text_notes(texts, len(theirs.fetched) - looked_at, asked.least)
    if not every:
        notes.append(f"concepts are those of most pages: {MOST_CONCEPTS:,} of each site")
    if not exact:
        notes.append("the commonest terms did not choose which pages to compare: too many pages")
    return facts, tables, notes


def _labels(collection: Collection, site: Site) -> list[str]:
    """The words that most pages of a site have in their host: its name."""
    urls = collection.pages["url"].take(pa.array(site.fetched)).to_pylist()
    hosts = Counter(host(url) for url in urls)
    usual = [place for place in sorted(hosts) if hosts[place] >= USUAL * len(urls)]
    suffixes = {place: domain_of_host(place).partition(".")[2] for place in usual}
    labels = [place.removesuffix(suffixes[place]).split(".") for place in usual]
    return sorted({word for own in labels for label in own for word in LABEL.findall(label)})


def _text_notes(texts: Texts, short: int, least: int) -> list[str]:
    """What must be said beside what the texts show."""
    notes = []
    said = np.intersect1d(texts.named, texts.other.counts.ids)
    if len(said):
        names = listed([texts.forms[term] for term in said.tolist()])
        notes.append(f"their own name counts as known: {names}")
    if not len(texts.mine.fetched):
        notes.append(f"no page of {texts.mine.name} has text: all that they say is unexpected")
    if short:
        notes.append(f"{count(short, 'page')} of theirs with fewer than {least} terms left out")
    if texts.reader.cut_short:
        cut = count(texts.reader.cut_short, "page")
        notes.append(f"of {cut} the first {LONGEST_TEXT:,} characters were read")
    both = len(np.intersect1d(texts.mine.everything, texts.theirs.everything))
    if both:
        notes.append(f"{count(both, 'page')} of theirs are mine too")
    return notes


def _link_notes(mine: Site, theirs: Site, links: Outside) -> list[str]:
    """What must be said beside the links."""
    notes = [
        f"{count(one.unread, 'page')} of {one.name} only linked to: what they say is not known"
        for one in (mine, theirs)
        if one.unread
    ]
    if links.everywhere:
        notes.append(
            f"links that most of their pages have, as in a footer, come last: {links.everywhere}"
        )
    return notes


def _keywords(collection: Collection, mine: Site, theirs: Site, asked: Asked) -> pa.Table:
    """The pages of theirs that say keywords, best first, and how many of each site do."""
    keys, rows = Sorted(collection.pages["key"]), list[dict[str, Any]]()
    for keyword in asked.keywords:
        query = parse(keyword)
        index = collection.text_index
        found, own = (
            run_query(index, replace(query, sites=(site.name,)), keys, asked.top, ALWAYS)
            for site in (theirs, mine)
        )
        wanted = wanted_stems(query, index)
        pages = collection.pages.select(["url", "title", "language"])
        shown = pages.take(pa.array(found.numbers, pa.int64())).to_pylist()
        texts = collection.texts(found.numbers)
        marked = make_snippets(texts, [page["language"] for page in shown], wanted)
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
            for page, score, snippet in zip(shown, found.scores, marked, strict=True)
        ]
    return pa.Table.from_pylist(rows, schema=KEYWORDS)
