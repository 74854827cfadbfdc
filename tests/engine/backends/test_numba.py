"""Which links go into bins, and products by several callers at once."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest

from weft.core.arrays import Floats, Ids
from weft.engine.backends.numba import (
    MAX_CACHED_PAGES,
    BinnedOperator,
    build_operator,
    operator_from_edges,
)
from weft.engine.backends.numba_rows import CSROperator
from weft.engine.operator import Adjacency
from weft.graph.webgraph import build_csr, transpose

MANY = MAX_CACHED_PAGES + 1


@cache
def ends() -> tuple[Ids, Ids]:
    source, target = np.random.default_rng(6).integers(0, MANY, (2, 50_000)).astype(np.int32)
    return source, target


def links(n: int, *, from_edges: bool = False) -> Adjacency:
    source, target = (one % n for one in ends())
    rows = build_csr(source, target, None, n)
    return Adjacency(rows, transpose(rows, n), (source, target) if from_edges else None, n)


def product(x: Floats) -> Floats:
    """A'x, link by link."""
    source, target = np.unique(np.column_stack(ends()), axis=0).T
    apart = source != target
    return np.bincount(target[apart], x[source[apart]], MANY).astype(np.float64)


@pytest.mark.parametrize(
    ("n", "weighted", "kind"),
    [
        (MAX_CACHED_PAGES, False, CSROperator),
        (MANY, True, CSROperator),
        (MANY, False, BinnedOperator),
    ],
    ids=["few pages", "weights", "many pages"],
)
def test_bins_where_values_outgrow_the_cache(n: int, kind: type, *, weighted: bool) -> None:
    assert isinstance(build_operator(links(n), weighted=weighted), kind)


@pytest.mark.parametrize("from_edges", [False, True], ids=["from rows", "from edges"])
def test_the_same_products_from_rows_and_from_edges(*, from_edges: bool) -> None:
    operator = build_operator(links(MANY, from_edges=from_edges), weighted=False)
    x = np.random.default_rng(1).random(MANY)
    np.testing.assert_allclose(operator.rmatvec(x), product(x), rtol=1e-12)
    assert operator.link_count == product(np.ones(MANY)).sum()


def test_columns_are_multiplied_one_by_one() -> None:
    x = np.random.default_rng(2).random((MANY, 2))
    operator = operator_from_edges(*ends(), MANY)
    wanted = np.column_stack([product(x[:, 0]), product(x[:, 1])])
    np.testing.assert_allclose(operator.rmatvec(x), wanted, rtol=1e-12)
    assert not operator.batches_columns


def test_several_callers_at_once() -> None:
    """The message buffer serves one caller at a time; the others wait."""
    operator = operator_from_edges(*ends(), MANY)
    asked = np.random.default_rng(3).random((6, MANY))
    with ThreadPoolExecutor(3) as callers:
        for x, found in zip(asked, callers.map(operator.rmatvec, asked), strict=True):
            np.testing.assert_allclose(found, product(x), rtol=1e-12)
