"""The format of a graph file by its content."""

from pathlib import Path

import pytest
from tests.gather.graphs import GML, GRAPHML, Write, detect_graph_format, read, read_edges

from weft.core.errors import UnknownName
from weft.gather.page import Problems


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"1 2\n", "snap"),
        (b"a\tb\n", "snap"),
        (b"1 2 0.5\n3 4 1\n", "snap"),
        (b"# only\n# comments\n1 2\n1 3\n", "snap"),
        (b"0,1\n0,2\n", "csv"),
        (b'"0";"1";2.5\n\n0;2;\n', "csv"),
        (b"http://a/,http://b/?x\nhttp://a/,3,1e-3\n", "csv"),
        (b"# edges\n0, 1\n", "csv"),
        (b"0,1\n0;2\n", None),
        (b"1.5,2.5\n3.5,4.5\n", None),
        (b"1,2,x\n", None),
        (b"1,2,3,4\n", None),
        (b"alice,bob\nbob,carol\n", None),
        (b"n 0 http://a/\nn 1 http://b/\ne 0 1\n", None),
        (b"0: 1 2 -1\n1: -1\n", None),
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
def test_format_by_content(head: bytes, kind: str | None) -> None:
    assert detect_graph_format(head) == kind


def test_the_incomplete_last_line_of_a_head_does_not_count() -> None:
    assert detect_graph_format((b"123 456\n" * 9000)[: (1 << 16) - 5]) == "snap"


def test_unknown_format() -> None:
    with pytest.raises(UnknownName, match="'cvs'"):
        read_edges(Path("x"), "cvs", "digest", Problems())


@pytest.mark.parametrize("kind", ["csv", "gml", "graphml", "matrix-market", "snap"])
def test_empty_files_have_no_links(write: Write, kind: str) -> None:
    head = b"%%MatrixMarket matrix coordinate real general\n" if kind == "matrix-market" else b""
    graph = read(write(head), kind)
    assert (graph.nodes, graph.links) == ([], [])
