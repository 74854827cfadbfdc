"""Our Leiden kernel against graspologic-native and igraph: CPU time, and the modularity found."""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import igraph
import numpy as np
from graspologic_native import leiden_csr

from benchmarks.communities.push_relabel import webs
from benchmarks.measure import versions
from benchmarks.side_by_side import table
from weft.core.arrays import CSR, Ids
from weft.graph.views import undirected_edges
from weft.kernels.leiden import leiden

ITERATIONS, REPEATS = 2, 3


def by_weft(edges: CSR) -> Callable[[], Ids]:
    """Our kernel."""
    return lambda: leiden(edges, iterations=ITERATIONS)


def by_graspologic(edges: CSR) -> Callable[[], Ids]:
    """The kernel of graspologic-native; the dict it returns is made into an array outside."""
    n = len(edges.starts) - 1
    weights = np.asarray(edges.weights, np.float64)
    arrays = np.asarray(edges.starts, np.int64), np.asarray(edges.ids, np.int32), weights

    def run() -> Ids:
        _, found = leiden_csr(*arrays, n, iterations=ITERATIONS, seed=1)
        return np.fromiter(map(found.__getitem__, range(n)), np.int32, n)

    return run


def by_igraph(edges: CSR) -> Callable[[], Ids]:
    """The kernel of igraph, on a graph that is made beforehand."""
    source, target = edges.row_ids(), np.asarray(edges.ids)
    once = source < target
    pairs = np.stack([source[once], target[once]], axis=1)
    graph = igraph.Graph(n=len(edges.starts) - 1, edges=pairs.tolist())
    weights = np.asarray(edges.weights)[once].tolist()

    def run() -> Ids:
        found = graph.community_leiden("modularity", weights=weights, n_iterations=ITERATIONS)
        return np.array(found.membership, np.int32)

    return run


def modularity(edges: CSR, labels: Ids) -> float:
    """The modularity of a partition, computed the same way for all."""
    weights, source = np.asarray(edges.weights, float), edges.row_ids()
    total, inside = weights.sum(), weights[labels[source] == labels[edges.ids]].sum()
    degrees = np.bincount(labels[source], weights)
    return float(inside / total - ((degrees / total) ** 2).sum())


KERNELS: dict[str, Callable[[CSR], Callable[[], Ids]]] = {
    "weft": by_weft,
    "graspologic-native": by_graspologic,
    "igraph": by_igraph,
}


def measure() -> dict[str, Any]:
    """Time each kernel on each web: the best of three runs."""
    rows = []
    with TemporaryDirectory() as folder:
        for name, graph in webs(Path(folder)):
            edges = undirected_edges(graph)
            for kernel, prepare in KERNELS.items():
                run, seconds = prepare(edges), []
                found = run()
                for _ in range(REPEATS):
                    start = time.process_time()
                    run()
                    seconds.append(time.process_time() - start)
                size = len(edges.ids) // 2
                rows.append([name, size, kernel, min(seconds), modularity(edges, found)])
    return {"versions": versions("graspologic-native", "igraph", "numba"), "rows": rows}


def page(result: dict[str, Any]) -> str:
    """A table of times and modularities."""
    rows = [
        [web, f"{edges:,}", kernel, f"{1e3 * seconds:,.0f}", f"{value:.3f}"]
        for web, edges, kernel, seconds, value in result["rows"]
    ]
    return f"""\
Is a Leiden kernel of our own worth having? CPU time of one run with {ITERATIONS} iterations from
arrays of edges, the best of {REPEATS}, and the modularity that it finds. The time in which igraph
makes its graph is not counted.

{table(["web", "edges", "kernel", "ms", "modularity"], rows, "lrlrr")}

Measured with {result["versions"]}."""
