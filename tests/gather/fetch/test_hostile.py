"""A crawl of a hostile server finds every good page, reaches nothing forbidden, and ends."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.gather.archives import Read
from tests.gather.fetch.hostile_server import GOOD, HostileServer, serve_hostile

from weft.gather.page import RawPage

pytestmark = pytest.mark.slow
RETRIED = re.compile("/broken/|/flood/|robots")
Crawl = tuple[HostileServer, dict[str, Any], Path]


@pytest.fixture(scope="module")
def hostile_crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawl]:
    folder = tmp_path_factory.mktemp("hostile")
    with serve_hostile() as server:
        command = [sys.executable, "-m", "tests.gather.fetch.crawl_hostile"]
        run = subprocess.run(
            [*command, str(folder), str(server.port)],
            check=False,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert run.returncode == 0, run.stderr
        yield server, json.loads(run.stdout), folder


def test_every_good_page_is_found(hostile_crawl: Crawl) -> None:
    server, report, _ = hostile_crawl
    assert server.good_pages - set(report["fetched"]) == set()


def test_nothing_forbidden_is_reached(hostile_crawl: Crawl) -> None:
    server, report, _ = hostile_crawl
    assert server.private_connections == 0
    assert server.forbidden == []
    assert server.cookies == []
    assert server.credentials == []
    assert report["refused"]["private address"] >= 3
    assert report["refused"]["port 22"] >= 2
    assert report["refused"]["robots.txt"] >= 3
    assert report["refusals"]["unreachable: robots.txt: HTTP 500"] == 2
    assert report["refusals"]["unreachable: robots.txt: took too long"] == 2


def test_a_name_that_changes_is_never_followed_to_a_private_address(hostile_crawl: Crawl) -> None:
    server, report, _ = hostile_crawl
    assert not any(url.startswith("rebind.test/page") for url in server.requested)
    assert not any("rebind.test" in url for url in report["fetched"])


def test_traps_are_bounded(hostile_crawl: Crawl) -> None:
    server, report, _ = hostile_crawl
    paths = [url.removeprefix(GOOD) for url in server.requested]
    assert sum(path.startswith("/calendar") for path in paths) <= 20
    assert sum(path.startswith("/endless") for path in paths) <= 100
    assert sum(path.startswith("/trap") for path in paths) <= 100
    assert sum(path.startswith("/session") for path in paths) <= 2
    assert sum(path.startswith("/many") for path in paths) <= 100
    assert sum(path.startswith("/redirect/endless") for path in paths) <= 12
    assert {"session id", "too many redirects", "pattern limit"} <= set(report["refusals"])


def test_a_response_is_bounded_whatever_it_is_made_of(hostile_crawl: Crawl) -> None:
    """Heads, extensions of chunks and trailers are no body, but they are read, too."""
    server, report, _ = hostile_crawl
    asked = sum("/flood/" in url for url in server.requested)
    assert asked >= 3
    # by three times the limit of a body each, and what waits in buffers
    assert server.flood_bytes < asked * (3 * (2 << 20) + (8 << 20))
    assert report["failed"]["took too long"] <= 3


def test_nothing_is_asked_for_twice_but_what_is_retried(hostile_crawl: Crawl) -> None:
    server, _, _ = hostile_crawl
    pages = [url for url in server.requested if not RETRIED.search(url)]
    assert len(pages) == len(set(pages))


def test_it_ends_cleanly_within_memory(hostile_crawl: Crawl) -> None:
    _, report, _ = hostile_crawl
    assert report["ended"] == "nothing left"
    assert report["counts"][:2] == [0, 0]
    assert report["peak"] < 600
    assert {"took too long", "broken response"} <= set(report["failed"])


def test_the_archive_holds_what_was_fetched(hostile_crawl: Crawl) -> None:
    server, report, folder = hostile_crawl
    read = Read(*sorted((folder / "archive").iterdir()))
    assert server.good_pages <= {page.url for page in read.pages} | {server.url("/moved/")}
    assert "damaged records" not in read.problems.counts
    assert not any(b"not asked" in page.body for page in read.pages if isinstance(page, RawPage))
    assert len(report["fetched"]) == len(set(report["fetched"]))
