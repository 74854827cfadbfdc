"""Each kernel beside the same sum over a dense matrix."""

from typing import Any

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.engine import sweeps
from weft.engine.bins import Bins, sort_links
from weft.engine.flow import Less, Visits
from weft.engine.pool import run

PAGES = 700
SCALE = 0.5


def drawn(seed: int) -> Floats:
    found: Floats = np.random.default_rng(seed).random(PAGES)
    return found


@pytest.fixture(params=[0, 1, 5000], ids=["no links", "one link", "many links"])
def web(request: pytest.FixtureRequest) -> tuple[Bins, Floats]:
    """A web in bins, and as a matrix whose rows are sources."""
    source, target = np.random.default_rng(request.param).integers(0, PAGES, (2, request.param))
    matrix = np.zeros((PAGES, PAGES))
    matrix[source, target] = 1
    np.fill_diagonal(matrix, 0)
    return sort_links(source.astype(np.int32), target.astype(np.int32), PAGES), matrix


def swept(kernel: Any, bins: Bins, x: Floats, word: Any, y: Floats) -> Floats:
    """Run a kernel that sets `y`; what it tells, summed over the partitions."""
    told = np.zeros((len(bins.messages), 3))
    run(kernel, bins, x, np.empty(len(bins.senders)), word, y, told)
    summed: Floats = told.sum(axis=0)
    return summed


@pytest.mark.parametrize("kernel", [sweeps.forward, sweeps.backward], ids=["forward", "backward"])
def test_sums_over_links(kernel: Any, web: tuple[Bins, Floats]) -> None:
    bins, matrix = web
    y = drawn(2)
    wanted = SCALE * (matrix.T if kernel is sweeps.forward else matrix) @ drawn(1)
    told = swept(kernel, bins, drawn(1), SCALE, y)
    np.testing.assert_allclose(y, wanted, rtol=1e-12)
    change = np.abs(wanted - drawn(2)).sum()
    np.testing.assert_allclose(told, [(wanted**2).sum(), wanted.sum(), change], rtol=1e-12)


def test_a_sum_less_two_vectors(web: tuple[Bins, Floats]) -> None:
    bins, matrix = web
    y = np.zeros(PAGES)
    told = swept(sweeps.forward_less, bins, drawn(1), Less(drawn(3), drawn(4), 2.0, -0.25), y)
    wanted = matrix.T @ drawn(1) - 2 * drawn(3) + drawn(4) / 4
    np.testing.assert_allclose(y, wanted, atol=1e-12)
    assert told[2] == pytest.approx(np.abs(wanted).sum())


@pytest.mark.parametrize("uneven", [False, True])
def test_a_round_of_a_walk(web: tuple[Bins, Floats], *, uneven: bool) -> None:
    bins, matrix = web
    each = np.where(drawn(5) < 0.3, 0.0, drawn(5))
    jump = drawn(6) if uneven else np.array([0.1])
    visits = Visits(drawn(1), drawn(2), each, jump, 0.5)
    told = np.zeros((len(bins.messages), 3))
    run(sweeps.pass_on, bins, np.empty(len(bins.senders)), visits, told)
    arrived = matrix.T @ drawn(1) + 0.5 * jump
    np.testing.assert_allclose(visits.total, drawn(2) + arrived, rtol=1e-12)
    np.testing.assert_allclose(visits.sent, arrived * each, rtol=1e-12)
    wanted = [arrived.sum(), arrived[each == 0].sum()]
    np.testing.assert_allclose(told.sum(axis=0)[:2], wanted, rtol=1e-12)


def test_what_is_too_little_is_not_passed_on() -> None:
    bins = sort_links(np.array([0], np.int32), np.array([1], np.int32), PAGES)
    for value, onward in ((1e-30, 1e-30), (1e-37, 0.0)):
        sent = np.zeros(PAGES)
        sent[0] = value
        visits = Visits(sent, np.zeros(PAGES), np.ones(PAGES), np.zeros(1), 0.0)
        run(sweeps.pass_on, bins, np.empty(1), visits, np.zeros((len(bins.messages), 3)))
        assert (visits.total[1], visits.sent[1]) == (value, onward)


def test_threads_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = np.random.default_rng(7).integers(0, PAGES, (2, 20_000)).astype(np.int32)
    answers = []
    for threads in ("1", "3"):
        monkeypatch.setenv("WEFT_THREADS", threads)
        bins = sort_links(source, target, PAGES)
        y, z = np.zeros(PAGES), np.zeros(PAGES)
        told = swept(sweeps.forward, bins, drawn(1), 1.0, y)
        answers.append([y, z, told, swept(sweeps.backward, bins, drawn(1), 1.0, z)])
    for one, two in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, two)
