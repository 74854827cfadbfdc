"""Informativeness: published values, by hand, and as the hubs of HITS."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, Spec, webs

from weft.graph.webgraph import WebGraph
from weft.rank import hits, informativeness, pagerank
from weft.rank.informativeness import rank_by_target_quality

web = WebGraph.from_links


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    found = informativeness(graph).scores["hub"]
    np.testing.assert_allclose(found, values["informativeness_onestep_pagerank0.85"], atol=1e-8)


@given(webs)
def test_authority_as_quality_gives_hits_hubs(links: Links) -> None:
    found = informativeness(web(links), quality="authority").scores["hub"]
    both = hits(web(links))
    scale = both.details["singular value"]
    np.testing.assert_allclose(found, scale * both.scores["hub"], atol=1e-7)


@given(webs, st.sampled_from(["pagerank", "authority"]))
def test_contributions_add_up(links: Links, quality: Any) -> None:
    ranking = informativeness(web(links), quality=quality)
    for page, score in zip(ranking.pages, ranking.scores["hub"], strict=True):
        breakdown = ranking.explain(page)
        assert {*breakdown.neighbours} == {t for s, t in links if s == page}
        assert breakdown.amounts.sum() == pytest.approx(score, abs=1e-12)


def test_any_quality() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])
    relevance = np.array([0.0, 0.2, 0.0, 0.5])
    assert rank_by_target_quality(graph, relevance).scores["hub"].tolist() == pytest.approx(
        [0.2, 0, 0.7, 0]
    )


def test_options_are_passed_on() -> None:
    links = [("a", "x"), ("b", "x"), ("x", "a"), ("x", "c")]
    found = informativeness(web(links), damping=0.5).scores["hub"]
    quality = pagerank(web(links), damping=0.5).scores["score"]
    assert found[0] == pytest.approx(quality[1])
    assert not informativeness(web(links), max_iter=2).trace.converged
    assert informativeness(web(links), tol=0.1).trace.iterations < 20


def test_degenerate_graphs() -> None:
    assert informativeness(web([("a", "a")])).scores["hub"].tolist() == [0]
    assert len(informativeness(web([]))) == 0
