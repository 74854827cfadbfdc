"""Taking out, merging, examining."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from weft.core.errors import UnknownName, WeftError
from weft.gather.page import Link, Page
from weft.store import writer as writers
from weft.store.manifest import Manifest
from weft.store.segment import pages_to_tables
from weft.store.writer import CollectionWriter
from weft.workspace import maintain, parse
from weft.workspace.maintain import PageSelector, select_pages
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
Interrupted = Callable[[Path], AbstractContextManager[CollectionWriter]]
Portrait = Callable[..., str]


def urls(workspace: Workspace) -> set[str]:
    rows = workspace.refresh().page_table().to_pylist()
    return {row["url"].removeprefix("http://") for row in rows if row["kind"] != "uncaptured"}


@pytest.fixture
def site(keep: Keep) -> Workspace:
    places = [
        "a.com/",
        "a.com/print/1",
        "www.a.com/x?print=1",
        "b.org/print/2",
        "b.org/(odd)[1].html",
    ]
    link = (Link("http://seen.net/print/3"),)
    return keep(*(Page(f"http://{place}", text="cat", links=link) for place in places))


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (PageSelector(urls=["http://a.com/"]), "a.com/"),
        (PageSelector(hosts=["a.com"]), "a.com/ a.com/print/1 www.a.com/x?print=1"),
        (PageSelector(hosts=["www.a.com", "b.org/print"]), "www.a.com/x?print=1 b.org/print/2"),
        (PageSelector(patterns=["*/print/*"]), "a.com/print/1 b.org/print/2"),
        (PageSelector(patterns=["*/print/?"]), "a.com/print/1 b.org/print/2"),
        (PageSelector(patterns=["*?print=*"]), "www.a.com/x?print=1"),
        (PageSelector(patterns=["*/(odd)[1].html"]), "b.org/(odd)[1].html"),
        (PageSelector(patterns=["print"]), ""),
        (PageSelector(patterns=["*.com/", "*2"]), "a.com/ b.org/print/2"),
    ],
)
def test_what_is_chosen(site: Workspace, choice: PageSelector, expected: str) -> None:
    collection = site.collection
    found = [collection.pages["url"][n].as_py() for n in select_pages(collection, choice)]
    assert {url.removeprefix("http://") for url in found} == set(expected.split())


def test_removing_and_adding_again(demo_warc: Path, portrait: Portrait, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(demo_warc, workers=1)
    before = portrait(workspace)
    gone = workspace.remove(patterns=["*about*"])
    assert gone > 10
    assert not any("about" in url for url in urls(workspace))
    assert workspace.remove(patterns=["*about*"]) == 0
    added = workspace.add(demo_warc, workers=1)
    assert added.new >= gone
    assert portrait(workspace) == before


def test_what_is_unknown_is_not_removed(site: Workspace) -> None:
    with pytest.raises(UnknownName):
        site.remove(["http://nowhere.net/"])
    assert site.remove(hosts=["nowhere.net"]) == 0
    assert site.remove(["http://seen.net/print/3"]) == 0


def test_removing_a_page_takes_what_folds_into_it(keep: Keep) -> None:
    workspace = keep(
        Page("http://a.com/?1", canonical="http://a.com/"),
        Page("http://b.com/", kind="redirect", redirect="http://a.com/"),
    )
    assert workspace.remove(["http://b.com/"]) == 1
    assert len(workspace.collection) == 0


@pytest.mark.slow
def test_compacting_changes_nothing_but_the_segments(
    demo_warc: Path, portrait: Portrait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writers, "MAX_BUFFERED_PAGES", 20)
    monkeypatch.setattr(parse, "BATCH_PAGES", 20)
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(demo_warc, workers=1)
    workspace.remove(patterns=["*about*"])
    before = portrait(workspace)
    counts = workspace.counts
    monkeypatch.undo()
    many = len(Manifest.read(workspace.folder).segments)
    assert many > 5
    assert workspace.compact() == (many, 1)
    assert portrait(workspace) == before
    assert workspace.counts == counts
    segments = Manifest.read(workspace.folder).segments
    assert len(segments) == 1
    assert not segments[0].removed
    assert workspace.compact() == (1, 1)
    assert portrait(workspace) == before


def test_compacting_keeps_every_capture(keep: Keep) -> None:
    for time in (1, 2, 3):
        workspace = keep(Page("http://a.com/", time=time, text=f"cat {time}"))
    workspace.compact()
    assert workspace.collection.pages["captures"].to_pylist() == [3]
    assert sum(part.pages for part in workspace.collection.manifest.segments) == 3
    assert [len(workspace.search(f"cat AND {word}")) for word in "123"] == [0, 0, 1]


def edges(path: Path, text: str) -> Path:
    path.write_text(f"source,target\n{text}")
    return path


def links(workspace: Workspace) -> set[tuple[str, str]]:
    rows = workspace.refresh().graph().to_arrow().to_pylist()
    return {(row["source"], row["target"]) for row in rows}


def test_a_graph_survives_removing_adding_and_compacting(tmp_path: Path) -> None:
    """In each order that has tempted the writer to lose or double a part."""
    graph = edges(tmp_path / "e.csv", "a,b\nb,c\nc,a\n")
    whole = {("a", "b"), ("b", "c"), ("c", "a")}
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(graph)
    workspace.remove(["b"])
    assert links(workspace) == {("a", "b"), ("c", "a")}
    workspace.add(graph)
    assert links(workspace) == whole
    workspace.compact()
    assert links(workspace) == whole
    workspace.remove(["c"])
    workspace.compact()
    assert links(workspace) == {("a", "b"), ("b", "c")}
    workspace.add(graph)
    assert links(workspace) == whole
    assert workspace.graph().outlinks.weights is None


def test_an_interrupted_add_is_committed_before_anything_is_removed(
    keep: Keep, interrupted: Interrupted
) -> None:
    workspace = keep(Page("http://a.com/1", text="cat"), Page("http://b.com/", text="cat"))
    with interrupted(workspace.folder) as writer:
        writer.append_pages(
            *pages_to_tables([Page("http://a.com/2"), Page("http://c.com/")], [1, 2])
        )
        writer.flush()
    assert workspace.remove(hosts=["a.com"]) == 2
    assert urls(workspace) == {"b.com/", "c.com/"}


@pytest.mark.parametrize(
    "work", [maintain.compact, lambda at: maintain.remove_pages(at, PageSelector(["x"]))]
)
def test_only_a_collection_is_maintained(tmp_path: Path, work: Callable[[Path], object]) -> None:
    for folder in (tmp_path / "none", tmp_path):
        with pytest.raises(WeftError, match="not a collection"):
            work(folder)
    assert list(tmp_path.iterdir()) == []


def test_the_doctor_wants_a_collection(tmp_path: Path) -> None:
    for folder in (tmp_path / "none", tmp_path):
        with pytest.raises(WeftError, match="not a collection"):
            maintain.find_damaged_files(folder)
