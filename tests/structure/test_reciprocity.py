"""Reciprocal links beside igraph and NetworkX."""

from itertools import permutations

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.webgraph import WebGraph
from weft.structure import reciprocity

Links = list[tuple[str, str]]
webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=25)


@given(webs)
def test_the_share_is_that_of_others(links: Links) -> None:
    found = reciprocity(links)
    assert found["reciprocity"] == pytest.approx(nx.overall_reciprocity(nx.DiGraph(links)))
    same = igraph.Graph.TupleList(set(links), directed=True)
    assert found["reciprocity"] == pytest.approx(same.reciprocity())
    assert found["mutual pairs"] == sum(same.is_mutual()) // 2
    assert found["by chance"] == pytest.approx(same.density())


@given(webs)
def test_the_table_lists_reciprocal_links(links: Links) -> None:
    found = reciprocity(links)
    rows = found.to_table().to_pylist()
    assert sum(row["mutual"] for row in rows) == 2 * found["mutual pairs"]
    assert len(rows) == found["pages with reciprocal links"]
    shown = [row["mutual"] for row in rows]
    assert shown == sorted(shown, reverse=True)
    graph = nx.DiGraph(links)
    for row in rows:
        page = row["page"]
        assert (row["links out"], row["links in"]) == (
            graph.out_degree[page],
            graph.in_degree[page],
        )
        assert row["mutual"] == len(set(graph.successors(page)) & set(graph.predecessors(page)))


def test_the_pair_of_the_specification() -> None:
    """Of the patterns' example, c and e refer to each other: two of eight links."""
    pairs = ["ac", "ad", "bc", "bd", "be", "ce", "ec", "fd"]
    found = reciprocity([(pair[0], pair[1]) for pair in pairs])
    assert (found["mutual pairs"], found["reciprocity"]) == (1, 2 / 8)
    assert found.to_table()["page"].to_pylist() == ["c", "e"]


def test_uncaptured_pages_have_no_reciprocal_links() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "a"), ("b", "c")])
    crawl = WebGraph(
        graph.pages, graph.outlinks, graph.inlinks, uncaptured=np.array([False, False, True])
    )
    assert reciprocity(crawl)["reciprocity"] == 1
    assert reciprocity(crawl, uncaptured="keep")["reciprocity"] == pytest.approx(2 / 3)


def test_no_links_is_no_share() -> None:
    assert reciprocity([])["reciprocity"] == 0
