"""Thresholds: published values, by hand, and what they come to at their ends."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, webs

from weft.graph.webgraph import WebGraph
from weft.rank import (
    Ranking,
    authority_threshold,
    full_threshold,
    hits,
    hub_threshold,
    maximum,
)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize(
    ("key", "method", "options"),
    [
        ("AT1_MAX", authority_threshold, {"k": 1}),
        ("AT2", authority_threshold, {"k": 2}),
        ("AT_global_K3_2001", authority_threshold, {"k": 3, "scope": "all"}),
        ("HT_2001", hub_threshold, {}),
        ("FT_global_K3_2001", full_threshold, {"k": 3}),
    ],
)
def test_published_values(
    spec: Any, name: str, key: str, method: Any, options: dict[str, Any]
) -> None:
    graph, values = spec(name)
    ranking: Ranking = method(graph, **options)
    for side in ("authority", "hub"):
        wanted = values[key][f"{side}_Linf"]
        np.testing.assert_allclose(ranking.scores[side], wanted, atol=1e-8)
    assert ranking.trace.converged == values[key]["converged"]


def test_a_hub_is_not_better_for_links_beyond_its_best() -> None:
    """Hubs a and b link to the same two leaders, and b to three pages more."""
    links = [(s, t) for s in "abcd" for t in "xy"] + [("b", t) for t in "uvw"]
    hubs = authority_threshold(WebGraph.from_links(links), k=2).scores["hub"]
    assert hubs[0] == hubs[3] == 1
    assert authority_threshold(WebGraph.from_links(links), k=3).scores["hub"][0] < 1


def test_ties_with_the_last_that_counts_count() -> None:
    links = [("a", "x"), ("b", "x"), ("a", "y"), ("c", "z")]
    ranking = authority_threshold(WebGraph.from_links(links), k=2, scope="all", limit=1)
    hub = dict(zip(ranking.pages, ranking.scores["hub"], strict=True))
    assert hub == {"a": 1, "b": 0.5, "x": 0, "y": 0, "c": 0.5, "z": 0}


def test_hubs_below_the_average_have_no_say() -> None:
    links = [("a", "x"), ("a", "y"), ("a", "z"), ("b", "x"), ("c", "x")]
    why = hub_threshold(WebGraph.from_links(links)).why("x")
    assert dict(zip(why.names, why.amounts.tolist(), strict=True)) == {"a": 1, "b": 0, "c": 0}


def test_limits_are_read() -> None:
    links = [("a", "x"), ("a", "y"), ("b", "y"), ("b", "z"), ("c", "z"), ("c", "x"), ("d", "x")]
    for method in (authority_threshold, hub_threshold, full_threshold):
        assert not method(WebGraph.from_links(links), limit=1).trace.converged
        assert (
            method(WebGraph.from_links(links), tolerance=0.5).trace.rounds
            <= method(WebGraph.from_links(links)).trace.rounds
        )
    assert not full_threshold(WebGraph.from_links(links), k=1, scope="hub", limit=1).trace.converged


@given(webs)
def test_the_ends_are_max_and_hits(links: Links) -> None:
    graph = WebGraph.from_links(links)
    one, best = authority_threshold(graph, k=1), maximum(graph)
    for side in ("authority", "hub"):
        np.testing.assert_allclose(one.scores[side], best.scores[side], atol=1e-9)
    single = hits(graph)
    assume(single.certainty.gap > 0.05)
    for scope in ("hub", "all"):
        found = authority_threshold(graph, k=6, scope=scope)
        for side in ("authority", "hub"):
            wanted = single.scores[side] / single.scores[side].max()
            np.testing.assert_allclose(found.scores[side], wanted, atol=1e-7)


@given(webs, st.integers(1, 3))
def test_hubs_sum_their_best(links: Links, k: int) -> None:
    graph = WebGraph.from_links(links)
    ranking = authority_threshold(graph, k=k)
    assume(ranking.trace.converged)
    authority = dict(zip(graph.pages, ranking.scores["authority"], strict=True))
    hubs = [
        sum(sorted((authority[t] for s, t in set(links) if s == page), reverse=True)[:k])
        for page in graph.pages
    ]
    np.testing.assert_allclose(ranking.scores["hub"], np.array(hubs) / max(hubs), atol=1e-8)


FOUR = [
    ("a", "c"),
    ("f", "b"),
    ("d", "e"),
    ("b", "f"),
    ("a", "f"),
    ("f", "e"),
    ("f", "c"),
    ("b", "e"),
]


def test_scores_that_go_round_are_told_with_their_mean() -> None:
    """The rounds after the cycle was entered, each by itself, are four answers."""
    graph = WebGraph.from_links(FOUR)
    ranking = hub_threshold(graph)
    assert (ranking.trace.stopped, ranking.trace.period) == ("cycle", 4)
    assert ranking.certainty.note == "it goes round through 4 answers, of which this is the mean"
    assert not ranking.certainty.unique
    for side in ("authority", "hub"):
        one = [hub_threshold(graph, limit=k, tolerance=1e-300).scores[side] for k in range(60, 64)]
        assert len({values.round(9).tobytes() for values in one}) > 1
        mean = np.mean(one, axis=0)
        np.testing.assert_allclose(ranking.scores[side], mean / mean.max(), atol=1e-9)
        why = ranking.why("b", side)
        assert why.amounts.sum() + sum(why.rest.values()) == pytest.approx(why.score)


@given(webs)
def test_none_goes_on_forever(links: Links) -> None:
    for method in (hub_threshold, full_threshold):
        ranking = method(WebGraph.from_links(links))
        assert ranking.trace.stopped in {"settled", "cycle"}
        assert ranking.scores["authority"].max() == 1
