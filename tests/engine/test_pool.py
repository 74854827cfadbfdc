"""Threads: as many as one likes, the same bits."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import Any

import pytest

SCRIPT = """
import hashlib, numpy as np
from weft.engine import principal, series
from weft.engine.large import from_ends
draw = np.random.default_rng(0)
n = 200_000
source, target = (draw.pareto(1.0, (2, 1_000_000)) * 1e4).astype(np.int64) % n
made = from_ends(source.astype(np.int32), target.astype(np.int32), n)
pair = principal(made, np.ones(n), 1e-6, 30, "")
degrees = made.backward(np.ones(n))
each = 0.85 * np.divide(1, degrees, out=np.zeros(n), where=degrees > 0)
walks, _ = series(made, np.full(n, 1 / n), each, 1e-8, 100, "", share=0.85)
arrays = (pair.source, pair.target, walks, made.bins.receivers, made.bins.senders)
print(hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest())
"""


def digest(threads: str) -> str:
    environment = os.environ | {"WEFT_THREADS": threads}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_number_of_threads_changes_no_bit() -> None:
    assert digest("1") == digest("2") == digest("5")


def test_a_thread_that_does_not_get_to_begin_is_let_be(monkeypatch: pytest.MonkeyPatch) -> None:
    from weft.engine import pool  # noqa: PLC0415  loads the compiler

    monkeypatch.setenv("WEFT_THREADS", "2")
    busy, free, calls = Event(), Event(), list[Any]()

    def hold() -> None:
        busy.set()
        free.wait(20)

    with ThreadPoolExecutor(1) as others:
        monkeypatch.setattr(pool, "_pool", lambda _: others)
        others.submit(hold)
        assert busy.wait(20)
        pool.run(calls.append)
        free.set()
    assert len(calls) == 1


@pytest.mark.parametrize("bad", [0, 1])
def test_an_error_ends_the_waiting_of_all(bad: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from weft.engine import pool  # noqa: PLC0415  loads the compiler

    monkeypatch.setenv("WEFT_THREADS", "2")
    both = Barrier(2, timeout=20)

    def kernel(queue: Any) -> None:
        both.wait()
        if pool.take(queue) == bad:
            raise ValueError("a bad piece")
        pool.done(queue)
        pool.wait(queue, 2)
        assert pool.take(queue) > 2

    with pytest.raises(ValueError, match="a bad piece"):
        pool.run(kernel)


@pytest.mark.parametrize(("given", "wanted"), [("3", 3), ("0", None), ("many", None)])
def test_how_many(given: str, wanted: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    from weft.engine.pool import threads  # noqa: PLC0415  loads the compiler

    monkeypatch.delenv("WEFT_THREADS", raising=False)
    usual = threads()
    monkeypatch.setenv("WEFT_THREADS", given)
    assert threads() == (wanted or usual)
