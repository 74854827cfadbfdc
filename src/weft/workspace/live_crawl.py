"""Crawl the live web: a strategy scores what the engine fetches, the collection grows."""

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, starmap
from logging import getLogger
from pathlib import Path
from typing import Any, NamedTuple

from weft import __version__
from weft.core.errors import BadParameter, WeftError
from weft.core.memory import return_free_memory
from weft.crawl.crawl import Crawl, CrawlStep, CrawlTask, Known, Scores, Strategy
from weft.crawl.terms import DEFAULT_LANGUAGE
from weft.crawl.topic import CrawlTopic
from weft.crawl.url_table import NumberSet
from weft.crawl.web import SimulatedWeb, Web
from weft.gather.fetch.engine import (
    CrawlControl,
    CrawlEvent,
    FetchFailed,
    PageFetched,
    PageParsed,
    Progress,
    crawl,
    follows_links,
)
from weft.gather.fetch.engine import FetchedPage as LivePage
from weft.gather.fetch.frontier import Frontier, ScoredUrl, WaitingUrl
from weft.gather.fetch.frontier_status import frontier_errors
from weft.gather.fetch.render import find_browser, needs_browser
from weft.gather.fetch.settings import FetchSettings
from weft.gather.fetch.wacz_writer import write_wacz
from weft.gather.fetch.warc_writer import ArchivePosition, WarcWriter
from weft.gather.formats import expand_inputs, read_revisits
from weft.gather.html import ParseOptions, parse_page
from weft.gather.page import Page, Problems, RawPage
from weft.gather.revisits import RevisitIndex
from weft.gather.url import canonicalize_url
from weft.store.collection import Collection
from weft.workspace.analyse import find_registered
from weft.workspace.crawl import (
    CrawlPlan,
    TopicSource,
    find_topic,
    open_if_exists,
    split_training,
)
from weft.workspace.crawl_folder import (
    HARVEST_WINDOW,
    CrawlFolder,
    CrawlRequest,
    Outcome,
    StepLog,
    check_plan,
    scope_of,
)
from weft.workspace.ingest import add_pages, add_sources, capture_digest_and_size
from weft.workspace.parse import less_garbage_collection
from weft.workspace.parsed_pages import ParsedPageFile, ParsedPages

