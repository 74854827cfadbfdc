"""Parse pages in worker processes, and skip a page that crashes the parser or takes too long.

The limit on a page counts CPU time, not elapsed time, so that a loaded machine
keeps the same pages. The parser is compiled code, which no exception can
interrupt: in a worker, the timer kills the process. Small pages, which the
parser always finishes, may be parsed in this process, where the timer raises
an exception in the Python code around the parser.
"""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.errors import WeftError
from weft.gather.html import ParseOptions, detect_missing_language, main_content_start, parse_page
from weft.gather.page import Page, Problems, RawPage
from weft.gather.text import classify_language
from weft.store.segment import pages_to_tables

BATCH_PAGES, BATCH_BYTES = 64, 2 << 20
GC_THRESHOLD = 100_000
BLAS_THREADS_VARIABLE = "OPENBLAS_NUM_THREADS"
MAX_PAGE_CPU_SECONDS = 20.0
SMALL_PAGE_BYTES = 64 << 10
# Workers that use less CPU time than this between two checks are suspended or asleep.
STALL_CHECK_SECONDS, MIN_WORKING_CPU_SECONDS = 60.0, 0.05
MAX_RESTARTS = 3
TOO_SLOW_REASON = "pages that took too long to parse"
CRASHED_REASON = "pages that stopped the parser"

T = TypeVar("T")
CPULimit = Callable[[], AbstractContextManager[None]]


class OutOfTime(Exception):
    """A page took more CPU time than its limit."""


class WorkersStalled(Exception):
    """Workers have batches to parse and use no CPU time."""


@dataclass(slots=True)
class Batch:
    """Pages to parse, with the digests of their captures."""

    pages: list[RawPage | Page] = field(default_factory=list)
    captures: list[int] = field(default_factory=list)
    size: int = 0

    @property
    def is_full(self) -> bool:
        """Whether it has enough pages or bytes for a worker."""
        return len(self.pages) >= BATCH_PAGES or self.size >= BATCH_BYTES

    @property
    def fits_time_limit(self) -> bool:
        """Whether the parser finishes every page of it within the time limit."""
        return all(
            isinstance(page, Page) or len(page.body) <= SMALL_PAGE_BYTES for page in self.pages
        )


@dataclass(frozen=True, slots=True, eq=False)
class ParsedBatch:
    """The pages and links of a batch, and the problems with it."""

    pages: pa.Table
    links: pa.Table
    problems: Problems


def parse_batch(
    pages: Sequence[RawPage | Page],
    captures: Sequence[int],
    options: ParseOptions,
    cpu_limit: CPULimit,
) -> ParsedBatch:
    """Parse the pages of a batch; pages beyond the time limit are skipped and reported."""
    problems = Problems()
    kept: list[tuple[Page, int]] = []
    for page, capture in zip(pages, captures, strict=True):
        try:
            with cpu_limit():
                kept.append((_parse_page(page, options, problems), capture))
        except OutOfTime:
            problems.add(TOO_SLOW_REASON, page.url)
    tables = pages_to_tables([page for page, _ in kept], [capture for _, capture in kept])
    return ParsedBatch(*tables, problems)


def _parse_page(page: RawPage | Page, options: ParseOptions, problems: Problems) -> Page:
    if isinstance(page, Page):
        return detect_missing_language(page, options)
    return parse_page(page, options, problems)


@contextmanager
def kill_after(seconds: float) -> Iterator[None]:
    """Kill this process if the block uses more CPU time, in Python or in compiled code."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


@contextmanager
def interrupt_after(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` if the block uses more CPU time of this thread, the main one.

    The timer counts all threads and repeats every second, in case the code in
    the block swallows the exception. It does not replace a `KeyboardInterrupt`
    or `SystemExit` that is being raised.
    """
    deadline = time.thread_time() + seconds

    def raise_if_out_of_time(_number: int, _frame: FrameType | None) -> None:
        current = sys.exception()
        is_exiting = current is not None and not isinstance(current, Exception)
        if time.thread_time() >= deadline and not is_exiting:
            raise OutOfTime

    before = signal.signal(signal.SIGPROF, raise_if_out_of_time)
    timer = signal.setitimer(signal.ITIMER_PROF, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, *timer)
        signal.signal(signal.SIGPROF, before)


