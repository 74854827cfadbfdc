"""Compiled sums over rows beside those of a dense matrix."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats
from weft.engine.choose import Links
from weft.engine.flow import Less, Visits
from weft.engine.rows import PIECES, RowFlow, make
from weft.graph.webgraph import compress, reverse

DRAW = np.random.default_rng(9)


def drawn(n: int, share: float) -> Floats:
    """A weighted web as a matrix; its first page points to all others."""
    chosen = DRAW.random((n, n)) < share
    chosen[:1] = True
    matrix = np.where(chosen, DRAW.integers(1, 5, (n, n)), 0).astype(float)
    np.fill_diagonal(matrix, 0)
    return matrix


def flow_of(matrix: Floats, *, weighted: bool) -> RowFlow:
    n = len(matrix)
    source, target = np.nonzero(matrix)
    rows = compress(source.astype(np.int32), target.astype(np.int32), matrix[source, target], n)
    return make(Links(rows, reverse(rows, n), None, n), weighted=weighted)


@pytest.mark.parametrize("columns", [0, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 2, 30, 2 * PIECES])
def test_sums_are_those_of_the_matrix(n: int, columns: int, *, weighted: bool) -> None:
    matrix = drawn(n, 0.1)
    made = flow_of(matrix, weighted=weighted)
    asked = matrix if weighted else np.sign(matrix)
    x = DRAW.random((n, columns) if columns else n)
    np.testing.assert_allclose(made.forward(x), asked.T @ x)
    np.testing.assert_allclose(made.backward(x), asked @ x)
    assert (made.n, made.links, made.together) == (n, len(matrix.nonzero()[0]), True)


def test_what_a_pass_tells() -> None:
    matrix = drawn(50, 0.2)
    x, y, one, two = DRAW.random((4, 50))
    made, before = flow_of(matrix, weighted=True), y.copy()
    told = made.forward_into(x, y, 0.5)
    np.testing.assert_allclose(y, matrix.T @ x / 2)
    assert told == pytest.approx(((y**2).sum(), y.sum(), np.abs(y - before).sum()))
    made.backward_into(x, y, 3.0)
    np.testing.assert_allclose(y, 3 * matrix @ x)
    made.forward_less(x, y, Less(one, two, 1.0, -1.0))
    np.testing.assert_allclose(y, matrix.T @ x - one + two)
    visits = Visits(x.copy(), one.copy(), two, np.zeros(1), 1.0)
    assert made.pass_on(visits).change == pytest.approx((matrix.T @ x).sum())
    np.testing.assert_allclose(visits.total, one + matrix.T @ x)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60))
def test_pieces_cover_every_row_once(degrees: list[int]) -> None:
    """However the links are spread; no piece has much more work than its share."""
    n = len(degrees)
    source = np.repeat(np.arange(n), degrees).astype(np.int32)
    target = np.concatenate([np.arange(k) + n for k in degrees]).astype(np.int32)
    rows = compress(source, target, None, n + 40)
    made = make(Links(rows, reverse(rows, n + 40), None, n + 40), weighted=False)
    bounds = made.out[0].tolist()
    assert (bounds[0], bounds[-1]) == (0, n + 40)
    assert bounds == sorted(bounds)
    share = (n + 40 + len(rows.ids)) / PIECES
    work = np.append(np.diff(rows.starts) + 1, 0)
    assert all(work[a : max(a, b - 1)].sum() <= share + 1 for a, b in pairwise(bounds))


def test_components_by_hand() -> None:
    """Pages 0 and 1 share an authority; 3 points to 0, which no other page does."""
    matrix = np.zeros((4, 4))
    matrix[[0, 1, 3], [2, 2, 0]] = 1
    found = flow_of(matrix, weighted=False).components()
    assert (found.count, found.source.tolist()) == (2, [0, 0, -1, 1])
    assert found.target.tolist() == [1, -1, 0, -1]
