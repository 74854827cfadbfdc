"""Exports that other programs read, with hostile names."""

import csv
import json
import math
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weft.core.errors import WeftError
from weft.graph import formats
from weft.graph.formats import write_edges, write_table
from weft.graph.webgraph import WebGraph
from weft.workspace.workspace import Workspace

NAMES = [
    '=cmd|"/c calc"!A0',
    "<script>alert(1)</script>",
    "a & b \"c\" 'd'",
    "+1",
    "tab\there",
    "ünïcødé \U0001f406",
    "plain",
]
GRAPH = WebGraph.from_links([*pairwise(NAMES), (NAMES[0], NAMES[1])])


def labels(graph: nx.DiGraph) -> set[tuple[str, str, float]]:
    name = nx.get_node_attributes(graph, "label")
    return {(name[s], name[t], w) for s, t, w in graph.edges(data="weight")}


def expected() -> set[tuple[str, str, float]]:
    return {tuple(row.values()) for row in GRAPH.to_arrow().to_pylist()}


@pytest.mark.parametrize(("ending", "read"), [("gexf", nx.read_gexf), ("graphml", nx.read_graphml)])
def test_networkx_reads_what_was_written(tmp_path: Path, ending: str, read: object) -> None:
    path = tmp_path / f"g.{ending}"
    assert write_edges(GRAPH, path) == 6
    found = labels(read(path))  # type: ignore[operator]
    assert {(s.replace("\t", " "), t.replace("\t", " "), w) for s, t, w in found} == {
        (s.replace("\t", " "), t.replace("\t", " "), w) for s, t, w in expected()
    }


@pytest.mark.parametrize(("ending", "read"), [("gexf", nx.read_gexf), ("graphml", nx.read_graphml)])
def test_nodes_have_their_attributes(tmp_path: Path, ending: str, read: object) -> None:
    attributes = pa.table({"title": ["<b>'A'</b>\x00", "B"], "x": [0.5, -1.0], "y": [0.25, 1e-7]})
    path = tmp_path / f"g.{ending}"
    write_edges(WebGraph.from_links([("a", "b")]), path, attributes)
    nodes = read(path).nodes  # type: ignore[operator]
    assert [nodes[n]["label"] for n in "01"] == ["a", "b"]
    assert [nodes[n]["title"] for n in "01"] == ["<b>'A'</b>", "B"]
    if ending == "gexf":
        assert nodes["1"]["viz"]["position"] == {"x": -1.0, "y": 1e-7, "z": 0.0}
    else:
        assert [(nodes[n]["x"], nodes[n]["y"]) for n in "01"] == [(0.5, 0.25), (-1.0, 1e-7)]


def test_control_characters_are_left_out_of_xml(tmp_path: Path) -> None:
    graph = WebGraph.from_links([("bad\x00\x1b[31mname", "b")])
    for ending, read in (("gexf", nx.read_gexf), ("graphml", nx.read_graphml)):
        write_edges(graph, tmp_path / f"g.{ending}")
        assert ("bad[31mname", "b", 1.0) in labels(read(tmp_path / f"g.{ending}"))


def test_csv_has_the_three_columns_and_no_formula(tmp_path: Path) -> None:
    write_edges(GRAPH, tmp_path / "g.csv")
    with (tmp_path / "g.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["source", "target", "weight"]
    assert not [cell for row in rows for cell in row if cell[:1] in "=+-@\t"]
    assert "'" + NAMES[0] in {row[0] for row in rows}


def test_parquet_keeps_names_as_they_are(tmp_path: Path) -> None:
    write_edges(GRAPH, tmp_path / "g.parquet")
    assert {
        tuple(r.values()) for r in pq.read_table(tmp_path / "g.parquet").to_pylist()
    } == expected()


def test_json_lines_keep_names_and_know_no_infinity(tmp_path: Path) -> None:
    write_edges(GRAPH, tmp_path / "g.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "g.jsonl").read_text("utf-8").splitlines()]
    assert {tuple(row.values()) for row in rows} == expected()
    write_table(pa.table({"a": [1.5, math.inf, math.nan]}), tmp_path / "n.jsonl")
    lines = (tmp_path / "n.jsonl").read_text().splitlines()
    assert lines == ['{"a": 1.5}', '{"a": null}', '{"a": null}']


def test_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="ending") as caught:
        write_edges(GRAPH, tmp_path / "g.xlsx")
    assert ".gexf" in caught.value.hint
    with pytest.raises(WeftError):
        write_table(pa.table({"a": [1]}), tmp_path / "g.gexf")


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="there is no folder"):
        write_edges(GRAPH, tmp_path / "nowhere" / "g.csv")


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl", "gexf", "graphml"])
def test_a_folder_instead_of_a_file_is_refused(tmp_path: Path, ending: str) -> None:
    into = tmp_path / f"links.{ending}"
    into.mkdir()
    with pytest.raises(WeftError, match="is a folder"):
        write_edges(WebGraph.from_links([("a", "b")]), into)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl", "gexf", "graphml"])
def test_a_failed_write_names_its_file(tmp_path: Path, ending: str) -> None:
    into = tmp_path / f"links.{ending}"
    into.symlink_to("/proc/links")
    with pytest.raises(OSError, match=r"/links\.") as caught:
        write_edges(WebGraph.from_links([("a", "b")]), into)
    assert caught.value.filename == str(into)


