"""Subspace HITS: published values, closed forms, and ties at the cutoff."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import Links, webs

from weft.core.errors import BadParameter
from weft.graph.webgraph import WebGraph
from weft.rank import hits, subspace_hits
from weft.rank.hits_vectors import MORE_TIES_NOTE


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
@pytest.mark.parametrize(("key", "vectors"), [("k1", 1), ("k2", 2), ("k3", 3), ("k_all", 0)])
def test_published_values(spec: Any, name: str, key: str, vectors: int) -> None:
    graph, values = spec(name)
    found = subspace_hits(graph, vectors=vectors).scores["authority"]
    np.testing.assert_allclose(found, values["subspace_hits_f_lam2"][key], atol=1e-8)


def test_ties_of_the_last_vector_are_included() -> None:
    """Singular values 2, 1, 1: if two are requested, all three count."""
    links = [("a", "x"), ("a", "y"), ("a", "z"), ("a", "w"), ("b", "u"), ("c", "v")]
    ranking = subspace_hits(WebGraph.from_links(links), vectors=2)
    scores = dict(zip(ranking.pages, ranking.scores["authority"], strict=True))
    assert ranking.details["eigenvalues"] == pytest.approx([4, 1, 1])
    assert scores["u"] == pytest.approx(1)
    assert scores["v"] == pytest.approx(1)
    assert scores["x"] == pytest.approx(4)


def test_too_many_ties_are_noted() -> None:
    ranking = subspace_hits(
        WebGraph.from_links([(f"h{i:03}", f"p{i:03}") for i in range(150)]), vectors=1
    )
    assert not ranking.certainty.unique
    assert ranking.certainty.note == MORE_TIES_NOTE


def test_too_many_vectors_are_an_error() -> None:
    large = WebGraph.from_links([("a", str(i)) for i in range(3000)])
    with pytest.raises(BadParameter, match="3,001 pages") as refusal:
        subspace_hits(large, vectors=0, power=1.5)
    assert "power 0, 1 or 2" in refusal.value.hint
    assert subspace_hits(large, vectors=0, power=1).scores["hub"][0] == 3000


def test_no_links_score_zero() -> None:
    assert subspace_hits(WebGraph.from_links([("a", "a")]), power=0).scores[
        "authority"
    ].tolist() == [0]


def test_weights_are_squared() -> None:
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
    """A thousand vectors from the solver, and all of them by the closed form."""
    graph = WebGraph.from_links(links)
    solved = subspace_hits(graph, vectors=1000, power=power)
    counted = subspace_hits(graph, vectors=0, power=power)
    for side in ("authority", "hub"):
        np.testing.assert_allclose(solved.scores[side], counted.scores[side], atol=1e-8)


@given(webs)
def test_powers_are_degrees_and_cocitations(links: Links) -> None:
    graph = WebGraph.from_links(links)
    sources = {page: {s for s, t in links if t == page} for page in graph.pages}
    degrees = [len(sources[page]) for page in graph.pages]
    cocitations = [sum(len(sources[p] & sources[q]) ** 2 for q in sources) for p in graph.pages]
    for power, wanted in ((0, [1] * len(degrees)), (1, degrees), (2, cocitations)):
        found = subspace_hits(graph, vectors=0, power=power).scores["authority"]
        assert found.tolist() == pytest.approx(wanted)


@given(webs, webs)
def test_scores_change_no_more_than_the_matrix(before: Links, after: Links) -> None:
    """With power one, scores differ by no more than the co-citation matrices do."""
    pages = [(page, page) for page in "abcdef"]
    graphs = [WebGraph.from_links([*pages, *links]) for links in (before, after)]
    first, second = (subspace_hits(g, vectors=1000, power=1).scores["authority"] for g in graphs)
    matrices = [
        np.array([[float((s, t) in links) for t in "abcdef"] for s in "abcdef"])
        for links in (before, after)
    ]
    change = np.linalg.norm(matrices[0].T @ matrices[0] - matrices[1].T @ matrices[1])
    assert np.linalg.norm(first - second) <= change + 1e-9
