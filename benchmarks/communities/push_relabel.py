"""SciPy's maximum flow against push-relabel written for Numba, both under the same methods.

The compiled version continues from the flow of the last k where k grows. It is
here to be measured: `weft.communities.flow` uses SciPy.
"""

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
from numba import njit

from benchmarks.measure import versions
from benchmarks.realwebs import DATA, added
from benchmarks.side_by_side import table
from benchmarks.webs import ends, web
from weft.communities import flow, focused_flow
from weft.communities.flow import MinCut
from weft.core.arrays import CSR, Ids, Offsets
from weft.demo import DemoWeb, write_warc
from weft.graph.webgraph import WebGraph

METHODS: dict[str, Callable[..., Any]] = {
    "focused-flow": focused_flow,
    "focused-flow, boundary=open": lambda base, **rest: focused_flow(base, boundary="open", **rest),
    "flow": flow,
    "flow, scan=20": lambda base, **rest: flow(base, scan=20, **rest),
    "flow, scan=100": lambda base, **rest: flow(base, scan=100, **rest),
}
SEEDS, REPEATS = 5, 10


def measure() -> dict[str, Any]:
    """Time each method on each web with both solvers; the communities must be the same."""
    with TemporaryDirectory() as folder:
        rows = [
            [name, graph.link_count, method, *compare(graph, METHODS[method])]
            for name, graph in webs(Path(folder))
            for method in METHODS
        ]
    return {"versions": versions("numpy", "numba", "scipy"), "rows": rows}


def webs(folder: Path) -> Iterator[tuple[str, WebGraph]]:
    """The webs in turn."""
    write_warc(DemoWeb(), folder / "demo.warc.gz")
    yield "demo web", added(folder, "demo", folder / "demo.warc.gz").graph()
    wikispeedia = added(folder, "wikispeedia", DATA / "wikispeedia.warc.gz")
    yield "Wikispeedia", wikispeedia.graph()
    yield "cnr-2000", WebGraph.from_arrays(*ends(web("cnr-2000")))


def compare(graph: WebGraph, method: Callable[..., Any]) -> tuple[float, float]:
    """CPU seconds per call with SciPy and with push-relabel, around random pages."""
    draw = np.random.default_rng(1)
    linked = np.flatnonzero(graph.indegrees() + graph.outdegrees() > 5)
    seeds = [draw.choice(linked, SEEDS, replace=False).tolist() for _ in range(REPEATS)]
    named = [[graph.pages[page] for page in pages] for pages in seeds]

    def run() -> tuple[list[Any], float]:
        method(graph, seeds=named[0])
        start = time.process_time()
        results = [method(graph, seeds=pages) for pages in named]
        seconds = (time.process_time() - start) / REPEATS
        return [(found[0].members.tolist(), found.facts) for found in results], seconds

    by_scipy, scipy_seconds = run()
    module = import_module("weft.communities.flow")
    by_scan = {"_sizes_by_k": lambda size, ks: {k: size(k) for k in ks}}
    with patch.multiple(
        module, undirected_edges=merged_rows, min_cut=PushRelabel().min_cut, **by_scan
    ):
        by_push_relabel, seconds = run()
    if by_scipy != by_push_relabel:
        raise SystemExit("the communities differ")
    return scipy_seconds, seconds


def page(result: dict[str, Any]) -> str:
    """A table of both times."""
    rows = [
        [web, f"{links:,}", method, f"{1e3 * scipy:.1f}", f"{1e3 * own:.1f}", f"{scipy / own:.1f}"]
        for web, links, method, scipy, own in result["rows"]
    ]
    heads = ["web", "links", "method", "SciPy ms", "push-relabel ms", "ratio"]
    return f"""\
Is SciPy's maximum flow fast enough? The same methods with a push-relabel kernel written for Numba,
which continues from one k to the next: CPU time per call, mean over {REPEATS} draws of {SEEDS}
seeds. The communities are the same.

{table(heads, rows, "lrlrrr")}

Measured with {result["versions"]}."""


