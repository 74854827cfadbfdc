"""Links among some pages are those of the whole graph that stay among them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import webs

from weft.graph.among import inner, keys, places, standing
from weft.graph.views import subgraph
from weft.graph.webgraph import WebGraph


@given(webs, st.lists(st.booleans(), min_size=6, max_size=6))
def test_it_is_the_subgraph(links: list[tuple[str, str]], chosen: list[bool]) -> None:
    graph = WebGraph.from_links(links)
    kept = np.array(chosen[: len(graph)])
    pages = np.flatnonzero(kept).astype(np.int32)
    at, source, target = inner(graph.outlinks, pages)
    wanted, _ = subgraph(graph, kept)
    assert (source.astype(np.int64) << 32 | target).tolist() == keys(wanted.outlinks).tolist()
    names = [graph.pages[int(i)] for i in graph.outlinks.ids[at]]
    assert names == [wanted.pages[int(i)] for i in wanted.outlinks.ids]


@given(webs, st.lists(st.booleans(), min_size=6, max_size=6))
def test_standing_is_told_by_table_unless_pages_are_far_too_many(
    links: list[tuple[str, str]], chosen: list[bool]
) -> None:
    rows = WebGraph.from_links(links).outlinks
    n = len(rows.starts) - 1
    pages = np.flatnonzero(chosen[:n]).astype(np.int32)
    place = standing(rows, pages)
    own = sum(int(rows.starts[page + 1] - rows.starts[page]) for page in pages)
    if own:
        assert [place[page] for page in pages] == list(range(len(pages)))
        assert np.count_nonzero(place < 0) == n - len(pages)
    else:
        assert len(place) == 0


def test_places_of_links_in_any_order() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y"), ("a", "y")])
    pages = graph.numbers(["b", "y", "a"])
    at, owner = places(graph.outlinks, pages)
    ends = [
        (graph.pages[o], graph.pages[i]) for o, i in zip(owner, graph.outlinks.ids[at], strict=True)
    ]
    assert ends == [("b", "x"), ("b", "y"), ("a", "x"), ("a", "y")]


def test_keys_ascend() -> None:
    graph = WebGraph.from_links([("b", "x"), ("a", "x"), ("b", "a")])
    assert keys(graph.outlinks).tolist() == [0 << 32 | 1, 0 << 32 | 2, 2 << 32 | 1]
