"""Take the screenshots of the workbench for README and docs: `make pictures`.

It builds a demo web, serves it, and opens screens in Chromium, wide and narrow,
light and dark. For the Crawl screen it crawls the demo web on loopback, for
the Usage screen it adds sessions of readers who follow links at random, and for
the Curate screen it decides on some pages.
"""

import argparse
import csv
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

import httpx
from crawled_web import serve_web
from playwright.sync_api import Page, sync_playwright

from weft.gather.html import ParseOptions
from weft.workspace.ingest import add_pages
from weft.workspace.workspace import Workspace

Scheme = Literal["light", "dark"]
FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
WIDTHS = {"wide": (1280, 900), "narrow": (400, 860)}
MAGAZINE = {"url": "http://jaguarmagazine.example/", "from": "query=jaguar"}
SITES = {"mine": "www.jaguarcars.example", "theirs": "jaguarmagazine.example"}
LONG = {"moved": 1250, "structure": 1640, "communities": 1180, "crawl": 1290, "usage": 1290}
DECIDED, DECISIONS = 12, {"in": "magazine OR club", "out": "football OR forest"}
TIMEOUT_MS = 120_000
CRAWL_SEED, CRAWL_SECONDS = "http://jaguarmagazine.example/", 15
SCREENS = {
    "home": "",
    "topics": "topics?query=jaguar",
    "moved": "topics?query=jaguar&topic=2&max_inlinks=3&was=default",
    "methods": "topics?query=jaguar&compare=hits",
    "search": "search?query=jaguar",
    "page": f"page?{urlencode(MAGAZINE)}",
    "map": "map?query=jaguar&topic=0",
    "communities": "communities?view=map",
    "structure": "structure",
    "rankings": "rankings?query=jaguar",
    "ranking": "ranking?method=hits&query=jaguar",
    "hosts": "hosts",
    "sites": f"sites?{urlencode(SITES)}",
    "method": "method?kind=topics&name=auto",
    "crawl": "crawl",
    "usage": "usage",
    "curate": "curate?order=certainty",
}
SESSIONS, DAYS, FOLLOWS_LINK, READ_PAGES = 4_000, 28, 0.75, 40
FIRST_DAY = datetime(2026, 3, 2, tzinfo=UTC)
LAST = ("crawl", "usage", "curate")  # these need a collection of their own, or tags
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
SHOWN: list[tuple[str, str, Scheme]] = [
    ("home", "wide", "light"),
    ("topics", "wide", "light"),
    ("search", "wide", "light"),
    ("moved", "wide", "light"),
    ("page", "wide", "light"),
    ("map", "wide", "dark"),
    ("communities", "wide", "light"),
    ("structure", "wide", "light"),
    ("rankings", "wide", "light"),
    ("ranking", "wide", "light"),
    ("method", "wide", "light"),
    ("hosts", "wide", "light"),
    ("sites", "wide", "light"),
    ("crawl", "wide", "light"),
    ("usage", "wide", "light"),
    ("curate", "wide", "light"),
    ("topics", "narrow", "dark"),
    ("map", "narrow", "light"),
]
EVERY = [(name, width, scheme) for name in SCREENS for width in WIDTHS for scheme in SCHEMES]
START = "from weft.cli import main; main()"


