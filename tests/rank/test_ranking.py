"""A ranking: its order and ties, rows, slices and tables."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import (
    Floats,
    Ids,
    argsort_descending,
    count_better,
    round_significant,
    top_k_indices,
    top_k_scores,
)
from weft.core.errors import UnknownName
from weft.engine import Trace
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank import RankedPage, Ranking, clever, compare, hits, indegree

scores = st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.2 + 1e-16, 5.0, np.inf]), max_size=12)


def ranking(*scores: float, converged: bool = True) -> Ranking:
    pages = [f"p{i}" for i in range(len(scores))]
    return Ranking("toy", pages, {"score": np.array(scores)}, Trace(1, 0.0, converged))


def test_best_first_and_ties_keep_page_order() -> None:
    assert ranking(0.1, 0.3, 0.1 + 1e-17, 0.2).order().tolist() == [1, 3, 0, 2]


def test_ties_are_to_twelve_digits() -> None:
    assert ranking(1.0, 1.0 + 1e-14).order().tolist() == [0, 1]
    assert ranking(1.0, 1.0 + 1e-10).order().tolist() == [1, 0]


def test_iterates_over_pages_best_first() -> None:
    assert list(ranking(0.1, 0.3)) == [
        RankedPage("p1", 1, {"score": 0.3}),
        RankedPage("p0", 2, {"score": 0.1}),
    ]
    assert list(ranking()) == []


def test_rows_have_all_scores() -> None:
    row = hits([("a", "x")])[0]
    assert (row.page, row.place, row.score) == ("x", 1, 1.0)
    assert row.scores == {"authority": 1.0, "hub": 0.0}


def test_equal_scores_share_the_best_place() -> None:
    assert [row.place for row in ranking(0.2, 0.5, 0.2, 0.1, 0.2 + 1e-16)] == [1, 2, 2, 2, 5]


def test_index_and_slice_by_position() -> None:
    found = ranking(0.1, 0.3, 0.2)
    assert [found[k].page for k in (0, 1, 2, -1, np.int64(0))] == ["p1", "p2", "p0", "p0", "p1"]
    assert [row.page for row in found[:2]] == ["p1", "p2"]
    assert [row.place for row in found[1:]] == [2, 3]
    assert [row.page for row in found[::-1]] == ["p0", "p2", "p1"]
    assert found[5:] == []
    for position in (3, -4):
        with pytest.raises(IndexError):
            found[position]
    with pytest.raises(TypeError):
        found[0.5]  # type: ignore[call-overload]


def test_index_by_name() -> None:
    found = ranking(0.1, 0.3, 0.1)
    assert found["p2"] == RankedPage("p2", 2, {"score": 0.1})
    with pytest.raises(UnknownName, match="nowhere"):
        found["nowhere"]


def test_contains_pages_by_name() -> None:
    found = ranking(0.1, 0.3)
    assert "p1" in found
    assert found[0] in found
    assert "nowhere" not in found
    assert 0 not in found


def test_the_top_is_found_without_sorting_all(monkeypatch: pytest.MonkeyPatch) -> None:
    found, sorted_sizes = ranking(*range(1000)), list[int]()

    def recording_sort(values: Floats) -> Ids:
        sorted_sizes.append(len(values))
        return argsort_descending(values)

    # collecting doctests imports a second copy of the module: patch that which the class uses
    select_top = Ranking._rows.__globals__["top_k_scores"]
    monkeypatch.setitem(select_top.__globals__, "argsort_descending", recording_sort)
    assert [row.page for row in found[:3]] == ["p999", "p998", "p997"]
    assert (found[0].page, found["p0"].place) == ("p999", 1000)
    assert max(sorted_sizes) <= 3
    assert next(iter(ranking(*range(5000)))).page == "p4999"
    assert max(sorted_sizes) <= 1000


@given(scores, st.slices(12))
def test_slices_are_those_of_the_whole_list(values: list[float], part: slice) -> None:
    found = ranking(*values)
    rows = list(found)
    assert [row.page for row in rows] == [found.pages[k] for k in found.order()]
    assert found[part] == rows[part]
    assert [found[row.page] for row in rows] == rows


def test_rows_beyond_the_first_thousand() -> None:
    found = ranking(*(k // 3 for k in range(3000)))
    rows = list(found)
    assert [row.page for row in rows] == [found.pages[k] for k in found.order()]
    assert [row.place for row in rows] == [3 * (k // 3) + 1 for k in range(3000)]


@pytest.mark.parametrize("k", [1, 3, 10])
def test_top_k_are_the_first_of_the_order(k: int) -> None:
    values = np.array([3, 1, 3, 2, 3, 0, 2.0])
    assert top_k_indices(values, k).tolist() == argsort_descending(values)[:k].tolist()


near_ties = st.lists(
    st.builds(
        lambda value, noise: value * (1 + noise * 1e-13),
        st.sampled_from([0.0, 1e-13, 1e-12, 1 / 3, 0.5, 0.7, 1.0, 1e3, np.inf]),
        st.integers(-60, 60),
    ),
    min_size=1,
    max_size=30,
)


@given(near_ties, st.integers(1, 30))
def test_rounding_only_near_the_top_changes_nothing(values: list[float], k: int) -> None:
    raw = np.array(values)
    rounded = round_significant(raw)
    order, top = top_k_scores(raw, k)
    assert order.tolist() == argsort_descending(rounded)[:k].tolist()
    assert top.tolist() == rounded[order].tolist()
    for page_id, value in enumerate(rounded):
        assert count_better(raw, page_id) == (rounded > value).sum()


def test_table_and_data_frame_agree() -> None:
    found = ranking(0.1, 0.3)
    assert found.to_table().to_pydict() == {"page": ["p1", "p0"], "score": [0.3, 0.1]}
    assert found.to_pandas()["page"].tolist() == ["p1", "p0"]


def test_repr_says_if_not_converged() -> None:
    assert "not converged" in repr(ranking(0.5, converged=False))
    assert repr(ranking()) == "<Ranking of 0 pages by toy>"


def test_repr_names_the_level() -> None:
    links = WebGraph.from_links([("a.com", "b.com")])
    for level, noun in {"page": "pages", "host": "hosts", "domain": "domains"}.items():
        graph = replace(links, level=level)  # type: ignore[arg-type]
        for data in (graph, BaseSet.from_graph(graph)):
            assert repr(clever(data)) == f"<Ranking of 2 {noun} by clever, led by b.com>"
        assert repr(indegree(graph)).startswith(f"<Ranking of 2 {noun} by ")
    comparison = repr(compare([indegree(graph), clever(graph)]))
    assert comparison.startswith("<Comparison of 2 rankings on 2 domains")
