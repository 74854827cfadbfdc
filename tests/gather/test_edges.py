"""Graphs without text: every format by hand, on real data, and with rows that will not do."""

import codecs
import csv
import gzip
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weft.core.errors import UnknownName, WeftError
from weft.gather import cells, linktable
from weft.gather.edges import READERS, read_common_crawl, read_edges, recognise
from weft.gather.page import Edges, Problems

DATA = Path(__file__).parents[3] / "shared" / "data"
BAD = "bad rows in an edge list"
real = pytest.mark.skipif(not DATA.is_dir(), reason=f"the real data are not at {DATA}")
Link = tuple[str, str, float, str]
Write = Callable[[bytes], Path]


class Graph(NamedTuple):
    """All parts of a graph put together."""

    nodes: list[tuple[str, str]]
    links: list[Link]
    problems: Problems

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The links without weight and anchor."""
        return [(source, target) for source, target, _, _ in self.links]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def put(content: bytes) -> Path:
        path = tmp_path / "graph"
        path.write_bytes(content)
        return path

    return put


def together(parts: Iterable[Edges], problems: Problems) -> Graph:
    nodes, links = [], []
    for part in parts:
        assert part.origin == "digest"
        assert part.links.schema.names == ["source", "target", "weight", "anchor"]
        assert part.links.schema.field("weight").type == pa.float32()
        nodes += [(row["name"], row["title"]) for row in part.nodes.to_pylist()]
        links += [tuple(row.values()) for row in part.links.to_pylist()]
    return Graph(nodes, links, problems)


def read(path: Path, kind: str) -> Graph:
    problems = Problems()
    return together(read_edges(path, kind, "digest", problems), problems)


def sniffed(path: Path) -> Graph:
    kind = recognise(path.read_bytes()[: 1 << 16])
    assert kind is not None
    return read(path, kind)


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
    graph = sniffed(write(f"{header}\r\n{row}\r\n".encode()))
    assert graph.links == [("a", "b", 2.0, "word")]
    assert graph.problems.counts == {}


def test_csv_quotes(write: Write) -> None:
    graph = sniffed(write(b'source,target,anchor\n"a,1","b ""2""","two\nlines"\nc,d,5" disk\n'))
    assert graph.links == [("a,1", 'b "2"', 1, "two\nlines"), ("c", "d", 1, '5" disk')]


def test_advertools_packs_the_links_of_a_page_into_a_cell(write: Write) -> None:
    rows = b"url,title,links_url,links_text\nu,T,a@@b,x@@y\nv,T,,\nw,T,a@@b,only one\n"
    graph = sniffed(write(rows))
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


def test_a_stray_quote_does_not_swallow_what_follows(write: Write) -> None:
    rows = b"".join(b"s%d,t%d\n" % (k, k) for k in range(1000))
    odd = read(write(b'source,target\n"x,y\n' + rows), "csv")
    assert odd.pairs == [('"x', "y"), *((f"s{k}", f"t{k}") for k in range(1000))]
    even = read(write(b'source,target\n"x,y\n' + rows + b'"z,w\n'), "csv")
    assert even.pairs == [*odd.pairs, ('"z', "w")]
    few = read(write(b'source,note,target\na,"x,b\nc,y,d\ne,z,"f\n'), "csv")
    assert few.pairs == [("a", "b"), ("c", "d"), ("e", '"f')]


@pytest.mark.parametrize("mark", ["#", "%"])
def test_snap(write: Write, mark: str) -> None:
    text = f"{mark} a comment\n1\t2\n\n%C3%81ed\t-7\n New York \tRome\n"
    graph = sniffed(write(text.encode()))
    assert graph.pairs == [("1", "2"), ("%C3%81ed", "-7"), ("New York", "Rome")]
    assert graph.problems.counts == {}


def test_snap_by_any_run_of_spaces(write: Write) -> None:
    graph = sniffed(write(b"  1   2  0.5\r\n3 \t 4 2\n5 6 1  \n"))
    assert graph.links == [("1", "2", 0.5, ""), ("3", "4", 2, ""), ("5", "6", 1, "")]


