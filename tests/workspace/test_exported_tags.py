"""Tags as columns and attributes of exports, as other programs read them."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import networkx as nx
import polars as pl
import pyarrow.parquet as pq
import pytest

from weft.gather.page import Link, Page
from weft.store.tags import Tag, append_tags
from weft.workspace.workspace import Workspace

HOSTILE = "a \"<b>&' \U0001f406"
GEXF = "{http://gexf.net/1.3}"
PAGES = (
    Page("http://a.org/1", title="A1", links=(Link("http://b.org/1"), Link("http://a.org/2"))),
    Page("http://a.org/2", title="A2", links=(Link("http://b.org/2"),)),
    Page("http://a.org/3", title="A3", links=(Link("http://sub.c.net/1"),)),
    Page("http://b.org/1", title="B1", links=(Link("http://a.org/1"),)),
    Page("http://b.org/2", title="B2", links=(Link("http://a.org/3"),)),
    Page("http://sub.c.net/1", title="C1", links=(Link("http://a.org/1"),)),
)
TAGS = (
    Tag("page", "http://a.org/1", "decision", "in"),
    Tag("page", "http://a.org/2", "decision", "in"),
    Tag("page", "http://a.org/3", "decision", "out"),
    Tag("host", "b.org", "decision", "undecided"),
    Tag("page", "http://b.org/1", "decision", "in"),
    Tag("page", "http://b.org/2", "decision", "in"),
    Tag("domain", "c.net", "topic", HOSTILE),
    Tag("page", "http://a.org/1", "topic", "science/physics"),
)


@pytest.fixture
def tagged(keep_at: Callable[..., Workspace], tmp_path: Path) -> Workspace:
    workspace = keep_at(tmp_path / "c.weft", *PAGES)
    append_tags(workspace.folder, TAGS)
    workspace.set_entities(workspace.entities.with_added("Both", ["a.org", "b.org"]))
    return workspace


def node_tags(graph: nx.DiGraph, facet: str) -> dict[str, str]:
    nodes = dict(graph.nodes(data=True)).values()
    return {node.get("url", node["label"]): node.get(f"tag:{facet}", "") for node in nodes}


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl"])
def test_each_facet_is_a_column_of_pages(tagged: Workspace, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"pages.{ending}"
    assert tagged.export(path, "pages") == 6
    if ending == "jsonl":
        table = pl.DataFrame([json.loads(line) for line in path.read_text("utf-8").splitlines()])
    elif ending == "parquet":
        table = pl.read_parquet(path)
        assert pq.read_schema(path).names[-2:] == ["tag:decision", "tag:topic"]
    else:
        table = pl.read_csv(path, separator="," if ending == "csv" else "\t")
    decisions = dict(table.select("url", "tag:decision").iter_rows())
    assert decisions == {
        "http://a.org/1": "in",
        "http://a.org/2": "in",
        "http://a.org/3": "out",
        "http://b.org/1": "in",
        "http://b.org/2": "in",
        "http://sub.c.net/1": None,
    }
    topics = dict(table.select("url", "tag:topic").iter_rows())
    assert topics["http://sub.c.net/1"] == HOSTILE
    assert topics["http://a.org/2"] is None


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("host", {"a.org": "in", "b.org": "undecided", "sub.c.net": None}),
        ("domain", {"a.org": "in", "b.org": "in", "c.net": None}),
        ("entity", {"Both": "in", "sub.c.net": None}),
    ],
)
def test_own_tag_else_that_of_most_pages(
    tagged: Workspace, tmp_path: Path, level: str, expected: dict[str, str | None]
) -> None:
    """Of a.org two pages of three are in; b.org has a tag of its own, as a host."""
    assert tagged.export(tmp_path / "x.parquet", "pages", level=level) == len(expected)
    table = pl.read_parquet(tmp_path / "x.parquet")
    assert dict(table.select(level, "tag:decision").iter_rows()) == expected
    assert table["pages"].sum() == 6
    tagged.export(tmp_path / "x.gexf", level=level)
    graph = nx.read_gexf(tmp_path / "x.gexf")
    assert node_tags(graph, "decision") == {name: value or "" for name, value in expected.items()}


def test_half_of_the_pages_are_no_majority(tagged: Workspace, tmp_path: Path) -> None:
    append_tags(tagged.folder, [Tag("page", "http://a.org/2", "decision", "")])
    tagged.export(tmp_path / "x.parquet", "pages", level="host")
    table = pl.read_parquet(tmp_path / "x.parquet")
    assert table.filter(host="a.org")["tag:decision"].item() is None


@pytest.mark.parametrize(("ending", "read"), [("gexf", nx.read_gexf), ("graphml", nx.read_graphml)])
def test_networkx_reads_tags_of_a_selection(
    tagged: Workspace, tmp_path: Path, ending: str, read: Callable[[Path], nx.DiGraph]
) -> None:
    tagged.export(tmp_path / f"g.{ending}", exclude_tag=["decision=out"])
    graph = read(tmp_path / f"g.{ending}")
    assert node_tags(graph, "topic") == {
        "http://a.org/1": "science/physics",
        "http://a.org/2": "",
        "http://b.org/1": "",
        "http://b.org/2": "",
        "http://sub.c.net/1": HOSTILE,
    }


def test_gexf_keeps_its_rules(tagged: Workspace, tmp_path: Path) -> None:
    """Attributes are declared once with a known type; values and links refer to what is there."""
    tagged.export(tmp_path / "g.gexf")
    root = ET.parse(tmp_path / "g.gexf").getroot()
    (graph,) = root.findall(f"{GEXF}graph")
    assert [child.tag for child in graph] == [f"{GEXF}{name}" for name in ORDER]
    declared = {a.get("id"): a.get("type") for a in root.iter(f"{GEXF}attribute")}
    texts = ["url", "title", "language", "time", "kind", "tag:decision", "tag:topic"]
    assert declared.items() >= dict.fromkeys(texts, "string").items()
    assert declared.items() >= {"http_status": "integer", "inlinks": "long"}.items()
    ids = [node.get("id") for node in root.iter(f"{GEXF}node")]
    assert len(ids) == len(set(ids)) == 6
    for node in root.iter(f"{GEXF}node"):
        used = [value.get("for") for value in node.iter(f"{GEXF}attvalue")]
        assert len(used) == len(set(used))
        assert set(used) <= declared.keys()
    assert all({e.get("source"), e.get("target")} <= set(ids) for e in root.iter(f"{GEXF}edge"))


ORDER = ("attributes", "nodes", "edges")


def test_without_tags_nothing_is_added(keep_at: Callable[..., Workspace], tmp_path: Path) -> None:
    plain = keep_at(tmp_path / "plain.weft", *PAGES)
    plain.export(tmp_path / "pages.parquet", "pages")
    assert not [n for n in pq.read_schema(tmp_path / "pages.parquet").names if n[:4] == "tag:"]
