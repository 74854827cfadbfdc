"""Crawls into a collection: of another collection, and of a site on loopback."""

import gzip
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.gather.fetch.page_server import Answer, PageServer, page, redirect, serve_pages

import weft
from weft.core.errors import BadParameter, CollectionBusy, DamagedFile, UnknownName, WeftError
from weft.crawl.web import SimulatedWeb
from weft.gather.fetch.engine import CrawlControl, CrawlEvent, PageFetched
from weft.gather.fetch.frontier import Frontier
from weft.gather.fetch.frontier_status import frontier_errors
from weft.gather.fetch.scope import Scope
from weft.gather.page import Link, Page
from weft.workspace import live_crawl, parsed_pages
from weft.workspace.crawl import CrawlPlan, TopicSource, url_filter
from weft.workspace.crawl_folder import CrawlFolder
from weft.workspace.parsed_pages import ParsedPageFile, ParsedPages
from weft.workspace.workspace import Workspace

JAZZ, OTHER = "jazz piano trio plays swing and blues", "the price of grain and barley fell"
URL = "http://w.example/{}"
LINKS = {"a": "bc", "b": "de", "c": "fg", "d": "h", "e": "", "f": "", "g": "", "h": ""}
ON_TOPIC = set("abdh")


def web_page(name: str) -> Page:
    """A page of the small web; a, b, d and h are about jazz."""
    links = tuple(Link(URL.format(target), f"to {target}") for target in LINKS[name])
    text = f"{JAZZ if name in ON_TOPIC else OTHER} {name}"
    return Page(URL.format(name), title=name, text=text, language="en", links=links)


@pytest.fixture
def web(keep: Callable[..., Workspace]) -> Workspace:
    """Eight pages, half of them about jazz."""
    return keep(*map(web_page, LINKS))


@pytest.fixture
def new(tmp_path: Path) -> Workspace:
    """A collection that does not exist yet."""
    return weft.open(tmp_path / "new.weft")


def test_fetched_pages_are_captured_and_links_are_not(web: Workspace, new: Workspace) -> None:
    crawl = new.crawl(URL.format("a"), "best-first", simulate=web.folder, topic="jazz", pages=3)
    assert crawl.urls == [URL.format(name) for name in "abc"]
    kinds = {row["url"]: row["kind"] for row in new.page_table().to_pylist()}
    assert {url for url, kind in kinds.items() if kind == "captured"} == set(crawl.urls)
    assert {url[-1] for url, kind in kinds.items() if kind == "uncaptured"} == set("defg")
    assert new.search("jazz").total == 2
    assert crawl.waiting == 4
    assert crawl.ended == "page limit"


def test_a_second_crawl_adds_to_the_first(web: Workspace, new: Workspace) -> None:
    for seed in "ac":
        new.crawl(URL.format(seed), "breadth-first", simulate=web.folder, pages=2)
    assert new.counts["captured"] == 4
    assert [entry["inputs"] for entry in new.history] == [["crawl of c.weft by breadth-first"]] * 2


def test_without_a_topic_pages_like_the_seeds_are_relevant(web: Workspace, new: Workspace) -> None:
    crawl = new.crawl(URL.format("a"), "best-first", simulate=web.folder)
    relevance = {step.url[-1]: step.relevance for step in crawl}
    assert min(relevance[name] for name in ON_TOPIC) > max(
        relevance[name] for name in set(LINKS) - ON_TOPIC
    )


def test_a_topic_from_examples_and_from_a_class(web: Workspace, new: Workspace) -> None:
    seeds = [URL.format(name) for name in "ac"]
    by_example = new.crawl(seeds, simulate=web.folder, examples=[URL.format("h")], pages=8)
    classes = {URL.format("d"): "jazz", URL.format("e"): "grain", URL.format("f"): "grain"}
    by_class = new.crawl(seeds, simulate=web.folder, train=classes, class_="jazz", pages=8)
    for crawl in (by_example, by_class):
        best = sorted(crawl, key=lambda step: -step.relevance)[:4]
        assert {step.url[-1] for step in best} == ON_TOPIC


