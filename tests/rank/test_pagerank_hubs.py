"""PageRank hubs: published values, and as PageRank of the transposed graph."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, Spec, webs

from weft.core.params import Dangling
from weft.graph.webgraph import WebGraph
from weft.rank import pagerank, pagerank_hubs

web = WebGraph.from_links
rules = st.sampled_from(["teleport", "uniform", "self", "leak"])


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    found = pagerank_hubs(graph).scores["hub"]
    np.testing.assert_allclose(found, values["pagerank_hub_alpha0.9"], atol=1e-8)


@given(webs, rules, st.floats(0.1, 0.9))
def test_is_pagerank_of_the_transposed_graph(links: Links, rule: Dangling, f: float) -> None:
    everyone = [(page, page) for page in "abcdef"]
    hubs = pagerank_hubs(web(everyone + links), dangling=rule, damping=f).scores["hub"]
    reverse = pagerank(web(everyone + [(t, s) for s, t in links]), dangling=rule, damping=f)
    np.testing.assert_allclose(hubs, reverse.scores["score"], atol=1e-9)


@given(webs, rules)
def test_contributions_add_up(links: Links, rule: Dangling) -> None:
    ranking = pagerank_hubs(web(links), dangling=rule)
    for page, score in zip(ranking.pages, ranking.scores["hub"], strict=True):
        breakdown = ranking.explain(page)
        assert {*breakdown.neighbours} == {t for s, t in links if s == page}
        assert breakdown.amounts.sum() + sum(breakdown.other_sources.values()) == pytest.approx(
            score, abs=1e-9
        )


def test_weights_count() -> None:
    links = [("a", "x", 3.0), ("b", "x", 1.0)]
    found = pagerank_hubs(web(links), weighted=True, dangling="leak", damping=0.5).scores["hub"]
    assert found.tolist() == pytest.approx([(1 + 3 / 8) / 6, 1 / 6, (1 + 1 / 8) / 6])


def test_degenerate_graphs() -> None:
    assert len(pagerank_hubs(web([]))) == 0
    alone = pagerank_hubs(web([("a", "a")]))
    assert alone.scores["hub"].tolist() == [1.0]
    assert "no links" in alone.certainty.note
    ring = [("a", "b"), ("b", "a"), ("a", "c")]
    assert not pagerank_hubs(web(ring), max_iter=2).trace.converged
    assert pagerank_hubs(web(ring), tol=0.1).trace.iterations < 25
