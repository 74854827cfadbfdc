"""Which links go into bins, and what a flow of bins answers when several ask at once."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest

from weft.core.arrays import Floats, Ids
from weft.engine.choose import Links
from weft.engine.large import FEW, BinFlow, from_ends, make
from weft.engine.rows import RowFlow
from weft.graph.webgraph import compress, reverse

MANY = FEW + 1


@cache
def ends() -> tuple[Ids, Ids]:
    source, target = np.random.default_rng(6).integers(0, MANY, (2, 50_000)).astype(np.int32)
    return source, target


def links(n: int, *, by_ends: bool = False) -> Links:
    source, target = (one % n for one in ends())
    rows = compress(source, target, None, n)
    return Links(rows, reverse(rows, n), (source, target) if by_ends else None, n)


def arrived(x: Floats) -> Floats:
    """The sum that a flow should find, link by link."""
    source, target = np.unique(np.column_stack(ends()), axis=0).T
    apart = source != target
    return np.bincount(target[apart], x[source[apart]], MANY).astype(np.float64)


@pytest.mark.parametrize(
    ("n", "weighted", "kind"),
    [(FEW, False, RowFlow), (MANY, True, RowFlow), (MANY, False, BinFlow)],
    ids=["few pages", "weights", "many pages"],
)
def test_bins_where_values_outgrow_the_cache(n: int, kind: type, *, weighted: bool) -> None:
    assert isinstance(make(links(n), weighted=weighted), kind)


@pytest.mark.parametrize("by_ends", [False, True], ids=["from rows", "from ends"])
def test_the_same_sums_from_rows_and_from_ends(*, by_ends: bool) -> None:
    made = make(links(MANY, by_ends=by_ends), weighted=False)
    x = np.random.default_rng(1).random(MANY)
    np.testing.assert_allclose(made.forward(x), arrived(x), rtol=1e-12)
    assert made.links == arrived(np.ones(MANY)).sum()


def test_columns_are_summed_one_by_one() -> None:
    x = np.random.default_rng(2).random((MANY, 2))
    made = from_ends(*ends(), MANY)
    wanted = np.column_stack([arrived(x[:, 0]), arrived(x[:, 1])])
    np.testing.assert_allclose(made.forward(x), wanted, rtol=1e-12)
    assert not made.together


def test_several_may_ask_at_once() -> None:
    """Messages have room for one caller at a time; the others wait."""
    made = from_ends(*ends(), MANY)
    asked = np.random.default_rng(3).random((6, MANY))
    with ThreadPoolExecutor(3) as callers:
        for x, found in zip(asked, callers.map(made.forward, asked), strict=True):
            np.testing.assert_allclose(found, arrived(x), rtol=1e-12)
