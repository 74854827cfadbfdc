"""Worker processes for parsing and serving: replaced when they die, and killed to cancel a task.

A worker is a new Python process, never a fork. It calls the function that the
pool names, which returns another, and calls that one for each task. It ignores
Ctrl-C and ends with this process. Tasks and results are pickled: both ends are
this program, and nothing that was read from outside is unpickled.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection, Pipe
from traceback import format_exc
from typing import Any

from weft.core.progress import Listener, ignore_progress, listener

PROGRESS_SECONDS = 0.1
# The path of this process comes along; the script that it runs does not.
RUN_WORKER = (
    "import sys; sys.path[:] = sys.argv[3:];"
    "from weft.core.worker_pool import run_worker; run_worker(int(sys.argv[1]), sys.argv[2])"
)


class WorkerDied(Exception):
    """A worker process ended before its task was done; unless `started`, before any task."""

    def __init__(self, exit_code: int | None, *, started: bool) -> None:
        super().__init__(f"a worker process ended with exit code {exit_code}")
        self.started = started
        self.out_of_cpu_time = exit_code == -signal.SIGPROF


@contextmanager
def kill_after(seconds: float) -> Iterator[None]:
    """Kill this process if the block uses more CPU time, in Python or in compiled code."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


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


@dataclass(slots=True, eq=False)
class Worker:
    """A process that does one task at a time; `subject` is what its last task was about."""

    process: subprocess.Popen[bytes] | None = None
    connection: Connection | None = None
    subject: str = ""

    def start(self, function: str, args: tuple[Any, ...], environment: dict[str, str]) -> None:
        """Start the process, with Ctrl-C blocked before it begins."""
        self.connection, theirs = Pipe()
        command = [sys.executable, "-P", "-c", RUN_WORKER, str(theirs.fileno()), function]
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            self.process = subprocess.Popen(
                [*command, *sys.path],
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=[theirs.fileno()],
                env=os.environ | environment,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            theirs.close()
        self.connection.send(args)

    def receive(self, deadline: float | None, on_progress: Listener) -> tuple[str, Any]:
        """A result or an error; `TimeoutError` after the deadline."""
        assert self.connection is not None
        while self.connection.poll(deadline and max(deadline - time.monotonic(), 0)):
            kind, value = self.connection.recv()
            if kind != "progress":
                return kind, value
            on_progress(*value)
        raise TimeoutError

    def stop(self) -> int | None:
        """Kill the process, and return its exit code; without one, it has no subject either."""
        process, self.process, self.subject = self.process, None, ""
        if self.connection is not None:
            self.connection.close()
        if process is None:
            return None
        process.kill()
        return process.wait()


@dataclass(slots=True, eq=False)
class Task:
    """A task of a pool, which waits or runs; `future` gets its result."""

    args: tuple[Any, ...]
    subject: str
    max_seconds: float | None
    on_progress: Listener
    future: Future[Any] = field(init=False)
    worker: Worker | None = None
    cancelled: bool = False


@dataclass(slots=True, eq=False)
class WorkerPool:
    """At most `size` workers, started on demand; tasks wait in a queue while all are busy.

    `function` names a function as `module:name`. A worker calls it with `args`
    once; it returns the function that does the tasks.
    """

    size: int
    function: str
    args: tuple[Any, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    workers: list[Worker] = field(init=False)
    _idle: list[Worker] = field(init=False)
    _threads: ThreadPoolExecutor = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    def __post_init__(self) -> None:
        self.workers = [Worker() for _ in range(self.size)]
        self._idle = list(self.workers)
        self._threads = ThreadPoolExecutor(self.size)

    def submit(
        self,
        *args: Any,
        subject: str = "",
        max_seconds: float | None = None,
        on_progress: Listener = ignore_progress,
    ) -> Task:
        """Queue a task, preferably for the idle worker whose last task had the same subject.

        Its future fails with `WorkerDied`, with `TimeoutError` after a time of
        waiting for the worker, or with what the task raised.
        """
        task = Task(args, subject, max_seconds, on_progress)
        task.future = self._threads.submit(self._run, task)
        return task

    def _run(self, task: Task) -> Any:
        with self._lock:
            same = (worker for worker in self._idle if worker.subject == task.subject)
            worker = next(same, self._idle[0])
            self._idle.remove(worker)
            task.worker, worker.subject = worker, task.subject
        try:
            kind, value = self._run_on(worker, task)
        finally:
            with self._lock:
                task.worker = None
                self._idle.append(worker)
        if kind == "error":
            raise value
        return value

    def _run_on(self, worker: Worker, task: Task) -> tuple[str, Any]:
        deadline = task.max_seconds and time.monotonic() + task.max_seconds
        if worker.process is not None and worker.process.poll() is not None:
            worker.stop()  # it died while it was idle
        is_ready = worker.process is not None
        try:
            with self._lock:
                if task.cancelled or self._stopped:
                    raise CancelledError
                if not is_ready:
                    worker.start(self.function, self.args, self.environment)
            if not is_ready:
                worker.receive(deadline, task.on_progress)
                is_ready = True
            assert worker.connection is not None
            worker.connection.send(task.args)
            return worker.receive(deadline, task.on_progress)
        except TimeoutError:
            worker.stop()
            raise
        except (OSError, EOFError):
            raise WorkerDied(worker.stop(), started=is_ready) from None

    def cancel(self, task: Task) -> None:
        """Forget a task; if it runs, its worker is killed."""
        with self._lock:
            task.cancelled = True
            if not task.future.cancel() and task.worker is not None and task.worker.process:
                task.worker.process.kill()

    def cpu_times(self) -> dict[int, float]:
        """The CPU time so far of each worker's process, by its id."""
        processes = [worker.process for worker in self.workers]
        return {process.pid: cpu_time(process.pid) for process in processes if process is not None}

    def stop(self) -> None:
        """End the workers now, busy or not, and drop all tasks."""
        with self._lock:
            self._stopped = True
            for worker in self.workers:
                if worker.process is not None:
                    worker.process.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self.workers:
            worker.stop()


def run_worker(descriptor: int, function: str) -> None:
    """Do tasks until the process at the other end of a connection closes it or ends."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    connection = Connection(descriptor)
    module, _, name = function.partition(":")
    do_task = getattr(import_module(module), name)(*connection.recv())
    with suppress(EOFError, OSError):
        connection.send(("ready", None))
        while True:
            args = connection.recv()
            token = listener.set(_progress_sender(connection))
            try:
                reply = "result", do_task(*args)
            except Exception as error:  # noqa: BLE001  raised at the other end
                error.add_note(format_exc())
                reply = "error", error
            finally:
                listener.reset(token)
            connection.send(reply)


def exit_with_parent() -> None:
    """End this process soon after the one that started it, even in the middle of a task."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _progress_sender(connection: Connection) -> Listener:
    """A progress listener that reports a few times a second."""
    last_time = 0.0

    def send_progress(label: str, done: int, total: int | None) -> None:
        nonlocal last_time
        now = time.monotonic()
        if now - last_time >= PROGRESS_SECONDS:
            last_time = now
            connection.send(("progress", (label, done, total)))

    return send_progress
