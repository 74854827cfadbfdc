"""Exports of every kind, as they are stored, filtered and read by other programs."""

import csv
import io
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree as ET

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

from weft.core.errors import WeftError
from weft.gather.page import Link, Page
from weft.graph.appearance import MAX_FORCE_DIRECTED_NODES, PALETTE, layout_nodes
from weft.graph.selection import ExportKind
from weft.graph.webgraph import WebGraph
from weft.workspace.workspace import Workspace

DATA = Path(__file__).parents[2] / "../shared/data"
MAY, JUNE = (int(datetime(2004, month, 7, 12, tzinfo=UTC).timestamp()) for month in (5, 6))
GEXF, VIZ = "{http://gexf.net/1.3}", "{http://gexf.net/1.3/viz}"
GEXF_TYPES = {"integer", "long", "double", "float", "boolean", "string", "anyURI"}
A1, A2, B1, GONE = "http://a.org/1", "http://www.a.org/2", "http://b.net/1", "http://b.net/gone"
PAGES = (
    Page(
        *(A1, "captured", MAY, 200, "text/html", "First try", "old text of the jaguar"),
        language="en",
        links=(Link(B1, "to B", "see ", " here"),),
    ),
    Page(
        *(A1, "captured", JUNE, 200, "text/html", "=First", "menu the jaguar sleeps"),
        main=(5, 22),
        language="en",
        links=(Link(A2, "two"), Link(B1, "+B", "before ", " after", "nofollow")),
    ),
    Page(A2, "captured", MAY, 203, "text/html", "Zwei", "der Jaguar", language="de"),
    Page(B1, "captured", JUNE, 200, "text/html", "", "no cat", language="en"),
    Page(GONE, "error", JUNE, 404, "text/html", "Not found"),
    Page("http://b.net/old", "redirect", JUNE, 301, redirect=B1, reason="HTTP 301"),
)
COLUMNS = {
    "edges": "source target weight",
    "pages": "url title language time kind http_status captures outlinks inlinks",
    "hosts": "host pages uncaptured language first_time last_time outlinks inlinks",
    "domains": "domain pages uncaptured language first_time last_time outlinks inlinks",
    "anchors": "source target anchor before after rel element weight time",
    "text": "url title language time http_status text main_content",
    "captures": "url page time kind http_status mime title language robots canonical redirect "
    "reason original truncated live digest",
    "topics": "topic label place page title authority hub",
    "web-pages": "crawl_date domain url mime_type_web_server mime_type_tika language content",
    "web-graph": "crawl_date src dest anchor",
    "domain-graph": "crawl_date src_domain dest_domain count",
    "domain-frequency": "domain count",
    "plain-text": "content",
}
Rows = list[dict[str, Any]]


@pytest.fixture
def small(keep_at: Callable[..., Workspace], tmp_path: Path) -> Workspace:
    return keep_at(tmp_path / "c.weft", *PAGES)


def rows(workspace: Workspace, what: ExportKind, **words: Any) -> Rows:
    path = workspace.folder.parent / f"{what}.parquet"
    count = workspace.export(path, what, **words)
    found: Rows = pl.read_parquet(path).to_dicts()
    assert len(found) == count
    return found


def column(found: Rows, name: str) -> list[Any]:
    return [row[name] for row in found]


@pytest.mark.parametrize("what", get_args(ExportKind))
def test_every_kind_has_its_columns_in_every_format(
    small: Workspace, tmp_path: Path, what: ExportKind
) -> None:
    names = COLUMNS[what].split()
    paths = {ending: tmp_path / f"x.{ending}" for ending in ("csv", "tsv", "parquet", "jsonl")}
    counts = {small.export(path, what) for path in paths.values()}
    assert len(counts) == 1
    tables = [
        pl.read_csv(paths["csv"]),
        pl.read_csv(paths["tsv"], separator="\t"),
        pl.read_parquet(paths["parquet"]),
    ]
    assert {tuple(table.columns) for table in tables} == {tuple(names)}
    assert {len(table) for table in tables} == counts
    lines = [json.loads(line) for line in paths["jsonl"].read_text("utf-8").splitlines()]
    assert len(lines) in counts
    assert all(list(line) == names for line in lines)
    assert list(pd.read_csv(paths["csv"]).columns) == names
    with paths["csv"].open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell[:1] in tuple("=+@")]


