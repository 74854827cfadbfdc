"""The topics report, read back by an HTML parser: complete, safe, the same every time."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from resiliparse.parse.html import HTMLTree
from tests.subjects import HUBS_ONLY

from weft.gather.page import Link, Page
from weft.groups import Group, MicroHub, SiteDiversity, VoteStability
from weft.groups.group import Role
from weft.report import topics_report
from weft.report.render import template_environment
from weft.report.topics import (
    MAX_OVERLAP_ROWS,
    HubAuthorityLinks,
    TopicSection,
    TopicsReport,
    build_topics_report,
    render_topics_report,
)
from weft.workspace.workspace import Workspace

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


def test_a_complete_report(two: Workspace) -> None:
    html = two.report("jaguar", top=2, method="atd", min_size=5)
    check_safe(html)
    assert html.startswith('<!doctype html>\n<html lang="en">')
    assert texts(html, "h1") == ["Topics of “jaguar”"]
    assert texts(html, ".overview th a") == ["Engine", "Jungle"]
    assert texts(html, ".overview .from") == [
        "engine links a; engine links b",
        "jungle links a; jungle links b",
    ]
    assert texts(html, "#topic-1 .facts") == ["10 pages · 7 sites · strength 10"]
    assert texts(html, "#topic-1 .title") == [
        "cars.com/0",
        "cars.com/1",
        "engine links a",
        "engine links b",
    ]
    assert texts(html, "#topic-1 .evidence") == [
        "linked by 6 pages of the topic from 6 sites: engine page 0",
        "linked by 6 pages of the topic from 6 sites: engine page 1",
        *["links to 4 pages on 1 site"] * 2,
    ]
    assert texts(html, "#topic-1 .snippet") == ["jaguar engine"] * 2
    assert len(body(html).query_selector_all("#topic-1 .hub-links path")) == 24
    assert "The search for “jaguar” found 12 pages." in body(html).text
    assert "linked, not captured" not in body(html).text.lower()
    assert "No page is in two topics." in body(html).text


def test_uncaptured_pages_of_a_report(keep: Keep) -> None:
    hubs = keep(*HUBS_ONLY)
    html = hubs.report("jaguar", top=2, method="atd", min_size=5)
    check_safe(html)
    assert "8 pages of it are linked, not captured." in body(html).text
    assert texts(html, "#topic-1 .title") == ["engine links a", "engine links b"]
    assert texts(html, "#topic-1 .blocks h3") == ["Linked, not captured: worth fetching"]
    assert texts(html, "#topic-1 .blocks li") == ["cars.com/0", "cars.com/1"]


def test_every_link_inside_leads_somewhere(demo: Workspace) -> None:
    html = demo.report("jaguar", method="eigen")
    found = body(html)
    inside = {
        a.getattr("href") for a in found.query_selector_all("a") if a.getattr("href")[0] == "#"
    }
    assert "#topic-1" in inside
    assert "#work-1" in inside
    assert inside <= {f"#{one.getattr('id')}" for one in found.query_selector_all("[id]")}


def test_pages_of_several_topics_and_overlap(demo: Workspace) -> None:
    html = demo.report("jaguar", method="eigen")
    assert any(words.startswith("also in topic") for words in texts(html, ".also"))
    shares = [
        float(words.removesuffix("%"))
        for words in texts(html, "table.small td:last-child")
        if "%" in words
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares


def test_left_out_and_set_aside(demo: Workspace) -> None:
    found = demo.topics("jaguar", "atd")
    html = topics_report(demo.collection, found)
    for left in found.provenance["left_out"]:
        assert left["reason"] in texts(html, "table.small td:first-child")
    assert [topic.reason for topic in found.set_aside] == texts(html, "section > ul li")


def test_the_same_bytes_every_time(demo: Workspace) -> None:
    """Also from another process's point of view: the time of asking is not in it."""
    first = demo.report("jaguar")
    assert Workspace(demo.folder).report("jaguar") == first
    found = demo.topics("jaguar")
    later = replace(found, provenance={**found.provenance, "time": "2099-01-01T00:00:00"})
    assert topics_report(demo.collection, later) == first
    assert str(demo.folder.parent) not in first


def test_provenance(two: Workspace) -> None:
    html = two.report("jaguar", method="atd", min_size=5)
    found = two.topics("jaguar")
    shown = dict(zip(texts(html, "dt"), texts(html, "dd"), strict=True))
    assert shown["digest"] == f"sha256:{found.provenance['digest']}"
    assert shown["collection"] == "c.weft: 20 pages"
    assert "min_size 5" in shown["method"]
    assert "root_size 200" in shown["base set"]
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
    text = body(html).text
    assert "<script>alert(1)</script> 0" in text
    assert "\"><img src=x onerror='alert(1)'>" in text
    assert "{{ 7 * 7 }}" in text
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
            "No page matches xyzzyx. What may help: try fewer or other words.",
        ),
        (
            {"query": "jaguar", "method": "atd", "min_size": 50},
            "No topic: no group of pages is large",
        ),
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
    assert texts(html, ".lead") == ["There are no pages. What may help: add pages with weft add."]