log = getLogger(__name__)
ARCHIVE = "archive"
FIRST_COMMIT_PAGES, COMMIT_GROWTH = 500, 1.25
FIRST_ERROR_STATUS, PAGE_LIMIT = 400, "page limit"
NEEDS_BROWSER = "looks empty without a browser"
MIN_RESCORED_SHARE = 0.4  # of the URLs that wait, above which all of them are written
REVISIT_SCORE = 1e6
SEED_WORTH = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class LiveCrawl:
    """A crawl into a collection: its plan, how to fetch, and where its files are."""

    folder: Path
    plan: CrawlPlan
    settings: FetchSettings

    @classmethod
    def start(cls, folder: Path, plan: CrawlPlan, given: Iterable[str] = ()) -> "LiveCrawl":
        """Begin a crawl, or go on with the one that the folder has, with its plan.

        What is given for a crawl that exists replaces its limits; seeds are added to it.
        `given` names settings that count even if they are the default.
        Nothing is written before `run`.
        """
        files = CrawlFolder(folder)
        if files.has_crawl:
            stored = files.read_plan()
            for address in set(stored.allow_private) - set(plan.allow_private):
                raise BadParameter(
                    f"the crawl of {folder} may open the private address {address}",
                    hint=f"allow it again: --allow-private {address}, or allow_private=",
                )
            plan = stored.continued_by(plan, given)
        return cls.from_plan(folder, plan)

    @classmethod
    def from_plan(cls, folder: Path, plan: CrawlPlan) -> "LiveCrawl":
        """A crawl with exactly this plan, which is checked."""
        check_plan(plan)
        if plan.render:
            find_browser()
        settings = FetchSettings(
            plan.contact,
            delay=plan.delay,
            minutes=plan.minutes,
            size=plan.size,
            allow_private=plan.allow_private,
            render=plan.render,
        )
        return cls(folder, plan, settings)

    @property
    def archive(self) -> Path:
        """The folder of the WARC files."""
        return self.folder / ARCHIVE

    @property
    def files(self) -> CrawlFolder:
        """The files of the crawl beside its archive."""
        return CrawlFolder(self.folder)

    def run(
        self,
        listen: Callable[[CrawlEvent], None] = lambda _: None,
        control: CrawlControl | None = None,
    ) -> Crawl:
        """Fetch until a limit is reached, nothing is left, or the crawl is stopped."""
        plan = self.plan
        method = find_registered("crawl", plan.method)
        examples = plan.source.examples
        existing = open_if_exists(self.folder)
        source, to_fetch = split_training(replace(plan.source, examples=()), existing)
        to_fetch |= dict.fromkeys(examples, True)
        topic = _captured_topic(source, existing)
        learns_from_seeds = not topic.is_given and not to_fetch
        if learns_from_seeds or to_fetch:
            topic = CrawlTopic(topic.name, topic.examples, topic.others, awaits_examples=True)
        if existing is None:
            add_pages(self.folder, (), "crawl", ParseOptions())
        files = self.files
        files.path.mkdir(exist_ok=True)
        with (
            frontier_errors(files.frontier),
            Frontier(files.frontier, scope_of(plan)) as frontier,
            WarcWriter(self.archive, plan.to_json(), resume_at=frontier.archived) as archive,
        ):
            files.begin_run()
            files.write_plan(plan)
            self._add_seeds(frontier, to_fetch)
            wanted = dict.fromkeys(plan.seeds, True) if learns_from_seeds else to_fetch
            runner = LiveRunner(self, frontier, archive, wanted, listen, control or CrawlControl())
            web = _examined_web(plan.source, existing)
            task = CrawlTask(web, plan.seeds, topic, plan.pages, runner=runner)
            result: Any = method(task, **plan.options)
            files.end_run(Outcome(result.ended))
        if plan.wacz:
            archives = sorted(self.archive.glob("*.warc.gz"))
            write_wacz(self.folder / f"{self.folder.stem}.wacz", archives, self.folder.stem)
        crawled: Crawl = replace(result, provenance=self._provenance())
        return crawled

    def _add_seeds(self, frontier: Frontier, examples: Iterable[str]) -> None:
        """Enqueue what the plan begins with, and apply its scope to what waits."""
        frontier.add_seeds(self.plan.seeds, SEED_WORTH)
        frontier.add_seeds(examples, are_examples=True)
        frontier.update_scope(self.settings.allow_private)

    def _provenance(self) -> dict[str, Any]:
        return {
            "collection": str(self.folder),
            **self.plan.to_json(),
            "weft": __version__,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
        }


def _captured_topic(source: TopicSource, collection: Collection | None) -> CrawlTopic:
    """The topic as far as it is known before the crawl; training pages may all be missing."""
    if source.class_ and source.class_ not in source.train.values():
        others = CrawlTopic(source.topic or source.class_)
        web = SimulatedWeb(collection) if collection is not None else None
        for page in (web.fetch(url).page for url in source.train) if web is not None else ():
            if page is not None:
                others.add_other(page)
        return others
    return find_topic(source, SimulatedWeb(collection) if collection is not None else None)


def _examined_web(source: TopicSource, existing: Collection | None) -> Web:
    """Where a strategy may look for pages and in-links before the crawl.

    In the collection that the topic is from, or else in that of the crawl.
    """
    if source.like is not None:
        return SimulatedWeb(Collection.open(Path(source.like[0])))
    return SimulatedWeb(existing) if existing is not None else NoWeb()


class NoWeb:
    """The web of a live crawl before its first page: its engine fetches, so nothing else does."""

    def fetch(self, url: str) -> Any:
        """Refuse; strategies that fetch on their own cannot crawl the live web."""
        raise WeftError(f"{url} cannot be fetched out of turn", hint="choose another strategy")


