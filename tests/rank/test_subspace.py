"""Subspace HITS: published values, its closed forms, and where it may cut."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import Links, webs

from weft.core.errors import BadParameter
from weft.graph.webgraph import WebGraph
from weft.rank import hits, subspace_hits


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
@pytest.mark.parametrize(("key", "vectors"), [("k1", 1), ("k2", 2), ("k3", 3), ("k_all", 0)])
def test_published_values(spec: Any, name: str, key: str, vectors: int) -> None:
    graph, values = spec(name)
    found = subspace_hits(graph, vectors=vectors).scores["authority"]
    np.testing.assert_allclose(found, values["subspace_hits_f_lam2"][key], atol=1e-8)


def test_equals_of_the_last_vector_are_taken_in() -> None:
    """Values 2, 1, 1: asked for two of them, all three count, whichever comes first."""
    links = [("a", "x"), ("a", "y"), ("a", "z"), ("a", "w"), ("b", "u"), ("c", "v")]
    ranking = subspace_hits(WebGraph.from_links(links), vectors=2)
    scores = dict(zip(ranking.pages, ranking.scores["authority"], strict=True))
    assert ranking.details["eigenvalues"] == pytest.approx([4, 1, 1])
    assert scores["u"] == pytest.approx(1)
    assert scores["v"] == pytest.approx(1)
    assert scores["x"] == pytest.approx(4)


def test_an_end_that_is_not_found_is_told() -> None:
    ranking = subspace_hits(
        WebGraph.from_links([(f"h{i:03}", f"p{i:03}") for i in range(150)]), vectors=1
    )
    assert not ranking.certainty.unique
    assert "equals" in ranking.certainty.note


def test_too_many_for_all_vectors_is_refused_with_a_cure() -> None:
    large = WebGraph.from_links([("a", str(i)) for i in range(3000)])
    with pytest.raises(BadParameter, match="3,001 pages") as refusal:
        subspace_hits(large, vectors=0, power=1.5)
    assert "power 0, 1 or 2" in refusal.value.hint
    assert subspace_hits(large, vectors=0, power=1).scores["hub"][0] == 3000


def test_without_links_all_is_zero() -> None:
    assert subspace_hits(WebGraph.from_links([("a", "a")]), power=0).scores[
        "authority"
    ].tolist() == [0]


def test_with_weights_squares_are_summed() -> None:
    links = [("a", "x", 3.0), ("b", "x", 2.0)]
    for vectors in (0, 9):
        found = subspace_hits(WebGraph.from_links(links), vectors=vectors, power=1, weighted=True)
        assert found.scores["authority"].tolist() == pytest.approx([0, 13, 0])


@given(webs)
def test_one_vector_has_the_order_of_hits(links: Links) -> None:
    graph = WebGraph.from_links(links)
    single = hits(graph)
    if single.certainty.gap > 0.01:
        found = subspace_hits(graph, vectors=1)
        for side in ("authority", "hub"):
            scale = single.details["singular value"] ** 4
            wanted = scale * single.scores[side] ** 2
            np.testing.assert_allclose(found.scores[side], wanted, atol=1e-7)


@given(webs, st.sampled_from([0.0, 1.0, 2.0]))
def test_all_vectors_have_closed_forms(links: Links, power: float) -> None:
    """A thousand vectors by the solver, and all of them by counting."""
    graph = WebGraph.from_links(links)
    solved = subspace_hits(graph, vectors=1000, power=power)
    counted = subspace_hits(graph, vectors=0, power=power)
    for side in ("authority", "hub"):
        np.testing.assert_allclose(solved.scores[side], counted.scores[side], atol=1e-8)


@given(webs)
def test_powers_count_degrees_and_meetings(links: Links) -> None:
    graph = WebGraph.from_links(links)
    linked = {page: {s for s, t in links if t == page} for page in graph.pages}
    degrees = [len(linked[page]) for page in graph.pages]
    meetings = [sum(len(linked[p] & linked[q]) ** 2 for q in linked) for p in graph.pages]
    for power, wanted in ((0, [1] * len(degrees)), (1, degrees), (2, meetings)):
        found = subspace_hits(graph, vectors=0, power=power).scores["authority"]
        assert found.tolist() == pytest.approx(wanted)


@given(webs, webs)
def test_it_moves_no_further_than_the_links_do(one: Links, two: Links) -> None:
    """With power one, scores differ by no more than the authority matrices do."""
    pages = [(page, page) for page in "abcdef"]
    graphs = [WebGraph.from_links([*pages, *links]) for links in (one, two)]
    first, second = (subspace_hits(g, vectors=1000, power=1).scores["authority"] for g in graphs)
    webs_ = [
        np.array([[float((s, t) in links) for t in "abcdef"] for s in "abcdef"])
        for links in (one, two)
    ]
    moved = np.linalg.norm(webs_[0].T @ webs_[0] - webs_[1].T @ webs_[1])
    assert np.linalg.norm(first - second) <= moved + 1e-9
