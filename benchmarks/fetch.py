"""Fetching against plain Scrapy, after ten kills, in memory: `python -m benchmarks.fetch`.

    python -m benchmarks.fetch speed [--pages 2000] [--repeats 3] [ARCHIVE]
    python -m benchmarks.fetch kill [--pages 20000] [--kills 10]
    python -m benchmarks.fetch near
    python -m benchmarks.fetch memory

`speed` serves the pages of an archive (Wikispeedia, or a demo web) on loopback and counts pages
per CPU-second of the crawling process: frontier, scoring, parsing and WARC on our side, a spider
with Scrapy's link extractor and nothing else on the other. The engine is measured with a score of
its own, then `Workspace.crawl` with strategies, without and with adding the pages to the
collection. `kill` crawls a generated web, once in
peace and once killed with signal 9 again and again, and compares what was fetched. `near` prints
how many near-duplicates are recognised, by the share of word sequences that they have in common.
`memory` runs the whole command against the hostile server of the tests, and prints the most memory
that its processes took at one time, files that are mapped included.
"""

import argparse
import asyncio
import multiprocessing
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.request import urlopen

import numpy as np

from benchmarks.measure import Cost, run, versions
from weft.demo import DemoWeb, write_warc
from weft.gather.fetch.engine import FetchedPage, crawl
from weft.gather.fetch.frontier import MAX_IN_FLIGHT, Frontier, ScoredUrl
from weft.gather.fetch.near_duplicates import MIN_SHARED, super_shingles
from weft.gather.fetch.scope import Scope
from weft.gather.fetch.settings import FetchSettings
from weft.gather.fetch.warc_writer import WarcWriter
from weft.gather.html import ParseOptions
from weft.gather.page import Problems, RawPage
from weft.gather.revisits import RevisitIndex
from weft.gather.warc import read_warc

WIKISPEEDIA = Path(__file__).parents[2] / "shared" / "data" / "wikispeedia.warc.gz"
ADDRESSES = [f"127.0.0.{k}" for k in range(1, 9)]
VARIANTS = {
    "Scrapy, link extractor": ["benchmarks.plain_scrapy"],
    "weft, text and links": ["benchmarks.fetch", "crawl", "--lean"],
    "weft, also main content, language": ["benchmarks.fetch", "crawl"],
    "crawl best-first, archive alone": ["benchmarks.fetch", "topic", "--strategy", "best-first"],
    "crawl auto, archive alone": ["benchmarks.fetch", "topic", "--strategy", "auto"],
    "crawl best-first, also collection": [
        *("benchmarks.fetch", "topic", "--add", "--strategy", "best-first"),
    ],
    "crawl auto, also collection": [
        *("benchmarks.fetch", "topic", "--add", "--strategy", "auto"),
    ],
}
HOSTILE_COMMAND = "from tests.gather.fetch.hostile_command import main; main()"
HOSTILE_CRAWLS = (  # what it meets, where it begins, and how many pages
    ("traps, bombs, endless and broken", "/", 800),
    ("ten pages of 8 MB", "/large", 20),
)
TOPIC = frozenset(("country", "history", "europe", "language", "war", "river", "city", "people"))


