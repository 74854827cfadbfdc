"""Intelligent crawling: learn from the pages fetched so far what leads to relevant ones."""

import re
from collections import Counter, defaultdict
from math import exp, fsum, inf, log, sqrt
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.register import Dimensions, method
from weft.crawl.crawl import Crawl, CrawlTask, FetchedPage, Known, Scores

RescoreEvery = Annotated[
    int, Field(ge=1, le=100_000, description="score all waiting URLs after this many pages")
]
Weight = Annotated[float, Field(ge=0, le=1000, description="weight of this evidence")]
MIN_COUNT, MIN_Z, MAX_LOG = 10, 2.0, 5.0
Bits = npt.NDArray[np.uint8]
URL_WORD = re.compile(r"[a-z]+|[0-9]+")


@method(
    "crawl",
    "intelligent",
    cites="aggarwal2001",
    dimensions=Dimensions(
        "probabilistic model",
        "likelihood",
        "best-first search",
        "whole web",
        ("web crawling",),
        data="links and content",
    ),
)
def intelligent(
    task: CrawlTask,
    *,
    content_weight: Weight = 1.0,
    url_weight: Weight = 1.0,
    link_weight: Weight = 1.0,
    sibling_weight: Weight = 1.0,
    rescore_every: RescoreEvery = 100,
) -> Crawl:
    """Learn from the crawl which evidence leads to relevance.

    Evidence is a word on a page that links to the URL, a part of the URL, the
    relevance of pages that link to it, and of pages linked from the same
    pages. Its interest ratio I = P(relevant | evidence) / P(relevant); the priority of a URL
    is the weighted sum of the logarithms. It begins as breadth-first.
    """
    weights = (content_weight, url_weight, link_weight, sibling_weight)
    return task.run(IntelligentCrawl(task, weights, rescore_every), "intelligent")


def interest_ratio(hits: float, count: float, share: float) -> float:
    """P(relevant | evidence) / P(relevant), given `hits` relevant pages of `count`."""
    return (hits / count) / share if count and share else 1.0


def is_significant(hits: float, count: float, share: float) -> bool:
    """Whether evidence seen `count` times differs by two standard deviations from chance."""
    if count < MIN_COUNT or not 0 < share < 1:
        return False
    return abs(hits / count - share) >= MIN_Z * sqrt(share * (1 - share) / count)


def link_ratio(
    relevant_parents: int, other_parents: int, pairs: Counter[tuple[bool, bool]]
) -> float:
    """The interest ratio of the links into a page, bounded as its logarithm is.

    `pairs` counts the links between fetched pages by the relevance of both ends.
    """
    total = pairs.total()
    share = (pairs[True, True] + pairs[False, True]) / total if total else 0.0
    total_log = 0.0
    for is_relevant, count in ((True, relevant_parents), (False, other_parents)):
        hits = pairs[is_relevant, True]
        ratio = interest_ratio(hits, hits + pairs[is_relevant, False], share)
        if count:
            total_log += count * log(ratio) if ratio else -inf
    return exp(min(total_log, MAX_LOG))


def sibling_ratio(relevant: float, fetched: float, share: float) -> float:
    """The interest ratio of pages linked from the same pages, smoothed; one without any."""
    if not fetched or not share:
        return 1.0
    return (relevant + share) / (fetched * share + share)


def priority(ratios: tuple[float, ...], weights: tuple[float, ...] = (1, 1, 1, 1)) -> float:
    """The weighted sum of the logarithms of interest ratios, each between -5 and 5.

    Examples
    --------
    >>> round(priority((0.6, 5, 10.1052631579, 6.6666666667)), 10)
    5.3087886664
    """
    low, high = exp(-MAX_LOG), exp(MAX_LOG)
    return sum(w * log(min(max(r, low), high)) for w, r in zip(weights, ratios, strict=True))


class Evidence:
    """How often each piece of evidence was seen, and how often for relevant pages."""

    def __init__(self) -> None:
        self.count: Counter[object] = Counter()
        self.hits: Counter[object] = Counter()

    def add(self, pieces: set[object], *, relevant: bool) -> None:
        """Count the evidence of one page."""
        self.count.update(pieces)
        if relevant:
            self.hits.update(pieces)

    def log_ratios(self, share: float) -> dict[object, float]:
        """The logarithm of the ratio of each significant piece."""
        found = {}
        for piece, count in self.count.items():
            hits = self.hits[piece]
            if is_significant(hits, count, share):
                found[piece] = log(max(interest_ratio(hits, count, share), exp(-MAX_LOG)))
        return found


