"""The ends of singular vectors as topics."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.webs import Links, webs

from weft.graph.webgraph import WebGraph
from weft.rank import hits_vectors
from weft.topics import eigen


def test_two_communities_are_the_ends_of_the_second_pair(spec: Any) -> None:
    graph, values = spec("G4_two_communities")
    found = eigen(graph, vectors=2)
    assert [topic.facts["pair"] for topic in found] == ["1", "2+", "2-"]
    assert [topic.strength for topic in found] == pytest.approx(
        [values["triplets"][k]["sigma"] for k in (0, 1, 1)], abs=1e-8
    )
    assert found[1].authorities().tolist() == [7, 8]
    assert found[1].hubs().tolist() == [5, 6]
    assert found[2].authorities().tolist() == [3, 4]
    assert found[2].hubs().tolist() == [0, 1]
    first = [found[0].score("authority", page) for page in range(9)]
    assert first == pytest.approx(values["triplets"][0]["authority"], abs=1e-8)


def test_equal_values_are_one_topic_that_says_so() -> None:
    twins = [(s, t) for hubs, pages in (("ab", "xy"), ("cd", "uv")) for s in hubs for t in pages]
    [topic] = eigen(twins)
    assert len(topic) == 8
    assert topic.facts["pair"] == "1-2"
    assert "only their span is unique" in topic.note


def test_pairs_that_cannot_be_separated_are_noted() -> None:
    pairs = [(f"h{k:03}", f"p{k:03}") for k in range(300)]
    [topic] = eigen([*pairs, ("h000", "q")], vectors=2)
    assert topic.facts["missing"] == "pairs after 1: too many ties"
    assert "missing" not in eigen(pairs[:3])[0].facts


def test_max_size() -> None:
    links = list(product(("a", "b", "c"), ("x", "y", "z")))
    [topic] = eigen(links, max_size=2)
    assert len(topic.authorities()) == len(topic.hubs()) == 2
    assert len(topic) == 4


def test_weights_count_when_asked() -> None:
    links = [("a", "x", 3.0), ("a", "y", 1.0)]
    assert eigen(links)[0].strength == pytest.approx(2**0.5)
    assert eigen(links, weighted=True)[0].strength == pytest.approx(10**0.5)


def test_no_links_no_topics() -> None:
    assert len(eigen(WebGraph.from_links([("a", "a")]))) == 0


@given(webs)
def test_every_end_is_a_score_of_hits_vectors(links: Links) -> None:
    graph = WebGraph.from_links(links)
    found, ranking = eigen(graph, vectors=3), hits_vectors(graph, vectors=3)
    ends = dict.fromkeys(name.partition(" ")[2] for name in ranking.scores)
    assert len(found) == len(ends)
    for topic, end in zip(found, ends, strict=True):
        for role in ("authority", "hub"):
            wanted = ranking.scores.get(f"{role} {end}".strip(), np.zeros(len(graph)))
            mine = [topic.score(role, page) for page in range(len(graph))]
            np.testing.assert_allclose(mine, wanted)