def main() -> None:
    """Run one of the two benchmarks, or a part of one in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["speed", "kill", "near", "memory", "crawl", "topic"])
    parser.add_argument("archive", nargs="?", type=Path)
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed-url", default="")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--lean", action="store_true")
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--add", action="store_true")
    options = parser.parse_args()
    steps = {"speed": speed, "kill": kill, "near": near_duplicates, "memory": memory}
    {**steps, "crawl": crawl_pages, "topic": crawl_topic}[options.what](options)


def speed(options: argparse.Namespace) -> None:
    """Print pages per CPU-second of each variant, run in turn."""
    pages = options.pages or 2000
    print(versions("weft", "scrapy", "aiohttp", "twisted", "lxml", "resiliparse"))
    with tempfile.TemporaryDirectory() as folder:
        archive = options.archive or (WIKISPEEDIA if WIKISPEEDIA.exists() else Path(folder) / "d")
        if not archive.exists():
            write_warc(DemoWeb(pages=5000), archive)
        with serving(bodies_of(archive)) as (port, paths):
            seed = f"http://127.0.0.1:{port}{paths[0]}"
            rates: dict[str, list[float]] = {name: [] for name in VARIANTS}
            for _ in range(options.repeats):
                for name, arguments in VARIANTS.items():
                    with tempfile.TemporaryDirectory() as into:
                        more = ["--pages", str(pages), "--seed-url", seed, "--folder", into]
                        rates[name].append(pages_per_cpu_second([*arguments, *more]))
                        print(f"{name:<36}{rates[name][-1]:>8.0f}", flush=True)
    base = sorted(rates["Scrapy, link extractor"])[options.repeats // 2]
    print(f"{archive.name}, {pages:,} pages, pages per CPU-second, median of {options.repeats}")
    for name, measured in rates.items():
        middle = sorted(measured)[options.repeats // 2]
        spread = f"{min(measured):.0f} to {max(measured):.0f}"
        print(f"{name:<36}{middle:>8.0f} {middle / base:>6.2f} x   {spread}")


def pages_per_cpu_second(arguments: list[str]) -> float:
    """Run a crawl in its own process, which prints its number of pages."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return int(done.stdout.split()[-1]) / cpu


def crawl_pages(options: argparse.Namespace) -> None:
    """Crawl with our engine, continuing what the folder holds; print the number of pages."""

    def visit(fetched: FetchedPage) -> Iterable[ScoredUrl]:
        words = fetched.page.text.lower().split()
        relevance = sum(map(TOPIC.__contains__, words)) / (len(words) + 1)
        for link in fetched.page.links:
            anchor = set(f"{link.before} {link.anchor} {link.after}".lower().split())
            yield ScoredUrl(link.target, relevance + len(anchor & TOPIC) / (len(anchor) + 1))

    async def look_up(host: str, _port: int) -> list[str]:
        return [ADDRESSES[int(host[1 : host.index(".")]) % len(ADDRESSES)]]

    port = options.seed_url.split("/")[2].partition(":")[2]
    hosts = ["127.0.0.1", *(f"h{k}.test" for k in range(options.hosts))]
    parse = ParseOptions(main_content=not options.lean, detect_language=not options.lean)
    settings = FetchSettings(
        "benchmark@example.com",
        delay=0.0,
        pages=options.pages,
        lookup=look_up,
        parse=parse,
        allow_private=tuple(f"{host}:{port}" for host in hosts),
    )
    with (
        Frontier(options.folder / "frontier.sqlite", Scope()) as frontier,
        WarcWriter(options.folder / "archive", resume_at=frontier.archived) as archive,
    ):
        frontier.add_seeds([options.seed_url])
        print(crawl(frontier, archive, visit, settings=settings).pages)


def crawl_topic(options: argparse.Namespace) -> None:
    """Crawl as `weft crawl` does; without `--add`, nothing goes from the archive to the collection.

    Prints the number of pages.
    """
    from weft.workspace.live_crawl import CollectionGrower  # noqa: PLC0415  so that others do not load it
    from weft.workspace.workspace import Workspace  # noqa: PLC0415

    if not options.add:
        CollectionGrower._add = lambda self, pages, end: pages.close()  # type: ignore[method-assign]  # noqa: ARG005, SLF001
    crawled = Workspace(options.folder / "crawled.weft").crawl(
        options.seed_url,
        options.strategy,
        topic=" ".join(sorted(TOPIC)),
        pages=options.pages,
        delay=0.0,
        contact="benchmark@example.com",
        allow_private=(options.seed_url.split("/")[2],),
    )
    print(len(crawled))


