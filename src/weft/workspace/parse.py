"""Parse pages in worker processes, and skip a page that crashes the parser or takes too long.

The limit on a page counts CPU time, not elapsed time, so that a loaded machine
keeps the same pages. The parser is compiled code, which no exception can
interrupt: in a worker, the timer kills the process. Small pages, which the
parser always finishes, may be parsed in this process, where the timer raises
an exception in the Python code around the parser.
"""

import gc
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import FrameType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.errors import WeftError
from weft.core.worker_pool import Task, WorkerDied, WorkerPool, exit_with_parent, kill_after
from weft.gather.html import ParseOptions, detect_missing_language, main_content_start, parse_page
from weft.gather.page import Page, Problems, RawPage
from weft.gather.text import classify_language
from weft.store.segment import pages_to_tables

BATCH_PAGES, BATCH_BYTES = 64, 2 << 20
GC_THRESHOLD = 100_000
MAX_PAGE_CPU_SECONDS = 20.0
SMALL_PAGE_BYTES = 64 << 10
# Workers that use less CPU time than this between two checks are suspended or asleep.
STALL_CHECK_SECONDS, MIN_WORKING_CPU_SECONDS = 60.0, 0.05
MAX_RESTARTS = 3
TOO_SLOW_REASON = "pages that took too long to parse"
CRASHED_REASON = "pages that stopped the parser"

START_PARSER = "weft.workspace.parse:start_parser"

CPULimit = Callable[[], AbstractContextManager[None]]


class OutOfTime(Exception):
    """A page took more CPU time than its limit."""


@dataclass(slots=True)
class Batch:
    """Pages to parse, with the digests of their captures; alone if it `is_retry`."""

    pages: list[RawPage | Page] = field(default_factory=list)
    captures: list[int] = field(default_factory=list)
    size: int = 0
    is_retry: bool = False

    def append(self, page: RawPage | Page, capture: int, size: int) -> None:
        """Add a page with the digest of its capture and the bytes of its body."""
        self.pages.append(page)
        self.captures.append(capture)
        self.size += size

    @property
    def is_full(self) -> bool:
        """Whether it has enough pages or bytes for a worker."""
        return len(self.pages) >= BATCH_PAGES or self.size >= BATCH_BYTES

    @property
    def is_parsed(self) -> bool:
        """Whether its pages are parsed, or have no body as redirects, so need no time limit."""
        return all(isinstance(page, Page) or not page.body for page in self.pages)

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
    it is called from the main thread: signals interrupt no other. Batches of pages that
    are parsed already, or have no body, need no worker in any thread. A batch that
    kills its worker is parsed again page by page, so that only the page at fault
    is skipped and reported.
    """
    in_process = workers <= 1 and threading.current_thread() is threading.main_thread()
    parser = ParallelParser(options, max(workers, 1), problems)
    try:
        for batch in batches:
            while len(parser.pending) >= parser.workers * 3:
                yield from parser.finish_oldest()
            if workers <= 1 and batch.is_parsed:
                parsed = parse_batch(batch.pages, batch.captures, options, nullcontext)
                parser.pending.append((batch, parsed))
            elif in_process and batch.fits_time_limit:
                parser.pending.append((batch, _parse_in_process(batch, options)))
            else:
                parser.pending.append((batch, parser.submit(batch)))
        while parser.pending:
            yield from parser.finish_oldest()
    finally:
        parser.stop()


def _parse_in_process(batch: Batch, options: ParseOptions) -> ParsedBatch:
    with less_garbage_collection():
        cpu_limit = partial(interrupt_after, MAX_PAGE_CPU_SECONDS)
        return parse_batch(batch.pages, batch.captures, options, cpu_limit)


@contextmanager
def less_garbage_collection() -> Iterator[None]:
    """Let the garbage collector run less often: few objects of parsed pages form cycles."""
    before = gc.get_threshold()
    gc.set_threshold(GC_THRESHOLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def start_parser(
    options: ParseOptions, max_seconds: float
) -> Callable[[Sequence[RawPage | Page], Sequence[int]], ParsedBatch]:
    """The function that parses batches in a worker, where a timer kills it at a slow page."""
    exit_with_parent()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    return partial(parse_batch, options=options, cpu_limit=partial(kill_after, max_seconds))


@dataclass(eq=False)
class ParallelParser:
    """Batches that are being parsed, oldest first, and the workers, started on first use."""

    options: ParseOptions
    workers: int
    problems: Problems
    pending: deque[tuple[Batch, ParsedBatch | Task]] = field(default_factory=deque)

    @cached_property
    def pool(self) -> WorkerPool:
        """Workers with one BLAS thread each, since idle BLAS threads spin."""
        args = self.options, MAX_PAGE_CPU_SECONDS
        return WorkerPool(self.workers, START_PARSER, args, {"OPENBLAS_NUM_THREADS": "1"})

    def stop(self) -> None:
        """End the workers, if there are any."""
        if "pool" in vars(self):
            self.pool.stop()

    def submit(self, batch: Batch) -> Task:
        """Give a batch to the next free worker."""
        return self.pool.submit(batch.pages, batch.captures)

    def finish_oldest(self) -> Iterator[ParsedBatch]:
        """Wait for the oldest batch; if it killed its worker, its pages take its place."""
        self._wait_for_oldest()
        batch, task = self.pending.popleft()
        try:
            yield task.future.result() if isinstance(task, Task) else task
        except WorkerDied as death:
            if not death.started:
                hint = "check limits on memory and processes, or use one worker"
                raise WeftError("the processes that parse pages do not start", hint=hint) from None
            if batch.is_retry:
                reason = TOO_SLOW_REASON if death.out_of_cpu_time else CRASHED_REASON
                self.problems.add(reason, batch.pages[0].url)
                return
            pages = zip(batch.pages, batch.captures, strict=True)
            alone = [Batch([page], [capture], is_retry=True) for page, capture in pages]
            retries = [(single, self.submit(single)) for single in alone]
            self.pending.extendleft(reversed(retries))

    def _wait_for_oldest(self) -> None:
        """Wait as long as workers use CPU time; those that do not are replaced a few times."""
        for _ in range(MAX_RESTARTS + 1):
            if self._finishes(self.pending[0][1]):
                return
            for k, (batch, task) in enumerate(self.pending):
                if isinstance(task, Task) and not task.future.done():
                    self.pool.cancel(task)
                    self.pending[k] = batch, self.submit(batch)
        hint = "find out what suspends them, then repeat the command, which resumes"
        raise WeftError("the processes that parse pages stand still", hint=hint)

    def _finishes(self, task: ParsedBatch | Task) -> bool:
        """Wait for a task; whether it is done, rather than its workers using no CPU time."""
        while isinstance(task, Task):
            before = self.pool.cpu_times()
            if wait([task.future], STALL_CHECK_SECONDS).done:
                return True
            used = [seconds - before.get(pid, 0) for pid, seconds in self.pool.cpu_times().items()]
            if sum(used) < MIN_WORKING_CPU_SECONDS:
                return task.future.done()
        return True
