"""Whole crawls of small sites on loopback: politeness, limits, redirects, resuming."""

import asyncio
import gzip
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from tests.gather.archives import Read
from tests.gather.fetch.page_server import Answer, PageServer, page, redirect, serve_pages

from weft.core.errors import BadParameter
from weft.gather.fetch.downloader import HeadFirstProtocol
from weft.gather.fetch.engine import (
    CrawlControl,
    CrawlEvent,
    CrawlSummary,
    FetchedPage,
    FetchFailed,
    PageFetched,
    Progress,
    UrlRefused,
    Visit,
    crawl,
)
from weft.gather.fetch.frontier import Frontier, ScoredUrl
from weft.gather.fetch.frontier_status import FrontierCounts
from weft.gather.fetch.scope import Scope
from weft.gather.fetch.settings import FetchSettings
from weft.gather.fetch.warc_writer import WarcWriter

LONG = "A text that is long enough to be compared with those of other pages. " * 5


async def look_up(host: str, _port: int) -> list[str]:
    """Every name under `.test` is the loopback address."""
    if not host.endswith(".test"):
        raise OSError(f"no address for {host}")
    return ["127.0.0.1"]


def all_links(fetched: FetchedPage) -> Iterable[ScoredUrl]:
    return [ScoredUrl(link.target, 1.0) for link in fetched.page.links]


class Run:
    """A crawl of a server, its events and its state at the end."""

    def __init__(self, folder: Path, server: PageServer, **options: Any) -> None:
        hosts = options.pop("hosts", ["site.test"])
        seeds = options.pop("seeds", ["/"])
        scheme = options.pop("scheme", "http")
        scope = options.pop("scope", Scope(within="host"))
        self.visited: list[FetchedPage] = []
        self.events: list[CrawlEvent] = []
        visit: Visit = options.pop("visit", all_links)
        control = options.pop("control", None)
        settings = FetchSettings(
            "me@example.com",
            **{
                "delay": 0.0,
                "deadline": 5.0,
                "retries": 0,
                "backoff": (),
                "lookup": look_up,
                **options,
            },
            allow_private=tuple(f"{host}:{server.port}" for host in hosts),
        )

        def keep(fetched: FetchedPage) -> Iterable[ScoredUrl]:
            self.visited.append(fetched)
            return visit(fetched)

        folder.mkdir(exist_ok=True)
        with (
            Frontier(folder / "frontier.sqlite", scope) as frontier,
            WarcWriter(folder / "archive", resume_at=frontier.archived) as archive,
        ):
            frontier.add_seeds(server.url(seed, hosts[0], scheme) for seed in seeds)
            self.summary: CrawlSummary = crawl(
                frontier,
                archive,
                keep,
                settings=settings,
                listen=self.events.append,
                control=control,
            )
            self.counts: FrontierCounts = frontier.counts
            self.refusals = dict(frontier.refusals.counts)

    def fetched(self) -> list[str]:
        """The paths of the responses, in their order."""
        urls = [event.url for event in self.events if isinstance(event, PageFetched)]
        return ["/" + url.split("/", 3)[3] for url in urls]

    def refused(self) -> dict[str, str]:
        """The reasons of refusals and failures, by path."""
        events = [event for event in self.events if isinstance(event, UrlRefused | FetchFailed)]
        return {"/" + event.url.split("/", 3)[3]: event.reason for event in events}


def tree(size: int) -> dict[str, Answer]:
    """A binary tree of pages with the paths `/1`, `/2` and so on."""
    pages = {"/": page("/1", text="root")}
    for k in range(1, size + 1):
        children = [f"/{child}" for child in (2 * k, 2 * k + 1) if child <= size]
        pages[f"/{k}"] = page(*children, text=f"page {k}")
    return pages


def test_a_site_is_crawled_breadth_first(tmp_path: Path) -> None:
    with serve_pages(tree(15)) as server:
        run = Run(tmp_path, server)
    assert run.fetched() == ["/", *(f"/{k}" for k in range(1, 16))]
    assert (run.summary.pages, run.summary.ended) == (16, "nothing left")
    assert [fetched.depth for fetched in run.visited] == [0, 1, 2, 2, *[3] * 4, *[4] * 8]
    assert run.visited[2].parent == server.url("/1")
    assert isinstance(run.events[-1], Progress)


