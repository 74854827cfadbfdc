"""The Bayesian methods: published values, quadrature, in-degree order, reproducibility."""

from random import Random
from typing import Any

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.core.errors import BadParameter
from weft.graph.webgraph import WebGraph
from weft.rank import bayesian, bayesian_simple
from weft.rank.bayesian import LinkModel, ModelParameters, build_link_matrix, sample_posterior

SMALL = [("a", "x"), ("b", "x"), ("b", "y"), ("c", "z"), ("c", "x")]


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G3_own10"])
@pytest.mark.parametrize(
    ("method", "key"),
    [
        (bayesian_simple, "bayesian_simplified_MCMC"),
        (bayesian, "bayesian_full_mu-5_sigma0.1_MCMC"),
    ],
)
def test_sampled_values(spec: Any, name: str, method: Any, key: str) -> None:
    graph, values = spec(name)
    ranking, wanted = method(graph, samples=80_000), values[key]
    for side, pages in (("authority", "auth_nodes"), ("hub", "hub_nodes")):
        found = ranking.scores[side][wanted[pages]]
        np.testing.assert_allclose(found, wanted[f"{side}_posterior_mean"], atol=0.02)
        outside = np.delete(ranking.scores[side], wanted[pages])
        assert not outside.any()
    if method is bayesian:
        tendency = ranking.details["tendency"][wanted["hub_nodes"]]
        np.testing.assert_allclose(tendency, wanted["e_posterior_mean"], atol=0.01)


def test_the_simple_order_is_that_of_the_in_degree() -> None:
    random = Random(4)
    links = [(f"h{random.randrange(20)}", f"p{int(random.random() ** 2 * 15)}") for _ in range(120)]
    graph = WebGraph.from_links(links)
    scores, into = bayesian_simple(graph, samples=4000).scores["authority"], graph.indegrees()
    for degree in np.unique(into):
        assert np.ptp(scores[into == degree]) == 0
    steps = [scores[into == degree][0] for degree in np.unique(into)]
    assert (np.diff(steps) > 0).all()


def test_same_seed_same_scores_whatever_the_numbering() -> None:
    first = bayesian(WebGraph.from_links(SMALL), samples=500, seed=7)
    again = bayesian(WebGraph.from_links(SMALL[::-1]), samples=500, seed=7)
    other = bayesian(WebGraph.from_links(SMALL), samples=500, seed=8)
    scores = [
        dict(zip(run.pages, run.scores["authority"].tolist(), strict=True))
        for run in (first, again, other)
    ]
    assert scores[0] == pytest.approx(scores[1], rel=1e-9)
    assert scores[0] != pytest.approx(scores[2], rel=1e-9)
    simple = [
        bayesian_simple(WebGraph.from_links(SMALL), samples=500, seed=seed).scores["hub"]
        for seed in (0, 0, 1)
    ]
    assert simple[0].tolist() == simple[1].tolist() != simple[2].tolist()


def test_priors_change_the_scores() -> None:
    default = bayesian(WebGraph.from_links(SMALL), samples=2000)
    eager = bayesian(WebGraph.from_links(SMALL), samples=2000, mean=0.0)
    loose = bayesian(WebGraph.from_links(SMALL), samples=2000, mean=0.0, sd=10.0)
    assert eager.scores["authority"].sum() < default.scores["authority"].sum()
    assert np.ptp(loose.details["tendency"]) > np.ptp(eager.details["tendency"]) + 0.5


def test_more_samples_have_smaller_errors() -> None:
    assert (
        bayesian(WebGraph.from_links(SMALL), samples=20_000).trace.error
        < bayesian(WebGraph.from_links(SMALL), samples=500).trace.error
    )
    assert "standard error" in bayesian(WebGraph.from_links(SMALL), samples=500).certainty.note


def test_too_many_pairs_are_an_error() -> None:
    large = WebGraph.from_links([(f"h{i}", f"p{i}") for i in range(1001)])
    for method in (bayesian, bayesian_simple):
        with pytest.raises(BadParameter, match="1,002,001 pairs") as refusal:
            method(large)
        assert "around a query" in refusal.value.hint


