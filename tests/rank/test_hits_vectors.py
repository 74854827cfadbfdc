"""Several singular vectors: published values, signs, and equal singular values."""

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import Links, webs

from weft.graph.webgraph import WebGraph
from weft.rank import Ranking, hits, hits_vectors
from weft.rank.hits_vectors import leading_triplets

TWINS = [(s, t) for hubs, pages in (("ab", "xy"), ("cd", "uv")) for s in hubs for t in pages]


def vector(ranking: Ranking, side: str, number: int) -> Any:
    name = side if number == 1 else f"{side} {number}+"
    return ranking.scores[name] - ranking.scores.get(f"{side} {number}-", 0)


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
def test_published_values(spec: Any, name: str) -> None:
    graph, values = spec(name)
    ranking = hits_vectors(graph, vectors=4)
    assert ranking.certainty.unique
    for number, wanted in enumerate(values["hits_multi"], start=1):
        assert wanted["simple"]
        value = ranking.details["singular values"][number - 1]
        assert value == pytest.approx(wanted["sigma"], abs=1e-8)
        for side in ("authority", "hub"):
            np.testing.assert_allclose(vector(ranking, side, number), wanted[side], atol=1e-8)


def test_two_communities_are_the_ends_of_the_second_pair(spec: Any) -> None:
    graph, values = spec("G4_two_communities")
    ranking = hits_vectors(graph, vectors=2)
    for number, wanted in enumerate(values["triplets"], start=1):
        for side in ("authority", "hub"):
            np.testing.assert_allclose(vector(ranking, side, number), wanted[side], atol=1e-8)
    ends = {name: np.flatnonzero(score).tolist() for name, score in ranking.scores.items()}
    assert ends["authority 2+"] == [7, 8]
    assert ends["hub 2+"] == [5, 6]
    assert ends["authority 2-"] == [3, 4]
    assert ends["hub 2-"] == [0, 1]


def test_another_component_has_one_end_only() -> None:
    ranking = hits_vectors(WebGraph.from_links([*TWINS[:4], ("c", "u")]), vectors=2)
    assert list(ranking.scores) == ["authority", "hub", "authority 2+", "hub 2+"]


def test_equal_singular_values_give_one_projection() -> None:
    ranking = hits_vectors(
        WebGraph.from_links([("a", "x"), ("a", "y"), ("b", "u"), ("c", "v")]), vectors=2
    )
    assert list(ranking.scores) == ["authority", "hub", "authority 2-3", "hub 2-3"]
    assert ranking.details["groups"] == [(1, 1), (2, 3)]
    assert not ranking.certainty.unique
    assert "equal singular values 2 to 3" in ranking.certainty.note
    found = dict(zip(ranking.pages, ranking.scores["authority 2-3"], strict=True))
    assert found["u"] == pytest.approx(1)
    assert found["v"] == pytest.approx(1)
    assert found["x"] == 0


def test_a_tie_for_the_first_pair() -> None:
    ranking = hits_vectors(WebGraph.from_links(TWINS), vectors=1)
    assert ranking.certainty.multiplicity == 2
    assert ranking.certainty.gap == pytest.approx(0)
    leads = dict(zip(ranking.pages, ranking.scores["authority"], strict=True))
    assert [leads[page] for page in "xyuv"] == pytest.approx([0.5**0.5] * 4)


def test_too_many_ties_are_truncated() -> None:
    pairs = [(f"h{i:04}", f"p{i:04}") for i in range(300)]
    triplets = leading_triplets(WebGraph.from_links([*pairs, ("h0000", "q")]).operator(), 2)
    assert len(triplets.values) == 1
    assert triplets.may_miss_ties


def test_no_links_give_no_vectors() -> None:
    ranking = hits_vectors(WebGraph.from_links([("a", "a")]))
    assert ranking.scores["authority"].tolist() == [0]
    assert ranking.details["groups"] == []
    assert "no links" in ranking.certainty.note


def test_weights_count() -> None:
    links = [("a", "x", 3.0), ("a", "y", 1.0)]
    assert hits_vectors(WebGraph.from_links(links)).details["singular values"] == pytest.approx(
        [2**0.5]
    )
    assert hits_vectors(WebGraph.from_links(links), weighted=True).details[
        "singular values"
    ] == pytest.approx([10**0.5])


@given(webs)
def test_the_first_pair_is_hits(links: Links) -> None:
    graph = WebGraph.from_links(links)
    ranking, single = hits_vectors(graph, vectors=1), hits(graph)
    if single.certainty.gap > 0.01:
        np.testing.assert_allclose(
            ranking.scores["authority"], single.scores["authority"], atol=1e-8
        )
        np.testing.assert_allclose(ranking.scores["hub"], single.scores["hub"], atol=1e-8)


@given(webs)
def test_all_pairs_reconstruct_the_matrix(links: Links) -> None:
    graph = WebGraph.from_links(links)
    triplets = leading_triplets(graph.operator(), 6)
    matrix = (triplets.source * triplets.values) @ triplets.target.T
    wanted = [[float((s, t) in links) for t in graph.pages] for s in graph.pages]
    np.testing.assert_allclose(matrix, wanted, atol=1e-8)


@given(webs, st.randoms())
def test_numbering_does_not_matter(links: Links, random: Random) -> None:
    first = hits_vectors(WebGraph.from_links(links), vectors=3)
    second = hits_vectors(WebGraph.from_links(random.sample(links, len(links))), vectors=3)
    assert list(first.scores) == list(second.scores)
    for name in first.scores:
        scores = dict(zip(first.pages, first.scores[name], strict=True))
        shuffled = dict(zip(second.pages, second.scores[name], strict=True))
        assert scores == pytest.approx(shuffled, abs=1e-6)
