"""Views say what they left out."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.views import from_pages, subgraph
from weft.graph.webgraph import WebGraph

GRAPH = WebGraph.from_links([("a", "b"), ("b", "c"), ("c", "a"), ("a", "d"), ("a", "d")])


def pairs(graph: WebGraph) -> set[tuple[str, str, float]]:
    return {tuple(row.values()) for row in graph.to_arrow().to_pylist()}


def test_subgraph_keeps_links_among_the_chosen() -> None:
    view, dropped = subgraph(GRAPH, np.array([True, True, False, True]), "too far")
    assert list(view.pages) == ["a", "b", "d"]
    assert pairs(view) == {("a", "b", 1), ("a", "d", 2)}
    assert str(dropped) == "too far: 1 pages, 2 links left out"


def test_views_know_which_pages_were_only_seen() -> None:
    graph = replace(GRAPH, seen=np.array([False, True, False, True]))
    view, _ = subgraph(graph, np.array([True, True, False, True]))
    assert view.seen is not None
    assert view.seen.tolist() == [False, True, True]
    assert from_pages(graph, np.ones(4, bool)).seen is graph.seen


def test_from_pages_keeps_every_page() -> None:
    view = from_pages(GRAPH, np.array([True, False, False, False]))
    assert len(view) == 4
    assert pairs(view) == {("a", "b", 1), ("a", "d", 2)}


@given(st.lists(st.booleans(), min_size=4, max_size=4))
def test_nothing_is_lost_uncounted(kept: list[bool]) -> None:
    view, dropped = subgraph(GRAPH, np.array(kept))
    assert view.link_count + dropped.links == GRAPH.link_count
    assert len(view) + dropped.pages == len(GRAPH)


def test_names_and_links_in_are_those_of_a_cut_made_at_once() -> None:
    view, _ = subgraph(GRAPH, np.array([True, False, True, True]))
    again = WebGraph.from_links([("c", "a"), ("a", "d"), ("a", "d")])
    assert (len(view), list(view.pages), view.number("d")) == (3, ["a", "c", "d"], 2)
    assert view.inlinks.starts.tolist() == [0, 1, 1, 2]
    assert view.inlinks.ids.tolist() == [1, 0]
    assert [view.inlinks.row(page).tolist() for page in range(3)] == [[1], [], [0]]
    assert view.inlinks.weights is not None
    assert view.inlinks.weights.tolist() == [1, 2]
    assert pairs(view) == pairs(again)
