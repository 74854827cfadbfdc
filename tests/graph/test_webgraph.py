"""The graph from every kind of input, against dense matrices and NetworkX."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array

from weft.core.errors import BadParameter, UnknownName
from weft.graph.webgraph import LaterNames, Names, WebGraph, as_names, link_weights

Links = list[tuple[str, str]]
links = st.lists(st.sampled_from(list(product("abcde", repeat=2))), max_size=40)


def weights(graph: WebGraph) -> dict[tuple[str, str], float]:
    found = {}
    both = list(graph.outlinks.starts)
    values = link_weights(graph.outlinks)
    for i, page in enumerate(graph.pages):
        for k in range(both[i], both[i + 1]):
            found[page, graph.pages[graph.outlinks.ids[k]]] = float(values[k])
    return found


def counted(pairs: Links) -> dict[tuple[str, str], float]:
    return {pair: pairs.count(pair) for pair in pairs if pair[0] != pair[1]}


@given(links)
def test_parallel_links_become_weights_and_own_links_vanish(pairs: Links) -> None:
    graph = WebGraph.from_links(pairs)
    assert weights(graph) == counted(pairs)
    assert list(graph.pages) == list(dict.fromkeys(name for pair in pairs for name in pair))


@given(links)
def test_in_links_are_the_out_links_reversed(pairs: Links) -> None:
    graph = WebGraph.from_links(pairs)
    turned = WebGraph.from_links([(t, s) for s, t in pairs])
    back = WebGraph(graph.pages, graph.inlinks, graph.outlinks)
    assert weights(back) == weights(turned)


@given(links)
def test_networkx_and_arrow_give_the_same_graph(pairs: Links) -> None:
    whole = nx.DiGraph()
    whole.add_nodes_from(sorted({name for pair in pairs for name in pair}))
    for (s, t), count in counted(pairs).items():
        whole.add_edge(s, t, weight=count)
    assert weights(WebGraph.from_networkx(whole)) == counted(pairs)
    columns = list(zip(*pairs, strict=True)) or [(), ()]
    table = pa.table(
        {"source": pa.array(columns[0], pa.string()), "target": pa.array(columns[1], pa.string())}
    )
    assert weights(WebGraph.from_arrow(table)) == counted(pairs)


@given(links)
def test_out_to_arrow_and_back(pairs: Links) -> None:
    graph = WebGraph.from_links(pairs)
    assert weights(WebGraph.from_arrow(graph.to_arrow())) == weights(graph)


def test_undirected_networkx_gives_both_directions() -> None:
    assert weights(WebGraph.from_networkx(nx.Graph([("a", "b")]))) == {("a", "b"): 1, ("b", "a"): 1}


def test_scipy_direction_is_row_to_column() -> None:
    matrix = coo_array(([2.0, 0.0], ([0, 1], [1, 2])), shape=(3, 3))
    graph = WebGraph.from_scipy(matrix, ["a", "b", "c"])
    assert weights(graph) == {("a", "b"): 2.0}
    assert len(WebGraph.from_scipy(matrix)) == 3


@pytest.mark.parametrize("weight", [math.nan, math.inf, -1.0, -5e-324, 5e-324, 0.9e-70, 1.1e70])
def test_a_link_whose_weight_is_none_is_named(weight: Any) -> None:
    every: dict[str, Callable[[], WebGraph]] = {
        "links": lambda: WebGraph.from_links([("a", "b"), ("b", "c", weight)]),
        "arrays": lambda: WebGraph.from_arrays(["a", "b", "c"], [0, 1], [1, 2], [1, weight]),
    }
    for make in every.values():
        with pytest.raises(BadParameter, match="link 2, from 'b' to 'c', has the weight"):
            make()


def test_a_weight_beyond_all_floats_is_refused() -> None:
    with pytest.raises(BadParameter, match="too large"):
        WebGraph.from_links([("a", "b", 10**400)])
    with pytest.raises(BadParameter, match="weights are numbers"):
        WebGraph.from_arrays(2, [0], [1], [10**400])


def test_a_weight_too_few_is_told() -> None:
    with pytest.raises(BadParameter, match="1 weights do not fit 2 links"):
        WebGraph.from_arrays(3, [0, 1], [1, 2], [1.0])


@pytest.mark.parametrize("weight", [math.nan, math.inf, -1.0])
def test_other_forms_of_links_name_it_too(weight: float) -> None:
    ends = {"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, weight]}
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 1.0), ("b", "c", weight)])
    matrix = coo_array(([1.0, weight], ([0, 1], [1, 2])), shape=(3, 3))
    for links in (pa.table(ends), graph, matrix):
        with pytest.raises(BadParameter, match=r"link 2, from '[b1]' to '[c2]'"):
            WebGraph.of(links)


EXACT = {("a", "b"): 0.1, ("a", "c"): 16777217.0, ("b", "c"): 1e39, ("c", "a"): 1e-46}


def test_weights_keep_every_digit() -> None:
    table = [(s, t, w) for (s, t), w in EXACT.items()]
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(table)
    numbers = {name: k for k, name in enumerate("abc")}
    ends = [[numbers[end] for end in side] for side in list(zip(*EXACT, strict=True))]
    matrix = coo_array((list(EXACT.values()), ends), shape=(3, 3))
    columns = dict(zip(("source", "target", "weight"), zip(*table, strict=True), strict=True))
    every = [
        WebGraph.from_links(table),
        WebGraph.from_networkx(graph),
        WebGraph.from_scipy(matrix, list("abc")),
        WebGraph.from_arrow(pa.table(columns)),
    ]
    for made in every:
        assert weights(made) == EXACT
        turned = WebGraph(made.pages, made.inlinks, made.outlinks)
        assert weights(turned) == {(t, s): w for (s, t), w in EXACT.items()}
        assert made.outlinks.weights is not None
        assert made.outlinks.weights.dtype == np.float64


def test_weights_take_no_more_room_than_they_need() -> None:
    graph = WebGraph.from_links([("a", "b", 0.5), ("b", "c", 2.0**24), ("c", "a", 1.0)])
    for rows in (graph.outlinks, graph.inlinks):
        assert rows.weights is not None
        assert rows.weights.dtype == np.float32


def test_parallel_links_add_up_in_double_precision() -> None:
    graph = WebGraph.from_links([("a", "b", 2.0**24), ("a", "b", 1.0)])
    assert weights(graph) == {("a", "b"): 2.0**24 + 1}


def test_wrong_inputs_are_told() -> None:
    with pytest.raises(BadParameter, match="square"):
        WebGraph.from_scipy(coo_array((2, 3)))
    with pytest.raises(BadParameter, match="target") as caught:
        WebGraph.from_arrow(pa.table({"source": ["a"]}))
    assert caught.value.hint == "its columns: source"
    with pytest.raises(BadParameter, match="1 end of links without a name"):
        WebGraph.from_arrow(pa.table({"source": ["a", None], "target": ["b", "c"]}))
    with pytest.raises(BadParameter, match="column source holds list"):
        WebGraph.from_arrow(pa.table({"source": [["a"]], "target": ["b"]}))


@pytest.mark.parametrize(
    "odd",
    [
        ("a",), (), ("a", "b", "c", "d"), ("a", "b", 1.0, 2.0), ("a", None), (None, "b"),
        ("a", "b", "1"), ("a", "b", None), ("a", "b", [1]), (1, 2), ("a", ["b"]),
        "ab", b"xy", 5, None, {"a": 1, "b": 2},
    ],
)  # fmt: skip
def test_a_malformed_link_is_named(odd: Any) -> None:
    with pytest.raises(BadParameter) as caught:
        WebGraph.from_links([("a", "b"), odd, odd])
    assert str(caught.value) == f"link 2 is {odd!r}"
    assert caught.value.hint == "a link is two names, or two names and a number"


@pytest.mark.parametrize("odd", [5, None, "http://a.com/", b"ab", object()])
def test_what_holds_no_links_is_named(odd: Any) -> None:
    with pytest.raises(BadParameter, match="holds no links") as caught:
        WebGraph.of(odd)
    assert "pairs of names" in caught.value.hint


def test_names_and_weights_of_numpy_are_taken() -> None:
    links = np.array([["a", "b"], ["b", "c"]])
    assert WebGraph.from_links(links).link_count == 2
    graph = WebGraph.from_links([["a", "b", np.float32(2)], ("b", "c", np.int64(3))])  # type: ignore[list-item]
    assert graph.outdegrees(weighted=True).tolist() == [2, 3, 0]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((2, [0.5], [1]), "page numbers are integers, not float64"),
        ((2, ["a"], [1]), "page numbers are integers"),
        ((2, [0, 1], [1]), "2 sources do not fit 1 targets"),
        ((2, [0], [2]), "no page has the number 2"),
        ((2, [-1], [1]), "no page has the number -1"),
        ((2, [0], [1], ["1"]), "weights are numbers"),
        ((2, [0], [1], [None]), "weights are numbers, not object"),
        ((2, [0], [1], [1.0, 2.0]), "2 weights do not fit 1 links"),
        ((-1, [], []), "cannot have -1 pages"),
    ],
)
def test_malformed_arrays_are_refused(given: tuple[Any, ...], told: str) -> None:
    with pytest.raises(BadParameter, match=told):
        WebGraph.from_arrays(*given)


def test_malformed_matrices_are_refused() -> None:
    for odd in (np.ones((2, 3)), np.ones(3), np.ones((2, 2, 2))):
        with pytest.raises(BadParameter, match="square"):
            WebGraph.from_scipy(odd)
    for odd in (np.array([["a", "b"]] * 2), np.ones((2, 2), complex), np.full((2, 2), None)):
        with pytest.raises(BadParameter, match="are numbers, not"):
            WebGraph.from_scipy(odd)
    with pytest.raises(BadParameter, match="1 names do not fit a matrix of 2 rows"):
        WebGraph.from_scipy(np.ones((2, 2)), ["a"])
    heavy = nx.DiGraph()
    heavy.add_edge("a", "b", weight="much")
    with pytest.raises(BadParameter, match="weights are numbers"):
        WebGraph.of(heavy)


def test_self_links_are_kept_on_request() -> None:
    links = [("a", "a", 2.0), ("a", "b", 1.0), ("b", "b", 3.0)]
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(links)
    table = pa.table({name: pa.array(column) for name, column in zip(
        ("source", "target", "weight"), zip(*links, strict=True), strict=True)})  # fmt: skip
    matrix = coo_array(([2.0, 1.0, 3.0], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    made: dict[Any, Any] = {
        WebGraph.from_links: links,
        WebGraph.from_networkx: graph,
        WebGraph.from_arrow: table,
        WebGraph.from_scipy: matrix,
    }
    for make, data in made.items():
        kept, plain = make(data, self_links=True), make(data)
        assert (kept.link_count, plain.link_count) == (3, 1)
        assert kept.outdegrees(weighted=True).tolist() == [3, 3]
        assert kept.indegrees(weighted=True).tolist() == [2, 4]
        assert plain.outdegrees(weighted=True).tolist() == [1, 0]


def test_ids_are_small_and_plain_weights_are_not_kept() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c")])
    assert graph.outlinks.ids.dtype == np.int32
    assert graph.outlinks.starts.dtype == np.int64
    assert graph.outlinks.weights is None


def test_names_are_a_lazy_sequence() -> None:
    names = Names(pa.array(["a", "b", "c"]))
    assert (names[1], names[-1], names[0:2], list(names), len(names)) == (
        "b",
        "c",
        ["a", "b"],
        ["a", "b", "c"],
        3,
    )
    assert WebGraph.from_links([("a", "b")]).number("b") == 1
    assert WebGraph.from_links([("a", "b")]).number("z") == -1


@given(st.lists(st.sampled_from("abcde")), st.lists(st.sampled_from("abcde")))
def test_numbers_are_those_of_the_names_in_their_order(pages: list[str], asked: list[str]) -> None:
    graph = WebGraph.from_arrays(pages, [], [])
    missing = [page for page in asked if page not in pages]
    if missing:
        with pytest.raises(UnknownName, match=f"'{missing[0]}'"):
            graph.numbers(asked)
    else:
        assert graph.numbers(asked).tolist() == [pages.index(page) for page in asked]
        assert graph.numbers(asked).dtype == np.int32


def test_names_may_come_later() -> None:
    made: list[int] = []

    def make() -> pa.Array:
        made.append(1)
        return pa.array(["a", "b"])

    names = LaterNames(2, make)
    assert len(names) == 2
    assert not made, "how many there are is known before"
    assert (list(names), names[1], as_names(names).to_pylist()) == (["a", "b"], "b", ["a", "b"])
    assert made == [1]


def test_what_follows_from_a_graph_is_made_once() -> None:
    graph = WebGraph.from_links([("a", "b")])
    first = graph.once("thing", object)
    assert graph.once("thing", object) is first
    assert replace(graph, level="host").once("thing", object) is not first
