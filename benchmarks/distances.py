"""Distances against other libraries: `python -m benchmarks.distances [--tasks ...]`.

Each run is a new process. It loads the links, builds its graph, loads its kernels
on a small one, and is then timed on the search; building is timed separately.
Memory is the peak of the process, with the two arrays of links. On the largest web
igraph, which takes longest to build, and NetworKit's slower approximation are left
out. A run of more than ten minutes is stopped and reported. Figures are saved in
`benchmarks/out/distances.json`, from which `python -m benchmarks.distances_page`
writes `docs/explanation/distances.md`.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import versions
from benchmarks.peers import peak
from benchmarks.webs import OUT, Ends, ends, host_local, web

MEASURED = ("weft", "numba", "numpy", "scipy", "networkit", "igraph", "networkx")
TIMEOUT = 600
Solve = Callable[[], dict[str, Any]]


def weft_distances(links: Ends, **options: Any) -> Solve:
    """Weft, by its public function."""
    from weft.graph.webgraph import WebGraph  # noqa: PLC0415
    from weft.structure import distances  # noqa: PLC0415

    graph = WebGraph.from_arrays(*links)
    _ = graph.outlinks.ids
    if not options.get("directed", True):
        _ = graph.inlinks.ids

    def solve() -> dict[str, Any]:
        found = distances(graph, max_searches=0, **options)
        error = found["error of the average distance"]
        iterations = len(found.to_table()) - 1
        return {"average": found["average distance"], "error": error, "iterations": iterations}

    return solve


def igraph_exact(links: Ends, *, directed: bool) -> Solve:
    """A search from every page."""
    import igraph  # noqa: PLC0415

    n, source, target = links
    graph = igraph.Graph(n, np.column_stack([source, target]), directed=True)
    return lambda: {"average": graph.average_path_length(directed=directed, unconn=True)}


def igraph_sampled(links: Ends, k: int) -> Solve:
    """Rows of the distance matrix, a few sources at a time."""
    import igraph  # noqa: PLC0415

    n, source, target = links
    graph = igraph.Graph(n, np.column_stack([source, target]), directed=True)
    return lambda: average_in_blocks(
        draw_sources(n, k), lambda some: np.array(graph.distances(some, mode="out")), 2
    )


def scipy_sampled(links: Ends, k: int) -> Solve:
    """Dijkstra without weights, a few sources at a time."""
    from scipy.sparse import coo_array  # noqa: PLC0415
    from scipy.sparse.csgraph import dijkstra  # noqa: PLC0415

    n, source, target = links
    matrix = coo_array((np.ones(len(source)), (source, target)), shape=(n, n)).tocsr()
    return lambda: average_in_blocks(
        draw_sources(n, k), lambda some: dijkstra(matrix, indices=some, unweighted=True), 8
    )


def networkit_sampled(links: Ends, k: int) -> Solve:
    """A search from one source after the other."""
    graph, nk = _networkit(links, directed=True)

    def from_one(some: list[int]) -> Any:
        search = nk.distance.BFS(graph, some[0], storePaths=False)
        search.run()
        far = np.array(search.getDistances())
        return np.where(far > 1e300, np.inf, far)

    return lambda: average_in_blocks(draw_sources(links[0], k), from_one, 1)


def networkit_anf(links: Ends) -> Solve:
    """Approximate neighbourhood function (Palmer et al. 2002), undirected."""
    graph, nk = _networkit(links, directed=False)

    def solve() -> dict[str, Any]:
        found = nk.distance.NeighborhoodFunctionApproximation(graph, 64, 7)
        found.run()
        within = np.array(found.getNeighborhoodFunction(), float)
        at = np.diff(within, prepend=links[0])
        average = float(at @ np.arange(1, len(at) + 1) / at.sum())
        return {"average": average, "iterations": len(at)}

    return solve


def networkit_effective(links: Ends) -> Solve:
    """The effective diameter by the same method; it gives no average."""
    graph, nk = _networkit(links, directed=False)

    def solve() -> dict[str, Any]:
        found = nk.distance.EffectiveDiameterApproximation(graph, 0.9, 64, 7)
        found.run()
        return {"effective": float(found.getEffectiveDiameter())}

    return solve


def networkx_exact(links: Ends) -> Solve:
    """A search from every page, in Python."""
    import networkx as nx  # noqa: PLC0415

    n, source, target = links
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))

    def solve() -> dict[str, Any]:
        total = reached = 0
        for _, row in nx.all_pairs_shortest_path_length(graph):
            total += sum(row.values())
            reached += len(row) - 1
        return {"average": total / reached}

    return solve


def _networkit(links: Ends, *, directed: bool) -> tuple[Any, Any]:
    import networkit as nk  # noqa: PLC0415

    n, source, target = links
    pair = (source.astype(np.uint64), target.astype(np.uint64))
    graph = nk.GraphFromCoo(pair, n=n, directed=directed)
    if not directed:
        graph.removeMultiEdges()
    return graph, nk


def draw_sources(n: int, k: int) -> list[int]:
    """The same sources for every peer."""
    found: list[int] = np.random.default_rng(0).choice(n, k, replace=False).tolist()
    return found


def average_in_blocks(
    sources: list[int], rows: Callable[[list[int]], Any], size: int
) -> dict[str, Any]:
    """The average over what some sources reach."""
    total, reached = 0.0, 0
    for at in range(0, len(sources), size):
        far = rows(sources[at : at + size])
        there = far[np.isfinite(far) & (far > 0)]
        total, reached = total + float(there.sum()), reached + there.size
    return {"average": total / reached, "sources": len(sources)}


PEERS: dict[str, Callable[[Ends], Solve]] = {
    "weft exact": lambda w: weft_distances(w, algorithm="exact"),
    "igraph exact": lambda w: igraph_exact(w, directed=True),
    "networkx exact": networkx_exact,
    "scipy exact": lambda w: scipy_sampled(w, w[0]),
    "networkit exact": lambda w: networkit_sampled(w, w[0]),
    "weft 1,000 sources": lambda w: weft_distances(w, algorithm="sampled", sources=1000),
    "igraph 20 sources": lambda w: igraph_sampled(w, 20),
    "scipy 20 sources": lambda w: scipy_sampled(w, 20),
    "networkit 20 sources": lambda w: networkit_sampled(w, 20),
    "weft HyperBall, 1 run": lambda w: weft_distances(w, algorithm="hyperball", repeats=1),
    "weft HyperBall, undirected": lambda w: weft_distances(
        w, algorithm="hyperball", repeats=1, directed=False
    ),
    "networkit ANF, undirected": networkit_anf,
    "networkit effective diameter": networkit_effective,
}
EXACT = [name for name in PEERS if name.endswith("exact")]
SAMPLED = [name for name in PEERS if name.endswith("sources")]
APPROXIMATE = [name for name in PEERS if name not in (*EXACT, *SAMPLED)]
TASKS: dict[str, tuple[str, list[str]]] = {
    "small": ("local-2k", EXACT),
    "exact": ("local-20k", [name for name in EXACT if not name.startswith("networkx")]),
    "cnr": ("cnr-2000", [*SAMPLED, *APPROXIMATE]),
    "web": (
        "web-5m",
        [name for name in (*SAMPLED, *APPROXIMATE[:-1]) if not name.startswith("igraph")],
    ),
    **{f"growth-{k}": (f"rmat-{k}", ["weft HyperBall, 1 run"]) for k in (16, 18, 20, 22)},
}


def path_of(name: str) -> Path:
    """The file of a web; small ones are made for this alone."""
    if not name.startswith("local-"):
        return web(name)
    path, n = OUT / f"{name}.npz", int(name[6:-1]) * 1000
    if not path.exists():
        pages, source, target = host_local(n, 10 * n)
        np.savez(path, n=pages, source=source, target=target)
    return path


def once(peer: str, path: Path) -> None:
    """Run once in this process, and print the result as JSON."""
    links = ends(path)
    path_graph = (50, np.arange(49, dtype=np.int32), np.arange(1, 50, dtype=np.int32))
    PEERS[peer](path_graph)() if peer.startswith("weft") else None
    start = time.perf_counter()
    solve = PEERS[peer](links)
    built = time.perf_counter()
    cpu = time.process_time()
    found = solve()
    took = {"build": built - start, "solve": time.perf_counter() - built}
    print(json.dumps({**took, "cpu": time.process_time() - cpu, "peak": peak(), **found}))


def main() -> None:
    """Run the tasks, print a table for each, and save all figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tasks", nargs="*", default=list(TASKS))
    options.add_argument("--peers", nargs="*", default=[])
    options.add_argument("--once", nargs=2, metavar=("PEER", "WEB"))
    given = options.parse_args()
    if given.once:
        once(given.once[0], Path(given.once[1]))
        return
    print(versions(*MEASURED))
    saved = OUT / "distances.json"
    figures = json.loads(saved.read_text()) if saved.exists() else {}
    for task in given.tasks:
        name, peers = TASKS[task]
        path = path_of(name)
        n, source, _ = ends(path)
        result = figures.setdefault(task, {"peers": {}})
        result |= {"web": name, "pages": n, "links": len(source), "versions": versions(*MEASURED)}
        print(f"\n{name}: {n:,} pages, {len(source):,} links")
        for peer in given.peers or peers:
            result["peers"][peer] = measure(peer, path)
            print(line(peer, result["peers"][peer], len(source)), flush=True)
            saved.write_text(json.dumps(figures, indent=1))


def measure(peer: str, path: Path) -> dict[str, Any]:
    """The result of one run, or why it failed."""
    command = [sys.executable, "-m", "benchmarks.distances", "--once", peer, str(path)]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {TIMEOUT} s"}
    except subprocess.CalledProcessError as error:
        return {"failed": (error.stderr.strip().splitlines() or ["killed"])[-1][:80]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def line(peer: str, row: dict[str, Any], links: int) -> str:
    """One row of a table."""
    if "failed" in row:
        return f"{peer:30}{row['failed']}"
    average = row.get("average")
    return (
        f"{peer:30}build {row['build']:8.2f} s   solve {row['solve']:8.2f} s   "
        f"cpu {row['cpu']:8.2f} s   {row['cpu'] / links * 1e9:8.0f} ns cpu per link   "
        f"{row['peak']:8,.0f} MB   "
        + (f"average {average:.4f}" if average else f"effective {row.get('effective')}")
    )


if __name__ == "__main__":
    main()
