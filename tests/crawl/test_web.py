"""A collection served as a web."""

from collections.abc import Callable
from pathlib import Path

import pytest

import weft
from weft.core.register import METHODS
from weft.crawl import Crawl, CrawlTask, CrawlTopic, Response, SimulatedWeb
from weft.gather.page import Link, Page
from weft.workspace.workspace import Workspace

A, B, C, GONE, OLD = (f"http://a.org/{name}" for name in ("", "b", "c", "gone", "old"))
OTHER, UNSEEN = "http://b.org/", "http://b.org/unseen"
TEXT = "A forest.\nSee the tree graph here"
PAGES = [
    Page(
        A,
        title="Start",
        text=TEXT,
        language="en",
        mime="text/html",
        time=7,
        links=(
            Link(B, "tree graph", rel="nofollow", position=TEXT.index("tree")),
            Link(OLD, "here", position=TEXT.index("here")),
            Link(UNSEEN, "a picture"),
            Link(GONE),
        ),
    ),
    Page(B, text="tree", language="en", links=(Link(C), Link(OTHER))),
    Page(C, text="graph", language="en"),
    Page(OLD, kind="redirect", redirect=C),
    Page(GONE, kind="error", status=410),
    Page(OTHER, text="other", language="en", links=(Link(A),)),
]
Keep = Callable[..., Workspace]


def serve(keep: Keep, **options: object) -> SimulatedWeb:
    return SimulatedWeb(keep(*PAGES).collection, **options)  # type: ignore[arg-type]


def crawl(web: SimulatedWeb, *seeds: str, method: str = "breadth-first", name: str = "") -> Crawl:
    task = CrawlTask(web, seeds, CrawlTopic(name, relevance=None if name else lambda _: 1.0))
    result: Crawl = METHODS["crawl", method](task)  # type: ignore[assignment]
    return result


def test_a_page_is_served_as_it_was_captured(keep: Keep) -> None:
    response = serve(keep).fetch(A)
    assert response.http_status == 200
    assert response.headers == {"Content-Type": "text/html"}
    assert response.body == TEXT.encode()
    page = response.page
    assert page is not None
    assert (page.url, page.title, page.text, page.time) == (A, "Start", TEXT, 7)
    assert page.kind == "captured"


def test_links_have_anchors_positions_and_context(keep: Keep) -> None:
    links = serve(keep).fetch(A).links
    assert [link.target for link in links] == [B, OLD, UNSEEN, GONE]
    first = links[0]
    assert (first.anchor, first.rel, first.element) == ("tree graph", "nofollow", "a")
    assert TEXT[first.position :].startswith("tree graph")
    assert (first.before, first.after) == ("A forest. See the", "here")
    assert (links[2].anchor, links[2].position) == ("a picture", -1)
    assert (links[2].before, links[2].after) == ("", "")


def test_every_page_of_the_demo_web_is_served(demo: Workspace) -> None:
    """Its links lead where the graph says, and positions are those of the anchors."""
    web = SimulatedWeb(demo.collection)
    graph, numbers = demo.graph(), demo.collection.page_number
    for n in range(0, len(graph.pages), 10):
        page = web.fetch(graph.pages[n]).page
        if page is None:
            continue
        targets = {numbers(link.target) for link in page.links} - {n}
        assert targets == set(graph.outlinks.row(n).tolist()) - {n}
        flat = page.text.replace("\n", " ")
        for link in page.links:
            assert link.position < 0 or not link.anchor or link.anchor in flat[link.position :]


@pytest.mark.parametrize("url", [UNSEEN, "http://nowhere.org/", "not a URL", ""])
def test_what_was_not_captured_is_not_found(keep: Keep, url: str) -> None:
    assert serve(keep).fetch(url) == Response(url, 404)


def test_an_alias_redirects(keep: Keep) -> None:
    response = serve(keep).fetch(OLD)
    assert response == Response(OLD, 301, {"Location": C})
    assert response.links == ()
    assert response.body == b""


def test_an_error_has_its_status(keep: Keep) -> None:
    assert serve(keep).fetch(GONE) == Response(GONE, 410)


def test_a_crawl_reports_what_it_could_not_fetch(keep: Keep) -> None:
    found = crawl(serve(keep), A)
    assert found.urls == [A, B, C, OTHER]
    assert found.failures == {"HTTP 404": 1, "HTTP 410": 1}
    found = crawl(serve(keep, latency=1.0), C, OLD, OLD)
    assert found.urls == [C]
    assert found.failures == {"redirect to a page that was fetched or is out of scope": 1}


def test_robots_rules_are_kept(keep: Keep) -> None:
    rules = "User-agent: weft\nDisallow: /b\n\nUser-agent: *\nDisallow: /"
    web = serve(keep, robots={"a.org": rules})
    assert web.fetch(B) == Response(B, refused="robots.txt")
    assert web.fetch(A).http_status == 200
    assert web.fetch(OTHER).http_status == 200  # has no rules
    found = crawl(web, A)
    assert found.urls == [A, C]
    assert found.failures["refused: robots.txt"] == 1


