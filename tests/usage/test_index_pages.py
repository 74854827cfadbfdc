"""PageGather: the values, cliques against NetworkX, and the rules for candidates."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Ids
from weft.graph.transitions import Sessions
from weft.usage import index_pages
from weft.usage.index_pages import co_occurrence
from weft.usage.page_graph import PageGraph, connected_pages, maximal_cliques
from weft.usage.transactions import TitledSessions, build_transactions

FILE = Path(__file__).parents[1] / "data" / "mining-values.json"
VALUES = json.loads(FILE.read_text())["pagegather"]
VISITS = [["A", "B", "C"], ["A", "B", "C"], ["A", "B"], ["B", "C", "D"], ["D", "E"], ["D", "E"]]
paths_lists = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), max_size=20)
edge_lists = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda e: e[0] != e[1]), max_size=30
)


def similarities(paths: list[list[str]]) -> dict[str, float]:
    sessions = Sessions.from_paths(paths)
    pairs = co_occurrence(build_transactions(sessions, 0, 1))
    names = sessions.graph.pages
    ends = zip(pairs.first.tolist(), pairs.second.tolist(), pairs.values.tolist(), strict=True)
    return {"".join(sorted((names[i], names[j]))): value for i, j, value in ends}


def found_pages(**options: Any) -> list[list[str]]:
    table = index_pages(VISITS, **options).to_table()
    return [sorted(pages) for pages in table["pages"].to_pylist()]


def test_co_occurrence_of_the_values() -> None:
    found = similarities(VISITS)
    assert {pair: found.get(pair, 0.0) for pair in VALUES["similarity"]} == pytest.approx(
        VALUES["similarity"]
    )


@pytest.mark.parametrize(
    ("clusters", "key"), [("cliques", "maximal_cliques"), ("components", "components")]
)
def test_candidates_of_the_values(clusters: str, key: str) -> None:
    found = found_pages(clusters=clusters, min_together=VALUES["threshold"])
    assert sorted(found) == sorted(VALUES[key])


@given(paths_lists)
def test_co_occurrence_is_the_lower_conditional_probability(paths: list[list[str]]) -> None:
    found = similarities(paths)
    views = [set(path) for path in paths if len(set(path)) > 1]
    for i, j in combinations("abcdefg", 2):
        own, other = ({k for k, view in enumerate(views) if page in view} for page in (i, j))
        expected = len(own & other) / max(len(own), len(other), 1)
        assert found.get(i + j, 0.0) == pytest.approx(expected)
        assert (expected == 1) == (own == other != set())


@given(edge_lists)
def test_cliques_and_components_are_those_of_networkx(edges: list[tuple[int, int]]) -> None:
    first, second = np.array(edges, np.int32).reshape(-1, 2).T
    graph, known = PageGraph.from_pairs(first, second), nx.Graph(edges)
    cliques, complete = maximal_cliques(graph)
    assert complete
    assert cliques == sorted(tuple(sorted(clique)) for clique in nx.find_cliques(known))
    components = sorted(tuple(sorted(each)) for each in nx.connected_components(known))
    assert connected_pages(graph) == components


def test_the_number_of_cliques_is_bounded() -> None:
    first, second = np.array(list(combinations(range(6), 2)), np.int32).T
    apart = first // 2 != second // 2  # all but three pairs: 2 · 2 · 2 cliques
    graph = PageGraph.from_pairs(first[apart], second[apart])
    assert len(maximal_cliques(graph)[0]) == 8
    cliques, complete = maximal_cliques(graph, max_cliques=5)
    assert len(cliques) == 5
    assert not complete


def test_linked_pages_are_no_pair() -> None:
    data = TitledSessions(Sessions.from_paths(VISITS, [("E", "D")]))
    found = index_pages(data, min_together=0.5)
    assert [sorted(pages) for pages in found.to_table()["pages"].to_pylist()] == [["A", "B", "C"]]
    assert "1 pair of linked pages left out" in found.notes
    kept = index_pages(data, min_together=0.5, exclude_linked=False)
    assert len(kept.to_table()) == 2


def test_the_threshold_leaves_two_pairs_for_each_page() -> None:
    paths = [list(pair) for pair in combinations("abcdefgh", 2)] + [["a", "b"], ["c", "d"]]
    found = index_pages(paths, min_sessions=1)
    # eight pages: the sixteenth of 28 pairs has the lowest value of all
    assert found["pairs"] == 28
    assert found["lowest co-occurrence"] == pytest.approx(1 / 8)


def test_overlap_and_size_are_bounded() -> None:
    paths = [list("abcd")] * 3 + [list("cdef")] * 2 + [list("abcdef")]
    loose = index_pages(paths, min_together=0.5, max_overlap=1).to_table()["pages"].to_pylist()
    strict = index_pages(paths, min_together=0.5, max_overlap=0).to_table()["pages"].to_pylist()
    assert len(loose) > len(strict)
    pages = [page for candidate in strict for page in candidate]
    assert len(pages) == len(set(pages))
    small = index_pages(paths, min_together=0.1, max_pages=3, min_sessions=1)
    assert max(map(len, small.to_table()["pages"].to_pylist())) == 3
    assert "1 candidate cut to 3 pages" in small.notes


def test_pages_that_met_by_chance_are_no_candidate() -> None:
    """Each of two pages is in two sessions, one of them in common: half, but of nothing."""
    paths = [["x", "y"], ["x", "a"], ["y", "b"]] + [["a", "b"]] * 3
    assert index_pages(paths).to_table()["pages"].to_pylist() == [["a", "b"]]
    by_chance = index_pages(paths, min_sessions=1).to_table()["pages"].to_pylist()
    assert ["x", "y"] in by_chance
    many = index_pages([["a", "b"]] * 8_000 + [["x", "y"]] * 7)
    assert many["fewest sessions of a pair"] == 9
    assert many.to_table()["pages"].to_pylist() == [["a", "b"]]


def test_titles_existing_indexes_and_sessions_are_given() -> None:
    titles = {"A": "Red wine of Spain", "B": "Red wine of Italy", "C": "White wine of Spain"}
    links = [("home", page) for page in "ABCDE"] + [("list", page) for page in "ABC"]
    sessions = Sessions.from_paths(VISITS, links)

    def read_titles(pages: Ids) -> list[str]:
        return [titles.get(sessions.graph.pages[page], "") for page in pages]

    found = index_pages(TitledSessions(sessions, read_titles), min_together=0.5)
    first = found.to_table().to_pylist()[0]
    assert first["title"] == "wine"
    assert first["linked from"] == "list"
    assert first["sessions"] == 4
    assert first["co-occurrence"] == pytest.approx((0.75 + 0.75 + 2 / 3) / 3)
    assert "a person decides" in found.notes[-1]


def test_without_sessions_the_result_says_so() -> None:
    found = index_pages([])
    assert found["candidates"] == 0
    assert found.notes == ("there are no sessions", "no pages are viewed together often enough")
