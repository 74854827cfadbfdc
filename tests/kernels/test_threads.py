"""Threads: any number gives the same bits."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import pytest

SCRIPT = """
import hashlib, numpy as np
from weft.engine import neumann_series, principal_singular_pair
from weft.engine.backends.numba import operator_from_edges
rng = np.random.default_rng(0)
n = 200_000
source, target = (rng.pareto(1.0, (2, 1_000_000)) * 1e4).astype(np.int64) % n
operator = operator_from_edges(source.astype(np.int32), target.astype(np.int32), n)
pair = principal_singular_pair(operator, np.ones(n), 1e-6, 30, "")
degrees = operator.matvec(np.ones(n))
row_scale = 0.85 * np.divide(1, degrees, out=np.zeros(n), where=degrees > 0)
walks, _ = neumann_series(operator, np.full(n, 1 / n), row_scale, 1e-8, 100, "", damping=0.85)
arrays = (pair.source, pair.target, walks, operator.bins.receivers, operator.bins.senders)
print(hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest())
"""


def digest(threads: str) -> str:
    environment = os.environ | {"WEFT_THREADS": threads}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_the_number_of_threads_changes_no_bit() -> None:
    assert digest("1") == digest("2") == digest("5")


def test_a_thread_that_does_not_start_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    from weft.kernels import threads as pool  # noqa: PLC0415  loads the compiler

    monkeypatch.setenv("WEFT_THREADS", "2")
    busy, free, calls = Event(), Event(), list[Any]()

    def hold() -> None:
        busy.set()
        free.wait(20)

    with ThreadPoolExecutor(1) as others:
        monkeypatch.setattr(pool, "_thread_pool", lambda _: others)
        others.submit(hold)
        assert busy.wait(20)
        pool.run_parallel(calls.append)
        free.set()
    assert len(calls) == 1


@pytest.mark.parametrize("bad", [0, 1])
def test_an_error_in_one_thread_ends_all(bad: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from weft.kernels import threads as pool  # noqa: PLC0415  loads the compiler

    monkeypatch.setenv("WEFT_THREADS", "2")
    both = Barrier(2, timeout=20)

    def kernel(queue: Any) -> None:
        both.wait()
        if pool.next_piece(queue) == bad:
            raise ValueError("a bad piece")
        pool.mark_done(queue)
        pool.wait_for_step(queue, 2)
        assert pool.next_piece(queue) > 2

    with pytest.raises(ValueError, match="a bad piece"):
        pool.run_parallel(kernel)


@pytest.mark.parametrize(("given", "wanted"), [("3", 3), ("0", None), ("many", None)])
def test_the_number_of_threads_can_be_set(
    given: str, wanted: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from weft.kernels.threads import thread_count  # noqa: PLC0415  loads the compiler

    monkeypatch.delenv("WEFT_THREADS", raising=False)
    default = thread_count()
    monkeypatch.setenv("WEFT_THREADS", given)
    assert thread_count() == (wanted or default)
