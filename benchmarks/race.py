"""Compare libraries on one task: a process for each run, medians, and the same answer.

`@peer("task", "library")` registers a function that takes links as arrays and
returns one that computes the answer, numbers by name. The first step builds the
library's graph and is timed as `build`, the second as `solve`. Each process first
compiles or loads its kernels on a part of the links. Peak memory includes the two
arrays of links.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers import peak
from benchmarks.webs import Ends, ends, web

Answer = dict[str, float]
Solve = Callable[[], Answer]
Peer = Callable[[Ends], Solve]

TASKS: dict[str, dict[str, Peer]] = {}
TASK_MODULES = ("benchmarks.bowties",)
LIMIT = 900
RUN_ONE = "import sys; from benchmarks.race import run_one; run_one(*sys.argv[1:])"
SLOW = {"networkx": 2_000_000, "igraph": 20_000_000}


def peer(task: str, library: str) -> Callable[[Peer], Peer]:
    """Register a library for a task."""

    def register(make: Peer) -> Peer:
        TASKS.setdefault(task, {})[library] = make
        return make

    return register


def once(task: str, library: str, path: Path) -> dict[str, Any]:
    """Run once in a new process; an empty result if it fails or takes too long."""
    words = ["-c", RUN_ONE, task, library, str(path)]
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *words]
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, env=env, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        print(f"{library}: not done after {LIMIT} s")
        return {}
    if done.returncode:
        print(f"{library} failed: {(done.stderr.strip().splitlines() or ['killed'])[-1]}")
        return {}
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row | {"total": row["build"] + row["solve"]}


def run_one(task: str, library: str, path: str) -> None:
    """Compile on a part of a web, then build and solve once; print times and memory as JSON."""
    load_tasks()
    make = TASKS[task][library]
    links = n, source, target = ends(Path(path))
    small = (source < 1 << 14) & (target < 1 << 14)
    make((min(n, 1 << 14), source[small], target[small]))()
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    solve = make(links)
    built = time.perf_counter()
    answer = solve()
    end = time.perf_counter()
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    row = {"build": built - start, "solve": end - built, "peak": peak(), "cpu": cpu}
    print(json.dumps(row | {"answer": answer}))


def compare(task: str, name: str, repeats: int, only: list[str]) -> dict[str, Any]:
    """Run the libraries on a web in turn, take medians, and compare the answers."""
    path = web(name)
    n, source, _ = ends(path)
    libraries = [
        library
        for library in TASKS[task]
        if (not only or library in only) and len(source) <= SLOW.get(library, len(source))
    ]
    runs: dict[str, list[dict[str, Any]]] = {library: [] for library in libraries}
    for _ in range(repeats):
        for library in list(runs):
            if row := once(task, library, path):
                runs[library].append(row)
            else:
                del runs[library]
    found = {library: medians(rows) for library, rows in runs.items()}
    show(f"{task}, {name}: {n:,} pages, {len(source):,} links, {repeats} runs", found)
    return {"pages": n, "links": len(source), "repeats": repeats, "peers": found}


def medians(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The median of each measure, and the answer."""
    keys = [key for key in runs[0] if key != "answer"]
    middle = {key: statistics.median(run[key] for run in runs) for key in keys}
    return middle | {"answer": runs[0]["answer"]}


def show(title: str, found: dict[str, Any]) -> None:
    """Print one row per library: its ratio to Weft, and whether its answer differs."""
    print(f"\n{title}")
    if not found:
        return
    ours = found.get("weft", next(iter(found.values())))
    heads = ("build s", "solve s", "total s", "x weft", "cpu s", "peak MB")
    print(f"{'':12}" + "".join(f"{head:>10}" for head in heads))
    for library, row in found.items():
        same = "" if row["answer"] == ours["answer"] else "  different answer"
        print(
            f"{library:12}{row['build']:>10.2f}{row['solve']:>10.2f}{row['total']:>10.2f}"
            f"{row['total'] / ours['total']:>10.2f}{row['cpu']:>10.2f}{row['peak']:>10,.0f}{same}"
        )


def load_tasks() -> None:
    """Import the modules that register tasks."""
    for module in TASK_MODULES:
        import_module(module)