def test_snap_header_is_no_link(write: Write) -> None:
    assert sniffed(write(b"source target\na b\nc d\n")).pairs == [("a", "b"), ("c", "d")]


def test_parquet(tmp_path: Path) -> None:
    table = pa.table(
        {
            "Weight": pa.array([2, None, float("nan"), 1]),
            "source": pa.array([10**18, -1, 3, None]),
            "target": pa.array(["a", "b", "c", "d"]).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "graph")
    graph = sniffed(tmp_path / "graph")
    assert graph.links == [(str(10**18), "a", 2, ""), ("-1", "b", 1, "")]
    assert graph.problems.places == {BAD: [f"{tmp_path}/graph:3", f"{tmp_path}/graph:4"]}


@pytest.mark.parametrize(
    ("weights", "kept"),
    [
        (pa.array([1e300, 2.0]), [2]),
        (pa.array([2**62, 0]), [2**62]),
        (pa.array(["x", " 3 "]), [3]),
        (pa.array([0, 10**9], pa.timestamp("s")), []),
    ],
    ids=["huge", "whole", "text", "time"],
)
def test_parquet_weights(tmp_path: Path, weights: pa.Array, kept: list[float]) -> None:
    table = pa.table({"source": ["a", "b"], "target": ["c", "d"], "weight": weights})
    pq.write_table(table, tmp_path / "graph")
    graph = sniffed(tmp_path / "graph")
    assert [weight for _, _, weight, _ in graph.links] == kept
    assert graph.problems.counts == {BAD: 2 - len(kept)}


def test_parquet_that_is_none(write: Write, tmp_path: Path) -> None:
    assert read(write(b"PAR1 and nothing"), "parquet").problems.damage == 1
    pq.write_table(pa.table({"source": [[1]], "target": ["a"]}), tmp_path / "lists")
    with pytest.raises(WeftError, match="holds list"):
        read(tmp_path / "lists", "parquet")


def test_common_crawl(tmp_path: Path) -> None:
    vertices, edges = tmp_path / "vertices.gz", tmp_path / "edges.gz"
    vertices.write_bytes(
        gzip.compress(b"900000000000\torg\t1\n7\tcom.example.www\t3\nx\tcom.bad\t1\n")
    )
    edges.write_bytes(gzip.compress(b"7\t900000000000\n7\t7\n7\t8\n"))
    problems = Problems()
    graph = together(read_common_crawl(vertices, edges, "digest", problems), problems)
    assert graph.nodes == [("org", ""), ("www.example.com", "")]
    assert graph.pairs == [("www.example.com", "org"), ("www.example.com", "www.example.com")]
    assert problems.places == {BAD: [f"{vertices}:3", f"{edges}:3"]}


def test_matrix_market(write: Write) -> None:
    head = b"%%MatrixMarket matrix coordinate real general\n%no link\n3 3 4\n"
    graph = sniffed(write(head + b"1 2 0.5\n3 1 2e0\n 2  2  1\n0 x 1\n"))
    assert graph.links == [("1", "2", 0.5, ""), ("3", "1", 2, ""), ("2", "2", 1, "")]
    assert graph.problems.counts == {BAD: 1}


def test_symmetric_matrix_counts_both_ways_and_its_diagonal_once(write: Write) -> None:
    graph = sniffed(write(b"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n2 1\n2 2\n"))
    assert sorted(graph.pairs) == [("1", "2"), ("2", "1"), ("2", "2")]
    assert list(graph.problems.counts) == ["matrices with fewer entries than they announce"]


def test_rows_and_columns_without_entries_are_pages(write: Write) -> None:
    head = b"%%MatrixMarket matrix coordinate pattern general\n"
    graph = sniffed(write(head + b"4 6 3\n1 2\n4 5\n"))
    assert graph.nodes == [("3", ""), ("6", "")]
    assert graph.pairs == [("1", "2"), ("4", "5")]
    assert sniffed(write(head + b"2 2 1\n1 2\n")).nodes == []


def test_a_matrix_without_entries(write: Write) -> None:
    head = b"%%MatrixMarket matrix coordinate pattern general\n"
    assert sniffed(write(head + b"2 2 0\n")).nodes == [("1", ""), ("2", "")]
    assert sniffed(write(head + b"0 0 0\n")).nodes == []


def test_entries_outside_a_matrix_are_told(write: Write) -> None:
    head = b"%%MatrixMarket matrix coordinate integer general\n3 4 6\n"
    rows = b"3 4 1\n4 3 1\n3 5 1\n0 1 1\n01 1 1\n1 %b 1\n" % (b"1" * 30)
    path = write(head + rows)
    graph = sniffed(path)
    assert graph.pairs == [("3", "4")]
    assert graph.problems.places == {BAD: [f"{path}:{line}" for line in range(4, 9)]}


@pytest.mark.parametrize("size", [b"1000000000", b"999999999999999999", b"9" * 5000])
def test_a_matrix_far_larger_than_its_entries(write: Write, size: bytes) -> None:
    """Its memory is that of its entries."""
    head = b"%%MatrixMarket matrix coordinate pattern general\n"
    graph = sniffed(write(head + b"%b %b 1\n1 2\n" % (size, size)))
    assert (graph.pairs, graph.nodes) == ([("1", "2")], [])
    assert graph.problems.counts.total() == 1


def test_dense_matrix_is_refused(write: Write) -> None:
    with pytest.raises(WeftError, match="no matrix of links"):
        read(write(b"%%MatrixMarket matrix array real general\n1 1\n1\n"), "matrix-market")


GML = b"""Creator "me [and] you"
# graph [ node [ id 9 ] ]
graph [
  directed 1
  edge [ source 1 target 2 value 2.5 ]
  node [ id 1 label "a &amp; b" graphics [ x 1 label "no" ] ]
  node [ id 2 ] node [ id 3 label "a?x=1&copy=2" ]
  edge [ source 2 target 3 ]
  edge [ source 2 target 4 ]
]
"""


def test_gml(write: Write) -> None:
    graph = sniffed(write(GML))
    assert graph.nodes == [("a & b", ""), ("2", ""), ("a?x=1&copy=2", "")]
    assert sorted(graph.links) == [("2", "a?x=1&copy=2", 1, ""), ("a & b", "2", 2.5, "")]
    assert graph.problems.places == {BAD: [f"{write(GML)}:9"]}


def test_undirected_gml_goes_both_ways(write: Write) -> None:
    graph = sniffed(write(GML.replace(b"directed 1", b"directed 0")))
    assert len(graph.links) == 4
    assert {(target, source) for source, target in graph.pairs} == set(graph.pairs)


def test_gml_may_say_at_its_end_that_it_is_directed(write: Write) -> None:
    late = GML.replace(b"  directed 1\n", b"").rstrip().removesuffix(b"]") + b"directed 1 ]"
    assert sniffed(write(late)).links == sniffed(write(GML)).links


def test_gml_is_undirected_if_only_a_name_says_otherwise(write: Write) -> None:
    named = b'graph [ node [ id 1 label "directed 1" directed 1 ] edge [ source 1 target 1 ] '
    named += b"node [ id 2 ] edge [ source 1 target 2 ] ]"
    assert len(read(write(named), "gml").links) == 3


def test_gml_in_ruins_is_read_in_linear_time(write: Write) -> None:
    deep = b"graph [ node [ id 1 ] " + b"x [ " * 1_000_000 + b'"open ]'
    assert read(write(deep), "gml").nodes == [("1", "")]


def test_nodes_that_share_a_name_are_told_apart(write: Write) -> None:
    graph = read(write(b'graph [ node [ id 1 label "a" ] node [ id 2 label "a" ] ]'), "gml")
    assert [name for name, _ in graph.nodes] == ["a", "a (2)"]
    assert graph.problems.counts == {"nodes of a graph file that share a name": 1}
    assert graph.problems.damage == 0


def test_nodes_without_a_usable_name_are_told(write: Write) -> None:
    nodes = b'node [ id 1 label "a" ] node [ id 2 label " " ] node [ id 3 label "%b" ]' % (
        b"x" * 5000
    )
    edges = b"edge [ source 1 target 2 ] edge [ source 2 target 2 ] edge [ source 3 target 1 ]"
    graph = read(write(b"graph [ %b %b ]" % (nodes, edges)), "gml")
    assert (graph.nodes, graph.links) == ([("a", "")], [])
    assert graph.problems.counts == {"nodes of a graph file without a usable name": 2, BAD: 3}


GRAPHML = b"""<?xml version="1.0" encoding="latin-1"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="label"/><key id="d1" for="edge" attr.name="weight"/>
<key id="d2" for="node" attr.name="url"/>
<graph edgedefault="directed">
<node id="n0"><data key="d0">Caf\xe9 &amp; bar</data></node>
<node id="n1"><data key="d2">http://x/</data><data key="d0">X</data></node>
<node id="n2"/>
<edge source="n0" target="n1"><data key="d1">3</data></edge>
<edge source="n1" target="n2" directed="false"/>
<edge source="n1" target="n9"/>
</graph></graphml>"""


def test_graphml(write: Write) -> None:
    path = write(GRAPHML)
    graph = sniffed(path)
    cafe = "Caf\u00e9 & bar"
    assert graph.nodes == [(cafe, ""), ("http://x/", "X"), ("n2", "")]
    assert (cafe, "http://x/", 3, "") in graph.links
    assert sorted(graph.pairs) == [(cafe, "http://x/"), ("http://x/", "n2"), ("n2", "http://x/")]
    assert graph.problems.places == {BAD: [f"{path}:11"]}


def test_graphs_inside_graphml_keep_their_direction_to_themselves(write: Write) -> None:
    inner = b'<graph edgedefault="directed"><node id="b"/><edge source="b" target="b"/></graph>'
    outer = b'<graphml><graph edgedefault="undirected"><node id="a">%b</node>' % inner
    graph = read(write(outer + b'<edge source="a" target="b"/></graph></graphml>'), "graphml")
    assert sorted(graph.pairs) == [("a", "b"), ("b", "a"), ("b", "b")]


def test_weights_of_graphml_have_a_default(write: Write) -> None:
    edges = (
        b'<edge source="a" target="b"/><edge source="b" target="a"><data key="w">3</data></edge>'
    )
    nodes = b'<node id="a"/><node id="b"/>'
    for use, weight in ((b'for="edge"', 2.5), (b"", 2.5), (b'for="node"', 1)):
        key = b'<key id="w" %b attr.name="weight"><default>\n2.5</default></key>' % use
        graph = b'<graphml>%b<graph edgedefault="directed">%b</graph></graphml>'
        found = read(write(graph % (key, nodes + edges)), "graphml")
        assert found.links == [("a", "b", weight, ""), ("b", "a", 3, "")]
        assert found.nodes == [("a", ""), ("b", "")]


def test_clipped_graphml_keeps_what_was_whole(write: Write) -> None:
    graph = read(write(GRAPHML[: GRAPHML.index(b"<edge source=") + 10]), "graphml")
    assert len(graph.nodes) == 3
    assert list(graph.problems.counts) == ["XML files that are broken"]


@pytest.mark.parametrize(
    "declared",
    [
        b'<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;&a;">]>',
        b'<!DOCTYPE graphml SYSTEM "file:///etc/passwd">',
        b"<!--" + b" " * 200_000 + b"--><!DOCTYPE x>",
    ],
)
def test_document_types_are_refused(write: Write, declared: bytes) -> None:
    path = write(declared + b'<graphml><graph><node id="&c;"/></graph></graphml>')
    with pytest.raises(WeftError, match="declares a document type"):
        read(path, "graphml")


def base_set(folder: Path) -> None:
    nodes = (
        "2\n\n0 (0) [R]\nhttp://a \nL'\u00e9t\u00e9\x85 \rdeux\n1 1\n\n1 (9) [I]\nhttp://b\n\n1 1\n"
    )
    (folder / "nodes").write_bytes(nodes.encode("latin-1"))
    (folder / "adj_list").write_bytes(b"0: 1 -1\n1: 0 5 -1\n1 0\n")


@pytest.mark.parametrize("name", ["", "nodes", "adj_list"])
def test_base_set_by_its_folder_or_either_file(tmp_path: Path, name: str) -> None:
    base_set(tmp_path)
    graph = read(tmp_path / name, "lar-nodes" if name == "nodes" else "adjacency")
    assert graph.nodes == [("http://a", "L'\u00e9t\u00e9\x85 \rdeux"), ("http://b", "")]
    assert graph.pairs == [("http://a", "http://b"), ("http://b", "http://a")]
    assert graph.problems.places == {BAD: [f"{tmp_path}/adj_list:{line}" for line in (2, 3)]}


def test_half_a_base_set_is_an_error(tmp_path: Path) -> None:
    base_set(tmp_path)
    (tmp_path / "nodes").unlink()
    with pytest.raises(WeftError, match="no file called nodes"):
        read(tmp_path / "adj_list", "adjacency")


def test_california(write: Write) -> None:
    path = write(b"n 0 http://a/\nn 1 http://b/\ne 0 1\ne 1 7\nx\n")
    graph = read(path, "california")
    assert graph.nodes == [("http://a/", ""), ("http://b/", "")]
    assert graph.pairs == [("http://a/", "http://b/")]
    assert graph.problems.places == {BAD: [f"{path}:4", f"{path}:5"]}


@pytest.mark.parametrize(
    "weight", [b"nan", b"inf", b"-inf", b"-1", b"0", b"x", b"1e999", b"9" * 4300, b"1_0", b"1e-99"]
)
def test_bad_weights_are_told_and_the_rest_is_kept(write: Write, weight: bytes) -> None:
    path = write(b"source,target,weight\na,b,2\nc,d,%b\n\ne,f,\ng,h, +.5 \n" % weight)
    graph = read(path, "csv")
    assert graph.links == [("a", "b", 2, ""), ("e", "f", 1, ""), ("g", "h", 0.5, "")]
    assert graph.problems.places == {BAD: [f"{path}:3"]}
    assert graph.problems.damage == 1


@pytest.mark.parametrize("row", [b",b", b"a,", b"a", b"a,b,c", b"a,\0b", b"a," + b"b" * 4001])
def test_bad_rows_are_told_and_the_rest_is_kept(write: Write, row: bytes) -> None:
    path = write(b"source,target\nx,y\n%b\nx,z\n" % row)
    graph = read(path, "csv")
    assert graph.pairs == [("x", "y"), ("x", "z")]
    assert graph.problems.places == {BAD: [f"{path}:3"]}


def test_bad_names_are_in_no_dictionary(write: Write) -> None:
    [part] = read_edges(write(b"a\tb\nc\t%b\n" % (b"d" * 5000)), "snap", "digest", Problems())
    assert part.links["source"].combine_chunks().dictionary.to_pylist() == ["a"]
    assert part.links["target"].combine_chunks().dictionary.to_pylist() == ["b"]


def test_many_bad_rows_are_all_counted(write: Write) -> None:
    graph = read(write(b"a\tb\n" * 20 + b"c\n" * 9), "snap")
    assert graph.problems.counts == {BAD: 9}
    assert len(graph.problems.places[BAD]) == 5


def test_negative_huge_and_sparse_ids_are_names(write: Write) -> None:
    long = "9" * 4000
    graph = sniffed(write(f"-5 0\n18446744073709551617 -5\n{long} 007\n7 {2**62}\n".encode()))
    assert graph.pairs == [
        ("-5", "0"),
        ("18446744073709551617", "-5"),
        (long, "007"),
        ("7", str(2**62)),
    ]


def test_numbers_of_4300_digits_are_over_long_names(write: Write) -> None:
    graph = read(write(b"1 2\n%b 3\n4 5\n" % (b"9" * 4300)), "snap")
    assert graph.pairs == [("1", "2"), ("4", "5")]
    assert graph.problems.counts == {BAD: 1}


@pytest.mark.parametrize(
    "recode",
    [
        lambda text: codecs.BOM_UTF8 + text,
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: text.replace(b"\n", b"\r"),
        lambda text: text.decode().encode("utf-16"),
        lambda text: text.decode().encode("latin-1"),
        lambda text: text.rstrip(b"\n"),
        lambda text: b"# by hand\n\n" + text,
    ],
    ids=["bom", "crlf", "cr", "utf-16", "latin-1", "no last line end", "comment"],
)
def test_encodings_and_line_ends(write: Write, recode: Callable[[bytes], bytes]) -> None:
    text = "source;target;weight\ncaf\u00e9;b;2\nc;\u00fc;1\n".encode()
    graph = sniffed(write(recode(text)))
    assert graph.links == [("caf\u00e9", "b", 2, ""), ("c", "\u00fc", 1, "")]
    assert graph.problems.counts == {}


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
@pytest.mark.parametrize(
    ("kind", "text"),
    [("csv", b"source,target\na,b\n"), ("snap", b"a b\n"), ("gml", GML), ("graphml", GRAPHML)],
)
def test_compressed(write: Write, compression: str, kind: str, text: bytes) -> None:
    packed = pa.compress(text, compression, asbytes=True)
    if compression == "gzip":
        packed = gzip.compress(text[:9]) + gzip.compress(text[9:])
    plain = read(write(text), kind).links
    assert read(write(packed), kind).links == plain != []


def test_clipped_compression_is_told_and_drops_the_line_it_cuts(write: Write) -> None:
    text = b"".join(b"%d %d\n" % (k, k * k) for k in range(200_000))
    packed = gzip.compress(text)
    graph = read(write(packed[: len(packed) // 2]), "snap")
    assert 50_000 < len(graph.links) < 150_000
    assert graph.pairs == [(str(k), str(k * k)) for k in range(len(graph.links))]
    assert graph.problems.counts == {"compressed files that break off": 1}


@pytest.mark.parametrize("kind", sorted(set(READERS) - {"adjacency", "lar-nodes", "parquet"}))
def test_empty_files_have_no_links(write: Write, kind: str) -> None:
    head = b"%%MatrixMarket matrix coordinate real general\n" if kind == "matrix-market" else b""
    graph = read(write(head), kind)
    assert (graph.nodes, graph.links) == ([], [])


def test_blocks_and_parts_do_not_show(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"s{k}", f"t, {k}", f'"{k}"\n') for k in range(500)]
    sheet = io.StringIO()
    csv.writer(sheet).writerows([("source", "target", "anchor"), *rows])
    path = write(sheet.getvalue().encode() + b"bad\n")
    monkeypatch.setattr(cells, "PIECE", 64)
    monkeypatch.setattr(cells, "BLOCK", 300)
    monkeypatch.setattr(linktable, "PART", 3)
    parts = list(read_edges(path, "csv", "digest", Problems()))
    assert max(len(part.links) for part in parts) == 3
    graph = read(path, "csv")
    assert graph.links == [(source, target, 1, anchor) for source, target, anchor in rows]
    assert graph.problems.counts == {BAD: 1}


def test_a_line_longer_than_a_block_is_a_bad_row(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "PIECE", 64)
    monkeypatch.setattr(cells, "BLOCK", 256)
    path = write(b"a b\nc d\n" + b"x" * 5000 + b" y\ne f\n")
    graph = read(path, "snap")
    assert graph.pairs == [("a", "b"), ("c", "d"), ("e", "f")]
    assert graph.problems.places == {BAD: [f"{path}:3"]}


names = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8
).filter(lambda name: not name.startswith("#"))
weights = st.floats(2**-20, 2**20, width=32)
anchors = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(names, names, weights, anchors), max_size=20), st.sampled_from(",;\t"))
def test_csv_written_and_read_is_the_same(write: Write, links: list[Link], delimiter: str) -> None:
    sheet = io.StringIO()
    writer = csv.writer(sheet, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("source", "target", "weight", "anchor"), *links])
    graph = sniffed(write(sheet.getvalue().encode()))
    assert graph.links == links
    assert graph.problems.counts == {}


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"1 2\n", "snap"),
        (b"a\tb\n", "snap"),
        (b"1 2 0.5\n3 4 1\n", "snap"),
        (b"# only\n# comments\n1 2\n1 3\n", "snap"),
        (b"n 0 http://a/\ne 0 0\n", "california"),
        (b"0: 1 2 -1\n1: -1\n", "adjacency"),
        (b"7967\n\n0 (0) [R]\nhttp://a\nT\n1 0\n", "lar-nodes"),
        (GML, "gml"),
        (GRAPHML, "graphml"),
        (b"", None),
        (b"# only\n", None),
        (b"1 2 0.5\n", "snap"),
        (b"http://a/ http://b/", "snap"),
        (b"Hello world\n", None),
        (b"Hello big world\n", None),
        (b"1 " * 30_000, None),
        (b"Good night.\nSleep well.\n", None),
        (b"one two three\nfour five six\n", None),
        (b"1 2\n3 4 5\n", None),
        (b"User-agent: *\nDisallow: /private\n", None),
        (b"0\ta;b;c\n1\tb;c;d\n", None),
        (b"<html>\n<body>\n", None),
        (b"<html><body><a href='x'>source,target</a>", None),
        (b'{"source": "a", "target": "b"}\n', None),
        (b"[1, 2]\n", None),
        (b"WARC/1.0 x\nWARC-Type: response\n", None),
        (b"url,label\na,b\n", None),
        (b"graph theory is old\nand so it goes on\n", None),
        (b"1 2\n\0 3\n", None),
        (b"word " * 13_000, None),
        (b"ab " * 20_000 + b"graph", None),
    ],
)
def test_recognised_by_content(head: bytes, kind: str | None) -> None:
    assert recognise(head) == kind