@contextmanager
def serving(collection: Path, *more: str) -> Iterator[str]:
    """Serve a collection; yields the address."""
    options = ["--no-browser", "--port", "0", *more]
    command = [sys.executable, "-c", START, "serve", str(collection), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def take(address: str, folder: Path, wanted: list[tuple[str, str, Scheme]], *, whole: bool) -> None:
    """Take screenshots; with `whole`, of the full length of each screen."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, width, scheme in wanted:
            viewport_width, height = WIDTHS[width]
            page = browser.new_page(
                viewport={"width": viewport_width, "height": LONG.get(name, height)},
                color_scheme=scheme,
                reduced_motion="reduce",
            )
            page.set_default_timeout(TIMEOUT_MS)
            show(page, address + SCREENS[name])
            file = folder / f"workbench-{name}-{width}-{scheme}.png"
            page.screenshot(path=file, full_page=whole, animations="disabled")
            page.close()


@contextmanager
def crawling(archive: Path, collection: Path) -> Iterator[str]:
    """Serve a collection into which the pages of an archive are crawled for a while."""
    words = {"topic": "jaguar cars", "contact": "me@example.org", "pages": 1000}
    with serve_web(archive) as web:
        allowed = [word for place in web.addresses.values() for word in ("--allow-private", place)]
        with serving(collection, *allowed) as address:
            started = httpx.post(
                f"{address}api/crawl/start",
                json={"seeds": [web.url(CRAWL_SEED)], **words},
                timeout=120,
            )
            started.raise_for_status()
            time.sleep(CRAWL_SECONDS)
            yield address


def add_sessions(collection: Path, file: Path) -> None:
    """Add sessions of readers who enter by what a search finds, and follow links at random."""
    workspace, draw = Workspace(collection), random.Random(1)
    graph = workspace.graph()
    found = workspace.search(DECISIONS["in"], READ_PAGES).to_table()["url"].to_pylist()
    pages = [graph.page_number(url) for url in found]
    targets = {p: [t for t in graph.outlinks.row(p).tolist() if t in pages] for p in pages}
    with file.open("w", encoding="utf-8", newline="") as lines:
        rows = csv.writer(lines)
        rows.writerow(["session", "url", "time"])
        for session in range(SESSIONS):
            [page] = draw.choices(pages, [1 / place for place in range(1, len(pages) + 1)])
            viewed = FIRST_DAY + timedelta(days=DAYS * draw.random())
            rows.writerow([session, graph.pages[page], viewed.isoformat()])
            while targets[page] and draw.random() < FOLLOWS_LINK:
                weights = [1 / place for place in range(1, len(targets[page]) + 1)]
                [page] = draw.choices(targets[page], weights)
                viewed += timedelta(seconds=draw.randint(5, 120))
                rows.writerow([session, graph.pages[page], viewed.isoformat()])
    workspace.add(file)


@contextmanager
def read(collection: Path, sessions: Path) -> Iterator[str]:
    """Serve a collection with sessions of readers."""
    add_sessions(collection, sessions)
    with serving(collection) as address:
        yield address


def decide(collection: Path) -> None:
    """Decide that two senses of jaguar are in, and the other two out."""
    workspace = Workspace(collection)
    for value, query in DECISIONS.items():
        pages = workspace.search(query, DECIDED)
        workspace.tag(pages.to_table()["url"].to_pylist(), "decision", value, by="ann")


def show(page: Page, address: str) -> None:
    """Open a screen, and wait until nothing is loading."""
    page.goto(address)
    page.wait_for_selector("main h1")
    page.wait_for_load_state("networkidle")
    page.wait_for_selector(".placeholder, .progress, [aria-busy=true]", state="detached")
    page.wait_for_timeout(400)


def main() -> None:
    """Build a demo web, serve it, and take screenshots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "images")
    parser.add_argument("--address", help="a server that runs already")
    parser.add_argument("--all", action="store_true", help="every screen, width and scheme")
    parser.add_argument("--whole", action="store_true", help="the whole length of each screen")
    parser.add_argument("--screen", action="append", choices=SCREENS, help="only this screen")
    given = parser.parse_args()
    screens = EVERY if given.all else SHOWN
    wanted = [screen for screen in screens if screen[0] in (given.screen or SCREENS)]
    if given.address:
        take(given.address, given.out, wanted, whole=given.whole)
        return
    with tempfile.TemporaryDirectory() as scratch:
        demo = Path(scratch) / "demo"
        subprocess.run([sys.executable, "-c", START, "demo", str(demo)], check=True)
        crawls, used, curated = ([each for each in wanted if each[0] == name] for name in LAST)
        with serving(demo / "demo.weft") as address:
            others = [screen for screen in wanted if screen[0] not in LAST]
            take(address, given.out, others, whole=given.whole)
            if curated:
                decide(demo / "demo.weft")
                take(address, given.out, curated, whole=given.whole)
        if used:
            with read(demo / "demo.weft", Path(scratch) / "sessions.csv") as address:
                take(address, given.out, used, whole=given.whole)
        if crawls:
            archive, crawled = demo / "demo.warc.gz", Path(scratch) / "crawled.weft"
            add_pages(crawled, (), "crawl", ParseOptions())
            with crawling(archive, crawled) as address:
                take(address, given.out, crawls, whole=given.whole)


if __name__ == "__main__":
    main()