def kill(options: argparse.Namespace) -> None:
    """Compare a crawl that is killed again and again with one that is not."""
    pages = options.pages or 20_000
    with tempfile.TemporaryDirectory() as folder:
        peaceful, _, seconds = killed_crawl(Path(folder) / "peace", pages, [])
        print(f"uninterrupted: {len(peaceful):,} pages in {seconds:.0f} s", flush=True)
        draw = random.Random(0)
        moments = [
            seconds / (options.kills + 1) * draw.uniform(0.7, 1.3) for _ in range(options.kills)
        ]
        killed, requests, seconds = killed_crawl(Path(folder) / "killed", pages, moments)
    repeated = sum(count - 1 for count in requests.values())
    print(f"killed {options.kills} times: {len(killed):,} pages in {seconds:.0f} s")
    print(f"the same pages: {killed == peaceful}")
    print(f"each page once in the archive: {set(Counter(killed).values()) == {1}}")
    allowed = MAX_IN_FLIGHT * options.kills
    print(f"pages asked for again: {repeated} (at most {allowed} were in flight)")
    if killed != peaceful or repeated > allowed:
        raise SystemExit(1)


def killed_crawl(
    folder: Path, pages: int, moments: list[float]
) -> tuple[list[str], Counter[str], float]:
    """Crawl a generated web, killed after each of some times; archived URLs and requests."""
    folder.mkdir()
    started = time.perf_counter()
    with serving(generated_web(pages)) as (port, _), counting(port) as requests:
        seed = f"http://h0.test:{port}/0"
        arguments = ["crawl", "--lean", "--seed-url", seed, "--folder", str(folder), "--hosts", "8"]
        command = [sys.executable, "-m", "benchmarks.fetch", *arguments]
        for moment in moments:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            time.sleep(moment)
            process.kill()
            process.wait()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        asked = requests()
    seconds = time.perf_counter() - started
    found = [page.url for page in archived_pages(sorted((folder / "archive").iterdir()))]
    # The port differs from run to run.
    return sorted(url.replace(f":{port}", "") for url in found), asked, seconds


def memory(_options: argparse.Namespace) -> None:
    """Print the most memory of `weft crawl` against the hostile server."""
    from tests.gather.fetch.hostile_server import serve_hostile  # noqa: PLC0415  for this alone

    print(versions("weft", "scrapy", "pyarrow", "tantivy"))
    for what, path, pages in HOSTILE_CRAWLS:
        with serve_hostile() as server, tempfile.TemporaryDirectory() as folder:
            cost = hostile_crawl(Path(folder) / "hostile.weft", server.url(path), pages)
        print(f"{what:<36}{cost.memory:>8.0f} MB {cost.cpu:>6.0f} s of CPU time", flush=True)


def hostile_crawl(folder: Path, seed: str, pages: int) -> Cost:
    """What the whole command takes for a crawl of the hostile server."""
    words = ["--topic", "jazz piano", "--contact", "benchmark@example.com", "--delay", 0]
    return run(HOSTILE_COMMAND, "-q", "crawl", folder, seed, *words, "--pages", pages)


