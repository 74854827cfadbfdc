"""Jumps to some pages, and jumps that avoid others: as published, and by reachability."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, Spec, webs

from weft.core.errors import BadParameter, UnknownName
from weft.core.methods import find
from weft.core.params import Dangling
from weft.graph.webgraph import WebGraph
from weft.rank import pagerank, personalised, spam_aware

web = WebGraph.from_links
rules = st.sampled_from(["teleport", "uniform", "self", "leak"])


def reached(links: Links, seed: str) -> set[str]:
    found, fresh = set[str](), {seed}
    while fresh:
        found |= fresh
        fresh = {t for s, t in links if s in fresh} - found
    return found


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("rule", ["uniform", "teleport"])
def test_published_values(spec: Spec, name: str, rule: Dangling) -> None:
    graph, values = spec(name)
    known, at = values["personalised_alpha0.25"], "v" if rule == "teleport" else rule
    for k in (1, 2):
        seeds = [graph.pages[i] for i in np.flatnonzero(known[f"v{k}"]).tolist()]
        found = personalised(graph, seeds=seeds, follow=0.75, dangling=rule).scores["score"]
        np.testing.assert_allclose(found, known[f"pr_v{k}_dangling_{at}"], atol=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_of_spam_aware(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    found = spam_aware(graph, spam=[graph.pages[len(graph) - 2]]).scores["score"]
    np.testing.assert_allclose(found, values["spam_aware_no_teleport_to_node_n-2"], atol=1e-8)


@given(webs, st.sampled_from(["teleport", "self", "leak"]))
def test_only_what_seeds_reach_scores(links: Links, rule: Dangling) -> None:
    seed = links[0][0]
    ranking = personalised(web(links), seeds=[seed], dangling=rule)
    positive = {p for p, s in zip(ranking.pages, ranking.scores["score"], strict=True) if s}
    assert positive == reached(links, seed)


@given(webs, rules)
def test_without_seeds_it_is_pagerank(links: Links, rule: Dangling) -> None:
    ranking = personalised(web(links), dangling=rule)
    plain = pagerank(web(links), dangling=rule).scores["score"]
    np.testing.assert_allclose(ranking.scores["score"], plain, atol=1e-12)
    assert "no seeds" in ranking.certainty.note
    np.testing.assert_allclose(
        spam_aware(web(links)).scores["score"], pagerank(web(links)).scores["score"], atol=1e-12
    )


@given(webs, rules)
def test_parts_add_up(links: Links, rule: Dangling) -> None:
    for ranking in (
        personalised(web(links), seeds=[links[0][1]], dangling=rule),
        spam_aware(web(links), spam=[links[0][1]]),
    ):
        for page, score in zip(ranking.pages, ranking.scores["score"], strict=True):
            why = ranking.why(page)
            assert why.amounts.sum() + sum(why.rest.values()) == pytest.approx(score, abs=1e-9)


def test_seed_weights_count() -> None:
    graph = WebGraph.from_links([("a", "b"), ("c", "d")])
    found = personalised(graph, seeds=["a", "c"], seed_weights=[3, 1]).scores["score"]
    assert found[graph.number("a")] == pytest.approx(3 * found[graph.number("c")])


def test_links_may_be_weighted() -> None:
    links = [("a", "x", 9.0), ("a", "y", 1.0)]
    found = personalised(web(links), seeds=["a"], weighted=True).scores["score"]
    assert found[1] == pytest.approx(9 * found[2])


def test_spam_loses_what_jumps_bring() -> None:
    farm = [(f"http://farm.biz/{k}", "shop") for k in range(5)]
    graph = WebGraph.from_links([("a", "b"), *farm])
    before, after = spam_aware(graph), spam_aware(graph, spam=["farm.biz"])
    assert graph.pages[int(before.order()[0])] == "shop"
    assert graph.pages[int(after.order()[0])] == "b"
    assert after.scores["score"][graph.number("http://farm.biz/0")] == 0
    assert after.details["spam"] == 5


def test_what_cannot_be_is_refused() -> None:
    links = [("a", "b")]
    with pytest.raises(UnknownName, match="'nowhere'"):
        personalised(web(links), seeds=["nowhere"])
    with pytest.raises(BadParameter, match="1 seeds and 2 weights"):
        personalised(web(links), seeds=["a"], seed_weights=[1, 2])
    with pytest.raises(BadParameter, match="weigh nothing"):
        personalised(web(links), seeds=["a"], seed_weights=[0.0])
    with pytest.raises(BadParameter, match="every page"):
        spam_aware(web(links), spam=["a", "b"])
    with pytest.raises(BadParameter, match="seed_weights"):
        find("rank", "personalised")(links, seeds=["a"], seed_weights=[-1.0])
