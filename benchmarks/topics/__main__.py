"""The quality and speed of topics: `python -m benchmarks.topics`.

`--part` and `--methods` choose what is measured, `--seeds` how often, `--quick`
measures a little of everything, and `--speed` times the steps instead. Results are
saved under `benchmarks/out/topics` and measured again only if the method has
changed. `--page` writes all saved results into
`docs/explanation/topics-quality.md`, and notes there what was not measured, or
measured before the sources changed.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.measure import versions
from benchmarks.topics.kept import Kept
from benchmarks.topics.sets import DATA, SETS
from benchmarks.topics.speed import speed
from benchmarks.topics.tables import Tables
from benchmarks.topics.tasks import PARTS, QUICK, Extent, part_methods, tasks
from benchmarks.topics.write import write_page


def main(words: Sequence[str] | None = None) -> None:
    """Measure what is not saved yet, and print it."""
    given = arguments().parse_args(words)
    if not DATA.exists():
        sys.exit(f"the real data is not at {DATA}")
    print(versions("numpy", "scipy", "graspologic-native"), flush=True)
    methods = [name for name in given.methods.split(",") if name]
    if given.speed:
        speed(given.collections, methods[0] if methods else "auto", quick=given.quick)
        return
    extent = QUICK if given.quick else Extent()
    extent = replace(extent, paths=given.sets, seeds=given.seeds or extent.seeds)
    parts = [given.part] if given.part else PARTS
    for part in parts:
        start = time.perf_counter()
        kept = measure(part, extent, methods)
        print(f"\n{part}: measured in {time.perf_counter() - start:.0f} s\n", flush=True)
        print(Tables.of(part, extent, kept).text(), flush=True)
    if given.page:
        write_page(Extent(paths=given.sets))


def arguments() -> argparse.ArgumentParser:
    """The arguments of the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.topics", description=__doc__)
    parser.add_argument("--part", choices=PARTS, help="measure only this part")
    parser.add_argument("--methods", default="", help="names, separated by commas; default all")
    parser.add_argument("--seeds", type=int, default=0, help="number of seeds (default 20)")
    parser.add_argument("--quick", action="store_true", help="a little of everything")
    parser.add_argument("--speed", action="store_true", help="time the steps of the chain")
    parser.add_argument("--page", action="store_true", help="write the page of the docs")
    parser.add_argument(
        "--collections", type=Path, nargs="+", default=[], help="with --speed, time these instead"
    )
    parser.add_argument(
        "--sets", type=Path, nargs="+", default=list(SETS), help="base sets to mix, by folder"
    )
    return parser


def measure(part: str, extent: Extent, methods: Sequence[str]) -> list[Kept]:
    """Run what is not saved, each web with all methods before the next."""
    kept = [Kept.of(part, name) for name in part_methods(part, methods)]
    for each in kept:
        if each.before:
            print(f"{part}, {each.method}: {len(each.before)} results of other sources: run again")
    for task in tasks(part, extent):
        for each in kept:
            if task.key not in each.cases:
                each.add(task.key, task.judge(each.method))
    return kept


if __name__ == "__main__":
    main()