def near_duplicates(_options: argparse.Namespace) -> None:
    """Print how many pairs of pages are recognised whose main contents and texts are similar."""
    draw, pairs, size = np.random.default_rng(0), 1000, 1000
    for resemblance in (0.98, 0.95, 0.9, 0.85, 0.8):
        found = 0
        for _ in range(pairs):
            # a word in the middle is in four sequences; k changes leave 4k of either text alone
            changes = round((1 - resemblance) / (1 + resemblance) * size / 4)
            main, menu = draw.integers(0, 1 << 63, (2, size), dtype=np.uint64)
            other = main.copy()
            other[4 + 8 * draw.choice(size // 8 - 1, changes, replace=False)] += np.uint64(1)
            texts = [np.concatenate([words, menu[:100]]) for words in (main, other)]
            found += all(
                len(set(super_shingles(a)) & set(super_shingles(b))) >= MIN_SHARED
                for a, b in ((main, other), texts)
            )
        print(f"resemblance {resemblance:.2f}: {found / pairs:.0%} of {pairs:,} pairs recognised")


def generated_web(pages: int) -> dict[str, bytes]:
    """Pages on eight hosts that link to ten others each, of which the first makes a tree."""
    draw = random.Random(1)
    web = {}
    for k in range(pages):
        targets = [2 * k + 1, 2 * k + 2, *(draw.randrange(pages) for _ in range(8))]
        links = "".join(
            f'<a href="http://h{t % 8}.test:PORT/{t}">page {t}</a> ' for t in targets if t < pages
        )
        web[f"/{k}"] = f"<html><title>Page {k}</title><p>Text of {k}<p>{links}</html>".encode()
    return web


def bodies_of(archive: Path) -> dict[str, bytes]:
    """The pages of an archive by path, with links to other hosts left as they are."""
    pages = {}
    for page in archived_pages([archive]):
        if page.status == 200 and page.body:
            pages["/" + page.url.split("/", 3)[3]] = page.body
    # Seeds with many links reach the whole of it.
    first = max(pages, key=lambda path: pages[path].count(b"href"))
    return {first: pages.pop(first), **pages}


def archived_pages(archives: Iterable[Path]) -> Iterator[RawPage]:
    """The pages of archives."""
    revisits, problems = RevisitIndex(), Problems()
    for path in archives:
        revisits.set_current_archive(path)
        for page in read_warc(path, path.name, ParseOptions(), problems, revisits):
            if isinstance(page, RawPage):
                yield page
    if problems.damage_count:
        raise SystemExit(f"damaged archive: {problems.counts}")


@contextmanager
def serving(pages: Mapping[str, bytes]) -> Iterator[tuple[int, list[str]]]:
    """Serve pages from another process on eight loopback addresses; gives port and paths."""
    ours, theirs = multiprocessing.Pipe()
    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=serve, args=(theirs, dict(pages)), daemon=True)
    process.start()
    try:
        yield ours.recv(), list(pages)
    finally:
        process.kill()
        process.join()


@contextmanager
def counting(port: int) -> Iterator[Callable[[], Counter[str]]]:
    """A function that gives how often the server was asked for each path."""

    def requests() -> Counter[str]:
        with urlopen(f"http://127.0.0.1:{port}/requests") as response:
            paths = response.read().decode().split()
        return Counter(path for path in paths if path not in ("/robots.txt", "/requests"))

    yield requests


class PageProtocol(asyncio.Protocol):
    """HTTP as far as a crawler of GET requests needs it."""

    def __init__(self, pages: Mapping[str, bytes], asked: list[str]) -> None:
        self._pages, self._asked = pages, asked
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where to write."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each complete request."""
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            path = self._buffer.split(b" ", 2)[1].decode()
            self._buffer = self._buffer[end + 4 :]
            self._asked.append(path)
            body = "\n".join(self._asked).encode() if path == "/requests" else self._pages.get(path)
            status = b"404 Not Found" if body is None else b"200 OK"
            body = body or b""
            head = b"Content-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
            self._transport.write(b"HTTP/1.1 " + status + b"\r\n" + head + body)


def serve(pipe: Connection, pages: dict[str, bytes]) -> None:
    """Serve until the process is killed."""

    async def run() -> None:
        loop, asked = asyncio.get_running_loop(), list[str]()
        first = await loop.create_server(lambda: PageProtocol(pages, asked), ADDRESSES[0], 0)
        port = first.sockets[0].getsockname()[1]
        for path, body in pages.items():
            pages[path] = body.replace(b":PORT/", b":%d/" % port)
        await loop.create_server(lambda: PageProtocol(pages, asked), ADDRESSES[1:], port)
        pipe.send(port)
        while os.getppid() != 1:
            await asyncio.sleep(1)

    asyncio.run(run())


if __name__ == "__main__":
    main()
