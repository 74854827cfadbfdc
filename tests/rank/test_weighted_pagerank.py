"""Weighted PageRank: published values, regular graphs, and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, Spec, webs

from weft.graph.webgraph import WebGraph
from weft.rank import weighted_pagerank

web = WebGraph.from_links


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    found = weighted_pagerank(graph).scores["score"]
    np.testing.assert_allclose(found, values["weighted_pagerank_d0.85"], atol=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_shares_of_links(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    ranking = weighted_pagerank(graph)
    passed_on = 0.85 * ranking.scores["score"]
    shares = np.zeros((len(graph), len(graph)))
    for number, page in enumerate(graph.pages):
        breakdown = ranking.explain(page)
        neighbours = graph.page_numbers(breakdown.neighbours)
        shares[neighbours, number] = breakdown.amounts / passed_on[neighbours]
    np.testing.assert_allclose(shares, values["weighted_pagerank_matrix_WinWout"], atol=1e-8)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_regular_graphs(k: int) -> None:
    """With equal degrees k, a link passes on 1/k times 1/k."""
    links = [(str(i), str((i + step) % 7)) for i in range(7) for step in range(1, k + 1)]
    found = weighted_pagerank(web(links), damping=0.8).scores["score"]
    assert found.tolist() == pytest.approx([0.2 / (1 - 0.8 / k)] * 7)


def test_targets_without_links_get_nothing_beside_others() -> None:
    links = [("a", "x"), ("a", "y"), ("x", "z")]
    found = dict(zip("axyz", weighted_pagerank(web(links)).scores["score"], strict=True))
    assert found["y"] == pytest.approx(0.15)
    assert found["x"] == pytest.approx(0.15 + 0.85 * 0.15 / 2)
    floored = dict(
        zip("axyz", weighted_pagerank(web(links), out_floor=1).scores["score"], strict=True)
    )
    assert floored["y"] == pytest.approx(0.15 + 0.85 * 0.15 / 2 / 3)


@given(webs, st.sampled_from([0.0, 0.5]))
def test_contributions_add_up(links: Links, floor: float) -> None:
    ranking = weighted_pagerank(web(links), out_floor=floor)
    for page, score in zip(ranking.pages, ranking.scores["score"], strict=True):
        breakdown = ranking.explain(page)
        assert breakdown.amounts.sum() + sum(breakdown.other_sources.values()) == pytest.approx(
            score, abs=1e-9
        )
        assert breakdown.amounts.min(initial=0) >= 0


@given(webs)
def test_scores_leak(links: Links) -> None:
    found = weighted_pagerank(web(links)).scores["score"]
    assert found.min() >= 0.15 - 1e-12
    assert found.sum() <= len(found) + 1e-9


def test_without_links_scores_are_equal() -> None:
    ranking = weighted_pagerank(web([("a", "a"), ("b", "b")]))
    assert ranking.scores["score"].tolist() == pytest.approx([0.15, 0.15])
    assert "no links" in ranking.certainty.note
    assert len(weighted_pagerank(web([]))) == 0


def test_an_early_stop_is_reported() -> None:
    ring = [("a", "b"), ("b", "a")]
    assert not weighted_pagerank(web(ring), max_iter=3).trace.converged
    assert weighted_pagerank(web(ring), tol=0.1).trace.iterations < 15
