"""PageRank and HITS against other libraries: `python -m benchmarks.rank [--webs ...]`.

Each run is a new process. It loads the links, compiles or loads its kernels on a
part of them, and is then timed from arrays of links to scores that change by less
than 1e-8 in an iteration. Runs are interleaved, so that a slow minute affects all
alike. Medians are printed, and the error against Weft's result at 1e-12. Peak
memory includes the two arrays of links.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.measure import versions
from benchmarks.peers import PEERS
from benchmarks.webs import OUT, SHARED, ends, web

MEASURED = (
    "weft",
    "numba",
    "numpy",
    "scipy",
    "networkit",
    "python-graphblas",
    "igraph",
    "scikit-network",
)
SLOW_TO_BUILD = {"igraph"}
MAX_LINKS_IF_SLOW = 20_000_000


def main() -> None:
    """Measure every web, print a table for each and method, and save all figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--webs", nargs="*", default=["cnr-2000", "rmat-20", "rmat-22", "web-5m"])
    options.add_argument("--methods", nargs="*", default=["pagerank", "hits"])
    options.add_argument("--peers", nargs="*", default=[])
    options.add_argument("--repeats", type=int, default=3)
    given = options.parse_args()
    measured_with = versions(*MEASURED)
    print(measured_with)
    kept = OUT / "rank.json"
    OUT.mkdir(exist_ok=True)
    figures = json.loads(kept.read_text()) if kept.exists() else {}
    for name in given.webs:
        path = web(name)
        n, source, _ = ends(path)
        for method in given.methods:
            found = compare(path, method, given.repeats, given.peers, len(source))
            print(f"\n{name}: {n:,} pages, {len(source):,} links; {method}, {given.repeats} runs")
            show(found)
            figures[f"{name} {method}"] = {
                "versions": measured_with,
                "repeats": given.repeats,
                "pages": n,
                "links": len(source),
                "peers": found,
            }
            kept.write_text(json.dumps(figures, indent=1))


def compare(path: Path, method: str, repeats: int, only: list[str], links: int) -> dict[str, Any]:
    """Run the libraries in turn, and take medians."""
    names = [name.removesuffix(f" {method}") for name in PEERS if name.endswith(f" {method}")]
    names = [
        name
        for name in names
        if (not only or name in only)
        and not (name in SLOW_TO_BUILD and links > MAX_LINKS_IF_SLOW)
        and (name != "prototype" or (SHARED / "perf").exists())
    ]
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    truth = exact(path, method)
    for _ in range(repeats):
        for name in list(runs):
            if row := once(name, method, path, truth):
                runs[name].append(row)
            else:
                del runs[name]
    return {
        name: {key: statistics.median(run[key] for run in found) for key in found[0]}
        for name, found in runs.items()
    }


def once(peer: str, method: str, path: Path, truth: npt.NDArray[np.float64]) -> dict[str, float]:
    """Run once in a new process; an empty result if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        scores = Path(folder) / "scores.npy"
        words = ["-m", "benchmarks.peers", peer, method, str(path), str(scores)]
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        done = subprocess.run(
            [sys.executable, *words], check=False, capture_output=True, text=True, env=env
        )
        if done.returncode:
            print(f"{peer} {method} failed: {done.stderr.strip().splitlines()[-1]}")
            return {}
        found = np.load(scores)
    row: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    total = found.sum()
    return row | {
        "total": row["build"] + row["solve"],
        "error": float(np.abs(found / total - truth).sum()) if total else 1.0,
    }


def exact(path: Path, method: str) -> npt.NDArray[np.float64]:
    """Weft's own result, as exact as possible."""
    from weft import rank  # noqa: PLC0415
    from weft.graph.webgraph import WebGraph  # noqa: PLC0415

    graph = WebGraph.from_arrays(*ends(path))
    if method == "pagerank":
        found = rank.pagerank(graph, tol=1e-12).scores["score"]
    else:
        found = getattr(rank, method)(graph).scores["authority"]
    shares: npt.NDArray[np.float64] = found / found.sum()
    return shares


def show(found: dict[str, Any]) -> None:
    """Print one row per library, with its ratio to Weft."""
    ours = found.get("weft", next(iter(found.values())))
    heads = ("build s", "solve s", "total s", "x weft", "iter", "ms/iter", "peak MB", "error")
    print(f"{'':12}" + "".join(f"{head:>10}" for head in heads))
    for name, row in found.items():
        each = row["solve"] / row["iterations"] * 1e3 if row["iterations"] else float("nan")
        print(
            f"{name:12}{row['build']:>10.2f}{row['solve']:>10.2f}{row['total']:>10.2f}"
            f"{row['total'] / ours['total']:>10.2f}{row['iterations']:>10.0f}{each:>10.1f}"
            f"{row['peak']:>10,.0f}{row['error']:>10.1e}"
        )


if __name__ == "__main__":
    main()