class IntelligentCrawl:
    """Counts evidence as pages are fetched, and scores what waits at intervals."""

    batch_size = 1

    def __init__(self, task: CrawlTask, weights: tuple[float, ...], rescore_every: int) -> None:
        self.topic, self.weights, self.rescore_every = task.topic, weights, rescore_every
        self.words: dict[int, frozenset[object]] = {}  # of each fetched page
        self.content, self.url = Evidence(), Evidence()
        self.url_ratios: dict[object, float] = {}
        self.word_ratios: Floats = np.zeros(0)  # logarithms, of the significant words
        self.columns: dict[object, int] = {}  # of these words
        self.significant: dict[int, Bits] = {}  # which of them each fetched page has
        self.relevant: dict[int, bool] = {}
        self.hits = 0  # relevant pages so far
        self.pairs: Counter[tuple[bool, bool]] = Counter()
        self.children: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Learn from a page, and score its links, or at intervals all URLs that wait."""
        self._learn(page, known)
        if len(known.out_links) % self.rescore_every == 0:
            share = self.share
            self.url_ratios = self.url.log_ratios(share)
            ratios = self.content.log_ratios(share)
            self.word_ratios = np.array(list(ratios.values()))
            self.columns = {word: k for k, word in enumerate(ratios)}
            self.significant = {number: self._pack(words) for number, words in self.words.items()}
            waiting = [number for number in known.waiting if known.parents.count(number)]
            values = [self._priority(number, known) for number in waiting]
            return Scores(waiting, values, replace=True)
        values = [self._priority(target, known) for target in page.targets]
        return Scores(page.targets, values, replace=True)

    @property
    def share(self) -> float:
        """The share of relevant pages among those fetched."""
        return self.hits / len(self.relevant)

    def _learn(self, page: FetchedPage, known: Known) -> None:
        relevant = self.topic.is_relevant(page.relevance)
        self.hits += relevant - self.relevant.get(page.number, False)
        self.relevant[page.number] = relevant
        terms = self.topic.terms(page.page).terms
        words: frozenset[object] = frozenset(np.unique(terms).tolist())
        self.words[page.number] = words
        self.significant[page.number] = self._pack(words)
        parents = [p for p in known.parents[page.number] if p in self.words]
        seen: set[object] = set().union(*(self.words[p] for p in parents))
        self.content.add(seen, relevant=relevant)
        self.url.add(_url_words(known.urls[page.number]), relevant=relevant)
        for parent in parents:
            self.pairs[self.relevant[parent], relevant] += 1
            self.children[parent][0] += 1
            self.children[parent][1] += relevant
        for target in page.targets:
            if target in self.relevant:
                self.pairs[relevant, self.relevant[target]] += 1
                self.children[page.number][0] += 1
                self.children[page.number][1] += self.relevant[target]

    def _pack(self, words: frozenset[object]) -> Bits:
        """The significant words among these, a bit each."""
        bits = np.zeros(len(self.columns), np.uint8)
        bits[[self.columns[word] for word in words & self.columns.keys()]] = 1
        return np.packbits(bits)

    def _priority(self, number: int, known: Known) -> float:
        parents = [p for p in known.parents[number] if p in self.words]
        if not parents:
            return 0.0
        found = np.bitwise_or.reduce([self.significant[p] for p in parents])
        content = float(np.unpackbits(found, count=len(self.columns)) @ self.word_ratios)
        words = _url_words(known.urls[number])
        url = fsum(self.url_ratios.get(word, 0.0) for word in words)  # in any order
        relevant_parents = sum(self.relevant[p] for p in parents)
        links = link_ratio(relevant_parents, len(parents) - relevant_parents, self.pairs)
        fetched = sum(self.children[p][0] for p in parents)
        siblings = sibling_ratio(sum(self.children[p][1] for p in parents), fetched, self.share)
        clip = [exp(min(max(value, -MAX_LOG), MAX_LOG)) for value in (content, url)]
        return priority((*clip, links, siblings), self.weights)


def _url_words(url: str) -> set[object]:
    return set(URL_WORD.findall(url.lower()))
