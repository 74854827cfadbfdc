"""Neumann series against linear systems."""

import numpy as np
import pytest

from weft.engine import neumann_series, safe_power
from weft.graph.webgraph import WebGraph

LINKS = [("a", "b"), ("a", "c"), ("b", "c"), ("d", "a"), ("c", "e"), ("b", "e")]


@pytest.mark.parametrize("damping", [0.5, 0.85])
def test_the_series_solves_the_system(damping: float) -> None:
    graph = WebGraph.from_links(LINKS)
    n = len(graph)
    row_scale = damping * safe_power(graph.outdegrees(), -1.0)
    start = np.arange(1.0, n + 1)
    solution, trace = neumann_series(
        graph.operator(), start, row_scale, 1e-12, 500, "t", damping=damping
    )
    step = graph.operator().rmatvec(np.diag(row_scale))
    np.testing.assert_allclose(solution, np.linalg.solve(np.eye(n) - step, start), rtol=1e-10)
    assert trace.converged


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_the_error_bound_holds(tol: float) -> None:
    graph = WebGraph.from_links([*LINKS, ("e", "a")])
    n, damping = len(graph), 0.95
    row_scale = damping * safe_power(graph.outdegrees(), -1.0)
    start = np.full(n, (1 - damping) / n)
    rough, trace = neumann_series(
        graph.operator(), start, row_scale, tol, 5000, "t", damping=damping
    )
    exact, _ = neumann_series(graph.operator(), start, row_scale, 1e-14, 5000, "t", damping=damping)
    assert np.abs(rough - exact).sum() <= trace.error
    assert trace.error < 100 * tol


def test_max_iter_is_reported() -> None:
    graph = WebGraph.from_links(LINKS)
    _, trace = neumann_series(graph.operator(), np.ones(5), np.full(5, 0.4), 1e-12, 2, "t")
    assert (trace.converged, trace.stopped, trace.iterations) == (False, "max_iter", 2)


def test_a_zero_start() -> None:
    graph = WebGraph.from_links(LINKS)
    solution, trace = neumann_series(graph.operator(), np.zeros(5), np.full(5, 0.4), 1e-12, 9, "t")
    assert trace.converged
    assert not solution.any()
