"""Pages that need a browser, rendered by a real Chromium on loopback; hostile ones among them."""

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.gather.fetch.page_server import Answer, PageServer, page, serve_pages

from weft.core.errors import BadParameter
from weft.gather.fetch import render
from weft.gather.fetch.engine import CrawlSummary, FetchedPage, crawl
from weft.gather.fetch.frontier import Frontier, ScoredUrl
from weft.gather.fetch.scope import Scope
from weft.gather.fetch.settings import FetchSettings
from weft.gather.fetch.warc_writer import WarcWriter
from weft.gather.html import ParseOptions
from weft.gather.page import Problems, RawPage
from weft.gather.revisits import RevisitIndex
from weft.gather.warc import read_warc

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not any(map(shutil.which, render.BROWSERS)), reason="Chromium is not installed"
    ),
]
LONG = "words that only a script writes, and there are enough of them to fill a page: " * 3


TRIES = """
const to = 'http://TARGET/';
const add = (kind, fields) => document.body.append(
  Object.assign(document.createElement(kind), fields));
const all = [
  () => fetch('/moved'), () => fetch('/cookies', {credentials: 'include'}),
  () => fetch(to), () => fetch(to, {mode: 'no-cors', method: 'POST', body: 'x'}),
  () => navigator.sendBeacon(to, 'x'), () => new WebSocket('ws://TARGET/'),
  () => new EventSource(to), () => { new Image().src = to }, () => new Worker(to),
  () => add('iframe', {src: to}), () => add('script', {src: to}), () => import(to),
  () => add('link', {rel: 'preconnect', href: to}), () => add('link', {rel: 'prefetch', href: to}),
  () => navigator.serviceWorker.register('/sw.js'), () => open(to), () => alert('stop'),
  () => confirm('stop'), () => fetch('file:///etc/passwd'), () => { document.cookie = 'a=b' },
  () => { const c = new RTCPeerConnection({iceServers: [{urls: 'stun:TARGET'}]});
          c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o)) },
  () => { add('a', {href: to, download: 'x', id: 'get'}); document.getElementById('get').click() },
  () => { add('form', {method: 'POST', action: to}); document.forms[0].submit() },
];
for (const each of all) { try { each()?.catch?.(() => 0) } catch (e) {} }
setTimeout(() => location.href = to, 300);
"""


def script_page(script: str) -> Answer:
    """A page that is empty without its script."""
    return Answer(f"<html><body><div id=a></div><script>{script}</script></body></html>".encode())


def write(html: str) -> str:
    """A script that puts HTML into the page."""
    return f"document.getElementById('a').innerHTML = {json.dumps(html)};"


