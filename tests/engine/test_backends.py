"""The conformance suite: every backend gives the same results, and the same bits twice."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.operators import MAKERS, Make, adjacency

from weft.core.arrays import Floats
from weft.engine import (
    NO_TELEPORT,
    LinkOperator,
    ScaledOperator,
    fixed_point,
    neumann_series,
    normalize_l1,
    normalize_l2,
    normalize_max,
    principal_singular_pair,
    second_eigenvalue_modulus,
    singular_triplets,
)
from weft.engine.backends import numba_rows
from weft.engine.backends import scipy as scipy_backend
from weft.engine.operator import Adjacency, RecurrenceTerms, WalkState, take_by_label
from weft.graph.webgraph import WebGraph

PAGES = 70_000
AGREEMENT = 1e-9  # L1 norm of the difference of two vectors, relative to one of them
ends = st.lists(
    st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1)), min_size=0, max_size=60
)
BACKENDS = {
    name: pytest.param(make, id=name, marks=pytest.mark.slow if "gpu" in name else ())
    for name, make in MAKERS.items()
}
every_backend = pytest.mark.parametrize("make", list(BACKENDS.values()))
with_weights = pytest.mark.parametrize(
    "make", [backend for name, backend in BACKENDS.items() if name != "bins"]
)


@cache
def web() -> Adjacency:
    """A skewed web over three partitions of bins, made with parallel links and self-links."""
    rng = np.random.default_rng(5)
    source = (rng.pareto(1.2, 300_000) * 400).astype(np.int64) % PAGES
    target = np.where(rng.random(300_000) < 0.5, rng.integers(0, 50, 300_000) ** 2, source + 7)
    return adjacency(source.astype(np.int32), (target % PAGES).astype(np.int32), PAGES)


@cache
def operator_of(make: Make) -> LinkOperator:
    return make(web(), weighted=False)


def reference() -> LinkOperator:
    return operator_of(MAKERS["scipy"])


def values(columns: int = 0, seed: int = 1) -> Floats:
    found: Floats = np.random.default_rng(seed).random((PAGES, columns) if columns else PAGES)
    return found


def assert_agree(found: Floats, wanted: Floats) -> None:
    """The promise of all backends: an L1 difference of at most 1e-9."""
    assert type(found) is np.ndarray
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).sum() <= AGREEMENT * max(1, np.abs(wanted).sum())


def walk_state(operator: LinkOperator, *parts: Floats, mass: float) -> WalkState:
    """A state of vectors of the operator; those of the test stay as they are."""
    outgoing, total, row_scale, teleport = (operator.asarray(part.copy()) for part in parts)
    return WalkState(outgoing, total, row_scale, teleport, mass)


def random_web(n: int) -> tuple[Floats, Adjacency]:
    """A weighted web as a matrix and as links; its first page links to all others."""
    rng = np.random.default_rng(9)
    chosen = rng.random((n, n)) < 0.1
    chosen[:1] = True
    matrix = np.where(chosen, rng.integers(1, 5, (n, n)), 0).astype(float)
    np.fill_diagonal(matrix, 0)
    source, target = np.nonzero(matrix)
    return matrix, adjacency(
        source.astype(np.int32), target.astype(np.int32), n, matrix[source, target]
    )


@with_weights
@pytest.mark.parametrize("columns", [0, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 2, 30, 2 * numba_rows.WORK_PIECES])
def test_products_are_those_of_a_matrix(
    make: Make, n: int, columns: int, *, weighted: bool
) -> None:
    matrix, links = random_web(n)
    operator = make(links, weighted=weighted)
    asked = matrix if weighted else np.sign(matrix)
    x = np.random.default_rng(8).random((n, columns) if columns else n)
    np.testing.assert_allclose(operator.to_host(operator.rmatvec(x)), asked.T @ x)
    np.testing.assert_allclose(operator.to_host(operator.matvec(x)), asked @ x)
    np.testing.assert_allclose(operator.to_host(operator.outdegrees()), asked.sum(axis=1))
    np.testing.assert_allclose(operator.to_host(operator.indegrees()), asked.sum(axis=0))
    assert (operator.n, operator.link_count) == (n, int(np.count_nonzero(matrix)))


@every_backend
def test_new_vectors(make: Make) -> None:
    operator = operator_of(make)
    assert not operator.to_host(operator.zeros()).any()
    assert operator.to_host(operator.ones(2)).tolist() == np.ones((PAGES, 2)).tolist()
    np.testing.assert_array_equal(operator.to_host(operator.asarray(values())), values())
    assert operator.to_host(operator.asarray([1, 2])).tolist() == [1.0, 2.0]


@every_backend
@pytest.mark.parametrize("columns", [0, 3])
@pytest.mark.parametrize("operation", ["matvec", "rmatvec"])
def test_products_agree(make: Make, operation: str, columns: int) -> None:
    operator, x = operator_of(make), values(columns)
    found = operator.to_host(getattr(operator, operation)(operator.asarray(x)))
    np.testing.assert_allclose(found, getattr(reference(), operation)(x), rtol=1e-12)


@every_backend
@pytest.mark.parametrize("operation", ["matvec", "rmatvec"])
def test_sums_over_a_product_agree(make: Make, operation: str) -> None:
    operator, z = operator_of(make), values()
    x, y = operator.asarray(values()), operator.asarray(values())
    sums = getattr(operator, f"{operation}_into")(x, y, 0.5)
    wanted = getattr(reference(), f"{operation}_into")(values(), z, 0.5)
    np.testing.assert_allclose(operator.to_host(y), z, rtol=1e-12)
    assert sums == pytest.approx(wanted, rel=1e-11)
    expected = ((z**2).sum(), z.sum(), np.abs(z - values()).sum())
    assert wanted == pytest.approx(expected, rel=1e-11)


@every_backend
def test_a_product_less_two_vectors(make: Make) -> None:
    operator = operator_of(make)
    one, two, before = values(seed=2), values(seed=3), values(seed=4)
    wanted = reference().rmatvec(values()) - 0.5 * one + 2 * two
    terms = RecurrenceTerms(operator.asarray(one), operator.asarray(two), 0.5, -2.0)
    scaled = ScaledOperator(operator, operator.ones(), operator.ones())
    for either in (operator, scaled):
        y = operator.asarray(before.copy())
        sums = either.rmatvec_recurrence(operator.asarray(values()), y, terms)
        np.testing.assert_allclose(operator.to_host(y), wanted, rtol=1e-12, atol=1e-12)
        expected = (np.square(wanted).sum(), wanted.sum(), np.abs(wanted - before).sum())
        assert sums == pytest.approx(expected, rel=1e-10)


@every_backend
@pytest.mark.parametrize("teleport", [np.array([0.25]), values()], ids=["uniform", "personalised"])
def test_neumann_steps_agree(make: Make, teleport: Floats) -> None:
    row_scale = np.where(values() < 0.3, 0.0, values())
    operator, before = operator_of(make), values() * 2
    state = walk_state(operator, values(), before, row_scale, teleport, mass=0.5)
    norms = operator.neumann_step(state)
    arrived = reference().rmatvec(values()) + 0.5 * teleport
    wanted = arrived.sum(), arrived[row_scale == 0].sum()
    assert norms == pytest.approx(wanted, rel=1e-11)
    np.testing.assert_allclose(operator.to_host(state.outgoing), arrived * row_scale, rtol=1e-12)
    np.testing.assert_allclose(operator.to_host(state.total), before + arrived, rtol=1e-12)


@every_backend
def test_low_precision_has_seven_digits(make: Make) -> None:
    operator = operator_of(make)
    exact, rough = (
        walk_state(operator, values(), np.zeros(PAGES), values(), np.zeros(1), mass=0.0)
        for _ in range(2)
    )
    operator.neumann_step(exact)
    operator.neumann_step(rough, low_precision=True)
    totals = operator.to_host(rough.total), operator.to_host(exact.total)
    np.testing.assert_allclose(*totals, rtol=2e-7)
    if make is MAKERS["bins"]:
        assert (totals[0] != totals[1]).any()


@every_backend
def test_combinations(make: Make) -> None:
    """Weighted sums of any number of vectors, in place too, with their sums."""
    operator = operator_of(make)
    parts = [values(seed=seed) - 0.5 for seed in range(5)]
    weights = [2.0, -1.0, 0.5, 0.0, -3.0]
    for count in (1, 2, 3, 5):
        wanted = sum(w * part for w, part in zip(weights[:count], parts, strict=False))
        vectors = [operator.asarray(part.copy()) for part in parts[:count]]
        sums = operator.vectors.combine(vectors[0], weights[:count], vectors)
        np.testing.assert_allclose(operator.to_host(vectors[0]), wanted, rtol=1e-12, atol=1e-14)
        change = np.abs(wanted - parts[0]).sum()
        assert sums == pytest.approx((np.square(wanted).sum(), np.sum(wanted), change), rel=1e-9)
    y, single = operator.zeros(), operator.asarray(np.array([0.25]))
    assert operator.vectors.combine(y, [2.0], [single]).total == pytest.approx(PAGES / 2)
    y = operator.asarray(parts[0].copy())
    operator.vectors.combine(y, [1.0], [y], nonnegative=True)
    np.testing.assert_array_equal(operator.to_host(y), np.maximum(parts[0], 0))


@every_backend
def test_what_arrives_is_passed_on_unless_dangling(make: Make) -> None:
    operator = operator_of(make)
    row_scale = np.where(values() < 0.3, 0.0, values())
    for arriving in (values(seed=2), np.array([0.5])):
        state = walk_state(
            operator, np.zeros(PAGES), np.ones(PAGES), row_scale, np.array([2.0]), mass=0.25
        )
        norms = operator.vectors.accumulate(operator.asarray(arriving), state)
        arrived = np.broadcast_to(arriving + 0.5, PAGES)
        assert norms == pytest.approx((arrived.sum(), arrived[row_scale == 0].sum()))
        np.testing.assert_allclose(operator.to_host(state.total), 1 + arrived, rtol=1e-14)
        np.testing.assert_allclose(operator.to_host(state.outgoing), arrived * row_scale)


@every_backend
def test_extrapolation_finds_the_limit_of_a_geometric_series(make: Make) -> None:
    operator, limit, row_scale = operator_of(make), values(), np.where(values() < 0.3, 0.0, 2.0)
    first, second, third = (operator.asarray(limit * (1 - 0.75**k)) for k in range(1, 4))
    state = WalkState(operator.zeros(), third, operator.asarray(row_scale), operator.zeros(), 0.0)
    dangling = operator.vectors.extrapolate(first, second, state)
    np.testing.assert_allclose(operator.to_host(state.total), limit, rtol=1e-12)
    # a step from the limit changes nothing
    np.testing.assert_allclose(operator.to_host(state.outgoing), 0, atol=1e-12)
    assert dangling == pytest.approx(0, abs=1e-9)


@every_backend
def test_extrapolation_passes_on_the_rest_of_the_step(make: Make) -> None:
    operator, totals = operator_of(make), [values(seed=seed) for seed in (2, 3, 4)]
    row_scale = np.where(values() < 0.3, 0.0, values())
    last, bend = totals[2] - totals[1], totals[2] - 2 * totals[1] + totals[0]
    t = -(last @ bend) / (bend @ bend)
    first, second = (operator.asarray(total.copy()) for total in totals[:2])
    state = walk_state(operator, np.zeros(PAGES), totals[2], row_scale, np.zeros(1), mass=0.0)
    dangling = operator.vectors.extrapolate(first, second, state)
    np.testing.assert_allclose(operator.to_host(state.total), totals[2] + t * last, atol=1e-12)
    step = last + t * bend
    np.testing.assert_allclose(operator.to_host(state.outgoing), step * row_scale, atol=1e-12)
    assert dangling == pytest.approx(step[row_scale == 0].sum())


@every_backend
@pytest.mark.parametrize("exponent", [-1.0, -0.5, 0.0, 1.0])
def test_powers_leave_zero(make: Make, exponent: float) -> None:
    operator, degrees = operator_of(make), np.floor(values() * 4)
    found = operator.to_host(operator.vectors.power(operator.asarray(degrees), exponent, 0.85))
    wanted = np.where(degrees > 0, 0.85 * np.maximum(degrees, 1) ** exponent, 0)
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


@every_backend
def test_sums_and_scales_by_component(make: Make) -> None:
    operator = operator_of(make)
    wanted, found = reference().hub_authority_components(), operator.hub_authority_components()
    assert found.count == wanted.count
    for own, other in (
        (found.hub_labels, wanted.hub_labels),
        (found.authority_labels, wanted.authority_labels),
    ):
        np.testing.assert_array_equal(operator.to_host(own), other)
        x = operator.asarray(values())
        sums = operator.vectors.sum_by_label(x, own, found.count)
        by_hand = np.bincount(other[other >= 0], values()[other >= 0], found.count)
        np.testing.assert_allclose(operator.to_host(sums), by_hand, rtol=1e-12)
        scaled = np.where(other >= 0, values() * by_hand[other], 0.0)
        np.testing.assert_allclose(operator.to_host(x * take_by_label(sums, own)), scaled)
        assert operator.vectors.scale_by_label(x, sums, own).total == pytest.approx(scaled.sum())
        np.testing.assert_allclose(operator.to_host(x), scaled, rtol=1e-12)


@every_backend
@given(ends)
def test_any_links(make: Make, links: list[tuple[int, int]]) -> None:
    """Bins drop parallel links and self-links, as CSR does."""
    source, target = np.array(links, np.int32).reshape(-1, 2).T
    both = adjacency(source, target, PAGES)
    operator, wanted = (build(both, weighted=False) for build in (make, MAKERS["scipy"]))
    assert operator.link_count == wanted.link_count == len({(s, t) for s, t in links if s != t})
    for operation in ("matvec", "rmatvec"):
        np.testing.assert_allclose(
            operator.to_host(getattr(operator, operation)(values())),
            getattr(wanted, operation)(values()),
            rtol=1e-12,
        )
    found, other = operator.hub_authority_components(), wanted.hub_authority_components()
    assert found.count == other.count
    np.testing.assert_array_equal(operator.to_host(found.hub_labels), other.hub_labels)
    np.testing.assert_array_equal(operator.to_host(found.authority_labels), other.authority_labels)


@every_backend
def test_principal_pairs_agree(make: Make) -> None:
    operator = operator_of(make)
    found, wanted = (
        principal_singular_pair(each, each.ones(), 1e-12, 500, "t")
        for each in (operator, reference())
    )
    assert found.trace.converged
    assert found.value == pytest.approx(wanted.value, rel=1e-10)
    assert found.tied_components == wanted.tied_components
    assert_agree(operator.to_host(found.target), wanted.target)
    assert_agree(operator.to_host(found.source), wanted.source)


@every_backend
@pytest.mark.parametrize("teleport", [NO_TELEPORT, np.array([1 / PAGES])], ids=["lost", "spread"])
@pytest.mark.parametrize("start", [np.full(1, 0.15 / PAGES), np.full(PAGES, 0.15 / PAGES)])
def test_neumann_series_agree(make: Make, start: Floats, teleport: Floats) -> None:
    degrees = reference().outdegrees()
    row_scale = 0.85 * np.divide(1, degrees, out=np.zeros(PAGES), where=degrees > 0)
    solved = []
    for operator in (operator_of(make), reference()):
        x, trace = neumann_series(
            operator, start, row_scale, 1e-11, 500, "t", damping=0.85, teleport=teleport
        )
        assert trace.converged
        solved.append(operator.to_host(x))
    x = solved[0]
    dangling = 0.85 * x[degrees == 0].sum() * teleport
    np.testing.assert_allclose(reference().rmatvec(x * row_scale) + dangling + start, x, atol=1e-10)
    assert_agree(*solved)


@every_backend
@pytest.mark.parametrize("teleport", [NO_TELEPORT, np.array([1 / PAGES])], ids=["lost", "spread"])
def test_columns_are_solved_as_one_by_one(make: Make, teleport: Floats) -> None:
    operator, start = operator_of(make), values(2)
    row_scale = operator.vectors.power(operator.outdegrees(), -1.0, 0.85)
    both, trace = neumann_series(
        operator, start, row_scale, 1e-12, 500, "t", damping=0.85, teleport=teleport
    )
    for k in range(2):
        one, alone = neumann_series(
            operator, start[:, k], row_scale, 1e-12, 500, "t", damping=0.85, teleport=teleport
        )
        np.testing.assert_allclose(operator.to_host(both)[:, k], operator.to_host(one), rtol=1e-9)
        assert trace.iterations >= alone.iterations


@every_backend
def test_fixed_points_agree(make: Make) -> None:
    """Also a cycle, whose mean is the result."""
    operator = operator_of(make)
    x, trace = fixed_point(
        lambda x: normalize_l1(operator.rmatvec(x) + 0.01), operator.ones(), 1e-13, 500, "t"
    )
    wanted, _ = fixed_point(
        lambda x: normalize_l1(reference().rmatvec(x) + 0.01), np.ones(PAGES), 1e-13, 500, "t"
    )
    assert trace.converged
    assert_agree(operator.to_host(x), wanted)
    x, trace = fixed_point(lambda x: 1.0 - x, operator.asarray([0.25, 1.0]), 1e-9, 50, "t")
    assert (trace.stopped, trace.period) == ("cycle", 2)
    assert operator.to_host(x).tolist() == [0.5, 0.5]


@every_backend
def test_norms(make: Make) -> None:
    operator = operator_of(make)
    x = operator.asarray([3.0, 4.0])
    for normalize, wanted in (
        (normalize_l1, [3 / 7, 4 / 7]),
        (normalize_l2, [0.6, 0.8]),
        (normalize_max, [0.75, 1.0]),
    ):
        assert operator.to_host(normalize(x)).tolist() == pytest.approx(wanted)
        assert operator.to_host(normalize(x * 0.0)).tolist() == [0.0, 0.0]


@every_backend
def test_singular_values_agree(make: Make) -> None:
    ends = np.random.default_rng(6).pareto(1.2, (2, 9000)) * 40
    source, target = ends.astype(np.int32) % 900
    links = adjacency(source, target, 900)
    operator = make(links, weighted=False)
    reference = MAKERS["scipy"](links, weighted=False)
    found, wanted = (singular_triplets(each, 3) for each in (operator, reference))
    np.testing.assert_allclose(found.values, wanted.values, rtol=1e-9)
    np.testing.assert_allclose(found.target, wanted.target, atol=1e-7)
    pair = principal_singular_pair(operator, operator.ones(), 1e-11, 500, "t")
    second = second_eigenvalue_modulus(
        operator.vectors, lambda x: operator.rmatvec(operator.matvec(x)), pair.target
    )
    assert second == pytest.approx(wanted.values[1] ** 2, rel=1e-3)


@every_backend
def test_the_same_bits_twice(make: Make) -> None:
    """On operators made anew, for products, a series, a pair and sums by component."""

    def compute() -> list[Floats]:
        operator = make(web(), weighted=False)
        row_scale = operator.vectors.power(operator.outdegrees(), -1.0, 0.85)
        found, _ = neumann_series(
            operator,
            np.full(1, 0.15 / PAGES),
            row_scale,
            1e-8,
            500,
            "t",
            damping=0.85,
            teleport=np.full(1, 1 / PAGES),
        )
        pair = principal_singular_pair(operator, operator.ones(), 1e-8, 500, "t")
        labels = operator.hub_authority_components()
        x = operator.asarray(values())
        sums = operator.vectors.sum_by_label(x, labels.authority_labels, labels.count)
        vectors = (operator.matvec(x), operator.rmatvec(x), found, pair.target, pair.source, sums)
        return [operator.to_host(vector).copy() for vector in vectors]

    for one, two in zip(compute(), compute(), strict=True):
        assert one.tobytes() == two.tobytes()


@with_weights
def test_weighted_links(make: Make) -> None:
    rows = web().outlinks
    weight = np.arange(len(rows.ids)) % 5 + 1.0
    links = adjacency(rows.row_ids(), rows.ids, PAGES, weight)
    wanted = scipy_backend.build_operator(links, weighted=True)
    operator = make(links, weighted=True)
    for operation in ("matvec", "rmatvec"):
        for x in (values(), values(2)):
            found = operator.to_host(getattr(operator, operation)(x))
            np.testing.assert_allclose(found, getattr(wanted, operation)(x), rtol=1e-6)


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
