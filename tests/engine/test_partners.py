"""Partners row by row: as the dense product has them, whatever the number of threads."""

from itertools import permutations

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.engine.partners import census, top_partners
from weft.graph.alike import Pattern, steps_of, weighed
from weft.graph.webgraph import WebGraph

Links = list[tuple[int, int]]
N = 7
webs = st.lists(st.sampled_from(list(permutations(range(N), 2))), max_size=40, unique=True)


def graph_of(links: Links) -> WebGraph:
    ends = np.array(links, np.int32).reshape(-1, 2).T
    return WebGraph.from_arrays([str(k) for k in range(N)], ends[0], ends[1])


def dense(links: Links, pattern: Pattern) -> np.ndarray:
    matrix = np.zeros((N, N))
    for source, target in links:
        matrix[source, target] = 1
    product = {
        "co-citation": matrix.T @ matrix,
        "coupling": matrix @ matrix.T,
        "indirect": matrix @ matrix,
        "indirect from": (matrix @ matrix).T,
    }[pattern]
    np.fill_diagonal(product, 0)
    return product


def sparse(links: Links, pattern: Pattern) -> np.ndarray:
    graph = graph_of(links)
    starts, ids, found = top_partners(weighed(steps_of(graph, pattern), "count"), N, "sum")
    table = np.zeros((N, N))
    table[np.repeat(np.arange(N), np.diff(starts)), ids] = found
    return table


@given(webs, st.sampled_from(["co-citation", "coupling", "indirect", "indirect from"]))
def test_all_partners_are_the_product(links: Links, pattern: Pattern) -> None:
    np.testing.assert_array_equal(sparse(links, pattern), dense(links, pattern))


@given(webs)
def test_agrees_with_igraph(links: Links) -> None:
    oracle = igraph.Graph(n=N, edges=links, directed=True)
    np.testing.assert_array_equal(sparse(links, "co-citation"), oracle.cocitation())
    np.testing.assert_array_equal(sparse(links, "coupling"), oracle.bibcoupling())


@given(webs, st.integers(1, 5))
def test_the_best_come_first_and_ties_by_number(links: Links, k: int) -> None:
    starts, ids, _ = top_partners(
        weighed(steps_of(graph_of(links), "co-citation"), "count"), k, "sum"
    )
    for page, row in enumerate(dense(links, "co-citation")):
        wanted = [int(j) for j in np.argsort(-row, kind="stable") if row[j] > 0][:k]
        assert ids[starts[page] : starts[page + 1]].tolist() == wanted


@given(webs, st.integers(1, 5))
def test_the_census_counts_every_pair_once(links: Links, k: int) -> None:
    graph = graph_of(links)
    for pattern, symmetric in (("co-citation", True), ("indirect", False)):
        wanted = dense(links, pattern)  # type: ignore[arg-type]
        wanted = np.triu(wanted) if symmetric else wanted
        found = census(
            weighed(steps_of(graph, pattern), "count"),  # type: ignore[arg-type]
            k,
            "sum",
            symmetric=symmetric,
        )
        assert found.pairs == np.count_nonzero(wanted)
        assert found.total == wanted.sum()
        assert sorted(found.strength, reverse=True) == found.strength.tolist()
        assert found.strength.tolist() == sorted(wanted[wanted > 0], reverse=True)[:k]
        assert (wanted[found.one, found.other] == found.counted).all()


def test_any_number_of_threads_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    graph = WebGraph.from_arrays(300, *rng.integers(0, 300, (2, 4000)))
    paths = weighed(steps_of(graph, "co-citation"), "out-normalised")
    found = []
    for threads in ("1", "4"):
        monkeypatch.setenv("WEFT_THREADS", threads)
        found.append(top_partners(paths, 5, "sum"))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
