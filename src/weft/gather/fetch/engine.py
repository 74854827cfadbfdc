"""The engine of a crawl: from the frontier to the downloader, and from there to the archive.

A redirect is not followed: its target is a URL of its own, which passes frontier, robots rules and
address guard like any other.
"""

import asyncio
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from weft.gather.fetch.address_guard import (
    AddressGuard,
    AddressRefused,
    has_credentials,
    host_and_port,
    origin,
)
from weft.gather.fetch.downloader import Downloader, FailedFetch, Unreachable
from weft.gather.fetch.feeds import is_sitemap_index, read_feed
from weft.gather.fetch.frontier import (
    MAX_IN_FLIGHT,
    Capture,
    Claim,
    Content,
    Frontier,
    ScoredUrl,
)
from weft.gather.fetch.near_duplicates import page_shingles
from weft.gather.fetch.render import MAX_REDIRECTS, Renderer, RenderFailed, needs_browser
from weft.gather.fetch.robots import MAX_ROBOTS_BYTES, RobotsCache, RobotsFile, RobotsRules
from weft.gather.fetch.scope import FETCHED_SCHEMES
from weft.gather.fetch.settings import AGENT, FetchSettings
from weft.gather.fetch.warc_writer import Exchange, Rendering, WarcWriter
from weft.gather.html import parse_page
from weft.gather.http import HttpResponse, dechunk_and_decompress
from weft.gather.page import Page, Problems, RawPage
from weft.gather.url import canonicalize_url, domain, host, resolve_url

POLL_SECONDS = 0.25
PROGRESS_SECONDS = 1.0
STOP_SECONDS = 5.0
MIN_DUPLICATE_CHARS = 200
UNDECODED_BYTE = re.compile("[\udc80-\udcff]")  # as `surrogateescape` writes it


class FetchedPage(NamedTuple):
    """A page as it was fetched: raw, parsed, and how the crawl came to it.

    The links of a `duplicate` are not enqueued: another page had the same text, or
    nearly the same.
    """

    raw: RawPage
    page: Page
    score: float
    depth: int
    parent: str
    duplicate: bool


class PageFetched(NamedTuple):
    """A response arrived and was archived; `size` is that of its body in bytes."""

    url: str
    status: int
    size: int
    score: float
    depth: int


class UrlRefused(NamedTuple):
    """A URL was not fetched, for a reason such as `robots.txt` or `private address`."""

    url: str
    reason: str


class FetchFailed(NamedTuple):
    """A URL could not be fetched, also not after retries."""

    url: str
    reason: str


class Progress(NamedTuple):
    """Where a run of a crawl stands; sent every second.

    The harvest rate is the mean relevance of the last hundred pages, where someone judges it.
    """

    pages: int
    size: int
    seconds: float
    waiting: int
    hosts: int
    in_flight: int
    earlier_pages: int = 0
    harvest_rate: float | None = None


class PageParsed(NamedTuple):
    """An archived page was parsed, an error page too, with what the parser had to report."""

    raw: RawPage
    page: Page
    problems: Problems


class ReadPage(NamedTuple):
    """What a response was parsed to; if it was rendered, also without that."""

    parsed: PageParsed | None = None
    rendering: Rendering | None = None
    without: PageParsed | None = None

    @property
    def page(self) -> Page:
        """The page that counts."""
        assert self.parsed is not None
        return self.parsed.page


CrawlEvent = PageFetched | PageParsed | UrlRefused | FetchFailed | Progress
Visit = Callable[[FetchedPage], Iterable[ScoredUrl]]


class CrawlControl:
    """Pause, resume and stop a crawl, from another thread or a signal handler."""

    def __init__(self) -> None:
        self._stopped, self._paused = threading.Event(), threading.Event()

    def stop(self) -> None:
        """End the crawl within a few seconds; it can be continued later."""
        self._stopped.set()

    def pause(self) -> None:
        """Fetch nothing new until `resume`."""
        self._paused.set()

    def resume(self) -> None:
        """Go on after `pause`."""
        self._paused.clear()

    @property
    def is_stopped(self) -> bool:
        """Whether the crawl was told to stop."""
        return self._stopped.is_set()

    @property
    def is_paused(self) -> bool:
        """Whether the crawl was told to pause."""
        return self._paused.is_set()


