"""Distances against peers: `python -m benchmarks.distances [--tasks ...]`.

Every run is a process of its own that loads the ends of the links, builds its
graph, has its kernels loaded on a small one, and is then timed on the search
alone; building is told apart. *Memory* is the most that the process held, the
two arrays of ends included. On the largest web igraph, which takes longest to
build, and NetworKit's slower approximation are left out. What takes longer than
ten minutes is given up and said. Figures are kept in
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
PATIENCE = 600
Solve = Callable[[], dict[str, Any]]


def weft_distances(web_: Ends, **options: Any) -> Solve:
    """Weft, through the door that a user of the library takes."""
    from weft.graph.webgraph import WebGraph  # noqa: PLC0415
    from weft.structure import distances  # noqa: PLC0415

    graph = WebGraph.from_arrays(*web_)
    _ = graph.outlinks.ids
    if not options.get("directed", True):
        _ = graph.inlinks.ids

    def solve() -> dict[str, Any]:
        found = distances(graph, searches=0, **options)
        error = found["error of the average distance"]
        rounds = len(found.to_table()) - 1
        return {"average": found["average distance"], "error": error, "rounds": rounds}

    return solve


def igraph_exact(web_: Ends, *, directed: bool) -> Solve:
    """A search from every page."""
    import igraph  # noqa: PLC0415

    n, source, target = web_
    graph = igraph.Graph(n, np.column_stack([source, target]), directed=True)
    return lambda: {"average": graph.average_path_length(directed=directed, unconn=True)}


def igraph_sampled(web_: Ends, k: int) -> Solve:
    """Rows of the distance matrix, a few sources at a time."""
    import igraph  # noqa: PLC0415

    n, source, target = web_
    graph = igraph.Graph(n, np.column_stack([source, target]), directed=True)
    return lambda: blocks(drawn(n, k), lambda some: np.array(graph.distances(some, mode="out")), 2)


def scipy_sampled(web_: Ends, k: int) -> Solve:
    """Dijkstra without weights, a few sources at a time."""
    from scipy.sparse import coo_array  # noqa: PLC0415
    from scipy.sparse.csgraph import dijkstra  # noqa: PLC0415

    n, source, target = web_
    links = coo_array((np.ones(len(source)), (source, target)), shape=(n, n)).tocsr()
    return lambda: blocks(
        drawn(n, k), lambda some: dijkstra(links, indices=some, unweighted=True), 8
    )


def networkit_sampled(web_: Ends, k: int) -> Solve:
    """A search from one source after the other."""
    graph, nk = _networkit(web_, directed=True)

    def from_one(some: list[int]) -> Any:
        search = nk.distance.BFS(graph, some[0], storePaths=False)
        search.run()
        far = np.array(search.getDistances())
        return np.where(far > 1e300, np.inf, far)

    return lambda: blocks(drawn(web_[0], k), from_one, 1)


def networkit_anf(web_: Ends) -> Solve:
    """Approximate neighbourhood function (Palmer and others 2002), links taken both ways."""
    graph, nk = _networkit(web_, directed=False)

    def solve() -> dict[str, Any]:
        found = nk.distance.NeighborhoodFunctionApproximation(graph, 64, 7)
        found.run()
        within = np.array(found.getNeighborhoodFunction(), float)
        at = np.diff(within, prepend=web_[0])
        return {"average": float(at @ np.arange(1, len(at) + 1) / at.sum()), "rounds": len(at)}

    return solve


def networkit_effective(web_: Ends) -> Solve:
    """Its effective diameter by the same method; the average is not told."""
    graph, nk = _networkit(web_, directed=False)

    def solve() -> dict[str, Any]:
        found = nk.distance.EffectiveDiameterApproximation(graph, 0.9, 64, 7)
        found.run()
        return {"effective": float(found.getEffectiveDiameter())}

    return solve


def networkx_exact(web_: Ends) -> Solve:
    """A search from every page, in Python."""
    import networkx as nx  # noqa: PLC0415

    n, source, target = web_
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


def _networkit(web_: Ends, *, directed: bool) -> tuple[Any, Any]:
    import networkit as nk  # noqa: PLC0415

    n, source, target = web_
    pair = (source.astype(np.uint64), target.astype(np.uint64))
    graph = nk.GraphFromCoo(pair, n=n, directed=directed)
    if not directed:
        graph.removeMultiEdges()
    return graph, nk


def drawn(n: int, k: int) -> list[int]:
    """The same sources for every peer."""
    found: list[int] = np.random.default_rng(0).choice(n, k, replace=False).tolist()
    return found


def blocks(sources: list[int], rows: Callable[[list[int]], Any], size: int) -> dict[str, Any]:
    """The average over what some sources reach."""
    total, reached = 0.0, 0
    for at in range(0, len(sources), size):
        far = rows(sources[at : at + size])
        there = far[np.isfinite(far) & (far > 0)]
        total, reached = total + float(there.sum()), reached + there.size
    return {"average": total / reached, "sources": len(sources)}


PEERS: dict[str, Callable[[Ends], Solve]] = {
    "weft exact": lambda w: weft_distances(w, how="exact"),
    "igraph exact": lambda w: igraph_exact(w, directed=True),
    "networkx exact": networkx_exact,
    "scipy exact": lambda w: scipy_sampled(w, w[0]),
    "networkit exact": lambda w: networkit_sampled(w, w[0]),
    "weft 1,000 sources": lambda w: weft_distances(w, how="sampled", sources=1000),
    "igraph 20 sources": lambda w: igraph_sampled(w, 20),
    "scipy 20 sources": lambda w: scipy_sampled(w, 20),
    "networkit 20 sources": lambda w: networkit_sampled(w, 20),
    "weft HyperBall, 1 run": lambda w: weft_distances(w, how="hyperball", repeats=1),
    "weft HyperBall, both ways": lambda w: weft_distances(
        w, how="hyperball", repeats=1, directed=False
    ),
    "networkit ANF, both ways": networkit_anf,
    "networkit effective diameter": networkit_effective,
}
EXACT = [name for name in PEERS if name.endswith("exact")]
SAMPLED = [name for name in PEERS if name.endswith("sources")]
ROUGH = [name for name in PEERS if name not in (*EXACT, *SAMPLED)]
TASKS: dict[str, tuple[str, list[str]]] = {
    "small": ("local-2k", EXACT),
    "exact": ("local-20k", [name for name in EXACT if not name.startswith("networkx")]),
    "cnr": ("cnr-2000", [*SAMPLED, *ROUGH]),
    "web": (
        "web-5m",
        [name for name in (*SAMPLED, *ROUGH[:-1]) if not name.startswith("igraph")],
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
    """One run in this process, told as JSON."""
    web_ = ends(path)
    few = (50, np.arange(49, dtype=np.int32), np.arange(1, 50, dtype=np.int32))
    PEERS[peer](few)() if peer.startswith("weft") else None
    start = time.perf_counter()
    solve = PEERS[peer](web_)
    built = time.perf_counter()
    cpu = time.process_time()
    found = solve()
    took = {"build": built - start, "solve": time.perf_counter() - built}
    print(json.dumps({**took, "cpu": time.process_time() - cpu, "peak": peak(), **found}))


def main() -> None:
    """Run the tasks, print a table for each, and keep all figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tasks", nargs="*", default=list(TASKS))
    options.add_argument("--peers", nargs="*", default=[])
    options.add_argument("--once", nargs=2, metavar=("PEER", "WEB"))
    given = options.parse_args()
    if given.once:
        once(given.once[0], Path(given.once[1]))
        return
    print(versions(*MEASURED))
    kept = OUT / "distances.json"
    figures = json.loads(kept.read_text()) if kept.exists() else {}
    for task in given.tasks:
        name, peers = TASKS[task]
        path = path_of(name)
        n, source, _ = ends(path)
        told = figures.setdefault(task, {"peers": {}})
        told |= {"web": name, "pages": n, "links": len(source), "versions": versions(*MEASURED)}
        print(f"\n{name}: {n:,} pages, {len(source):,} links")
        for peer in given.peers or peers:
            told["peers"][peer] = measured(peer, path)
            print(line(peer, told["peers"][peer], len(source)), flush=True)
            kept.write_text(json.dumps(figures, indent=1))


def measured(peer: str, path: Path) -> dict[str, Any]:
    """What one run took, or why there is nothing to tell."""
    words = [sys.executable, "-m", "benchmarks.distances", "--once", peer, str(path)]
    try:
        done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {PATIENCE} s"}
    except subprocess.CalledProcessError as error:
        return {"failed": (error.stderr.strip().splitlines() or ["killed"])[-1][:80]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def line(peer: str, told: dict[str, Any], links: int) -> str:
    """One row of a table."""
    if "failed" in told:
        return f"{peer:30}{told['failed']}"
    average = told.get("average")
    return (
        f"{peer:30}build {told['build']:8.2f} s   solve {told['solve']:8.2f} s   "
        f"cpu {told['cpu']:8.2f} s   {told['cpu'] / links * 1e9:8.0f} ns cpu a link   "
        f"{told['peak']:8,.0f} MB   "
        + (f"average {average:.4f}" if average else f"effective {told.get('effective')}")
    )


if __name__ == "__main__":
    main()
