"""Flow communities: recall from a few seeds, and time beside other libraries.

`python -m benchmarks.communities.flow PEER WEB SEEDS K` cuts one web in this process.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.measure import peak, versions
from benchmarks.side_by_side import table
from benchmarks.topics.case import Case
from benchmarks.topics.mixed import mixed
from benchmarks.topics.sets import SETS, read_set
from benchmarks.webs import Ends, ends, web
from weft.communities import flow, focused_flow
from weft.graph.webgraph import WebGraph

SEEDS = (3, 5, 10, 20)
METHODS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "flow": (flow, {}),
    "focused-flow": (focused_flow, {}),
    "focused-flow, boundary=open": (focused_flow, {"boundary": "open"}),
}
REWIRED = 0.05
PEERS = ("weft", "igraph", "scipy", "networkx")
RACES = (("rmat-16", 10, 10), ("rmat-16", 10, 50), ("cnr-2000", 10, 10), ("cnr-2000", 10, 1000))
REPEATS, TIMEOUT, QUICK_SECONDS = 3, 120, 10.0
Solved = tuple[int, int]
Solve = Callable[[], Solved]


def measure() -> dict[str, Any]:
    """Find each set from its most linked pages, then compare libraries."""
    sets = [read_set(path) for path in SETS]
    rows = [[share, *row] for share in (0.0, REWIRED) for row in recovered(mixed(sets, share))]
    return {
        "versions": versions("numpy", "numba", "scipy", "igraph", "networkx"),
        "rows": rows,
        "races": [race(*each) for each in RACES],
    }


def recovered(case: Case) -> list[list[Any]]:
    """For each set, number of seeds and method: members, purity, recall and time."""
    graph, found = case.base.graph, []
    indegrees = graph.indegrees()
    flow(case.base, seeds=[graph.pages[0]])
    for name, flags in case.sets.items():
        order = np.argsort(-np.where(flags, indegrees, -1), kind="stable")
        for seed_count in SEEDS:
            seeds = [graph.pages[int(page)] for page in order[:seed_count]]
            for name_of_method, (method, options) in METHODS.items():
                start = time.perf_counter()
                members = method(case.base, seeds=seeds, **options)[0].members
                seconds = time.perf_counter() - start
                inside = np.asarray(flags)[members]
                share = float(inside.mean()), float(inside.sum() / flags.sum())
                found.append([name, seed_count, name_of_method, len(members), *share, seconds])
    return found


def race(name: str, seeds: int, k: int) -> dict[str, Any]:
    """Run each library, three times if it is quick; NetworkX only on the smallest web."""
    n, source, _ = ends(web(name))
    result: dict[str, Any] = {"web": name, "pages": n, "links": len(source), "seeds": seeds, "k": k}
    result["peers"] = {}
    for peer in PEERS if (name, seeds, k) == RACES[0] else PEERS[:-1]:
        runs = [apart(peer, name, seeds, k)]
        while (
            runs[0] and len(runs) < REPEATS and runs[0]["build"] + runs[0]["solve"] < QUICK_SECONDS
        ):
            runs.append(apart(peer, name, seeds, k))
        keys = runs[0] or {}
        result["peers"][peer] = {key: statistics.median(run[key] for run in runs) for key in keys}
        print(name, k, peer, result["peers"][peer], flush=True)
    return result


def apart(peer: str, name: str, seeds: int, k: int) -> dict[str, float]:
    """Run once in a new process; an empty result if it does not finish."""
    command = [sys.executable, "-m", "benchmarks.communities.flow", peer, name, str(seeds), str(k)]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return {}
    row: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return row


def chosen(web: Ends, seed_count: int) -> npt.NDArray[np.int32]:
    """Seeds: pages with more than five links, drawn with a fixed seed."""
    n, source, target = web
    degree = np.bincount(source, minlength=n) + np.bincount(target, minlength=n)
    draw = np.random.default_rng(1)
    return np.sort(draw.choice(np.flatnonzero(degree > 5), seed_count, replace=False)).astype(
        np.int32
    )


def weft(web: Ends, seeds: npt.NDArray[np.int32], k: int) -> Solve:
    """Weft, by its public function."""
    graph = WebGraph.from_arrays(*web)
    assert len(graph.outlinks.ids) == len(graph.inlinks.ids)
    names = [graph.pages[int(page)] for page in seeds]

    def solve() -> Solved:
        found = flow(graph, seeds=names, k=k)
        return int(found.facts["flow"]), len(found[0])

    return solve


def network(web: Ends, seeds: npt.NDArray[np.int32], k: int) -> tuple[np.ndarray, np.ndarray]:
    """The edges and capacities of the flow network: source n, sink n + 1."""
    n, source, target = web
    key = np.concatenate(
        [source.astype(np.int64) << 32 | target, target.astype(np.int64) << 32 | source]
    )
    key.sort()
    key = key[np.diff(key, prepend=-1) > 0]
    others = np.setdiff1d(np.arange(n), seeds)
    start = np.concatenate([key >> 32, np.full(len(seeds), n), others])
    end = np.concatenate([key & 0xFFFFFFFF, seeds, np.full(len(others), n + 1)])
    capacity = np.concatenate(
        [np.full(len(key), k), np.full(len(seeds), n + 1), np.ones(len(others))]
    )
    return np.stack([start, end], axis=1), capacity.astype(np.int32)


def scipy(web: Ends, seeds: npt.NDArray[np.int32], k: int) -> Solve:
    """SciPy's Dinic, and reachability in the residual graph."""
    from scipy.sparse import coo_array  # noqa: PLC0415
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow  # noqa: PLC0415

    n = web[0]
    edges, capacity = network(web, seeds, k)
    matrix = coo_array((capacity, edges.T), shape=(n + 2, n + 2)).tocsr()

    def solve() -> Solved:
        found = maximum_flow(matrix, n, n + 1)
        residual = matrix - found.flow
        residual.eliminate_zeros()
        return int(found.flow_value), len(breadth_first_order(residual, n)[0]) - 1

    return solve