@pytest.mark.parametrize("ending", ["gexf", "graphml"])
def test_large_weights_keep_their_digits(tmp_path: Path, ending: str) -> None:
    into = tmp_path / f"links.{ending}"
    write_edges(WebGraph.from_links([("a", "b", 1_234_567.0), ("b", "a", 0.25)]), into)
    assert ("1234567" in into.read_text(), "0.25" in into.read_text()) == (True, True)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "gexf", "graphml"])
def test_added_and_exported_weights_are_the_same(tmp_path: Path, ending: str) -> None:
    given = [0.1, 16777217.0, 1e39, 1e-46, 1 / 3, 2.0, 1e-70, float(np.float32(0.1))]
    for name, some in (("every", given), ("single", given[-1:])):
        rows = [f"a,{chr(98 + k)},{weight!r}" for k, weight in enumerate(some)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["source,target,weight", *rows]))
        workspace = Workspace(tmp_path / f"{name}.weft")
        workspace.add(tmp_path / f"{name}.csv")
        into = tmp_path / f"{name}-links.{ending}"
        workspace.export(into)
        if ending == "gexf":
            found = [w for _, _, w in nx.read_gexf(into).edges(data="weight")]
        elif ending == "graphml":
            found = [w for _, _, w in nx.read_graphml(into).edges(data="weight")]
        else:
            again = Workspace(tmp_path / f"{name}-again.weft")
            again.add(into)
            found = again.graph().to_arrow()["weight"].to_pylist()
        assert found == some


def test_weights_are_numbers(tmp_path: Path) -> None:
    write_edges(WebGraph.from_links([("a", "b", 0.25)]), tmp_path / "g.gexf")
    assert math.isclose(nx.read_gexf(tmp_path / "g.gexf").edges["0", "1"]["weight"], 0.25)


def test_an_empty_graph_is_a_file_too(tmp_path: Path) -> None:
    for ending in ("csv", "tsv", "parquet", "jsonl", "gexf", "graphml"):
        assert write_edges(WebGraph.from_links([]), tmp_path / f"g.{ending}") == 0
    assert len(nx.read_gexf(tmp_path / "g.gexf")) == 0


@pytest.mark.parametrize(("ending", "read"), [("gexf", nx.read_gexf), ("graphml", nx.read_graphml)])
def test_nodes_are_drawn_as_they_should_be(tmp_path: Path, ending: str, read: object) -> None:
    drawn = {"label": ["A", "B"], "size": [4.0, 40.0], "color": ["#2f6f9f", "#000000"]}
    path = tmp_path / f"g.{ending}"
    write_edges(WebGraph.from_links([("a", "b")]), path, pa.table({**drawn, "n": [7, None]}))
    nodes = read(path).nodes  # type: ignore[operator]
    assert [nodes[n]["label"] for n in "01"] == ["A", "B"]
    assert (nodes["0"]["n"], "n" in nodes["1"]) == (7, False)
    if ending == "gexf":
        viz = nodes["0"]["viz"]
        assert (viz["size"], viz["color"]) == (4.0, {"r": 47, "g": 111, "b": 159, "a": 1.0})
    else:
        assert [nodes["0"][c] for c in ("size", "r", "g", "b")] == [4.0, 47, 111, 159]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl", "gexf", "graphml"])
def test_a_file_is_replaced_whole_or_stays(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"g.{ending}"
    path.write_text("before")
    path.chmod(0o640)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    writers = formats.GRAPH_WRITERS if ending in formats.GRAPH_WRITERS else formats.TABLE_WRITERS
    with monkeypatch.context() as patch:
        patch.setitem(writers, ending, fail)
        with pytest.raises(OSError, match="No space"):
            write_edges(GRAPH, path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "before"
    write_edges(GRAPH, path)
    assert path.read_bytes() != b"before"
    assert path.stat().st_mode & 0o777 == 0o640


def test_batches_are_one_file(tmp_path: Path) -> None:
    schema = pa.schema({"n": pa.int64(), "name": pa.string()})
    tables = [pa.table({"n": [k], "name": [f"=row {k}"]}, schema) for k in range(3)]
    for ending in ("csv", "tsv", "parquet", "jsonl"):
        batches = (batch for table in tables for batch in table.to_batches())
        rows = pa.RecordBatchReader.from_batches(schema, batches)
        assert write_table(rows, tmp_path / f"t.{ending}") == 3
    assert (tmp_path / "t.csv").read_text().count("'=row") == 3
    assert pq.read_table(tmp_path / "t.parquet").to_pylist()[2] == {"n": 2, "name": "=row 2"}
    assert len((tmp_path / "t.jsonl").read_text().splitlines()) == 3


def test_a_named_format_counts_before_the_suffix(tmp_path: Path) -> None:
    write_edges(GRAPH, tmp_path / "links.txt", None, "jsonl")
    assert len((tmp_path / "links.txt").read_text().splitlines()) == 6
    with pytest.raises(WeftError, match="xlsx is no format"):
        write_edges(GRAPH, tmp_path / "links.txt", None, "xlsx")
