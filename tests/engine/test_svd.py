"""Leading singular triplets against dense linear algebra."""

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.engine import singular_triplets, svd
from weft.engine.operator import HOST_VECTORS
from weft.engine.svd import second_eigenvalue_modulus
from weft.graph.webgraph import WebGraph


def web(n: int) -> WebGraph:
    rng = np.random.default_rng(3)
    source, target = rng.integers(0, n, (2, 6 * n))
    return WebGraph.from_arrays(n, source, target)


@pytest.mark.parametrize("n", [40, 400])
def test_against_the_dense_decomposition(n: int) -> None:
    graph = web(n)
    found = singular_triplets(graph.operator(), 5)
    dense = graph.operator().rmatvec(np.eye(n)).T
    np.testing.assert_allclose(found.values, np.linalg.svd(dense)[1][:5], rtol=1e-9)
    np.testing.assert_allclose(dense @ found.target, found.source * found.values, atol=1e-8)
    np.testing.assert_allclose(dense.T @ found.source, found.target * found.values, atol=1e-8)
    largest = np.abs(found.target).argmax(axis=0)
    assert (found.target[largest, range(5)] > 0).all()


@pytest.mark.parametrize("n", [40, 400])
def test_results_repeat(n: int) -> None:
    one, two = (singular_triplets(web(n).operator(), 4) for _ in range(2))
    assert one.target.tobytes() == two.target.tobytes()
    assert one.source.tobytes() == two.source.tobytes()


def test_fewer_triplets_for_low_rank() -> None:
    graph = WebGraph.from_links([("a", "x"), ("b", "y")])
    assert singular_triplets(graph.operator(), 10).values.tolist() == pytest.approx([1, 1])
    empty = WebGraph.from_arrays(0, np.zeros(0, int), np.zeros(0, int))
    assert len(singular_triplets(empty.operator(), 3).values) == 0


@pytest.mark.parametrize("symmetric", [True, False])
def test_second_eigenvalue_is_that_of_the_matrix(symmetric: bool) -> None:  # noqa: FBT001
    matrix = np.random.default_rng(4).random((12, 12))
    matrix = matrix @ matrix.T if symmetric else matrix
    values, vectors = np.linalg.eig(matrix)
    order = np.argsort(-np.abs(values))
    first = np.abs(vectors[:, order[0]].real)
    found = second_eigenvalue_modulus(HOST_VECTORS, lambda x: matrix @ x, first)
    assert found == pytest.approx(abs(values[order[1]]), rel=1e-8)


def test_few_arnoldi_steps_if_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four steps approximate a well separated second eigenvalue."""
    monkeypatch.setattr(svd, "MAX_ARNOLDI_FLOATS", 0)
    matrix = np.diag([9.0, 8.0, *np.linspace(1, 0, 48)])
    first = np.eye(50)[0]
    calls = []

    def step(x: Floats) -> Floats:
        calls.append(1)
        onto: Floats = matrix @ x
        return onto

    assert second_eigenvalue_modulus(HOST_VECTORS, step, first) == pytest.approx(8, rel=0.01)
    assert len(calls) == 6
