"""The page of a report, read back by a browser's parser: whole, safe, the same every time."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from resiliparse.parse.html import HTMLTree

from weft.gather.page import Link, Page
from weft.run.report import report
from weft.run.workspace import Workspace

Keep = Callable[..., Workspace]
LOADING = (
    "src",
    "srcset",
    "style",
    "action",
    "formaction",
    "background",
    "poster",
    "data",
    "xlink:href",
)
HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "</style></title><svg onload=alert(1)>",
    "<!-- &amp; &lt; -->",
    "\x1b[2J\u202egnp.exe\x00",
    "{{ 7 * 7 }}",
]


def body(html: str) -> Any:
    found = HTMLTree.parse(html).body
    assert found is not None
    return found


def texts(html: str, selector: str) -> list[str]:
    return [one.text for one in body(html).query_selector_all(selector)]


def check_safe(html: str) -> None:
    """No script, nothing loaded, no style but the one that the policy knows."""
    tree = HTMLTree.parse(html)
    head, found = tree.head, tree.body
    assert head is not None
    assert found is not None
    elements = [*head.query_selector_all("*"), *found.query_selector_all("*")]
    names = {element.tag for element in elements}
    assert not names & {
        "script",
        "img",
        "iframe",
        "object",
        "embed",
        "link",
        "base",
        "form",
        "image",
        "use",
    }
    for element in elements:
        for name in element.attrs:
            assert not name.startswith("on"), element
            assert name not in LOADING, (element, name)
        if "href" in element.attrs:
            address = element.getattr("href")
            assert re.match(r"https?://|#(?:topic|work)-\d+$", address), address
            if not address.startswith("#"):
                assert element.getattr("rel") == "noreferrer nofollow"
    [style] = head.query_selector_all("style")
    assert "url(" not in style.text
    assert "@import" not in style.text
    known = b64encode(hashlib.sha256(style.text.encode()).digest()).decode()
    [policy] = head.query_selector_all("meta[http-equiv]")
    assert policy.getattr("http-equiv") == "Content-Security-Policy"
    content = policy.getattr("content")
    assert content.startswith("default-src 'none';")
    assert f"style-src 'sha256-{known}'" in content
    assert "unsafe" not in content


def test_a_whole_report(two: Workspace) -> None:
    html = two.report("jaguar", top=2, method="atd", least=5)
    check_safe(html)
    assert html.startswith('<!doctype html>\n<html lang="en">')
    assert texts(html, "h1") == ["Topics of “jaguar”"]
    assert texts(html, ".overview th a") == ["engine", "jungle"]
    assert texts(html, ".overview .from") == ["engine links a", "jungle links a"]
    assert texts(html, "#topic-1 .facts") == ["10 pages · 7 sites · strength 10"]
    assert texts(html, "#topic-1 .title") == [
        "cars.com/0",
        "cars.com/1",
        "engine links a",
        "engine links b",
    ]
    assert texts(html, "#topic-1 .evidence") == [
        "linked by 6 hubs from 6 sites: engine page 0",
        "linked by 6 hubs from 6 sites: engine page 1",
        *["links to 4 authorities on 1 site"] * 2,
    ]
    assert texts(html, "#topic-1 .snippet") == ["jaguar engine"] * 2
    assert len(body(html).query_selector_all("#topic-1 .ties path")) == 24
    assert "The search for “jaguar” found 12 pages." in body(html).text
    assert "8 pages of it were seen in links, but not fetched." in body(html).text
    assert "No page is in two topics." in body(html).text


def test_every_link_inside_leads_somewhere(demo: Workspace) -> None:
    html = demo.report("jaguar", method="eigen")
    found = body(html)
    inside = {
        a.getattr("href") for a in found.query_selector_all("a") if a.getattr("href")[0] == "#"
    }
    assert "#topic-1" in inside
    assert "#work-1" in inside
    assert inside <= {f"#{one.getattr('id')}" for one in found.query_selector_all("[id]")}


def test_pages_of_several_topics_and_overlap_are_told(demo: Workspace) -> None:
    html = demo.report("jaguar", method="eigen")
    assert any(words.startswith("also in topic") for words in texts(html, ".also"))
    shares = [
        float(words.removesuffix("%"))
        for words in texts(html, "table.small td:last-child")
        if "%" in words
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares


def test_what_was_left_out_and_set_aside_is_told(demo: Workspace) -> None:
    found = demo.topics("jaguar", "atd")
    html = report(demo.collection, found)
    for left in found.provenance["left_out"]:
        assert left["reason"] in texts(html, "table.small td:first-child")
    assert [topic.reason for topic in found.aside] == texts(html, "section > ul li")


def test_the_same_bytes_every_time(demo: Workspace) -> None:
    """Also from another process's point of view: the time of asking is not in it."""
    first = demo.report("jaguar")
    assert Workspace(demo.folder).report("jaguar") == first
    found = demo.topics("jaguar")
    later = replace(found, provenance={**found.provenance, "time": "2099-01-01T00:00:00"})
    assert report(demo.collection, later) == first
    assert str(demo.folder.parent) not in first


