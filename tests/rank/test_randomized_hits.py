"""Randomized HITS: published values, its linear system, and limiting cases."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import Links, webs

from weft.graph.webgraph import WebGraph
from weft.rank import randomized_hits

RING = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")]


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
def test_published_values(spec: Any, name: str) -> None:
    graph, values = spec(name)
    ranking, wanted = randomized_hits(graph), values["randomized_hits_eps0.2"]
    for side in ("authority", "hub"):
        np.testing.assert_allclose(ranking.scores[side], wanted[f"{side}_L1"], atol=1e-8)
        raw = ranking.scores[side] * ranking.details[f"{side} total"]
        np.testing.assert_allclose(raw, wanted[f"{side}_raw"], atol=1e-8)


def test_no_visits_are_lost_without_dead_ends() -> None:
    ranking = randomized_hits(WebGraph.from_links(RING))
    assert ranking.details["authority total"] == pytest.approx(3)
    assert ranking.details["hub total"] == pytest.approx(3)


def test_only_jumps_give_equal_scores() -> None:
    ranking = randomized_hits(WebGraph.from_links(RING), damping=1e-12)
    assert ranking.scores["authority"] == pytest.approx([1 / 3] * 3)
    assert randomized_hits(WebGraph.from_links(RING)).scores["authority"] != pytest.approx(
        [1 / 3] * 3
    )


def test_without_links_scores_are_equal() -> None:
    ranking = randomized_hits(WebGraph.from_links([("a", "a"), ("b", "b")]))
    assert ranking.scores["hub"].tolist() == [0.5, 0.5]
    assert "no links" in ranking.certainty.note


def test_weights_count() -> None:
    links = [("a", "x", 3.0), ("a", "y", 1.0)]
    plain, heavy = (
        randomized_hits(WebGraph.from_links(links)),
        randomized_hits(WebGraph.from_links(links), weighted=True),
    )
    assert plain.scores["authority"][1] == pytest.approx(plain.scores["authority"][2])
    assert heavy.scores["authority"][1] > heavy.scores["authority"][2]


def test_an_early_stop_has_a_valid_error_bound() -> None:
    short = randomized_hits(WebGraph.from_links([*RING[:3], ("a", "d")]), max_iter=3)
    best = randomized_hits(WebGraph.from_links([*RING[:3], ("a", "d")]), tol=1e-14)
    assert not short.trace.converged
    error = short.scores["authority"] * short.details["authority total"]
    error = error - best.scores["authority"] * best.details["authority total"]
    assert 0 < np.abs(error).sum() / 4 <= short.trace.error


@given(webs, st.floats(0.1, 0.95))
def test_solves_its_linear_system(links: Links, damping: float) -> None:
    graph = WebGraph.from_links(links)
    web = np.array([[float((s, t) in links) for t in graph.pages] for s in graph.pages])
    rows = web / np.maximum(web.sum(axis=1, keepdims=True), 1)
    columns = web / np.maximum(web.sum(axis=0, keepdims=True), 1)
    ones = np.ones(len(graph))
    system = np.eye(len(graph)) - damping**2 * rows.T @ columns
    wanted = np.linalg.solve(system, (1 - damping) * (ones + damping * rows.T @ ones))
    found = randomized_hits(graph, damping=damping)
    np.testing.assert_allclose(found.scores["authority"], wanted / wanted.sum(), atol=1e-8)


@given(webs)
def test_reversed_links_exchange_hubs_and_authorities(links: Links) -> None:
    graph = WebGraph.from_links(links)
    reverse = randomized_hits(WebGraph(graph.pages, graph.inlinks, graph.outlinks))
    hub = randomized_hits(graph).scores["hub"]
    np.testing.assert_allclose(hub, reverse.scores["authority"], atol=1e-8)
