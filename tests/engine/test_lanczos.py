"""The principal pair against dense linear algebra, also where power iteration is slow."""

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.engine import principal_singular_pair
from weft.engine.lanczos import lanczos
from weft.graph.webgraph import WebGraph


def path(n: int) -> WebGraph:
    """A ladder of hubs, each of two authorities: its two largest values are close."""
    return WebGraph.from_links([(f"h{i}", f"a{i + k}") for i in range(n) for k in (0, 1)])


def matrix(graph: WebGraph) -> Floats:
    return graph.operator().rmatvec(np.eye(len(graph))).T


@pytest.mark.parametrize("n", [5, 60])
def test_slow_convergence_is_accelerated(n: int) -> None:
    graph = path(n)
    pair = principal_singular_pair(graph.operator(), np.ones(len(graph)), 1e-11, 2000, "t")
    left, values, right = np.linalg.svd(matrix(graph))
    assert pair.trace.converged
    assert pair.value == pytest.approx(values[0], rel=1e-9)
    np.testing.assert_allclose(pair.target, np.abs(right[0]), atol=1e-7)
    np.testing.assert_allclose(pair.source, np.abs(left[:, 0]), atol=1e-7)


def test_lanczos_beats_power_iteration() -> None:
    """The start is even, so that the second vector of the ladder, which is odd, has no part."""
    graph = path(30)
    operator, n = graph.operator(), len(graph)
    _, values, right = np.linalg.svd(matrix(graph))
    best = operator.rmatvec(np.ones(n))
    steps, second = lanczos(operator, best, np.zeros(n), 1e-10, 20)
    assert steps <= 20
    assert second == pytest.approx((values[2] / values[0]) ** 2, rel=1e-3)
    assert abs(best @ right[0]) == pytest.approx(1, abs=1e-6)
    assert np.linalg.norm(best) == pytest.approx(1)
    powers = operator.rmatvec(np.ones(n))
    for _ in range(20):
        powers = operator.rmatvec(operator.matvec(powers))
    assert abs(powers @ right[0]) / np.linalg.norm(powers) < 1 - 1e-3


def test_lanczos_stops_when_the_krylov_space_is_exhausted() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])
    operator = graph.operator()
    best = operator.rmatvec(np.ones(4))
    steps, _ = lanczos(operator, best, np.zeros(4), 1e-10, 20)
    golden = {graph.pages[i]: value for i, value in enumerate(best) if value > 1e-9}
    assert golden["x"] / golden["y"] == pytest.approx((1 + 5**0.5) / 2)
    assert steps == 2


@pytest.mark.parametrize("max_iter", range(1, 24))
def test_no_more_than_max_iter_iterations(max_iter: int) -> None:
    graph = path(60)
    trace = principal_singular_pair(
        graph.operator(), np.ones(len(graph)), 1e-13, max_iter, "t"
    ).trace
    assert (trace.converged, trace.iterations) == (False, max_iter)


def test_a_tie_is_the_projection_of_the_start() -> None:
    """Two equal stars, with a start twice as strong at the second."""
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")])
    start = np.array([1.0 if page in "ab" else 2.0 for page in graph.pages])
    pair = principal_singular_pair(graph.operator(), start, 1e-12, 100, "t")
    found = dict(zip(graph.pages, pair.target, strict=True))
    assert found["y"] / found["x"] == pytest.approx(2)


def test_no_links() -> None:
    graph = WebGraph.from_arrays(3, np.zeros(0, int), np.zeros(0, int))
    pair = principal_singular_pair(graph.operator(), np.ones(3), 1e-10, 100, "t")
    assert pair.value == 0
    assert not pair.target.any()
    assert not pair.source.any()


def test_max_iter_is_reported() -> None:
    graph = path(60)
    trace = principal_singular_pair(graph.operator(), np.ones(len(graph)), 1e-11, 3, "t").trace
    assert (trace.converged, trace.stopped, trace.iterations) == (False, "max_iter", 3)
