"""How much of PageRank and HITS runs in compiled kernels: `python -m benchmarks.kernel_share`.

Kernels run on all threads, the Python and NumPy between them on one. Each run is a
new process with a number of threads (WEFT_THREADS), and the least of some repeats
counts. With one thread, CPU seconds are taken in kernels and outside; the share that
remains in kernels on more threads follows from these (Amdahl's law), as if kernels
scaled perfectly and starting threads took no time. With more, wall time is measured.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import weft.kernels.threads
from benchmarks.webs import ends, web

METHODS = ("pagerank", "hits")


def main() -> None:
    """Run every web and method in processes of their own, and print a row for each."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--webs", nargs="*", default=["rmat-20", "web-5m"])
    options.add_argument("--methods", nargs="*", default=METHODS)
    options.add_argument("--threads", type=int, default=16, help="estimate for that many")
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.run:
        name, method, repeats = given.run
        print(json.dumps(measure(name, method, int(repeats))))
        return
    heads = ("kernels s", "outside s", f"share at {given.threads}", "wall share at 2")
    print(f"{'web and method':24}" + "".join(f"{head:>17}" for head in heads))
    for name in given.webs:
        web(name)
        for method in given.methods:
            one, two = (_run(name, method, given.repeats, threads) for threads in (1, 2))
            parallel = one["cpu in kernels"] / given.threads
            outside = one["cpu"] - one["cpu in kernels"]
            print(
                f"{name + ' ' + method:24}{one['cpu in kernels']:>17.3f}{outside:>17.4f}"
                f"{parallel / (parallel + outside):>17.0%}"
                f"{two['wall in kernels'] / two['wall']:>17.0%}"
            )


def _run(name: str, method: str, repeats: int, threads: int) -> dict[str, float]:
    words = ["-m", "benchmarks.kernel_share", "--run", name, method, str(repeats)]
    env = os.environ | {"WEFT_THREADS": str(threads)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, *words], check=True, capture_output=True, text=True, env=env
    )
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def measure(name: str, method: str, repeats: int) -> dict[str, float]:
    """Seconds of the fastest of some runs, and of its kernels; the first only compiles."""
    import weft  # noqa: PLC0415
    from weft.graph.webgraph import WebGraph  # noqa: PLC0415

    graph = WebGraph.from_arrays(*ends(web(name)))
    graph.operator()
    solve = getattr(weft.rank, method)
    solve(graph, tol=1e-8)
    spent = _time_kernels()
    runs = []
    for _ in range(repeats):
        spent.update({"cpu in kernels": 0.0, "wall in kernels": 0.0})
        cpu, wall = time.thread_time(), time.perf_counter()
        solve(graph, tol=1e-8)
        total = {"cpu": time.thread_time() - cpu, "wall": time.perf_counter() - wall}
        runs.append(total | spent)
    return min(runs, key=lambda run: run["cpu"])


def _time_kernels() -> dict[str, float]:
    """Have every module that runs kernels add up the time of them; return the sums."""
    spent: dict[str, float] = {}
    original: Callable[..., Any] = weft.kernels.threads.run_parallel

    def timed(*args: Any) -> None:
        cpu, wall = time.thread_time(), time.perf_counter()
        original(*args)
        spent["cpu in kernels"] += time.thread_time() - cpu
        spent["wall in kernels"] += time.perf_counter() - wall

    for module in list(sys.modules.values()):
        if getattr(module, "run_parallel", None) is original:
            module.run_parallel = timed  # type: ignore[attr-defined]
    return spent


if __name__ == "__main__":
    main()
