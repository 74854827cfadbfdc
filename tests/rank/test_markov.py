"""General Markov chains: graphs with self-links, kept on request."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from weft.core.arrays import Floats
from weft.engine import use
from weft.engine.backends import numba as numba_backend
from weft.graph.webgraph import WebGraph
from weft.rank import Ranking, indegree, pagerank, personalised_pagerank, prestige, salsa, stability
from weft.rank.spectral_radius import bound_spectral_radius

every_backend = pytest.mark.parametrize("backend", ["scipy", "numba"])
chains = st.lists(st.sampled_from(list(product(range(5), repeat=2))), min_size=1, max_size=20)


def chain(transitions: object) -> WebGraph:
    """The graph of a Markov chain, with transition probabilities as link weights."""
    return WebGraph.from_scipy(csr_array(np.array(transitions)), self_links=True)


def two_states(a: float, b: float) -> WebGraph:
    return chain([[1 - a, a], [b, 1 - b]])


@every_backend
@pytest.mark.parametrize(("a", "b"), [(0.25, 0.125), (0.5, 0.5), (0.125, 0.75), (1.0, 0.5)])
def test_two_states(backend: str, a: float, b: float) -> None:
    """The stationary distribution is (b, a) / (a + b), and with jumps (d b + (1-d)/2) / …."""
    graph, d = two_states(a, b), 0.75
    with use(backend):
        stationary = prestige(graph, weighted=True).scores["score"]
        with_jumps = pagerank(graph, damping=d, weighted=True).scores["score"]
    np.testing.assert_allclose(stationary, [b / (a + b), a / (a + b)], atol=1e-9)
    first = (d * b + (1 - d) / 2) / (1 - d * (1 - a - b))
    np.testing.assert_allclose(with_jumps, [first, 1 - first], atol=1e-9)


def test_a_textbook_chain() -> None:
    """Three states, with a self-loop of probability 0.1 at the second."""
    transitions = np.array([[0, 0.9, 0.1], [0.3, 0.1, 0.6], [0.5, 0.5, 0]])
    found = prestige(chain(transitions), weighted=True)
    np.testing.assert_allclose(
        found.scores["score"] @ transitions, found.scores["score"], atol=1e-6
    )
    np.testing.assert_allclose(found.scores["score"], np.array([12, 19, 12.6]) / 43.6, atol=1e-6)
    assert found.certainty.unique


@pytest.mark.parametrize("few", [0, 1 << 17], ids=["bins", "rows"])
def test_no_backend_drops_self_links(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From `a` the surfer stays with probability 1/2: (2, 1) / 3 without jumps."""
    monkeypatch.setattr(numba_backend, "MAX_CACHED_PAGES", few)
    graph = WebGraph.from_links([("a", "a"), ("a", "b"), ("b", "a")], self_links=True)
    with use("numba"):
        found = pagerank(graph, damping=0.75).scores["score"]
        links = graph.link_count, graph.operator().rmatvec(np.ones(2)).tolist()
    first = (0.75 * 1 + 0.125) / (1 - 0.75 * (1 - 0.5 - 1))
    np.testing.assert_allclose(found, [first, 1 - first], atol=1e-9)
    assert links == (3, [2, 1])


def test_absorbing_pages() -> None:
    """All prestige is in the absorbing page, and the spectral radius is one."""
    graph = WebGraph.from_links([("a", "b"), ("b", "b")], self_links=True)
    assert prestige(graph).scores["score"].tolist() == [0, 1]
    assert bound_spectral_radius(graph, 100).radius_upper_bound == 1
    twice = WebGraph.from_links([("a", "a"), ("b", "b")], self_links=True)
    assert prestige(twice).details["variant"] == "damped"


def transition(graph: WebGraph) -> Floats:
    dense: Floats = np.zeros((len(graph), len(graph)))
    dense[graph.outlinks.row_ids(), graph.outlinks.ids] = 1
    dense /= np.maximum(dense.sum(axis=1, keepdims=True), 1)
    return dense


@given(chains)
def test_pagerank_is_that_of_the_matrix(links: list[tuple[int, int]]) -> None:
    graph = WebGraph.from_arrays(5, *np.array(links).T, self_links=True)
    walk = np.eye(5) - 0.85 * transition(graph).T
    for found, jump in (
        (pagerank(graph, dangling="leak"), np.full(5, 0.2)),
        (personalised_pagerank(graph, seeds=["2"], dangling="leak"), np.eye(5)[2]),
    ):
        wanted = np.linalg.solve(walk, 0.15 * jump)
        np.testing.assert_allclose(found.scores["score"], wanted, atol=1e-8)


@given(chains)
def test_salsa_follows_self_links(links: list[tuple[int, int]]) -> None:
    graph = WebGraph.from_arrays(5, *np.array(links).T, self_links=True)
    closed, walked = salsa(graph), salsa(graph, solver="walk", max_iter=10_000)
    for name, values in closed.scores.items():
        np.testing.assert_allclose(values, walked.scores[name], atol=1e-6)


def test_stability_keeps_self_links() -> None:
    graph = WebGraph.from_links([("a", "a"), ("a", "b"), ("b", "b")], self_links=True)
    sizes = []

    def rank(web: WebGraph) -> Ranking:
        sizes.append(web.link_count)
        return indegree(web)

    stability(graph, rank, drop=0.0, trials=2)
    assert sizes == [3, 3, 3]
