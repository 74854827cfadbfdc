"""Spark against one machine, on a cluster of two workers that is started here on loopback.

    python -m benchmarks.spark                # all: what sweeps cost, archives, lost processes
    python -m benchmarks.spark --parts sweeps --links 1000000 --ways GraphX "joins of data frames"
    python -m benchmarks.spark --parts losses --times 10

A part that is run as it is by default writes its figures into the guide to Spark.
"""

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.spark.archives import compare_archives
from benchmarks.spark.cluster import SETTINGS, standalone_cluster
from benchmarks.spark.losses import lose_processes
from benchmarks.spark.page import write_page
from benchmarks.spark.sweeps import WAYS, Web, bars, measure_sweeps
from benchmarks.webs import OUT
from weft.spark import connect

KEPT = OUT / "spark.json"


def main() -> None:
    """Run the parts that the arguments name, each on a cluster of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=[*PARTS])
    parser.add_argument("--links", type=int, default=10_000_000)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=())
    parser.add_argument("--times", type=int, default=3, help="losses of each kind")
    arguments = parser.parse_args()
    defaults = parser.parse_args([])
    is_usual = all(
        value == getattr(defaults, name)
        for name, value in vars(arguments).items()
        if name != "parts"
    )
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for part in arguments.parts:
        kept[part] = PARTS[part](arguments)
    if is_usual:
        OUT.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(kept, indent=1))
        write_page(kept)


def run_sweeps(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure sweeps, and print whether they stay within the bars."""
    web = Web(arguments.pages, arguments.links, arguments.iterations)
    with tempfile.TemporaryDirectory() as folder, standalone_cluster(Path(folder)) as cluster:
        found = measure_sweeps(cluster, Path(folder), web, arguments.ways)
    if not arguments.ways:
        print(json.dumps(bars(found)), flush=True)
    return found


def run_archives(_arguments: argparse.Namespace) -> dict[str, Any]:
    """Add archives in both ways."""
    with (
        tempfile.TemporaryDirectory() as folder,
        standalone_cluster(Path(folder)) as cluster,
        connect(cluster.master, f"{folder}/staging", SETTINGS) as connected,
    ):
        found = compare_archives(connected, Path(folder))
    print(json.dumps(found), flush=True)
    return found


def run_losses(arguments: argparse.Namespace) -> dict[str, Any]:
    """Kill processes in the middle of jobs."""
    with tempfile.TemporaryDirectory() as folder, standalone_cluster(Path(folder)) as cluster:
        return lose_processes(cluster, Path(folder), arguments.times)


PARTS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "sweeps": run_sweeps,
    "archives": run_archives,
    "losses": run_losses,
}

if __name__ == "__main__":
    main()
