"""SciPy's sums beside those of a dense matrix."""

import numpy as np
import pytest

from weft.core.arrays import Floats, Rows
from weft.engine.choose import Links
from weft.engine.flow import Less, Visits
from weft.engine.small import make, of_rows
from weft.graph.webgraph import compress, reverse

N = 40
DRAW = np.random.default_rng(8)
MATRIX = np.where(DRAW.random((N, N)) < 0.1, DRAW.integers(1, 5, (N, N)), 0).astype(float)
np.fill_diagonal(MATRIX, 0)


def links() -> Links:
    source, target = np.nonzero(MATRIX)
    rows = compress(source.astype(np.int32), target.astype(np.int32), MATRIX[source, target], N)
    return Links(rows, reverse(rows, N), None, N)


@pytest.mark.parametrize("columns", [0, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_are_those_of_the_matrix(columns: int, *, weighted: bool) -> None:
    made = make(links(), weighted=weighted)
    matrix = MATRIX if weighted else np.sign(MATRIX)
    x = DRAW.random((N, columns) if columns else N)
    np.testing.assert_allclose(made.forward(x), matrix.T @ x)
    np.testing.assert_allclose(made.backward(x), matrix @ x)
    assert (made.n, made.links, made.together) == (N, len(MATRIX.nonzero()[0]), True)


def test_into_and_less_set_what_they_are_given() -> None:
    made, matrix = make(links(), weighted=True), MATRIX
    x, one, two = DRAW.random((3, N))
    y: Floats = np.zeros(N)
    assert made.forward_into(x, y, 2.0).total == pytest.approx(2 * (matrix.T @ x).sum())
    np.testing.assert_allclose(y, 2 * matrix.T @ x)
    before = y.copy()
    told = made.backward_into(x, y)
    np.testing.assert_allclose(y, matrix @ x)
    assert told.change == pytest.approx(np.abs(y - before).sum())
    made.forward_less(x, y, Less(one, two, 0.5, 3.0))
    np.testing.assert_allclose(y, matrix.T @ x - one / 2 - 3 * two)


def test_a_round_of_a_walk() -> None:
    x, each = DRAW.random((2, N))
    each[:5] = 0
    visits = Visits(x.copy(), np.zeros(N), each, np.ones(1), 0.5)
    told = make(links(), weighted=False).pass_on(visits)
    arrived = np.sign(MATRIX).T @ x + 0.5
    np.testing.assert_allclose(visits.total, arrived)
    np.testing.assert_allclose(visits.sent, arrived * each)
    assert told == pytest.approx((arrived.sum(), arrived[:5].sum()))


def test_components_by_hand() -> None:
    """Pages 0 and 1 share an authority; 3 points to 0, which no other page does."""
    found = of_rows(Rows(np.array([0, 1, 2, 2, 3]), np.array([2, 2, 0], np.int32)), 4)
    assert found.count == 2
    assert found.source.tolist() == [0, 0, -1, 1]
    assert found.target.tolist() == [1, -1, 0, -1]
