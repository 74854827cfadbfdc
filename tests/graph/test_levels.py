"""Graphs of hosts and domains: pages and links aggregated."""

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from weft.core.arrays import CSR
from weft.core.errors import UnknownName
from weft.graph import levels
from weft.graph.levels import aggregate_links, link_digest, load_graph
from weft.graph.selection import Level
from weft.graph.webgraph import WebGraph, link_weights
from weft.workspace.workspace import Workspace

PAGES = [
    ("http://a.example.com/1", ["http://b.example.com/", "http://other.org/x"]),
    (
        "http://a.example.com/2",
        ["http://other.org/x", "http://other.org/y", "http://a.example.com/1"],
    ),
    ("http://example.com:8080/", ["http://other.org/x"]),
    ("http://example.com/", ["http://a.example.com/1"]),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    rows = [
        f'{{"url": "{url}", "text": "t", "links": {str(links).replace(chr(39), chr(34))}}}'
        for url, links in PAGES
    ]
    (tmp_path / "pages.jsonl").write_text("\n".join(rows))
    made = Workspace(tmp_path / "c.weft")
    made.add(tmp_path / "pages.jsonl")
    return made


def edges(workspace: Workspace, level: str) -> dict[tuple[str, str], float]:
    graph = load_graph(workspace.collection, level)  # type: ignore[arg-type]
    table = graph.to_arrow().to_pydict()
    return dict(
        zip(zip(table["source"], table["target"], strict=True), table["weight"], strict=True)
    )


def test_hosts_weigh_the_links_between_their_pages(workspace: Workspace) -> None:
    assert edges(workspace, "host") == {
        ("a.example.com", "b.example.com"): 1,
        ("a.example.com", "other.org"): 3,
        ("example.com", "other.org"): 1,
        ("example.com", "a.example.com"): 1,
    }


def test_domains_add_hosts_up(workspace: Workspace) -> None:
    assert edges(workspace, "domain") == {("example.com", "other.org"): 4}


def test_pages_of_a_host_are_adjacent(workspace: Workspace) -> None:
    urls = list(load_graph(workspace.collection).pages)
    assert urls == [
        "http://a.example.com/1",
        "http://a.example.com/2",
        "http://b.example.com/",
        "http://example.com/",
        "http://example.com:8080/",
        "http://other.org/x",
        "http://other.org/y",
    ]


def test_in_links_weigh_the_same(workspace: Workspace) -> None:
    graph = load_graph(workspace.collection, "host")
    assert sorted(link_weights(graph.inlinks)) == sorted(link_weights(graph.outlinks))


@pytest.mark.parametrize(
    ("level", "wanted"),
    [
        ("page", {"http://b.example.com/", "http://other.org/x", "http://other.org/y"}),
        ("host", {"b.example.com", "other.org"}),
        ("domain", {"other.org"}),
    ],
)
def test_pages_that_are_only_linked_to_are_uncaptured(
    workspace: Workspace, level: Level, wanted: set[str]
) -> None:
    """A host is uncaptured where none of its pages was captured."""
    graph = load_graph(workspace.collection, level)
    assert graph.uncaptured is not None
    assert {graph.pages[page] for page in np.flatnonzero(graph.uncaptured).tolist()} == wanted


def test_an_unknown_level_is_refused(workspace: Workspace) -> None:
    with pytest.raises(UnknownName, match="level"):
        load_graph(workspace.collection, "hots")  # type: ignore[arg-type]


def test_self_links_are_only_exported(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na,a\na,a\na,b\n")
    made = Workspace(tmp_path / "c.weft")
    made.add(tmp_path / "edges.csv")
    assert made.graph().link_count == 1
    made.export(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[1:] == ['"a","a",2', '"a","b",1']


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
)
def test_links_between_groups_are_summed(pairs: list[tuple[int, int]], home: list[int]) -> None:
    """Whether or not the pages of a group are adjacent."""
    table = np.zeros((6, 6))
    for a, b in pairs:
        table[a, b] += 1
    cells = csr_array(table)
    rows = CSR(cells.indptr.astype(np.int64), cells.indices, cells.data.astype(np.float32))
    which = np.eye(3)[home]
    expected = which.T @ table @ which
    np.fill_diagonal(expected, 0)
    for found, dense in zip(
        aggregate_links(rows, np.array(home, np.int32), 3), (expected, expected.T), strict=True
    ):
        wanted = csr_array(dense)
        assert found.starts.tolist() == wanted.indptr.tolist()
        assert found.ids.tolist() == wanted.indices.tolist(), "targets ascend"
        assert link_weights(found).tolist() == wanted.data.tolist()


webs = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from([0.1, 1.0, 2.5])), max_size=30
)


@given(webs, st.integers(1, 9))
def test_both_directions_have_one_digest(links: list[tuple[int, int, float]], block: int) -> None:
    source, target, weight = zip(*links, strict=True) if links else ((), (), ())
    graph = WebGraph.from_arrays(7, source, target, weight)
    with patch.object(levels, "DIGEST_BLOCK_LINKS", block):
        out = link_digest(graph.outlinks)
    assert out == link_digest(graph.inlinks, transposed=True)


def test_a_digest_depends_on_every_link_and_weight() -> None:
    links = [("a", "b", 1.0), ("b", "c", 2.0), ("c", "a", 2.0)]
    others = [
        [("a", "b", 2.0), ("b", "c", 1.0), ("c", "a", 2.0)],
        [("a", "b", 1.0), ("c", "b", 2.0), ("c", "a", 2.0)],
        links[:2],
    ]
    digests = {link_digest(WebGraph.from_links(web).outlinks) for web in [links, *others]}
    assert len(digests) == 4
