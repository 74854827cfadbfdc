"""SALSA: published values, both solvers, and small components."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.webs import Links, webs

from weft.graph.webgraph import WebGraph
from weft.rank import indegree, salsa


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
@pytest.mark.parametrize("solver", ["closed", "walk"])
def test_published_values(spec: Any, name: str, solver: Any) -> None:
    graph, values = spec(name)
    ranking = salsa(graph, solver=solver)
    for side in ("authority", "hub"):
        np.testing.assert_allclose(ranking.scores[side], values["salsa"][side], atol=1e-8)
    assert ranking.certainty.components == values["salsa"]["n_components"]


def test_a_single_link_outranks_the_leader_of_a_large_component() -> None:
    """Of four authorities x has three of the six links of its component; q is alone in its own."""
    links = [("a", "x"), ("b", "x"), ("c", "x"), ("a", "y"), ("b", "y"), ("a", "z"), ("p", "q")]
    ranking = salsa(WebGraph.from_links(links))
    scores = dict(zip(ranking.pages, ranking.scores["authority"], strict=True))
    assert scores["x"] == pytest.approx(3 / 4 * 3 / 6)
    assert scores["q"] == pytest.approx(1 / 4)
    assert not ranking.certainty.unique
    assert "2 components" in ranking.certainty.note


def test_weights_replace_counts() -> None:
    links = [("a", "x", 3.0), ("a", "y", 1.0)]
    plain, heavy = (
        salsa(WebGraph.from_links(links)),
        salsa(WebGraph.from_links(links), weighted=True),
    )
    assert plain.scores["authority"].tolist() == pytest.approx([0, 0.5, 0.5])
    assert heavy.scores["authority"].tolist() == pytest.approx([0, 0.75, 0.25])
    walked = salsa(WebGraph.from_links(links), weighted=True, solver="walk")
    assert walked.scores["authority"].tolist() == pytest.approx([0, 0.75, 0.25])


def test_a_short_walk_is_reported() -> None:
    links = [("a", "x"), ("a", "y"), ("b", "y"), ("b", "z"), ("c", "z")]
    short = salsa(WebGraph.from_links(links), solver="walk", max_iter=1)
    assert not short.trace.converged
    assert "not converged" in short.explain("x").other_sources
    rough = salsa(WebGraph.from_links(links), solver="walk", tol=1e-2)
    assert rough.trace.converged
    assert (
        rough.trace.iterations < salsa(WebGraph.from_links(links), solver="walk").trace.iterations
    )


@given(webs)
def test_the_walk_converges_to_the_closed_form(links: Links) -> None:
    graph = WebGraph.from_links(links)
    closed, walked = salsa(graph), salsa(graph, solver="walk", tol=1e-12)
    for side in ("authority", "hub"):
        assert closed.scores[side].sum() == pytest.approx(1)
        np.testing.assert_allclose(walked.scores[side], closed.scores[side], atol=1e-8)


@given(webs)
def test_in_one_component_it_is_the_in_degree(links: Links) -> None:
    graph = WebGraph.from_links(links)
    ranking = salsa(graph)
    if ranking.certainty.components == 1:
        np.testing.assert_allclose(ranking.scores["authority"], indegree(graph).scores["share"])


@given(webs)
def test_reversed_links_exchange_hubs_and_authorities(links: Links) -> None:
    graph = WebGraph.from_links(links)
    reverse = salsa(WebGraph(graph.pages, graph.inlinks, graph.outlinks))
    np.testing.assert_allclose(salsa(graph).scores["hub"], reverse.scores["authority"])