def test_pages_have_status_dates_and_degrees(small: Workspace) -> None:
    found = {row["url"]: row for row in rows(small, "pages", rank=["pagerank", "hits"])}
    assert {url: row["http_status"] for url, row in found.items()} == {
        A1: 200,
        A2: 203,
        B1: 200,
        GONE: 404,
    }
    assert found[A1]["time"] == datetime.fromtimestamp(JUNE, UTC)
    assert (found[A1]["captures"], found[A1]["outlinks"], found[B1]["inlinks"]) == (2, 2, 1)
    ranking = small.rank("pagerank")
    assert found[B1]["pagerank"] == ranking[B1].score
    assert {"hits:authority", "hits:hub"} <= found[A1].keys()


def test_hosts_have_the_dates_and_language_of_their_pages(small: Workspace) -> None:
    found = {row["domain"]: row for row in rows(small, "domains")}
    times = [datetime.fromtimestamp(time, UTC) for time in (MAY, JUNE)]
    assert [found["a.org"][name] for name in ("first_time", "last_time")] == times
    assert (found["a.org"]["language"], found["b.net"]["language"]) == (None, "en")
    assert [row["host"] for row in rows(small, "hosts")] == [
        row["host"] for row in rows(small, "pages", level="host")
    ]


def test_text_is_that_of_the_page_as_it_is_now(small: Workspace) -> None:
    found = {row["url"]: row for row in rows(small, "text")}
    assert set(found) == {A1, A2, B1}
    assert found[A1]["text"] == "menu the jaguar sleeps"
    assert found[A1]["main_content"] == "the jaguar sleeps"
    assert found[A2]["main_content"] == "der Jaguar"


def test_captures_are_all_that_was_archived(small: Workspace) -> None:
    found = rows(small, "captures")
    assert len(found) == len(PAGES)
    assert {(r["url"], r["page"], r["kind"], r["live"]) for r in found} == {
        (A1, A1, "captured", False),
        (A1, A1, "captured", True),
        (A2, A2, "captured", True),
        (B1, B1, "captured", True),
        (GONE, GONE, "error", True),
        ("http://b.net/old", B1, "redirect", False),
    }
    assert len({row["digest"] for row in found}) == len(PAGES)
    assert [r["redirect"] for r in found if r["kind"] == "redirect"] == [B1]


def test_anchors_are_those_of_the_live_capture(small: Workspace) -> None:
    found = [{**row, "time": None} for row in rows(small, "anchors")]
    assert [(r["source"], r["target"], r["anchor"]) for r in found] == [
        (A1, A2, "two"),
        (A1, B1, "+B"),
    ]
    last = found[1]
    assert [last[n] for n in ("before", "after", "rel", "element")] == [
        "before ",
        " after",
        "nofollow",
        "a",
    ]


def test_derivatives_of_the_archives_unleashed_toolkit(small: Workspace) -> None:
    """A row per capture, domains without www, dates as digits."""
    pages = rows(small, "web-pages")
    assert [(r["crawl_date"], r["domain"], r["url"]) for r in pages] == [
        ("20040507120000", "a.org", A1),
        ("20040607120000", "a.org", A1),
        ("20040507120000", "a.org", A2),
        ("20040607120000", "b.net", B1),
    ]
    assert {r["mime_type_web_server"] for r in pages} == {"text/html"}
    assert {r["mime_type_tika"] for r in pages} == {None}
    assert column(rows(small, "plain-text"), "content")[1] == "the jaguar sleeps"
    assert sorted(tuple(r.values()) for r in rows(small, "web-graph")) == [
        ("20040507120000", A1, B1, "to B"),
        ("20040607120000", A1, B1, "+B"),
        ("20040607120000", A1, A2, "two"),
    ]
    assert [tuple(r.values()) for r in rows(small, "domain-graph")] == [
        ("20040507", "a.org", "b.net", 1),
        ("20040607", "a.org", "a.org", 1),
        ("20040607", "a.org", "b.net", 1),
    ]
    assert [tuple(r.values()) for r in rows(small, "domain-frequency")] == [
        ("a.org", 3),
        ("b.net", 1),
    ]


@pytest.mark.parametrize(
    ("words", "urls"),
    [
        ({"search": "jaguar"}, {A1, A2}),
        ({"search": "jaguar lang:de"}, {A2}),
        ({"search": "site:b.net"}, {B1}),
        ({"search": "jaguar -lang:de", "until": "2004-06"}, set()),
        ({"until": "2004-06"}, {A2}),
        ({"since": "2004-06"}, {A1, B1}),
        ({"exclude": ("www.a.org",)}, {A1, B1}),
        ({"only_tag": ("decision=in",)}, {B1}),
        ({"exclude_tag": ("decision=in",)}, {A1, A2}),
        ({"search": "tag:decision=in"}, {B1}),
    ],
)
def test_the_filters_of_search_count_for_texts(
    small: Workspace, words: dict[str, Any], urls: set[str]
) -> None:
    small.tag(B1, "decision", "in")
    assert set(column(rows(small, "text", **words), "url")) == urls
    assert set(column(rows(small, "web-pages", **words), "url")) <= {A1, *urls}


