"""Leading triplets against dense linear algebra."""

import numpy as np
import pytest

from weft.engine import triplets
from weft.graph.webgraph import WebGraph


def web(n: int) -> WebGraph:
    draw = np.random.default_rng(3)
    source, target = draw.integers(0, n, (2, 6 * n))
    return WebGraph.from_arrays(n, source, target)


@pytest.mark.parametrize("n", [40, 400])
def test_against_the_dense_decomposition(n: int) -> None:
    graph = web(n)
    found = triplets(graph.flow(), 5)
    dense = graph.flow().forward(np.eye(n)).T
    np.testing.assert_allclose(found.values, np.linalg.svd(dense)[1][:5], rtol=1e-9)
    np.testing.assert_allclose(dense @ found.target, found.source * found.values, atol=1e-8)
    np.testing.assert_allclose(dense.T @ found.source, found.target * found.values, atol=1e-8)
    largest = np.abs(found.target).argmax(axis=0)
    assert (found.target[largest, range(5)] > 0).all()


@pytest.mark.parametrize("n", [40, 400])
def test_a_run_twice_gives_the_same_bytes(n: int) -> None:
    one, two = (triplets(web(n).flow(), 4) for _ in range(2))
    assert one.target.tobytes() == two.target.tobytes()
    assert one.source.tobytes() == two.source.tobytes()


def test_fewer_where_there_are_fewer() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "y")])
    assert triplets(graph.flow(), 10).values.tolist() == pytest.approx([1, 1])
    empty = WebGraph.from_arrays(0, np.zeros(0, int), np.zeros(0, int))
    assert len(triplets(empty.flow(), 3).values) == 0
