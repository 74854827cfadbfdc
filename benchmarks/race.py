"""Libraries side by side on one task: every run a process of its own, medians, one answer.

A task has a name and peers. `@peer("task", "library")` enters a function from
the ends of links to one that gives the answer, numbers by name. The first step
makes the library's graph and is timed as `build`, the second as `solve`. A
process loads the ends, has its kernels compiled or loaded on a part of them,
and is then timed. Peak memory includes the two arrays of ends.
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
ENTERED = ("benchmarks.bowties",)
LIMIT = 900
ONE = "import sys; from benchmarks.race import run_one; run_one(*sys.argv[1:])"
SLOW = {"networkx": 2_000_000, "igraph": 20_000_000}


def peer(task: str, library: str) -> Callable[[Peer], Peer]:
    """Let a library take part in a task."""

    def enter(make: Peer) -> Peer:
        TASKS.setdefault(task, {})[library] = make
        return make

    return enter


def once(task: str, library: str, path: Path) -> dict[str, Any]:
    """One run in a process of its own; nothing where the peer fails or takes too long."""
    words = ["-c", ONE, task, library, str(path)]
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
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told | {"total": told["build"] + told["solve"]}


def run_one(task: str, library: str, path: str) -> None:
    """Compile on a part of a web, then build and solve once, timed; print what it took as JSON."""
    load_tasks()
    make = TASKS[task][library]
    whole = ends(Path(path))
    few = whole[1] < 1 << 14, whole[2] < 1 << 14
    small = few[0] & few[1]
    make((1 << 14, whole[1][small], whole[2][small]))()
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    solve = make(whole)
    built = time.perf_counter()
    answer = solve()
    end = time.perf_counter()
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    told = {"build": built - start, "solve": end - built, "peak": peak(), "cpu": cpu}
    print(json.dumps(told | {"answer": answer}))


def compare(task: str, name: str, rounds: int, only: list[str]) -> dict[str, Any]:
    """Run the peers on a web in turn, take medians, and see that they agree."""
    path = web(name)
    n, source, _ = ends(path)
    libraries = [
        library
        for library in TASKS[task]
        if (not only or library in only) and len(source) <= SLOW.get(library, len(source))
    ]
    runs: dict[str, list[dict[str, Any]]] = {library: [] for library in libraries}
    for _ in range(rounds):
        for library in list(runs):
            if told := once(task, library, path):
                runs[library].append(told)
            else:
                del runs[library]
    found = {library: medians(told) for library, told in runs.items()}
    show(f"{task}, {name}: {n:,} pages, {len(source):,} links, {rounds} rounds", found)
    return {"pages": n, "links": len(source), "rounds": rounds, "peers": found}


def medians(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The middle of each measure, and the answer."""
    keys = [key for key in runs[0] if key != "answer"]
    middle = {key: statistics.median(run[key] for run in runs) for key in keys}
    return middle | {"answer": runs[0]["answer"]}


def show(title: str, found: dict[str, Any]) -> None:
    """One row for each peer with its ratio to Weft, and whether its answer is another."""
    print(f"\n{title}")
    if not found:
        return
    ours = found.get("weft", next(iter(found.values())))
    heads = ("build s", "solve s", "total s", "x weft", "cpu s", "peak MB")
    print(f"{'':12}" + "".join(f"{head:>10}" for head in heads))
    for library, row in found.items():
        same = "" if row["answer"] == ours["answer"] else "  another answer"
        print(
            f"{library:12}{row['build']:>10.2f}{row['solve']:>10.2f}{row['total']:>10.2f}"
            f"{row['total'] / ours['total']:>10.2f}{row['cpu']:>10.2f}{row['peak']:>10,.0f}{same}"
        )


def load_tasks() -> None:
    """Bring in the modules that enter tasks."""
    for module in ENTERED:
        import_module(module)