def test_stability_is_shown_where_it_is_known(two: Workspace) -> None:
    found = two.topics("jaguar", "atd", min_size=5)
    assert "stability" not in texts(topics_report(two.collection, found), ".overview thead th")
    steady = replace(found[0], stability=VoteStability(10, 2, 1.0))
    html = topics_report(two.collection, replace(found, groups=(steady, found[1])))
    assert "stability" in texts(html, ".overview thead th")
    assert "weak: 2 sites vote" in texts(html, "#topic-1 .facts")[0]


def test_micro_hubs_are_shown_where_there_are_some(demo: Workspace) -> None:
    found = demo.topics("jaguar", "dom-hits", min_size=5)
    first = found[0].micro_hubs[0]
    html = topics_report(demo.collection, found)
    check_safe(html)
    [shown, *_] = texts(html, "#topic-1 > div:last-child > ul li")
    assert shown.startswith(first.page.removeprefix("http://"))
    assert ", ".join(first.anchors[:2]) in shown


@pytest.fixture
def report(two: Workspace) -> TopicsReport:
    return build_topics_report(
        two.collection, two.topics("jaguar", method="atd", min_size=5), top=3, max_topics=5
    )


def parts(report: TopicsReport) -> dict[str, str]:
    """The text of each part by its heading, and its markup under `<heading>`."""
    found = {}
    for part in re.split("<(?:section|footer)>", render_topics_report(report))[1:]:
        heading, rest = part.partition("</h2>")[::2]
        heading = re.sub("<[^>]*>", "", heading).strip()
        found[heading] = " ".join(re.sub("<[^>]*>", " ", rest).split())
        found[f"<{heading}>"] = rest
    return found


def test_overlap_needs_two_topics(report: TopicsReport) -> None:
    shown = parts(report)
    assert shown["Overlap between topics"] == "No page is in two topics."
    alone = parts(replace(report, sections=report.sections[:1]))
    assert set(shown) - set(alone) == {"Overlap between topics", "<Overlap between topics>"}


def test_overlaps_with_their_share_and_a_count_of_the_others(report: TopicsReport) -> None:
    pair = {"number": 1, "other": 2, "pages": 1200, "share": 0.25}
    shown = parts(replace(report, overlaps=[pair] * (MAX_OVERLAP_ROWS + 1)))
    words = shown["Overlap between topics"]
    assert words.startswith("topics pages in both share of the smaller 1 2 1,200 25%")
    assert words.count("25%") == MAX_OVERLAP_ROWS
    assert words.endswith("And 1 smaller overlap.")
    assert 'href="#topic-2"' in shown["<Overlap between topics>"]


def test_reasons_of_topics_set_aside(report: TopicsReport) -> None:
    assert parts(report)["What was set aside"] == "Nothing was set aside."
    nothing = np.zeros(2)
    members = np.array([0, 1], np.int32)
    named = Group(members, nothing, nothing, 1.0, ("cats",), reason="one site alone")
    other = replace(named, is_remainder=True, reason="3 pages without links")
    shown = parts(replace(report, topics=replace(report.topics, set_aside=(named, other))))
    assert shown["What was set aside"] == "cats (2 pages) : one site alone 3 pages without links"


def test_what_was_left_out_is_counted(report: TopicsReport) -> None:
    left = [
        {"reason": "links inside sites", "pages": 0, "links": 1234},
        {"reason": "stop pages", "pages": 0, "links": 0},
    ]
    kept = {**report.topics.provenance, "left_out": left}
    shown = parts(replace(report, topics=replace(report.topics, provenance=kept)))
    assert shown["What was left out"].endswith("links inside sites 1,234 stop pages nothing")
    none = {**report.topics.provenance, "left_out": []}
    shown = parts(replace(report, topics=replace(report.topics, provenance=none)))
    assert shown["What was left out"] == "Nothing was left out."


def test_every_work_that_is_cited_is_listed_once(report: TopicsReport) -> None:
    markup = parts(report)["<Methods>"]
    cited = re.findall('href="#(work-[0-9]+)"', markup)
    listed = re.findall('id="(work-[0-9]+)"', markup)
    assert cited
    assert listed == sorted(set(listed)) == sorted(set(cited))


def test_provenance_of_a_snapshot(report: TopicsReport) -> None:
    shown = parts(replace(report, history=[{"time": "2026-01-02T03:04:05Z"}]))["Provenance"]
    assert shown.startswith("collection c.weft: 20 pages snapshot 1, of 2026-01-02 digest sha256:")
    assert "method atd: " in shown
    assert re.search("repeat weft report .*--method atd", shown)