def test_search_filters_nodes_and_links(small: Workspace) -> None:
    assert set(column(rows(small, "pages", search="jaguar"), "url")) == {A1, A2}
    assert set(column(rows(small, "hosts", search="jaguar"), "host")) == {"a.org", "www.a.org"}
    assert [tuple(r.values())[:2] for r in rows(small, "edges", search="jaguar")] == [(A1, A2)]
    assert {r["source"] for r in rows(small, "anchors", search="lang:de")} == set()


@pytest.mark.parametrize(
    ("what", "words", "problem"),
    [
        ("hosts", {"level": "domain"}, "not at level domain"),
        ("text", {"level": "host"}, "are of pages, not hosts"),
        ("text", {"rank": ["pagerank"]}, "no columns for ranks"),
        ("edges", {"group": "topics"}, "no columns for ranks"),
        ("topics", {"search": "jaguar"}, "topics are those of a query"),
        ("pages", {"format": "gexf"}, "gexf is no format"),
        ("pages", {"rank": ["pagerang"]}, "pagerang"),
    ],
)
def test_words_without_effect_are_refused(
    small: Workspace, tmp_path: Path, what: ExportKind, words: dict[str, Any], problem: str
) -> None:
    with pytest.raises(WeftError, match=problem):
        small.export(tmp_path / "x.csv", what, **words)
    assert not (tmp_path / "x.csv").exists()


def check_gexf(path: Path) -> ET.Element:
    """The rules of GEXF 1.3 that apply: elements, their order, attributes, types and references."""
    root = ET.parse(path).getroot()
    assert (root.tag, root.get("version")) == (f"{GEXF}gexf", "1.3")
    [graph] = root
    assert graph.attrib == {"defaultedgetype": "directed", "mode": "static"}
    assert [child.tag.removeprefix(GEXF) for child in graph] == ["attributes", "nodes", "edges"]
    attributes, nodes, edges = graph
    assert attributes.get("class") == "node"
    declared = {a.get("id"): a.get("type") for a in attributes}
    assert len(declared) == len(attributes)
    assert set(declared.values()) <= GEXF_TYPES
    assert all(set(a.attrib) == {"id", "title", "type"} for a in attributes)
    ids = {node.get("id") for node in nodes}
    assert len(ids) == len(nodes) == int(nodes.get("count", -1))
    for node in nodes:
        assert set(node.attrib) == {"id", "label"}
        names = ["attvalues", "size", "position", "color"]
        assert [re.sub("{.*}", "", part.tag) for part in node] == names
        values, size, position, color = node
        assert {value.get("for") for value in values} <= declared.keys()
        assert {part.tag for part in (size, position, color)} == {
            f"{VIZ}{name}" for name in names[1:]
        }
        assert float(size.attrib["value"]) >= 0
        assert np.isfinite([float(position.attrib[axis]) for axis in "xyz"]).all()
        assert all(0 <= int(color.attrib[channel]) <= 255 for channel in "rgb")
        for value in values:
            check_value(declared[value.get("for")], value.attrib["value"])
    assert len(edges) == int(edges.get("count", -1))
    assert len({edge.get("id") for edge in edges}) == len(edges)
    for edge in edges:
        assert {edge.get("source"), edge.get("target")} <= ids
        assert float(edge.attrib["weight"]) > 0
    return graph


def check_value(kind: str | None, text: str) -> None:
    if kind in ("integer", "long"):
        int(text)
    elif kind == "double":
        float(text)
    elif kind == "boolean":
        assert text in ("true", "false")


