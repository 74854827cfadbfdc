"""Every backend gives the same results: one suite over all of them."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats, Ids
from weft.engine import (
    NO_TELEPORT,
    LinkOperator,
    ScaledOperator,
    neumann_series,
    operator_from_csr,
    principal_singular_pair,
    safe_power,
    use_backend,
)
from weft.engine.backends import numba_rows
from weft.engine.backends import scipy as scipy_backend
from weft.engine.backends.numba import operator_from_edges
from weft.engine.operator import RecurrenceTerms, WalkState
from weft.engine.select import Adjacency
from weft.graph.webgraph import WebGraph, build_csr, transpose

Make = Callable[[Ids, Ids, int], LinkOperator]
PAGES = 70_000
ends = st.lists(
    st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1)), min_size=0, max_size=60
)


def scipy_operator(source: Ids, target: Ids, n: int) -> LinkOperator:
    out = build_csr(source, target, None, n)
    with use_backend("scipy"):
        return operator_from_csr(out, transpose(out, n))


def csr_operator(source: Ids, target: Ids, n: int) -> LinkOperator:
    out = build_csr(source, target, None, n)
    return numba_rows.build_csr_operator(Adjacency(out, transpose(out, n), None, n), weighted=False)


def binned_operator(source: Ids, target: Ids, n: int) -> LinkOperator:
    return operator_from_edges(source, target, n)


every_backend = pytest.mark.parametrize(
    "make", [csr_operator, binned_operator], ids=["csr", "bins"]
)


@cache
def web() -> tuple[Ids, Ids]:
    """A skewed web over three partitions, with parallel links and self-links."""
    rng = np.random.default_rng(5)
    source = (rng.pareto(1.2, 300_000) * 400).astype(np.int64) % PAGES
    target = np.where(rng.random(300_000) < 0.5, rng.integers(0, 50, 300_000) ** 2, source + 7)
    return source.astype(np.int32), (target % PAGES).astype(np.int32)


def values(columns: int = 0) -> Floats:
    shape = (PAGES, columns) if columns else PAGES
    found: Floats = np.random.default_rng(1).random(shape)
    return found


by_matrix = pytest.mark.parametrize(
    "make", [numba_rows.build_csr_operator, scipy_backend.build_operator], ids=["csr", "scipy"]
)


def random_web(n: int) -> tuple[Floats, Adjacency]:
    """A weighted web as a matrix and as links; its first page links to all others."""
    rng = np.random.default_rng(9)
    chosen = rng.random((n, n)) < 0.1
    chosen[:1] = True
    matrix = np.where(chosen, rng.integers(1, 5, (n, n)), 0).astype(float)
    np.fill_diagonal(matrix, 0)
    source, target = np.nonzero(matrix)
    out = build_csr(source.astype(np.int32), target.astype(np.int32), matrix[source, target], n)
    return matrix, Adjacency(out, transpose(out, n), None, n)


@by_matrix
@pytest.mark.parametrize("columns", [0, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 2, 30, 2 * numba_rows.WORK_PIECES])
def test_products_are_those_of_a_matrix(
    make: Callable[..., LinkOperator], n: int, columns: int, *, weighted: bool
) -> None:
    matrix, links = random_web(n)
    operator = make(links, weighted=weighted)
    asked = matrix if weighted else np.sign(matrix)
    x = np.random.default_rng(8).random((n, columns) if columns else n)
    np.testing.assert_allclose(operator.rmatvec(x), asked.T @ x)
    np.testing.assert_allclose(operator.matvec(x), asked @ x)
    assert (operator.n, operator.link_count, operator.batches_columns) == (
        n,
        int(np.count_nonzero(matrix)),
        True,
    )


@by_matrix
def test_products_in_place_are_those_of_a_matrix(make: Callable[..., LinkOperator]) -> None:
    matrix, links = random_web(50)
    x, y, one, two = np.random.default_rng(8).random((4, 50))
    operator, before = make(links, weighted=True), y.copy()
    sums = operator.rmatvec_into(x, y, 0.5)
    np.testing.assert_allclose(y, matrix.T @ x / 2)
    assert sums == pytest.approx(((y**2).sum(), y.sum(), np.abs(y - before).sum()))
    operator.matvec_into(x, y, 3.0)
    np.testing.assert_allclose(y, 3 * matrix @ x)
    operator.rmatvec_recurrence(x, y, RecurrenceTerms(one, two, 0.5, -3.0))
    np.testing.assert_allclose(y, matrix.T @ x - one / 2 + 3 * two)


@by_matrix
def test_a_neumann_step_is_that_of_a_matrix(make: Callable[..., LinkOperator]) -> None:
    matrix, links = random_web(50)
    x, before, row_scale = np.random.default_rng(8).random((3, 50))
    row_scale[:5] = 0
    state = WalkState(x.copy(), before.copy(), row_scale, np.ones(1), 0.5)
    sums = make(links, weighted=True).neumann_step(state)
    arrived = matrix.T @ x + 0.5
    np.testing.assert_allclose(state.total, before + arrived)
    np.testing.assert_allclose(state.outgoing, arrived * row_scale)
    assert sums == pytest.approx((arrived.sum(), arrived[:5].sum()))


@every_backend
@pytest.mark.parametrize("columns", [0, 3])
@pytest.mark.parametrize("operation", ["matvec", "rmatvec"])
def test_products_agree(make: Make, operation: str, columns: int) -> None:
    x = values(columns)
    found, wanted = (
        getattr(build(*web(), PAGES), operation)(x) for build in (make, scipy_operator)
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@every_backend
def test_sums_over_a_product_agree(make: Make) -> None:
    x, y, z = values(), values(), values()
    sums = make(*web(), PAGES).rmatvec_into(x, y, 0.5)
    wanted = scipy_operator(*web(), PAGES).rmatvec_into(x, z, 0.5)
    np.testing.assert_allclose(y, z, rtol=1e-12)
    assert sums == pytest.approx(wanted, rel=1e-11)
    assert wanted.change == pytest.approx(np.abs(z - values()).sum(), rel=1e-11)


@every_backend
def test_a_product_less_two_vectors(make: Make) -> None:
    rng = np.random.default_rng(3)
    terms, y = RecurrenceTerms(rng.random(PAGES), rng.random(PAGES), 0.5, -2.0), rng.random(PAGES)
    before = y.copy()
    operator = make(*web(), PAGES)
    wanted = operator.rmatvec(values()) - 0.5 * terms.current + 2 * terms.previous
    for one in (operator, ScaledOperator(operator, np.ones(PAGES), np.ones(PAGES))):
        y[:] = before
        sums = one.rmatvec_recurrence(values(), y, terms)
        np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)
        expected_sums = (np.square(wanted).sum(), wanted.sum(), np.abs(wanted - before).sum())
        assert sums == pytest.approx(expected_sums, rel=1e-10)


@every_backend
@pytest.mark.parametrize("teleport", [np.array([0.25]), values()], ids=["uniform", "personalised"])
def test_neumann_steps_agree(make: Make, teleport: Floats) -> None:
    row_scale = np.where(values() < 0.3, 0.0, values())
    found, wanted = (WalkState(values(), values() * 2, row_scale, teleport, 0.5) for _ in range(2))
    sums = make(*web(), PAGES).neumann_step(found)
    assert sums == pytest.approx(scipy_operator(*web(), PAGES).neumann_step(wanted), rel=1e-11)
    np.testing.assert_allclose(found.outgoing, wanted.outgoing, rtol=1e-12)
    np.testing.assert_allclose(found.total, wanted.total, rtol=1e-12)


def test_low_precision_has_seven_digits() -> None:
    row_scale = values()
    exact, rough = (
        WalkState(values(), np.zeros(PAGES), row_scale, np.zeros(1), 0.0) for _ in range(2)
    )
    operator = binned_operator(*web(), PAGES)
    operator.neumann_step(exact)
    operator.neumann_step(rough, low_precision=True)
    np.testing.assert_allclose(rough.total, exact.total, rtol=2e-7)
    assert (rough.total != exact.total).any()


@every_backend
@given(ends)
def test_any_links(make: Make, links: list[tuple[int, int]]) -> None:
    """Bins drop parallel links and self-links, as CSR does."""
    source, target = np.array(links, np.int32).reshape(-1, 2).T
    operator, wanted = make(source, target, PAGES), scipy_operator(source, target, PAGES)
    assert operator.link_count == wanted.link_count == len({(s, t) for s, t in links if s != t})
    for operation in ("matvec", "rmatvec"):
        np.testing.assert_allclose(
            getattr(operator, operation)(values()), getattr(wanted, operation)(values()), rtol=1e-12
        )
    found, other = operator.hub_authority_components(), wanted.hub_authority_components()
    assert found.count == other.count
    np.testing.assert_array_equal(found.hub_labels, other.hub_labels)
    np.testing.assert_array_equal(found.authority_labels, other.authority_labels)


@every_backend
def test_principal_pairs_agree(make: Make) -> None:
    found, wanted = (
        principal_singular_pair(build(*web(), PAGES), np.ones(PAGES), 1e-11, 500, "t")
        for build in (make, scipy_operator)
    )
    assert found.trace.converged
    assert found.value == pytest.approx(wanted.value, rel=1e-10)
    np.testing.assert_allclose(found.target, wanted.target, atol=1e-9)
    np.testing.assert_allclose(found.source, wanted.source, atol=1e-9)


@every_backend
@pytest.mark.parametrize("teleport", [NO_TELEPORT, np.array([1 / PAGES])], ids=["lost", "spread"])
def test_neumann_series_agree(make: Make, teleport: Floats) -> None:
    degrees = scipy_operator(*web(), PAGES).matvec(np.ones(PAGES))
    row_scale = 0.85 * np.divide(1, degrees, out=np.zeros(PAGES), where=degrees > 0)
    start = np.full(PAGES, 0.15 / PAGES)
    answers = []
    for build in (make, scipy_operator):
        operator = build(*web(), PAGES)
        x, trace = neumann_series(
            operator, start, row_scale, 1e-10, 500, "t", damping=0.85, teleport=teleport
        )
        assert trace.converged
        dangling = 0.85 * x[degrees == 0].sum() * teleport
        np.testing.assert_allclose(
            operator.rmatvec(x * row_scale) + dangling + start, x, atol=1e-10
        )
        answers.append(x)
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-10)


@every_backend
@pytest.mark.parametrize("teleport", [NO_TELEPORT, np.array([1 / PAGES])], ids=["lost", "spread"])
def test_columns_are_solved_as_one_by_one(make: Make, teleport: Floats) -> None:
    operator = make(*web(), PAGES)
    row_scale, start = 0.85 * safe_power(operator.matvec(np.ones(PAGES)), -1.0), values(2)
    both, trace = neumann_series(
        operator, start, row_scale, 1e-12, 500, "t", damping=0.85, teleport=teleport
    )
    for k in range(2):
        column = np.ascontiguousarray(start[:, k])
        one, alone = neumann_series(
            operator, column, row_scale, 1e-12, 500, "t", damping=0.85, teleport=teleport
        )
        np.testing.assert_allclose(both[:, k], one, rtol=1e-9)
        assert trace.iterations >= alone.iterations


def test_weighted_links() -> None:
    source, target = web()
    weight = np.arange(len(source)) % 5 + 1.0
    out = build_csr(source, target, weight, PAGES)
    links = Adjacency(out, transpose(out, PAGES), None, PAGES)
    with use_backend("scipy"):
        wanted = operator_from_csr(out, links.inlinks, weighted=True)
    operator = numba_rows.build_csr_operator(links, weighted=True)
    for operation in ("matvec", "rmatvec"):
        for x in (values(), values(2)):
            np.testing.assert_allclose(
                getattr(operator, operation)(x), getattr(wanted, operation)(x), rtol=1e-6
            )


@pytest.mark.slow
def test_a_large_graph_keeps_its_edges_until_rows_are_needed() -> None:
    rng = np.random.default_rng(2)
    source, target = rng.integers(0, 300_000, (2, 2_100_000))
    graph = WebGraph.from_arrays(300_000, source, target)
    distinct = len(np.unique((source << 32 | target)[source != target]))
    assert graph.link_count == distinct == len(graph.outlinks.ids)
    np.testing.assert_array_equal(graph.outdegrees(), np.diff(graph.outlinks.starts))
    np.testing.assert_array_equal(graph.indegrees(), np.diff(graph.inlinks.starts))
    assert graph.pages[7] == "7"
