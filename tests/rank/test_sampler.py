"""The sampler against densities at fixed points and integrals without chance."""

from typing import Any

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.rank.bayesian import arrange
from weft.rank.sampler import Model, State, sample

TOY = np.array([[1.0, 1.0], [1.0, 0.0]])


def likelihood(model: Model, state: State) -> Floats:
    """The log likelihood of every link and every missing link."""
    cells: Floats = model.links * model.log_odds(state) - model.chances(state)
    return cells


@pytest.mark.parametrize("name", ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"])
def test_log_posterior_at_fixed_points(spec: Any, name: str) -> None:
    graph, values = spec(name)
    links = arrange(graph).links
    hubs, authorities = links.shape
    model = Model(links, -5.0, 0.1)
    wanted = values["bayesian_logposterior_unnormalised"]
    for score, tendency, key in (
        (1.0, -5.0, "h=a=1,e=-5,mu=-5,sigma=0.1"),
        (2.0, -4.9, "h=a=2,e=-4.9,mu=-5,sigma=0.1"),
    ):
        state = State(
            *(np.full(n, v) for n, v in ((hubs, score), (authorities, score), (hubs, tendency)))
        )
        prior = state.hub.sum() + state.authority.sum() + model.log_tendency(state.tendency).sum()
        assert likelihood(model, state).sum() - prior == pytest.approx(wanted[key], abs=1e-8)


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        (Model(TOY), (1.8274470934, 1.0808945496)),
        (Model(TOY, -1.0, 1e-6), (1.5948928301, 0.9262127994)),
    ],
    ids=["simple", "full"],
)
def test_two_hubs_and_two_authorities_by_quadrature(
    model: Model, wanted: tuple[float, float]
) -> None:
    """Links 0-1, 0-2, 2-1: the average scores by 40-point Gauss-Laguerre, then by chance."""
    nodes, weights = np.polynomial.laguerre.laggauss(40)
    grid = np.stack(np.meshgrid(nodes, nodes, nodes, indexing="ij"), axis=-1).reshape(-1, 3)
    state = State(grid[:, :2], grid[:, [2, 2]], np.full((len(grid), 2), -1.0))
    likely = np.exp(likelihood(model, state).sum(axis=1)).reshape(40, 40, 40, 2)
    whole, first = (np.einsum("xyaj,a->jxy", likely, w) for w in (weights, weights * nodes))
    mass = np.outer(weights, weights) * whole[0] * whole[1]
    averages = [mass.sum(axis=1) @ nodes, mass.sum(axis=0) @ nodes]
    averages += [(mass * first[j] / whole[j]).sum() for j in range(2)]
    assert np.array(averages) / mass.sum() == pytest.approx([*wanted, *wanted], abs=1e-8)
    drawn = sample(model, 100_000, 3, "toy")
    assert drawn.mean.hub.tolist() == pytest.approx(wanted, abs=0.02)
    assert drawn.mean.authority.tolist() == pytest.approx(wanted, abs=0.02)
    assert drawn.trace.converged


def test_errors_are_about_right() -> None:
    """Over ten seeds the averages spread about as much as each of them says."""
    runs = [sample(Model(TOY), 2_000, seed, "toy") for seed in range(10)]
    spread = np.std([run.mean.authority for run in runs], axis=0, ddof=1)
    said = np.mean([run.error.authority for run in runs], axis=0)
    assert (spread < 2 * said).all()
    assert (said < 2.5 * spread).all()


def test_too_short_a_run_is_told() -> None:
    links = np.eye(40)
    links[0] = 1
    assert not sample(Model(links, -5.0, 0.1), 100, 0, "short").trace.converged
