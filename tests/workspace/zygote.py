"""Commands forked from one process that has imported everything, so that each starts at once.

Tests send jobs through `Zygote`; `python -m tests.workspace.zygote` reads them, a line each, and
answers with the number of the forked process, and when that ends with its exit status and memory.
"""

import contextlib
import gc
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT
WRITE_EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree")
PRELOADED_MODULES = (
    "encodings.idna",
    "pydantic.type_adapter",
    "typer._click.decorators",
    "weft.cli.collection",
    "weft.workspace.workspace",
)


class Outcome(subprocess.CompletedProcess[str]):
    """How a command ended; `memory` is its peak in bytes, with what it was forked with."""

    memory: int = 0


class Zygote:
    """Runs commands in forks of a process that is ready; one at a time."""

    def __init__(self) -> None:
        line = [sys.executable, "-m", "tests.workspace.zygote"]
        self._process = subprocess.Popen(
            line, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._output = Path(tempfile.mkdtemp())

    def start(self, *words: object, **job: Any) -> int:
        """Start a command; `job` is as for `run`. Its process number."""
        assert self._process.stdin is not None
        self._words = list(map(str, words))
        files = {"stdout": str(self._output / "out"), "stderr": str(self._output / "err")}
        self._process.stdin.write(json.dumps({"words": self._words, **files, **job}) + "\n")
        self._process.stdin.flush()
        return int(self._answer())

    def wait(self) -> Outcome:
        """How the command that was started ends."""
        status, memory = map(int, self._answer().split())
        stdout, stderr = ((self._output / name).read_text() for name in ("out", "err"))
        done = Outcome(self._words, os.waitstatus_to_exitcode(status), stdout, stderr)
        done.memory = memory
        return done

    def run(self, *words: object, kill_after: float = 60, **job: Any) -> Outcome:
        """Run a command to its end, or kill it after some seconds.

        `constants` are set before it starts, by dotted name; `max_file_bytes` limits the files it
        writes; it is killed at the `step`-th change on disk; a `slow` add sleeps after each batch.
        """
        pid = self.start(*words, **job)
        killer = threading.Timer(kill_after, kill, [pid])
        killer.start()
        done = self.wait()
        killer.cancel()
        return done

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
        shutil.rmtree(self._output)

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


def kill(pid: int) -> None:
    """Kill a process if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def die_at(step: int) -> None:
    """Die at the n-th time that something is about to change on disk."""
    left = step

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event in WRITE_EVENTS or (event == "open" and int(arguments[2] or 0) & WRITE_FLAGS):
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def parse_slowly() -> None:
    """Let an add sleep after each batch, while it holds the lock."""
    ingest: Any = import_module("weft.workspace.ingest")
    parse_batches = ingest.parse_batches

    def slowed(*arguments: Any) -> Iterator[Any]:
        for parsed in parse_batches(*arguments):
            yield parsed
            time.sleep(60)

    ingest.parse_batches = slowed


def run_job(job: Mapping[str, Any]) -> None:
    """Run a command in this process, which ends with it."""
    for number, name in enumerate(("stdout", "stderr"), start=1):
        os.dup2(os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    for constant, value in job.get("constants", {}).items():
        module, _, name = constant.rpartition(".")
        setattr(import_module(module), name, value)
    if limit := job.get("max_file_bytes"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    if job.get("slow"):
        parse_slowly()
    if step := job.get("step"):
        die_at(step)
    sys.argv = ["weft", *job["words"]]
    try:
        import_module("weft.cli").main()
    except SystemExit as end:
        if job.get("slow"):
            raise
        sys.stdout.flush()  # and skip what takes an interpreter time to end
        sys.stderr.flush()
        os._exit(int(end.code or 0))


def serve() -> None:
    """Fork a process for each job."""
    for module in PRELOADED_MODULES:
        import_module(module)
    import_module("weft.gather.text").classify_language("The words of a page.")
    gc.freeze()
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            run_job(json.loads(line))
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        _, status, usage = os.wait4(pid, 0)
        sys.stdout.write(f"{status} {usage.ru_maxrss * 1024}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