@dataclass(slots=True)
class CrawlSummary:
    """What a crawl did: pages, bytes, refusals and failures by reason, and why it ended."""

    pages: int = 0
    size: int = 0
    seconds: float = 0.0
    refused: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    problems: Problems = field(default_factory=Problems)
    ended: str = ""


def crawl(
    frontier: Frontier,
    archive: WarcWriter,
    visit: Visit,
    *,
    settings: FetchSettings,
    listen: Callable[[CrawlEvent], None] = lambda _: None,
    control: CrawlControl | None = None,
) -> CrawlSummary:
    """Fetch until the frontier is empty, a limit is reached or the crawl is stopped.

    Ctrl-C stops it like `control.stop()`, a second one interrupts it.
    """
    job = CrawlJob(frontier, archive, visit, settings, listen, control or CrawlControl())
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(job.run())
    # In a notebook, whose thread has a loop of its own.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, job.run()).result()


class CrawlJob:
    """One run of a crawl: takes URLs from the frontier until there is a reason to end."""

    def __init__(
        self,
        frontier: Frontier,
        archive: WarcWriter,
        visit: Visit,
        settings: FetchSettings,
        listen: Callable[[CrawlEvent], None],
        control: CrawlControl,
    ) -> None:
        self._settings, self._options = settings, settings.parse_options
        self._guard = AddressGuard(settings.allow_private, settings.lookup)
        self._frontier, self._archive, self._visit = frontier, archive, visit
        self._listen, self._control = listen, control
        self._robots = RobotsCache(frontier.database, AGENT)
        self._summary = CrawlSummary()
        self._tasks: dict[asyncio.Task[None], Claim] = {}
        self._started = self._reported = time.monotonic()
        self._error: BaseException | None = None
        self._downloader = Downloader(settings, self._guard)
        self._renderer = Renderer(settings.max_body_bytes) if settings.render else None

    async def run(self) -> CrawlSummary:
        """Fetch until there is a reason to end."""
        if threading.current_thread() is threading.main_thread():
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._interrupt)
        await self._downloader.run(self._fetch_all)
        self._summary.seconds = time.monotonic() - self._started
        if self._error is not None:
            raise self._error
        return self._summary

    def _interrupt(self) -> None:
        asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
        self._control.stop()

    async def _fetch_all(self) -> None:
        """Keep fetches running until the crawl ends."""
        try:
            while not (ended := self._reason_to_end()):
                claim = self._frontier.pop(time.monotonic()) if self._may_pop() else None
                if claim is not None:
                    self._tasks[asyncio.create_task(self._fetch(claim))] = claim
                await self._wait(0.0 if claim is not None else self._seconds_to_wait())
            self._summary.ended = ended
            if self._tasks:
                await self._wait(STOP_SECONDS, asyncio.ALL_COMPLETED)
        except Exception as error:  # noqa: BLE001  Scrapy would log it and go on
            self._error = error
        finally:
            for task, claim in self._tasks.items():
                if not task.done() or task.exception() is not None:
                    task.cancel()
                    self._frontier.requeue(claim)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._renderer is not None:
            await self._renderer.close()
        self._report()

    def _may_pop(self) -> bool:
        limit, in_flight = self._settings.pages, len(self._tasks)
        is_within_limit = not limit or self._summary.pages + in_flight < limit
        return is_within_limit and in_flight < MAX_IN_FLIGHT and not self._control.is_paused

    def _reason_to_end(self) -> str:
        settings, summary = self._settings, self._summary
        minutes = (time.monotonic() - self._started) / 60
        reasons = {
            "stopped": self._control.is_stopped,
            "page limit": settings.pages and summary.pages >= settings.pages,
            "time limit": settings.minutes and minutes >= settings.minutes,
            "size limit": settings.size and summary.size >= settings.size,
            "nothing left": not self._tasks and self._frontier.is_empty,
        }
        return next((reason for reason, holds in reasons.items() if holds), "")

    def _seconds_to_wait(self) -> float:
        ready_at = self._frontier.next_ready()
        if ready_at is None or not self._may_pop():
            return POLL_SECONDS
        return min(POLL_SECONDS, max(0.001, ready_at - time.monotonic()))

    async def _wait(self, seconds: float, until: str = asyncio.FIRST_COMPLETED) -> None:
        """Wait for fetches; an error in one of them, which is a bug, ends the crawl."""
        if time.monotonic() - self._reported >= PROGRESS_SECONDS:
            self._report()
        if not self._tasks:
            await asyncio.sleep(seconds)
            return
        done, _ = await asyncio.wait(self._tasks, timeout=seconds, return_when=until)
        for task in done:
            del self._tasks[task]
            task.result()

    def _report(self) -> None:
        self._reported = time.monotonic()
        counts, summary = self._frontier.counts, self._summary
        seconds = self._reported - self._started
        self._listen(
            Progress(
                summary.pages,
                summary.size,
                seconds,
                counts.waiting,
                counts.hosts,
                counts.in_flight,
            )
        )

    async def _fetch(self, claim: Claim) -> None:
        """Fetch a claimed URL, and say when its server may be asked again."""
        server, rest = "", 0.0
        try:
            server = await self._resolve(claim.url)
            if not self._frontier.join_group(claim, server):
                return  # the claim is back in the queue, and the server with another fetch
            exchange = await self._fetch_page(claim, server)
            self._store(claim, exchange, await self._read_page(exchange))
        except AddressRefused as refused:
            self._refuse(claim, str(refused))
        except Unreachable as failure:
            rest = self._frontier.postpone(claim, str(failure), self._settings.backoff)
            if not rest:
                self._fail(claim, str(failure))
        except FailedFetch as failure:
            self._frontier.refuse(claim, str(failure))
            self._fail(claim, str(failure))
        ready_at = time.monotonic() + rest if rest else self._downloader.ready_at(server)
        self._frontier.release(claim, ready_at)

    async def _resolve(self, url: str) -> str:
        """The first address of a URL's host: hosts that share it share a server."""
        try:
            async with asyncio.timeout(self._settings.deadline):
                return min(await self._guard.resolve(*host_and_port(url)))
        except (OSError, ValueError) as error:
            raise Unreachable("name not found") from error

    async def _fetch_page(self, claim: Claim, server: str) -> Exchange:
        """Fetch a URL as the robots rules allow.

        A redirect to another spelling of the same page, such as `/index.html`, is
        followed here, since the frontier holds one URL for both.
        """
        url = claim.url
        for _ in range(self._frontier.scope.max_redirects):
            rules = await self._rules(url)
            if rules.unreachable:
                raise Unreachable(f"robots.txt: HTTP {rules.status}")
            if reason := rules.refusal(url):
                raise AddressRefused(reason)
            self._downloader.raise_delay(server, rules.crawl_delay)
            exchange = await self._download(url, server, self._settings.max_body_bytes)
            # Once more, since AutoThrottle lowers it after a quick answer.
            self._downloader.raise_delay(server, rules.crawl_delay)
            target = redirect_target(exchange)
            is_same = canonicalize_url(target) == claim.url and origin(target) == origin(url)
            if not is_same or target == url or has_credentials(target):
                return exchange
            self._archive.write_exchange(exchange, {"score": claim.score})
            url = target
        raise FailedFetch("too many redirects")

    async def _rules(self, url: str) -> RobotsRules:
        """The robots rules of a URL's origin."""
        site = origin(url)
        if (rules := self._robots.find(site, time.time())) is not None:
            return rules

        async def fetch(robots_url: str) -> RobotsFile:
            try:
                where = await self._resolve(robots_url)
                exchange = await self._download(robots_url, where, 2 * MAX_ROBOTS_BYTES)
            except (AddressRefused, FailedFetch) as error:
                raise Unreachable(f"robots.txt: {error}") from error
            if exchange.truncated == "time":  # the rules that are missing may forbid anything
                raise Unreachable("robots.txt: took too long")
            encodings = exchange.header("content-encoding")
            body, _, _ = dechunk_and_decompress(exchange.body, "", encodings, MAX_ROBOTS_BYTES)
            return RobotsFile(exchange.status, body, exchange.header("location"))

        return await self._robots.fetch(site, fetch, time.time())

    async def _download(self, url: str, server: str, max_bytes: int) -> Exchange:
        exchange = await self._downloader.download(url, server, max_bytes)
        self._summary.size += len(exchange.body)
        return exchange

    def _fail(self, claim: Claim, reason: str) -> None:
        self._summary.failed[reason] += 1
        self._listen(FetchFailed(claim.url, reason))

    def _refuse(self, claim: Claim, reason: str) -> None:
        self._frontier.refuse(claim, reason)
        self._summary.refused[reason] += 1
        self._listen(UrlRefused(claim.url, reason))

    async def _read_page(self, exchange: Exchange) -> "ReadPage":
        """Parse a response; a page that is empty without scripts is rendered, if that is asked."""
        if is_redirect(exchange) or (raw := self._raw_page(exchange)) is None:
            return ReadPage()
        found = self._parse(raw)
        if self._renderer is None or raw.status >= 400 or not needs_browser(raw, found.page):
            return found
        try:
            html = await self._renderer.render(
                exchange, raw.body, partial(self._fetch_for_browser, exchange.url)
            )
        except RenderFailed as failure:
            self._summary.failed[str(failure)] += 1
            return found
        body = html.encode("utf-8", "replace")[: self._settings.max_body_bytes]
        # Later than the page that it replaces: of several captures, the latest counts.
        moment = max(int(time.time()), exchange.time + 1)
        rendered = Rendering(exchange.url, moment, body, f"Chromium {self._renderer.version}")
        raw = replace(raw, body=body, time=moment, mime="text/html", charset="utf-8")
        return self._parse(raw)._replace(rendering=rendered, without=found.parsed)

    async def _fetch_for_browser(self, page: str, url: str) -> Exchange:
        """Fetch what a page in the browser asks for, by the rules for pages."""
        for _ in range(MAX_REDIRECTS):
            if not url.startswith(FETCHED_SCHEMES) or has_credentials(url):
                raise AddressRefused("neither http nor https")
            rules = await self._rules(url)
            if rules.unreachable or rules.refusal(url):
                raise AddressRefused("robots.txt")
            where = await self._resolve(url)
            self._downloader.raise_delay(where, rules.crawl_delay)
            exchange = await self._download(url, where, self._settings.max_body_bytes)
            self._archive.write_exchange(exchange, {"via": page})
            if not (target := redirect_target(exchange)):
                return exchange
            url = target
        raise FailedFetch("too many redirects")

    def _store(self, claim: Claim, exchange: Exchange, found: "ReadPage") -> None:
        """Archive a response, hand its page on, and commit both with the links to follow."""
        frontier, payload = self._frontier, exchange.payload_digest
        first = frontier.first_capture(payload) if exchange.body else None
        metadata: dict[str, object] = {"score": claim.score, "hopsFromSeed": claim.depth}
        if parent := frontier.url_of(claim.parent):
            metadata["via"] = parent
        self._archive.write_exchange(
            exchange, metadata, first_capture=first, rendering=found.rendering
        )
        for parsed in filter(None, (found.without, found.parsed)):
            self._listen(parsed)
        links: Sequence[ScoredUrl] = ()
        content = Content(payload, Capture(exchange.url, exchange.time))
        if target := canonicalize_url(redirect_target(exchange)):
            links = [ScoredUrl(target, claim.score)]
        elif found.parsed is None:
            links = self._listed_urls(claim, exchange)
        elif (page := found.page).kind == "error":
            frontier.count_failure(f"HTTP {exchange.status}")
        else:
            raw = found.parsed.raw
            is_old = first is not None and found.rendering is None
            content = self._compare_content(claim, page, content, is_old=is_old)
            fetched = FetchedPage(raw, page, claim.score, claim.depth, parent, content.is_copy)
            links = self._visit_page(claim, fetched)
            if not page.links and not content.is_copy:  # many feeds say that they are HTML
                links = [*links, *self._listed_urls(claim, exchange)]
            self._summary.pages += 1
        frontier.finish(
            claim,
            links,
            is_redirect=bool(target),
            archived=self._archive.position,
            content=content,
        )
        size = len(exchange.body)
        self._listen(PageFetched(claim.url, exchange.status, size, claim.score, claim.depth))

    def _parse(self, raw: RawPage) -> "ReadPage":
        problems = Problems()
        page = parse_page(raw, self._options, problems)
        self._summary.problems.merge(problems)
        return ReadPage(PageParsed(raw, page, problems))

    def _compare_content(
        self, claim: Claim, page: Page, content: Content, *, is_old: bool
    ) -> Content:
        """Whether a page is a copy of another, and what its copies are recognised by."""
        content = content._replace(is_copy=is_old)
        if len(page.text) < MIN_DUPLICATE_CHARS:
            return content
        content = content._replace(text=page.text)
        if not self._frontier.is_new_text(page.text):
            return content._replace(is_copy=True)
        shingles = page_shingles(page)
        if self._frontier.near_duplicates(claim, shingles):
            return content._replace(is_copy=True)
        return content._replace(shingles=shingles)

    def _visit_page(self, claim: Claim, fetched: FetchedPage) -> Sequence[ScoredUrl]:
        """Ask for the worth of a page's links; those of duplicates are not followed."""
        page, links = fetched.page, list(self._visit(fetched))
        if fetched.duplicate or not follows_links(page):
            links = []
        same = (url for url in (page.redirect, page.canonical) if url and url != claim.url)
        links += [ScoredUrl(url, claim.score) for url in same if domain(url) == domain(claim.url)]
        return links

    def _listed_urls(self, claim: Claim, exchange: Exchange) -> Sequence[ScoredUrl]:
        """The URLs of a sitemap or feed, each worth as much as the list, unless that is a seed.

        The sitemaps that a seed lists of its own site are in scope as it is.
        """
        if exchange.status != 200:
            return ()
        encodings, limit = exchange.header("content-encoding"), self._settings.max_body_bytes
        body, _, _ = dechunk_and_decompress(exchange.body, "", encodings, limit)
        listed = [form for url in read_feed(exchange.url, body) if (form := canonicalize_url(url))]
        worth = None if claim.depth or is_sitemap_index(body) else self._settings.worth_of_urls
        scores = worth(listed) if worth is not None else [claim.score] * len(listed)
        links = list(map(ScoredUrl, listed, scores))
        if claim.depth or claim.parent or not is_sitemap_index(body):
            return links
        site = host(claim.url)
        self._frontier.add_sitemaps(claim, [link for link in links if host(link.url) == site])
        return [link for link in links if host(link.url) != site]

    def _raw_page(self, exchange: Exchange) -> RawPage | None:
        headers = {name.lower(): value for name, value in reversed(exchange.headers)}
        response = HttpResponse(
            exchange.url,
            exchange.time,
            exchange.status,
            headers.get("content-type", ""),
            exchange.body,
            bool(exchange.truncated),
        )
        return response.to_raw_page(
            lambda name: headers.get(name.lower()), self._options, self._summary.problems
        )


def follows_links(page: Page) -> bool:
    """Whether a page lets crawlers follow its links."""
    return "nofollow" not in page.robots and "none" not in page.robots


def is_redirect(exchange: Exchange) -> bool:
    """Whether a response leads elsewhere, if only to what is no URL."""
    return 300 <= exchange.status < 400 and bool(exchange.header("location"))


def redirect_target(exchange: Exchange) -> str:
    """The URL that a response redirects to, or nothing.

    Bytes that are no UTF-8 go back to the server as they came.
    """
    if not is_redirect(exchange):
        return ""
    location = UNDECODED_BYTE.sub(
        lambda byte: f"%{ord(byte[0]) & 0xFF:02X}", exchange.header("location")
    )
    return resolve_url(exchange.url, location)
