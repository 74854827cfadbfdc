"""Threads that take pieces of work from one queue, with atomic counters."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from weft.core.cpu import available_cores
from weft.kernels.compiler import njit

Item = TypeVar("Item")
Result = TypeVar("Result")
QUEUE_COUNTERS = 4  # for each of two steps: pieces taken, pieces done
QUEUE_CLOSED = 1 << 62
SPINS_BEFORE_YIELD = 1000
_sched_yield = types.ExternalFunction("sched_yield", types.int32())


def thread_count() -> int:
    """The number of threads: `WEFT_THREADS`, or one for each available processor."""
    setting = os.environ.get("WEFT_THREADS", "")
    if setting.isdigit() and int(setting):
        return int(setting)
    return available_cores()


@cache
def _thread_pool(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="weft")


def run_parallel(kernel: Any, *args: Any) -> None:
    """Run a kernel in every thread; each takes pieces from the same queue until it is empty.

    A piece is computed by one thread from beginning to end, so that the number
    of threads cannot change the result. A kernel may have several steps, each
    of which waits for all pieces of the one before. A thread that has not
    started when all is done, because the processors are busy, is cancelled.
    An error in one thread closes the queue for the others.
    """
    queue = np.zeros(QUEUE_COUNTERS, np.int64)
    others = thread_count() - 1

    def run_thread() -> None:
        try:
            kernel(queue, *args)
        except BaseException:
            queue.fill(QUEUE_CLOSED)
            raise

    started = [_thread_pool(others).submit(run_thread) for _ in range(others)]
    try:
        run_thread()
    finally:
        for other in started:
            if not other.cancel():
                other.result()


def map_in_threads(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Call a function that releases the interpreter's lock for each item; results are in order.

    As many items as there are threads are read ahead of the one whose result is waited for.

    Examples
    --------
    >>> list(map_in_threads(abs, [-2, 1, -3]))
    [2, 1, 3]
    """
    count = thread_count()
    if count == 1:
        yield from map(function, items)
        return
    pending = deque[Future[Result]]()
    try:
        for item in items:
            pending.append(_thread_pool(count).submit(function, item))
            if len(pending) > count:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        for future in pending:
            future.cancel()


@intrinsic
def _fetch_add(_context: Any, array: Any, at: Any, amount: Any) -> Any:  # noqa: ARG001
    """Atomically add to an item, and return its old value."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.atomic_rmw("add", builder.gep(data, [args[1]]), args[2], "acq_rel")

    return types.int64(array, types.int64, types.int64), codegen


@intrinsic
def compare_and_swap(_context: Any, array: Any, at: Any, old: Any, new: Any) -> Any:  # noqa: ARG001
    """Atomically replace an item if it is still the old one, and return whether it was."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        item_pointer = builder.gep(data, [args[1]])
        result = builder.cmpxchg(item_pointer, args[2], args[3], "acq_rel", "monotonic")
        return builder.extract_value(result, 1)

    item = array.dtype
    return types.boolean(array, types.int64, item, item), codegen


@njit(nogil=True)
def next_piece(queue: Any, step: int = 0) -> int:
    """Take the next piece of a step."""
    piece: int = _fetch_add(queue, 2 * step, 1)  # type: ignore[call-arg]
    return piece


@njit(nogil=True)
def mark_done(queue: Any, step: int = 0) -> None:
    """Report a piece of a step as done."""
    _fetch_add(queue, 2 * step + 1, 1)  # type: ignore[call-arg]


@njit(nogil=True)
def wait_for_step(queue: Any, pieces: int, step: int = 0) -> None:
    """Wait until all pieces of a step are done, by any thread; yield if that takes long."""
    tries = 0
    while _fetch_add(queue, 2 * step + 1, 0) < pieces:  # type: ignore[call-arg]
        tries += 1
        if tries > SPINS_BEFORE_YIELD:
            _sched_yield()
