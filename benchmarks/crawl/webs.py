"""The simulated webs, the topics whose pages are known in each, and seeds near and far."""

import csv
import gzip
import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import unquote

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.realwebs import DATA
from benchmarks.topics.partitions import workspace
from benchmarks.topics.senses import docs_workspace
from weft.classify.text import Documents
from weft.crawl import CrawlTopic, Response, SimulatedWeb
from weft.crawl.terms import Vocabulary
from weft.crawl.topic import RELEVANT
from weft.gather.page import Page
from weft.store.collection import Collection
from weft.store.numbering import PAGE_KINDS

EXAMPLES, OTHERS, SEEDS = 5, 200, 5
MIN_TARGETS, MAX_TARGETS = 50, 250
# Wikispeedia's categories that auto was tuned on; the published figures are on others.
TUNED_CATEGORIES = (
    "African Countries", "African Geography", "Architecture", "Birds",
    "British History 1500 and before including Roman Britain", "Chemical elements", "Countries",
    "Engineering", "European Countries", "Food and agriculture", "General Biology",
    "General Physics", "General history", "Geography of Asia", "Geography of Great Britain",
    "Geography of Oceania Australasia", "Health and medicine", "Historical figures",
    "North American Geography", "Politics and government",
)  # fmt: skip
# Subjects of docs-web: pages with such a title, on any site. Others were tuned on.
SUBJECTS = {
    "Time series": r"time series|arima|resampl",
    "Indexes": r"\bindex(es|ing)?\b",
    "Transactions": r"transaction|commit|rollback",
    "Iterators": r"iterator",
    "Permissions": r"permission|privilege|\broles?\b",
    "Plugins": r"plug-?in",
    "Threads": r"thread",
    "Encodings": r"encod|unicode|utf",
    "Histograms": r"histogram",
    "Caching": r"\bcach",
    "Queues": r"queue",
    "Eigenvalues": r"eigen",
}
CLASSES = ("course", "faculty", "project")
SEED_SETS = {"webkb": (2, 3, 4)}  # 0 and 1 were tuned on


