"""Anchor texts and the text around links, over several segments and inputs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import build_query_base_set, whole_base_set
from weft.graph.levels import load_graph
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]


def page(url: str, text: str = "nothing", *targets: str) -> Page:
    links = tuple(Link(f"http://{t}", f"to {t}", "see", "there") for t in targets)
    return Page(f"http://{url}", text=text, links=links)


def anchors(base: BaseSet) -> list[tuple[str, str, str, str, str]]:
    pages = [name.removeprefix("http://") for name in base.pages]
    return [
        (pages[row["source"]], pages[row["target"]], row["before"], row["anchor"], row["after"])
        for row in base.anchors.to_pylist()
    ]


def test_links_come_with_the_text_around_them(keep: Keep) -> None:
    links = (
        Link("http://b.com/", "second", "then the", "link"),
        Link("http://c.com/", "other"),
        Link("http://b.com/moved", "moved", "it has", "on"),
        Link("http://a.com/", "itself"),
        Link("http://b.com/", "third", "and a", ""),
    )
    workspace = keep(
        Page("http://a.com/", text="jaguar", links=links),
        Page("http://b.com/moved", kind="redirect", redirect="http://b.com/"),
        Page("http://b.com/", text="jaguar"),
    )
    base = build_query_base_set(workspace.collection, "jaguar", between="page")
    assert anchors(base) == [
        ("a.com/", "b.com/", "then the", "second", "link"),
        ("a.com/", "b.com/", "it has", "moved", "on"),
        ("a.com/", "b.com/", "and a", "third", ""),
        ("a.com/", "c.com/", "", "other", ""),
    ]
    assert (
        anchors(build_query_base_set(workspace.collection, "jaguar", steps=0)) == anchors(base)[:3]
    )


def test_anchors_are_those_of_the_links_that_count(keep: Keep) -> None:
    workspace = keep(
        page("root.com/", "a jaguar", "out.com/", "www.root.com/own"),
        page("in.com/", "nothing", "root.com/", "beside.com/"),
    )
    assert [row[:2] for row in anchors(build_query_base_set(workspace.collection, "jaguar"))] == [
        ("in.com/", "root.com/"),
        ("root.com/", "out.com/"),
    ]


def test_a_collection_over_several_segments(keep: Keep) -> None:
    keep(page("a.com/", "jaguar", "b.com/"))
    base = build_query_base_set(
        keep(page("b.com/", "jaguar", "a.com/")).refresh().collection, "jaguar"
    )
    assert anchors(base) == [
        ("a.com/", "b.com/", "see", "to b.com/", "there"),
        ("b.com/", "a.com/", "see", "to a.com/", "there"),
    ]
    assert list(base.texts) == ["jaguar", "jaguar"]


def test_a_whole_collection(demo: Workspace) -> None:
    base, graph = whole_base_set(demo.collection), load_graph(demo.collection)
    assert len(base) == len(graph)
    assert base.query_terms == ()
    assert set(base.text_score) == {1.0}
    shown = base.anchors
    found = {*zip(shown["source"].to_pylist(), shown["target"].to_pylist(), strict=True)}
    assert len(found) == graph.link_count
    for row in shown.slice(0, 500).to_pylist():
        text = base.texts[row["source"]].replace("\n", " ")
        assert row["before"] in text
        assert row["after"] in text


def test_links_of_a_listing_have_anchors_alone(keep: Keep, tmp_path: Path) -> None:
    """A page that is captured and listed has the links of both."""
    workspace = keep(page("a.com/", "jaguar", "b.com/"))
    listing = tmp_path / "links.csv"
    listing.write_text(
        "source,target,anchor\n"
        "http://a.com/,http://b.com/,listed\n"
        "http://a.com/,http://c.com/,more\n"
        "http://c.com/,http://a.com/,back\n"
    )
    workspace.add(listing, workers=1)
    base = build_query_base_set(workspace.refresh().collection, "jaguar")
    assert anchors(base) == [
        ("a.com/", "b.com/", "see", "to b.com/", "there"),
        ("a.com/", "b.com/", "", "listed", ""),
        ("a.com/", "c.com/", "", "more", ""),
        ("c.com/", "a.com/", "", "back", ""),
    ]


PAGE = """<title>Hub</title><a href="/x">first</a> and <a href="/x">second</a>
<a href="http://b.example/"><img alt="picture"></a> <a href="/hub">me</a>"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    site = tmp_path / "a.example"
    site.mkdir()
    (site / "hub.html").write_text(PAGE.replace("/hub", "/hub.html"))
    (site / "x").write_text("<title>X</title><p>nothing</p>")
    made = Workspace(tmp_path / "c.weft")
    made.add(site)
    return made


def test_out_links_come_with_every_anchor(workspace: Workspace) -> None:
    found = workspace.links("a.example/hub.html", "out").to_pydict()
    assert list(zip(found["url"], found["anchor"], found["kind"], strict=True)) == [
        ("http://a.example/x", "first", "captured"),
        ("http://a.example/x", "second", "captured"),
        ("http://b.example/", "picture", "uncaptured"),
    ]


def test_in_links_come_with_the_anchors_of_the_other_page(workspace: Workspace) -> None:
    found = workspace.links("http://a.example/x", "in").to_pydict()
    assert found["anchor"] == ["first", "second"]
    assert set(found["title"]) == {"Hub"}


def test_graphs_without_anchors_have_links_too(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na,b\na,c\n")
    made = Workspace(tmp_path / "c.weft")
    made.add(tmp_path / "edges.csv")
    found = made.links("a").to_pydict()
    assert (found["url"], found["anchor"], found["kind"]) == (
        ["b", "c"],
        ["", ""],
        ["listed", "listed"],
    )
