"""Sums of walks against linear systems."""

import numpy as np
import pytest

from weft.engine import powers, series
from weft.graph.webgraph import WebGraph

LINKS = [("a", "b"), ("a", "c"), ("b", "c"), ("d", "a"), ("c", "e"), ("b", "e")]


@pytest.mark.parametrize("share", [0.5, 0.85])
def test_it_solves_the_system(share: float) -> None:
    graph = WebGraph.from_links(LINKS)
    n = len(graph)
    each = share * powers(graph.outdegrees(), -1.0)
    start = np.arange(1.0, n + 1)
    found, trace = series(graph.flow(), start, each, 1e-12, 500, "t", share=share)
    step = graph.flow().forward(np.diag(each))
    np.testing.assert_allclose(found, np.linalg.solve(np.eye(n) - step, start), rtol=1e-10)
    assert trace.converged


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6])
def test_the_bound_holds(tolerance: float) -> None:
    graph = WebGraph.from_links([*LINKS, ("e", "a")])
    n, share = len(graph), 0.95
    each = share * powers(graph.outdegrees(), -1.0)
    start = np.full(n, (1 - share) / n)
    rough, trace = series(graph.flow(), start, each, tolerance, 5000, "t", share=share)
    exact, _ = series(graph.flow(), start, each, 1e-14, 5000, "t", share=share)
    assert np.abs(rough - exact).sum() <= trace.error
    assert trace.error < 100 * tolerance


def test_a_limit_is_told() -> None:
    graph = WebGraph.from_links(LINKS)
    _, trace = series(graph.flow(), np.ones(5), np.full(5, 0.4), 1e-12, 2, "t")
    assert (trace.converged, trace.stopped, trace.rounds) == (False, "limit", 2)


def test_nothing_to_start_with() -> None:
    graph = WebGraph.from_links(LINKS)
    found, trace = series(graph.flow(), np.zeros(5), np.full(5, 0.4), 1e-12, 9, "t")
    assert trace.converged
    assert not found.any()
