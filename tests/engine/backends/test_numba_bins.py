"""Each kernel against the same product with a dense matrix."""

from typing import Any

import numpy as np
import pytest

from weft.core.arrays import Floats
from weft.engine.backends import numba_bins
from weft.engine.operator import RecurrenceTerms, WalkState
from weft.kernels.bins import Bins, bin_links
from weft.kernels.threads import run_parallel

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
    return bin_links(source.astype(np.int32), target.astype(np.int32), PAGES), matrix


def run_kernel(kernel: Any, bins: Bins, x: Floats, word: Any, y: Floats) -> Floats:
    """Run a kernel that sets `y`; return its sums over all partitions."""
    sums = np.zeros((len(bins.message_starts), 3))
    run_parallel(kernel, bins, x, np.empty(len(bins.senders)), word, y, sums)
    summed: Floats = sums.sum(axis=0)
    return summed


@pytest.mark.parametrize(
    "kernel", [numba_bins.rmatvec, numba_bins.matvec], ids=["rmatvec", "matvec"]
)
def test_products(kernel: Any, web: tuple[Bins, Floats]) -> None:
    bins, matrix = web
    y = drawn(2)
    wanted = SCALE * (matrix.T if kernel is numba_bins.rmatvec else matrix) @ drawn(1)
    sums = run_kernel(kernel, bins, drawn(1), SCALE, y)
    np.testing.assert_allclose(y, wanted, rtol=1e-12)
    change = np.abs(wanted - drawn(2)).sum()
    np.testing.assert_allclose(sums, [(wanted**2).sum(), wanted.sum(), change], rtol=1e-12)


def test_a_product_less_two_vectors(web: tuple[Bins, Floats]) -> None:
    bins, matrix = web
    y = np.zeros(PAGES)
    sums = run_kernel(
        numba_bins.rmatvec_recurrence,
        bins,
        drawn(1),
        RecurrenceTerms(drawn(3), drawn(4), 2.0, -0.25),
        y,
    )
    wanted = matrix.T @ drawn(1) - 2 * drawn(3) + drawn(4) / 4
    np.testing.assert_allclose(y, wanted, atol=1e-12)
    assert sums[2] == pytest.approx(np.abs(wanted).sum())


@pytest.mark.parametrize("personalised", [False, True])
def test_a_neumann_step(web: tuple[Bins, Floats], *, personalised: bool) -> None:
    bins, matrix = web
    row_scale = np.where(drawn(5) < 0.3, 0.0, drawn(5))
    teleport = drawn(6) if personalised else np.array([0.1])
    state = WalkState(drawn(1), drawn(2), row_scale, teleport, 0.5)
    sums = np.zeros((len(bins.message_starts), 3))
    run_parallel(numba_bins.neumann_step, bins, np.empty(len(bins.senders)), state, sums)
    arrived = matrix.T @ drawn(1) + 0.5 * teleport
    np.testing.assert_allclose(state.total, drawn(2) + arrived, rtol=1e-12)
    np.testing.assert_allclose(state.outgoing, arrived * row_scale, rtol=1e-12)
    wanted = [arrived.sum(), arrived[row_scale == 0].sum()]
    np.testing.assert_allclose(sums.sum(axis=0)[:2], wanted, rtol=1e-12)


def test_tiny_values_are_not_passed_on() -> None:
    bins = bin_links(np.array([0], np.int32), np.array([1], np.int32), PAGES)
    for value, passed_on in ((1e-30, 1e-30), (1e-37, 0.0)):
        sent = np.zeros(PAGES)
        sent[0] = value
        state = WalkState(sent, np.zeros(PAGES), np.ones(PAGES), np.zeros(1), 0.0)
        run_parallel(
            numba_bins.neumann_step,
            bins,
            np.empty(1),
            state,
            np.zeros((len(bins.message_starts), 3)),
        )
        assert (state.total[1], state.outgoing[1]) == (value, passed_on)


def test_threads_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = np.random.default_rng(7).integers(0, PAGES, (2, 20_000)).astype(np.int32)
    answers = []
    for threads in ("1", "3"):
        monkeypatch.setenv("WEFT_THREADS", threads)
        bins = bin_links(source, target, PAGES)
        y, z = np.zeros(PAGES), np.zeros(PAGES)
        sums = run_kernel(numba_bins.rmatvec, bins, drawn(1), 1.0, y)
        answers.append([y, z, sums, run_kernel(numba_bins.matvec, bins, drawn(1), 1.0, z)])
    for one, two in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, two)