class Discovery(NamedTuple):
    """How a crawl came to a page: its score, its links from a seed, the page that links to it."""

    score: float
    depth: int
    parent: str


class LiveRunner:
    """Joins engine and strategy: pages go to the strategy, its scores to the frontier."""

    def __init__(
        self,
        live: LiveCrawl,
        frontier: Frontier,
        archive: WarcWriter,
        examples: Mapping[str, bool],
        listen: Callable[[CrawlEvent], None],
        control: CrawlControl,
    ) -> None:
        self.live, self.frontier, self.archive = live, frontier, archive
        # by URL, whether it is on the topic
        self.examples = {canonicalize_url(url) or url: on for url, on in examples.items()}
        self.listen, self.control = listen, control
        self.known = Known()
        self.steps: list[CrawlStep] = []
        self.http_errors: Counter[str] = Counter()
        self.scored = NumberSet()
        self.earlier_pages = 0
        self._request: CrawlRequest = ""

    def __call__(self, task: CrawlTask, strategy: Strategy, method: str) -> Crawl:
        """Run the engine; pages of an earlier run are shown to the strategy first."""
        plan = self.live.plan
        earlier = self._replay(task.topic, strategy)
        self.earlier_pages = len(self.steps)
        failures: Counter[str] = Counter()
        ended = PAGE_LIMIT
        with (
            less_garbage_collection(),
            CollectionGrower(
                self.live.folder, self.archive, len(self.steps), self.live.settings.parse_options
            ) as grower,
            StepLog(self.live.files, earlier) as step_log,
        ):

            def listen(event: CrawlEvent) -> None:
                if isinstance(event, PageParsed):
                    grower.keep(event)
                else:
                    self._listen(event)

            def visit(live: LivePage) -> Iterable[ScoredUrl]:
                fetched = len(self.steps)
                found = Discovery(live.score, live.depth, live.parent)
                scores = self._take(task.topic, strategy, live.page, found)
                step_log.extend(self.steps[fetched:])
                grower.grow(len(self.steps))
                if needs_browser(live.raw, live.page):
                    failures[NEEDS_BROWSER] += 1
                return self._to_frontier(scores, self.known.urls.find(live.page.url))

            # more than once, since pages that are fetched again count for the engine
            while ended == PAGE_LIMIT and len(self.steps) < plan.pages:
                summary = crawl(
                    self.frontier,
                    self.archive,
                    visit,
                    settings=replace(
                        self.live.settings,
                        pages=plan.pages - len(self.steps),
                        worth_of_urls=partial(_worth_by_words, task.topic),
                    ),
                    listen=listen,
                    control=self.control,
                )
                failures += summary.refused + summary.failed
                ended = summary.ended
        failures += self.http_errors + self.frontier.refusals.counts
        return Crawl(
            method,
            task.topic.name,
            tuple(self.steps),
            dict(failures.most_common()),
            self.frontier.counts.waiting,
            ended=ended,
        )

    def _listen(self, event: CrawlEvent) -> None:
        """Count responses that are errors, look for requests, and pass the event on."""
        if isinstance(event, PageFetched) and event.status >= FIRST_ERROR_STATUS:
            self.http_errors[f"HTTP {event.status}"] += 1
            self.known.add_failure(event.url)
        elif isinstance(event, FetchFailed):
            self.known.add_failure(event.url)
        elif isinstance(event, Progress):
            self._obey(self.live.files.request)
            last = [step.relevance for step in self.steps[-HARVEST_WINDOW:]]
            event = event._replace(
                earlier_pages=self.earlier_pages,
                harvest_rate=sum(last) / len(last) if last else None,
            )
        self.listen(event)

    def _obey(self, request: CrawlRequest) -> None:
        """Do what another process asks for, once."""
        if request != self._request:
            self._request = request
            control = self.control
            {"": control.resume, "pause": control.pause, "stop": control.stop}[request]()

    def _replay(self, topic: CrawlTopic, strategy: Strategy) -> list[tuple[CrawlStep, float]]:
        """Show the pages of earlier runs to the strategy; their steps, with their times.

        Relevance is computed anew, by the topic of this run; scores, parents and times
        are those of the log.
        """
        rows = {row["url"]: row for row in self.live.files.read_log().to_pylist()}
        unknown = {"score": 0.0, "depth": 0, "parent": "", "time": 0.0}
        copies = self.frontier.copies() if self.frontier.has_new_scope else set()
        latest: dict[int, float] = {}
        followed: set[int] = set()
        for page in self._archived_pages():
            row = rows.get(page.url, unknown)
            found = Discovery(row["score"], row["depth"], row["parent"])
            scores = self._take(topic, strategy, page, found)
            if self.frontier.has_new_scope:
                for number, value in zip(scores.numbers, scores.values, strict=True):
                    known = value if scores.replace else max(value, latest.get(number, value))
                    latest[number] = known
                if follows_links(page) and page.url not in copies:
                    own = set(self.known.out_links[self.known.urls.find(page.url)].tolist())
                    followed.update(n for n in scores.numbers if n in own or n not in self.scored)
            self.scored.update(scores.numbers)
        self._add_again({number: latest[number] for number in followed})
        place = {url: k for k, url in enumerate(rows)}
        self.steps.sort(key=lambda step: place.get(step.url, len(place)))
        return [(step, rows.get(step.url, unknown)["time"]) for step in self.steps]

    def _add_again(self, scores: dict[int, float]) -> None:
        """Enqueue links of pages of earlier runs, as far as they are in the new scope."""
        known = self.known
        links: dict[int, list[ScoredUrl]] = {}
        for number, score in sorted(scores.items()):
            if not known.is_fetched(number) and known.parents.count(number):
                parent = min(known.parents[number], key=known.depth)
                links.setdefault(parent, []).append(ScoredUrl(known.urls[number], score))
        for parent, found in links.items():
            self.frontier.add(found, depth=known.depth(parent) + 1, parent=known.urls[parent])

    def _take(
        self, topic: CrawlTopic, strategy: Strategy, page: Page, found: "Discovery"
    ) -> Scores:
        """Record a page and let the strategy score URLs."""
        number = self.known.number(page.url, found.depth)
        if self.examples:
            on_topic = self.examples.get(self.frontier.redirected_from(page.url))
            if on_topic is not None:
                (topic.add_example if on_topic else topic.add_other)(page)
        relevance = topic.relevance(page)
        is_revisit = self.known.is_fetched(number)
        fetched = self.known.add(number, page, relevance, lambda _url: True)
        step = CrawlStep(page.url, relevance, *found, page.status)
        if not is_revisit:
            self.steps.append(step)
        return strategy.score(fetched, self.known)

    def _to_frontier(self, scores: Scores, page: int) -> list[ScoredUrl]:
        """Scores as the frontier takes them: to enqueue, to replace, and pages to visit again.

        Enqueued are the links of this page, and what was never scored before; the rest
        is in the frontier, or was refused.
        """
        urls, own = self.known.urls, set(self.known.out_links[page].tolist())
        new: list[ScoredUrl] = []
        old: dict[str, float] = {}
        for number, value in zip(scores.numbers, scores.values, strict=True):
            if number in own or number not in self.scored:
                new.append(ScoredUrl(urls[number], value))
            if scores.replace and number in self.scored:
                old[urls[number]] = value
        self.scored.update(scores.numbers)
        if old and len(old) > self.frontier.counts.waiting * MIN_RESCORED_SHARE:
            self.frontier.rescore(partial(_look_up_scores, old))
        elif old:
            self.frontier.replace_scores(starmap(ScoredUrl, old.items()))
        if scores.revisit:
            self.frontier.revisit((urls[number] for number in scores.revisit), REVISIT_SCORE)
        return new

    def _archived_pages(self) -> Iterator[Page]:
        """The pages that were fetched before; copies of others, stored as revisits, last."""
        problems, options, revisits = Problems(), self.live.settings.parse_options, RevisitIndex()
        archives = [str(path) for path in sorted(self.live.archive.glob("*.warc.gz"))]
        sources = [source for path in archives for source in expand_inputs(path)]
        first = (raw for each in sources for raw in each.read_pages(options, problems, revisits))
        last: Page | None = None
        for raw in chain(first, read_revisits(revisits, options, problems)):
            page = parse_page(raw, options, problems) if isinstance(raw, RawPage) else raw
            if page.kind == "captured":
                # A page that was rendered comes twice in a row, first without its scripts.
                if last is not None and last.url != page.url:
                    yield last
                last = page
        if last is not None:
            yield last


