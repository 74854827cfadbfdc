"""Reputation by the published values, as PageRank, and turned around."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rank.parts import check_parts
from tests.webs import GRAPHS, Links, webs

from weft.core.errors import BadParameter, UnknownName
from weft.graph.baseset import BaseSet
from weft.graph.expand import expand
from weft.graph.webgraph import WebGraph
from weft.rank import KnownFor, known_for, reputation
from weft.rank.pagerank import surf
from weft.rank.reputation import topic_pages
from weft.run.workspace import Workspace


def written(graph: WebGraph, texts: list[str], query: str = "") -> BaseSet:
    return BaseSet.whole(graph, query=query, read_texts=lambda: texts)


def even(spec: Any, name: str) -> tuple[WebGraph, list[str], dict[str, Any]]:
    graph, values = spec(name)
    wanted = values["reputation_d0.1"]
    return graph, [graph.pages[k] for k in wanted["topic_pages"]], wanted


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_of_one_level(spec: Any, name: str) -> None:
    graph, topic, wanted = even(spec, name)
    leaky = reputation(BaseSet.of(graph), topic=topic, levels=1)
    np.testing.assert_allclose(leaky.scores["score"], wanted["one_level_leaky"], atol=1e-8)
    whole = reputation(BaseSet.of(graph), topic=topic, levels=1, dangling="jump")
    np.testing.assert_allclose(whole.scores["score"], wanted["one_level_L1"], atol=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_of_two_levels(spec: Any, name: str) -> None:
    graph, topic, wanted = even(spec, name)
    leaky = reputation(BaseSet.of(graph), topic=topic).scores
    whole = reputation(BaseSet.of(graph), topic=topic, dangling="jump").scores
    for side in ("authority", "hub"):
        np.testing.assert_allclose(leaky[side], wanted[f"two_level_{side}_leaky"], atol=1e-8)
        np.testing.assert_allclose(whole[side], wanted[f"two_level_{side}_norm"], atol=1e-8)
    assert sum(map(np.sum, leaky.values())) == pytest.approx(wanted["total_mass"])
    assert sum(map(np.sum, whole.values())) == pytest.approx(1)


def term(known: KnownFor, word: str) -> dict[str, float]:
    rows = {row.pop("term"): row for row in known.to_table().to_pylist()}
    found: dict[str, float] = rows.get(word, {"reputation": 0, "penetration": 0, "focus": 0})
    return found


@pytest.mark.parametrize("name", GRAPHS)
def test_published_penetration_and_focus(spec: Any, name: str) -> None:
    graph, topic, wanted = even(spec, name)
    base = written(graph, ["even" if page in topic else "odd" for page in graph.pages])
    for number, page in enumerate(graph.pages):
        found = term(known_for(base, page, least=1), "even")
        assert found["penetration"] == pytest.approx(wanted["penetration"][number])
        assert found["focus"] == pytest.approx(wanted["focus"][number])
        if found["focus"]:
            expected = wanted["one_level_leaky"][number]
            assert found["reputation"] == pytest.approx(expected, abs=1e-9)


@given(webs, st.floats(0.05, 0.95))
def test_one_level_is_personalised_pagerank(links: Links, jump: float) -> None:
    graph = WebGraph.from_links(links)
    topic = [graph.pages[0]]
    start = np.eye(len(graph))[0]
    wanted, _, _ = surf(
        graph, start, 1 - jump, "leak", weighted=False, tolerance=1e-12, limit=10_000
    )
    found = reputation(BaseSet.of(graph), topic=topic, levels=1, jump=jump).scores["score"]
    np.testing.assert_allclose(found, wanted, atol=1e-8)


@given(webs)
def test_nobody_is_lost_where_all_can_go_on(links: Links) -> None:
    """With each link there and back, every page can be left both ways."""
    both = links + [(t, s) for s, t in links]
    scores = reputation(BaseSet.of(both)).scores
    assert scores["authority"].sum() + scores["hub"].sum() == pytest.approx(1)
    np.testing.assert_allclose(scores["authority"], scores["hub"], atol=1e-9)


@given(webs)
def test_a_page_that_is_known_for_a_word(links: Links) -> None:
    """The walk backward from a page finds what walks from every word find at it."""
    graph = WebGraph.from_links(links)
    texts = ["alpha" if k % 2 else "alpha beta" for k in range(len(graph))]
    base = written(graph, texts)
    for number in range(min(3, len(graph))):
        table = known_for(base, graph.pages[number], least=1).to_table()
        for word, found in zip(
            *(table[c].to_pylist() for c in ("term", "reputation")), strict=True
        ):
            topic = [page for page, text in zip(graph.pages, texts, strict=True) if word in text]
            wanted = reputation(BaseSet.of(graph), topic=topic, levels=1).scores["score"][number]
            assert found == pytest.approx(wanted, abs=1e-9)


def test_topic_pages_have_every_word() -> None:
    graph = WebGraph.from_links([("a", "b"), ("c", "d")])
    texts = ["the Jaguar car", "a jaguar", "cars", "car: jaguar"]
    assert topic_pages(written(graph, texts, "jaguar car")).tolist() == [True, False, False, True]
    ranking = reputation(written(graph, texts, "jaguar car"))
    assert ranking.details["topic pages"] == 2
    assert ranking.scores["authority"][1] > 0
    assert ranking.scores["authority"][2] == 0


def test_no_page_on_the_topic() -> None:
    graph = WebGraph.from_links([("a", "b")])
    ranking = reputation(written(graph, ["x", "y"], "jaguar"), dangling="jump")
    assert not ranking.scores["authority"].any()
    assert ranking.certainty.note == "no page is on the topic: every score is zero"


def test_a_page_that_is_not_there() -> None:
    with pytest.raises(UnknownName, match="zebra"):
        reputation(BaseSet.of([("a", "b")]), topic=["zebra"])
    with pytest.raises(BadParameter, match="without texts"):
        known_for(BaseSet.of([("a", "b")]), "a")


def test_rare_words_are_left_out() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("c", "y")])
    base = written(graph, ["cat dog", "", "cat", "cat", "dog"])
    assert repr(known_for(base, "x", least=3)) == "<x: known for cat>"
    assert repr(known_for(base, "x", least=2)) == "<x: known for cat, dog>"
    assert repr(known_for(base, "c")) == "<c: known for nothing>"


@given(webs, st.sampled_from([1, 2]), st.sampled_from(["leak", "jump"]))
def test_parts_add_up(links: Links, levels: int, dangling: Any) -> None:
    graph = WebGraph.from_links(links)
    ranking = reputation(
        BaseSet.of(graph), topic=[graph.pages[0]], levels=levels, dangling=dangling
    )
    check_parts(ranking)


def test_on_a_collection(demo: Workspace) -> None:
    base = expand(demo.collection, "jaguar")
    ranking = reputation(base)
    assert 0 < ranking.details["topic pages"] < len(base)
    best = ranking.pages[int(ranking.order()[0])]
    assert len(known_for(base, best, least=1)) > 0
