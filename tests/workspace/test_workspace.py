"""The one object that does everything."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import weft.rank
from weft.core.errors import BadParameter, UnknownName, WeftError
from weft.core.register import METHODS
from weft.gather.page import Link, Page
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.workspace.workspace import DEFAULT_METHODS, Workspace

Keep = Callable[..., Workspace]


@pytest.fixture
def three(keep: Keep) -> Workspace:
    return keep(
        Page("http://a.com/", time=1, title="A", links=(Link("http://b.com/", "to b"),)),
        Page("http://b.com/", time=2, title="B", links=(Link("http://a.com/x", "to x"),)),
        Page("http://a.com/x", time=3, title="X", links=(Link("http://seen.com/"),)),
    )


@pytest.fixture(scope="module")
def cats(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("cats")
    (folder / "cats.txt").write_text("Jaguar Lynx\nLynx Puma\nPuma Jaguar\nJaguar Puma\n")
    workspace = Workspace(folder / "c.weft")
    workspace.add(folder / "cats.txt")
    return workspace


def test_it_is_what_weft_open_returns(three: Workspace) -> None:
    opened = weft.open(str(three.folder))
    assert repr(opened) == f"<Weft collection {three.folder}: 3 pages, 3 links>"


def test_links_both_ways(three: Workspace) -> None:
    rows = three.links("b.com").to_pylist()
    assert [(r["direction"], r["url"], r["anchor"], r["kind"]) for r in rows] == [
        ("in", "http://a.com/", "to b", "captured"), ("out", "http://a.com/x", "to x", "captured"),
    ]  # fmt: skip
    assert three.links("http://seen.com/", "in")["url"].to_pylist() == ["http://a.com/x"]
    assert len(three.links("http://seen.com/", "out")) == 0


def test_graphs_at_every_level(three: Workspace) -> None:
    assert [three.graph(level).link_count for level in ("page", "host", "domain", "entity")] == [
        3
    ] * 4
    with pytest.raises(BadParameter, match="'page', 'host', 'domain' or 'entity', not 'planet'"):
        three.graph("planet")  # type: ignore[arg-type]


def test_exports(three: Workspace, tmp_path: Path) -> None:
    three.export(tmp_path / "edges.csv")
    with (tmp_path / "edges.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["source"], row["target"]) for row in rows] == [
        ("http://a.com/", "http://b.com/"), ("http://a.com/x", "http://seen.com/"),
        ("http://b.com/", "http://a.com/x"),
    ]  # fmt: skip
    three.export(tmp_path / "pages.parquet", "pages")
    pages = pq.read_table(tmp_path / "pages.parquet").to_pylist()
    assert [(p["title"], p["kind"], p["outlinks"], p["inlinks"]) for p in pages] == [
        ("A", "captured", 1, 0),
        ("X", "captured", 1, 1),
        ("B", "captured", 1, 1),
        ("", "uncaptured", 0, 1),
    ]


def test_unknown_choices_are_errors(three: Workspace, tmp_path: Path) -> None:
    wrong: Any = "sideways"
    with pytest.raises(BadParameter, match="'both', 'in' or 'out', not 'sideways'"):
        three.links("a.com", wrong)
    with pytest.raises(BadParameter, match=r"'edges', 'pages', .* or 'plain-text', not 'sideways'"):
        three.export(tmp_path / "x.csv", wrong)
    assert not (tmp_path / "x.csv").exists()


def test_exports_by_date(three: Workspace, tmp_path: Path) -> None:
    second, third, fourth = (f"1970-01-01T00:00:0{k}" for k in (2, 3, 4))
    assert three.export(tmp_path / "edges.csv", since=second, until=third) == 1
    assert three.export(tmp_path / "pages.csv", "pages", since=second, until=fourth) == 3
    with pytest.raises(WeftError, match="dates select pages"):
        three.export(tmp_path / "edges.csv", level="host", since=second)


def test_methods_by_name(three: Workspace) -> None:
    assert three.rank("indegree").to_table().num_rows == 4
    assert isinstance(three.load(WebGraph), WebGraph)
    with pytest.raises(UnknownName):
        three.rank("outdegreee")


@pytest.mark.parametrize(
    "name", [m.name for m in METHODS.values() if m.kind == "rank" and m.input_type is BaseSet]
)
def test_methods_that_read_words_take_a_graph_without_any(cats: Workspace, name: str) -> None:
    seeds = {"topic-pagerank": {"topics": [f"cats={cats.graph().pages[0]}"]}}
    options: dict[str, Any] = seeds.get(name, {})
    scores = cats.rank(name, query="lynx OR puma", **options).scores
    assert next(iter(scores.values())).max() > 0


def test_methods_on_part_of_a_collection(three: Workspace) -> None:
    assert three.rank().method == "pagerank"
    assert len(three.rank(level="domain")) == 3
    assert list(three.rank(exclude=["b.com", "seen.com"]).pages) == [
        "http://a.com/", "http://a.com/x",
    ]  # fmt: skip
    assert three.rank("pagerank", damping=0.5).options["damping"] == 0.5
    base = three.load(BaseSet, exclude=["b.com"])
    assert isinstance(base, BaseSet)
    assert len(base) == 3


def test_methods_side_by_side(three: Workspace) -> None:
    found = three.compare_methods("indegree", "pagerank", level="host")
    assert list(found.ranks) == ["indegree", "pagerank"]
    assert set(three.compare_methods().ranks) == set(DEFAULT_METHODS)
    assert three.stability("indegree", trials=2, drop=0).row["tau_b_min"] == 1


def test_a_snapshot_stays_until_it_is_refreshed(keep: Keep) -> None:
    workspace = keep(Page("http://a.com/"))
    assert len(workspace.collection) == 1
    keep(Page("http://b.com/"))
    assert len(workspace.collection) == 1
    assert len(workspace.refresh().collection) == 2


def test_work_moves_to_its_own_commit(three: Workspace) -> None:
    three.remove(["http://b.com/"])
    assert three.counts["captured"] == 2
    three.compact()
    assert three.collection.manifest.snapshot == 3
    assert three.doctor() == []
    assert [note["inputs"] for note in three.history[1:]] == [["removed 1 pages"], ["compacted"]]


def test_a_folder_that_a_pattern_matches_is_read_as_if_named(tmp_path: Path) -> None:
    site = tmp_path / "in" / "site.com"
    site.mkdir(parents=True)
    (site / "a.html").write_text("<p>x")
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>x"
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://b.com/\r\n"
    head += b"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n" % len(body)
    (site / "b.warc").write_bytes(head + body + b"\r\n\r\n")
    (site / "c.wacz").write_bytes(b"junk")
    named, matched = Workspace(tmp_path / "named.weft"), Workspace(tmp_path / "matched.weft")
    for workspace, given in ((named, site), (matched, tmp_path / "in" / "*")):
        added = workspace.add(given, workers=1)
        assert (added.new, added.has_damage) == (2, True)
        assert added.problems.counts == {"damaged zip files": 1}


def test_a_common_crawl_graph_is_added_with_its_names(tmp_path: Path) -> None:
    names, links = tmp_path / "vertices.txt", tmp_path / "edges.txt"
    names.write_text("0\torg.cats\n1\torg.dogs\n")
    links.write_text("0\t1\n")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(links, vertices=names)
    assert workspace.graph().to_arrow().to_pylist() == [
        {"source": "cats.org", "target": "dogs.org", "weight": 1.0}
    ]
    with pytest.raises(WeftError, match="needs its vertices file"):
        workspace.add(links, kind="common-crawl")
    with pytest.raises(WeftError, match="needs its vertices file"):
        workspace.add(links, kind="snap", vertices=names)
    with pytest.raises(WeftError, match="does not exist"):
        workspace.add(links, vertices=tmp_path / "nowhere.txt")


WRONG: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("rank", (), {"level": "hosts"}, "selection: level"),
    ("rank", (), {"query": 5}, "selection: query"),
    ("rank", (), {"exclude": "ads.example.com"}, "selection: exclude"),
    ("rank", (), {"between": "sites"}, "selection: between"),
    ("rank", (5,), {}, "rank: method"),
    ("rank", (), {"dampng": 0.5}, "pagerank: there is no option 'dampng'"),
    ("rank", (), {"damping": np.nan}, "pagerank: damping"),
    ("topics", (), {"selection": 5}, "topics: selection"),
    ("topics", (), {"max_topics": "1"}, "auto: max_topics"),
    ("topics", (), {"uncaptured": "some"}, "topics: uncaptured"),
    ("communities", (), {"cache": 1}, "communities: cache"),
    ("communities", (), {"uncaptured": "some"}, "communities: uncaptured"),
    ("communities", (), {"resolution": np.inf}, "modularity: resolution"),
    ("structure", ("clicks",), {"targets": 5}, "clicks: targets"),
    ("similar", ("a.com",), {"top": 0}, "combined: top"),
    ("suggest", ("a.com",), {"page": "b.com"}, "the page is 'a.com' already"),
    ("compare_methods", (1, 2), {}, "compare_methods: methods"),
    ("compare_methods", (), {"top": 0}, "compare: top"),
    ("compare_methods", (), {"by": 3}, "compare_methods: by"),
    ("compare_sites", ("a.com", "b.com"), {"thresold": 0.1}, "no option 'thresold'"),
    ("stability", (), {"trials": 0}, "stability: trials"),
    ("stability", (), {"drop": np.nan}, "stability: drop"),
    ("why", (5,), {}, "why: url"),
    ("known_for", ("a.com",), {"jump_probability": 2}, "known_for: jump_probability"),
    ("report", (), {"top": 0}, "report: top"),
    ("search", (5,), {}, "search: query"),
    ("search", ("a",), {"k": "5"}, "search: k"),
    ("load", (5,), {}, "load: data_type"),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "given", "options", "message"), WRONG)
def test_arguments_of_every_verb_are_checked(
    three: Workspace, verb: str, given: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadParameter, match=message):
        getattr(three, verb)(*given, **options)
