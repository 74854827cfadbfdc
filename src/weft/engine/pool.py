"""Threads that draw work from one queue."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numba import njit
from numba.core import types
from numba.extending import intrinsic

from weft.core.machine import cores

COUNTERS = 4
OVER = 1 << 62
PATIENCE = 1000
_give_way = types.ExternalFunction("sched_yield", types.int32())


def threads() -> int:
    """How many threads work: `WEFT_THREADS`, or one for each processor this process may use."""
    given = os.environ.get("WEFT_THREADS", "")
    if given.isdigit() and int(given):
        return int(given)
    return cores()


@cache
def _pool(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="weft")


def run(kernel: Any, *words: Any) -> None:
    """Call a kernel from every thread; each draws pieces from the same queue until it is empty.

    A piece is computed by one thread from beginning to end, so that the number
    of threads cannot change the result. A kernel may have several steps, each
    of which waits for all pieces of the one before. A thread that has not
    begun when all is done, for the processors are busy elsewhere, is let be.
    An error in one thread leaves the others nothing to take or to wait for.
    """
    queue = np.zeros(COUNTERS, np.int64)
    others = threads() - 1

    def work() -> None:
        try:
            kernel(queue, *words)
        except BaseException:
            queue.fill(OVER)
            raise

    started = [_pool(others).submit(work) for _ in range(others)]
    try:
        work()
    finally:
        for other in started:
            if not other.cancel():
                other.result()


@intrinsic
def _fetch_add(_context: Any, array: Any, at: Any, amount: Any) -> Any:  # noqa: ARG001
    """Add to one item and return what was there, as one step for all threads."""

    def generate(context: Any, builder: Any, form: Any, words: Any) -> Any:
        data = context.make_array(form.args[0])(context, builder, words[0]).data
        return builder.atomic_rmw("add", builder.gep(data, [words[1]]), words[2], "acq_rel")

    return types.int64(array, types.int64, types.int64), generate


@intrinsic
def replace_if(_context: Any, array: Any, at: Any, old: Any, new: Any) -> Any:  # noqa: ARG001
    """Replace an item if it is still the old one, and say whether, as one step for all threads."""

    def generate(context: Any, builder: Any, form: Any, words: Any) -> Any:
        data = context.make_array(form.args[0])(context, builder, words[0]).data
        place = builder.gep(data, [words[1]])
        found = builder.cmpxchg(place, words[2], words[3], "acq_rel", "monotonic")
        return builder.extract_value(found, 1)

    item = array.dtype
    return types.boolean(array, types.int64, item, item), generate


@njit(nogil=True)
def take(queue: Any, step: int = 0) -> int:
    """The number of the next piece of a step."""
    piece: int = _fetch_add(queue, 2 * step, 1)  # type: ignore[call-arg]
    return piece


@njit(nogil=True)
def done(queue: Any, step: int = 0) -> None:
    """Say that a piece of a step is done."""
    _fetch_add(queue, 2 * step + 1, 1)  # type: ignore[call-arg]


@njit(nogil=True)
def wait(queue: Any, pieces: int, step: int = 0) -> None:
    """Wait until all pieces of a step are done, whoever does them; give way if it takes long."""
    tries = 0
    while _fetch_add(queue, 2 * step + 1, 0) < pieces:  # type: ignore[call-arg]
        tries += 1
        if tries > PATIENCE:
            _give_way()
