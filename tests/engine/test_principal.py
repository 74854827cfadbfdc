"""The principal pair against dense linear algebra, also where powers are slow."""

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.engine import principal
from weft.engine.principal import lanczos
from weft.graph.webgraph import WebGraph


def path(n: int) -> WebGraph:
    """A ladder of hubs, each of two authorities: its two largest values are close."""
    return WebGraph.from_links([(f"h{i}", f"a{i + k}") for i in range(n) for k in (0, 1)])


def matrix(graph: WebGraph) -> Floats:
    return graph.flow().forward(np.eye(len(graph))).T


@pytest.mark.parametrize("n", [5, 60])
def test_slow_powers_are_brought_on(n: int) -> None:
    graph = path(n)
    pair = principal(graph.flow(), np.ones(len(graph)), 1e-11, 2000, "t")
    left, values, right = np.linalg.svd(matrix(graph))
    assert pair.trace.converged
    assert pair.value == pytest.approx(values[0], rel=1e-9)
    np.testing.assert_allclose(pair.target, np.abs(right[0]), atol=1e-7)
    np.testing.assert_allclose(pair.source, np.abs(left[:, 0]), atol=1e-7)


def test_lanczos_finds_what_powers_need_long_for() -> None:
    """The start is even, so that the second vector of the ladder, which is odd, plays no part."""
    graph = path(30)
    flow, n = graph.flow(), len(graph)
    _, values, right = np.linalg.svd(matrix(graph))
    best, steps, second = lanczos(flow, flow.forward(np.ones(n)), np.zeros(n), 1e-10, 20)
    assert steps <= 20
    assert second == pytest.approx((values[2] / values[0]) ** 2, rel=1e-3)
    assert abs(best @ right[0]) / np.linalg.norm(best) == pytest.approx(1, abs=1e-6)
    powers = flow.forward(np.ones(n))
    for _ in range(20):
        powers = flow.forward(flow.backward(powers))
    assert abs(powers @ right[0]) / np.linalg.norm(powers) < 1 - 1e-3


def test_lanczos_stops_where_the_start_has_all_that_matters() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])
    flow = graph.flow()
    best, steps, _ = lanczos(flow, flow.forward(np.ones(4)), np.zeros(4), 1e-10, 20)
    golden = {graph.pages[i]: value for i, value in enumerate(best) if value > 1e-9}
    assert golden["x"] / golden["y"] == pytest.approx((1 + 5**0.5) / 2)
    assert steps == 2


@pytest.mark.parametrize("limit", range(1, 24))
def test_no_more_rounds_than_allowed(limit: int) -> None:
    graph = path(60)
    trace = principal(graph.flow(), np.ones(len(graph)), 1e-13, limit, "t").trace
    assert (trace.converged, trace.rounds) == (False, limit)


def test_a_tie_is_the_projection_of_the_start() -> None:
    """Two equal stars, one start twice as strong at the second."""
    graph = WebGraph.from_links([("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")])
    start = np.array([1.0 if page in "ab" else 2.0 for page in graph.pages])
    pair = principal(graph.flow(), start, 1e-12, 100, "t")
    found = dict(zip(graph.pages, pair.target, strict=True))
    assert found["y"] / found["x"] == pytest.approx(2)


def test_no_links() -> None:
    graph = WebGraph.from_arrays(3, np.zeros(0, int), np.zeros(0, int))
    pair = principal(graph.flow(), np.ones(3), 1e-10, 100, "t")
    assert pair.value == 0
    assert not pair.target.any()
    assert not pair.source.any()


def test_a_limit_is_told() -> None:
    graph = path(60)
    trace = principal(graph.flow(), np.ones(len(graph)), 1e-11, 3, "t").trace
    assert (trace.converged, trace.stopped, trace.rounds) == (False, "limit", 3)
