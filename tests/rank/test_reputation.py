"""Reputation: published values, as PageRank, and `known_for` against it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rank.contributions import check_contributions
from tests.webs import GRAPHS, Links, webs

from weft.core.errors import BadParameter, UnknownName
from weft.graph.baseset.baseset import BaseSet
from weft.graph.baseset.expand import build_query_base_set
from weft.graph.webgraph import WebGraph
from weft.rank import KnownFor, known_for, reputation
from weft.rank.pagerank import solve_pagerank
from weft.rank.reputation import topic_page_mask
from weft.workspace.workspace import Workspace


def base_with_texts(graph: WebGraph, texts: list[str], query: str = "") -> BaseSet:
    return BaseSet.from_graph(graph, query=query, read_texts=lambda: texts)


def even_pages(spec: Any, name: str) -> tuple[WebGraph, list[str], dict[str, Any]]:
    graph, values = spec(name)
    wanted = values["reputation_d0.1"]
    return graph, [graph.pages[k] for k in wanted["topic_pages"]], wanted


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_of_one_level(spec: Any, name: str) -> None:
    graph, topic, wanted = even_pages(spec, name)
    leaky = reputation(BaseSet.from_any(graph), topic=topic, levels=1)
    np.testing.assert_allclose(leaky.scores["score"], wanted["one_level_leaky"], atol=1e-8)
    jumping = reputation(BaseSet.from_any(graph), topic=topic, levels=1, dangling="jump")
    np.testing.assert_allclose(jumping.scores["score"], wanted["one_level_L1"], atol=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_of_two_levels(spec: Any, name: str) -> None:
    graph, topic, wanted = even_pages(spec, name)
    leaky = reputation(BaseSet.from_any(graph), topic=topic).scores
    jumping = reputation(BaseSet.from_any(graph), topic=topic, dangling="jump").scores
    for side in ("authority", "hub"):
        np.testing.assert_allclose(leaky[side], wanted[f"two_level_{side}_leaky"], atol=1e-8)
        np.testing.assert_allclose(jumping[side], wanted[f"two_level_{side}_norm"], atol=1e-8)
    assert sum(map(np.sum, leaky.values())) == pytest.approx(wanted["total_mass"])
    assert sum(map(np.sum, jumping.values())) == pytest.approx(1)


def term(table: KnownFor, word: str) -> dict[str, float]:
    rows = {row.pop("term"): row for row in table.to_table().to_pylist()}
    row: dict[str, float] = rows.get(word, {"reputation": 0, "penetration": 0, "focus": 0})
    return row


@pytest.mark.parametrize("name", GRAPHS)
def test_published_penetration_and_focus(spec: Any, name: str) -> None:
    graph, topic, wanted = even_pages(spec, name)
    base = base_with_texts(graph, ["even" if page in topic else "odd" for page in graph.pages])
    for number, page in enumerate(graph.pages):
        found = term(known_for(base, page, terms=["even"], min_pages=1), "even")
        assert found["penetration"] == pytest.approx(wanted["penetration"][number])
        assert found["focus"] == pytest.approx(wanted["focus"][number])
        if found["focus"]:
            expected = wanted["one_level_leaky"][number]
            assert found["reputation"] == pytest.approx(expected, abs=1e-9)


@given(webs, st.floats(0.05, 0.95))
def test_one_level_is_personalised_pagerank(links: Links, jump_probability: float) -> None:
    graph = WebGraph.from_links(links)
    topic = [graph.pages[0]]
    teleport = np.eye(len(graph))[0]
    wanted, _, _ = solve_pagerank(
        graph, teleport, 1 - jump_probability, "leak", weighted=False, tol=1e-12, max_iter=10_000
    )
    found = reputation(
        BaseSet.from_any(graph), topic=topic, levels=1, jump_probability=jump_probability
    ).scores["score"]
    np.testing.assert_allclose(found, wanted, atol=1e-8)


@given(webs)
def test_no_visits_are_lost_without_dead_ends(links: Links) -> None:
    """With links in both directions, no page is a dead end in either."""
    both = links + [(t, s) for s, t in links]
    scores = reputation(BaseSet.from_any(both)).scores
    assert scores["authority"].sum() + scores["hub"].sum() == pytest.approx(1)
    np.testing.assert_allclose(scores["authority"], scores["hub"], atol=1e-9)


@given(webs)
def test_known_for_agrees_with_reputation(links: Links) -> None:
    """The backward walk from a page agrees with forward walks from every word."""
    graph = WebGraph.from_links(links)
    texts = ["alpha" if k % 2 else "alpha beta" for k in range(len(graph))]
    base = base_with_texts(graph, texts)
    for number in range(min(3, len(graph))):
        page = graph.pages[number]
        table = known_for(base, page, terms=["alpha", "beta"], min_pages=1).to_table()
        for word, found in zip(
            *(table[c].to_pylist() for c in ("term", "reputation")), strict=True
        ):
            topic = [page for page, text in zip(graph.pages, texts, strict=True) if word in text]
            wanted = reputation(BaseSet.from_any(graph), topic=topic, levels=1).scores["score"][
                number
            ]
            assert found == pytest.approx(wanted, abs=1e-9)


def test_topic_pages_have_all_words() -> None:
    graph = WebGraph.from_links([("a", "b"), ("c", "d")])
    texts = ["the Jaguar car", "a jaguar", "cars", "car: jaguar"]
    assert topic_page_mask(base_with_texts(graph, texts, "jaguar car")).tolist() == [
        True,
        False,
        False,
        True,
    ]
    ranking = reputation(base_with_texts(graph, texts, "jaguar car"))
    assert ranking.details["topic pages"] == 2
    assert ranking.scores["authority"][1] > 0
    assert ranking.scores["authority"][2] == 0


def test_no_page_on_the_topic() -> None:
    graph = WebGraph.from_links([("a", "b")])
    ranking = reputation(base_with_texts(graph, ["x", "y"], "jaguar"), dangling="jump")
    assert not ranking.scores["authority"].any()
    assert ranking.certainty.note == "no page is on the topic: all scores are zero"


def test_unknown_pages_and_missing_texts() -> None:
    with pytest.raises(UnknownName, match="zebra"):
        reputation(BaseSet.from_any([("a", "b")]), topic=["zebra"])
    with pytest.raises(BadParameter, match="terms"):
        known_for(BaseSet.from_any([("a", "b")]), "a", terms=["!"])
    with pytest.raises(BadParameter, match="need texts"):
        known_for(BaseSet.from_any([("a", "b")]), "a")


def test_rare_words_are_ignored() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("c", "y")])
    base, terms = base_with_texts(graph, ["cat dog", "", "cat", "cat", "dog"]), ["cat", "dog"]
    assert repr(known_for(base, "x", terms=terms, min_pages=3)) == "<x: known for cat>"
    assert repr(known_for(base, "x", terms=terms)) == "<x: known for cat, dog>"
    assert repr(known_for(base, "c", terms=terms)) == "<c: known for nothing>"


def test_many_linking_pages_precede_a_rare_word() -> None:
    """A jump to a or b leads to x with 0.9; x itself has no word, and y leads nowhere.

    For *cat*, on a, b and y, the reputation is 0.1 (0.9 + 0.9) / 3 = 0.06, its
    focus 1; for *dog*, on a alone, 0.09 and 1/2.
    """
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("y", "z")])
    base = base_with_texts(graph, ["cat dog", "", "cat", "cat", ""])
    table = known_for(base, "x", terms=["dog", "cat"], min_pages=1).to_table().to_pylist()
    assert [row["term"] for row in table] == ["cat", "dog"]
    assert [row["reputation"] for row in table] == pytest.approx([0.06, 0.09])
    assert [row["focus"] for row in table] == [1, 0.5]


def test_phrases_and_titles() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x")])
    texts = ["A Jaguar: Cars", "", "cars of jaguar"]
    titles = ["", "", "Jaguar cars"]
    base = BaseSet.from_graph(graph, read_texts=lambda: texts, read_titles=lambda: titles)
    [row] = known_for(base, "x", terms=["jaguar cars"]).to_table().to_pylist()
    assert (row["pages"], row["focus"]) == (2, 1)


@given(webs, st.sampled_from([1, 2]), st.sampled_from(["leak", "jump"]))
def test_contributions_add_up(links: Links, levels: int, dangling: Any) -> None:
    graph = WebGraph.from_links(links)
    ranking = reputation(
        BaseSet.from_any(graph), topic=[graph.pages[0]], levels=levels, dangling=dangling
    )
    check_contributions(ranking)


def test_on_a_collection(demo: Workspace) -> None:
    base = build_query_base_set(demo.collection, "jaguar")
    ranking = reputation(base)
    assert 0 < ranking.details["topic pages"] < len(base)
    assert len(known_for(base, ranking[0].page, min_pages=1)) > 0
