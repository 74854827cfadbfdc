"""Parse pages on every core, and survive the page that kills a parser."""

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field

import pyarrow as pa

from weft.core.errors import WeftError
from weft.gather.html import Reading, read_page, with_language
from weft.gather.language import study
from weft.gather.page import Page, Problems, Record
from weft.store.schema import tables

BATCH_PAGES, BATCH_BYTES = 64, 2 << 20
SELDOM = 100_000
BLAS = "OPENBLAS_NUM_THREADS"
PATIENCE = 120.0
PATIENCE_ALONE = 20.0


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
    pages: Sequence[Record | Page], captures: Sequence[int], reading: Reading
) -> Parsed:
    """Parse what is not parsed yet; the language of a page that takes a study is left to tell."""
    problems = Problems()
    done = [
        with_language(p, reading) if isinstance(p, Page) else read_page(p, reading, problems)
        for p in pages
    ]
    page_table, link_table = tables(done, captures)
    unsure = {row: page.unsure for row, page in enumerate(done) if page.unsure}
    return Parsed(_stream(page_table), _stream(link_table), problems, unsure)


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    stream: bytes = sink.getvalue().to_pybytes()
    return stream


def parse_all(
    batches: Iterable[Batch], reading: Reading, workers: int, problems: Problems
) -> Iterator[Parsed]:
    """Parse batches in their order; with one worker here, with more in processes of their own.

    A batch that kills its worker or takes too long is tried again page by
    page, each page alone, so that only the one to blame is left out and told.
    """
    if workers <= 1:
        with _collected_seldom():
            for batch in batches:
                yield parse_batch(batch.pages, batch.captures, reading)
        return
    pool = _pool(workers)
    waiting: deque[tuple[Batch, Future[Parsed]]] = deque()
    try:
        for batch in batches:
            if len(waiting) >= workers * 3:
                yield from _finish(pool, waiting, reading, problems)
            if pool.broken:
                pool = _restart(pool, waiting, reading, workers)
            waiting.append((batch, pool.submit(batch, reading)))
        while waiting:
            yield from _finish(pool, waiting, reading, problems)
            if pool.broken:
                pool = _restart(pool, waiting, reading, workers)
    finally:
        pool.stop()


@dataclass(slots=True)
class Pool:
    """Worker processes that end when this one does."""

    executor: ProcessPoolExecutor
    broken: bool = False

    def submit(self, batch: Batch, reading: Reading) -> Future[Parsed]:
        """Hand a batch to the next free worker, which is started if need be.

        Where another batch has killed its worker meanwhile, this one's future tells.
        """
        try:
            with _started_bare():
                return self.executor.submit(parse_batch, batch.pages, batch.captures, reading)
        except BrokenProcessPool as error:
            refused = Future[Parsed]()
            refused.set_exception(error)
            return refused

    def check(self) -> "Pool":
        """Refuse to go on where workers cannot even start: no page is to blame for that."""
        try:
            with _started_bare():
                self.executor.submit(os.getpid).result(PATIENCE)
        except (BrokenProcessPool, TimeoutError):
            self.stop()
            cure = "parse in one process: workers=1, or --workers 1"
            raise WeftError("the processes that parse pages do not start", hint=cure) from None
        return self

    def stop(self) -> None:
        """End the workers now, at work or not.

        One that is killed while it answers leaves half an answer, for the rest
        of which the executor would wait for ever if this end stayed open.
        """
        for process in list((self.executor._processes or {}).values()):  # noqa: SLF001
            process.kill()
        if (answers := self.executor._result_queue) is not None:  # noqa: SLF001
            answers._writer.close()  # type: ignore[attr-defined]  # noqa: SLF001
        self.executor.shutdown(wait=True, cancel_futures=True)


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


def _pool(workers: int) -> Pool:
    context = multiprocessing.get_context("spawn")
    return Pool(ProcessPoolExecutor(workers, context, initializer=_worker, initargs=(os.getpid(),)))


def _worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
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
    """Wait for the oldest batch."""
    batch, future = waiting.popleft()
    try:
        yield future.result(PATIENCE)
    except (BrokenProcessPool, TimeoutError):
        pool.broken = True
        pool.stop()
        yield from _one_by_one(batch, reading, problems)


def _restart(
    old: Pool, waiting: deque[tuple[Batch, Future[Parsed]]], reading: Reading, workers: int
) -> Pool:
    """New workers for the batches that the old ones did not finish."""
    old.stop()
    pool = _pool(workers)
    for k, (batch, future) in enumerate(waiting):
        if not future.done() or future.cancelled() or future.exception() is not None:
            waiting[k] = batch, pool.submit(batch, reading)
    return pool


def _one_by_one(batch: Batch, reading: Reading, problems: Problems) -> Iterator[Parsed]:
    pool = _pool(1).check()
    try:
        for page, capture in zip(batch.pages, batch.captures, strict=True):
            try:
                alone = Batch([page], [capture])
                yield pool.submit(alone, reading).result(PATIENCE_ALONE)
            except (BrokenProcessPool, TimeoutError):
                problems.tell("pages that stopped the parser", page.url)
                pool.stop()
                pool = _pool(1).check()
    finally:
        pool.stop()
