"""Similar pages row by row, against the dense product, for any number of threads."""

from itertools import permutations

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.graph.cocitation import Pattern, pattern_steps, weigh_witnesses
from weft.graph.webgraph import WebGraph
from weft.kernels.cocitation import count_and_rank_pairs, top_similar_pages

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
    starts, ids, found = top_similar_pages(
        weigh_witnesses(pattern_steps(graph, pattern), "count"), N, "sum"
    )
    table = np.zeros((N, N))
    table[np.repeat(np.arange(N), np.diff(starts)), ids] = found
    return table


@given(webs, st.sampled_from(["co-citation", "coupling", "indirect", "indirect from"]))
def test_all_similarities_are_those_of_the_product(links: Links, pattern: Pattern) -> None:
    np.testing.assert_array_equal(sparse(links, pattern), dense(links, pattern))


@given(webs)
def test_agrees_with_igraph(links: Links) -> None:
    oracle = igraph.Graph(n=N, edges=links, directed=True)
    np.testing.assert_array_equal(sparse(links, "co-citation"), oracle.cocitation())
    np.testing.assert_array_equal(sparse(links, "coupling"), oracle.bibcoupling())


@given(webs, st.integers(1, 5))
def test_the_best_come_first_and_ties_by_number(links: Links, k: int) -> None:
    starts, ids, _ = top_similar_pages(
        weigh_witnesses(pattern_steps(graph_of(links), "co-citation"), "count"), k, "sum"
    )
    for page, row in enumerate(dense(links, "co-citation")):
        wanted = [int(j) for j in np.argsort(-row, kind="stable") if row[j] > 0][:k]
        assert ids[starts[page] : starts[page + 1]].tolist() == wanted


@given(webs, st.integers(1, 5))
def test_the_summary_counts_every_pair_once(links: Links, k: int) -> None:
    graph = graph_of(links)
    for pattern, symmetric in (("co-citation", True), ("indirect", False)):
        wanted = dense(links, pattern)  # type: ignore[arg-type]
        wanted = np.triu(wanted) if symmetric else wanted
        found = count_and_rank_pairs(
            weigh_witnesses(pattern_steps(graph, pattern), "count"),  # type: ignore[arg-type]
            k,
            "sum",
            symmetric=symmetric,
        )
        assert found.pair_count == np.count_nonzero(wanted)
        assert found.total_weight == wanted.sum()
        assert sorted(found.similarity, reverse=True) == found.similarity.tolist()
        assert found.similarity.tolist() == sorted(wanted[wanted > 0], reverse=True)[:k]
        assert (wanted[found.first, found.second] == found.path_weight).all()


def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    graph = WebGraph.from_arrays(300, *rng.integers(0, 300, (2, 4000)))
    paths = weigh_witnesses(pattern_steps(graph, "co-citation"), "out-normalised")
    found = []
    for threads in ("1", "4"):
        monkeypatch.setenv("WEFT_THREADS", threads)
        found.append(top_similar_pages(paths, 5, "sum"))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
