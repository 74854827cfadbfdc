"""The time of `weft topics`, cold and in process, by step."""

import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

import weft.graph.baseset.expand as expanding
from benchmarks.measure import median, run
from benchmarks.side_by_side import table
from benchmarks.topics.demo import workspace as demo_workspace
from benchmarks.topics.kept import current
from benchmarks.webs import OUT, SHARED
from weft.demo import DemoWeb
from weft.graph.baseset.baseset import BaseSet
from weft.graph.selection import Selection
from weft.groups import Groups
from weft.groups.evidence import EvidenceCollector
from weft.groups.labels import label_groups
from weft.workspace.analyse import find_registered, load_selection
from weft.workspace.workspace import Workspace

WORDS = (
    "install", "security", "database", "unicode", "font", "network", "kernel", "thread", "debugger",
    "compiler", "encryption", "graphics", "regular expression", "garbage collection", "package",
    "license", "python", "java", "printing", "locale", "file system", "keyboard", "sound", "mail",
    "web server", "xml", "parser", "matrix", "memory", "signal", "socket", "time zone",
)  # fmt: skip
DEMO_WORDS = ("jaguar", "jaguars", "atari", "football", "big cats", "classic cars", "rain forest")
STEPS = ("search", "expansion", "filters", "method", "labels", "evidence", "snippets")
STEP_OF_FUNCTION = {
    "find_roots": "search",
    "_add_linked_pages": "expansion",
    "reject_unwanted": "filters",
    "filter_links": "filters",
}
COLD = """
import os, sys
from weft.cli import main
sys.argv, sys.stdout = ["weft", *sys.argv[1:]], open(os.devnull, "w")
main()
"""
TOP, MAX_TOPICS, COLD_RUNS, RUNS = 5, 10, 5, 5
LARGE = 5_000
MILLION = DemoWeb(pages=1_000_000)


def speed(folders: Sequence[Path] = (), method: str = "auto", *, quick: bool = False) -> None:
    """Time some collections; without any, docs-web, and unless `quick` a demo web of 10^6 pages.

    One whose name begins with *demo* is asked for what demo webs are about.
    """
    given = [Workspace(folder) for folder in folders]
    for each in given or collections(quick=quick):
        report(each, DEMO_WORDS if each.folder.name.startswith("demo") else WORDS, method)


def collections(*, quick: bool) -> Iterator[Workspace]:
    """The default collections."""
    yield current(OUT / "topics" / "docs-web.weft", docs_web)
    if not quick:
        yield demo_workspace(MILLION)


def docs_web() -> Path:
    """The archive of the documentation that lies on this machine, made if it is not there."""
    archive = OUT / "docs-web.warc.gz"
    if not archive.exists():
        subprocess.run([sys.executable, SHARED / "tools" / "docs-web", archive], check=True)
    return archive


def report(workspace: Workspace, queries: Sequence[str], method: str) -> None:
    """Print a collection's times: cold, in process by percentiles, and by step."""
    print(f"\n{workspace!r}, method {method}, {len(queries)} queries\n")
    costs = [
        run(COLD, "-q", "topics", method, workspace.folder, queries[0], "--fresh")
        for _ in range(COLD_RUNS)
    ]
    print(
        f"cold `weft topics`, {queries[0]!r}: {median(costs).wall:.2f} s wall, "
        f"{median(costs).cpu:.2f} s CPU, median of {COLD_RUNS}\n"
    )
    chain(workspace, queries[0], method)
    spent = [chain(workspace, query, method) for query in queries]
    rows = [[step, *cells([each[step] for each in spent])] for step in STEPS]
    totals = [sum(each[step] for step in STEPS) for each in spent]
    print(table(["ms in process", "p50", "mean", "worst"], [*rows, ["total", *cells(totals)]]))
    slow = sorted(zip(totals, queries, spent, strict=True), key=lambda row: -row[0])[:3]
    for seconds, query, each in slow:
        pages, links = each["pages"], each["links"]
        print(f"slow: {query!r} {seconds * 1e3:.0f} ms, {pages:,.0f} pages, {links:,.0f} links")
    clusters_and_vectors(workspace, queries)


def clusters_and_vectors(workspace: Workspace, queries: Sequence[str]) -> None:
    """Print what `atd` and `tgm` take on the large base sets, when their kernels are loaded."""
    rows = []
    for query in queries:
        base = load_topics_base_set(workspace, query)
        if len(base) >= LARGE:
            atd, tgm = (
                median_time(find_registered("topics", name), base) for name in ("atd", "tgm")
            )
            times = [f"{1e3 * atd:.0f}", f"{1e3 * tgm:.0f}", f"{tgm / atd:.1f}"]
            rows.append([query, f"{len(base):,}", *times])
    if rows:
        print(f"\nbase sets of {LARGE:,} pages and more, ms by method")
        print(table(["query", "pages", "atd", "tgm", "ratio"], rows))


def load_topics_base_set(workspace: Workspace, query: str) -> BaseSet:
    """The base set in which topics of a query are found."""
    selection = Selection(query=query).for_topics()
    loaded = load_selection(workspace.collection, selection, "topics", BaseSet)
    return cast("BaseSet", loaded.data)


def median_time(work: Callable[[BaseSet], object], base: BaseSet) -> float:
    """The median of several runs, after one that does not count."""
    work(base)
    spent: list[float] = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work(base)
        spent.append(time.perf_counter() - start)
    return statistics.median(spent)


def cells(seconds: Sequence[float]) -> list[str]:
    """Median, mean and maximum, in milliseconds."""
    found = statistics.median(seconds), statistics.fmean(seconds), max(seconds)
    return [f"{value * 1e3:.1f}" for value in found]


def chain(workspace: Workspace, query: str, method: str) -> dict[str, float]:
    """Compute everything that `weft topics` shows, without the cache; seconds by step.

    That is ten topics with evidence for the listed pages, and snippets of the first.
    """
    spent: dict[str, float] = defaultdict(float)
    with watched(spent):
        base = load_topics_base_set(workspace, query)
    with timed(spent, "method"):
        found = cast("Groups", find_registered("topics", method)(base))
    with timed(spent, "labels"):
        named = label_groups(found)
    with timed(spent, "evidence"):
        shown = EvidenceCollector(replace(named, groups=named.groups[:MAX_TOPICS])).for_groups(TOP)
    with timed(spent, "snippets"):
        first = shown[1].values() if shown else ()
        numbers = [one.page_number for pages in first for one in pages]
        base.snippets(np.array(numbers, np.int32))
    spent |= {"pages": float(len(base)), "links": float(base.graph.link_count)}
    return spent


@contextmanager
def timed(spent: dict[str, float], step: str) -> Iterator[None]:
    """Add the time of what is done inside to a step."""
    start = time.perf_counter()
    yield
    spent[step] += time.perf_counter() - start


@contextmanager
def watched(spent: dict[str, float]) -> Iterator[None]:
    """Time the steps inside the making of a base set; the rest of it counts as expansion."""
    own = {name: getattr(expanding, name) for name in STEP_OF_FUNCTION}
    for name, function in own.items():
        setattr(expanding, name, watching(function, STEP_OF_FUNCTION[name], spent))
    start = time.perf_counter()
    try:
        yield
    finally:
        for name, function in own.items():
            setattr(expanding, name, function)
    spent["expansion"] += time.perf_counter() - start - sum(spent.values())


def watching(function: Callable[..., Any], step: str, spent: dict[str, float]) -> Any:
    """The same function, with its time added to a step."""

    def run_it(*words: Any, **options: Any) -> Any:
        with timed(spent, step):
            return function(*words, **options)

    return run_it