def test_a_topic_like_one_of_a_collection(web: Workspace, new: Workspace) -> None:
    like = (str(web.folder), "jazz", 1)
    crawl = new.crawl(URL.format("a"), simulate=web.folder, like=like)
    assert crawl.topic
    with pytest.raises(BadParameter, match="there is no topic 40"):
        new.crawl(URL.format("a"), simulate=web.folder, like=(str(web.folder), "jazz", 40))


def test_scope_limits_what_is_fetched(web: Workspace, new: Workspace) -> None:
    crawl = new.crawl(URL.format("a"), simulate=web.folder, exclude=["*/b"], topic="jazz")
    assert {url[-1] for url in crawl.urls} == set("acfg")


def test_hosts_domains_and_patterns_are_scopes() -> None:
    seeds = ["http://www.a.org/x"]
    on_host, in_domain = (url_filter(seeds, within, ()) for within in ("host", "domain"))
    assert on_host("http://www.a.org/y")
    assert not on_host("http://blog.a.org/")
    assert in_domain("http://blog.a.org/")
    assert not in_domain("http://b.org/")
    assert not url_filter(seeds, "http://*.a.org/y*", ("*/yz",))("http://www.a.org/yz")


def test_patterns_are_those_of_live_crawls() -> None:
    follow = url_filter((), "a.org", ("b.a.org", "*/x[1]"))
    for url in ("http://a.org/", "http://www.a.org/y", "http://a.org/x1", "http://b.org/"):
        assert follow(url) == (not Scope("a.org", ("b.a.org", "*/x[1]")).refusal(url, 1)), url
    assert follow("http://www.a.org/x1")
    assert not follow("http://b.a.org/")


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ({"seeds": ()}, BadParameter, "at least one seed"),
        ({"method": "bets-first"}, UnknownName, "best-first"),
        ({"train": {"x": "jazz"}, "class_": "jaz"}, BadParameter, "no class 'jaz'"),
        ({"train": {}, "class_": "jazz"}, BadParameter, "none, it is empty"),
        ({"examples": ["http://nowhere.example/"]}, UnknownName, "nowhere"),
        ({"delay": 2.0}, BadParameter, "live crawls"),
        ({"n": 3}, BadParameter, "no option 'n'"),
    ],
)
def test_bad_crawls_are_refused_in_words(
    web: Workspace, new: Workspace, words: dict[str, object], error: type[Exception], message: str
) -> None:
    given: dict[str, object] = {"seeds": URL.format("a"), "simulate": web.folder, **words}
    with pytest.raises(error) as raised:
        new.crawl(**given)  # type: ignore[arg-type]
    assert message in f"{raised.value} {getattr(raised.value, 'hint', '')}"
    assert not new.folder.exists()


def test_a_collection_is_not_crawled_into_itself(web: Workspace) -> None:
    with pytest.raises(BadParameter, match="into itself"):
        web.crawl(URL.format("a"), simulate=web.folder)


def test_unknown_seeds_fetch_nothing(web: Workspace, new: Workspace) -> None:
    crawl = new.crawl("http://nowhere.example/", simulate=web.folder, topic="jazz")
    assert len(crawl) == 0
    assert crawl.failures == {"HTTP 404": 1}
    assert new.counts["captured"] == 0


def test_a_plan_survives_being_saved(tmp_path: Path) -> None:
    source = TopicSource("jazz", ("http://a.org/",), ("x.weft", "jazz", 2), {"u": "c"}, "c")
    plan = CrawlPlan(("http://a.org/",), "shark", {"inherit": 0.3}, source, exclude=("*/b",))
    plan.write(tmp_path / "crawl" / "plan.json")
    assert CrawlPlan.read(tmp_path / "crawl" / "plan.json") == plan


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "null", "\0", '{"source": 1}', '{"source": {"like": []}}'),
        *('{"pages": "x"}', '{"pages": -1}', '{"delay": NaN}', '{"contact": 5}'),
        *('{"seeds": "abc"}', '{"allow_private": {"a": 1}}'),
    ],
)
def test_a_damaged_plan_is_named(new: Workspace, web: Workspace, text: str) -> None:
    new.crawl(URL.format("a"), simulate=web.folder, pages=1)
    (new.folder / "crawl").mkdir()
    (new.folder / "crawl" / "plan.json").write_text(text)
    for use in (lambda: new.crawl(contact="me@example.org"), CrawlFolder(new.folder).read_status):
        with pytest.raises(DamagedFile, match=r"plan\.json is damaged"):
            use()


