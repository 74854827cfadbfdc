"""What machines share, by hand; a scaled flow beside the scaled matrix."""

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.engine.flow import Less, Scaled, Visits, by_page, lessened, passed, powers, replaced
from weft.graph.webgraph import WebGraph

GRAPH = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y"), ("y", "a")])
N = len(GRAPH)
SOURCE, TARGET = np.arange(1.0, N + 1), np.array([0.5, 2.0, 3.0, 0.0])
WEIGHTED = SOURCE[:, None] * TARGET


def scaled() -> Scaled:
    return Scaled(GRAPH.flow(), SOURCE, TARGET)


def matrix() -> Floats:
    found = np.zeros((N, N))
    hubs = np.repeat(np.arange(N), np.diff(GRAPH.outlinks.starts))
    found[hubs, GRAPH.outlinks.ids] = 1
    found *= WEIGHTED
    return found


def test_what_replaces_is_told() -> None:
    y = np.array([1.0, 5.0])
    assert replaced(y, np.array([2.0, -3.0])) == (13.0, -1.0, 9.0)
    assert y.tolist() == [2.0, -3.0]


def test_what_is_taken_off_is_told() -> None:
    y = np.zeros(2)
    told = lessened(y, np.array([9.0, 9.0]), Less(np.array([1.0, 2]), np.array([3.0, 0]), 2, 1))
    assert y.tolist() == [4.0, 5.0]
    assert told == (41.0, 9.0, 9.0)


def test_what_arrives_is_passed_on_or_stuck() -> None:
    visits = Visits(np.zeros(3), np.ones(3), np.array([0.5, 0.0, 1.0]), np.array([2.0]), 0.25)
    assert passed(np.array([1.0, 2.0, 3.0]), visits) == (7.5, 2.5)
    assert visits.total.tolist() == [2.5, 3.5, 4.5]
    assert visits.sent.tolist() == [0.75, 0.0, 3.5]


@pytest.mark.parametrize("columns", [0, 2])
def test_a_scaled_flow_is_that_of_the_scaled_matrix(columns: int) -> None:
    x = np.random.default_rng(1).random((N, columns) if columns else N)
    np.testing.assert_allclose(scaled().forward(x), matrix().T @ x)
    np.testing.assert_allclose(scaled().backward(x), matrix() @ x)


def test_a_scaled_flow_keeps_the_words_of_every_flow() -> None:
    x, one, two = np.random.default_rng(2).random((3, N))
    made, into, back, less = scaled(), one.copy(), one.copy(), one.copy()
    told = made.forward_into(x, into, 0.5)
    np.testing.assert_allclose(into, matrix().T @ x / 2)
    assert told.change == pytest.approx(np.abs(into - one).sum())
    assert made.backward_into(x, back).total == pytest.approx((matrix() @ x).sum())
    made.forward_less(x, less, Less(one, two, 1.0, 2.0))
    np.testing.assert_allclose(less, matrix().T @ x - one - 2 * two)
    visits = Visits(x.copy(), one.copy(), two, np.ones(1), 1.0)
    assert made.pass_on(visits).change == pytest.approx((matrix().T @ x + 1).sum())
    np.testing.assert_allclose(visits.sent, (matrix().T @ x + 1) * two)
    assert (made.n, made.links, made.together) == (N, 4, True)
    assert made.components().count == GRAPH.flow().components().count == 2


def test_a_factor_goes_with_its_page() -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert by_page(np.array([2.0, 0.5]), x).tolist() == [[2.0, 4.0], [1.5, 2.0]]
    assert by_page(np.array([2.0, 0.5]), x[:, 0]).tolist() == [2.0, 1.5]


def test_zero_stays_zero_whatever_the_power() -> None:
    degrees = np.array([0.0, 1.0, 4.0])
    assert powers(degrees, -1.0).tolist() == [0, 1, 0.25]
    assert powers(degrees, 0.0).tolist() == [0, 1, 1]
