"""Do topics answer the question? Queries as people ask them, with the senses they want to see.

    python -m benchmarks.topics.senses [--split test] [--methods auto,search] [--ablate] [--page]
    python -m benchmarks.topics.senses --words  # `about` alone, on the many words of words.toml
    python -m benchmarks.topics.senses --passing [--page]  # what is called mentioned in passing

The queries and senses are in senses.toml, written from plain search results before any method
was run. The collections are docs-web, Wikispeedia and WebKB; they are added on first use.

senses   share of a query's senses that one of the first eight topics shows: at least half of
         its first five authorities match the sense
about    share of the first five authorities of the first five topics that are about the query:
         each of its words in title or URL, or three times in the text
stems    the same, but a word counts in any form: *optimize* for optimization (printed below the
         table; the table has the rule above, which was frozen with the senses)
label    share of the first eight labels with a word of a sense that the topic shows, or a word
         that titles of two of its first five authorities share, and without a site's name or
         boilerplate; the query's words do not count
covered  share of the first 200 search results that are in one of the first eight topics
subject  on Wikispeedia, the largest share of the first five authorities of a topic that one
         subject category of the encyclopaedia has, mean over topics
"""

import argparse
import re
import statistics
import sys
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import versions
from benchmarks.realwebs import article
from benchmarks.side_by_side import DOCS, table
from benchmarks.topics.baselines import best_clusters, by_size, communities, word_rows
from benchmarks.topics.kept import current
from benchmarks.topics.partitions import labels, workspace
from benchmarks.topics.speed import docs_web
from benchmarks.topics.write import put
from benchmarks.webs import OUT
from weft.gather.url import host
from weft.graph.baseset import expand
from weft.graph.views import subgraph
from weft.groups import labels as group_labels
from weft.groups import personal_pages
from weft.rank.term_matrix import tokenize_texts
from weft.store.tokens import stem_text, stemmer_code
from weft.topics import hit_groups
from weft.workspace.workspace import Workspace

QUERIES = Path(__file__).with_name("senses.toml")
WORDS = QUERIES.with_name("words.toml")
PAGE = DOCS / "explanation" / "topics-senses.md"
COLLECTIONS = ("docs", "wikispeedia", "webkb")
FIRST_TOPICS, FIRST_PAGES, LED_TOPICS = 8, 5, 5
HITS = 200
MEASURES = ("senses", "about", "label", "covered", "topics")
BOILERPLATE = re.compile(
    r"\b(home ?pages?|welcome|documentation|docs|manual|reference|index|untitled|contents?|"
    r"copyright|schools wikipedia|selection|subject|sos children|charity|wikipedia|module code|"
    r"source code for|version|release|page)\b",
    re.IGNORECASE,
)
COMMON = {
    "docs", "readthedocs", "https", "stable", "latest", "html", "with", "from", "that", "this",
    "university", "home", "page",
}  # fmt: skip
WORD = re.compile(r"[^\W\d_][\w+-]+")
LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Query:
    """A query of a collection, whose senses are patterns for "URL title"."""

    collection: str
    text: str
    split: str
    senses: Mapping[str, str]


class Answer(NamedTuple):
    """A topic as a reader sees it: its label, and page numbers, the best first."""

    label: str
    authorities: Sequence[int]
    members: Sequence[int]


