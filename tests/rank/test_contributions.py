"""Score breakdowns: by neighbour, by group, and from other sources."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter, UnknownName
from weft.graph.webgraph import WebGraph
from weft.rank import Contributions, Ranking, ScoreBreakdown, indegree, pagerank

WEB = WebGraph.from_links([("a.org/1", "x"), ("a.org/2", "x"), ("b.org/1", "x"), ("b.org/1", "y")])


def breakdown(*amounts: float, **other_sources: float) -> ScoreBreakdown:
    names = [f"p{k}" for k in range(len(amounts))]
    total = sum(amounts) + sum(other_sources.values())
    return ScoreBreakdown("x", total, names, np.array(amounts), other_sources)


def test_by_hand() -> None:
    found = indegree(WEB).explain("x")
    assert found.neighbours == ["a.org/1", "a.org/2", "b.org/1"]
    assert found.amounts.tolist() == [0.25] * 3
    assert found.score == 0.75
    assert repr(found) == "<ScoreBreakdown of x: 0.75 from 3 links>"


def test_other_sources_are_in_parentheses() -> None:
    rows = breakdown(0.1, 0.3, jumps=0.2).to_table().to_pylist()
    assert [row["from"] for row in rows] == ["p1", "(jumps)", "p0"]
    assert sum(row["share"] for row in rows) == pytest.approx(1)


def test_groups_add_up_and_split() -> None:
    """The amount of a neighbour in two groups is split in half."""
    groups = {"p0": ["one"], "p1": ["one", "two"]}
    rows = breakdown(0.1, 0.4).group_by(lambda name: groups[name]).to_pylist()
    assert [(row["from"], row["pages"]) for row in rows] == [("one", 2), ("two", 1)]
    assert [row["amount"] for row in rows] == pytest.approx([0.3, 0.2])


def test_a_score_of_zero_has_no_shares() -> None:
    assert breakdown(0.0).to_table()["share"].to_pylist() == [0]


def test_weights_scale_and_values_per_link() -> None:
    graph = WebGraph.from_links([("a", "x", 3.0), ("b", "x", 1.0)])
    number = graph.page_number("x")
    values, scale = np.array([1.0, 10.0, 100.0]), np.full(3, 0.5)
    assert [graph.pages[int(i)] for i in graph.inlinks.ids] == ["a", "b"]
    weighted = Contributions(graph.inlinks, values, scale, weighted=True)
    amounts = weighted.for_page(number, graph.pages, 0.0).amounts
    assert amounts.tolist() == [values[0] * 1.5, values[graph.page_number("b")] * 0.5]
    per_link = Contributions(graph.inlinks, np.array([7.0, 8.0]), per_link=True)
    assert per_link.for_page(number, graph.pages, 0.0).amounts.tolist() == [7, 8]


def test_multiply_scales_links_and_other_sources() -> None:
    graph = WebGraph.from_links([("a", "x")])
    other = {"jumps": np.array([1.0, 3.0])}
    doubled = Contributions(graph.inlinks, np.array([5.0, 0.0]), other_sources=other).multiply(2)
    found = doubled.for_page(graph.page_number("x"), graph.pages, 16.0)
    assert (found.amounts.tolist(), found.other_sources) == ([10], {"jumps": 6})


def test_unknown_pages_and_scores() -> None:
    ranking = pagerank(WEB)
    with pytest.raises(UnknownName, match="nobody"):
        ranking.explain("nobody")
    with pytest.raises(UnknownName, match="hub"):
        ranking.explain("x", "hub")
    unexplained = Ranking("toy", ranking.pages, ranking.scores, ranking.trace)
    with pytest.raises(BadParameter, match="cannot explain"):
        unexplained.explain("x")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0, 1), st.integers(1, 3))
def test_groups_add_up_to_the_score(amounts: list[float], jumps: float, split: int) -> None:
    found = breakdown(*amounts, jumps=jumps)
    table = found.group_by(lambda name: [f"{name[-1]} {k}" for k in range(split)])
    assert sum(table["amount"].to_pylist()) == pytest.approx(found.score)
