"""A crawl: what is known so far, the frontier, the loop, and its result."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import inf
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from weft.core.arrays import Floats, Ids
from weft.core.errors import BadParameter
from weft.core.json import JsonObject, to_json_value
from weft.core.progress import listener
from weft.core.tables import Tabular
from weft.core.text import pluralise
from weft.core.words import GrowingArray
from weft.crawl.topic import CrawlTopic
from weft.crawl.url_table import InLinks, UrlTable
from weft.crawl.web import Response, Web
from weft.gather.page import Link, Page

MAX_REDIRECTS = 5
SEED_SCORE = inf


@dataclass(frozen=True, slots=True, eq=False)
class FetchedPage:
    """A page just fetched: its number and relevance, and its links to other pages.

    `targets` are the numbers of the distinct pages it links to, in page order;
    `links` has the first link to each, and `link_rows` its row among the links of the page.
    """

    number: int
    page: Page
    relevance: float
    targets: tuple[int, ...]
    links: tuple[Link, ...]
    link_rows: Ids


Follow = Callable[[str], bool]


class Known:
    """What a crawl knows so far: URLs, which are fetched, and the links between them.

    URLs are numbered in the order of discovery. `relevance` is that of fetched pages;
    `parents` are the fetched pages that link to a URL; `failures` are
    URLs that gave no page, such as dead links, in the order in which that was found out.
    """

    def __init__(self) -> None:
        self.urls = UrlTable()
        self.parents = InLinks()
        self.relevance: dict[int, float] = {}
        self.out_links: dict[int, Ids] = {}  # of fetched pages, in the order of fetching
        self.failures: list[int] = []
        self._depth = GrowingArray(np.int32)

    def number(self, url: str, depth: int) -> int:
        """The number of a URL, a new one where it was not known; the least depth counts."""
        return int(self._number_all([url], depth)[0])

    def depth(self, number: int) -> int:
        """How many links from a seed a URL is, by the shortest known way."""
        return int(self._depth.values[number])

    def _number_all(self, urls: Sequence[str], depth: int) -> Ids:
        numbers = self.urls.add(urls)
        self._depth.extend(np.full(len(self.urls) - self._depth.size, depth, np.int32))
        self.parents.extend(len(self.urls))
        self._depth.values[numbers] = np.minimum(self._depth.values[numbers], depth)
        return numbers

    def add(self, number: int, page: Page, relevance: float, follow: Follow) -> FetchedPage:
        """Record a fetched page with its links, without those to itself."""
        rows = [
            row
            for row, link in enumerate(page.links)
            if link.target != page.url and follow(link.target)
        ]
        numbers = self._number_all([page.links[row].target for row in rows], self.depth(number) + 1)
        _, first = np.unique(numbers, return_index=True)
        first = np.sort(first[numbers[first] != number])
        targets, link_rows = numbers[first], np.array(rows, np.int32)[first]
        earlier = self.out_links.get(number, targets[:0])
        self.parents.add(number, targets[~np.isin(targets, earlier)])
        self.relevance[number] = relevance
        self.out_links[number] = targets
        links = tuple(page.links[row] for row in link_rows.tolist())
        return FetchedPage(number, page, relevance, tuple(targets.tolist()), links, link_rows)

    def add_failure(self, url: str) -> None:
        """Record that a known URL gave no page."""
        number = self.urls.find(url)
        if number >= 0:
            self.failures.append(number)

    def is_fetched(self, number: int) -> bool:
        """Whether a page was fetched."""
        return number in self.out_links

    @property
    def waiting(self) -> list[int]:
        """The numbers of the URLs that are known and not fetched."""
        return [number for number in range(len(self.urls)) if number not in self.out_links]


class Scores(NamedTuple):
    """Scores of URLs by number. A URL keeps its higher score, unless they are to `replace` it.

    Pages to `revisit` are fetched again, for links that they did not have before.
    """

    numbers: Sequence[int]
    values: Sequence[float]
    replace: bool = False
    revisit: Sequence[int] = ()


class Strategy(Protocol):
    """Decides what to fetch next: a pure function of what the crawl knows so far.

    After each page it scores URLs: those that the page links to, or any other.
    URLs that get no score are not fetched. `batch_size` pages are taken from the
    frontier at once, and scored when all of them are fetched.
    """

    batch_size: int

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Score URLs after a page was fetched."""


