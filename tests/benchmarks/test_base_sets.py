"""Base sets of two experiments, by hand and as their collectors wrote them."""

from pathlib import Path

import pytest
from benchmarks.base_sets import write_graphml
from tests.gather.graphs import read
from tests.real import DATA, real

from weft.gather.edges.graph_files import HOSTS_WITH_AND_WITHOUT_SLASH


def test_kleinberg(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("n 0 http://a/?x&y\nn 1 http://b/\ne 0 1\n")
    graph = read(write_graphml(tmp_path / "a", tmp_path / "a.graphml"), "graphml")
    assert graph.nodes == [("http://a/?x&y", ""), ("http://b/", "")]
    assert graph.pairs == [("http://a/?x&y", "http://b/")]
    assert not graph.problems.counts


def test_lar(tmp_path: Path) -> None:
    nodes = "2\n\n0 (0) [R]\nhttp://a \nL'\u00e9t\u00e9 <1>\n1 1\n\n1 (9) [I]\nhttp://b\n\n1 1\n"
    (tmp_path / "nodes").write_bytes(nodes.encode("latin-1"))
    (tmp_path / "adj_list").write_bytes(b"0: 1 -1\n1: 0 -1\n")
    graph = read(write_graphml(tmp_path, tmp_path / "a.graphml"), "graphml")
    assert graph.nodes == [("http://a/", "L'\u00e9t\u00e9 <1>"), ("http://b/", "")]
    assert graph.pairs == [("http://a/", "http://b/"), ("http://b/", "http://a/")]
    assert not graph.problems.counts


@real
def test_real_california(tmp_path: Path) -> None:
    path = write_graphml(DATA / "california" / "gr0.California", tmp_path / "x")
    graph = read(path, "graphml")
    assert (len(graph.nodes), len(graph.links)) == (9_664, 16_150)
    assert graph.problems.counts[HOSTS_WITH_AND_WITHOUT_SLASH] == 9_664 - len(set(graph.nodes))
    assert graph.problems.damage_count == 0


@pytest.mark.slow
@real
def test_real_movies(tmp_path: Path) -> None:
    folder = DATA / "lar" / "movies"
    graph = read(write_graphml(folder, tmp_path / "x"), "graphml")
    targets = (folder / "adj_list").read_text().split()
    assert len(graph.nodes) == 7_967
    assert len(graph.links) == sum(word.isdigit() for word in targets)
    assert graph.nodes[1] == ("http://www.imdb.com/", "The Internet Movie Database (IMDb).")
    assert graph.nodes[-1][1].startswith("Ciudad Internet > Tecnolog\u00eda")
    assert graph.problems.damage_count == 0
