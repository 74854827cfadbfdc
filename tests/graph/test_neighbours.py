"""The links of a page, with what they say."""

from pathlib import Path

import pytest

from weft.run.workspace import Workspace

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
        ("http://a.example/x", "first", "fetched"),
        ("http://a.example/x", "second", "fetched"),
        ("http://b.example/", "picture", "seen"),
    ]


def test_in_links_are_told_from_the_other_side(workspace: Workspace) -> None:
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