@dataclass(slots=True)
class LinkStrategy:
    """Scores each link on its own, by a function; a link without score is not followed."""

    worth: Callable[[Link, FetchedPage], float | None]
    batch_size: int = 1

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Score the links of a page."""
        del known
        values = [self.worth(link, page) for link in page.links]
        kept = [(t, v) for t, v in zip(page.targets, values, strict=True) if v is not None]
        return Scores([target for target, _ in kept], [value for _, value in kept])


class Frontier:
    """URLs to fetch, best score first, then in the order of discovery."""

    def __init__(self) -> None:
        self.scores: dict[int, float] = {}
        self._heap: list[tuple[float, int]] = []  # entries with outdated scores are skipped
        self._claimed: set[int] = set()

    def push(self, scores: Scores) -> None:
        """Add URLs, or change their scores; seeds stay first, and what was taken is not added."""
        for number, score in zip(scores.numbers, scores.values, strict=True):
            if number in self._claimed:
                continue
            old = self.scores.get(number)
            if old is None or score > old or (scores.replace and score != old != SEED_SCORE):
                self.scores[number] = score
                heappush(self._heap, (-score, number))
        if len(self._heap) > 4 * len(self.scores) + 64:
            self._heap = [(-score, number) for number, score in self.scores.items()]
            heapify(self._heap)

    def pop(self) -> tuple[int, float]:
        """Take the best URL, with its score."""
        while True:
            score, number = heappop(self._heap)
            if self.scores.get(number) == -score:
                del self.scores[number]
                self._claimed.add(number)
                return number, -score

    def claim(self, number: int) -> bool:
        """Take a URL out of turn, such as the target of a redirect; false if it was taken."""
        if number in self._claimed:
            return False
        self._claimed.add(number)
        self.scores.pop(number, None)
        return True

    def __len__(self) -> int:
        return len(self.scores)


class CrawlStep(NamedTuple):
    """One fetched page of a crawl: when it was found, how it was scored, what it is worth."""

    url: str
    relevance: float
    score: float
    depth: int
    parent: str
    http_status: int = 200


STEP_SCHEMA = pa.schema(
    {
        "url": pa.string(),
        "relevance": pa.float64(),
        "score": pa.float64(),
        "depth": pa.int64(),
        "parent": pa.string(),
        "http_status": pa.int64(),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class Crawl(Tabular):
    """The pages of a crawl in the order of fetching, and why others were not fetched.

    `failures` counts URLs by reason, `waiting` those left in the frontier, `ended`
    says why the crawl ended.
    """

    method: str
    topic: str
    steps: tuple[CrawlStep, ...]
    failures: dict[str, int]
    waiting: int
    ended: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def urls(self) -> list[str]:
        """The URLs in the order of fetching."""
        return [step.url for step in self.steps]

    @property
    def relevance(self) -> Floats:
        """The relevance of each page, in the order of fetching."""
        return np.array([step.relevance for step in self.steps])

    @property
    def harvest_rate(self) -> float:
        """The mean relevance of all pages."""
        return float(self.relevance.mean()) if self.steps else 0.0

    def to_table(self) -> pa.Table:
        """One row per page, in the order of fetching."""
        return pa.Table.from_pylist([step._asdict() for step in self.steps], STEP_SCHEMA)

    def to_document(self) -> JsonObject:
        """The one JSON of a crawl; the score of a seed is null."""
        document: JsonObject = to_json_value(
            {
                "method": self.method,
                "topic": self.topic,
                "pages": len(self),
                "harvest_rate": self.harvest_rate,
                "waiting": self.waiting,
                "ended": self.ended,
                "failures": self.failures,
                "options": self.options,
                "provenance": self.provenance,
                "rows": [
                    {"place": place, **step._asdict()} for place, step in enumerate(self.steps, 1)
                ],
            }
        )
        return document

    def __iter__(self) -> Iterator[CrawlStep]:
        return iter(self.steps)

    def __getitem__(self, at: int) -> CrawlStep:
        return self.steps[at]

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        return (
            f"<Crawl of {pluralise(len(self), 'page')} by {self.method}: harvest rate"
            f" {self.harvest_rate:.2f}, {pluralise(self.waiting, 'URL')} waiting>"
        )


@dataclass(frozen=True, slots=True, eq=False)
class CrawlTask:
    """What to crawl: a web, seeds, a topic, how many pages, and which URLs are in scope.

    `on_page` gets each page as it is fetched, with its relevance. `runner` does the fetching,
    if that is not a loop over `web`.
    """

    web: Web
    seeds: tuple[str, ...]
    topic: CrawlTopic
    pages: int = 1000
    follow: Follow = lambda _url: True
    on_page: Callable[[Page, CrawlStep], None] = lambda _page, _step: None

    runner: "CrawlRunner | None" = None

    def run(self, strategy: Strategy, method: str) -> Crawl:
        """Crawl with a strategy until the pages are fetched or the frontier is empty."""
        if self.runner is not None:
            return self.runner(self, strategy, method)
        return CrawlLoop(self, strategy).run(method)


CrawlRunner = Callable[[CrawlTask, Strategy, str], Crawl]


class CrawlLoop:
    """A running crawl: takes the best URLs, fetches them, and lets the strategy score links."""

    def __init__(self, task: CrawlTask, strategy: Strategy) -> None:
        if not task.seeds:
            raise BadParameter("a crawl needs at least one seed", hint="give the URL of a page")
        self.task, self.strategy = task, strategy
        self.known, self.frontier = Known(), Frontier()
        self.failures: Counter[str] = Counter()
        self.steps: list[CrawlStep] = []
        self._digests: set[bytes] = set()
        seeds = [self.known.number(url, 0) for url in task.seeds]
        self.frontier.push(Scores(seeds, [SEED_SCORE] * len(seeds)))

    def run(self, method: str) -> Crawl:
        """Fetch until the pages are enough or nothing is left."""
        report, limit = listener.get(), self.task.pages
        while len(self.steps) < limit and self.frontier:
            batch: list[FetchedPage] = []
            size = min(self.strategy.batch_size, limit - len(self.steps))
            while self.frontier and len(batch) < size:
                number, score = self.frontier.pop()
                if (fetched := self._fetch(number, score)) is not None:
                    batch.append(fetched)
                    report("pages", len(self.steps), limit)
            for page in batch:
                if not self._is_copy(page.page):
                    self._apply(self.strategy.score(page, self.known))
        return Crawl(
            method,
            self.task.topic.name,
            tuple(self.steps),
            dict(self.failures.most_common()),
            len(self.frontier),
            "page limit" if self.frontier else "nothing left",
        )

    def _apply(self, scores: Scores) -> None:
        """Update the frontier; pages fetched again are scored if they have new links."""
        self.frontier.push(scores)
        for number in scores.revisit:
            page = self.task.web.fetch(self.known.urls[number]).page
            if page is None or self._is_copy(page):
                continue
            fetched = self.known.add(
                number, page, self.task.topic.relevance(page), self.task.follow
            )
            self.frontier.push(self.strategy.score(fetched, self.known)._replace(revisit=()))

    def _fetch(self, number: int, score: float) -> FetchedPage | None:
        """Fetch a URL and follow its redirects; none where that gives no new page."""
        found_at = number
        response = self.task.web.fetch(self.known.urls[number])
        for _ in range(MAX_REDIRECTS):
            location = response.headers.get("Location", "")
            if not location:
                break
            number = self.known.number(location, self.known.depth(found_at))
            if not self.task.follow(location) or not self.frontier.claim(number):
                self.failures["redirect to a page that was fetched or is out of scope"] += 1
                return None
            response = self.task.web.fetch(location)
        if response.page is None:
            self.failures[_failure(response)] += 1
            self.known.add_failure(self.known.urls[number])
            return None
        relevance = self.task.topic.relevance(response.page)
        parents = self.known.parents[found_at]
        fetched = self.known.add(number, response.page, relevance, self.task.follow)
        step = CrawlStep(
            self.known.urls[number],
            relevance,
            score,
            self.known.depth(number),
            self.known.urls[parents[0]] if parents else "",
            response.http_status,
        )
        self.steps.append(step)
        self.task.on_page(response.page, step)
        return fetched

    def _is_copy(self, page: Page) -> bool:
        """Whether a page with the same text and links was expanded before."""
        if not page.text:
            return False
        text = "\n".join([page.text, *(link.target for link in page.links)])
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        known = digest in self._digests
        self._digests.add(digest)
        return known


def _failure(response: Response) -> str:
    if response.refused:
        return f"refused: {response.refused}"
    return (
        "too many redirects" if response.headers.get("Location") else f"HTTP {response.http_status}"
    )