def test_the_cut_last_line_of_a_head_does_not_count() -> None:
    assert recognise((b"123 456\n" * 9000)[: (1 << 16) - 5]) == "snap"


def test_unknown_format() -> None:
    with pytest.raises(UnknownName, match="'cvs'"):
        read_edges(Path("x"), "cvs", "digest", Problems())


@real
def test_real_california() -> None:
    graph = sniffed(DATA / "california" / "gr0.California")
    assert (len(graph.nodes), len(graph.links)) == (9_664, 16_150)
    assert graph.problems.damage == 0


@real
def test_real_movies() -> None:
    folder = DATA / "lar" / "movies"
    graph = read(folder, "adjacency")
    targets = (folder / "adj_list").read_text().split()
    assert len(graph.nodes) == 7_967
    assert len(graph.links) == sum(word.isdigit() for word in targets)
    assert graph.nodes[1] == ("http://www.imdb.com", "The Internet Movie Database (IMDb).")
    assert graph.nodes[-1][1].startswith("Ciudad Internet > Tecnolog\u00eda")
    assert graph.problems.damage == 0


@real
def test_real_wikispeedia() -> None:
    path = DATA / "wikispeedia" / "links.tsv.gz"
    with gzip.open(path) as file:
        assert recognise(file.read(1 << 16)) == "snap"
    graph = read(path, "snap")
    assert len(graph.links) == 119_882
    assert graph.pairs[0] == ("%C3%81ed%C3%A1n_mac_Gabr%C3%A1in", "Bede")
    assert len({name for pair in graph.pairs for name in pair}) == 4_592
    assert graph.problems.counts == {}


@real
def test_real_political_blogs() -> None:
    path = DATA / "polblogs" / "polblogs.gml"
    graph = sniffed(path)
    assert len(graph.nodes) == 1_490
    assert len(graph.links) == path.read_text().count("edge [")
    assert graph.nodes[0] == ("100monkeystyping.com", "")
    assert graph.problems.counts == {}
