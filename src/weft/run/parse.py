"""Parse pages on every core, and survive the page that kills a parser or never ends.

A page has so much CPU time, not time: on a machine with other things to do
the same pages are kept. The parser is compiled code, which no exception
reaches, so that a worker process is killed by its timer. Small pages, which
even a parser gone wrong gets through, are also parsed in this process, where
the timer interrupts what is not the parser.
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

import pyarrow as pa

from weft.core.errors import WeftError
from weft.gather.html import Reading, read_page, with_language
from weft.gather.language import study
from weft.gather.page import Page, Problems, Record
from weft.store.schema import tables

BATCH_PAGES, BATCH_BYTES = 64, 2 << 20
SELDOM = 100_000
BLAS = "OPENBLAS_NUM_THREADS"
DEADLINE = 20.0
SMALL = 64 << 10
# A worker that has work and uses less CPU time than STIR while one waits is stopped or asleep.
PATIENCE, STIR = 60.0, 0.05
RESTARTS = 3
TOO_LONG, STOPPED = "pages that took too long to parse", "pages that stopped the parser"

T = TypeVar("T")
Within = Callable[[], AbstractContextManager[None]]


class OutOfTime(Exception):
    """A page took more CPU time than it may."""


class Stalled(Exception):
    """Workers that have work do not work."""


@dataclass(slots=True)
class Batch:
    """Pages on their way to be parsed, with the digests of their captures."""

    pages: list[Record | Page] = field(default_factory=list)
    captures: list[int] = field(default_factory=list)
    size: int = 0

    @property
    def full(self) -> bool:
        """Whether it is worth a worker's while."""
        return len(self.pages) >= BATCH_PAGES or self.size >= BATCH_BYTES

    @property
    def small(self) -> bool:
        """Whether no page of it can keep the parser busy beyond its deadline."""
        return all(isinstance(page, Page) or len(page.body) <= SMALL for page in self.pages)


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A batch as tables, and what was told about it; crosses processes as bytes.

    `unsure` are the rows of pages whose language is not told yet, with what to study for it.
    """

    pages: bytes
    links: bytes
    problems: Problems
    unsure: dict[int, str]

    def tables(self) -> tuple[pa.Table, pa.Table]:
        """The pages, their languages now told, and their links."""
        pages, links = (pa.ipc.open_stream(s).read_all() for s in (self.pages, self.links))
        if self.unsure:
            at, languages = pages.column_names.index("language"), pages["language"].to_pylist()
            for row, sample in self.unsure.items():
                languages[row] = study(sample) or languages[row]
            pages = pages.set_column(at, pages.field(at), pa.array(languages, pa.string()))
        return pages, links


def parse_batch(
    pages: Sequence[Record | Page], captures: Sequence[int], reading: Reading, within: Within
) -> Parsed:
    """Parse what is not parsed yet; the language of a page that takes a study is left to tell.

    A page that is interrupted is left out.
    """
    problems = Problems()
    kept: list[tuple[Page, int]] = []
    for page, capture in zip(pages, captures, strict=True):
        try:
            with within():
                kept.append((_read(page, reading, problems), capture))
        except OutOfTime:
            problems.tell(TOO_LONG, page.url)
    done = [page for page, _ in kept]
    page_table, link_table = tables(done, [capture for _, capture in kept])
    unsure = {row: page.unsure for row, page in enumerate(done) if page.unsure}
    return Parsed(_stream(page_table), _stream(link_table), problems, unsure)


def _read(page: Record | Page, reading: Reading, problems: Problems) -> Page:
    if isinstance(page, Page):
        return with_language(page, reading)
    return read_page(page, reading, problems)


@contextmanager
def killed_after(seconds: float) -> Iterator[None]:
    """End this process if what is done takes more CPU time, whatever code it is in."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` if what is done takes more CPU time of this thread, the main one.

    The timer counts all threads, and goes on, lest an exception be lost in code that drops it.
    It does not take the place of Ctrl-C and its like that are on their way out.
    """
    until = time.thread_time() + seconds

    def stop(_number: int, _frame: FrameType | None) -> None:
        leaving = sys.exception()
        if time.thread_time() >= until and (leaving is None or isinstance(leaving, Exception)):
            raise OutOfTime

    before = signal.signal(signal.SIGPROF, stop)
    timer = signal.setitimer(signal.ITIMER_PROF, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, *timer)
        signal.signal(signal.SIGPROF, before)


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    stream: bytes = sink.getvalue().to_pybytes()
    return stream


def parse_all(
    batches: Iterable[Batch], reading: Reading, workers: int, problems: Problems
) -> Iterator[Parsed]:
    """Parse batches in their order, in processes; with one worker small pages in this one.

    That takes the main thread, which alone can be interrupted. A batch that
    kills its worker is tried again page by page, each page alone, so that only
    the one to blame is left out and reported.
    """
    here = workers <= 1 and threading.current_thread() is threading.main_thread()
    pool = Pool(max(workers, 1))
    waiting: deque[tuple[Batch, Future[Parsed]]] = deque()
    try:
        for batch in batches:
            while len(waiting) >= pool.workers * 3:
                yield from _finish(pool, waiting, reading, problems)
                pool = _restarted(pool, waiting, reading) if pool.broken else pool
            if here and batch.small:
                waiting.append((batch, _parsed_here(batch, reading)))
            else:
                waiting.append((batch, pool.submit(batch, reading)))
        while waiting:
            yield from _finish(pool, waiting, reading, problems)
            pool = _restarted(pool, waiting, reading) if pool.broken else pool
    finally:
        pool.stop()


def _parsed_here(batch: Batch, reading: Reading) -> Future[Parsed]:
    parsed = Future[Parsed]()
    with _collected_seldom():
        within = partial(interrupted_after, DEADLINE)
        parsed.set_result(parse_batch(batch.pages, batch.captures, reading, within))
    return parsed


@dataclass(slots=True)
class Pool:
    """Worker processes that end when this one does, started when there is work for them.

    `stalls` counts how often in a row workers were started anew because they did not work.
    """

    workers: int
    stalls: int = 0
    broken: bool = False
    executor: ProcessPoolExecutor | None = None
    processes: list[BaseProcess] = field(default_factory=list)

    def submit(self, batch: Batch, reading: Reading) -> Future[Parsed]:
        """Hand a batch to the next free worker, which is started if need be.

        Where another batch has killed its worker meanwhile, this one's future tells.
        """
        within = partial(killed_after, DEADLINE)
        try:
            return self._start(parse_batch, batch.pages, batch.captures, reading, within)
        except BrokenProcessPool as error:
            refused = Future[Parsed]()
            refused.set_exception(error)
            return refused

    def _start(self, work: Callable[..., T], *given: object) -> Future[T]:
        with _started_bare():
            if self.executor is None:
                context = multiprocessing.get_context("spawn")
                self.executor = ProcessPoolExecutor(
                    self.workers, context, initializer=_worker, initargs=(os.getpid(),)
                )
            future = self.executor.submit(work, *given)
            self.processes = list(self.executor._processes.values())  # noqa: SLF001
            return future

    def wait(self, future: Future[T]) -> T:
        """What comes back, however long it takes, as long as the workers are at work."""
        while True:
            before = self._cpu_time()
            try:
                return future.result(PATIENCE)
            except TimeoutError:
                if not future.done() and self._cpu_time() - before < STIR:
                    raise Stalled from None

    def _cpu_time(self) -> float:
        return sum(cpu_time(process.pid) for process in self.processes if process.pid)

    def check(self) -> "Pool":
        """Refuse to go on where workers cannot even start: no page is to blame for that."""
        try:
            self.wait(self._start(os.getpid))
        except (BrokenProcessPool, Stalled):
            self.stop()
            cure = "look for limits on memory and processes, or try workers=1, or --workers 1"
            raise WeftError("the processes that parse pages do not start", hint=cure) from None
        return self

    def stalled(self) -> None:
        """Take note that the workers did not work; refuse to start them for ever."""
        self.stop()
        self.broken = True
        self.stalls += 1
        if self.stalls > RESTARTS:
            cure = "see what suspends them, and repeat the command, which then goes on"
            raise WeftError("the processes that parse pages stand still", hint=cure)

    def stop(self) -> None:
        """End the workers now, at work or not.

        One that is killed while it answers leaves half an answer, for the rest
        of which the executor would wait for ever if this end stayed open.
        """
        if self.executor is None:
            return
        for process in self.processes:
            process.kill()
        if (answers := self.executor._result_queue) is not None:  # noqa: SLF001
            answers._writer.close()  # type: ignore[attr-defined]  # noqa: SLF001
        self.executor.shutdown(wait=True, cancel_futures=True)

    @property
    def out_of_time(self) -> bool:
        """Whether a timer ended a worker; known once all have stopped."""
        return any(process.exitcode == -signal.SIGPROF for process in self.processes)


def cpu_time(process: int) -> float:
    """How many seconds of CPU time a process has used; none where it is gone."""
    if sys.platform == "linux":
        with suppress(OSError):
            return time.clock_gettime(~process << 3 | 2)  # its clock, by the kernel's numbering
        return 0.0
    line = ["ps", "-o", "cputime=", "-p", str(process)]
    clock = subprocess.run(line, capture_output=True, text=True, check=False).stdout
    parts = clock.replace("-", ":").split(":")
    return sum(float(part or 0) * 60**k for k, part in enumerate(reversed(parts)))


@contextmanager
def _collected_seldom() -> Iterator[None]:
    """Look for circles of garbage seldom: pages make many small things, and few circles."""
    before = gc.get_threshold()
    gc.set_threshold(SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def _started_bare() -> Iterator[None]:
    """Keep a worker that starts from running the user's script again, guarded or not.

    Nor shall it start the threads of an algebra library, which spin and wait.
    """
    main = vars(sys.modules["__main__"])
    kept = {name: value for name, value in main.items() if name in ("__file__", "__spec__")}
    main.update(dict.fromkeys(kept))
    threads = os.environ.get(BLAS)
    os.environ[BLAS] = "1"
    try:
        yield
    finally:
        main.update(kept)
        os.environ.pop(BLAS)
        os.environ.update({BLAS: threads} if threads is not None else {})


def _worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and do not outlive it; a timer ends a worker at once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    gc.freeze()
    gc.set_threshold(SELDOM)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _finish(
    pool: Pool, waiting: deque[tuple[Batch, Future[Parsed]]], reading: Reading, problems: Problems
) -> Iterator[Parsed]:
    """Wait for the oldest batch; it stays the oldest where the workers do not work."""
    batch, future = waiting[0]
    try:
        parsed = pool.wait(future)
    except Stalled:
        pool.stalled()
        return
    except BrokenProcessPool:
        waiting.popleft()
        pool.broken = True
        pool.stop()
        yield from _one_by_one(batch, reading, problems)
        return
    pool.stalls = 0
    waiting.popleft()
    yield parsed


def _restarted(old: Pool, waiting: deque[tuple[Batch, Future[Parsed]]], reading: Reading) -> Pool:
    """New workers for the batches that the old ones did not finish."""
    old.stop()
    pool = Pool(old.workers, old.stalls)
    for k, (batch, future) in enumerate(waiting):
        if not future.done() or future.cancelled() or future.exception() is not None:
            waiting[k] = batch, pool.submit(batch, reading)
    return pool


def _one_by_one(batch: Batch, reading: Reading, problems: Problems) -> Iterator[Parsed]:
    pool = Pool(1).check()
    pages = deque(zip(batch.pages, batch.captures, strict=True))
    try:
        while pages:
            page, capture = pages[0]
            try:
                parsed = pool.wait(pool.submit(Batch([page], [capture]), reading))
            except Stalled:
                pool.stalled()
                pool = Pool(1, pool.stalls)
                continue
            except BrokenProcessPool:
                pool.stop()
                problems.tell(TOO_LONG if pool.out_of_time else STOPPED, page.url)
                pool = Pool(1).check()
            else:
                pool.stalls = 0
                yield parsed
            pages.popleft()
    finally:
        pool.stop()