def test_rules_for_all_agents(keep: Keep) -> None:
    web = serve(keep, robots={"a.org": "User-agent: *\nDisallow: /"})
    assert crawl(web, A).failures == {"refused: robots.txt": 1}


def test_a_share_of_urls_fails(keep: Keep) -> None:
    urls = [f"http://x{k}.org/" for k in range(2000)]
    web = serve(keep, errors=0.3, seed=1)
    failed = {url for url in urls if web.fetch(url).http_status == 503}
    assert 0.25 < len(failed) / len(urls) < 0.35
    assert failed == {url for url in urls if web.fetch(url).http_status == 503}
    other = SimulatedWeb(web.collection, errors=0.3, seed=2)
    assert failed != {url for url in urls if other.fetch(url).http_status == 503}
    all_fail = SimulatedWeb(web.collection, errors=1.0)
    assert crawl(all_fail, A).failures == {"HTTP 503": 1}


def test_latency_is_reported(keep: Keep) -> None:
    web = serve(keep, latency=0.25)
    assert {web.fetch(url).seconds for url in (A, OLD, GONE, UNSEEN)} == {0.25}
    assert serve(keep).fetch(A).seconds == 0


def test_a_web_can_be_limited(keep: Keep) -> None:
    web = serve(keep, allow=lambda url: url.startswith("http://a.org/"))
    assert web.fetch(OTHER) == Response(OTHER, 404)
    assert crawl(web, A).urls == [A, B, C]
    assert web.backlinks(A) == []
    assert serve(keep).backlinks(A) == [OTHER]


def test_backlinks_come_from_the_collection(keep: Keep) -> None:
    """Links to an alias count for the page."""
    web = serve(keep)
    assert sorted(web.backlinks(C)) == [A, B]
    assert web.backlinks(UNSEEN) == [A]
    assert web.backlinks("http://nowhere.org/") == []


def test_an_edge_list_is_a_web_without_text(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("source,target\na,b\na,c\nb,d\nd,a\n")
    workspace = weft.open(tmp_path / "c.weft")
    workspace.add(tmp_path / "links.csv")
    web = SimulatedWeb(workspace.collection)
    names = {url.rpartition("/")[2] or url: url for url in workspace.graph().pages}
    page = web.fetch(names["a"]).page
    assert page is not None
    assert page.kind == "listed"
    assert page.text == ""
    found = crawl(web, names["a"])
    assert found.urls == [names[name] for name in "abcd"]
    assert found.failures == {}


def test_a_page_of_html_on_its_way(tmp_path: Path) -> None:
    """From markup to the score of a link: the anchor of an empty link is its title."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "a.html").write_text(
        "<html lang=en><title>A</title><p>Nothing to see in this paragraph of the page "
        "<a href=b.html title='tree graph'></a> forest and paper</p>"
        "<p>Another paragraph has <a href=c.html>a forest</a> and words around it</p></html>"
    )
    for name in "bc":
        (folder / f"{name}.html").write_text(f"<title>{name}</title><p>Page {name} of a site</p>")
    workspace = weft.open(tmp_path / "c.weft")
    workspace.add(folder, workers=1)
    web = SimulatedWeb(workspace.collection)
    names = {url.rpartition("/")[2]: url for url in workspace.graph().pages}
    found = crawl(web, names["a.html"], method="shark", name="tree graph")
    scores = {step.url: step.score for step in found}
    # half of half of what the seed inherits, and half of the neighbourhood
    assert scores[names["b.html"]] == pytest.approx(0.25 + 0.5 * 1)
    assert scores[names["c.html"]] == pytest.approx(0.25)


def test_an_empty_collection_is_an_empty_web(keep: Keep) -> None:
    web = SimulatedWeb(keep().collection)
    assert web.fetch(A) == Response(A, 404)
    assert web.backlinks(A) == []
    assert len(crawl(web, A)) == 0


def test_the_live_capture_counts(keep: Keep) -> None:
    """A page captured twice is served as it was last, from its segment."""
    keep(*PAGES)
    workspace = keep(Page(C, text="changed", time=9, language="en", links=(Link(B),)))
    response = SimulatedWeb(workspace.refresh().collection).fetch(C)
    assert response.body == b"changed"
    assert [link.target for link in response.links] == [B]


@pytest.mark.slow
@pytest.mark.parametrize("method", sorted(name for kind, name in METHODS if kind == "crawl"))
def test_every_strategy_crawls_the_demo_web(demo: Workspace, method: str) -> None:
    web = SimulatedWeb(demo.collection)
    hits = demo.search("jaguar", 6).to_table()["url"].to_pylist()
    examples = [page for url in hits if (page := web.fetch(url).page) is not None]
    task = CrawlTask(web, tuple(hits[:2]), CrawlTopic("jaguar", examples[2:]), pages=60)
    first: Crawl
    first, second = (METHODS["crawl", method](task) for _ in range(2))  # type: ignore[assignment]
    assert len(set(first.urls)) == len(first) <= 60
    assert first.to_document() == second.to_document()  # type: ignore[attr-defined]
