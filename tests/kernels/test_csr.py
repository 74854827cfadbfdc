"""CSR from edges, induced links, quotient graphs and top entries, against brute force."""

from itertools import chain, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from weft.graph.webgraph import build_csr
from weft.kernels.csr import (
    csr_from_edges,
    filter_induced_links,
    find_induced_links,
    find_link_ranges,
    quotient_graph,
    top_weights_per_row,
)

N, LAST = 7, 3
Pairs = list[tuple[int, int]]
webs = st.lists(st.sampled_from(list(permutations(range(N), 2))), max_size=25, unique=True)
some_pages = st.sets(st.integers(0, N - 1))
reasons = st.lists(st.integers(1, LAST), min_size=N, max_size=N)


def rows(links: Pairs) -> tuple[np.ndarray, np.ndarray]:
    ordered = sorted(links)
    starts = np.searchsorted([s for s, _ in ordered], np.arange(N + 1))
    return starts, np.array([t for _, t in ordered], np.int32)


def table(pages: np.ndarray) -> np.ndarray:
    place = np.full(N, -1, np.int32)
    place[pages] = np.arange(len(pages))
    return place


@given(webs, some_pages)
def test_induced_links_by_table_and_by_search(links: Pairs, some: set[int]) -> None:
    pages = np.array(sorted(some), np.int32)
    wanted = [(at, s, t) for at, (s, t) in enumerate(sorted(links)) if s in some and t in some]
    for place in (table(pages), np.zeros(0, np.int32)):
        at, source, target = find_induced_links(*rows(links), pages, place)
        found = zip(at.tolist(), pages[source].tolist(), pages[target].tolist(), strict=True)
        assert list(found) == wanted


@given(webs, some_pages, reasons, reasons, st.sets(st.integers(0, 24)))
def test_of_several_reasons_the_first_is_counted(
    links: Pairs, some: set[int], leaving: list[int], arriving: list[int], marked: set[int]
) -> None:
    pages = np.array(sorted(some), np.int32)
    number = 10 * np.arange(len(pages), dtype=np.int32)
    wanted, counts = [], [0] * (LAST + 1)
    for at, (s, t) in enumerate(sorted(links)):
        if s in some and t in some:
            reason = 0 if at in marked else min(leaving[s], arriving[t])
            counts[reason] += 1
            if reason == LAST:
                wanted.append((10 * sorted(some).index(s), 10 * sorted(some).index(t), at + 2.0))
    weights = np.arange(2, 2 + len(links), dtype=np.float32)
    fate = np.array(leaving, np.int32)[pages], np.array(arriving, np.int32)[pages], number
    marks = np.array(sorted(marked), np.int64)
    for place in (table(pages), np.zeros(0, np.int32)):
        *found, lost = filter_induced_links(
            (*rows(links), weights), pages, place, marks, fate, LAST
        )
        assert list(zip(*(column.tolist() for column in found), strict=True)) == wanted
        assert lost.tolist() == counts


def test_links_without_weights_weigh_one() -> None:
    every, none = np.arange(N, dtype=np.int32), np.zeros(0, np.int64)
    fate = np.full(N, LAST, np.int32), np.full(N, LAST, np.int32), every
    plain = (*rows([(0, 1), (1, 0)]), np.zeros(0, np.float32))
    assert filter_induced_links(plain, every, every, none, fate, LAST)[2].tolist() == [1, 1]


@given(st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=25), webs)
def test_ranges_of_repeated_links(links: Pairs, asked: Pairs) -> None:
    ends = np.array(asked, np.int32).reshape(-1, 2).T
    first, last = find_link_ranges(
        *rows(links), np.ascontiguousarray(ends[0]), np.ascontiguousarray(ends[1])
    )
    assert (last - first).tolist() == [links.count(pair) for pair in asked]
    ordered = sorted(links)
    for begin, end, pair in zip(first.tolist(), last.tolist(), asked, strict=True):
        assert set(ordered[begin:end]) <= {pair}


PAGES, GROUPS = 7, 4
ends = st.integers(0, PAGES - 1)


@given(
    st.dictionaries(st.tuples(ends, ends), st.integers(1, 9), max_size=30),
    st.lists(st.integers(0, GROUPS - 1), min_size=PAGES, max_size=PAGES),
    st.booleans(),
)
def test_a_quotient_graph_is_a_matrix_product(
    links: dict[tuple[int, int], int],
    home: list[int],
    heavy: bool,  # noqa: FBT001
) -> None:
    table = np.zeros((PAGES, PAGES))
    for (source, target), weight in links.items():
        table[source, target] = weight if heavy else 1
    rows = csr_array(table)
    weights = rows.data.astype(np.float32) if heavy else np.zeros(0, np.float32)
    starts, ids = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    found = quotient_graph(starts, ids, weights, np.array(home, np.int32), GROUPS)
    which = np.eye(GROUPS)[home]
    expected = which.T @ table @ which
    np.fill_diagonal(expected, 0)
    begins, targets, sums = found
    assert begins.tolist() == csr_array(expected).indptr.tolist(), "each target once"
    assert (csr_array((sums, targets, begins), shape=expected.shape).toarray() == expected).all()


def test_no_pages_have_no_links() -> None:
    nothing = np.zeros(0, np.int32)
    begins, targets, sums = quotient_graph(
        np.zeros(1, np.int64), nothing, np.zeros(0, np.float32), nothing, 0
    )
    assert [begins.tolist(), len(targets), len(sums)] == [[0], 0, 0]


items = st.tuples(st.integers(0, 3), st.integers(0, 5))


@given(st.lists(st.lists(items, max_size=9), max_size=6), st.integers(1, 10))
def test_top_weights_are_the_first_of_each_sorted_row(
    rows: list[list[tuple[int, int]]], most: int
) -> None:
    worth = [0.0, 1.0, 2.0, 0.5]
    starts = np.cumsum([0, *map(len, rows)])
    ids = np.array([item for row in rows for item, _ in row], np.int32)
    weights = np.array([weight for row in rows for _, weight in row], np.float32)
    found = top_weights_per_row(starts, ids, weights, np.array(worth), most)
    expected: list[list[tuple[int, float]]] = []
    for row in rows:
        heavy = [(item, weight * worth[item]) for item, weight in row]
        expected.append(sorted((one for one in heavy if one[1]), key=lambda one: -one[1])[:most])
    assert found[0].tolist() == np.cumsum([0, *map(len, expected)]).tolist()
    assert list(zip(found[1].tolist(), found[2].tolist(), strict=True)) == [*chain(*expected)]


nodes = st.integers(0, 8)


@given(st.lists(st.tuples(nodes, nodes), max_size=60))
def test_rows_from_edges_are_sorted(links: list[tuple[int, int]]) -> None:
    source, target = np.array(links, np.int32).reshape(-1, 2).T.copy()
    found, wanted = csr_from_edges(source, target, 9), build_csr(source, target, None, 9)
    assert found.starts.tolist() == wanted.starts.tolist()
    assert found.ids.tolist() == wanted.ids.tolist()
    assert (found.weights is None) == (wanted.weights is None)
    if found.weights is not None and wanted.weights is not None:
        assert found.weights.tolist() == wanted.weights.tolist()


def test_no_links_and_no_nodes() -> None:
    none = np.zeros(0, np.int32)
    assert csr_from_edges(none, none, 0).starts.tolist() == [0]
    assert csr_from_edges(none, none, 2).starts.tolist() == [0, 0, 0]