def test_no_links_score_zero() -> None:
    for method in (bayesian, bayesian_simple):
        ranking = method(WebGraph.from_links([("a", "a")]))
        assert ranking.scores["authority"].tolist() == [0]
        assert "no links" in ranking.certainty.note


TOY = np.array([[1.0, 1.0], [1.0, 0.0]])


def likelihood(model: LinkModel, state: ModelParameters) -> Floats:
    """The log-likelihood of every pair, linked or not."""
    pairs: Floats = model.links * model.log_odds(state) - model.missing_link_nll(state)
    return pairs


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
def test_log_posterior_at_fixed_points(spec: Any, name: str) -> None:
    graph, values = spec(name)
    links = build_link_matrix(graph).matrix
    hubs, authorities = links.shape
    model = LinkModel(links, -5.0, 0.1)
    wanted = values["bayesian_logposterior_unnormalised"]
    for score, tendency, key in (
        (1.0, -5.0, "h=a=1,e=-5,mu=-5,sigma=0.1"),
        (2.0, -4.9, "h=a=2,e=-4.9,mu=-5,sigma=0.1"),
    ):
        state = ModelParameters(
            *(np.full(n, v) for n, v in ((hubs, score), (authorities, score), (hubs, tendency)))
        )
        prior = (
            state.hub.sum()
            + state.authority.sum()
            + model.tendency_neg_log_prior(state.tendency).sum()
        )
        assert likelihood(model, state).sum() - prior == pytest.approx(wanted[key], abs=1e-8)


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        (LinkModel(TOY), (1.8274470934, 1.0808945496)),
        (LinkModel(TOY, -1.0, 1e-6), (1.5948928301, 0.9262127994)),
    ],
    ids=["simple", "full"],
)
def test_two_hubs_and_two_authorities_by_quadrature(
    model: LinkModel, wanted: tuple[float, float]
) -> None:
    """Links 0-1, 0-2, 2-1: the posterior means by 40-point Gauss-Laguerre, then by sampling."""
    nodes, weights = np.polynomial.laguerre.laggauss(40)
    grid = np.stack(np.meshgrid(nodes, nodes, nodes, indexing="ij"), axis=-1).reshape(-1, 3)
    state = ModelParameters(grid[:, :2], grid[:, [2, 2]], np.full((len(grid), 2), -1.0))
    likelihoods = np.exp(likelihood(model, state).sum(axis=1)).reshape(40, 40, 40, 2)
    totals, moments = (np.einsum("xyaj,a->jxy", likelihoods, w) for w in (weights, weights * nodes))
    mass = np.outer(weights, weights) * totals[0] * totals[1]
    means = [mass.sum(axis=1) @ nodes, mass.sum(axis=0) @ nodes]
    means += [(mass * moments[j] / totals[j]).sum() for j in range(2)]
    assert np.array(means) / mass.sum() == pytest.approx([*wanted, *wanted], abs=1e-8)
    posterior = sample_posterior(model, 100_000, 3, "toy")
    assert posterior.mean.hub.tolist() == pytest.approx(wanted, abs=0.02)
    assert posterior.mean.authority.tolist() == pytest.approx(wanted, abs=0.02)
    assert posterior.trace.converged


def test_standard_errors_match_the_spread_over_seeds() -> None:
    """Over ten seeds the means vary about as much as their standard errors say."""
    runs = [sample_posterior(LinkModel(TOY), 2_000, seed, "toy") for seed in range(10)]
    spread = np.std([run.mean.authority for run in runs], axis=0, ddof=1)
    standard_error = np.mean([run.standard_error.authority for run in runs], axis=0)
    assert (spread < 2 * standard_error).all()
    assert (standard_error < 2.5 * spread).all()


def test_a_short_run_has_not_converged() -> None:
    links = np.eye(40)
    links[0] = 1
    assert not sample_posterior(LinkModel(links, -5.0, 0.1), 100, 0, "short").trace.converged