def classify_missing_languages(pages: pa.Table) -> pa.Table:
    """The table with the languages that were left to the classifier.

    Called where batches come together, so that one process loads its model.
    """
    uncertain = np.flatnonzero(pc.ends_with(pages["language"], "?"))
    languages = pages["language"].to_pylist()
    for row in uncertain:
        text, main = pages["text"][row].as_py(), pages["main"][row].as_py()
        classified = classify_language(main_content_start(text, main))
        languages[row] = classified or languages[row].removesuffix("?")
    column = pages.column_names.index("language")
    return pages.set_column(column, pages.field(column), pa.array(languages, pa.string()))


def parse_batches(
    batches: Iterable[Batch], options: ParseOptions, workers: int, problems: Problems
) -> Iterator[ParsedBatch]:
    """Parse batches in worker processes; results come in the order of the batches.

    With one worker, batches of small pages are parsed in this process, provided
    it is called from the main thread: signals interrupt no other. A batch that
    kills its worker is parsed again page by page, so that only the page at fault
    is skipped and reported.
    """
    in_process = workers <= 1 and threading.current_thread() is threading.main_thread()
    pool = ParserPool(max(workers, 1))
    pending: deque[tuple[Batch, Future[ParsedBatch]]] = deque()
    try:
        for batch in batches:
            while len(pending) >= pool.workers * 3:
                yield from _finish_oldest_batch(pool, pending, options, problems)
                pool = _restart_pool(pool, pending, options) if pool.broken else pool
            if in_process and batch.fits_time_limit:
                pending.append((batch, _parse_in_process(batch, options)))
            else:
                pending.append((batch, pool.submit(batch, options)))
        while pending:
            yield from _finish_oldest_batch(pool, pending, options, problems)
            pool = _restart_pool(pool, pending, options) if pool.broken else pool
    finally:
        pool.kill()


def _parse_in_process(batch: Batch, options: ParseOptions) -> Future[ParsedBatch]:
    parsed = Future[ParsedBatch]()
    with _infrequent_gc():
        cpu_limit = partial(interrupt_after, MAX_PAGE_CPU_SECONDS)
        parsed.set_result(parse_batch(batch.pages, batch.captures, options, cpu_limit))
    return parsed


@dataclass(slots=True)
class ParserPool:
    """Worker processes, started on demand, which end when this process does.

    `consecutive_stalls` counts restarts in a row because workers did not work.
    """

    workers: int
    consecutive_stalls: int = 0
    broken: bool = False
    executor: ProcessPoolExecutor | None = None
    processes: list[BaseProcess] = field(default_factory=list)

    def submit(self, batch: Batch, options: ParseOptions) -> Future[ParsedBatch]:
        """Give a batch to the next free worker.

        If another batch has killed its worker meanwhile, the future holds that error.
        """
        cpu_limit = partial(kill_after, MAX_PAGE_CPU_SECONDS)
        try:
            return self._submit(parse_batch, batch.pages, batch.captures, options, cpu_limit)
        except BrokenProcessPool as error:
            failed = Future[ParsedBatch]()
            failed.set_exception(error)
            return failed

    def _submit(self, function: Callable[..., T], *args: object) -> Future[T]:
        with _skip_main_in_workers():
            if self.executor is None:
                context = multiprocessing.get_context("spawn")
                self.executor = ProcessPoolExecutor(
                    self.workers, context, initializer=_initialise_worker, initargs=(os.getpid(),)
                )
            future = self.executor.submit(function, *args)
            self.processes = list(self.executor._processes.values())  # noqa: SLF001
            return future

    def wait_unless_stalled(self, future: Future[T]) -> T:
        """The result of a future, however long it takes, as long as workers use CPU time."""
        while True:
            before = self._cpu_time()
            try:
                return future.result(STALL_CHECK_SECONDS)
            except TimeoutError:
                if not future.done() and self._cpu_time() - before < MIN_WORKING_CPU_SECONDS:
                    raise WorkersStalled from None

    def _cpu_time(self) -> float:
        return sum(cpu_time(process.pid) for process in self.processes if process.pid)

    def ensure_started(self) -> "ParserPool":
        """Raise an error if workers cannot even start, which is not the fault of a page."""
        try:
            self.wait_unless_stalled(self._submit(os.getpid))
        except (BrokenProcessPool, WorkersStalled):
            self.kill()
            hint = "check limits on memory and processes, or use workers=1, or --workers 1"
            raise WeftError("the processes that parse pages do not start", hint=hint) from None
        return self

    def kill_stalled_workers(self) -> None:
        """Kill the stalled workers; an error after too many stalls in a row."""
        self.kill()
        self.broken = True
        self.consecutive_stalls += 1
        if self.consecutive_stalls > MAX_RESTARTS:
            hint = "find out what suspends them, then repeat the command, which resumes"
            raise WeftError("the processes that parse pages stand still", hint=hint)

    def kill(self) -> None:
        """End the workers now, busy or not.

        A worker that is killed while it writes a result leaves part of it in the
        pipe; the executor would wait for the remainder if the pipe stayed open.
        """
        if self.executor is None:
            return
        for process in self.processes:
            process.kill()
        if (results := self.executor._result_queue) is not None:  # noqa: SLF001
            results._writer.close()  # type: ignore[attr-defined]  # noqa: SLF001
        self.executor.shutdown(wait=True, cancel_futures=True)

    @property
    def has_timed_out(self) -> bool:
        """Whether the timer killed a worker; known once all have stopped."""
        return any(process.exitcode == -signal.SIGPROF for process in self.processes)


