"""EM: published runs, likelihoods that never fall, and fixed points."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import GRAPHS, Links, webs

from weft.core.arrays import Floats
from weft.graph.webgraph import WebGraph
from weft.rank.expectation_maximization import (
    COOMatrix,
    EMFit,
    JointFactors,
    LinkFactors,
    best_fit,
    joint_em_step,
    link_em_step,
    random_joint_factors,
    random_link_factors,
    run_em,
    safe_divide,
)


def waves(n: int) -> LinkFactors:
    """The start of the published runs."""
    page = np.arange(n)
    conditional = np.array([1 + 0.5 * np.cos(page), 1 + 0.5 * np.sin(page)])
    conditional /= conditional.sum(axis=1, keepdims=True)
    return LinkFactors(np.array([0.5, 0.5]), conditional, conditional)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_run(spec: Any, name: str) -> None:
    graph, values = spec(name)
    wanted, step = values["phits_K2"], partial(link_em_step, COOMatrix.from_links(graph))
    first = run_em(step, waves(len(graph)), 1e-300, 1, "phits")
    assert first.likelihood == pytest.approx(wanted["loglik_after_1"], abs=1e-8)
    last = run_em(step, waves(len(graph)), 1e-300, 500, "phits")
    assert last.likelihood == pytest.approx(wanted["loglik_after_500"], abs=1e-8)
    np.testing.assert_allclose(last.factors.prior, wanted["Pz"], atol=1e-8)
    np.testing.assert_allclose(last.factors.target, wanted["Pc_given_z"], atol=1e-8)
    np.testing.assert_allclose(last.factors.source, wanted["Pd_given_z"], atol=1e-8)


@pytest.mark.parametrize("name", GRAPHS)
def test_published_likelihood_of_one_factor(spec: Any, name: str) -> None:
    graph, values = spec(name)
    step = partial(link_em_step, COOMatrix.from_links(graph))
    fit = run_em(step, random_link_factors(len(graph), 1, 0, 0), 1e-12, 50, "phits")
    assert fit.likelihood == pytest.approx(values["phits_K2"]["loglik_K1"], abs=1e-8)


def blocks(graph: WebGraph) -> LinkFactors:
    """A factor for each bipartite component: degrees as shares of its links."""
    components = graph.operator().hub_authority_components()
    labels = np.arange(components.count)[:, None]
    source = (components.hub_labels == labels) * graph.outdegrees()
    target = (components.authority_labels == labels) * graph.indegrees()
    links = source.sum(axis=1)
    return LinkFactors(links / links.sum(), source / links[:, None], target / links[:, None])


@pytest.mark.parametrize("name", GRAPHS)
def test_published_likelihood_of_blocks(spec: Any, name: str) -> None:
    graph, values = spec(name)
    _, likelihood = link_em_step(COOMatrix.from_links(graph), blocks(graph))
    assert likelihood == pytest.approx(values["phits_K2"]["loglik_block"], abs=1e-8)


@given(webs)
def test_blocks_are_a_fixed_point(links: Links) -> None:
    graph = WebGraph.from_links(links)
    start = blocks(graph)
    again, _ = link_em_step(COOMatrix.from_links(graph), start)
    np.testing.assert_allclose(again.prior, start.prior, atol=1e-12)
    np.testing.assert_allclose(again.source, start.source, atol=1e-12)
    np.testing.assert_allclose(again.target, start.target, atol=1e-12)


@given(webs)
def test_one_factor_is_the_degrees_after_one_iteration(links: Links) -> None:
    graph = WebGraph.from_links(links)
    found, _ = link_em_step(COOMatrix.from_links(graph), random_link_factors(len(graph), 1, 0, 0))
    np.testing.assert_allclose(found.target[0], graph.indegrees() / graph.link_count)
    np.testing.assert_allclose(found.source[0], graph.outdegrees() / graph.link_count)


@given(webs, st.integers(1, 4), st.integers(0, 5))
def test_likelihood_never_falls(links: Links, k: int, seed: int) -> None:
    graph = WebGraph.from_links(links)
    matrix, factors, before = (
        COOMatrix.from_links(graph),
        random_link_factors(len(graph), k, seed, 0),
        -np.inf,
    )
    for _ in range(30):
        factors, likelihood = link_em_step(matrix, factors)
        assert likelihood >= before - 1e-9
        before = likelihood
        for conditional in (factors.source, factors.target):
            assert conditional.sum(axis=1) == pytest.approx(np.where(factors.prior > 0, 1, 0))


@given(webs, st.integers(1, 4))
def test_factors_sum_to_the_degrees(links: Links, k: int) -> None:
    graph = WebGraph.from_links(links)
    found, _ = link_em_step(COOMatrix.from_links(graph), random_link_factors(len(graph), k, 0, 0))
    shares = graph.indegrees() / graph.link_count
    np.testing.assert_allclose(found.prior @ found.target, shares, atol=1e-12)


def test_weights_count_as_parallel_links() -> None:
    graph = WebGraph.from_links([("a", "x"), ("a", "x"), ("a", "y")])
    plain, heavy = (COOMatrix.from_links(graph, weighted=w).value.tolist() for w in (False, True))
    assert (plain, heavy) == ([1, 1], [2, 1])


def test_an_empty_factor_stays_empty() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "y")])
    start = LinkFactors(np.array([1.0, 0.0]), np.full((2, 4), 0.25), np.full((2, 4), 0.25))
    found, _ = link_em_step(COOMatrix.from_links(graph), start)
    assert found.prior.tolist() == [1, 0]
    assert not found.target[1].any()


def test_tempering_shares_more_evenly() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])
    matrix, start = COOMatrix.from_links(graph), waves(4)
    sharp, _ = link_em_step(matrix, start)
    even, _ = link_em_step(matrix, start, 0.1)
    assert (
        np.abs(even.target[0] - even.target[1]).max()
        < np.abs(sharp.target[0] - sharp.target[1]).max()
    )


def published(values: dict[str, Any]) -> tuple[COOMatrix, COOMatrix, JointFactors]:
    def to_coo(matrix: Floats) -> COOMatrix:
        row, column = np.nonzero(matrix)
        coo = COOMatrix(row.astype(np.int32), column.astype(np.int32), matrix[row, column])
        return coo.normalize_rows(len(matrix))

    def wave(phase: float) -> Floats:
        values: Floats = 1 + 0.5 * np.cos(np.arange(4) * (np.arange(2)[:, None] + 1) + phase)
        return values

    words, links = (
        to_coo(np.array(values[name]).T) for name in ("N_terms_by_docs", "A_cited_by_docs")
    )
    term, target = (wave(phase) / wave(phase).sum(axis=1, keepdims=True) for phase in (0, 1))
    return words, links, JointFactors(term, target, wave(2) / wave(2).sum(axis=0))


def test_published_joint_run(spec_values: dict[str, Any]) -> None:
    values = spec_values["joint_plsa_phits"]
    words, links, start = published(values)
    step = partial(joint_em_step, words, links, word_weight=values["alpha"])
    assert step(start)[1] == pytest.approx(values["objective_0"], abs=1e-8)
    for iterations in (1, 200):
        fit = run_em(step, start, 1e-300, iterations, "joint")
        assert fit.likelihood == pytest.approx(values[f"objective_{iterations}"], abs=1e-8)
    np.testing.assert_allclose(fit.factors.term, values["Pt_given_z"], atol=1e-8)
    np.testing.assert_allclose(fit.factors.target, values["Pc_given_z"], atol=1e-8)
    np.testing.assert_allclose(fit.factors.mixture.T, values["Pz_given_d"], atol=1e-8)


@given(webs, st.floats(0, 1), st.integers(0, 3))
def test_joint_objective_never_falls(links: Links, alpha: float, seed: int) -> None:
    graph = WebGraph.from_links(links)
    n = len(graph)
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, (n, 5)).astype(float)
    row, column = (ends.astype(np.int32) for ends in np.nonzero(counts))
    words = COOMatrix(row, column, counts[row, column]).normalize_rows(n)
    link_matrix = COOMatrix.from_links(graph).normalize_rows(n)
    factors, before = random_joint_factors(n, 5, 3, seed, 0), -np.inf
    for _ in range(20):
        factors, objective = joint_em_step(words, link_matrix, factors, alpha)
        assert objective >= before - 1e-9
        before = objective


def test_pages_with_only_links_or_words_use_these() -> None:
    words = COOMatrix(np.array([0]), np.array([0]), np.ones(1))
    links = COOMatrix(np.array([1]), np.array([2]), np.ones(1))
    found, _ = joint_em_step(words, links, random_joint_factors(3, 1, 2, 0, 0), 0.9)
    np.testing.assert_allclose(found.mixture.sum(axis=0), [1, 1, 0])


def test_the_first_of_equal_fits_is_chosen() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "y")])
    step = partial(link_em_step, COOMatrix.from_links(graph))
    fits: list[EMFit[LinkFactors]] = [
        run_em(step, random_link_factors(4, 2, 0, start), 1e-12, 500, "phits") for start in range(4)
    ]
    found = best_fit(fits)
    assert found.starts_at_best == 4
    assert found.factors is fits[0].factors
    assert found.likelihood == pytest.approx(2 * np.log(1 / 2))


def test_max_iter_is_reported() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y"), ("c", "y")])
    step = partial(link_em_step, COOMatrix.from_links(graph))
    fit = run_em(step, random_link_factors(5, 2, 0, 0), 1e-12, 2, "phits")
    assert (fit.trace.iterations, fit.trace.converged, fit.trace.stopped) == (2, False, "max_iter")


def test_zero_divided_by_zero_is_zero() -> None:
    assert safe_divide([1.0, 0.0, 2.0], [2.0, 0.0, 0.0]).tolist() == [0.5, 0, 0]
