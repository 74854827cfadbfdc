"""Measure the CPU time, wall time and memory of a command."""

import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds, wall seconds, and the peak memory of the process tree in MB.

    `own` is the peak without mapped files, which the system can give back.
    """

    cpu: float
    wall: float
    memory: float
    own: float = 0.0


def run(code: str, *args: object) -> Cost:
    """Run Python code with arguments in a fresh process, as a user's install would.

    pandas is hidden: Arrow imports it if it is installed, and the base install
    does not have it.
    """
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as hidden:
        (Path(hidden) / "pandas.py").write_text("raise ImportError('hidden')")
        env["PYTHONPATH"] = f"{hidden}:{Path.cwd()}"
        start, peak, own_peak = time.perf_counter(), 0, 0
        process = subprocess.Popen([sys.executable, "-c", code, *map(str, args)], env=env)
        while process.poll() is None:
            memory, own = _tree_memory(process.pid)
            peak, own_peak = max(peak, memory), max(own_peak, own)
            time.sleep(0.05)
        wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in (0, 3):
        raise SystemExit(f"the command failed with {process.returncode}: {args}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu, wall, peak / 1e6, own_peak / 1e6)


def _tree_memory(pid: int) -> tuple[int, int]:
    """The memory of a process and its children, with and without mapped files."""
    try:
        root = psutil.Process(pid)
        found = [p.memory_info() for p in [root, *root.children(recursive=True)]]
    except psutil.Error:
        return 0, 0
    total = sum(memory.rss for memory in found)
    return total, total - sum(getattr(memory, "shared", 0) for memory in found)


def peak() -> float:
    """The peak memory of this process in MB, without that of its parent."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
    return int(found[1]) / 1e3 if found else float("nan")


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each time, and the maximum of the memory."""
    return Cost(
        statistics.median(c.cpu for c in costs),
        statistics.median(c.wall for c in costs),
        max(c.memory for c in costs),
        max(c.own for c in costs),
    )


def size(path: Path) -> float:
    """The size of a file or folder in MB."""
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return sum(p.stat().st_size for p in files) / 1e6


def versions(*packages: str) -> str:
    """The versions that were measured, of packages that are installed."""
    found = []
    for name in packages:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return f"Python {sys.version.split()[0]}, {os.cpu_count()} cores; " + ", ".join(found)
