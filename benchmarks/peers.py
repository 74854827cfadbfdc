"""PageRank and HITS by each library, from arrays of links: one run in this process.

`python -m benchmarks.peers LIBRARY METHOD WEB.npz SCORES.npy` prints times and memory as JSON.
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

TOL = 1e-8
DAMPING = 0.85
Solve = Callable[[], tuple[Any, int]]
Peer = Callable[[Ends], Solve]


def weft_pagerank(web: Ends) -> Solve:
    """Weft, by its public function."""
    from weft.graph.webgraph import WebGraph  # noqa: PLC0415
    from weft.rank import pagerank  # noqa: PLC0415

    graph = WebGraph.from_arrays(*web)
    graph.operator()

    def solve() -> tuple[Any, int]:
        found = pagerank(graph, damping=DAMPING, tol=TOL)
        return found.scores["score"], found.trace.iterations

    return solve


def weft_hits(web: Ends) -> Solve:
    """Weft."""
    from weft.graph.webgraph import WebGraph  # noqa: PLC0415
    from weft.rank import hits  # noqa: PLC0415

    graph = WebGraph.from_arrays(*web)
    graph.operator()

    def solve() -> tuple[Any, int]:
        found = hits(graph, norm="L1", tol=TOL)
        return found.scores["authority"], found.trace.iterations

    return solve


def weft_salsa(web: Ends) -> Solve:
    """Weft."""
    from weft.graph.webgraph import WebGraph  # noqa: PLC0415
    from weft.rank import salsa  # noqa: PLC0415

    graph = WebGraph.from_arrays(*web)
    graph.operator()

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
    return lambda: pcpm.pagerank_pcpm(bins, n, DAMPING, TOL)


def prototype_hits(web: Ends) -> Solve:
    """The prototype kernels, both directions built."""
    pcpm = _prototype()
    n, source, target = web
    both = pcpm.Op(source, target, n)
    return lambda: pcpm.hits_power(both, TOL)


def _matrix(web: Ends) -> Any:
    from scipy.sparse import coo_array  # noqa: PLC0415

    n, source, target = web
    return coo_array((np.ones(len(source)), (source, target)), shape=(n, n)).tocsr()


def iterate(step: Callable[[Any], Any], n: int) -> tuple[Any, int]:
    """Iterate from the uniform vector until the change is below the tolerance."""
    x, iterations, change = np.full(n, 1 / n), 0, np.inf
    while change >= TOL and iterations < 2000:
        y = step(x)
        change = np.abs(y - x).sum()
        x, iterations = y, iterations + 1
    return x, iterations


def scipy_pagerank(web: Ends) -> Solve:
    """Power iteration over a sparse matrix, dangling mass spread evenly."""
    links = _matrix(web)
    n = web[0]
    degrees = np.diff(links.indptr)
    transposed = links.T.tocsr()

    def solve() -> tuple[Any, int]:
        inverse_degrees = np.divide(1.0, degrees, out=np.zeros(n), where=degrees > 0)

        def step(x: Any) -> Any:
            dangling = x[degrees == 0].sum()
            return (
                DAMPING * (transposed @ (x * inverse_degrees))
                + (1 - DAMPING + DAMPING * dangling) / n
            )

        return iterate(step, n)

    return solve


def scipy_hits(web: Ends) -> Solve:
    """Power iteration over a sparse matrix and its transpose."""
    links = _matrix(web)
    transposed = links.T.tocsr()

    def solve() -> tuple[Any, int]:
        def step(x: Any) -> Any:
            y = transposed @ (links @ x)
            return y / y.sum()

        return iterate(step, web[0])

    return solve


def propack_hits(web: Ends) -> Solve:
    """SciPy's PROPACK."""
    from scipy.sparse.linalg import svds  # noqa: PLC0415

    links = _matrix(web)

    def solve() -> tuple[Any, int]:
        _, _, right = svds(links, k=1, solver="propack", tol=TOL, rng=0)
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
            graph, DAMPING, TOL, distributeSinks=nk.centrality.SinkHandling.DistributeSinks
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
        inverse_degrees = gb.Vector(float, n)
        inverse_degrees << degrees.apply("minv")
        x, iterations, change = gb.Vector.from_scalar(1 / n, n), 0, np.inf
        while change >= TOL:
            sent = gb.Vector(float, n)
            sent << gb.binary.times(inverse_degrees & x)
            total = float(x.reduce("plus").new().value)
            dangling = total - float(gb.binary.first(x & degrees).new().reduce("plus").new().value)
            y = gb.Vector.from_scalar((1 - DAMPING + DAMPING * dangling) / n, n)
            sent << sent.apply("times", right=DAMPING)
            y(accum=gb.binary.plus) << gb.semiring.plus_second(links.T @ sent)
            step = gb.binary.minus(y | x, left_default=0, right_default=0).new()
            change = float(step.apply("abs").reduce("plus").new().value)
            x, iterations = y, iterations + 1
        return x.to_dense(), iterations

    return solve


def igraph_pagerank(web: Ends) -> Solve:
    """The igraph library, with its PRPACK."""
    import igraph  # noqa: PLC0415

    n, source, target = web
    graph = igraph.Graph(n, np.column_stack([source, target]), directed=True)
    return lambda: (np.array(graph.pagerank(damping=DAMPING)), 0)


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
    """scikit-network, with enough power iterations for a damping factor of 0.85."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415
    from sknetwork.ranking import PageRank  # noqa: PLC0415

    links = csr_matrix(_matrix(web))
    return lambda: (PageRank(DAMPING, n_iter=100, tol=TOL).fit_predict(links), 100)


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
    library, method, path, path_of_scores = sys.argv[1:]
    make = PEERS[f"{library} {method}"]
    web = ends(Path(path))
    part = (web[0], web[1][:2_000_000], web[2][:2_000_000])
    make(part)()
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    solve = make(web)
    built = time.perf_counter()
    scores, iterations = solve()
    end = time.perf_counter()
    after = resource.getrusage(resource.RUSAGE_SELF)
    np.save(path_of_scores, scores)
    row = {
        "build": built - start,
        "solve": end - built,
        "iterations": iterations,
        "peak": peak(),
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    }
    print(json.dumps(row))


if __name__ == "__main__":
    main()
