"""Graphs whose nodes are numbers: matrices, and Common Crawl's two files."""

import gzip
from pathlib import Path

import pytest
from tests.gather.graphs import BAD, Write, join_batches, read, read_detected

from weft.core.errors import WeftError
from weft.gather.edges.numbered_graphs import read_common_crawl
from weft.gather.page import Problems


def test_common_crawl(tmp_path: Path) -> None:
    vertices, edges = tmp_path / "vertices.gz", tmp_path / "edges.gz"
    vertices.write_bytes(
        gzip.compress(b"900000000000\torg\t1\n7\tcom.example.www\t3\nx\tcom.bad\t1\n")
    )
    edges.write_bytes(gzip.compress(b"7\t900000000000\n7\t7\n7\t8\n"))
    problems = Problems()
    graph = join_batches(read_common_crawl(vertices, None, edges, "digest", problems), problems)
    assert graph.nodes == [("org", ""), ("www.example.com", "")]
    assert graph.pairs == [("www.example.com", "org"), ("www.example.com", "www.example.com")]
    assert problems.locations == {BAD: [f"{vertices}:3", f"{edges}:3"]}


def test_matrix_market(write: Write) -> None:
    head = b"%%MatrixMarket matrix coordinate real general\n%no link\n3 3 4\n"
    graph = read_detected(write(head + b"1 2 0.5\n3 1 2e0\n 2  2  1\n0 x 1\n"))
    assert graph.links == [("1", "2", 0.5, ""), ("3", "1", 2, ""), ("2", "2", 1, "")]
    assert graph.problems.counts == {BAD: 1}


def test_a_symmetric_matrix_has_both_directions_and_one_diagonal(write: Write) -> None:
    graph = read_detected(
        write(b"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n2 1\n2 2\n")
    )
    assert sorted(graph.pairs) == [("1", "2"), ("2", "1"), ("2", "2")]
    assert list(graph.problems.counts) == ["matrices with fewer entries than their header says"]


def test_rows_and_columns_without_entries_are_pages(write: Write) -> None:
    head = b"%%MatrixMarket matrix coordinate pattern general\n"
    graph = read_detected(write(head + b"4 6 3\n1 2\n4 5\n"))
    assert graph.nodes == [("3", ""), ("6", "")]
    assert graph.pairs == [("1", "2"), ("4", "5")]
    assert read_detected(write(head + b"2 2 1\n1 2\n")).nodes == []


def test_a_matrix_without_entries(write: Write) -> None:
    head = b"%%MatrixMarket matrix coordinate pattern general\n"
    assert read_detected(write(head + b"2 2 0\n")).nodes == [("1", ""), ("2", "")]
    assert read_detected(write(head + b"0 0 0\n")).nodes == []


def test_entries_outside_a_matrix_are_reported(write: Write) -> None:
    head = b"%%MatrixMarket matrix coordinate integer general\n3 4 6\n"
    rows = b"3 4 1\n4 3 1\n3 5 1\n0 1 1\n01 1 1\n1 %b 1\n" % (b"1" * 30)
    path = write(head + rows)
    graph = read_detected(path)
    assert graph.pairs == [("3", "4")]
    assert graph.problems.locations == {BAD: [f"{path}:{line}" for line in range(4, 9)]}


@pytest.mark.parametrize("size", [b"1000000000", b"999999999999999999", b"9" * 5000])
def test_a_matrix_far_larger_than_its_entries(write: Write, size: bytes) -> None:
    """Memory grows with the entries, not with the declared size."""
    head = b"%%MatrixMarket matrix coordinate pattern general\n"
    graph = read_detected(write(head + b"%b %b 1\n1 2\n" % (size, size)))
    assert (graph.pairs, graph.nodes) == ([("1", "2")], [])
    assert graph.problems.counts.total() == 1


def test_dense_matrix_is_refused(write: Write) -> None:
    with pytest.raises(WeftError, match="not with the header of a sparse matrix"):
        read(write(b"%%MatrixMarket matrix array real general\n1 1\n1\n"), "matrix-market")


def test_a_wrong_ranks_file_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "ranks").write_text("a\tb\n")
    missing = tmp_path / "missing"
    with pytest.raises(WeftError, match="has no columns harmonicc_val, pr_val, host_rev"):
        next(read_common_crawl(missing, tmp_path / "ranks", missing, "", Problems()))
