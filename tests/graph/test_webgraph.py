"""The graph from and to other libraries, against dense matrices, NetworkX and igraph."""

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array
from tests.webs import webs

import weft
from weft.core.errors import BadParameter, UnknownName, WeftError
from weft.core.memoize import memoize
from weft.graph.webgraph import ArrowNames, LazyNames, WebGraph, link_weights, to_name_array

Links = list[tuple[str, str]]
links = st.lists(st.sampled_from(list(product("abcde", repeat=2))), max_size=40)
float_weights = st.floats(1e-70, 1e70) | st.integers(1, 3).map(float)
weighted_links = st.dictionaries(
    st.sampled_from(list(product("abcde", repeat=2))), float_weights, max_size=25
)
ROUND_TRIPS: dict[str, Callable[[WebGraph], WebGraph]] = {
    "networkx": lambda graph: WebGraph.from_networkx(graph.to_networkx(), self_links=True),
    "igraph": lambda graph: WebGraph.from_igraph(graph.to_igraph(), self_links=True),
    "scipy": lambda graph: WebGraph.from_scipy(graph.to_scipy(), graph.pages, self_links=True),
}
round_trips = pytest.mark.parametrize("again", ROUND_TRIPS.values(), ids=ROUND_TRIPS)


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
def test_parallel_links_become_weights_and_self_links_are_dropped(pairs: Links) -> None:
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
    graph = nx.DiGraph()
    graph.add_nodes_from(sorted({name for pair in pairs for name in pair}))
    for (s, t), count in counted(pairs).items():
        graph.add_edge(s, t, weight=count)
    assert weights(WebGraph.from_networkx(graph)) == counted(pairs)
    columns = list(zip(*pairs, strict=True)) or [(), ()]
    table = pa.table(
        {"source": pa.array(columns[0], pa.string()), "target": pa.array(columns[1], pa.string())}
    )
    assert weights(WebGraph.from_arrow(table)) == counted(pairs)


@given(links)
def test_out_to_arrow_and_back(pairs: Links) -> None:
    graph = WebGraph.from_links(pairs)
    assert weights(WebGraph.from_arrow(graph.to_arrow())) == weights(graph)


@round_trips
@given(given_links=weighted_links)
def test_out_to_another_library_and_back(
    again: Callable[[WebGraph], WebGraph], given_links: dict[tuple[str, str], float]
) -> None:
    """Pages in their order, self-links, and every digit of the weights."""
    triples = [(s, t, w) for (s, t), w in given_links.items()]
    graph = WebGraph.from_links(triples, self_links=True)
    assert weights(graph) == given_links
    assert weights(again(graph)) == given_links
    assert list(again(graph).pages) == list(graph.pages)


@given(webs)
def test_degrees_agree_with_the_other_libraries(pairs: Links) -> None:
    graph = WebGraph.from_links(pairs)
    theirs, matrix, other = graph.to_networkx(), graph.to_scipy(), graph.to_igraph()
    ours = {"in": graph.indegrees().tolist(), "out": graph.outdegrees().tolist()}
    assert [theirs.in_degree(page) for page in graph.pages] == ours["in"]
    assert [theirs.out_degree(page) for page in graph.pages] == ours["out"]
    assert (other.indegree(), other.outdegree()) == (ours["in"], ours["out"])
    assert np.diff(matrix.indptr).tolist() == ours["out"]
    assert np.diff(matrix.tocsc().indptr).tolist() == ours["in"]
    strength = graph.indegrees(weighted=True).tolist()
    assert [theirs.in_degree(page, weight="weight") for page in graph.pages] == strength
    assert matrix.sum(axis=0).tolist() == strength
    assert other.is_weighted() == (graph.outlinks.weights is not None)
    assert other.strength(mode="in", weights="weight" if other.is_weighted() else None) == strength


@pytest.mark.parametrize("size", [0, 3])
@round_trips
def test_isolated_pages_are_kept(again: Callable[[WebGraph], WebGraph], size: int) -> None:
    pages = list("abc")[:size]
    assert list(again(WebGraph.from_arrays(pages, [], [])).pages) == pages
    if size:
        linked = again(WebGraph.from_arrays(pages, [2], [0]))
        assert (list(linked.pages), weights(linked)) == (pages, {("c", "a"): 1})


def test_other_libraries_get_graphs_of_their_own_types() -> None:
    graph = WebGraph.from_links([("a", "b", 0.5), ("b", "a"), ("b", "b", 3)], self_links=True)
    assert type(graph.to_networkx()) is nx.DiGraph
    assert list(graph.to_networkx().edges(data="weight")) == [
        ("a", "b", 0.5), ("b", "a", 1.0), ("b", "b", 3.0),
    ]  # fmt: skip
    assert graph.to_igraph().is_directed()
    assert graph.to_igraph().vs["name"] == ["a", "b"]
    assert graph.to_igraph().es["weight"] == [0.5, 1.0, 3.0]
    assert isinstance(graph.to_scipy(), csr_array)
    assert graph.to_scipy().toarray().tolist() == [[0, 0.5], [1, 3]]
    assert (graph.to_scipy().dtype, graph.to_scipy().indices.dtype) == (np.float64, np.int32)