def test_a_disk_that_fails_is_no_bug(tmp_path: Path) -> None:
    """A limit of file sizes is an I/O error for SQLite."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
    with pytest.raises(OSError, match="disk I/O error"), frontier_errors(tmp_path / "f.sqlite"):
        raise error


@pytest.mark.parametrize("damage", ["missing", "cut", "overwritten"])
def test_a_damaged_frontier_is_named(new: Workspace, site: PageServer, damage: str) -> None:
    crawl_site(new, site, "a", topic="jazz", pages=3)
    path, private = new.folder / "crawl" / "frontier.sqlite", (f"127.0.0.1:{site.port}",)
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:9000])
    else:
        path.write_bytes(b"x" * 9000)
    with pytest.raises(WeftError, match=r"frontier\.sqlite"):
        CrawlFolder(new.folder).read_status()
    if damage != "missing":
        with pytest.raises(DamagedFile, match=r"frontier\.sqlite is damaged"):
            new.crawl(pages=5, allow_private=private)
        path.unlink()
    assert len(new.crawl(pages=100, allow_private=private)) == 7
    assert new.counts["captured"] == 7


def test_a_plan_is_continued_with_what_is_given_anew() -> None:
    plan = CrawlPlan(("a",), "shark", pages=50, contact="me@a.org")
    assert plan.continued_by(CrawlPlan(("b",))) == CrawlPlan(
        ("a", "b"), "shark", pages=50, contact="me@a.org"
    )
    assert plan.continued_by(CrawlPlan(pages=90)).pages == 90


@pytest.fixture
def site() -> Iterator[PageServer]:
    """A site of eight pages on loopback, one of which is missing."""
    pages = {
        f"/{name}": page(*(f"/{target}" for target in LINKS[name]), text=web_page(name).text)
        for name in LINKS
        if name != "g"
    }
    with serve_pages(pages) as server:
        yield server


def crawl_site(
    new: Workspace, site: PageServer, *seeds: str, pages: int = 100, **settings: object
) -> weft.crawl.Crawl:
    address = f"127.0.0.1:{site.port}"
    return new.crawl(
        [f"http://{address}/{seed}" for seed in seeds],
        settings.pop("method", "best-first"),  # type: ignore[arg-type]
        pages=pages,
        delay=0.0,
        contact="test@example.org",
        allow_private=(address,),
        **settings,  # type: ignore[arg-type]
    )


def test_a_live_crawl_archives_and_adds_what_it_fetches(new: Workspace, site: PageServer) -> None:
    events: list[CrawlEvent] = []
    crawl = crawl_site(new, site, "a", topic="jazz", listen=events.append, wacz=True)
    assert [url[-1] for url in crawl.urls][:3] == ["a", "b", "c"]
    assert {url[-1] for url in crawl.urls} == set("abcdefh")
    assert {step.url[-1]: step.depth for step in crawl} == dict(
        zip("abcdefh", [0, 1, 1, 2, 2, 2, 3], strict=True)
    )
    assert crawl.failures == {"HTTP 404": 1}
    assert crawl.ended == "nothing left"
    assert new.counts["captured"] == 7
    assert new.search("jazz").total == 4
    assert len([event for event in events if isinstance(event, PageFetched)]) == 8
    assert list((new.folder / "archive").glob("*.warc.gz"))
    assert (new.folder / "new.wacz").exists()
    assert new.doctor() == []


def test_urls_of_a_sitemap_are_fetched_by_their_words(new: Workspace, site: PageServer) -> None:
    """With a topic: then the seeds come first, and what is learned before the rest of the list."""
    listed = ["/cooking-1", "/cooking-2", "/jazz", "/cooking-3"]
    entries = "".join(f"<url><loc>{path}</loc></url>" for path in listed)
    body = f"<urlset>{entries}</urlset>".encode()
    site.pages["/map.xml"] = Answer(body, headers={"Content-Type": "application/xml"})
    site.pages |= {path: page(text=f"{path} soup") for path in listed}
    site.pages["/seed"] = page(text="a seed")
    site.pages["/jazz"] = Answer(b"jazz music <a href=/more>more jazz music</a>")
    site.pages["/more"] = page(text="jazz")
    crawl = crawl_site(new, site, "map.xml", "seed", topic="jazz music")
    paths = [url.rpartition("/")[2] for url in crawl.urls]
    assert paths == ["seed", "jazz", "more", "cooking-1", "cooking-2", "cooking-3"]


def test_urls_of_a_sitemap_keep_their_order_without_a_topic(
    new: Workspace, site: PageServer
) -> None:
    entries = "".join(f"<url><loc>/{name}</loc></url>" for name in "hcab")
    body = f"<urlset>{entries}</urlset>".encode()
    site.pages["/map.xml"] = Answer(body, headers={"Content-Type": "application/xml"})
    crawl = crawl_site(new, site, "map.xml", method="breadth-first")
    assert [url[-1] for url in crawl.urls][:4] == list("hcab")


@pytest.mark.parametrize("method", ["auto", "focused", "breadth-first", "intelligent"])
def test_a_live_crawl_goes_on_where_it_ended(new: Workspace, site: PageServer, method: str) -> None:
    first = crawl_site(new, site, "a", topic="jazz", pages=3, method=method)
    assert len(first) == 3
    second = new.crawl(pages=100, allow_private=(f"127.0.0.1:{site.port}",))
    assert second.method == method
    assert second.urls[:3] == first.urls
    assert [step.relevance for step in second][:3] == [step.relevance for step in first]
    assert [step.depth for step in second][:3] == [step.depth for step in first]
    assert {url[-1] for url in second.urls} == set("abcdefh")
    asked = [path for path in site.paths if path != "/g"]
    assert sorted(asked) == sorted(f"/{name}" for name in "abcdefh")


def test_a_context_graph_learns_from_the_collection_of_its_topic(
    web: Workspace, new: Workspace, site: PageServer
) -> None:
    like = (str(web.folder), "jazz", 1)
    crawl = crawl_site(new, site, "a", method="context-graph", like=like, layers=2)
    assert {url[-1] for url in crawl.urls} == set("abcdefh")
    urls = [url[-1] for url in crawl.urls]
    assert urls.index("d") < urls.index("f")
    with pytest.raises(BadParameter, match="in-links are known"):
        crawl_site(weft.open(new.folder.with_name("x")), site, "a", method="context-graph")


def test_seeds_of_a_live_crawl_are_its_examples(new: Workspace, site: PageServer) -> None:
    crawl = crawl_site(new, site, "a", method="auto")
    relevance = {step.url[-1]: step.relevance for step in crawl}
    assert relevance["d"] > relevance["e"]


def test_a_seed_that_has_moved_is_an_example(new: Workspace, site: PageServer) -> None:
    site.pages["/old"], site.pages["/older"] = redirect("/a"), redirect("/old")
    first = crawl_site(new, site, "older", method="auto", pages=3)
    second = new.crawl(pages=100, allow_private=(f"127.0.0.1:{site.port}",))
    relevance = {step.url[-1]: step.relevance for step in second}
    assert relevance["d"] > relevance["e"]
    assert [step.relevance for step in second][:3] == [step.relevance for step in first]


def test_a_stopped_crawl_says_so_and_goes_on(new: Workspace, site: PageServer) -> None:
    control = CrawlControl()

    def stop(event: CrawlEvent) -> None:
        if isinstance(event, PageFetched):
            control.stop()

    first = crawl_site(new, site, "a", topic="jazz", listen=stop, control=control)
    assert first.ended == "stopped"
    status = CrawlFolder(new.folder).read_status()
    assert status.plan.source.topic == "jazz"
    assert status.frontier.counts.waiting > 0
    with pytest.raises(BadParameter, match="private address"):
        new.crawl()
    again = new.crawl(allow_private=(f"127.0.0.1:{site.port}",))
    assert {url[-1] for url in again.urls} == set("abcdefh")


def test_a_live_crawl_needs_a_contact_and_a_seed(new: Workspace) -> None:
    with pytest.raises(BadParameter, match="contact"):
        new.crawl("http://a.example/")
    with pytest.raises(BadParameter, match="seed"):
        new.crawl(contact="me@example.org")
    assert not new.folder.exists()
    with pytest.raises(WeftError, match="no crawl"):
        CrawlFolder(new.folder).read_status()


def test_pages_that_need_a_browser_are_counted(new: Workspace) -> None:
    script = "<script src='app.js'></script>"
    pages = {
        "/a": page("/b", "/c", head=script),
        "/b": page(text=script + "Loading"),
        "/c": page(text="Short"),
    }
    with serve_pages(pages) as server:
        crawl = crawl_site(new, server, "a", topic="jazz")
    assert len(crawl) == 3
    assert crawl.failures == {"looks empty without a browser": 1}


@pytest.mark.parametrize("method", ["auto", "best-first"])
def test_links_of_copies_are_never_fetched(new: Workspace, method: str) -> None:
    """Also not when a strategy scores all that it has seen again."""
    text = " ".join(f"jazz{k}" for k in range(200))
    pages = {
        "/a": page("/b", "/c/"),
        "/b": page("/d", text=text),
        "/c/": page("x", text=text),
        "/d": page("/e"),
        "/e": page(),
        "/c/x": page(),
    }
    with serve_pages(pages) as server:
        crawl_site(new, server, "a", topic="jazz", method=method)
    assert sorted(server.paths) == ["/a", "/b", "/c/", "/d", "/e"]


def test_a_crawl_that_is_refused_changes_no_plan(new: Workspace, site: PageServer) -> None:
    crawl_site(new, site, "a", topic="jazz", pages=1)
    plan = CrawlFolder(new.folder).read_plan()
    private = plan.allow_private
    with Frontier(new.folder / "crawl" / "frontier.sqlite"), pytest.raises(CollectionBusy):
        new.crawl(f"http://127.0.0.1:{site.port}/c", pages=2, allow_private=private)
    with pytest.raises(BadParameter, match="empty pattern"):
        new.crawl(exclude=[" "], allow_private=private)
    assert CrawlFolder(new.folder).read_plan() == plan


def test_what_the_scope_refuses_is_counted(new: Workspace, site: PageServer) -> None:
    """Seeds are fetched wherever they are; a and b link to four others."""
    crawl = crawl_site(new, site, "a", "b", within="nowhere.example", topic="jazz")
    assert [url[-1] for url in crawl.urls] == ["a", "b"]
    assert crawl.failures == {"out of scope": 3}
    assert CrawlFolder(new.folder).read_status().frontier.refused == {"out of scope": 3}


def test_dead_links_are_told_by_status(new: Workspace, site: PageServer) -> None:
    crawl_site(new, site, "c", topic="jazz")
    assert CrawlFolder(new.folder).read_status().frontier.refused == {"HTTP 404": 1}


@pytest.mark.parametrize("method", ["auto", "best-first", "breadth-first"])
@pytest.mark.parametrize(
    ("first", "then", "found"),
    [
        ({"depth": 1}, {"depth": 2}, "abcdef"),
        ({"per_host": 3}, {"per_host": 100}, "abcdefh"),
        ({"within": "*/b"}, {"within": "*/?"}, "abcdefh"),
        ({"exclude": ["*/b"]}, {"exclude": ["*/x"]}, "abcdefh"),
        ({"pages": 1}, {"pages": 100, "exclude": ["*/c"]}, "abdeh"),
        ({"pages": 1}, {"pages": 100, "depth": 1}, "abc"),
    ],
)
def test_a_crawl_goes_on_in_another_scope(
    new: Workspace,
    site: PageServer,
    method: str,
    first: dict[str, Any],
    then: dict[str, Any],
    found: str,
) -> None:
    """What was refused is found again, and what waits and is out of scope now is not fetched."""
    crawl_site(new, site, "a", topic="jazz", method=method, **first)
    crawl = new.crawl(**then, allow_private=(f"127.0.0.1:{site.port}",))
    assert {url[-1] for url in crawl.urls} == set(found)
    assert len(site.paths) == len(set(site.paths))


def test_links_of_copies_stay_unfetched_in_another_scope(new: Workspace) -> None:
    text = "jazz piano and blues in the evening " * 20
    pages = {"/": page("/a", "/b"), "/a": page("/c", text=text), "/b": page("/d", text=text)}
    with serve_pages({**pages, "/c": page("/e"), "/d": page(), "/e": page()}) as server:
        crawl_site(new, server, "", topic="jazz", depth=2)
        new.crawl(depth=3, allow_private=(f"127.0.0.1:{server.port}",))
    assert sorted(server.paths) == ["/", "/a", "/b", "/c", "/e"]


def test_an_address_is_opened_later(new: Workspace, site: PageServer) -> None:
    seed = f"http://127.0.0.1:{site.port}/a"
    new.crawl(seed, topic="jazz", contact="me@example.org", delay=0.0)
    assert len(new.crawl(allow_private=[f"127.0.0.1:{site.port}"])) == 7


def test_examples_do_not_widen_the_scope(new: Workspace, site: PageServer) -> None:
    """An example on another host is fetched, and nothing that it links to there."""
    opened = [f"{name}:{site.port}" for name in ("127.0.0.1", "localhost")]
    example = f"http://localhost:{site.port}/c"
    for pages in (2, 100):
        crawl = new.crawl(
            f"http://127.0.0.1:{site.port}/d",
            "best-first",
            examples=[example],
            within="host",
            pages=pages,
            delay=0.0,
            contact="test@example.org",
            allow_private=opened,
        )
    assert [url for url in crawl.urls if "localhost" in url] == [example]
    assert {url[-1] for url in crawl.urls} == set("cdh")


def test_private_addresses_are_refused(new: Workspace, site: PageServer) -> None:
    seed = f"http://127.0.0.1:{site.port}/a"
    crawl = new.crawl(seed, topic="jazz", contact="me@example.org", delay=0.0)
    assert len(crawl) == 0
    assert site.asked == []
    assert crawl.failures == {"private address": 1}


@pytest.mark.slow
def test_a_killed_crawl_ends_with_the_pages_of_an_unbroken_one(tmp_path: Path) -> None:
    """The whole product: frontier, strategy, archive and collection, killed three times."""
    names = [str(k) for k in range(120)]
    pages = {
        f"/{name}": page(
            *(f"/{(int(name) * 7 + step) % 120}" for step in range(1, 6)),
            text=f"{JAZZ if int(name) % 3 else OTHER} number {name}",
        )
        for name in names
    }
    with serve_pages(pages) as server:
        script = (
            "import sys, weft; folder, port = sys.argv[1:]\n"
            "weft.open(folder).crawl(f'http://127.0.0.1:{port}/0', topic='jazz', delay=0.0,\n"
            "    contact='test@example.org', allow_private=(f'127.0.0.1:{port}',))\n"
        )
        command = [sys.executable, "-c", script, str(tmp_path / "killed.weft"), str(server.port)]
        for fetched in (10, 40, 80):
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            while process.poll() is None and len(server.paths) < fetched:
                time.sleep(0.01)
            process.kill()
            process.wait()
        subprocess.run(command, check=True, timeout=120)
        killed = weft.open(tmp_path / "killed.weft")
        assert killed.counts["captured"] == 120
        assert killed.counts["captures"] == 120
        assert killed.doctor() == []
        assert len(server.paths) <= 120 + 3 * 16


def varied_site() -> dict[str, Answer]:
    """Pages of every kind: redirects, errors, copies, other charsets, long ones, no pages."""
    pages = {
        f"/{k}": page(
            *(f"/{k + step}" for step in range(1, 5)),
            text=" ".join(f"jazz{k} word{k * j}" for j in range(99)),
        )
        for k in range(40)
    }
    pages["/3"] = redirect("/39")
    pages["/5"] = Answer(b"<title>Gone</title><p>Nothing here", 404)
    pages["/7"] = pages["/8"]
    pages["/9"] = Answer("<p>Café à la crème, déjà vu, garçon".encode("latin-1"))
    pages["/16"] = page(*(f"/many{k}" for k in range(10_010)), text="x " * 60_000)
    pages["/20"] = Answer(b"%PDF-1.4 nothing", headers={"Content-Type": "application/pdf"})
    pages["/24"] = Answer(gzip.compress(b"<p>packed jazz"), headers={"Content-Encoding": "gzip"})
    pages["/28"] = page(head='<link rel="canonical" href="/4">', text="a copy of four")
    return pages


def stored_tables(workspace: Workspace) -> dict[str, object]:
    """The pages with their texts, and the arrays of the graph: all but the places on disk."""
    collection = workspace.collection
    graph = collection.folder / collection.manifest.snapshot_folder / "graph"
    pages = [
        page and replace(page, links=tuple(sorted(page.links, key=str)))
        for page in (
            SimulatedWeb(collection).fetch(url).page for url in collection.pages["url"].to_pylist()
        )
    ]
    columns = [name for name in collection.pages.column_names if name not in ("segment", "row")]
    return {
        "pages": collection.pages.select(columns).to_pylist(),
        "parsed": pages,
        **{path.name: path.read_bytes() for path in sorted(graph.iterdir())},
    }


@pytest.mark.slow
@pytest.mark.parametrize("kept", ["all", "small", "none"])
def test_what_a_crawl_adds_is_what_adding_its_archive_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    """Table for table, whether pages come parsed from the crawl or are parsed again."""
    monkeypatch.setattr(live_crawl, "FIRST_COMMIT_PAGES", 10)
    handed_over: set[str] = set()

    def take(pages: ParsedPageFile, *rest: Any) -> ParsedPages:
        for batch in pages.read(pages.captures):
            handed_over.update(url.rpartition("/")[2] for url in batch.pages["url"].to_pylist())
        return ParsedPages(pages, *rest)

    monkeypatch.setattr(live_crawl, "ParsedPages", take)
    limits = {"all": 1 << 30, "small": 100_000, "none": 0}
    monkeypatch.setattr(parsed_pages, "MAX_FILE_BYTES", limits[kept])
    crawled, added = weft.open(tmp_path / "crawled.weft"), weft.open(tmp_path / "added.weft")
    with serve_pages(varied_site()) as site:
        crawl_site(crawled, site, "0", method="breadth-first", exclude=("*/many*",))
    assert {"all": {"15", "16"}, "small": {"15"}, "none": set()}[kept] == handed_over & {"15", "16"}
    added.add(crawled.folder / "archive")
    assert crawled.counts == added.counts
    assert crawled.counts["captured"] > 25
    assert stored_tables(crawled) == stored_tables(added)
    for workspace in (crawled, added):
        problems = [p for e in workspace.collection.manifest.history for p in e["problems"]]
        assert ("links over the limit per page", 10) in {
            (p["reason"], p["count"]) for p in problems
        }
    assert crawled.search("packed").total == 1


@pytest.mark.slow
def test_dead_links_teach_auto_to_leave_their_kind_alone(new: Workspace) -> None:
    """Every second link is dead; without learning that, half of the requests would be."""
    names = [f"/{a}{b}" for a in "abcdefgh" for b in "abcdefgh"]
    links = [link for k, name in enumerate(names) for link in (f"/images/{k}.htm", name)]
    pages = {name: page(*links[k:], text=JAZZ) for k, name in enumerate(names)}
    with serve_pages(pages) as server:
        crawl = crawl_site(new, server, "aa", topic="jazz", method="auto", pages=64)
        dead = sum("/images/" in path for path in server.paths)
    assert len(crawl) == 64
    assert 0 < dead < 16


def test_training_pages_that_are_missing_are_fetched(new: Workspace, site: PageServer) -> None:
    """The classes are learned from pages of the crawl itself, on its first run and the next."""
    address = f"http://127.0.0.1:{site.port}"
    train = {f"{address}/{name}": "jazz" if name in ON_TOPIC else "grain" for name in "bcdf"}
    crawl = crawl_site(new, site, "a", train=train, class_="jazz", pages=6)
    relevance = {step.url[-1]: step.relevance for step in crawl}
    assert set("abcdf") <= set(relevance)
    later = new.crawl(pages=20, allow_private=(f"127.0.0.1:{site.port}",))
    relevance = {step.url[-1]: step.relevance for step in later}
    assert min(relevance[name] for name in "bdh") > max(relevance[name] for name in "cef")
    with pytest.raises(BadParameter, match="no class 'blues'"):
        crawl_site(new, site, "a", train=train, class_="blues")
