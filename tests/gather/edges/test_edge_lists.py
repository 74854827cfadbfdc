"""Edge lists with a header, without one, and in Parquet."""

import csv
import gzip
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.gather.graphs import BAD, Link, Write, detect_graph_format, read, read_detected
from tests.real import DATA, real

from weft.core.errors import WeftError
from weft.workspace.workspace import Workspace

names = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8
).filter(lambda name: not name.startswith("#"))
weights = st.floats(2**-20, 2**20, width=32)
anchors = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("source,target,weight,anchor", "a,b,2,word"),
        ("SRC,DST,WEIGHT,ANCHOR", "a,b,2,word"),
        ("from\tto\tweight\tanchor", "a\tb\t2\tword"),
        ("other;target;anchor;weight;source", "x;b;word;2;a"),
        ('"Type","Source","Destination","Weight","Anchor","Target"', "x,a,b,2,word,_blank"),
        ("source_url,target_url,weight,anchor text", ' a , b , 2 ,"word"'),
    ],
)
def test_csv_headers(write: Write, header: str, row: str) -> None:
    graph = read_detected(write(f"{header}\r\n{row}\r\n".encode()))
    assert graph.links == [("a", "b", 2.0, "word")]
    assert graph.problems.counts == {}


def test_advertools_packs_the_links_of_a_page_into_a_cell(write: Write) -> None:
    rows = b"url,title,links_url,links_text\nu,T,a@@b,x@@y\nv,T,,\nw,T,a@@b,only one\n"
    graph = read_detected(write(rows))
    assert graph.links == [
        ("u", "a", 1, "x"),
        ("u", "b", 1, "y"),
        ("w", "a", 1, ""),
        ("w", "b", 1, ""),
    ]
    assert graph.nodes == [("u", ""), ("v", ""), ("w", "")]


def test_missing_columns_are_an_error_that_names_those_found(write: Write) -> None:
    with pytest.raises(WeftError, match="only page, to") as caught:
        read(write(b"page,to\na,b\n"), "csv")
    assert "source and target" in caught.value.hint


@pytest.mark.parametrize("mark", ["#", "%"])
def test_snap(write: Write, mark: str) -> None:
    text = f"{mark} a comment\n1\t2\n\n%C3%81ed\t-7\n New York \tRome\n"
    graph = read_detected(write(text.encode()))
    assert graph.pairs == [("1", "2"), ("%C3%81ed", "-7"), ("New York", "Rome")]
    assert graph.problems.counts == {}


def test_snap_by_any_run_of_spaces(write: Write) -> None:
    graph = read_detected(write(b"  1   2  0.5\r\n3 \t 4 2\n5 6 1  \n"))
    assert graph.links == [("1", "2", 0.5, ""), ("3", "4", 2, ""), ("5", "6", 1, "")]


def test_snap_header_is_no_link(write: Write) -> None:
    assert read_detected(write(b"source target\na b\nc d\n")).pairs == [("a", "b"), ("c", "d")]