def queries(split: str = "") -> list[Query]:
    """The queries of one half, or all."""
    rows = tomllib.loads(QUERIES.read_text("utf-8"))["query"]
    return [Query(**row) for row in rows if split in ("", row["split"])]


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Judges the topics of queries on one collection."""

    name: str
    workspace: Workspace
    urls: Sequence[str]
    titles: Sequence[str]

    @classmethod
    def of(cls, name: str) -> "Judge":
        """A judge for a collection by its name."""
        found = docs_workspace() if name == "docs" else workspace(name)
        pages = found.collection.pages
        titles = [title or "" for title in pages["title"].to_pylist()]
        return cls(name, found, pages["url"].to_pylist(), titles)

    def measure(self, query: Query, topics: Sequence[Answer]) -> dict[str, float]:
        """All measures of one answer."""
        shown, good, subjects = set[str](), [], []
        for topic in topics[:FIRST_TOPICS]:
            lead = [int(page) for page in topic.authorities[:FIRST_PAGES]]
            if not lead:
                continue
            here = self.shown_senses(query, lead)
            shown |= here
            good.append(self.is_good_label(topic.label, query.text, here, lead))
            subjects.append(self.subject_share(lead))
        return {
            "senses": len(shown) / len(query.senses),
            "about": self.share_about(query.text, topics),
            "stems": self.share_about_by_stems(query.text, topics),
            "label": mean(good),
            "covered": self.share_covered(query.text, topics),
            "subject": mean(subjects) if self.name == "wikispeedia" else float("nan"),
            "topics": len(topics),
        }

    def shown_senses(self, query: Query, lead: Sequence[int]) -> set[str]:
        """The senses of a query that at least half of the leading pages of a topic match."""
        return {
            name
            for name, pattern in query.senses.items()
            if 2 * sum(bool(re.search(pattern, self.page(page), re.IGNORECASE)) for page in lead)
            >= len(lead)
        }

    def page(self, page: int) -> str:
        """What a pattern of a sense is matched with."""
        return f"{self.urls[page]} {self.titles[page]}"

    def is_good_label(self, label: str, query: str, senses: set[str], lead: Sequence[int]) -> bool:
        """Whether a label has a word of the topic's senses or titles, and no site's name."""
        asked = set(map(stem, words(query)))
        titles = Counter(s for page in lead for s in set(map(stem, words(self.titles[page]))))
        wanted = {stem(word) for name in senses for word in words(name)}
        wanted |= {s for s, count in titles.items() if count >= 2}
        sites = {
            word for page in lead for word in re.findall("[a-z]{4,}", host(self.urls[page]))
        } - COMMON
        named = re.findall("[a-z]{4,}", label.lower())
        has_site = any(site.startswith(word) for word in named for site in sites)
        has_word = bool((set(map(stem, words(label))) - asked) & wanted)
        return has_word and not has_site and not BOILERPLATE.search(label)

    def share_about(self, query: str, topics: Sequence[Answer]) -> float:
        """The share of the leading pages that are about the query."""
        parts = [
            re.compile(re.escape(word[: max(4, len(word) - 2)]), re.IGNORECASE)
            for word in re.findall(r"\w+", query)
        ]
        return mean(
            [
                all(p.search(name) or len(p.findall(text)) >= 3 for p in parts)
                for name, text in self.leading_texts(topics)
            ]
        )

    def share_about_by_stems(self, query: str, topics: Sequence[Answer]) -> float:
        """The share of the leading pages about the query, whose words count in any form."""
        asked = set(map(english_stem, LETTERS.findall(query)))
        judged = []
        for name, text in self.leading_texts(topics):
            named = set(map(english_stem, LETTERS.findall(name)))
            said = Counter(english_stem(word) for word in LETTERS.findall(text))
            judged.append(all(s in named or said[s] >= 3 for s in asked))
        return mean(judged)

    def leading_texts(self, topics: Sequence[Answer]) -> list[tuple[str, str]]:
        """URL and title, and text, of the first pages of the first topics."""
        lead = [
            int(page) for topic in topics[:LED_TOPICS] for page in topic.authorities[:FIRST_PAGES]
        ]
        texts = self.workspace.collection.texts(lead)
        return [(self.page(page), text[:200_000]) for page, text in zip(lead, texts, strict=True)]

    def share_covered(self, query: str, topics: Sequence[Answer]) -> float:
        """The share of the first search results that are in a topic."""
        inside = {int(page) for topic in topics[:FIRST_TOPICS] for page in topic.members}
        return mean([page in inside for page in first_hits(self.workspace, query, HITS)])

    def subject_share(self, lead: Sequence[int]) -> float:
        """The largest share of pages with one subject category of the encyclopaedia."""
        if self.name != "wikispeedia":
            return 0.0
        found = Counter(
            subject
            for page in lead
            for subject in {
                ".".join(name.split(".")[:2])
                for name in labels("wikispeedia").get(article(self.urls[page]), ())
            }
        )
        return max(found.values(), default=0) / len(lead)


def stem(word: str) -> str:
    """The beginning of a word without the plural: enough to compare labels with senses."""
    low = word.lower()
    return (low[:-1] if len(low) > 3 and low.endswith("s") else low)[:6]


@cache
def english_stem(word: str) -> str:
    """The stem of a word by the English stemmer."""
    return "".join(stem_text(word.lower(), stemmer_code("en")))


def words(text: str) -> list[str]:
    """The words of a text that say something."""
    return [w for w in WORD.findall(text.lower()) if len(w) > 2 and w not in COMMON]


def mean(values: Sequence[float]) -> float:
    """The mean, zero for nothing."""
    return statistics.fmean(values) if values else 0.0


def docs_workspace() -> Workspace:
    """The collection of docs-web, added if it does not exist."""
    return current(OUT / "topics" / "docs-web.weft", docs_web)


def first_hits(workspace: Workspace, query: str, k: int) -> list[int]:
    """The first results of a plain search."""
    return list(workspace.collection.search(query, k, with_snippets=False).page_numbers)


def search_in_fives(workspace: Workspace, query: str) -> list[Answer]:
    """Plain search results, five by five, labelled by the first."""
    hits, titles = first_hits(workspace, query, 40), workspace.collection.pages["title"]
    return [
        Answer(str(titles[hits[k]]), hits[k : k + 5], hits[k : k + 5])
        for k in range(0, len(hits), 5)
    ]


def k_means(workspace: Workspace, query: str) -> list[Answer]:
    """Spherical k-means on TF-IDF of the first results, labelled by its top terms."""
    hits = first_hits(workspace, query, HITS)
    texts = [text[:20_000] for text in workspace.collection.texts(hits, main_content=True)]
    rows, page = word_rows(texts)
    if len(page) < FIRST_TOPICS * 2:
        return []
    cluster, _ = best_clusters(rows)
    made = []
    for group in by_size(cluster, min_size=2):
        centre = np.asarray(rows[group].mean(axis=0)).ravel()
        pages = [hits[k] for k in np.sort(page[group]).tolist()]
        terms = top_terms(texts, centre)
        made.append(Answer(" · ".join(terms), pages, pages))
    return made


def top_terms(texts: Sequence[str], centre: Any) -> list[str]:
    """The three terms of most weight in a cluster."""
    vocabulary = list(tokenize_texts(texts).vocabulary)
    return [vocabulary[k] for k in np.argsort(-centre)[:3].tolist()]


def leiden_on_hits(workspace: Workspace, query: str) -> list[Answer]:
    """Communities of the links among the first results, labelled by the best result."""
    hits = first_hits(workspace, query, HITS)
    kept = np.zeros(len(workspace.collection), bool)
    kept[hits] = True
    graph, _ = subgraph(workspace.graph(), kept)
    rank = {page: place for place, page in enumerate(hits)}
    numbers = np.flatnonzero(kept)
    titles = workspace.collection.pages["title"]
    made = []
    for group in communities(graph):
        pages = sorted(numbers[group].tolist(), key=rank.__getitem__)
        if len(pages) >= 4:
            made.append(Answer(str(titles[pages[0]]), pages, pages))
    return made


def registered(method: str) -> Callable[[Workspace, str], list[Answer]]:
    """A registered topic method, as everybody gets it."""

    def ask(workspace: Workspace, query: str) -> list[Answer]:
        found = workspace.topics(query, method, cache=False)
        numbers = found.base.page_numbers
        return [
            Answer(t.name, numbers[t.authorities(10)].tolist(), numbers[t.members].tolist())
            for t in found
        ]

    return ask


METHODS: dict[str, Callable[[Workspace, str], list[Answer]]] = {
    "auto": registered("auto"),
    "search in fives": search_in_fives,
    "k-means": k_means,
    "leiden on the hits": leiden_on_hits,
    "leiden-votes": registered("leiden-votes"),
    "atd": registered("atd"),
    "tgm": registered("tgm"),
    "hits": registered("hits"),
}
AUTO = import_module("weft.topics.auto")  # the package has the function under this name
# What to leave out: module, constant, and the value that makes it ineffective.
ABLATIONS: dict[str, tuple[Any, str, Any]] = {
    "keywords": (hit_groups, "WORD_WEIGHT", 0.0),
    "title words": (hit_groups, "TITLE_WEIGHT", 0.0),
    "shared outlinks": (hit_groups, "COUPLING_WEIGHT", 0.0),
    "shared inlinks": (hit_groups, "COCITATION_WEIGHT", 0.0),
    "spreading over sites": (expand, "SITE_DECAY", 1.0),
    "search score": (AUTO, "SCORE_WEIGHT", 0.0),
    "share of the query": (AUTO, "SHARE_WEIGHT", 0.0),
    "centrality": (AUTO, "CENTRE_WEIGHT", 0.0),
    "votes in the topic": (AUTO, "VOTE_WEIGHT", 0.0),
    "votes of other hosts": (AUTO, "HOST_VOTE_WEIGHT", 0.0),
    "lists of links as such": (AUTO, "LIST_PAGE_FACTOR", 1.0),
    "core before other pages": (AUTO, "OUTSIDE_CORE_FACTOR", 1.0),
    "merging similar groups": (hit_groups, "MIN_MERGE_RATIO", 9.0),
    "damped coverage": (hit_groups, "COVERAGE_EXPONENT", 1.0),
    "the word as it is asked": (AUTO, "OTHER_FORM_SHARE", 1.0),
    "mentions as such": (AUTO, "RARELY_SAID_FACTOR", 1.0),
    "indexes as such": (AUTO, "is_index_title", lambda _: False),
    "language of most hits": (AUTO, "FOREIGN_FACTOR", 1.0),
    "people as one topic": (AUTO, "MIN_PEOPLE_SHARE", 2.0),
    "index pages in labels": (group_labels, "MAX_PARENTS", 0),
    "phrases in full": (group_labels, "MIN_WHOLE_SHARE", 9.0),
    "names as no labels": (personal_pages, "OWNER", re.compile("(?!)")),
}


@contextmanager
def changed(module: Any, name: str, value: Any) -> Iterator[None]:
    """Change a constant for a while."""
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


Rows = dict[str, list[dict[str, float]]]


def run(ask: Callable[[Workspace, str], list[Answer]], split: str) -> Rows:
    """The measures of each query, by collection."""
    rows: Rows = defaultdict(list)
    for name in COLLECTIONS:
        if name not in JUDGES:
            JUDGES[name] = Judge.of(name)
        judge = JUDGES[name]
        for query in queries(split):
            if query.collection == name:
                ask(judge.workspace, query.text)
                start = time.perf_counter()
                topics = ask(judge.workspace, query.text)
                seconds = time.perf_counter() - start
                rows[name].append({**judge.measure(query, topics), "ms": 1e3 * seconds})
    return rows


JUDGES: dict[str, Judge] = {}


def overall(rows: Rows, measure: str) -> float:
    """The mean over all queries."""
    return mean([row[measure] for each in rows.values() for row in each])


def cell(rows: Rows, measure: str) -> str:
    """A measure over all queries, and in brackets for each collection."""
    parts = " ".join(f"{mean([r[measure] for r in rows[name]]):.2f}" for name in COLLECTIONS)
    return f"{overall(rows, measure):.2f} ({parts})"


def cells(rows: Rows) -> list[str]:
    """A row of the table: all queries, then each collection for the main measures."""
    made = [
        cell(rows, measure)
        if measure in ("senses", "about", "label")
        else f"{overall(rows, measure):.2f}"
        for measure in MEASURES
    ]
    times = [row["ms"] for each in rows.values() for row in each]
    subject = mean([row["subject"] for row in rows["wikispeedia"]])
    return [*made, f"{subject:.2f}", f"{statistics.median(times):.0f}"]


def words_table() -> str:
    """The share of leading pages about the query, on words without senses."""
    rows = []
    for name, asked in tomllib.loads(WORDS.read_text("utf-8")).items():
        judge = Judge.of(name)
        shares = [
            judge.share_about(query, METHODS["auto"](judge.workspace, query)) for query in asked
        ]
        rows.append([name, str(len(asked)), f"{mean(shares):.3f}"])
    return table(["collection", "queries", "about"], rows)


def passing_table() -> str:
    """How many topics show a sense that no topic before them shows: in passing and others."""
    rows = []
    for name in COLLECTIONS:
        judge, found = Judge.of(name), defaultdict[bool, list[bool]](list)
        for query in queries("tuning"):
            if query.collection != name:
                continue
            topics, shown = judge.workspace.topics(query.text, "auto", cache=False), set[str]()
            for topic in topics[:FIRST_TOPICS]:
                lead = topics.base.page_numbers[topic.authorities(FIRST_PAGES)].tolist()
                here = judge.shown_senses(query, lead)
                found[topic.in_passing].append(not here <= shown)
                shown |= here
        shares = [f"{mean(found[kind]):.2f} of {len(found[kind])}" for kind in (False, True)]
        rows.append([name, *shares])
    return table(["collection", "other topics", "mentioned in passing"], rows)


def print_passing(*, on_page: bool) -> None:
    """Print the table of topics mentioned in passing, and write it into the page if wanted."""
    found = passing_table()
    print(found)
    if on_page:
        PAGE.write_text(put(PAGE.read_text("utf-8"), "passing", found), "utf-8")


HEAD = ["method", *MEASURES, "subject", "ms"]


def ablation_table(split: str) -> str:
    """What each ingredient gives."""
    rows = [["nothing", *cells(run(METHODS["auto"], split))]]
    for name, change in ABLATIONS.items():
        with changed(*change):
            rows.append([name, *cells(run(METHODS["auto"], split))])
    return table(["left out", *HEAD[1:]], rows)


def main(given: Sequence[str] | None = None) -> None:
    """Print the table of methods, or of ingredients."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--split", choices=("tuning", "test"), default="tuning")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--ablate", action="store_true", help="leave out one ingredient at a time")
    parser.add_argument("--words", action="store_true", help="leading pages of many other queries")
    parser.add_argument("--passing", action="store_true", help="topics mentioned in passing")
    parser.add_argument("--page", action="store_true", help="write the page of the docs")
    asked = parser.parse_args(given)
    print(versions("numpy", "scipy"), flush=True)
    if asked.words:
        print(words_table())
        return
    if asked.passing:
        print_passing(on_page=asked.page)
        return
    if asked.ablate:
        print(ablation_table("tuning"))
        return
    chosen = [name for name in asked.methods.split(",") if name in METHODS]
    if unknown := sorted(set(asked.methods.split(",")) - set(METHODS)):
        sys.exit(f"no method {', '.join(unknown)}; there are {', '.join(METHODS)}")
    rows = []
    for name in chosen:
        found = run(METHODS[name], asked.split)
        rows.append([name, *cells(found)])
        print(" | ".join(rows[-1]), flush=True)
        print(f"{name}, about by stems: {cell(found, 'stems')}", flush=True)
    print(table(HEAD, rows))
    if asked.page:
        text = put(PAGE.read_text("utf-8"), "methods", table(HEAD, rows))
        text = put(text, "ablation", ablation_table("tuning"))
        PAGE.write_text(put(text, "machine", versions("numpy", "scipy") + "."), "utf-8")


if __name__ == "__main__":
    main()