class PushRelabel:
    """Minimum cuts of one graph after another, continued while k grows."""

    def __init__(self) -> None:
        self.network: tuple[CSR, Ids] | None = None
        self.k = 0

    def min_cut(self, rows: CSR, seeds: Ids, outside: Offsets, k: int) -> MinCut:
        """The minimum cut for a capacity."""
        n = len(outside)
        if self.network is None or self.network[0] is not rows or k < self.k:
            self.network = rows, seeds
            self.reverse_edge = np.empty(len(rows.ids), np.int32)
            _pair_reverse_edges(rows.starts, rows.ids, self.reverse_edge)
            self.flow = np.zeros(len(rows.ids), np.int32)
            self.excess = 1 + k * outside
            self.excess[seeds] = 0
        self.k = k
        level, queue = np.empty(n, np.int32), np.empty(n, np.int32)
        edges = rows.starts, rows.ids, self.reverse_edge
        _push_relabel(*edges, self.flow, self.excess, seeds, k, level, queue)
        members = int(np.count_nonzero(level >= 0)) - len(seeds)
        return MinCut(level >= 0, (int(self.excess[seeds].sum()) - members) // k)


def merged_rows(graph: WebGraph) -> CSR:
    """The sorted neighbours of each page in either direction, each once."""
    outlinks, inlinks = graph.outlinks, graph.inlinks
    starts = np.zeros(len(graph) + 1, np.int64)
    ids = np.empty(len(outlinks.ids) + len(inlinks.ids), np.int32)
    rows = (outlinks.starts, outlinks.ids, inlinks.starts, inlinks.ids)
    _merge_rows(*map(np.asarray, rows), starts, ids)
    return CSR(starts, ids[: starts[-1]])


@njit(cache=True)
def _merge_rows(
    starts: Any, ids: Any, other_starts: Any, other_ids: Any, ends: Any, merged: Any
) -> None:
    count = 0
    for page in range(starts.size - 1):
        out, into = starts[page], other_starts[page]
        while out < starts[page + 1] or into < other_starts[page + 1]:
            if into == other_starts[page + 1]:
                merged[count], out = ids[out], out + 1
            elif out == starts[page + 1] or other_ids[into] < ids[out]:
                merged[count], into = other_ids[into], into + 1
            else:
                merged[count] = ids[out]
                into += ids[out] == other_ids[into]
                out += 1
            count += 1
        ends[page + 1] = count


@njit(cache=True)
def _pair_reverse_edges(starts: Any, ids: Any, reverse_edge: Any) -> None:
    """Find the position of each edge's reverse: rows are sorted, so that they come in order."""
    next_edge = starts[:-1].copy()
    for page in range(starts.size - 1):
        for link in range(starts[page], starts[page + 1]):
            other = ids[link]
            reverse_edge[link] = next_edge[other]
            next_edge[other] += 1


@njit(cache=True)
def _push_relabel(  # noqa: PLR0913, PLR0917  a kernel takes its arrays one by one
    starts: Any,
    ids: Any,
    reverse_edge: Any,
    flow: Any,
    excess: Any,
    seeds: Any,
    capacity: int,
    level: Any,
    queue: Any,
) -> None:
    """Relabel and push, until no page that reaches a seed has excess."""
    had_excess = True
    while had_excess:
        reached = _relabel_by_bfs(starts, ids, flow, seeds, capacity, level, queue)
        had_excess = _push_wave(
            starts, ids, reverse_edge, flow, excess, capacity, level, queue[seeds.size : reached]
        )


@njit(cache=True)
def _relabel_by_bfs(  # noqa: PLR0913, PLR0917
    starts: Any, ids: Any, flow: Any, seeds: Any, capacity: int, level: Any, queue: Any
) -> int:
    """Distance of each page to a seed in the residual graph, -1 if unreachable.

    Pages are listed in `queue` by distance; returns how many.
    """
    level[:] = -1
    end = 0
    for seed in seeds:
        level[seed] = 0
        queue[end] = seed
        end += 1
    head = 0
    while head < end:
        page = queue[head]
        head += 1
        for link in range(starts[page], starts[page + 1]):
            other = ids[link]
            if level[other] < 0 and flow[link] > -capacity:
                level[other] = level[page] + 1
                queue[end] = other
                end += 1
    return end


@njit(cache=True)
def _push_wave(  # noqa: PLR0913, PLR0917
    starts: Any,
    ids: Any,
    reverse_edge: Any,
    flow: Any,
    excess: Any,
    capacity: int,
    level: Any,
    queue: Any,
) -> bool:
    """Push excess to the next level, from the farthest page on; return whether there was any."""
    had_excess = False
    for at in range(queue.size - 1, -1, -1):
        page = queue[at]
        remaining = excess[page]
        if remaining == 0:
            continue
        had_excess = True
        below = level[page] - 1
        for link in range(starts[page], starts[page + 1]):
            other = ids[link]
            residual = capacity - flow[link]
            if level[other] == below and residual > 0:
                units = min(remaining, residual)
                flow[link] += units
                flow[reverse_edge[link]] -= units
                excess[other] += units
                remaining -= units
                if remaining == 0:
                    break
        excess[page] = remaining
    return had_excess
