"""How many modules a command passes through: `python -m benchmarks.modules [--list]`.

Traces each command on the demo web with `sys.setprofile`, in a process of its own, and
prints the modules of Weft whose functions run, those functions, and the pairs of modules
that call each other. Code that runs while a module is imported does not count. Nothing is
in the cache of the collection. The last row is a click in the workbench that draws the map
of a query's topics: the work of the process that answers it.
"""

import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import weft
from weft.cli import main as weft_command
from weft.server.routes import ROUTES
from weft.server.session import Session
from weft.server.worker import answer_request, preload_collection
from weft.workspace.workspace import Workspace

COMMANDS = (
    "add {folder}/new.weft {folder}/weft-demo/demo.warc.gz --workers 1",
    "search {folder}/weft-demo/demo.weft jaguar",
    "topics {folder}/weft-demo/demo.weft jaguar",
    "rank pagerank {folder}/weft-demo/demo.weft",
    "communities {folder}/weft-demo/demo.weft",
    "structure {folder}/weft-demo/demo.weft",
    "map {folder}/weft-demo/demo.weft jaguar",
)
SOURCE = str(Path(weft.__file__).parent)


class Calls:
    """The functions of Weft that ran, and the pairs of modules that called each other."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str]] = set()
        self.edges: set[tuple[str, str]] = set()

    @property
    def modules(self) -> list[str]:
        """The modules whose functions ran."""
        return sorted({module for module, _ in self.functions})

    def record(self, frame: FrameType, event: str, _argument: Any) -> None:
        """Record a call, unless a module is being imported below it."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(SOURCE) or _is_importing(frame):
            return
        module = _module_name(code.co_filename)
        self.functions.add((module, f"{code.co_qualname}:{code.co_firstlineno}"))
        caller = frame.f_back
        while caller and not caller.f_code.co_filename.startswith(SOURCE):
            caller = caller.f_back
        if caller and (above := _module_name(caller.f_code.co_filename)) != module:
            self.edges.add((above, module))


def _is_importing(frame: FrameType | None) -> bool:
    while frame:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(SOURCE):
            return True
        frame = frame.f_back
    return False


def _module_name(file_name: str) -> str:
    return file_name.removeprefix(SOURCE).strip("/").removesuffix(".py").removesuffix("/__init__")


@contextmanager
def tracing() -> Iterator[Calls]:
    """Record the calls of a block, in all threads that it starts."""
    calls = Calls()
    threading.setprofile(calls.record)
    sys.setprofile(calls.record)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def trace_command(arguments: list[str]) -> Calls:
    """Run one command in this process."""
    sys.argv = ["weft", "-q", *arguments]
    with tracing() as calls, tempfile.TemporaryFile("w+") as screen:
        shown, sys.stdout = sys.stdout, screen
        try:
            weft_command()
        except SystemExit as end:
            if end.code:
                raise
        finally:
            sys.stdout = shown
    return calls


def trace_map(collection: str, query: str) -> Calls:
    """Answer a request for a map as a worker of the server does, when it has started."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Workspace(Path(collection)), Path(folder))
        preload_collection(session)
        path = "topics/auto/map"
        params = ROUTES[path].params_class.model_validate({"query": query})
        with tracing() as calls:
            reply = answer_request(session, path, dict(params))
    if reply.http_status != 200:
        sys.exit(f"the map was answered with {reply.http_status}")
    return calls


def trace(arguments: list[str], *, listed: bool) -> None:
    """Trace one command, or a click, and print its line."""
    calls = trace_map(*arguments[1:]) if arguments[0] == "map" else trace_command(arguments)
    name = " ".join(part for part in arguments if "/" not in part)
    print(
        f"{name:<24}{len(calls.modules):>8}{len(calls.functions):>11}{len(calls.edges):>8}",
        flush=True,
    )
    if listed:
        print("".join(f"    {module}\n" for module in calls.modules), end="", flush=True)


def main(*, listed: bool) -> None:
    """Build the demo web, then trace each command in a process of its own."""
    print(f"{'weft':<24}{'modules':>8}{'functions':>11}{'edges':>8}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "weft", "-q", "demo"], cwd=folder, check=True, stdout=-3
        )
        for command in COMMANDS:
            shutil.rmtree(Path(folder, "weft-demo", "demo.weft", "results"), ignore_errors=True)
            line = [sys.executable, "-m", "benchmarks.modules", *["--list"][: int(listed)]]
            subprocess.run([*line, "--trace", *command.format(folder=folder).split()], check=True)


if __name__ == "__main__":
    options, _, command = " ".join(sys.argv[1:]).partition("--trace ")
    if command:
        trace(command.split(), listed="--list" in options)
    else:
        main(listed="--list" in options)
