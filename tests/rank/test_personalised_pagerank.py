"""Personalised and spam-aware PageRank: published values, and by reachability."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, Spec, webs

from weft.core.errors import BadParameter, UnknownName
from weft.core.params import Dangling
from weft.core.register import find_method
from weft.graph.webgraph import WebGraph
from weft.rank import pagerank, personalised_pagerank, spam_aware_pagerank

web = WebGraph.from_links
rules = st.sampled_from(["teleport", "uniform", "self", "leak"])


def reached(links: Links, seed: str) -> set[str]:
    visited, frontier = set[str](), {seed}
    while frontier:
        visited |= frontier
        frontier = {t for s, t in links if s in frontier} - visited
    return visited


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("rule", ["uniform", "teleport"])
def test_published_values(spec: Spec, name: str, rule: Dangling) -> None:
    graph, values = spec(name)
    wanted, suffix = values["personalised_alpha0.25"], "v" if rule == "teleport" else rule
    for k in (1, 2):
        seeds = [graph.pages[i] for i in np.flatnonzero(wanted[f"v{k}"]).tolist()]
        ranking = personalised_pagerank(graph, seeds=seeds, damping=0.75, dangling=rule)
        np.testing.assert_allclose(
            ranking.scores["score"], wanted[f"pr_v{k}_dangling_{suffix}"], atol=1e-8
        )


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_of_spam_aware(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    found = spam_aware_pagerank(graph, spam=[graph.pages[len(graph) - 2]]).scores["score"]
    np.testing.assert_allclose(found, values["spam_aware_no_teleport_to_node_n-2"], atol=1e-8)


@given(webs, st.sampled_from(["teleport", "self", "leak"]))
def test_only_pages_reached_from_seeds_score(links: Links, rule: Dangling) -> None:
    seed = links[0][0]
    ranking = personalised_pagerank(web(links), seeds=[seed], dangling=rule)
    positive = {p for p, s in zip(ranking.pages, ranking.scores["score"], strict=True) if s}
    assert positive == reached(links, seed)


@given(webs, rules)
def test_without_seeds_it_is_pagerank(links: Links, rule: Dangling) -> None:
    ranking = personalised_pagerank(web(links), dangling=rule)
    plain = pagerank(web(links), dangling=rule).scores["score"]
    np.testing.assert_allclose(ranking.scores["score"], plain, atol=1e-12)
    assert "no seeds" in ranking.certainty.note
    np.testing.assert_allclose(
        spam_aware_pagerank(web(links)).scores["score"],
        pagerank(web(links)).scores["score"],
        atol=1e-12,
    )


@given(webs, rules)
def test_contributions_add_up(links: Links, rule: Dangling) -> None:
    for ranking in (
        personalised_pagerank(web(links), seeds=[links[0][1]], dangling=rule),
        spam_aware_pagerank(web(links), spam=[links[0][1]]),
    ):
        for page, score in zip(ranking.pages, ranking.scores["score"], strict=True):
            breakdown = ranking.explain(page)
            assert breakdown.amounts.sum() + sum(breakdown.other_sources.values()) == pytest.approx(
                score, abs=1e-9
            )


def test_seed_weights_count() -> None:
    graph = WebGraph.from_links([("a", "b"), ("c", "d")])
    found = personalised_pagerank(graph, seeds=["a", "c"], seed_weights=[3, 1]).scores["score"]
    assert found[graph.page_number("a")] == pytest.approx(3 * found[graph.page_number("c")])


def test_link_weights_count() -> None:
    links = [("a", "x", 9.0), ("a", "y", 1.0)]
    found = personalised_pagerank(web(links), seeds=["a"], weighted=True).scores["score"]
    assert found[1] == pytest.approx(9 * found[2])


def test_spam_gets_no_jumps() -> None:
    farm = [(f"http://farm.biz/{k}", "shop") for k in range(5)]
    graph = WebGraph.from_links([("a", "b"), *farm])
    before, after = spam_aware_pagerank(graph), spam_aware_pagerank(graph, spam=["farm.biz"])
    assert before[0].page == "shop"
    assert after[0].page == "b"
    assert after.scores["score"][graph.page_number("http://farm.biz/0")] == 0
    assert after.details["spam"] == 5


def test_invalid_options() -> None:
    links = [("a", "b")]
    with pytest.raises(UnknownName, match="'nowhere'"):
        personalised_pagerank(web(links), seeds=["nowhere"])
    with pytest.raises(BadParameter, match="1 seed cannot have 2 weights"):
        personalised_pagerank(web(links), seeds=["a"], seed_weights=[1, 2])
    with pytest.raises(BadParameter, match="weight zero"):
        personalised_pagerank(web(links), seeds=["a"], seed_weights=[0.0])
    with pytest.raises(BadParameter, match="every page"):
        spam_aware_pagerank(web(links), spam=["a", "b"])
    with pytest.raises(BadParameter, match="seed_weights"):
        find_method("rank", "personalised")(links, seeds=["a"], seed_weights=[-1.0])