def igraph(web: Ends, seeds: npt.NDArray[np.int32], k: int) -> Solve:
    """Push-relabel of igraph; its minimum cut need not be the one with the fewest pages."""
    import igraph as ig  # noqa: PLC0415

    n = web[0]
    edges, capacity = network(web, seeds, k)
    graph = ig.Graph(n + 2, edges.tolist(), directed=True)
    capacities = capacity.astype(float).tolist()

    def solve() -> Solved:
        cut = graph.st_mincut(n, n + 1, capacity=capacities)
        side = next(part for part in cut.partition if n in part)
        return int(cut.value), len(side) - 1

    return solve


def networkx(web: Ends, seeds: npt.NDArray[np.int32], k: int) -> Solve:
    """Boykov and Kolmogorov's method in NetworkX."""
    import networkx as nx  # noqa: PLC0415

    n = web[0]
    edges, capacity = network(web, seeds, k)
    graph = nx.DiGraph()
    ends_ = zip(*edges.T.tolist(), capacity.tolist(), strict=True)
    graph.add_weighted_edges_from(ends_, weight="capacity")

    def solve() -> Solved:
        name_of_method = nx.algorithms.flow.boykov_kolmogorov
        value, (side, _) = nx.minimum_cut(graph, n, n + 1, flow_func=name_of_method)
        return int(value), len(side) - 1

    return solve


def once(peer: str, name: str, seeds: int, k: int) -> dict[str, float]:
    """Build and cut; return times and memory."""
    made = {"weft": weft, "scipy": scipy, "igraph": igraph, "networkx": networkx}[peer]
    links = ends(web(name))
    start_pages = chosen(links, seeds)
    flow([("a", "b"), ("b", "c")], seeds=["a"])
    start = time.perf_counter()
    solve = made(links, start_pages, k)
    built = time.perf_counter()
    units, members = solve()
    end = time.perf_counter()
    return {
        "build": built - start,
        "solve": end - built,
        "flow": units,
        "members": members,
        "peak MB": peak(),
    }


def total(run: dict[str, float]) -> float:
    """Seconds from arrays of links to the community."""
    return run["build"] + run["solve"]


def page(result: dict[str, Any]) -> str:
    """A table of recovered sets, and one of other libraries."""
    rows = [
        [
            f"{name}, {share:.0%} rewired" if share else name,
            f"{seed_count}",
            name_of_method,
            f"{members:,}",
            f"{purity:.3f}",
            f"{recall:.3f}",
            f"{seconds:.2f}",
        ]
        for share, name, seed_count, name_of_method, members, purity, recall, seconds in result[
            "rows"
        ]
    ]
    races = [
        [
            f"{each['web']}, k = {each['k']:,}",
            f"{each['links']:,}",
            peer,
            *(
                [
                    f"{run['build']:.2f}",
                    f"{run['solve']:.2f}",
                    f"{total(run):.2f}",
                    f"{total(run) / total(each['peers']['weft']):.1f}",
                    f"{run['flow']:,.0f}",
                    f"{run['members']:,.0f}",
                    f"{run['peak MB']:,.0f}",
                ]
                if run
                else [f"over {TIMEOUT} s", *[""] * 6]
            ),
        ]
        for each in result["races"]
        for peer, run in each["peers"].items()
    ]
    heads = [
        "web",
        "links",
        "library",
        "build s",
        "cut s",
        "total s",
        "x weft",
        "flow",
        "pages",
        "peak MB",
    ]
    return f"""\
The community around the most linked pages of a set, in the mixed graph of movies and cheese; k is
the number of seeds. Purity is the share of its pages in the set, recall the share of the set's
pages in it.

{table(["set", "seeds", "method", "pages", "purity", "recall", "s"], rows, "lrlrrrr")}

The same cut by other libraries, around ten random pages, each in a new process; medians of three
runs if they are quick, and NetworkX once. *Build* makes the network of the library from arrays of
links; *cut* finds flow and community, and in Weft also the internal links, the centres and the cut
links. All find the same flow; igraph and NetworkX may choose another minimum cut if several tie.

{table(heads, races, "lrlrrrrrrr")}

Measured with {result["versions"]}."""


if __name__ == "__main__":
    print(json.dumps(once(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