class Crawled:
    """What a crawl with a browser fetched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pages: dict[str, FetchedPage] = {}
        self.summary = CrawlSummary()

    def text(self, path: str) -> str:
        """The text of a page by its path."""
        return next(p.page.text for url, p in self.pages.items() if url.endswith(path))

    def archived(self) -> list[RawPage]:
        """The pages of the archive."""
        (path,) = sorted(self.folder.glob("*.warc.gz"))
        revisits, problems = RevisitIndex(), Problems()
        revisits.set_current_archive(path)
        read = read_warc(path, path.name, ParseOptions(), problems, revisits)
        return [raw for raw in read if isinstance(raw, RawPage)]


@pytest.fixture
def crawl_with_browser(tmp_path: Path) -> Callable[..., Crawled]:
    """Crawl a server on loopback from `/`; other addresses than its own stay closed."""

    def run(server: PageServer, *, with_browser: bool = True) -> Crawled:
        crawled = Crawled(tmp_path / "archive")
        address = f"127.0.0.1:{server.port}"

        def visit(fetched: FetchedPage) -> list[ScoredUrl]:
            crawled.pages[fetched.page.url] = fetched
            return [ScoredUrl(link.target, 1.0) for link in fetched.page.links]

        settings = FetchSettings(
            "test@example.org", delay=0.0, allow_private=(address,), render=with_browser
        )
        with (
            Frontier(tmp_path / "frontier.sqlite", Scope(within="host")) as frontier,
            WarcWriter(crawled.folder) as archive,
        ):
            frontier.add_seeds([f"http://{address}/"])
            crawled.summary = crawl(frontier, archive, visit, settings=settings)
        return crawled

    return run


def test_a_page_without_text_is_rendered_and_its_links_are_followed(
    crawl_with_browser: Callable[..., Crawled],
) -> None:
    pages = {
        "/": script_page(
            "fetch('/data.json').then(r => r.json()).then(d => {"
            " document.getElementById('a').innerHTML ="
            " '<p>' + d.text + '</p><a href=/next>next page</a>'})"
        ),
        "/data.json": Answer(
            json.dumps({"text": LONG}).encode(), headers={"Content-Type": "application/json"}
        ),
        "/next": page(text="plain " * 50),
    }
    with serve_pages(pages) as server:
        crawled = crawl_with_browser(server)
        assert server.paths == ["/", "/data.json", "/next"]
        agents = {request.headers["User-Agent"] for request in server.asked}
    assert agents == {FetchSettings("test@example.org").user_agent}
    assert LONG.strip() in crawled.text("/")
    assert "plain" in crawled.text("/next")
    first, rendered, _ = crawled.archived()
    assert first.url == rendered.url
    assert b"<div id=a></div>" in first.body
    assert LONG.encode() in rendered.body
    assert rendered.time > first.time


def test_without_render_nothing_is_rendered(crawl_with_browser: Callable[..., Crawled]) -> None:
    with serve_pages({"/": script_page(write(f"<p>{LONG}"))}) as server:
        crawled = crawl_with_browser(server, with_browser=False)
    assert crawled.text("/") == ""
    assert len(crawled.archived()) == 1


def test_robots_rules_hold_for_what_scripts_ask_for(
    crawl_with_browser: Callable[..., Crawled],
) -> None:
    pages = {
        "/robots.txt": Answer(
            b"User-agent: *\nDisallow: /secret", headers={"Content-Type": "text/plain"}
        ),
        "/": script_page(write(f"<p>{LONG}") + "fetch('/secret/data.json')"),
    }
    with serve_pages(pages) as server:
        crawled = crawl_with_browser(server)
        assert server.paths == ["/"]
    assert LONG.strip() in crawled.text("/")


def test_a_hostile_page_reaches_nothing_else(crawl_with_browser: Callable[..., Crawled]) -> None:
    """Whatever a script tries, another server on loopback is never asked."""
    with serve_pages({"/": page(text="a private page")}) as private:
        target = f"127.0.0.1:{private.port}"
        tries = TRIES.replace("TARGET", target) + write(f"<p>{LONG}")
        pages = {
            "/": script_page(tries),
            "/moved": Answer(status=302, headers={"Location": f"http://{target}/moved"}),
            "/cookies": Answer(b"1", headers={"Set-Cookie": "c=d"}),
        }
        with serve_pages(pages) as server:
            crawled = crawl_with_browser(server)
            assert not any("Cookie" in request.headers for request in server.asked)
            assert set(server.paths) == {"/", "/moved", "/cookies"}
        assert private.asked == []
    assert LONG.strip() in crawled.text("/")


@pytest.mark.parametrize(
    "script",
    [
        "while (true) {}",
        "setInterval(() => location.reload(), 1)",
        "let n = 0; const go = () => { location.href = '/?' + n++ }; setInterval(go, 1); go()",
        "setInterval(() => fetch('/' + Math.random()), 5)",
        "for (;;) alert('again')",
        "const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()))",
        "for (;;) document.body.append(document.createElement('div'))",
        "window.stop(); document.documentElement.remove()",
    ],
)
def test_a_page_that_never_ends_is_left_behind(
    crawl_with_browser: Callable[..., Crawled], monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setattr(render, "RENDER_SECONDS", 3.0)
    monkeypatch.setattr(render, "CLOSE_SECONDS", 2.0)
    monkeypatch.setattr(render.Renderer.__init__, "__defaults__", (3.0,))
    pages = {
        "/": page("/trap", "/good", text="a plain page " * 20),
        "/trap": script_page(script),
        "/good": script_page(write(f"<p>{LONG}")),
    }
    with serve_pages(pages) as server:
        crawled = crawl_with_browser(server)
        assert len(server.asked) < 70
    assert len(crawled.pages) == 3
    assert LONG.strip() in crawled.text("/good")


def test_a_huge_page_is_cut(
    crawl_with_browser: Callable[..., Crawled], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "MAX_MEMORY_BYTES", 8 << 30)  # its layout may take more than 1 GB
    script = "document.body.innerHTML = '<p>' + 'many words '.repeat(9e5)"
    with serve_pages({"/": script_page(script)}) as server:
        crawled = crawl_with_browser(server)
    assert crawled.summary.failed == {}
    assert 1 << 20 < len(crawled.archived()[-1].body) <= 8 << 20
    assert crawled.text("/").startswith("many words")


def test_a_browser_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "BROWSERS", ("no-such-browser",))
    with pytest.raises(BadParameter, match="needs a browser"):
        render.find_browser()


def test_closing_twice_is_fine() -> None:
    async def close_twice() -> None:
        renderer = render.Renderer(1000)
        await renderer.close()
        await renderer.close()

    asyncio.run(close_twice())
