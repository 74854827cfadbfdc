"""Every machine gives the same answers: one suite over all of them."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.arrays import Floats, Ids
from weft.engine import NOWHERE, Flow, Scaled, flow, powers, principal, series, use
from weft.engine import rows as by_rows
from weft.engine import small as by_scipy
from weft.engine.choose import Links
from weft.engine.flow import Less, Visits
from weft.engine.large import from_ends
from weft.graph.webgraph import WebGraph, compress, reverse

Make = Callable[[Ids, Ids, int], Flow]
PAGES = 70_000
ends = st.lists(
    st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1)), min_size=0, max_size=60
)


def small(source: Ids, target: Ids, n: int) -> Flow:
    out = compress(source, target, None, n)
    with use("small"):
        return flow(out, reverse(out, n))


def rows(source: Ids, target: Ids, n: int) -> Flow:
    out = compress(source, target, None, n)
    return by_rows.make(Links(out, reverse(out, n), None, n), weighted=False)


def bins(source: Ids, target: Ids, n: int) -> Flow:
    return from_ends(source, target, n)


every_machine = pytest.mark.parametrize("make", [rows, bins], ids=["rows", "bins"])


@cache
def web() -> tuple[Ids, Ids]:
    """A skewed web over three partitions, with parallel links and links to oneself."""
    draw = np.random.default_rng(5)
    source = (draw.pareto(1.2, 300_000) * 400).astype(np.int64) % PAGES
    target = np.where(draw.random(300_000) < 0.5, draw.integers(0, 50, 300_000) ** 2, source + 7)
    return source.astype(np.int32), (target % PAGES).astype(np.int32)


def values(columns: int = 0) -> Floats:
    shape = (PAGES, columns) if columns else PAGES
    found: Floats = np.random.default_rng(1).random(shape)
    return found


by_matrix = pytest.mark.parametrize("make", [by_rows.make, by_scipy.make], ids=["rows", "small"])


def drawn(n: int) -> tuple[Floats, Links]:
    """A weighted web as a matrix and as links; its first page points to all others."""
    draw = np.random.default_rng(9)
    chosen = draw.random((n, n)) < 0.1
    chosen[:1] = True
    matrix = np.where(chosen, draw.integers(1, 5, (n, n)), 0).astype(float)
    np.fill_diagonal(matrix, 0)
    source, target = np.nonzero(matrix)
    out = compress(source.astype(np.int32), target.astype(np.int32), matrix[source, target], n)
    return matrix, Links(out, reverse(out, n), None, n)


@by_matrix
@pytest.mark.parametrize("columns", [0, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 2, 30, 2 * by_rows.PIECES])
def test_sums_are_those_of_a_matrix(
    make: Callable[..., Flow], n: int, columns: int, *, weighted: bool
) -> None:
    matrix, links = drawn(n)
    made = make(links, weighted=weighted)
    asked = matrix if weighted else np.sign(matrix)
    x = np.random.default_rng(8).random((n, columns) if columns else n)
    np.testing.assert_allclose(made.forward(x), asked.T @ x)
    np.testing.assert_allclose(made.backward(x), asked @ x)
    assert (made.n, made.links, made.together) == (n, int(np.count_nonzero(matrix)), True)


@by_matrix
def test_passes_are_those_of_a_matrix(make: Callable[..., Flow]) -> None:
    matrix, links = drawn(50)
    x, y, one, two = np.random.default_rng(8).random((4, 50))
    made, before = make(links, weighted=True), y.copy()
    told = made.forward_into(x, y, 0.5)
    np.testing.assert_allclose(y, matrix.T @ x / 2)
    assert told == pytest.approx(((y**2).sum(), y.sum(), np.abs(y - before).sum()))
    made.backward_into(x, y, 3.0)
    np.testing.assert_allclose(y, 3 * matrix @ x)
    made.forward_less(x, y, Less(one, two, 0.5, -3.0))
    np.testing.assert_allclose(y, matrix.T @ x - one / 2 + 3 * two)


@by_matrix
def test_a_round_is_that_of_a_matrix(make: Callable[..., Flow]) -> None:
    matrix, links = drawn(50)
    x, before, each = np.random.default_rng(8).random((3, 50))
    each[:5] = 0
    visits = Visits(x.copy(), before.copy(), each, np.ones(1), 0.5)
    told = make(links, weighted=True).pass_on(visits)
    arrived = matrix.T @ x + 0.5
    np.testing.assert_allclose(visits.total, before + arrived)
    np.testing.assert_allclose(visits.sent, arrived * each)
    assert told == pytest.approx((arrived.sum(), arrived[:5].sum()))


@every_machine
@pytest.mark.parametrize("columns", [0, 3])
@pytest.mark.parametrize("way", ["forward", "backward"])
def test_sums_agree(make: Make, way: str, columns: int) -> None:
    x = values(columns)
    found, wanted = (getattr(made(*web(), PAGES), way)(x) for made in (make, small))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@every_machine
def test_what_a_pass_tells(make: Make) -> None:
    x, y, z = values(), values(), values()
    told = make(*web(), PAGES).forward_into(x, y, 0.5)
    wanted = small(*web(), PAGES).forward_into(x, z, 0.5)
    np.testing.assert_allclose(y, z, rtol=1e-12)
    assert told == pytest.approx(wanted, rel=1e-11)
    assert wanted.change == pytest.approx(np.abs(z - values()).sum(), rel=1e-11)


@every_machine
def test_a_sum_less_two_vectors(make: Make) -> None:
    draw = np.random.default_rng(3)
    less, y = Less(draw.random(PAGES), draw.random(PAGES), 0.5, -2.0), draw.random(PAGES)
    before = y.copy()
    made = make(*web(), PAGES)
    wanted = made.forward(values()) - 0.5 * less.one + 2 * less.two
    for one in (made, Scaled(made, np.ones(PAGES), np.ones(PAGES))):
        y[:] = before
        told = one.forward_less(values(), y, less)
        np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)
        told_wanted = (np.square(wanted).sum(), wanted.sum(), np.abs(wanted - before).sum())
        assert told == pytest.approx(told_wanted, rel=1e-10)


@every_machine
@pytest.mark.parametrize("jump", [np.array([0.25]), values()], ids=["even", "uneven"])
def test_a_round_of_a_walk(make: Make, jump: Floats) -> None:
    each = np.where(values() < 0.3, 0.0, values())
    found, wanted = (Visits(values(), values() * 2, each, jump, 0.5) for _ in range(2))
    told = make(*web(), PAGES).pass_on(found)
    assert told == pytest.approx(small(*web(), PAGES).pass_on(wanted), rel=1e-11)
    np.testing.assert_allclose(found.sent, wanted.sent, rtol=1e-12)
    np.testing.assert_allclose(found.total, wanted.total, rtol=1e-12)


def test_roughly_is_seven_digits() -> None:
    each = values()
    exact, rough = (Visits(values(), np.zeros(PAGES), each, np.zeros(1), 0.0) for _ in range(2))
    made = bins(*web(), PAGES)
    made.pass_on(exact)
    made.pass_on(rough, roughly=True)
    np.testing.assert_allclose(rough.total, exact.total, rtol=2e-7)
    assert (rough.total != exact.total).any()


@every_machine
@given(ends)
def test_any_links(make: Make, links: list[tuple[int, int]]) -> None:
    """Bins drop parallel links and links to oneself, as rows do."""
    source, target = np.array(links, np.int32).reshape(-1, 2).T
    made, wanted = make(source, target, PAGES), small(source, target, PAGES)
    assert made.links == wanted.links == len({(s, t) for s, t in links if s != t})
    for way in ("forward", "backward"):
        np.testing.assert_allclose(
            getattr(made, way)(values()), getattr(wanted, way)(values()), rtol=1e-12
        )
    found, other = made.components(), wanted.components()
    assert found.count == other.count
    np.testing.assert_array_equal(found.source, other.source)
    np.testing.assert_array_equal(found.target, other.target)


@every_machine
def test_the_same_principal_pair(make: Make) -> None:
    found, wanted = (
        principal(made(*web(), PAGES), np.ones(PAGES), 1e-11, 500, "t") for made in (make, small)
    )
    assert found.trace.converged
    assert found.value == pytest.approx(wanted.value, rel=1e-10)
    np.testing.assert_allclose(found.target, wanted.target, atol=1e-9)
    np.testing.assert_allclose(found.source, wanted.source, atol=1e-9)


@every_machine
@pytest.mark.parametrize("jump", [NOWHERE, np.array([1 / PAGES])], ids=["lost", "spread"])
def test_the_same_walks(make: Make, jump: Floats) -> None:
    degrees = small(*web(), PAGES).backward(np.ones(PAGES))
    each = 0.85 * np.divide(1, degrees, out=np.zeros(PAGES), where=degrees > 0)
    start = np.full(PAGES, 0.15 / PAGES)
    answers = []
    for made in (make, small):
        flow_ = made(*web(), PAGES)
        x, trace = series(flow_, start, each, 1e-10, 500, "t", share=0.85, jump=jump)
        assert trace.converged
        stuck = 0.85 * x[degrees == 0].sum() * jump
        np.testing.assert_allclose(flow_.forward(x * each) + stuck + start, x, atol=1e-10)
        answers.append(x)
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-10)


@every_machine
@pytest.mark.parametrize("jump", [NOWHERE, np.array([1 / PAGES])], ids=["lost", "spread"])
def test_columns_are_as_one_by_one(make: Make, jump: Floats) -> None:
    made = make(*web(), PAGES)
    each, start = 0.85 * powers(made.backward(np.ones(PAGES)), -1.0), values(2)
    both, trace = series(made, start, each, 1e-12, 500, "t", share=0.85, jump=jump)
    for k in range(2):
        column = np.ascontiguousarray(start[:, k])
        one, alone = series(made, column, each, 1e-12, 500, "t", share=0.85, jump=jump)
        np.testing.assert_allclose(both[:, k], one, rtol=1e-9)
        assert trace.rounds >= alone.rounds


def test_weighted_rows() -> None:
    source, target = web()
    weight = np.arange(len(source)) % 5 + 1.0
    out = compress(source, target, weight, PAGES)
    links = Links(out, reverse(out, PAGES), None, PAGES)
    with use("small"):
        wanted = flow(out, links.inlinks, weighted=True)
    made = by_rows.make(links, weighted=True)
    for way in ("forward", "backward"):
        for x in (values(), values(2)):
            np.testing.assert_allclose(getattr(made, way)(x), getattr(wanted, way)(x), rtol=1e-6)


def test_a_large_graph_keeps_its_ends_until_rows_are_asked_for() -> None:
    draw = np.random.default_rng(2)
    source, target = draw.integers(0, 300_000, (2, 2_100_000))
    graph = WebGraph.from_arrays(300_000, source, target)
    distinct = len(np.unique((source << 32 | target)[source != target]))
    assert graph.link_count == distinct == len(graph.outlinks.ids)
    np.testing.assert_array_equal(graph.outdegrees(), np.diff(graph.outlinks.starts))
    np.testing.assert_array_equal(graph.indegrees(), np.diff(graph.inlinks.starts))
    assert graph.pages[7] == "7"