def test_scores_decide_the_order(tmp_path: Path) -> None:
    def worth(fetched: FetchedPage) -> Iterable[ScoredUrl]:
        targets = [link.target for link in fetched.page.links]
        return [ScoredUrl(url, float(url.rpartition("/")[2])) for url in targets]

    with serve_pages(tree(7)) as server:
        run = Run(tmp_path, server, visit=worth)
    assert run.fetched() == ["/", "/1", "/3", "/7", "/6", "/2", "/5", "/4"]


def test_requests_say_who_asks_and_carry_no_cookies(tmp_path: Path) -> None:
    pages = {"/": replace(page("/a"), headers={"Set-Cookie": "id=1"}), "/a": page()}
    with serve_pages(pages) as server:
        Run(tmp_path, server)
    assert len(server.asked) == 3
    for request in server.asked:
        assert request.headers["User-Agent"].startswith("Weft/")
        assert "(+me@example.com)" in request.headers["User-Agent"]
        assert "Cookie" not in request.headers


def test_a_contact_is_needed() -> None:
    with pytest.raises(BadParameter, match="contact"):
        FetchSettings("  ")
    with pytest.raises(BadParameter, match="contact"):
        FetchSettings("me\r\nX-Header: y")


@pytest.mark.slow
def test_delay_between_requests_to_a_server(tmp_path: Path) -> None:
    """Also between hosts that share it, and counting robots.txt."""
    pages = {"/": page("/1", "/2", text="x"), "/1": page(), "/2": page()}
    with serve_pages(pages) as server:
        pages["/"] = page("/1", server.url("/2", "other.test"))
        run = Run(tmp_path, server, delay=0.3, hosts=["site.test", "other.test"], scope=Scope())
    times = [request.time for request in server.asked]
    assert len(times) == 5
    assert min(b - a for a, b in pairwise(times)) > 0.15
    assert run.summary.pages == 3


@pytest.mark.slow
def test_crawl_delay_of_robots_up_to_the_limit(tmp_path: Path) -> None:
    rules = Answer(b"User-agent: *\nCrawl-delay: 100\n")
    with serve_pages({**tree(2), "/robots.txt": rules}) as server:
        Run(tmp_path, server, delay=0.1, max_delay=0.6)
    times = [request.time for request in server.asked]
    assert len(times) == 4
    assert min(b - a for a, b in pairwise(times)) > 0.5


@pytest.mark.slow
def test_a_server_that_fails_is_asked_again(tmp_path: Path) -> None:
    with serve_pages({"/": Answer(b"oops", 503)}) as server:
        run = Run(tmp_path, server, retries=2, delay=0.1)
    assert server.paths == ["/", "/", "/"]
    assert run.fetched() == ["/"]


@pytest.mark.slow
def test_a_busy_server_says_when_to_come_again(tmp_path: Path) -> None:
    with serve_pages({"/": Answer(b"busy", 503, {"Retry-After": "1"})}) as server:
        Run(tmp_path, server, retries=1)
    _, first, second = [request.time for request in server.asked]
    assert second - first > 0.9


@pytest.mark.slow
def test_a_server_that_was_busy_is_asked_as_before(tmp_path: Path) -> None:
    busy = Answer(b"busy", 429, {"Retry-After": "1"})
    with serve_pages({"/": busy, **{f"/{k}": page() for k in range(1, 4)}}) as server:
        Run(tmp_path, server, seeds=["/", "/1", "/2", "/3"])
    times = [request.time for request in server.asked]
    assert server.paths == ["/", "/1", "/2", "/3"]
    assert times[2] - times[1] > 0.9
    assert times[4] - times[2] < 0.9