def test_gexf_has_titles_sizes_colours_and_groups(demo: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "g.gexf"
    demo.export(path, query="jaguar", group="topics", rank=["pagerank"])
    graph = check_gexf(path)
    read = nx.read_gexf(path)
    nodes = dict(read.nodes(data=True)).values()
    assert {n["label"] for n in nodes} >= {n["title"] for n in nodes if n.get("title")}
    grouped = [n for n in nodes if n.get("group")]
    by_group = {n["group"]: n["viz"]["color"] for n in grouped}
    assert len(by_group) >= 3
    first = {name: by_group[1][name] for name in "rgb"}
    assert "#{r:02x}{g:02x}{b:02x}".format(**first) == PALETTE[0]
    best, worst = (pick(nodes, key=lambda n: n["pagerank"]) for pick in (max, min))
    assert best["viz"]["size"] == 40 > worst["viz"]["size"]
    extent = np.ptp([n["viz"]["position"]["x"] for n in nodes])
    assert extent > 10 * len(nodes) ** 0.5
    assert len(graph[1]) == len(nodes)


def test_the_layout_of_a_large_graph_keeps_communities_apart() -> None:
    """A ring of cliques: nodes of one clique are closer to each other than to the others."""
    cliques, size = 60, 25
    ends = [
        (k * size + i, k * size + j) for k in range(cliques) for i in range(size) for j in range(i)
    ]
    ends += [(k * size, (k + 1) % cliques * size) for k in range(cliques)]
    source, target = np.array(ends).T
    graph = WebGraph.from_arrays(cliques * size, source, target)
    assert len(graph) > MAX_FORCE_DIRECTED_NODES
    places = layout_nodes(graph)
    assert np.array_equal(places, layout_nodes(graph))
    assert len(np.unique(places.round(2), axis=0)) == len(graph)
    groups = places.reshape(cliques, size, 2)
    centres = groups.mean(axis=1)
    inside = np.linalg.norm(groups - centres[:, None], axis=2).mean()
    between = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    assert inside < np.median(between) / 2


@pytest.fixture(scope="module")
def webkb(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    if not (DATA / "webkb.warc.gz").exists():
        pytest.skip("needs ../shared/data")
    workspace = Workspace(tmp_path_factory.mktemp("webkb") / "webkb.weft")
    workspace.add(DATA / "webkb.warc.gz")
    return workspace


@pytest.mark.slow
def test_networkx_and_igraph_read_webkb(webkb: Workspace, tmp_path: Path) -> None:
    hosts = webkb.graph("host")
    webkb.export(tmp_path / "hosts.gexf", level="host", rank=["pagerank"])
    check_gexf(tmp_path / "hosts.gexf")
    webkb.export(tmp_path / "hosts.graphml", level="host", rank=["pagerank"])
    graphs = [
        nx.read_gexf(tmp_path / "hosts.gexf"),
        nx.read_graphml(tmp_path / "hosts.graphml"),
    ]
    score = {row.page: row.score for row in webkb.rank("pagerank", level="host")}
    for graph in graphs:
        assert (graph.number_of_nodes(), graph.number_of_edges()) == (len(hosts), hosts.link_count)
        assert {n["host"]: n["pagerank"] for _, n in graph.nodes(data=True)} == score
    other = igraph.Graph.Read_GraphML(str(tmp_path / "hosts.graphml"))
    assert (other.vcount(), other.ecount()) == (len(hosts), hosts.link_count)
    assert dict(zip(other.vs["host"], other.vs["pagerank"], strict=True)) == pytest.approx(score)


@pytest.mark.slow
def test_polars_and_pandas_read_webkb(webkb: Workspace, tmp_path: Path) -> None:
    for what in get_args(ExportKind):
        paths = [tmp_path / f"{what}.{ending}" for ending in ("parquet", "csv")]
        counts = {webkb.export(path, what, query="course" * (what == "topics")) for path in paths}
        frames = [
            pl.read_parquet(paths[0]),
            pl.read_csv(paths[1], infer_schema_length=None),
            pd.read_parquet(paths[0]),
            pd.read_csv(paths[1], low_memory=False),
        ]
        assert {len(frame) for frame in frames} == counts
        assert {tuple(frame.columns) for frame in frames} == {tuple(COLUMNS[what].split())}
    texts = pl.read_parquet(tmp_path / "text.parquet")
    captured = webkb.counts["captured"]
    assert len(texts) == captured
    assert len(pl.read_parquet(tmp_path / "pages.parquet").filter(kind="captured")) == captured
    assert len(pl.read_parquet(tmp_path / "captures.parquet")) == webkb.counts["captures"]


def test_standard_output_is_a_stream(small: Workspace, capfdbinary: Any) -> None:
    assert small.export("-", "text", format="parquet") == 3
    written = capfdbinary.readouterr().out
    assert len(pl.read_parquet(io.BytesIO(written))) == 3
    small.export("-", "pages")
    assert capfdbinary.readouterr().out.startswith(b'"url","title"')