def test_links_that_all_weigh_one_get_no_attribute() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c")])
    assert list(graph.to_networkx().edges(data=True)) == [("a", "b", {}), ("b", "c", {})]
    assert graph.to_igraph().es.attributes() == []
    assert graph.to_scipy().data.tolist() == [1, 1]


def test_a_changed_matrix_leaves_the_graph_as_it_is() -> None:
    graph = WebGraph.from_links([("a", "b", 0.1), ("b", "c", 0.2)])
    matrix = graph.to_scipy()
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array[:] = 0
    assert weights(graph) == {("a", "b"): 0.1, ("b", "c"): 0.2}


def test_igraph_vertices_without_names_are_numbered() -> None:
    graph = WebGraph.from_igraph(igraph.Graph([(0, 2)], n=4, directed=True))
    assert (list(graph.pages), weights(graph)) == (["0", "1", "2", "3"], {("0", "2"): 1})
    partly = igraph.Graph([(0, 1)], directed=True)
    partly.vs[0]["name"] = "a"
    assert list(WebGraph.from_igraph(partly).pages) == ["a", "1"]


def test_an_igraph_edge_without_a_weight_weighs_one() -> None:
    graph = igraph.Graph([(0, 1), (1, 2), (1, 2)], directed=True)
    graph.es[0]["weight"] = 0.1
    assert weights(WebGraph.from_igraph(graph)) == {("0", "1"): 0.1, ("1", "2"): 2}


@pytest.mark.parametrize("directed", [False, True])
@given(edges=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=20))
def test_igraph_and_networkx_give_the_same_graph(
    *, directed: bool, edges: list[tuple[int, int]]
) -> None:
    """Parallel edges and loops too, each with a weight of its own."""
    values = [k + 0.5 for k in range(len(edges))]
    theirs = nx.MultiDiGraph() if directed else nx.MultiGraph()
    theirs.add_nodes_from(range(5))
    theirs.add_weighted_edges_from((s, t, w) for (s, t), w in zip(edges, values, strict=True))
    other = igraph.Graph(edges, n=5, directed=directed, edge_attrs={"weight": values})
    one, same = (WebGraph.from_any(graph) for graph in (theirs, other))
    assert weights(one) == weights(same)
    kept = WebGraph.from_igraph(other, self_links=True)
    assert weights(kept) == weights(WebGraph.from_networkx(theirs, self_links=True))
    assert list(kept.pages) == list(one.pages) == list("01234")


def test_two_nodes_of_one_name_are_both_named() -> None:
    with pytest.raises(BadParameter, match="the nodes 1 and '1' have the same name '1'"):
        WebGraph.from_networkx(nx.DiGraph([(1, "2"), ("1", "2")]))
    twins = igraph.Graph([(0, 1)], n=3, vertex_attrs={"name": ["a", "b", "a"]})
    with pytest.raises(BadParameter, match="the vertices 0 and 2 have the same name 'a'"):
        WebGraph.from_igraph(twins)
    with pytest.raises(BadParameter, match="the pages 0 and 2 have the same name 'a'"):
        WebGraph.from_arrays(["a", "b", "a"], [0], [1]).to_networkx()


@pytest.mark.parametrize("library", ["networkx", "igraph"])
def test_a_missing_library_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    graph = WebGraph.from_links([("a", "b")])
    with pytest.raises(WeftError, match=f"{library} is not installed") as caught:
        getattr(graph, f"to_{library}")()
    assert caught.value.hint == f"pip install {library}"


def test_a_collection_is_a_folder() -> None:
    with pytest.raises(BadParameter, match="a collection is a folder, not 5"):
        weft.open(5)  # type: ignore[arg-type]


def test_undirected_networkx_gives_both_directions() -> None:
    assert weights(WebGraph.from_networkx(nx.Graph([("a", "b")]))) == {("a", "b"): 1, ("b", "a"): 1}


def test_scipy_direction_is_row_to_column() -> None:
    matrix = coo_array(([2.0, 0.0], ([0, 1], [1, 2])), shape=(3, 3))
    graph = WebGraph.from_scipy(matrix, ["a", "b", "c"])
    assert weights(graph) == {("a", "b"): 2.0}
    assert len(WebGraph.from_scipy(matrix)) == 3


@pytest.mark.parametrize("weight", [math.nan, math.inf, -1.0, -5e-324, 5e-324, 0.9e-70, 1.1e70])
def test_a_link_with_an_invalid_weight_is_named(weight: Any) -> None:
    every: dict[str, Callable[[], WebGraph]] = {
        "links": lambda: WebGraph.from_links([("a", "b"), ("b", "c", weight)]),
        "arrays": lambda: WebGraph.from_arrays(["a", "b", "c"], [0, 1], [1, 2], [1, weight]),
    }
    for make in every.values():
        with pytest.raises(BadParameter, match="link 2, from 'b' to 'c', has the weight"):
            make()


def test_a_weight_too_large_for_a_float_is_refused() -> None:
    with pytest.raises(BadParameter, match="too large"):
        WebGraph.from_links([("a", "b", 10**400)])
    with pytest.raises(BadParameter, match="weights are numbers"):
        WebGraph.from_arrays(2, [0], [1], [10**400])


