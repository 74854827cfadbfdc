"""What links say: anchors, the words around them, wherever the pages lie."""

from collections.abc import Callable
from pathlib import Path

from weft.gather.page import Link, Page
from weft.graph.baseset import BaseSet
from weft.graph.expand import expand, whole
from weft.graph.levels import load
from weft.run.workspace import Workspace

Keep = Callable[..., Workspace]


def page(url: str, text: str = "nothing", *targets: str) -> Page:
    links = tuple(Link(f"http://{t}", f"to {t}", "see", "there") for t in targets)
    return Page(f"http://{url}", text=text, links=links)


def said(base: BaseSet) -> list[tuple[str, str, str, str, str]]:
    pages = [name.removeprefix("http://") for name in base.pages]
    return [
        (pages[row["source"]], pages[row["target"]], row["before"], row["anchor"], row["after"])
        for row in base.anchors.to_pylist()
    ]


def test_links_say_what_stands_around_them(keep: Keep) -> None:
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
    base = expand(workspace.collection, "jaguar", between="page")
    assert said(base) == [
        ("a.com/", "b.com/", "then the", "second", "link"),
        ("a.com/", "b.com/", "it has", "moved", "on"),
        ("a.com/", "b.com/", "and a", "third", ""),
        ("a.com/", "c.com/", "", "other", ""),
    ]
    assert said(expand(workspace.collection, "jaguar", steps=0)) == said(base)[:3]


def test_anchors_are_those_of_the_links_that_count(keep: Keep) -> None:
    workspace = keep(
        page("root.com/", "a jaguar", "out.com/", "www.root.com/own"),
        page("in.com/", "nothing", "root.com/", "beside.com/"),
    )
    assert [row[:2] for row in said(expand(workspace.collection, "jaguar"))] == [
        ("in.com/", "root.com/"),
        ("root.com/", "out.com/"),
    ]


def test_a_collection_over_several_segments(keep: Keep) -> None:
    keep(page("a.com/", "jaguar", "b.com/"))
    base = expand(keep(page("b.com/", "jaguar", "a.com/")).refresh().collection, "jaguar")
    assert said(base) == [
        ("a.com/", "b.com/", "see", "to b.com/", "there"),
        ("b.com/", "a.com/", "see", "to a.com/", "there"),
    ]
    assert list(base.texts) == ["jaguar", "jaguar"]


def test_a_whole_collection(demo: Workspace) -> None:
    base, graph = whole(demo.collection), load(demo.collection)
    assert len(base) == len(graph)
    assert base.terms == ()
    assert set(base.text_score) == {1.0}
    shown = base.anchors
    found = {*zip(shown["source"].to_pylist(), shown["target"].to_pylist(), strict=True)}
    assert len(found) == graph.link_count
    for row in shown.slice(0, 500).to_pylist():
        text = base.texts[row["source"]].replace("\n", " ")
        assert row["before"] in text
        assert row["after"] in text


def test_links_of_a_listing_have_anchors_alone(keep: Keep, tmp_path: Path) -> None:
    """A page that was fetched and is listed as well says what both know of it."""
    workspace = keep(page("a.com/", "jaguar", "b.com/"))
    listing = tmp_path / "links.csv"
    listing.write_text(
        "source,target,anchor\n"
        "http://a.com/,http://b.com/,listed\n"
        "http://a.com/,http://c.com/,more\n"
        "http://c.com/,http://a.com/,back\n"
    )
    workspace.add(listing, workers=1)
    base = expand(workspace.refresh().collection, "jaguar")
    assert said(base) == [
        ("a.com/", "b.com/", "see", "to b.com/", "there"),
        ("a.com/", "b.com/", "", "listed", ""),
        ("a.com/", "c.com/", "", "more", ""),
        ("c.com/", "a.com/", "", "back", ""),
    ]