def test_parquet(tmp_path: Path) -> None:
    table = pa.table(
        {
            "Weight": pa.array([2, None, float("nan"), 1]),
            "source": pa.array([10**18, -1, 3, None]),
            "target": pa.array(["a", "b", "c", "d"]).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "graph")
    graph = read_detected(tmp_path / "graph")
    assert graph.links == [(str(10**18), "a", 2, ""), ("-1", "b", 1, "")]
    assert graph.problems.locations == {BAD: [f"{tmp_path}/graph:3", f"{tmp_path}/graph:4"]}


def test_names_of_a_parquet_dictionary_that_no_row_has_are_no_pages(tmp_path: Path) -> None:
    names = pa.DictionaryArray.from_arrays(pa.array([1, 2], pa.int32()), ["unused", "a", "b"])
    table = pa.table({"source": ["http://a.example/", "c"], "target": names})
    pq.write_table(table, tmp_path / "graph.parquet")
    workspace = Workspace(tmp_path / "c.weft")
    workspace.add(tmp_path / "graph.parquet")
    assert set(workspace.graph().pages) == {"http://a.example/", "a", "b", "c"}


@pytest.mark.parametrize(
    ("weights", "kept"),
    [
        (pa.array([1e301, 2.0]), [2]),
        (pa.array([2**62, 0]), [2**62]),
        (pa.array(["x", " 3 "]), [3]),
        (pa.array([0, 10**9], pa.timestamp("s")), []),
    ],
    ids=["huge", "whole", "text", "time"],
)
def test_parquet_weights(tmp_path: Path, weights: pa.Array, kept: list[float]) -> None:
    table = pa.table({"source": ["a", "b"], "target": ["c", "d"], "weight": weights})
    pq.write_table(table, tmp_path / "graph")
    graph = read_detected(tmp_path / "graph")
    assert [weight for _, _, weight, _ in graph.links] == kept
    assert graph.problems.counts == {BAD: 2 - len(kept)}


def test_invalid_parquet(write: Write, tmp_path: Path) -> None:
    assert read(write(b"PAR1 and nothing"), "parquet").problems.damage_count == 1
    pq.write_table(pa.table({"source": [[1]], "target": ["a"]}), tmp_path / "lists")
    with pytest.raises(WeftError, match="holds list"):
        read(tmp_path / "lists", "parquet")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(names, names, weights, anchors), max_size=20), st.sampled_from(",;\t"))
def test_csv_written_and_read_is_the_same(write: Write, links: list[Link], delimiter: str) -> None:
    sheet = io.StringIO()
    writer = csv.writer(sheet, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("source", "target", "weight", "anchor"), *links])
    graph = read_detected(write(sheet.getvalue().encode()))
    assert graph.links == links
    assert graph.problems.counts == {}


@real
def test_real_wikispeedia() -> None:
    path = DATA / "wikispeedia" / "links.tsv.gz"
    with gzip.open(path) as file:
        assert detect_graph_format(file.read(1 << 16)) == "snap"
    graph = read(path, "snap")
    assert len(graph.links) == 119_882
    assert graph.pairs[0] == ("%C3%81ed%C3%A1n_mac_Gabr%C3%A1in", "Bede")
    assert len({name for pair in graph.pairs for name in pair}) == 4_592
    assert graph.problems.counts == {}


@pytest.mark.parametrize(
    ("text", "links"),
    [
        (b"0,1\n0,2\n", [("0", "1", 1), ("0", "2", 1)]),
        (b"# from, to\n\n0;1;2\n0;2;\n", [("0", "1", 2), ("0", "2", 1)]),
        (b"http://a,http://b/\n", [("http://a/", "http://b/", 1)]),
        (b"alice,bob,.5\nbob,carol,1\n", [("alice", "bob", 0.5), ("bob", "carol", 1)]),
        (b"a\tb\nc\ta\n", [("a", "b", 1), ("c", "a", 1)]),
        (b'"1","2"\r\n"2","3"\r\n', [("1", "2", 1), ("2", "3", 1)]),
    ],
)
def test_tables_without_header(
    write: Write, text: bytes, links: list[tuple[str, str, float]]
) -> None:
    graph = read(write(text), "csv")
    assert [link[:3] for link in graph.links] == links
    assert not graph.problems.counts


@pytest.mark.parametrize("text", [b"url,title\na,b\n", b"alice,bob\n", b"1,2,x\n", b"1,2,3,4\n"])
def test_a_table_with_unknown_columns_is_refused(write: Write, text: bytes) -> None:
    with pytest.raises(WeftError, match="no source and target columns"):
        read(write(text), "csv")


def test_bad_rows_of_a_table_without_header_have_their_lines(write: Write) -> None:
    path = write(b"# links\n0,1\n0,\n1,2,3\n")
    graph = read(path, "csv")
    assert graph.pairs == [("0", "1")]
    assert graph.problems.locations == {BAD: [f"{path}:3", f"{path}:4"]}
