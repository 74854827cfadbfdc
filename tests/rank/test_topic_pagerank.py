"""Topic-sensitive PageRank: mixtures, their linearity, and the weights of topics for a query."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, Spec, webs

from weft.core.arrays import Floats
from weft.core.errors import BadParameter, UnknownName
from weft.engine import Trace
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank import pagerank, topic_pagerank
from weft.rank.pagerank import solve_pagerank
from weft.rank.topic_pagerank import (
    TopicDangling,
    naive_bayes_posterior,
    teleport_by_topic,
    weighted_column_mean,
)

web = WebGraph.from_links
fixed = st.sampled_from(["uniform", "self", "leak"])
CATS = [("engine", "cars"), ("list", "cars"), ("list", "cats"), ("fur", "cats")]
TEXTS = {"cars": "motor car oil", "cats": "fur paw claw paw"}
TOPICS = ["motor=cars", "animal=cats"]


def base(query: str = "", links: Links = CATS) -> BaseSet:
    graph = WebGraph.from_links(links)
    texts = [TEXTS.get(page, "") for page in graph.pages]
    return BaseSet.from_graph(graph, query=query, read_texts=lambda: texts)


def ranks_of(
    graph: WebGraph, topic_pages: dict[str, list[str]], **options: Any
) -> tuple[Floats, Trace]:
    """The PageRank of each topic as a column."""
    topics = [f"{topic}={page}" for topic, pages in topic_pages.items() for page in pages]
    ranking = topic_pagerank(BaseSet.from_graph(graph), topics=topics, **options)
    return np.column_stack(list(ranking.details["ranks"].values())), ranking.trace


@pytest.mark.parametrize("name", GRAPHS)
def test_published_mixtures(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    wanted = values["personalised_alpha0.25"]
    topic_pages = {
        v: [graph.pages[i] for i in np.flatnonzero(wanted[v]).tolist()] for v in ("v1", "v2")
    }
    ranks, trace = ranks_of(graph, topic_pages)
    assert trace.converged
    np.testing.assert_allclose(ranks[:, 0], wanted["pr_v1_dangling_uniform"], atol=1e-8)
    np.testing.assert_allclose(ranks[:, 1], wanted["pr_v2_dangling_uniform"], atol=1e-8)
    mixed = weighted_column_mean(ranks, np.array([0.3, 0.7]))
    np.testing.assert_allclose(mixed, wanted["mix_teleport_0p3_0p7_dangling_uniform"], atol=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_mixtures_are_not_linear_with_topic_dependent_dangling(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    wanted, share = values["personalised_alpha0.25"], np.array([0.3, 0.7])
    teleports = np.column_stack([wanted["v1"], wanted["v2"]])
    ranks = np.column_stack(
        [solve_pagerank(graph, teleport, 0.75, "teleport")[0] for teleport in teleports.T]
    )
    at_once, _, _ = solve_pagerank(graph, teleports @ share, 0.75, "teleport")
    np.testing.assert_allclose(at_once, wanted["mix_teleport_dangling_v"], atol=1e-8)
    np.testing.assert_allclose(ranks @ share, wanted["mix_scores_dangling_v"], atol=1e-8)
    assert np.abs(at_once - ranks @ share).sum() > 0.01


@given(webs, fixed, st.floats(0.1, 0.9))
def test_a_mixture_is_the_pagerank_of_mixed_teleports(
    links: Links, rule: TopicDangling, share: float
) -> None:
    graph = WebGraph.from_links(links)
    topic_pages = {"one": [links[0][0]], "two": [links[0][1], links[-1][0]]}
    weights = np.array([share, 1 - share])
    ranks, _ = ranks_of(graph, topic_pages, dangling=rule, tol=1e-13)
    teleport = weighted_column_mean(teleport_by_topic(graph, topic_pages), weights)
    at_once, _, _ = solve_pagerank(graph, teleport, 0.75, rule, tol=1e-13)
    np.testing.assert_allclose(weighted_column_mean(ranks, weights), at_once, atol=1e-10)


@given(webs, fixed)
def test_contributions_add_up(links: Links, rule: TopicDangling) -> None:
    ranking = topic_pagerank(
        BaseSet.from_any(links), topics=[f"t={links[0][0]}", f"u={links[0][1]}"], dangling=rule
    )
    for page, score in zip(ranking.pages, ranking.scores["score"], strict=True):
        breakdown = ranking.explain(page)
        assert breakdown.amounts.sum() + sum(breakdown.other_sources.values()) == pytest.approx(
            score, abs=1e-9
        )


def test_a_query_selects_the_topic_of_its_words() -> None:
    paws, oil = (topic_pagerank(base(query), topics=TOPICS) for query in ("paw", "Oil"))
    assert [ranking[0].page for ranking in (paws, oil)] == ["cats", "cars"]
    assert paws.details["weights"]["animal"] > 0.6
    assert oil.details["weights"]["animal"] < 0.4
    ranks = paws.details["ranks"]
    assert ranks.keys() == {"motor", "animal"}
    mixed = weighted_column_mean(
        np.column_stack([*ranks.values()]), np.array([*paws.details["weights"].values()])
    )
    np.testing.assert_allclose(paws.scores["score"], mixed, atol=1e-12)


def test_smoothing_evens_out_topics() -> None:
    little, much = (
        topic_pagerank(base("paw"), topics=TOPICS, smoothing=s).details["weights"]["animal"]
        for s in (0.01, 100)
    )
    assert little > 0.9
    assert 0.5 < much < 0.6


def test_naive_bayes_by_hand() -> None:
    """Two words of two each and a vocabulary of four: (1+1)/(2+4) against (0+1)/(2+4), twice."""
    found = naive_bayes_posterior(["a", "b", "never"], {"one": ["a", "b"], "two": ["c", "d"]})
    assert found.tolist() == pytest.approx([4 / 5, 1 / 5])
    assert naive_bayes_posterior([], {"one": ["a"], "two": ["c"]}).tolist() == [0.5, 0.5]
    long = naive_bayes_posterior(["a"] * 5000, {"one": ["a"], "two": ["b"]})
    assert long.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("given", "note"),
    [(base(), "no query"), (BaseSet.from_graph(base().graph, query="paw"), "no texts")],
)
def test_without_query_or_texts_topics_count_equally(given: BaseSet, note: str) -> None:
    ranking = topic_pagerank(given, topics=TOPICS)
    assert ranking.details["weights"] == {"motor": 0.5, "animal": 0.5}
    assert note in ranking.certainty.note


def test_without_topics_it_is_pagerank() -> None:
    ranking = topic_pagerank(BaseSet.from_any(CATS), damping=0.85)
    np.testing.assert_allclose(
        ranking.scores["score"], pagerank(web(CATS)).scores["score"], atol=1e-12
    )
    assert "no topics" in ranking.certainty.note
    assert len(topic_pagerank(BaseSet.from_any([]))) == 0
    assert not topic_pagerank(BaseSet.from_any(CATS), max_iter=2).trace.converged
    assert topic_pagerank(BaseSet.from_any(CATS), tol=0.1).trace.iterations < 20


def test_weights_count() -> None:
    links = [("a", "x", 3.0), ("a", "y", 1.0)]
    found = topic_pagerank(
        BaseSet.from_any(links), topics=["t=a"], weighted=True, dangling="leak"
    ).scores["score"]
    assert found[1] == pytest.approx(3 * found[2])


def test_invalid_options() -> None:
    with pytest.raises(BadParameter, match="'cars' is not topic=page"):
        topic_pagerank(BaseSet.from_any(CATS), topics=["cars"])
    with pytest.raises(UnknownName, match="nowhere"):
        topic_pagerank(BaseSet.from_any(CATS), topics=["t=nowhere"])
