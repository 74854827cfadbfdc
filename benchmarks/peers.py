"""PageRank and HITS as each library does them, from the ends of links: one run in this process.

`python -m benchmarks.peers PEER METHOD WEB.npz SCORES.npy` prints what it took as JSON.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import peak as peak  # noqa: PLC0414  others look for it here
from benchmarks.webs import SHARED, Ends, ends

TOLERANCE = 1e-8
FOLLOW = 0.85
Solve = Callable[[], tuple[Any, int]]
Peer = Callable[[Ends], Solve]


def weft_pagerank(web: Ends) -> Solve:
    """Weft, through the door that a user of the library takes."""
    from weft.graph.webgraph import WebGraph  # noqa: PLC0415
    from weft.rank import pagerank  # noqa: PLC0415

    graph = WebGraph.from_arrays(*web)
    graph.flow()

    def solve() -> tuple[Any, int]:
        found = pagerank(graph, follow=FOLLOW, tolerance=TOLERANCE)
        return found.scores["score"], found.trace.rounds

    return solve


def weft_hits(web: Ends) -> Solve:
    """Weft."""
    from weft.graph.webgraph import WebGraph  # noqa: PLC0415
    from weft.rank import hits  # noqa: PLC0415

    graph = WebGraph.from_arrays(*web)
    graph.flow()

    def solve() -> tuple[Any, int]:
        found = hits(graph, norm="L1", tolerance=TOLERANCE)
        return found.scores["authority"], found.trace.rounds

    return solve


def weft_salsa(web: Ends) -> Solve:
    """Weft."""
    from weft.graph.webgraph import WebGraph  # noqa: PLC0415
    from weft.rank import salsa  # noqa: PLC0415

    graph = WebGraph.from_arrays(*web)
    graph.flow()

    def solve() -> tuple[Any, int]:
        return salsa(graph).scores["authority"], 0

    return solve


def _prototype() -> Any:
    sys.path.insert(0, str(SHARED / "perf"))
    import pcpm  # type: ignore[import-not-found]  # noqa: PLC0415

    return pcpm


def prototype_pagerank(web: Ends) -> Solve:
    """The prototype kernels beside the project."""
    pcpm = _prototype()
    n, source, target = web
    bins = pcpm.pcpm_from_coo(source, target, n, 2)
    return lambda: pcpm.pagerank_pcpm(bins, n, FOLLOW, TOLERANCE)


def prototype_hits(web: Ends) -> Solve:
    """The prototype kernels, both directions built."""
    pcpm = _prototype()
    n, source, target = web
    both = pcpm.Op(source, target, n)
    return lambda: pcpm.hits_power(both, TOLERANCE)


def _matrix(web: Ends) -> Any:
    from scipy.sparse import coo_array  # noqa: PLC0415

    n, source, target = web
    return coo_array((np.ones(len(source)), (source, target)), shape=(n, n)).tocsr()


def settle(step: Callable[[Any], Any], n: int) -> tuple[Any, int]:
    """Repeat from equal shares until a round changes less than the tolerance."""
    x, rounds, change = np.full(n, 1 / n), 0, np.inf
    while change >= TOLERANCE and rounds < 2000:
        y = step(x)
        change = np.abs(y - x).sum()
        x, rounds = y, rounds + 1
    return x, rounds


def scipy_pagerank(web: Ends) -> Solve:
    """Power iteration over a sparse matrix, dangling mass spread evenly."""
    links = _matrix(web)
    n = web[0]
    degrees = np.diff(links.indptr)
    onward = links.T.tocsr()

    def solve() -> tuple[Any, int]:
        each = np.divide(1.0, degrees, out=np.zeros(n), where=degrees > 0)

        def step(x: Any) -> Any:
            stuck = x[degrees == 0].sum()
            return FOLLOW * (onward @ (x * each)) + (1 - FOLLOW + FOLLOW * stuck) / n

        return settle(step, n)

    return solve


def scipy_hits(web: Ends) -> Solve:
    """Power iteration over a sparse matrix and its transpose."""
    links = _matrix(web)
    back = links.T.tocsr()

    def solve() -> tuple[Any, int]:
        def step(x: Any) -> Any:
            y = back @ (links @ x)
            return y / y.sum()

        return settle(step, web[0])

    return solve


def propack_hits(web: Ends) -> Solve:
    """SciPy's PROPACK."""
    from scipy.sparse.linalg import svds  # noqa: PLC0415

    links = _matrix(web)

    def solve() -> tuple[Any, int]:
        _, _, right = svds(links, k=1, solver="propack", tol=TOLERANCE, rng=0)
        x = np.abs(right[0])
        return x / x.sum(), 0

    return solve