def test_provenance(two: Workspace) -> None:
    html = two.report("jaguar", method="atd", least=5)
    found = two.topics("jaguar")
    told = dict(zip(texts(html, "dt"), texts(html, "dd"), strict=True))
    assert told["digest"] == f"sha256:{found.provenance['digest']}"
    assert told["collection"] == "c.weft: 12 pages"
    assert "least 5" in told["method"]
    assert "root 200" in told["base set"]
    assert texts(html, "ol.works li")[0].startswith("Kleinberg, Jon M. (1999).")


def hostile(keep: Keep) -> Workspace:
    pages = [
        Page(
            f"http://h{k}.org/?\"'><x>&{k}",
            title=f"{words} {k}",
            text=f"jaguar {words}",
            language="en",
            links=tuple(Link(f"http://x{n}.com/'\"<b>", words) for n in range(4)),
        )
        for k, words in enumerate(HOSTILE)
    ]
    return keep(*pages)


def test_hostile_pages_stay_text(keep: Keep) -> None:
    html = hostile(keep).report("jaguar", method="hits")
    check_safe(html)
    said = body(html).text
    assert "<script>alert(1)</script> 0" in said
    assert "\"><img src=x onerror='alert(1)'>" in said
    assert "{{ 7 * 7 }}" in said
    assert not re.search("[\x00\x1b\u202e]", html)


@pytest.mark.parametrize("query", HOSTILE[:4])
def test_hostile_queries_stay_text(two: Workspace, query: str) -> None:
    html = two.report(f"jaguar OR {query!r}", method="hits")
    check_safe(html)
    assert "alert(1)" not in query or "alert(1)" in texts(html, "h1")[0]


def test_names_that_are_no_web_addresses_are_no_links(tmp_path: Path) -> None:
    names = [
        "javascript:alert(1)",
        "data:text/html;x",
        "<img src=x onerror=alert(1)>",
        "http://ok.com/",
    ]
    rows = [f"http://{host}.org/,{name}" for host in "abcdef" for name in names]
    (tmp_path / "links.csv").write_text("source,target\n" + "\n".join(rows) + "\n")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(tmp_path / "links.csv")
    html = workspace.report(method="hits")
    check_safe(html)
    assert set(names[:3]) <= set(texts(html, "span.title"))
    assert "ok.com/" in texts(html, "a.title")


def test_collections_without_text(tmp_path: Path) -> None:
    rows = [f"{hub},{page}" for hub in "abcdef" for page in "xyz"]
    (tmp_path / "links.csv").write_text("source,target\n" + "\n".join(rows) + "\n")
    workspace = Workspace(tmp_path / "plain.weft")
    workspace.add(tmp_path / "links.csv")
    html = workspace.report(method="hits")
    check_safe(html)
    assert texts(html, "h1") == ["Topics of plain.weft"]
    assert texts(html, ".title")[:3] == ["x", "y", "z"]
    assert texts(html, ".snippet") == []
    assert "The base set is the whole collection" in body(html).text


def test_hosts(demo: Workspace) -> None:
    html = demo.report(level="host", method="hits")
    check_safe(html)
    assert " hosts · " in texts(html, "#topic-1 .facts")[0]
    assert texts(html, "a.title") == []


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (
            {"query": "xyzzyx"},
            "No page is found by xyzzyx. What may help: try fewer or other words.",
        ),
        ({"query": "jaguar", "method": "atd", "least": 50}, "No topic: no group of pages is large"),
    ],
)
def test_no_topics(two: Workspace, asked: dict[str, Any], why: str) -> None:
    html = two.report(**asked)
    check_safe(html)
    assert texts(html, ".lead")[0].startswith(why)
    assert texts(html, ".topic") == []


def test_pages_without_links(keep: Keep) -> None:
    html = keep(Page("http://a.org/", text="jaguar")).report("jaguar")
    check_safe(html)
    assert "no links between them that count" in texts(html, ".lead")[0]


def test_an_empty_collection(tmp_path: Path) -> None:
    (tmp_path / "nothing.jsonl").write_text("")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(tmp_path / "nothing.jsonl")
    html = workspace.report()
    check_safe(html)
    assert texts(html, ".lead") == ["There are no pages. What may help: weft add puts some in."]


def test_stability_is_shown_where_it_is_known(two: Workspace) -> None:
    found = two.topics("jaguar", "atd", least=5)
    assert "stability" not in texts(report(two.collection, found), ".overview thead th")
    steady = replace(found[0], facts={**found[0].facts, "stability": "weak: 3 hubs"})
    html = report(two.collection, replace(found, topics=(steady, found[1])))
    assert "stability" in texts(html, ".overview thead th")
    assert "weak: 3 hubs" in texts(html, "#topic-1 .facts")[0]


def test_micro_hubs_are_shown_where_there_are_some(demo: Workspace) -> None:
    found = demo.topics("jaguar", "dom-hits", least=5)
    first = found[0].facts["micro-hubs"][0]
    html = report(demo.collection, found)
    check_safe(html)
    [shown, *_] = texts(html, "#topic-1 > div > ul li")
    assert shown.startswith(first.page.removeprefix("http://"))
    assert ", ".join(first.anchors[:2]) in shown
