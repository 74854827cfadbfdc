"""Subgraphs and induced links, with what they left out."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import webs

from weft.core.arrays import link_keys, link_positions, subset_positions
from weft.graph.views import restrict_link_sources, subgraph
from weft.graph.webgraph import WebGraph, induced_links

GRAPH = WebGraph.from_links([("a", "b"), ("b", "c"), ("c", "a"), ("a", "d"), ("a", "d")])


def pairs(graph: WebGraph) -> set[tuple[str, str, float]]:
    return {tuple(row.values()) for row in graph.to_arrow().to_pylist()}


def test_subgraph_keeps_links_among_the_chosen() -> None:
    view, dropped = subgraph(GRAPH, np.array([True, True, False, True]), "too far")
    assert list(view.pages) == ["a", "b", "d"]
    assert pairs(view) == {("a", "b", 1), ("a", "d", 2)}
    assert str(dropped) == "too far: 1 pages, 2 links left out"


def test_views_know_which_pages_are_uncaptured() -> None:
    graph = replace(GRAPH, uncaptured=np.array([False, True, False, True]))
    view, _ = subgraph(graph, np.array([True, True, False, True]))
    assert view.uncaptured is not None
    assert view.uncaptured.tolist() == [False, True, True]
    assert restrict_link_sources(graph, np.ones(4, bool)).uncaptured is graph.uncaptured


def test_restricting_sources_keeps_every_page() -> None:
    view = restrict_link_sources(GRAPH, np.array([True, False, False, False]))
    assert len(view) == 4
    assert pairs(view) == {("a", "b", 1), ("a", "d", 2)}


@given(st.lists(st.booleans(), min_size=4, max_size=4))
def test_nothing_is_lost_uncounted(kept: list[bool]) -> None:
    view, dropped = subgraph(GRAPH, np.array(kept))
    assert view.link_count + dropped.links == GRAPH.link_count
    assert len(view) + dropped.pages == len(GRAPH)


def test_lazy_names_and_inlinks_are_those_of_the_subgraph() -> None:
    view, _ = subgraph(GRAPH, np.array([True, False, True, True]))
    again = WebGraph.from_links([("c", "a"), ("a", "d"), ("a", "d")])
    assert (len(view), list(view.pages), view.page_number("d")) == (3, ["a", "c", "d"], 2)
    assert view.inlinks.starts.tolist() == [0, 1, 1, 2]
    assert view.inlinks.ids.tolist() == [1, 0]
    assert [view.inlinks.row(page).tolist() for page in range(3)] == [[1], [], [0]]
    assert view.inlinks.weights is not None
    assert view.inlinks.weights.tolist() == [1, 2]
    assert pairs(view) == pairs(again)


@given(webs, st.lists(st.booleans(), min_size=6, max_size=6))
def test_induced_links_are_those_of_the_subgraph(
    links: list[tuple[str, str]], chosen: list[bool]
) -> None:
    graph = WebGraph.from_links(links)
    kept = np.array(chosen[: len(graph)])
    pages = np.flatnonzero(kept).astype(np.int32)
    at, source, target = induced_links(graph.outlinks, pages)
    wanted, _ = subgraph(graph, kept)
    assert (source.astype(np.int64) << 32 | target).tolist() == link_keys(wanted.outlinks).tolist()
    names = [graph.pages[int(i)] for i in graph.outlinks.ids[at]]
    assert names == [wanted.pages[int(i)] for i in wanted.outlinks.ids]


@given(webs, st.lists(st.booleans(), min_size=6, max_size=6))
def test_the_lookup_table_is_empty_where_the_graph_is_far_larger(
    links: list[tuple[str, str]], chosen: list[bool]
) -> None:
    rows = WebGraph.from_links(links).outlinks
    n = len(rows.starts) - 1
    pages = np.flatnonzero(chosen[:n]).astype(np.int32)
    place = subset_positions(rows, pages)
    own = sum(int(rows.starts[page + 1] - rows.starts[page]) for page in pages)
    if own:
        assert [place[page] for page in pages] == list(range(len(pages)))
        assert np.count_nonzero(place < 0) == n - len(pages)
    else:
        assert len(place) == 0


def test_positions_of_links_in_any_order() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y"), ("a", "y")])
    pages = graph.page_numbers(["b", "y", "a"])
    at, owner = link_positions(graph.outlinks, pages)
    ends = [
        (graph.pages[o], graph.pages[i]) for o, i in zip(owner, graph.outlinks.ids[at], strict=True)
    ]
    assert ends == [("b", "x"), ("b", "y"), ("a", "x"), ("a", "y")]


def test_keys_ascend() -> None:
    graph = WebGraph.from_links([("b", "x"), ("a", "x"), ("b", "a")])
    assert link_keys(graph.outlinks).tolist() == [0 << 32 | 1, 0 << 32 | 2, 2 << 32 | 1]