def networkit_pagerank(web: Ends) -> Solve:
    """NetworKit, with its handling of sinks."""
    import networkit as nk  # noqa: PLC0415

    n, source, target = web
    graph = nk.GraphFromCoo(
        (source.astype(np.uint64), target.astype(np.uint64)), n=n, directed=True
    )

    def solve() -> tuple[Any, int]:
        run = nk.centrality.PageRank(
            graph, FOLLOW, TOLERANCE, distributeSinks=nk.centrality.SinkHandling.DistributeSinks
        )
        run.norm = nk.centrality.Norm.l1norm
        run.run()
        return np.array(run.scores()), int(run.numberOfIterations())

    return solve


def graphblas_pagerank(web: Ends) -> Solve:
    """SuiteSparse GraphBLAS."""
    import graphblas as gb  # noqa: PLC0415

    n, source, target = web
    links = gb.Matrix.from_coo(source, target, 1.0, nrows=n, ncols=n, dtype=float)
    degrees = links.reduce_rowwise("plus").new()

    def solve() -> tuple[Any, int]:
        each = gb.Vector(float, n)
        each << degrees.apply("minv")
        x, rounds, change = gb.Vector.from_scalar(1 / n, n), 0, np.inf
        while change >= TOLERANCE:
            kept = gb.Vector(float, n)
            kept << gb.binary.times(each & x)
            whole = float(x.reduce("plus").new().value)
            stuck = whole - float(gb.binary.first(x & degrees).new().reduce("plus").new().value)
            y = gb.Vector.from_scalar((1 - FOLLOW + FOLLOW * stuck) / n, n)
            kept << kept.apply("times", right=FOLLOW)
            y(accum=gb.binary.plus) << gb.semiring.plus_second(links.T @ kept)
            step = gb.binary.minus(y | x, left_default=0, right_default=0).new()
            change = float(step.apply("abs").reduce("plus").new().value)
            x, rounds = y, rounds + 1
        return x.to_dense(), rounds

    return solve


def igraph_pagerank(web: Ends) -> Solve:
    """The igraph library, with its PRPACK."""
    import igraph  # noqa: PLC0415

    n, source, target = web
    graph = igraph.Graph(n, np.column_stack([source, target]), directed=True)
    return lambda: (np.array(graph.pagerank(damping=FOLLOW)), 0)


def igraph_hits(web: Ends) -> Solve:
    """The igraph library, with its ARPACK."""
    import igraph  # noqa: PLC0415

    n, source, target = web
    graph = igraph.Graph(n, np.column_stack([source, target]), directed=True)

    def solve() -> tuple[Any, int]:
        x = np.array(graph.authority_score())
        return x / x.sum(), 0

    return solve


def sknetwork_pagerank(web: Ends) -> Solve:
    """The power iteration of scikit-network, as many rounds as a contraction by 0.85 may need."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415
    from sknetwork.ranking import PageRank  # noqa: PLC0415

    links = csr_matrix(_matrix(web))
    return lambda: (PageRank(FOLLOW, n_iter=100, tol=TOLERANCE).fit_predict(links), 100)


def sknetwork_hits(web: Ends) -> Solve:
    """The scikit-network library."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415
    from sknetwork.ranking import HITS  # noqa: PLC0415

    links = csr_matrix(_matrix(web))

    def solve() -> tuple[Any, int]:
        found = HITS().fit(links)
        x = np.abs(found.scores_col_)
        return x / x.sum(), 0

    return solve


PEERS: dict[str, Peer] = {
    name.replace("_", " "): run
    for name, run in list(globals().items())
    if name.endswith(("_pagerank", "_hits", "_salsa")) and callable(run)
}


def main() -> None:
    """Compile on a small web, then build and solve once, timed."""
    peer, method, path, scores = sys.argv[1:]
    make = PEERS[f"{peer} {method}"]
    web = ends(Path(path))
    few = (web[0], web[1][:2_000_000], web[2][:2_000_000])
    make(few)()
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    solve = make(web)
    built = time.perf_counter()
    found, rounds = solve()
    end = time.perf_counter()
    after = resource.getrusage(resource.RUSAGE_SELF)
    np.save(scores, found)
    told = {
        "build": built - start,
        "solve": end - built,
        "rounds": rounds,
        "peak": peak(),
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
