"""Time and memory of the frontier: insertions, pops, raised scores, re-scoring, reopening.

    python -m benchmarks.frontier [--urls 10000000] [--hosts 20000] [--folder DIR]
    python -m benchmarks.frontier --known 1000000

Prints rates for every tenth of the URLs, and the peak memory of the process, which must stay
under 1 GB for ten million URLs. With `--known`, prints what a running crawl keeps in memory for
each URL beside the frontier.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from benchmarks.measure import peak
from weft.crawl.auto import LinkModel
from weft.crawl.crawl import CrawlTask, Known
from weft.crawl.topic import CrawlTopic
from weft.gather.fetch.frontier import Claim, Frontier, ScoredUrl
from weft.gather.fetch.scope import Scope
from weft.gather.page import Link, Page
from weft.workspace.live_crawl import NoWeb

BATCH = 100
POPS = 20_000


def main() -> None:
    """Fill a frontier, then use it as a crawl does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--hosts", type=int, default=20_000)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--known", type=int, default=0)
    options = parser.parse_args()
    if options.known:
        learn(options.known, options.hosts)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "frontier.sqlite"
        with Frontier(path, Scope()) as frontier:
            fill(frontier, options.urls, options.hosts)
            pop(frontier, options.urls, options.hosts)
            started = time.perf_counter()
            count = frontier.rescore(lambda batch: [url.id % 1000 / 1000 for url in batch])
            row("re-score all waiting", count, time.perf_counter() - started)
        started = time.perf_counter()
        with Frontier(path, Scope()) as frontier:
            row("reopen", frontier.counts.waiting, time.perf_counter() - started)
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        print(f"{'size on disk':<34}{size / 1e6:>12,.0f} MB")
        print(f"{'peak memory':<34}{peak():>12,.0f} MB")


def learn(urls: int, hosts: int) -> None:
    """Print the memory of what strategies know of each URL, and of what `auto` adds to it."""
    topic = CrawlTopic("articles about words")
    model = LinkModel(CrawlTask(NoWeb(), ("https://www.host.example/",), topic), 20, 0.15)
    kept: list[Known] = []
    for what, strategy in (("known to every strategy", None), ("with those of auto", model)):
        known = Known()
        kept.append(known)
        before = psutil.Process().memory_info().rss
        for number, found in enumerate(pages_of_links(urls, hosts)):
            links = tuple(Link(link.url) for link in found)
            page = Page(f"https://www.host.example/{number}", links=links)
            own = known.number(page.url, 1)
            fetched = known.add(own, page, 0.5, lambda _url: True)
            if strategy is not None:
                strategy.score(fetched, known)
        size = (psutil.Process().memory_info().rss - before) / len(known.urls)
        print(f"{what:<38}{len(known.urls):>12,} URLs {size:>12,.0f} bytes each", flush=True)


def fill(frontier: Frontier, urls: int, hosts: int) -> None:
    """Insert URLs in pages of 100 links, of which a fifth were seen before."""
    part = max(urls // 10, BATCH)
    started, done = time.perf_counter(), 0
    for links in pages_of_links(urls, hosts):
        frontier.add(links)
        done += len(links)
        if done % part < BATCH:
            row(f"insert, {done:,} so far", part, time.perf_counter() - started)
            started = time.perf_counter()


def pages_of_links(urls: int, hosts: int) -> Iterator[list[ScoredUrl]]:
    """Links as they stand on pages: many of the page's host, with hosts of very unequal size."""
    draw = random.Random(0)
    for start in range(0, urls, BATCH):
        home = int(hosts * draw.random() ** 3)
        links = []
        for number in range(start, start + BATCH):
            host = home if draw.random() < 0.8 else int(hosts * draw.random() ** 3)
            links.append(ScoredUrl(page_url(host, number), draw.random()))
        known = draw.randrange(start + 1)
        links += [ScoredUrl(page_url(home, known), draw.random()) for _ in range(BATCH // 5)]
        yield links


def page_url(host: int, number: int) -> str:
    """A URL of typical length."""
    return f"https://www.host{host}.example/section{number % 97}/articles/title-{number:x}.html"


def pop(frontier: Frontier, urls: int, hosts: int) -> None:
    """Pop and finish with a page of links each, as a crawl does, hosts free at once."""
    pages = pages_of_links(urls, hosts)
    now, claims = 0.0, list[Claim]()
    started = time.perf_counter()
    for _ in range(POPS):
        claim = frontier.pop(now)
        assert claim is not None
        claims.append(claim)
        if len(claims) == 16:
            oldest = claims.pop(0)
            frontier.finish(oldest, ())
            frontier.release(oldest, now)
        now += 0.01
    row("pop and finish", POPS, time.perf_counter() - started)
    for claim in claims:
        frontier.requeue(claim)
        frontier.release(claim, now)
    started = time.perf_counter()
    for _ in range(POPS // 10):
        claim = frontier.pop(now)
        assert claim is not None
        frontier.finish(claim, next(pages))
        frontier.release(claim, now)
    row("pop and finish with 120 known links", POPS // 10, time.perf_counter() - started)


def row(what: str, count: int, seconds: float) -> None:
    """Print a line of the table."""
    rate = f"{count:>12,} in {seconds:7.1f} s {count / seconds:>12,.0f}/s"
    print(f"{what:<38}{rate} {peak():>8,.0f} MB", flush=True)


if __name__ == "__main__":
    main()
