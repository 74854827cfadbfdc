"""Forks writers for tests to kill: what takes time to load is loaded once.

Reads one job a line, says the process that does it, and how that ended.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from weft.gather.language import study
from weft.run import parse
from weft.run.workspace import Workspace
from weft.store import writer

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
STEPS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree")


def die_at(step: int) -> None:
    """Die at the n-th time that something is about to change on disk."""
    left = step

    def watch(event: str, given: tuple[Any, ...]) -> None:
        nonlocal left
        if event in STEPS or (event == "open" and int(given[2] or 0) & WRITING):
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def work(job: dict[str, Any]) -> None:
    """Do a job in small segments."""
    writer.MOST_PAGES = parse.BATCH_PAGES = 8
    if job["step"]:
        die_at(job["step"])
    getattr(Workspace(Path(job["folder"])), job["verb"])(*job["given"], **job["options"])


def serve() -> None:
    """Fork a process for each job, which need not load the model of languages again."""
    study("The words of a page.")
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            work(json.loads(line))
            os._exit(0)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        sys.stdout.write(f"{os.waitpid(pid, 0)[1]}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