def cpu_time(pid: int) -> float:
    """The CPU time of a process in seconds; 0 if it has ended."""
    if sys.platform == "linux":
        with suppress(OSError):
            return time.clock_gettime(~pid << 3 | 2)  # the kernel's clock id for a process
        return 0.0
    line = ["ps", "-o", "cputime=", "-p", str(pid)]
    elapsed = subprocess.run(line, capture_output=True, text=True, check=False).stdout
    parts = elapsed.replace("-", ":").split(":")
    return sum(float(part or 0) * 60**k for k, part in enumerate(reversed(parts)))


@contextmanager
def _infrequent_gc() -> Iterator[None]:
    """Run the garbage collector less often: pages make many objects and few cycles."""
    before = gc.get_threshold()
    gc.set_threshold(GC_THRESHOLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def _skip_main_in_workers() -> Iterator[None]:
    """Keep starting workers from running the user's script again, guarded or not.

    They also get one BLAS thread each, since idle BLAS threads spin.
    """
    main = vars(sys.modules["__main__"])
    origin = {name: value for name, value in main.items() if name in ("__file__", "__spec__")}
    main.update(dict.fromkeys(origin))
    threads = os.environ.get(BLAS_THREADS_VARIABLE)
    os.environ[BLAS_THREADS_VARIABLE] = "1"
    try:
        yield
    finally:
        main.update(origin)
        os.environ.pop(BLAS_THREADS_VARIABLE)
        os.environ.update({BLAS_THREADS_VARIABLE: threads} if threads is not None else {})


def _initialise_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, let the timer kill this process, and end with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)

    def exit_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=exit_with_parent, daemon=True).start()


def _finish_oldest_batch(
    pool: ParserPool,
    pending: deque[tuple[Batch, Future[ParsedBatch]]],
    options: ParseOptions,
    problems: Problems,
) -> Iterator[ParsedBatch]:
    """Wait for the oldest batch; after a stall it remains pending."""
    batch, future = pending[0]
    try:
        parsed = pool.wait_unless_stalled(future)
    except WorkersStalled:
        pool.kill_stalled_workers()
        return
    except BrokenProcessPool:
        pending.popleft()
        pool.broken = True
        pool.kill()
        yield from _parse_one_by_one(batch, options, problems)
        return
    pool.consecutive_stalls = 0
    pending.popleft()
    yield parsed


def _restart_pool(
    old_pool: ParserPool, pending: deque[tuple[Batch, Future[ParsedBatch]]], options: ParseOptions
) -> ParserPool:
    """Start new workers and resubmit the batches that the old ones did not finish."""
    old_pool.kill()
    pool = ParserPool(old_pool.workers, old_pool.consecutive_stalls)
    for k, (batch, future) in enumerate(pending):
        if not future.done() or future.cancelled() or future.exception() is not None:
            pending[k] = batch, pool.submit(batch, options)
    return pool


def _parse_one_by_one(
    batch: Batch, options: ParseOptions, problems: Problems
) -> Iterator[ParsedBatch]:
    """Parse each page of a batch alone, in one worker that is restarted after a crash."""
    pool = ParserPool(1).ensure_started()
    pages = deque(zip(batch.pages, batch.captures, strict=True))
    try:
        while pages:
            page, capture = pages[0]
            try:
                parsed = pool.wait_unless_stalled(pool.submit(Batch([page], [capture]), options))
            except WorkersStalled:
                pool.kill_stalled_workers()
                pool = ParserPool(1, pool.consecutive_stalls)
                continue
            except BrokenProcessPool:
                pool.kill()
                problems.add(TOO_SLOW_REASON if pool.has_timed_out else CRASHED_REASON, page.url)
                pool = ParserPool(1).ensure_started()
            else:
                pool.consecutive_stalls = 0
                yield parsed
            pages.popleft()
    finally:
        pool.kill()
