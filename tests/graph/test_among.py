"""Links among some pages are those of the whole graph that stay among them."""

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.among import inner, keys, places, standing
from weft.graph.views import subgraph
from weft.graph.webgraph import WebGraph

webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=30)


@given(webs, st.lists(st.booleans(), min_size=6, max_size=6))
def test_it_is_the_subgraph(links: list[tuple[str, str]], chosen: list[bool]) -> None:
    graph = WebGraph.from_links(links)
    kept = np.array(chosen[: len(graph)])
    pages = np.flatnonzero(kept).astype(np.int32)
    at, found = inner(graph.outlinks, pages)
    wanted, _ = subgraph(graph, kept)
    assert found.tolist() == keys(wanted.outlinks).tolist()
    names = [graph.pages[int(i)] for i in graph.outlinks.ids[at]]
    assert names == [wanted.pages[int(i)] for i in wanted.outlinks.ids]


@given(st.sets(st.integers(0, 50)), st.lists(st.integers(0, 50), max_size=20))
def test_standing_by_table_and_by_search(some: set[int], asked: list[int]) -> None:
    pages, ids = np.array(sorted(some), np.int32), np.array(asked, np.int32)
    expected = [sorted(some).index(page) if page in some else -1 for page in asked]
    assert standing(ids, pages, 51).tolist() == expected
    assert standing(ids, pages, 1 << 40).tolist() == expected


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
