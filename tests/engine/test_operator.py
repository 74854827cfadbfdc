"""Helpers of operators by hand; a scaled operator against the scaled matrix."""

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.engine.operator import RecurrenceTerms, ScaledOperator, WalkState, safe_power, scale_rows
from weft.graph.webgraph import WebGraph

GRAPH = WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y"), ("y", "a")])
N = len(GRAPH)
SOURCE, TARGET = np.arange(1.0, N + 1), np.array([0.5, 2.0, 3.0, 0.0])
WEIGHTED = SOURCE[:, None] * TARGET


def scaled() -> ScaledOperator:
    return ScaledOperator(GRAPH.operator(), SOURCE, TARGET)


def matrix() -> Floats:
    found = np.zeros((N, N))
    hubs = np.repeat(np.arange(N), np.diff(GRAPH.outlinks.starts))
    found[hubs, GRAPH.outlinks.ids] = 1
    found *= WEIGHTED
    return found


@pytest.mark.parametrize("columns", [0, 2])
def test_products_are_those_of_the_scaled_matrix(columns: int) -> None:
    x = np.random.default_rng(1).random((N, columns) if columns else N)
    np.testing.assert_allclose(scaled().rmatvec(x), matrix().T @ x)
    np.testing.assert_allclose(scaled().matvec(x), matrix() @ x)


def test_a_scaled_operator_has_all_operations() -> None:
    x, x1, x2 = np.random.default_rng(2).random((3, N))
    operator, into, back, minus = scaled(), x1.copy(), x1.copy(), x1.copy()
    sums = operator.rmatvec_into(x, into, 0.5)
    np.testing.assert_allclose(into, matrix().T @ x / 2)
    assert sums.change == pytest.approx(np.abs(into - x1).sum())
    assert operator.matvec_into(x, back).total == pytest.approx((matrix() @ x).sum())
    operator.rmatvec_recurrence(x, minus, RecurrenceTerms(x1, x2, 1.0, 2.0))
    np.testing.assert_allclose(minus, matrix().T @ x - x1 - 2 * x2)
    state = WalkState(x.copy(), x1.copy(), x2, np.ones(1), 1.0)
    assert operator.neumann_step(state).change == pytest.approx((matrix().T @ x + 1).sum())
    np.testing.assert_allclose(state.outgoing, (matrix().T @ x + 1) * x2)
    assert (operator.n, operator.link_count, operator.batches_columns) == (N, 4, True)
    assert (
        operator.hub_authority_components().count
        == GRAPH.operator().hub_authority_components().count
        == 2
    )


def test_scale_rows() -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert scale_rows(np.array([2.0, 0.5]), x).tolist() == [[2.0, 4.0], [1.5, 2.0]]
    assert scale_rows(np.array([2.0, 0.5]), x[:, 0]).tolist() == [2.0, 1.5]


def test_zero_stays_zero_for_any_power() -> None:
    degrees = np.array([0.0, 1.0, 4.0])
    assert safe_power(degrees, -1.0).tolist() == [0, 1, 0.25]
    assert safe_power(degrees, 0.0).tolist() == [0, 1, 1]
