"""Threads that draw work from one queue."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numba import njit
from numba.core import types
from numba.extending import intrinsic


def threads() -> int:
    """How many threads work: `WEFT_THREADS`, or one for each processor this process may use."""
    given = os.environ.get("WEFT_THREADS", "")
    if given.isdigit() and int(given):
        return int(given)
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@cache
def _pool(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="weft")


def run(kernel: Any, *words: Any) -> None:
    """Call a kernel from every thread; each draws pieces from the same queue until it is empty.

    A piece is computed by one thread from beginning to end, so that the number
    of threads cannot change the result.
    """
    queue = np.zeros(1, np.int64)
    others = threads() - 1
    started = [_pool(others).submit(kernel, queue, *words) for _ in range(others)]
    try:
        kernel(queue, *words)
    finally:
        for other in started:
            other.result()


@intrinsic
def _fetch_add(_context: Any, array: Any, amount: Any) -> Any:  # noqa: ARG001
    """Add to the first item and return what was there, as one step for all threads."""

    def generate(context: Any, builder: Any, form: Any, words: Any) -> Any:
        data = context.make_array(form.args[0])(context, builder, words[0]).data
        return builder.atomic_rmw("add", data, words[1], "monotonic")

    return types.int64(array, types.int64), generate


@njit(nogil=True)
def take(queue: Any) -> int:
    """The number of the next piece."""
    piece: int = _fetch_add(queue, 1)  # type: ignore[call-arg]
    return piece
