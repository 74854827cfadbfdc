"""Kill the Python processes of Spark while a job runs."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

POLL_SECONDS = 0.05


@contextmanager
def killed_workers(at_most: int, seconds: float = 0.4) -> Iterator[list[int]]:
    """Kill a worker as soon as there is one, and others later, while the block runs.

    Yields those that were killed.
    """
    finished, killed = threading.Event(), list[int]()

    def kill() -> None:
        while len(killed) < at_most and not finished.wait(POLL_SECONDS):
            workers = python_workers()
            if workers:
                youngest = max(workers, key=lambda process: process.create_time())
                with suppress(ProcessLookupError):
                    os.kill(youngest.pid, signal.SIGKILL)
                    killed.append(youngest.pid)
                finished.wait(seconds)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield killed
    finally:
        finished.set()
        killer.join()


def python_workers() -> list[psutil.Process]:
    """The workers that the daemons of Spark below this process have forked."""
    daemons = [
        process for process in psutil.Process().children(recursive=True) if is_daemon(process)
    ]
    pids = {process.pid for process in daemons}
    return [process for process in daemons if process.ppid() in pids]


def is_daemon(process: psutil.Process) -> bool:
    try:
        return "pyspark.daemon" in process.cmdline()
    except psutil.Error:
        return False