MICRO_HUBS, MICRO_HUB_LINKS = 5, 12
HUB = {
    "url": "http://hub.org/",
    "title": "Cat links",
    "kind": "captured",
    "place": 1,
    "score": 0.8,
    "count": 4,
    "sites": 3,
    "anchors": [],
    "other_groups": [],
    "snippet": "",
}
BEST = {
    "url": "http://cats.org/",
    "title": "Cats",
    "kind": "captured",
    "place": 1,
    "score": 0.5,
    "count": 6,
    "sites": 5,
    "anchors": list("abcdef"),
    "other_groups": [1, 4],
    "snippet": "Cats live in trees",
}
NEXT = {
    **BEST,
    "url": "http://more.org/x",
    "title": "",
    "kind": "uncaptured",
    "place": 2,
    "score": 0.25,
    "anchors": [],
    "other_groups": [],
    "snippet": "",
}


def section(
    note: str = "", sites: SiteDiversity | None = None, micro_hubs: tuple[MicroHub, ...] = ()
) -> TopicSection:
    scores, members = np.array([0.5, 0.25]), np.array([3, 5], np.int32)
    topic = Group(members, scores, scores, 7.5, ("cats",), "Cat links", note, sites=sites)
    topic = replace(topic, micro_hubs=micro_hubs)
    links = HubAuthorityLinks([], [], np.zeros((0, 0)))
    uncaptured = {"url": "http://un.org/", "title": "", "kind": "uncaptured", "votes": 1.0}
    return TopicSection(2, topic, [BEST, NEXT], [HUB], [uncaptured], links)


def render_topic_section(section: TopicSection, level: str) -> str:
    macros: Any = template_environment().get_template("topic.html.j2").module
    return str(macros.topic_section(section, level))


def words(html: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def test_it_has_number_name_and_place() -> None:
    html = render_topic_section(section(), "page")
    assert html.startswith('<section id="topic-2" class="topic t2">')
    assert words(html).startswith("2 cats 2 pages · strength 7.5 Such as: Cat links")


def test_facts_of_a_topic() -> None:
    sites = SiteDiversity(1, "cats.org", 1.0, 1.0, 0.0, tightly_knit="a clan")
    shown = words(render_topic_section(section("blended", sites), "host"))
    assert "2 hosts · 1 site · strength 7.5 · blended · tightly knit: a clan" in shown


def test_evidence_for_a_page() -> None:
    html = render_topic_section(section(), "page")
    shown = words(html)
    assert (
        "linked by 6 pages of the topic from 5 sites: a , b , c also in topic 1 , topic 4" in shown
    )
    assert html.count("<q>") == 3
    assert "links to 4 pages on 3 sites" in shown
    assert re.findall('href="#topic-([0-9]+)"', html) == ["1", "4"]


def test_a_snippet_does_not_repeat_the_title_and_pages_without_title_show_their_address() -> None:
    html = render_topic_section(section(), "page")
    assert '<span class="snippet" dir="ltr">live in trees</span>' in html
    assert "<bdi>more.org/x</bdi>" in html
    assert html.count("linked, not captured") == 1


def test_pages_worth_fetching_are_links() -> None:
    html = render_topic_section(section(), "page")
    assert words(html).endswith("Linked, not captured: worth fetching un.org/")
    assert '<li><a href="http://un.org/" rel="noreferrer nofollow">' in html
    assert "worth fetching" not in render_topic_section(replace(section(), uncaptured=[]), "page")


def test_bars_are_shares_of_the_best() -> None:
    found = re.findall(r'<rect width="([0-9.]+)"', render_topic_section(section(), "page"))
    assert found == ["100.0", "50.0", "100.0"]


def test_no_more_blocks_than_can_be_read() -> None:
    assert "Best blocks of links" not in render_topic_section(section(), "page")
    targets = [f"http://t{k}.org/" for k in range(MICRO_HUB_LINKS + 5)]
    anchors = ("words", *[""] * (len(targets) - 1))
    block = MicroHub("http://hub.org/", "p", 1.0, 17, tuple(targets), anchors, "")
    many = section(micro_hubs=(block,) * (MICRO_HUBS + 2))
    html = render_topic_section(replace(many, uncaptured=[]), "page")
    assert html.count("<li>") == MICRO_HUBS
    assert html.count("http://t0.org/") == MICRO_HUBS
    assert "t1.org" in words(html)
    assert targets[MICRO_HUB_LINKS] not in html


@pytest.mark.parametrize("role", ["authority", "hub"])
def test_an_empty_role(role: Role) -> None:
    empty = (
        replace(section(), authorities=[]) if role == "authority" else replace(section(), hubs=[])
    )
    assert words(render_topic_section(empty, "page")).count("None.") == 1