def _worth_by_words(topic: CrawlTopic, urls: Sequence[str]) -> list[float]:
    """The similarity of each URL to the topic, by its words; that of a seed without a topic."""
    if not urls or not topic.has_words:
        return [SEED_WORTH] * len(urls)
    similarities: list[float] = topic.url_similarities(urls, DEFAULT_LANGUAGE).tolist()
    return similarities


def _look_up_scores(found: dict[str, float], batch: Iterable[WaitingUrl]) -> list[float]:
    return [found.get(url.url, url.score) for url in batch]


class CollectionGrower:
    """Adds the archive to the collection while the crawl goes on, in a thread of its own.

    After 500 pages, then each time the pages have grown by a quarter, and at the end. Pages
    that the crawl has parsed wait in a file, and are not parsed again.
    """

    def __init__(self, folder: Path, writer: WarcWriter, pages: int, options: ParseOptions) -> None:
        self.folder, self.writer, self.options = folder, writer, options
        self.next_at = max(FIRST_COMMIT_PAGES, COMMIT_GROWTH * pages)
        self._pool = ThreadPoolExecutor(1)
        self._running: Future[Any] | None = None
        self._parsed = ParsedPageFile(CrawlFolder(folder).path)

    def keep(self, parsed: PageParsed) -> None:
        """Keep a page for the next time that the archive is added."""
        capture, _ = capture_digest_and_size(parsed.raw)
        self._parsed.add(capture, parsed.page, parsed.problems)

    def grow(self, pages: int) -> None:
        """Add what was fetched so far, if it is time and nothing is being added.

        Where that fails, since another writer has the collection, it is tried again later.
        """
        if self._running is not None and self._running.done():
            error = self._running.exception()
            if error is not None and not isinstance(error, WeftError):
                raise error
            if error is not None:
                log.info("not added yet: %s", error)
            self._running = None
        if pages >= self.next_at and self._running is None:
            self.next_at = COMMIT_GROWTH * pages
            self._running = self._pool.submit(self._add, self._take_parsed(), self.writer.position)

    def _take_parsed(self) -> ParsedPageFile:
        """The pages parsed so far, which are all of those archived so far, if they fitted."""
        pages, self._parsed = self._parsed, ParsedPageFile(CrawlFolder(self.folder).path)
        return pages

    def _add(self, pages: ParsedPageFile, end: ArchivePosition) -> None:
        """Add the archive up to an end."""
        with closing(pages):
            pages.flush()
            sources = [
                source
                for path in sorted(self.writer.folder.glob("*.warc.gz"))
                for source in expand_inputs(str(path))
            ]
            if sources:
                gc.collect()  # the bodies of pages may be in cycles, of which few are worth a run
                return_free_memory()
                parsed = ParsedPages(pages, self.writer.folder / end.name, end.length)
                add_sources(self.folder, sources, self.options, workers=1, parsed=parsed)

    def __enter__(self) -> "CollectionGrower":
        return self

    def __exit__(self, *_exc: object) -> None:
        self._pool.shutdown(wait=True)
        self._add(self._parsed, self.writer.position)
