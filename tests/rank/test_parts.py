"""A score taken apart: by neighbour, by group, and what came otherwise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter, UnknownName
from weft.graph.webgraph import WebGraph
from weft.rank import Parts, Ranking, Why, indegree, pagerank

WEB = WebGraph.from_links([("a.org/1", "x"), ("a.org/2", "x"), ("b.org/1", "x"), ("b.org/1", "y")])


def why(*amounts: float, **rest: float) -> Why:
    names = [f"p{k}" for k in range(len(amounts))]
    total = sum(amounts) + sum(rest.values())
    return Why("x", total, names, np.array(amounts), rest)


def test_by_hand() -> None:
    found = indegree(WEB).why("x")
    assert found.names == ["a.org/1", "a.org/2", "b.org/1"]
    assert found.amounts.tolist() == [0.25] * 3
    assert found.score == 0.75
    assert repr(found) == "<Why x scores 0.75: 3 links>"


def test_the_rest_is_told_in_parentheses() -> None:
    rows = why(0.1, 0.3, jumps=0.2).to_table().to_pylist()
    assert [row["from"] for row in rows] == ["p1", "(jumps)", "p0"]
    assert sum(row["share"] for row in rows) == pytest.approx(1)


def test_groups_take_together_and_split() -> None:
    """A neighbour in two groups gives half to each."""
    groups = {"p0": ["one"], "p1": ["one", "two"]}
    rows = why(0.1, 0.4).grouped(lambda name: groups[name]).to_pylist()
    assert [(row["from"], row["pages"]) for row in rows] == [("one", 2), ("two", 1)]
    assert [row["amount"] for row in rows] == pytest.approx([0.3, 0.2])


def test_a_score_of_zero_has_no_shares() -> None:
    assert why(0.0).to_table()["share"].to_pylist() == [0]


def test_weights_scale_and_links_of_their_own() -> None:
    graph = WebGraph.from_links([("a", "x", 3.0), ("b", "x", 1.0)])
    number = graph.number("x")
    each, scale = np.array([1.0, 10.0, 100.0]), np.full(3, 0.5)
    of = [graph.pages[int(i)] for i in graph.inlinks.ids]
    assert of == ["a", "b"]
    weighted = Parts(graph.inlinks, each, scale, weighted=True).of(number, graph.pages, 0.0)
    assert weighted.amounts.tolist() == [each[0] * 1.5, each[graph.number("b")] * 0.5]
    own = Parts(graph.inlinks, np.array([7.0, 8.0]), by_link=True).of(number, graph.pages, 0.0)
    assert own.amounts.tolist() == [7, 8]


def test_what_is_not_there_cannot_be_explained() -> None:
    ranking = pagerank(WEB)
    with pytest.raises(UnknownName, match="nobody"):
        ranking.why("nobody")
    with pytest.raises(UnknownName, match="hub"):
        ranking.why("x", "hub")
    silent = Ranking("toy", ranking.pages, ranking.scores, ranking.trace)
    with pytest.raises(BadParameter, match="cannot explain"):
        silent.why("x")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0, 1), st.integers(1, 3))
def test_groups_never_lose_anything(amounts: list[float], jumps: float, split: int) -> None:
    found = why(*amounts, jumps=jumps)
    table = found.grouped(lambda name: [f"{name[-1]} {k}" for k in range(split)])
    assert sum(table["amount"].to_pylist()) == pytest.approx(found.score)
