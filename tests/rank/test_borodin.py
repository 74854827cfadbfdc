"""Hub-Averaging, Max and Norm: published values, by hand, and what lies between them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, webs

from weft.graph.webgraph import WebGraph
from weft.rank import hits, hub_averaging, maximum, norm
from weft.rank.borodin import Side


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_of_hub_averaging(spec: Any, name: str) -> None:
    graph, values = spec(name)
    ranking = hub_averaging(graph)
    np.testing.assert_allclose(ranking.scores["authority"], values["HubAvg_Linf"], atol=1e-8)
    for side in ("authority", "hub"):
        found = ranking.scores[side] / np.linalg.norm(ranking.scores[side])
        np.testing.assert_allclose(found, values["hub_averaging"][f"{side}_L2"], atol=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_of_max(spec: Any, name: str) -> None:
    graph, values = spec(name)
    ranking = maximum(graph)
    for side in ("authority", "hub"):
        wanted = values["AT1_MAX"][f"{side}_Linf"]
        np.testing.assert_allclose(ranking.scores[side], wanted, atol=1e-8)
    assert ranking.trace.converged == values["AT1_MAX"]["converged"]


def test_an_average_hub_is_better_than_one_with_a_poor_link() -> None:
    ranking = hub_averaging(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    hubs = dict(zip(ranking.pages, ranking.scores["hub"], strict=True))
    assert hubs["a"] == 1
    assert hubs["b"] == pytest.approx((1 + 2**0.5 - 1) / 2)


def test_empty_rows_are_zero_wherever_they_are() -> None:
    graph = WebGraph.from_links([("q", "q"), ("a", "x"), ("r", "r"), ("b", "x"), ("z", "z")])
    side = Side.of(graph.inlinks)
    assert side.sums(np.array([2.0, 3.0])).tolist() == [0, 0, 5, 0, 0, 0]
    assert side.tops(np.array([2.0, 3.0])).tolist() == [0, 0, 3, 0, 0, 0]


def test_the_best_link_explains_a_hub_and_equal_ones_share() -> None:
    ranking = maximum(
        WebGraph.from_links([("a", "x"), ("a", "y"), ("a", "z"), ("b", "x"), ("b", "y")])
    )
    why = ranking.why("a", "hub")
    assert dict(zip(why.names, why.amounts.tolist(), strict=True)) == {"x": 0.5, "y": 0.5, "z": 0}


def test_weights_and_limits_are_read() -> None:
    links = [("a", "x", 3.0), ("a", "y", 1.0), ("b", "y", 1.0), ("b", "z", 1.0), ("c", "z", 1.0)]
    plain, heavy = (
        hub_averaging(WebGraph.from_links(links)),
        hub_averaging(WebGraph.from_links(links), weighted=True),
    )
    assert heavy.scores["authority"][1] > plain.scores["authority"][1]
    slow = [
        (s, t)
        for s, ends in {"0": "345", "1": "340", "2": "35", "3": "4", "5": "0"}.items()
        for t in ends
    ]
    for method in (hub_averaging, maximum, norm):
        assert not method(WebGraph.from_links(slow), limit=1).trace.converged
        assert (
            method(WebGraph.from_links(slow), tolerance=0.1).trace.rounds
            < method(WebGraph.from_links(slow)).trace.rounds
        )


def test_the_start_is_told() -> None:
    certainty = maximum(WebGraph.from_links([("a", "x")])).certainty
    assert not certainty.unique
    assert "equal authorities" in certainty.note
    assert "no links" in maximum(WebGraph.from_links([("a", "a")])).certainty.note


@given(webs)
def test_max_keeps_the_pages_with_most_links(links: Links) -> None:
    graph = WebGraph.from_links(links)
    ranking = maximum(graph)
    into = graph.indegrees()
    seeds = into == into.max()
    np.testing.assert_allclose(ranking.scores["authority"][seeds], 1)
    linking = np.array(
        [any((p, q) in links for q in np.array(graph.pages)[seeds]) for p in graph.pages]
    )
    np.testing.assert_allclose(ranking.scores["hub"][linking], 1)


@given(webs)
def test_norm_lies_between_hits_and_max(links: Links) -> None:
    graph = WebGraph.from_links(links)
    single, best = hits(graph), maximum(graph)
    assume(single.certainty.gap > 0.05)
    for side in ("authority", "hub"):
        found = single.scores[side] / single.scores[side].max()
        np.testing.assert_allclose(norm(graph, power=1).scores[side], found, atol=1e-7)
    high = norm(graph, power=1000)
    if high.trace.converged and best.trace.converged:
        np.testing.assert_allclose(high.scores["authority"], best.scores["authority"], atol=0.01)


@given(webs, st.floats(1, 8))
def test_norm_is_a_fixed_point_of_its_definition(links: Links, power: float) -> None:
    graph = WebGraph.from_links(links)
    ranking = norm(graph, power=power)
    assume(ranking.trace.converged)
    authority = dict(zip(graph.pages, ranking.scores["authority"], strict=True))
    hubs = [
        sum(authority[t] ** power for s, t in set(links) if s == page) ** (1 / power)
        for page in graph.pages
    ]
    np.testing.assert_allclose(ranking.scores["hub"], np.array(hubs) / max(hubs), atol=1e-7)