@dataclass(eq=False)
class BenchmarkWeb:
    """A collection as a web of captured pages, with the pages of each topic."""

    name: str
    collection: Collection
    pages: frozenset[str]
    targets: Mapping[str, frozenset[str]]
    topics: tuple[str, ...]
    vocabulary: Vocabulary = field(default_factory=lambda: Vocabulary(keep_pages=True))
    _responses: dict[str, Response] = field(default_factory=dict)

    @cached_property
    def web(self) -> SimulatedWeb:
        """The collection as a web."""
        return SimulatedWeb(self.collection)

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each page in the order of URLs."""
        return {url: place for place, url in enumerate(sorted(self.pages))}

    def fetch(self, url: str) -> Response:
        """Fetch a page; responses are kept for the next crawl."""
        if url not in self._responses:
            self._responses[url] = self.web.fetch(url)
        return self._responses[url]

    def backlinks(self, url: str) -> list[str]:
        """The pages that link to one."""
        return [source for source in self.web.backlinks(url) if source in self.pages]

    def page(self, url: str) -> Page:
        """A page of this web."""
        page = self.fetch(url).page
        assert page is not None, url
        return page

    def follow(self, url: str) -> bool:
        """Whether a URL is a page of this web."""
        return url in self.pages


class KeptTopic(CrawlTopic):
    """A topic that keeps what it found out about each page for the next crawl."""

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        self._kept: dict[tuple[str, str], float] = {}

    def relevance(self, page: Page) -> float:
        """How relevant a page is, computed once."""
        key = ("relevance", page.url)
        if key not in self._kept:
            self._kept[key] = super().relevance(page)
        return self._kept[key]

    def judge(self, counted: "CountedPages") -> None:
        """Compute the relevance of many pages at once."""
        model = self.classifier
        assert model is not None
        scores = model.scores
        weighed = scores.weigh(counted.of_stems(model.stems.tolist()))
        found = scores.to_probabilities(np.asarray(weighed @ scores.weights.T + scores.intercepts))[
            :, model.classes.index(RELEVANT)
        ]
        self._kept |= {
            ("relevance", url): value
            for url, value in zip(counted.urls, found.tolist(), strict=True)
        }

    def similarity(self, page: Page) -> float:
        """The cosine of a page with the topic, computed once."""
        key = ("similarity", page.url)
        if key not in self._kept:
            self._kept[key] = super().similarity(page)
        return self._kept[key]


class CountedPages:
    """The stems of many pages, counted once for the classifiers of all topics."""

    def __init__(self, urls: Sequence[str], texts: Sequence[str]) -> None:
        counter = CountVectorizer(analyzer=str.split, dtype=np.float64)
        self.urls = urls
        self._counts = counter.fit_transform(Documents.from_texts(texts).stems).tocsc()
        self._columns = counter.vocabulary_

    def of_stems(self, stems: Sequence[str]) -> Any:
        """The counts of some stems, a column each."""
        return self._counts[:, [self._columns[stem] for stem in stems]].tocsr()


@dataclass(frozen=True, eq=False)
class Case:
    """A topic with its examples, hidden targets, and two sets of seeds."""

    web: BenchmarkWeb
    name: str
    seed_set: int
    topic: KeptTopic
    targets: frozenset[str]
    starts: Mapping[str, tuple[str, ...]]


def make_case(web: BenchmarkWeb, name: str, seed_set: int) -> Case:
    """Near: the crawl begins at its five examples. Far: at five pages off the topic."""
    choose = random.Random(f"{web.name} {name} {seed_set}")
    members = sorted(web.targets[name])
    examples = choose.sample(members, EXAMPLES)
    others = choose.sample(sorted(web.pages - web.targets[name]), OTHERS + SEEDS)
    topic = KeptTopic(
        name,
        [web.page(url) for url in examples],
        [web.page(url) for url in others[:OTHERS]],
        vocabulary=web.vocabulary,
    )
    starts = {"near": tuple(examples), "far": tuple(others[OTHERS:])}
    targets = frozenset(members) - frozenset(examples)
    return Case(web, name, seed_set, topic, targets, starts)


def open_web(name: str) -> BenchmarkWeb:
    """One of wikispeedia, webkb and docs-web."""
    collection = (docs_workspace() if name == "docs-web" else workspace(name)).collection
    kinds = collection.pages["kind"].to_numpy()
    urls = collection.pages["url"].to_pylist()
    captured = [urls[k] for k in (kinds == PAGE_KINDS["captured"]).nonzero()[0].tolist()]
    if name == "wikispeedia":
        return _wikispeedia(collection, captured)
    if name == "webkb":
        return _webkb(collection, captured)
    return _docs_web(collection, captured)


def _read_tsv(name: str) -> list[list[str]]:
    with gzip.open(DATA / "wikispeedia" / name, "rt") as lines:
        return [line.rstrip("\n").split("\t") for line in lines if line.strip() and line[0] != "#"]


def _wikispeedia(collection: Collection, captured: list[str]) -> BenchmarkWeb:
    """The articles; the topics are categories of 50 to 250 of them that were not tuned on."""
    by_name = {
        unquote(unquote(url.rpartition("/")[2].removesuffix(".htm"))): url
        for url in captured
        if "/wp/" in url
    }
    articles = frozenset(by_name[unquote(name)] for (name,) in _read_tsv("articles.tsv.gz"))
    members: defaultdict[str, set[str]] = defaultdict(set)
    for name, category in _read_tsv("categories.tsv.gz"):
        members[category.rpartition(".")[2].replace("_", " ")].add(by_name[unquote(name)])
    targets = {name: frozenset(urls) for name, urls in members.items()}
    topics = [name for name in usable_categories(targets) if name not in TUNED_CATEGORIES][:12]
    return BenchmarkWeb("wikispeedia", collection, articles, targets, tuple(topics))


def usable_categories(targets: Mapping[str, frozenset[str]]) -> list[str]:
    """The categories that are neither too small nor too large to be a topic."""
    return sorted(n for n, urls in targets.items() if MIN_TARGETS <= len(urls) <= MAX_TARGETS)


def _webkb(collection: Collection, captured: list[str]) -> BenchmarkWeb:
    pages = frozenset(captured)
    members: defaultdict[str, set[str]] = defaultdict(set)
    with gzip.open(DATA / "webkb-labels.csv.gz", "rt") as lines:
        for row in csv.DictReader(lines):
            number = collection.page_number(row["url"])
            url = collection.pages["url"][number].as_py() if number >= 0 else ""
            if url in pages:
                members[row["class"]].add(url)
    targets = {name: frozenset(urls) for name, urls in members.items()}
    return BenchmarkWeb("webkb", collection, pages, targets, CLASSES)


def _docs_web(collection: Collection, captured: list[str]) -> BenchmarkWeb:
    pages = frozenset(captured)
    columns = (collection.pages[name].to_pylist() for name in ("url", "title"))
    titles = dict(zip(*columns, strict=True))
    targets = {
        name: frozenset(
            url for url in captured if re.search(pattern, titles[url] or "", re.IGNORECASE)
        )
        for name, pattern in SUBJECTS.items()
    }
    return BenchmarkWeb("docs-web", collection, pages, targets, tuple(targets))