def test_a_missing_weight_is_refused() -> None:
    with pytest.raises(BadParameter, match="1 weights do not fit 2 links"):
        WebGraph.from_arrays(3, [0, 1], [1, 2], [1.0])


@pytest.mark.parametrize("weight", [math.nan, math.inf, -1.0])
def test_other_inputs_name_it_too(weight: float) -> None:
    ends = {"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, weight]}
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 1.0), ("b", "c", weight)])
    matrix = coo_array(([1.0, weight], ([0, 1], [1, 2])), shape=(3, 3))
    other = igraph.Graph([(0, 1), (1, 2)], directed=True, edge_attrs={"weight": [1.0, weight]})
    for links in (pa.table(ends), graph, matrix, other):
        with pytest.raises(BadParameter, match=r"link 2, from '[b1]' to '[c2]'"):
            WebGraph.from_any(links)


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


def test_weights_are_float32_where_exact() -> None:
    graph = WebGraph.from_links([("a", "b", 0.5), ("b", "c", 2.0**24), ("c", "a", 1.0)])
    for rows in (graph.outlinks, graph.inlinks):
        assert rows.weights is not None
        assert rows.weights.dtype == np.float32


def test_parallel_links_are_summed_in_double_precision() -> None:
    graph = WebGraph.from_links([("a", "b", 2.0**24), ("a", "b", 1.0)])
    assert weights(graph) == {("a", "b"): 2.0**24 + 1}


def test_wrong_inputs_are_refused() -> None:
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
        WebGraph.from_any(odd)
    assert "pairs of names" in caught.value.hint


def test_names_and_weights_of_numpy_are_taken() -> None:
    links = np.array([["a", "b"], ["b", "c"]])
    assert WebGraph.from_links(links).link_count == 2
    graph = WebGraph.from_links([["a", "b", np.float32(2)], ("b", "c", np.int64(3))])  # type: ignore[list-item]
    assert graph.outdegrees(weighted=True).tolist() == [2, 3, 0]


@pytest.mark.parametrize(
    ("given", "message"),
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
def test_malformed_arrays_are_refused(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(BadParameter, match=message):
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
    other = igraph.Graph([(0, 1)], edge_attrs={"weight": ["much"]})
    for graph in (heavy, other):
        with pytest.raises(BadParameter, match="weights are numbers"):
            WebGraph.from_any(graph)


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
        WebGraph.from_igraph: igraph.Graph.TupleList(links, directed=True, weights=True),
        WebGraph.from_arrow: table,
        WebGraph.from_scipy: matrix,
    }
    for make, data in made.items():
        kept, plain = make(data, self_links=True), make(data)
        assert (kept.link_count, plain.link_count) == (3, 1)
        assert kept.outdegrees(weighted=True).tolist() == [3, 3]
        assert kept.indegrees(weighted=True).tolist() == [2, 4]
        assert plain.outdegrees(weighted=True).tolist() == [1, 0]


def test_ids_are_int32_and_unit_weights_are_not_stored() -> None:
    graph = WebGraph.from_links([("a", "b"), ("b", "c")])
    assert graph.outlinks.ids.dtype == np.int32
    assert graph.outlinks.starts.dtype == np.int64
    assert graph.outlinks.weights is None


def test_names_are_a_lazy_sequence() -> None:
    names = ArrowNames(pa.array(["a", "b", "c"]))
    assert (names[1], names[-1], names[0:2], list(names), len(names)) == (
        "b",
        "c",
        ["a", "b"],
        ["a", "b", "c"],
        3,
    )
    assert WebGraph.from_links([("a", "b")]).page_number("b") == 1
    assert WebGraph.from_links([("a", "b")]).page_number("z") == -1


@given(st.lists(st.sampled_from("abcde")), st.lists(st.sampled_from("abcde")))
def test_numbers_are_those_of_the_names_in_their_order(pages: list[str], asked: list[str]) -> None:
    graph = WebGraph.from_arrays(pages, [], [])
    missing = [page for page in asked if page not in pages]
    if missing:
        with pytest.raises(UnknownName, match=f"'{missing[0]}'"):
            graph.page_numbers(asked)
    else:
        assert graph.page_numbers(asked).tolist() == [pages.index(page) for page in asked]
        assert graph.page_numbers(asked).dtype == np.int32


def test_lazy_names_are_computed_once() -> None:
    made: list[int] = []

    def make() -> pa.Array:
        made.append(1)
        return pa.array(["a", "b"])

    names = LazyNames(2, make)
    assert len(names) == 2
    assert not made, "how many there are is known before"
    assert (list(names), names[1], to_name_array(names).to_pylist()) == (
        ["a", "b"],
        "b",
        ["a", "b"],
    )
    assert made == [1]


def test_memoized_values_are_computed_once() -> None:
    thing = memoize(lambda _: object())
    graph = WebGraph.from_links([("a", "b")])
    assert thing(graph) is thing(graph)
    assert thing(replace(graph, level="host")) is not thing(graph)
