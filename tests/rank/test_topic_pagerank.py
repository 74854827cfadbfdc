"""Topic-sensitive PageRank: mixes, their linearity, and how a query weighs topics."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, Spec, webs

from weft.core.arrays import Floats
from weft.core.errors import BadParameter, UnknownName
from weft.engine import Trace
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank import pagerank, topic_pagerank
from weft.rank.pagerank import surf
from weft.rank.topic_pagerank import (
    Fixed,
    class_weights,
    jumps_by_topic,
    mix,
)

web = WebGraph.from_links
fixed = st.sampled_from(["uniform", "self", "leak"])
CATS = [("engine", "cars"), ("list", "cars"), ("list", "cats"), ("fur", "cats")]
TEXTS = {"cars": "motor car oil", "cats": "fur paw claw paw"}
TOPICS = ["motor=cars", "animal=cats"]


def base(query: str = "", links: Links = CATS) -> BaseSet:
    graph = WebGraph.from_links(links)
    texts = [TEXTS.get(page, "") for page in graph.pages]
    return BaseSet.whole(graph, query=query, read_texts=lambda: texts)


def ranks_of(graph: WebGraph, sets: dict[str, list[str]], **options: Any) -> tuple[Floats, Trace]:
    """The PageRank of each topic as a column."""
    topics = [f"{topic}={page}" for topic, pages in sets.items() for page in pages]
    found = topic_pagerank(BaseSet.whole(graph), topics=topics, **options)
    return np.column_stack(list(found.details["ranks"].values())), found.trace


@pytest.mark.parametrize("name", GRAPHS)
def test_published_mixes(spec: Spec, name: str) -> None:
    graph, values = spec(name)
    known = values["personalised_alpha0.25"]
    chosen = {v: [graph.pages[i] for i in np.flatnonzero(known[v]).tolist()] for v in ("v1", "v2")}
    ranks, trace = ranks_of(graph, chosen)
    assert trace.converged
    np.testing.assert_allclose(ranks[:, 0], known["pr_v1_dangling_uniform"], atol=1e-8)
    np.testing.assert_allclose(ranks[:, 1], known["pr_v2_dangling_uniform"], atol=1e-8)
    mixed = mix(ranks, np.array([0.3, 0.7]))
    np.testing.assert_allclose(mixed, known["mix_teleport_0p3_0p7_dangling_uniform"], atol=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_mixes_are_not_linear_where_pages_without_links_follow_the_topic(
    spec: Spec, name: str
) -> None:
    graph, values = spec(name)
    known, share = values["personalised_alpha0.25"], np.array([0.3, 0.7])
    jumps = np.column_stack([known["v1"], known["v2"]])
    ranks = np.column_stack([surf(graph, jump, 0.75, "teleport")[0] for jump in jumps.T])
    at_once, _, _ = surf(graph, jumps @ share, 0.75, "teleport")
    np.testing.assert_allclose(at_once, known["mix_teleport_dangling_v"], atol=1e-8)
    np.testing.assert_allclose(ranks @ share, known["mix_scores_dangling_v"], atol=1e-8)
    assert np.abs(at_once - ranks @ share).sum() > 0.01


@given(webs, fixed, st.floats(0.1, 0.9))
def test_a_mix_is_the_pagerank_of_mixed_jumps(links: Links, rule: Fixed, share: float) -> None:
    graph = WebGraph.from_links(links)
    sets = {"one": [links[0][0]], "two": [links[0][1], links[-1][0]]}
    weights = np.array([share, 1 - share])
    ranks, _ = ranks_of(graph, sets, dangling=rule, tolerance=1e-13)
    jump = mix(jumps_by_topic(graph, sets), weights)
    at_once, _, _ = surf(graph, jump, 0.75, rule, tolerance=1e-13)
    np.testing.assert_allclose(mix(ranks, weights), at_once, atol=1e-10)


@given(webs, fixed)
def test_parts_add_up(links: Links, rule: Fixed) -> None:
    ranking = topic_pagerank(
        BaseSet.of(links), topics=[f"t={links[0][0]}", f"u={links[0][1]}"], dangling=rule
    )
    for page, score in zip(ranking.pages, ranking.scores["score"], strict=True):
        why = ranking.why(page)
        assert why.amounts.sum() + sum(why.rest.values()) == pytest.approx(score, abs=1e-9)


def test_a_query_picks_the_topic_whose_pages_use_its_words() -> None:
    paws, oil = (topic_pagerank(base(query), topics=TOPICS) for query in ("paw", "Oil"))
    assert [r.pages[r.order()[0]] for r in (paws, oil)] == ["cats", "cars"]
    assert paws.details["weights"]["animal"] > 0.6
    assert oil.details["weights"]["animal"] < 0.4
    ranks = paws.details["ranks"]
    assert ranks.keys() == {"motor", "animal"}
    mixed = mix(np.column_stack([*ranks.values()]), np.array([*paws.details["weights"].values()]))
    np.testing.assert_allclose(paws.scores["score"], mixed, atol=1e-12)


def test_smoothing_makes_topics_more_alike() -> None:
    little, much = (
        topic_pagerank(base("paw"), topics=TOPICS, smoothing=s).details["weights"]["animal"]
        for s in (0.01, 100)
    )
    assert little > 0.9
    assert 0.5 < much < 0.6


def test_class_weights_by_hand() -> None:
    """Two words of two each and a vocabulary of four: (1+1)/(2+4) against (0+1)/(2+4), twice."""
    found = class_weights(["a", "b", "never"], {"one": ["a", "b"], "two": ["c", "d"]})
    assert found.tolist() == pytest.approx([4 / 5, 1 / 5])
    assert class_weights([], {"one": ["a"], "two": ["c"]}).tolist() == [0.5, 0.5]
    long = class_weights(["a"] * 5000, {"one": ["a"], "two": ["b"]})
    assert long.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("given", "note"),
    [(base(), "no query"), (BaseSet.whole(base().graph, query="paw"), "no words")],
)
def test_without_query_or_words_topics_count_alike(given: BaseSet, note: str) -> None:
    ranking = topic_pagerank(given, topics=TOPICS)
    assert ranking.details["weights"] == {"motor": 0.5, "animal": 0.5}
    assert note in ranking.certainty.note


def test_without_topics_it_is_pagerank() -> None:
    ranking = topic_pagerank(BaseSet.of(CATS), follow=0.85)
    np.testing.assert_allclose(
        ranking.scores["score"], pagerank(web(CATS)).scores["score"], atol=1e-12
    )
    assert "no topics" in ranking.certainty.note
    assert len(topic_pagerank(BaseSet.of([]))) == 0
    assert not topic_pagerank(BaseSet.of(CATS), limit=2).trace.converged
    assert topic_pagerank(BaseSet.of(CATS), tolerance=0.1).trace.rounds < 20


def test_weights_count() -> None:
    links = [("a", "x", 3.0), ("a", "y", 1.0)]
    found = topic_pagerank(
        BaseSet.of(links), topics=["t=a"], weighted=True, dangling="leak"
    ).scores["score"]
    assert found[1] == pytest.approx(3 * found[2])


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(BadParameter, match="names no topic"):
        topic_pagerank(BaseSet.of(CATS), topics=["cars"])
    with pytest.raises(UnknownName, match="nowhere"):
        topic_pagerank(BaseSet.of(CATS), topics=["t=nowhere"])