def test_a_crawl_in_a_notebook(tmp_path: Path) -> None:
    """Where an event loop is running already."""

    async def cell() -> Run:
        return Run(tmp_path, server)

    with serve_pages(tree(3)) as server:
        assert asyncio.run(cell()).summary.pages == 4


@pytest.mark.slow
def test_an_interrupt_ends_the_crawl_and_loses_nothing(tmp_path: Path) -> None:
    with serve_pages(tree(2000)) as server:
        seed = server.url("/", "127.0.0.1")
        command = [sys.executable, "-m", "benchmarks.fetch", "crawl", "--seed-url", seed]
        process = subprocess.Popen(
            [*command, "--folder", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        while len(server.asked) < 20:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=10)
        first = int(output)
        assert (process.returncode, errors) == (0, b"")
        run = Run(tmp_path, server, hosts=["127.0.0.1"])
    assert 10 < first < 2001
    assert first + run.summary.pages == 2001
    assert len(server.paths) == 2001


def test_a_server_that_is_down_is_left_alone_and_tried_again(tmp_path: Path) -> None:
    """All URLs are fetched when it comes back in time; otherwise all are refused."""
    down = Answer(b"oops", 500)
    pages = {**tree(6), "/robots.txt": down}
    with serve_pages(pages) as server:
        Timer(0.5, pages.pop, ["/robots.txt"]).start()
        run = Run(tmp_path / "up", server, backoff=(0.2, 0.2, 0.2))
        assert run.summary.pages == 7
        assert run.summary.failed == {}
        tries = len([request for request in server.asked if "robots" in request.url])
        assert 2 <= tries <= 4
        pages["/robots.txt"] = down
        run = Run(tmp_path / "down", server, backoff=(0.1,), seeds=["/", "/1", "/2"])
    assert run.counts[:4] == (0, 0, 0, 3)
    assert run.summary.failed == {"robots.txt: HTTP 500": 1}
    assert len([request for request in server.asked if "robots" in request.url]) == tries + 2


def test_what_comes_unasked_answers_no_request(tmp_path: Path) -> None:
    fake = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nfake"
    with serve_pages({"/": replace(page("/1"), late=fake), "/1": page(text="true")}) as server:
        run = Run(tmp_path, server, delay=0.2)
    assert [fetched.page.text.strip() for fetched in run.visited] == ["/1", "true"]


def sized(answer: Answer, size: int) -> Answer:
    """An answer that announces another size than it has."""
    return replace(answer, headers={**answer.headers, "Content-Length": str(size)})


def test_a_body_ends_where_its_length_says(tmp_path: Path) -> None:
    """What follows is neither part of the page nor of the next one, and costs neither of them."""
    announced = page("/1").body
    pages = {"/": sized(Answer(announced + b"<a href=/2>surplus</a>"), len(announced))}
    pages |= {"/1": sized(Answer(announced + b"HTTP/1.1 200 OK\r\n\r\n"), len(announced))}
    with serve_pages(pages) as server:
        run = Run(tmp_path, server)
    assert [fetched.raw.body for fetched in run.visited] == [announced] * 2
    assert (run.fetched(), run.summary.failed) == (["/", "/1"], {})


@pytest.mark.parametrize("cut", [20, -3, -2, -1, None])
def test_a_head_may_come_in_parts(cut: int | None) -> None:
    """Also after another one, and with line ends of one byte."""
    body = page().body
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
    hints = b"HTTP/1.1 103 Early Hints\r\n\r\n"

    async def receive(parts: Iterable[bytes]) -> bytes:
        protocol = HeadFirstProtocol(asyncio.get_running_loop(), 1 << 20)
        protocol.set_response_params(auto_decompress=False)
        for part in parts:
            protocol.data_received(part)
        while (response := await protocol.read())[0].code != 200:
            pass
        assert protocol.should_close
        return await response[1].read()

    for start in (head, hints + head, head.replace(b"\r\n", b"\n")):
        parts = [start[:cut], start[cut or len(start) :] + body + b"surplus"]
        assert asyncio.run(receive(parts)) == body


def test_what_arrives_of_a_slow_body_is_kept(tmp_path: Path) -> None:
    """Not of robots.txt, where what is missing may forbid anything."""
    slow = sized(page("/1", text="slow"), 1000)
    with serve_pages({"/": slow, "/1": page()}) as server:
        run = Run(tmp_path / "page", server, deadline=0.5)
        server.pages["/robots.txt"] = sized(Answer(b"User-agent: *\nAllow: /\n"), 1000)
        refused = Run(tmp_path / "robots", server, deadline=0.5)
    assert [fetched.raw.truncated for fetched in run.visited] == [True, False]
    assert run.fetched() == ["/", "/1"]
    archive = tmp_path / "page" / "archive" / "weft-00001.warc.gz"
    assert b"WARC-Truncated: time\r\n" in gzip.decompress(archive.read_bytes())
    assert refused.summary.failed == {"robots.txt: took too long": 1}


def test_robots_rules(tmp_path: Path) -> None:
    rules = Answer(b"User-agent: *\nDisallow: /2\n")
    with serve_pages({**tree(5), "/robots.txt": rules}) as server:
        run = Run(tmp_path, server)
    assert server.paths == ["/", "/1", "/3"]
    assert run.refused() == {"/2": "robots.txt"}
    assert [request.url for request in server.asked].count("site.test/robots.txt") == 1


def test_private_addresses_are_refused_unless_opened(tmp_path: Path) -> None:
    pages = {"/": page(text="index")}
    with serve_pages({"/": page(text="secret")}) as internal, serve_pages(pages) as server:
        links = [internal.url("/"), internal.url("/", "127.0.0.1"), server.url("/x", "127.0.0.1")]
        pages["/"] = page(*links, internal.url("/", "localhost"), "/to", text="index")
        pages["/to"] = redirect(internal.url("/redirected"))
        run = Run(tmp_path, server, scope=Scope())
    assert internal.asked == []
    assert set(run.summary.refused) == {"private address"}
    assert run.summary.refused["private address"] == 4
    assert run.summary.failed == {"name not found": 1}


def test_redirects_pass_the_frontier(tmp_path: Path) -> None:
    pages = {
        "/": page("/old", "/loop", "/dir/", "/away"),
        "/old": redirect("/new?utm_source=x", 301),
        "/new": page(text="new"),
        "/loop": redirect("/loop"),
        "/dir/": redirect("index.html"),
        "/dir/index.html": page(text="another spelling"),
        "/away": redirect("http://elsewhere.test/"),
    }
    with serve_pages(pages) as server:
        run = Run(tmp_path, server)
    assert sorted(server.paths) == sorted([*pages, "/"][:-1])
    assert run.summary.pages == 3
    assert run.refusals == {"out of scope": 1}
    urls = {fetched.raw.url for fetched in run.visited}
    assert urls == {server.url("/"), server.url("/new"), server.url("/dir/index.html")}


def test_redirects_to_what_is_no_url_lead_nowhere(tmp_path: Path) -> None:
    """They are archived, and are no pages."""
    pages = {"/": page("/a", "/b"), "/a": redirect("http://[bad/"), "/b": redirect("javascript:x")}
    with serve_pages(pages) as server:
        run = Run(tmp_path, server)
    assert sorted(server.paths) == ["/", "/a", "/b"]
    assert run.summary.pages == 1
    assert run.summary.ended == "nothing left"


def test_what_pages_declare(tmp_path: Path) -> None:
    """Robots rules in pages, refreshes and canonical URLs; only those of the same domain."""
    canonical = '<link rel="canonical" href="{}">'
    pages = {
        "/": page("/nofollow", "/refresh", "/copy", "/far"),
        "/nofollow": page("/hidden", head='<meta name="robots" content="noindex, nofollow">'),
        "/refresh": page(head='<meta http-equiv="refresh" content="0; url=/fresh">'),
        "/copy": page(head=canonical.format("/original")),
        "/far": page(head=canonical.format("http://elsewhere.test/")),
        "/fresh": page(),
        "/original": page(),
    }
    with serve_pages(pages) as server:
        Run(tmp_path, server, scope=Scope())
    assert sorted(server.paths) == sorted(pages)


def test_duplicates_are_archived_as_revisits_and_not_expanded(tmp_path: Path) -> None:
    pages = {
        "/": page("/a", "/b/", "/c/"),
        "/a": page("x", text=LONG),
        "/b/": page("x", text=LONG),
        "/c/": page("x", text=LONG, head="<title>Other</title>"),
        "/x": page(),
    }
    with serve_pages(pages) as server:
        run = Run(tmp_path, server)
    assert server.paths == ["/", "/a", "/b/", "/c/", "/x"]
    assert [fetched.duplicate for fetched in run.visited] == [False, False, True, True, False]
    read = Read(tmp_path / "archive" / "weft-00001.warc.gz")
    assert len(read.pages) == 5


def article(seed: int, *more: str) -> str:
    """A paragraph of 300 words drawn at random, and more."""
    words = Random(seed).choices([f"word{k}" for k in range(1000)], k=300)
    return f"<article><p>{' '.join([*words, *more])}.</p></article>"


def test_near_duplicates_are_not_expanded(tmp_path: Path) -> None:
    """Also not those of a page that was fetched before the crawl was interrupted."""
    menu = "<nav>" + "".join(f"<a href='/'>Part {k} of all</a> " for k in range(100)) + "</nav>"
    pages = {
        "/": page("/a", "/b/", "/c/"),
        "/a": page("x", text=menu + article(1)),
        "/b/": page("y", text=menu + article(1, "printed", "today")),
        "/c/": page("z", text=menu + article(2)),
        "/x": page("/d/"),
        "/c/z": page(),
        "/d/": page("y", text=article(1, "once", "more", "printed")),
    }
    with serve_pages(pages) as server:
        first = Run(tmp_path, server, pages=4)
        second = Run(tmp_path, server)
    assert sorted(server.paths) == sorted(pages)
    duplicates = [url.page.url for url in first.visited + second.visited if url.duplicate]
    assert duplicates == [server.url("/b/"), server.url("/d/")]


def test_a_page_is_no_duplicate_of_itself(tmp_path: Path) -> None:
    with serve_pages({"/": page(text=article(1))}) as server:
        Run(tmp_path, server)
        server.pages = {"/": page("/new", text=article(1, "news")), "/new": page()}
        with Frontier(tmp_path / "frontier.sqlite", Scope()) as frontier:
            frontier.revisit([server.url()], 1.0)
        Run(tmp_path, server)
    assert server.paths == ["/", "/", "/new"]


def test_sitemaps_and_feeds_are_followed(tmp_path: Path) -> None:
    sitemap = Answer(b"<urlset><url><loc>/a</loc></url></urlset>")
    sitemap.headers["Content-Type"] = "application/xml"
    with serve_pages({"/sitemap.xml": sitemap, "/a": page()}) as server:
        run = Run(tmp_path, server, seeds=["/sitemap.xml"])
    assert server.paths == ["/sitemap.xml", "/a"]
    assert run.summary.pages == 1


def test_a_feed_that_says_that_it_is_html(tmp_path: Path) -> None:
    feed = Answer(b"<?xml version='1.0'?><rss><item><link>/a</link></item></rss>")
    with serve_pages({"/feed": feed, "/a": page()}) as server:
        Run(tmp_path, server, seeds=["/feed"])
    assert server.paths == ["/feed", "/a"]


def test_sitemaps_of_an_index_are_in_scope_as_the_seed_is(tmp_path: Path) -> None:
    """Those on the same host, that is; and an index in an index is a page like others."""
    entries = "<sitemap><loc>{}</loc></sitemap>"

    def index(*urls: str) -> Answer:
        listed = "".join(map(entries.format, urls))
        body = f"<sitemapindex>{listed}</sitemapindex>".encode()
        return Answer(body, headers={"Content-Type": "application/xml"})

    pages = {"/docs/1": page(text="one"), "/other": page(text="other")}
    for number in (1, 2):
        found = index("/docs/1", "/other")
        pages[f"/map{number}.xml"] = Answer(
            found.body.replace(b"sitemapindex", b"urlset"), headers=found.headers
        )
    pages["/more.xml"] = index("/map2.xml")
    with serve_pages(pages) as server:
        elsewhere = server.url("/map2.xml", "other.test")
        server.pages["/maps.xml"] = index("/map1.xml", "/more.xml", elsewhere)
        scope = Scope(within="*/docs/*")
        hosts = ["site.test", "other.test"]
        Run(tmp_path, server, seeds=["/maps.xml"], scope=scope, hosts=hosts)
    assert sorted(server.paths) == ["/docs/1", "/map1.xml", "/maps.xml", "/more.xml"]


def test_limits_end_a_crawl_and_it_continues(tmp_path: Path) -> None:
    with serve_pages(tree(20)) as server:
        first = Run(tmp_path, server, pages=6)
        assert (first.summary.pages, first.summary.ended) == (6, "page limit")
        second = Run(tmp_path, server, size=200)
        assert second.summary.ended == "size limit"
        third = Run(tmp_path, server)
    assert first.fetched() + second.fetched() + third.fetched() == [
        "/",
        *(f"/{k}" for k in range(1, 21)),
    ]
    assert len(server.paths) == len(set(server.paths)) == 21
    assert [path.name for path in (tmp_path / "archive").iterdir()] == ["weft-00001.warc.gz"]
    assert len(Read(tmp_path / "archive" / "weft-00001.warc.gz").pages) == 21


def test_a_limit_in_minutes(tmp_path: Path) -> None:
    with serve_pages(tree(500)) as server:
        run = Run(tmp_path, server, delay=0.05, minutes=0.005)
    assert run.summary.ended == "time limit"
    assert 0.25 < run.summary.seconds < 5
    assert 0 < run.summary.pages < 20


@pytest.mark.slow
def test_pause_and_stop(tmp_path: Path) -> None:
    control = CrawlControl()
    control.pause()
    timers = [Timer(0.6, control.resume), Timer(1.5, control.stop)]
    with serve_pages({"/": page("/1"), **tree(500)}) as server:
        started = time.monotonic()
        for timer in timers:
            timer.start()
        run = Run(tmp_path, server, delay=0.1, control=control)
    assert run.summary.ended == "stopped"
    assert server.asked[0].time - started > 0.5
    assert time.monotonic() - started < 5
    assert 1 < len(run.fetched()) < 20
    assert run.counts.in_flight == 0


def test_an_error_in_the_visit_ends_the_crawl_and_loses_nothing(tmp_path: Path) -> None:
    def fail(fetched: FetchedPage) -> Iterable[ScoredUrl]:
        if fetched.raw.url.endswith("/2"):
            raise ZeroDivisionError
        return all_links(fetched)

    with serve_pages(tree(5)) as server:
        with pytest.raises(ZeroDivisionError):
            Run(tmp_path, server, visit=fail)
        run = Run(tmp_path, server)
    assert run.fetched()[0] == "/2"
    assert len(Read(tmp_path / "archive" / "weft-00001.warc.gz").pages) == 6


def test_a_certificate_that_nobody_signed(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "site.test")])
    now = datetime.now(UTC)
    until = now + timedelta(days=1)
    signed = x509.CertificateBuilder(name, name, key.public_key(), 1, now, until).sign(
        key, SHA256()
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "pem").write_bytes(private + signed.public_bytes(Encoding.PEM))
    with serve_pages({"/": page()}, tmp_path / "pem") as server:
        run = Run(tmp_path, server, scheme="https")
    assert run.summary.failed == {"robots.txt: no secure connection": 1}
    assert server.asked == []


def test_what_is_no_page_is_archived_and_does_not_count(tmp_path: Path) -> None:
    image = Answer(b"\x89PNG", headers={"Content-Type": "image/png"})
    with serve_pages({"/": page("/image", "/gone"), "/image": image}) as server:
        run = Run(tmp_path, server)
    assert run.fetched() == ["/", "/image", "/gone"]
    assert run.summary.pages == 1
