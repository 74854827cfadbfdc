"""Methods on Spark: those of one machine to the last digits, and to the bit when repeated."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.workers import killed_workers

from weft.core.arrays import Floats, top_k_scores
from weft.core.errors import BadParameter, UnknownName, WeftError
from weft.core.register import METHODS, import_methods
from weft.engine import CLOSED_FORM
from weft.graph.selection import Selection
from weft.graph.webgraph import WebGraph
from weft.rank import hits, hits_vectors, indegree, pagerank, personalised_pagerank, salsa
from weft.spark import Cluster, EdgeTable, read_edges, structure
from weft.spark.ranking import SparkRanking, page_names
from weft.structure import bow_tie, connected_components
from weft.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

# A low damping factor takes few iterations, each of which is a job of Spark.
FEW: dict[str, Any] = {"damping": 0.02, "tol": 1e-11}
EdgesOf = Callable[[WebGraph], EdgeTable]


def make_web() -> WebGraph:
    """Pages of 17 hosts with unequal in-degrees, weights, and links from pages to themselves."""
    rng = np.random.default_rng(3)
    source = rng.integers(0, 240, 800)
    target = (300 * rng.random(800) ** 2).astype(int)
    names = [f"http://h{page % 17}.example/p{page}" for page in range(300)]
    weights = rng.random(800) + 0.1
    links = [
        (names[s], names[t], float(w)) for s, t, w in zip(source, target, weights, strict=True)
    ]
    return WebGraph.from_links(links)


@pytest.fixture(scope="module")
def web() -> WebGraph:
    return make_web()


@pytest.fixture(scope="module")
def edges(web: WebGraph, edges_of: EdgesOf) -> EdgeTable:
    return edges_of(web)


@pytest.fixture(scope="module")
def exchanging(edges: EdgeTable) -> EdgeTable:
    """The same edges on a cluster whose executors cannot hold the scores of all pages."""
    table = EdgeTable(replace(edges.cluster, max_broadcast_bytes=0), edges.frame)
    # Blocks by joins are the same, as a test of its own sees.
    vars(table).update(names=edges.names, blocks=edges.blocks)
    return table


def run(method: Callable[..., Any], table: EdgeTable, **options: Any) -> SparkRanking:
    """Run a registered method on an edge table."""
    ranking = method(table, **options)
    assert isinstance(ranking, SparkRanking)
    return ranking


def by_name(pages: Any, scores: Floats) -> dict[str, float]:
    return dict(zip(list(pages), scores.tolist(), strict=True))


def assert_same_scores(found: SparkRanking, expected: Any, tolerance: float = 1e-9) -> None:
    names = found.pages.to_pylist()
    assert set(names) == set(expected.pages)
    for name, scores in expected.scores.items():
        own = by_name(names, found.scores[name])
        assert own == pytest.approx(by_name(expected.pages, scores), rel=0, abs=tolerance)


def test_pages_are_in_our_order(edges: EdgeTable) -> None:
    """By host first, of which the names are compared from the end, then by path."""
    names = edges.names.table.sort("number").select("text").toArrow()["text"].to_pylist()
    hosts = [name.split("/")[2] for name in names]
    assert hosts == sorted(hosts)
    assert names[:2] == ["http://h0.example/p0", "http://h0.example/p102"]


@pytest.mark.parametrize("dangling", ["teleport", "uniform", "self", "leak"])
def test_pagerank_by_dangling_rule(web: WebGraph, edges: EdgeTable, dangling: str) -> None:
    options: dict[str, Any] = {**FEW, "dangling": dangling, "weighted": dangling != "leak"}
    assert_same_scores(run(pagerank, edges, **options), pagerank(web, **options))


def test_classic_pagerank(web: WebGraph, edges: EdgeTable) -> None:
    assert_same_scores(
        run(pagerank, edges, normalization="classic", **FEW),
        pagerank(web, normalization="classic", **FEW),
    )


def test_personalised_pagerank(web: WebGraph, edges: EdgeTable) -> None:
    options: dict[str, Any] = {
        "seeds": ["h3.example", "http://h0.example/p0"],
        "seed_weights": [1.0, 2.0],
        **FEW,
    }
    assert_same_scores(
        run(personalised_pagerank, edges, **options), personalised_pagerank(web, **options)
    )
    # A URL of which others are the continuation is no host, here as on one machine.
    for unknown in ("nowhere.example", "http://h3.example", "http://h0.example/p", ""):
        for ranked in (edges, web):
            with pytest.raises(UnknownName):
                personalised_pagerank(ranked, seeds=[unknown])


def test_hits_salsa_and_indegree(web: WebGraph, edges: EdgeTable) -> None:
    assert_same_scores(
        run(hits, edges, norm="L1", weighted=True), hits(web, norm="L1", weighted=True)
    )
    assert_same_scores(run(salsa, edges), salsa(web))
    assert_same_scores(run(salsa, edges, weighted=True), salsa(web, weighted=True))
    assert_same_scores(run(indegree, edges, weighted=True), indegree(web, weighted=True))


def test_top_pages_and_export(web: WebGraph, edges: EdgeTable, tmp_path: Path) -> None:
    ranking = run(indegree, edges)
    expected = indegree(web).to_table().slice(0, 5)
    found = ranking.top(5)
    assert found["share"].to_pylist() == pytest.approx(expected["share"].to_pylist())
    assert found["page"][0] == expected["page"][0]
    ranking.write_parquet(str(tmp_path / "ranking.parquet"))
    rows = edges.cluster.spark.read.parquet(f"file://{tmp_path}/ranking.parquet").toArrow()
    exported = dict(zip(rows["page"].to_pylist(), rows["share"].to_pylist(), strict=True))
    assert exported == by_name(ranking.pages.to_pylist(), ranking.scores["share"])
    with pytest.raises(UnknownName, match="beauty"):
        ranking.top(5, by="beauty")


def test_degrees(web: WebGraph, edges: EdgeTable) -> None:
    rows = edges.degrees().toArrow()
    columns = {name: rows[name].to_numpy() for name in rows.column_names if "degree" in name}
    expected = {
        "in-degree": web.indegrees(),
        "out-degree": web.outdegrees(),
        "weighted in-degree": web.indegrees(weighted=True),
        "weighted out-degree": web.outdegrees(weighted=True),
    }
    for name, degrees in expected.items():
        own = by_name(rows["page"].to_pylist(), columns[name])
        assert own == pytest.approx(by_name(web.pages, degrees))


@pytest.mark.parametrize("partitions", [1, 7])
def test_scores_repeat_to_the_bit(edges: EdgeTable, partitions: int) -> None:
    """Also from links in another order, and in one partition or many."""
    shuffled = edges.frame.selectExpr("*", "xxhash64(weight) as place").sort("place")
    again = EdgeTable(edges.cluster, shuffled.repartition(partitions))
    first, second = (run(pagerank, table, weighted=True, **FEW) for table in (edges, again))
    assert first.pages.equals(second.pages)
    assert first.scores["score"].tobytes() == second.scores["score"].tobytes()


@pytest.mark.parametrize(
    "options",
    [
        {"dangling": "teleport"},
        {"dangling": "self", "weighted": True},
    ],
)
def test_pagerank_by_exchange(
    web: WebGraph, exchanging: EdgeTable, options: Mapping[str, Any]
) -> None:
    assert_same_scores(run(pagerank, exchanging, **FEW, **options), pagerank(web, **FEW, **options))


def test_personalised_pagerank_by_exchange(exchanging: EdgeTable, web: WebGraph) -> None:
    options: dict[str, Any] = {**FEW, "seeds": ["h3.example"], "dangling": "uniform"}
    assert_same_scores(
        run(personalised_pagerank, exchanging, **options), personalised_pagerank(web, **options)
    )


def test_hits_by_exchange(exchanging: EdgeTable, edges_of: EdgesOf) -> None:
    """Where many pages link to the same ones, power iteration takes few steps."""
    links = [(f"h{hub}", f"a{page}", 1.0 + hub) for hub in range(9) for page in range(9)]
    graph = WebGraph.from_links([*links, ("h0", "x"), ("y", "a1")])
    table = EdgeTable(exchanging.cluster, edges_of(graph).frame)
    norms: tuple[Literal["L2", "L1"], ...] = ("L2", "L1")
    for norm in norms:
        found = run(hits, table, tol=1e-11, norm=norm, weighted=norm == "L2")
        assert found.trace.converged
        assert_same_scores(found, hits(graph, norm=norm, weighted=norm == "L2", tol=1e-12))


def test_bow_tie_and_components(
    web: WebGraph, edges: EdgeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = bow_tie(web)
    shape = bow_tie(edges)
    for fact in shape.facts:
        assert shape[fact] == expected[fact], fact
    regions = {row["page"]: row["region"] for row in expected.tables["pages"].to_pylist()}
    assert regions == {row["page"]: row["region"] for row in shape.tables["pages"].to_pylist()}
    assert len({*regions.values()}) >= 4
    assert connected_components(edges).facts == connected_components(web).facts
    # With few links at a time on this machine, pivots and trimming find the same.
    collected = structure.strong_components(edges.blocks)
    monkeypatch.setattr(structure, "MAX_COLLECTED_LINKS", 5)
    by_pivots = structure.strong_components(edges.blocks)
    assert by_pivots.labels.tolist() == collected.labels.tolist()


def test_hosts(web: WebGraph, edges: EdgeTable) -> None:
    hosts = edges.at_level("host")
    links: dict[tuple[str, str], float] = {}
    for row in web.to_arrow().to_pylist():
        ends = row["source"].split("/")[2], row["target"].split("/")[2]
        if ends[0] != ends[1]:
            links[ends] = links.get(ends, 0.0) + row["weight"]
    expected = WebGraph.from_links([(s, t, w) for (s, t), w in links.items()])
    found = run(pagerank, hosts, weighted=True, **FEW)
    assert_same_scores(found, pagerank(expected, weighted=True, **FEW))
    assert found.level == "host"


def test_a_host_without_links_to_others_counts(
    edges: EdgeTable, parquet: Callable[..., Path], tmp_path: Path
) -> None:
    """The hosts are those of a collection to which the same table is added."""
    path = parquet(
        [
            ("http://a.org/1", "http://b.org/"),
            ("http://a.org/2", "http://b.org/x"),
            ("http://alone.org/1", "http://alone.org/2"),
            ("http://self.org/", "http://self.org/"),
        ]
    )
    added = Workspace(tmp_path / "c.weft")
    added.add(path)
    table = EdgeTable(edges.cluster, edges.cluster.spark.read.parquet(str(path)))
    found = run(pagerank, table.at_level("host"), weighted=True)
    assert_same_scores(
        found, added.rank("pagerank", Selection(level="host"), weighted=True), tolerance=1e-9
    )
    assert len(found) == 4


def test_numbers(parquet: Callable[..., Path], edges: EdgeTable) -> None:
    """Numbers with gaps are renumbered, in their order; rows without an end are left out."""
    path = parquet([(7, 3), (3, 20), (20, 3), (None, 7)])
    table = EdgeTable(edges.cluster, edges.cluster.spark.read.parquet(str(path)))
    ranking = run(pagerank, table)
    assert ranking.pages.to_pylist() == ["3", "7", "20"]
    expected = pagerank(WebGraph.from_links([("7", "3"), ("3", "20"), ("20", "3")]))
    assert_same_scores(ranking, expected)
    assert table.blocks.notes == ("1 row without two ends or a usable weight",)
    with pytest.raises(BadParameter, match="no host"):
        table.at_level("host")


def test_weights_that_are_missing_or_unusable(edges: EdgeTable) -> None:
    """A missing weight is 1; what is no number, not positive or not finite leaves a row out."""
    rows = "('a', 'b', null), ('b', 'a', '2.5'), ('a', 'b', '3'), ('c', 'a', 'heavy'), "
    rows += "('d', 'a', '-1'), ('e', 'a', 'NaN'), ('f', 'a', 'Infinity'), (null, 'a', '1'), "
    rows += "('b', 'a', ' '), ('g', 'a', '2d'), ('h', 'a', '0x1p3'), ('b', 'a', ' +1e1 ')"
    frame = edges.cluster.spark.sql(f"select * from values {rows} as t(source, target, weight)")
    table = EdgeTable(edges.cluster, frame)
    assert table.notes == ("7 rows without two ends or a usable weight",)
    degrees = {row["page"]: row["weighted in-degree"] for row in table.degrees().collect()}
    assert degrees == {"a": 13.5, "b": 4.0}
    dates = frame.selectExpr("source", "target", "date '2001-01-01' as weight")
    with pytest.raises(BadParameter, match="the weights of links are date"):
        EdgeTable(edges.cluster, dates)
    decimals = frame.selectExpr("source", "target", "2.5 as weight")
    assert EdgeTable(edges.cluster, decimals).row_counts == (12, 11)


def test_joins_find_the_same_page_numbers(edges: EdgeTable) -> None:
    """Where the codes of all pages do not fit an executor, as where two pages share one."""
    joined = EdgeTable(replace(edges.cluster, max_broadcast_bytes=0), edges.frame)
    assert (joined.coded_links[1] is None, edges.coded_links[1] is None) == (True, False)
    folders = [Path(table.blocks.files.folder.location) for table in (edges, joined)]
    names = sorted(path.name for path in folders[1].iterdir())
    assert len(names) == 8 * edges.blocks.files.count
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()


def test_no_links(parquet: Callable[..., Path], edges: EdgeTable) -> None:
    """A page that links to itself alone is a page without links."""
    path = parquet([("http://a.org/", "http://a.org/")])
    table = EdgeTable(edges.cluster, edges.cluster.spark.read.parquet(str(path)))
    assert run(pagerank, table).scores["score"].tolist() == [1.0]
    assert run(hits, table).scores["hub"].tolist() == [0.0]
    assert bow_tie(table)["core"] == "no core"


def test_no_rows(edges: EdgeTable) -> None:
    table = EdgeTable(edges.cluster, edges.frame.where("source = 'none'"))
    for method in (pagerank, personalised_pagerank, hits, salsa, indegree):
        ranking = run(method, table)
        assert (len(ranking), ranking.top(3).num_rows) == (0, 0)
    assert bow_tie(table).facts["links"] == connected_components(table).facts["pages"] == 0
    assert table.degrees().count() == 0
    assert len(run(pagerank, table.at_level("host"))) == 0


def test_odd_names(edges: EdgeTable, tmp_path: Path) -> None:
    """What is no UTF-8 or empty is no name; all else is one, as in `WebGraph`."""
    odd = ["http://a.org/ü?q=1&r=[2]#x", "a\nb", "\t ", "it's \"quoted\", 100 %", "-7",
           "javascript:alert(1)", "x" * 100_000, "HTTP://A.ORG/", "http://xn--/", "http://[::1]/",
           "//", "\0"]  # fmt: skip
    links = [(odd[k], odd[k * k % len(odd)]) for k in range(len(odd))] * 2
    links += [(name, "http://a.org/") for name in odd] + [("http://a.org/", "http://a.org/")]
    unusable = [b"\xff\xfe", b"", b"\xed\xa0\x80"]
    rows = [(s.encode(), t.encode()) for s, t in links] + [(name, b"b") for name in unusable]
    ends = zip(*rows, strict=True)
    columns = [pa.array(end, pa.binary()).view(pa.string()) for end in ends]
    path = tmp_path / "odd [1].parquet"
    pq.write_table(pa.table(columns, ["source", "target"]), path)
    table, expected = read_edges(edges.cluster, str(path)), WebGraph.from_links(links)
    assert table.notes == ("3 rows without two ends or a usable weight",)
    assert_same_scores(run(pagerank, table, **FEW), pagerank(expected, **FEW))
    assert bow_tie(table)["core"] == bow_tie(expected)["core"]


def test_staging_folders_with_odd_names(edges: EdgeTable, tmp_path: Path) -> None:
    """Brackets and stars are a pattern for Spark where it reads."""
    staging = tmp_path / "a [1] {b,c} *? %20#\\"
    cluster = Cluster(edges.cluster.spark, str(staging))
    ranking = run(indegree, EdgeTable(cluster, edges.frame))
    assert ranking.top(3).equals(run(indegree, edges).top(3))


def test_columns_that_only_case_tells_apart(edges: EdgeTable) -> None:
    frame = edges.frame.selectExpr("source", "target", "source as Target")
    with pytest.raises(BadParameter, match="several columns target"):
        EdgeTable(edges.cluster, frame)


@pytest.mark.parametrize("k", [1, 5, 40])
def test_ties_at_the_top_are_those_of_all_pages(edges: EdgeTable, k: int) -> None:
    """Scores that are as good as zero beside the best page are not better than zero."""
    count, cluster = edges.names.count, edges.cluster
    scores = np.zeros(count)
    scores[10 : count // 2 : 3], scores[-2:] = 1e-14, 1.0
    folders = edges.blocks.save_columns({"score": scores})
    assert cluster.executors > 1
    ranking = SparkRanking("test", edges, folders, CLOSED_FORM)
    names = page_names(edges, top_k_scores(scores, k)[0].tolist())
    assert ranking.top(k)["page"].to_pylist() == names.to_pylist()


def test_more_pages_than_labels_are_refused() -> None:
    """Before blocks are written; hubs and authorities are two nodes a page."""
    table: Any = SimpleNamespace(names=SimpleNamespace(count=2**31))
    for method in (structure.bow_tie, structure.connected_components):
        with pytest.raises(WeftError, match=r"2,147,483,648 .* more than 2,147,483,647"):
            method(table)
    blocks: Any = SimpleNamespace(page_count=2**30)
    with pytest.raises(WeftError, match="2,147,483,648"):
        structure.bipartite_components(blocks)


def test_workers_killed_in_mid_job_change_nothing(edges: EdgeTable) -> None:
    """Python workers are killed again and again while PageRank runs."""
    options: dict[str, Any] = {"weighted": True, "damping": 0.3, "tol": 1e-12}
    expected = run(pagerank, edges, **options).scores["score"]
    with killed_workers(at_most=3, seconds=0.2) as killed:
        found = run(pagerank, edges, **options).scores["score"]
    assert killed
    assert found.tobytes() == expected.tobytes()


def test_unregistered_methods_are_refused(edges: EdgeTable) -> None:
    with pytest.raises(BadParameter, match="does not run on Spark") as error:
        hits_vectors(edges)
    assert "pagerank" in error.value.hint


def test_implementations_exist_with_the_options_of_one_machine() -> None:
    """Each has every option, with the same default, as a contract that the register relies on."""
    for kind in ("rank", "structure"):
        import_methods(kind)
    on_spark = {key: method for key, method in METHODS.items() if method.spark}
    assert len(on_spark) >= 7
    for method in on_spark.values():
        module, _, function = method.spark.partition(":")
        declared = signature(getattr(import_module(module), function)).parameters
        options = {name: option.default for name, option in method.options.items()}
        own = {name: option.default for name, option in list(declared.items())[1:]}
        assert own == options, method.name
