"""The unified family: published values, closed forms, and relations to other methods."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, webs

from weft.graph.webgraph import WebGraph
from weft.rank import hits, hub_averaging, indegree, inorm, onorm, salsa, snorm, unified_hits

MEMBERS = {
    "ding_HITS": (0.0, 0.0),
    "ding_OnormRank": (0.0, 0.5),
    "ding_InormRank": (0.5, 0.0),
    "ding_SnormRank": (0.5, 0.5),
    "ding_p25_q75": (0.25, 0.75),
}
exponents = st.sampled_from([0.0, 0.3, 0.5, 0.9])


def matrix(graph: WebGraph, links: Links, p: float, q: float) -> Any:
    """The authority matrix, from its definition."""
    web = np.array([[float((s, t) in links) for t in graph.pages] for s in graph.pages])
    into, out = web.sum(axis=0), web.sum(axis=1)
    scaled = np.array([[x and x * i**-p for x, i in zip(row, into, strict=True)] for row in web])
    scaled = np.array([[x and x * o**-q for x in row] for row, o in zip(scaled, out, strict=True)])
    return scaled.T @ scaled


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("member", MEMBERS)
def test_published_values(spec: Any, name: str, member: str) -> None:
    graph, values = spec(name)
    p, q = MEMBERS[member]
    similar, surfing = (
        unified_hits(graph, p=p, q=q),
        unified_hits(graph, p=p, q=q, scheme="surfing"),
    )
    for side in ("authority", "hub"):
        wanted = values[member][side]
        np.testing.assert_allclose(surfing.scores[side], wanted["random_surf_global"], atol=1e-8)
        assert similar.details["singular value"] ** 2 == pytest.approx(wanted["lam"], abs=1e-8)
        assert similar.certainty.multiplicity == wanted["multiplicity"]
        if wanted["multiplicity"] == 1:
            found = similar.scores[side]
            np.testing.assert_allclose(found, wanted["similarity_from_ones_L2"], atol=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_values_of_snorm(spec: Any, name: str) -> None:
    graph, values = spec(name)
    wanted, closed, powered = values["ding_SnormRank"], snorm(graph), snorm(graph, scheme="power")
    for side, degree in (("authority", "indegree"), ("hub", "outdegree")):
        roots = wanted[f"closed_form_sqrt_{degree}_L2"]
        np.testing.assert_allclose(closed.scores[side], roots, atol=1e-8)
        from_ones = wanted[side]["similarity_from_ones_L2"]
        np.testing.assert_allclose(powered.scores[side], from_ones, atol=1e-8)
    assert closed.certainty.multiplicity == wanted["authority"]["multiplicity"]


def test_power_iteration_of_snorm_lets_a_small_component_lead(spec: Any) -> None:
    graph, _ = spec("G3_own10")
    assert snorm(graph).scores["authority"].argmax() == 3
    assert snorm(graph, scheme="power").scores["authority"].argmax() == 8
    assert "3 components" in snorm(graph).certainty.note


def test_members_agree_with_the_family() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y"), ("c", "y"), ("c", "x")])
    for member, p, q in ((onorm, 0.0, 0.5), (inorm, 0.5, 0.0), (snorm, 0.5, 0.5)):
        for scheme in ("similarity", "surfing"):
            found, wanted = (
                member(graph, scheme=scheme),
                unified_hits(graph, p=p, q=q, scheme=scheme),
            )
            for side in ("authority", "hub"):
                np.testing.assert_allclose(found.scores[side], wanted.scores[side], atol=1e-8)


def test_early_stops_are_reported() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y"), ("c", "y"), ("c", "z")])
    for ranking in (
        unified_hits(graph, max_iter=1),
        onorm(graph, max_iter=1),
        inorm(graph, max_iter=1),
        snorm(graph, scheme="power", max_iter=1),
    ):
        assert not ranking.trace.converged
    assert unified_hits(graph, tol=0.1).trace.iterations < unified_hits(graph).trace.iterations


def test_weights_count() -> None:
    graph = WebGraph.from_links([("a", "x", 4.0), ("a", "y", 1.0), ("b", "y", 1.0)])
    assert snorm(graph).scores["authority"][1] < snorm(graph).scores["authority"][2]
    scores = snorm(graph, weighted=True).scores["authority"]
    assert scores[1] / scores[2] == pytest.approx(2**0.5)
    for method in (unified_hits, onorm, inorm):
        unweighted, weighted = method(graph), method(graph, weighted=True)
        assert weighted.scores["authority"][1] > unweighted.scores["authority"][1]


@given(webs)
def test_zero_exponents_are_hits(links: Links) -> None:
    graph = WebGraph.from_links(links)
    found, wanted = unified_hits(graph, p=0, q=0), hits(graph)
    for side in ("authority", "hub"):
        np.testing.assert_allclose(found.scores[side], wanted.scores[side], atol=1e-8)


@given(webs, exponents, exponents)
def test_the_principal_eigenvector_of_the_definition(links: Links, p: float, q: float) -> None:
    graph = WebGraph.from_links(links)
    values, vectors = np.linalg.eigh(matrix(graph, links, p, q))
    ratio = values[-2] / values[-1]
    assume(ratio < 0.95)
    found = unified_hits(graph, p=p, q=q)
    np.testing.assert_allclose(found.scores["authority"], np.abs(vectors[:, -1]), atol=1e-7)
    assert found.certainty.gap == pytest.approx(1 - ratio, abs=1e-8)


@given(webs, exponents, exponents)
def test_surfing_is_stationary(links: Links, p: float, q: float) -> None:
    graph = WebGraph.from_links(links)
    similar = matrix(graph, links, p, q)
    chain = similar / np.where(similar.sum(axis=1) > 0, similar.sum(axis=1), 1)[:, None]
    found = unified_hits(graph, p=p, q=q, scheme="surfing").scores["authority"]
    assert found.sum() == pytest.approx(1)
    np.testing.assert_allclose(found @ chain, found, atol=1e-12)


@given(webs)
def test_closed_forms(links: Links) -> None:
    graph = WebGraph.from_links(links)
    into, out = graph.indegrees(), graph.outdegrees()
    onorm_matrix, snorm_matrix = matrix(graph, links, 0, 0.5), matrix(graph, links, 0.5, 0.5)
    np.testing.assert_allclose(onorm_matrix.sum(axis=1), into)
    assert np.trace(onorm_matrix) == pytest.approx((out > 0).sum())
    np.testing.assert_allclose(
        snorm_matrix @ snorm(graph).scores["authority"], snorm(graph).scores["authority"]
    )
    surfing = onorm(graph, scheme="surfing").scores["authority"]
    np.testing.assert_allclose(surfing, indegree(graph).scores["share"])
    np.testing.assert_allclose(inorm(graph, scheme="surfing").scores["hub"], out / out.sum())


@given(webs)
def test_relations_to_other_methods(links: Links) -> None:
    graph = WebGraph.from_links(links)
    reverse = WebGraph(graph.pages, graph.inlinks, graph.outlinks)
    if salsa(graph).certainty.components == 1:
        surfing = onorm(graph, scheme="surfing").scores["authority"]
        np.testing.assert_allclose(surfing, salsa(graph).scores["authority"])
    ranking = onorm(graph)
    np.testing.assert_allclose(snorm(reverse).scores["hub"], snorm(graph).scores["authority"])
    assume(ranking.certainty.multiplicity == 1)
    averaged = hub_averaging(graph).scores["authority"]
    found = ranking.scores["authority"]
    np.testing.assert_allclose(found / found.max(), averaged, atol=1e-7)
    np.testing.assert_allclose(inorm(reverse).scores["hub"], found, atol=1e-7)
