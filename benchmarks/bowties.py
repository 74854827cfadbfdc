"""Strongly connected components and bow-ties by each library, from arrays of links."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.race import Answer, Solve, peer
from benchmarks.webs import Ends

Flags = npt.NDArray[np.bool_]
Reach = Callable[[Flags], Flags]


@peer("strong components", "weft")
def weft_strong(links: Ends) -> Solve:
    """Weft's kernel."""
    from weft.graph.webgraph import WebGraph  # noqa: PLC0415
    from weft.kernels.components import strongly_connected_components  # noqa: PLC0415

    rows = WebGraph.from_arrays(*links).outlinks
    assert len(rows.starts)

    return lambda: _sizes(strongly_connected_components(rows).sizes)


@peer("bow-tie", "weft")
def weft_bow_tie(links: Ends) -> Solve:
    """Weft, by its public function."""
    from weft.graph.webgraph import WebGraph  # noqa: PLC0415
    from weft.structure import bow_tie  # noqa: PLC0415

    graph = WebGraph.from_arrays(*links)
    assert len(graph.outlinks.starts)

    def solve() -> Answer:
        found = bow_tie(graph)
        names = ("core", "in", "out", "tubes", "tendrils in", "tendrils out", "other")
        sizes = {name: found[name] for name in (*names, "disconnected")}
        return {"components": found["strong components"], **sizes}

    return solve


def _sizes(sizes: Any) -> Answer:
    return {"components": len(sizes), "largest": int(np.max(sizes))}


def _matrix(n: int, source: Any, target: Any) -> Any:
    from scipy.sparse import coo_array  # noqa: PLC0415

    return coo_array((np.ones(len(source), np.int8), (source, target)), shape=(n, n)).tocsr()


@peer("strong components", "scipy")
def scipy_strong(links: Ends) -> Solve:
    """SciPy's graph routines."""
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    matrix = _matrix(*links)
    return lambda: _sizes(np.bincount(connected_components(matrix, connection="strong")[1]))


@peer("bow-tie", "scipy")
def scipy_bow_tie(links: Ends) -> Solve:
    """SciPy, with one extra page that links to the start pages."""
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import breadth_first_order, connected_components  # noqa: PLC0415

    n = links[0]
    out = _matrix(*links)
    into = out.T.tocsr()

    def reach(rows: Any, start: Flags) -> Flags:
        ids = np.concatenate([rows.indices, np.flatnonzero(start).astype(np.int32)])
        starts = np.append(rows.indptr, len(ids)).astype(np.int32)
        more = csr_array((np.ones(len(ids), np.int8), ids, starts), shape=(n + 1, n + 1))
        found = np.zeros(n + 1, bool)
        found[breadth_first_order(more, n, return_predecessors=False)] = True
        return found[:n]

    def solve() -> Answer:
        strong = connected_components(out, connection="strong")[1]
        weak = connected_components(out, connection="weak")[1]
        return regions(strong, weak, lambda x: reach(out, x), lambda x: reach(into, x))

    return solve


def _networkit(links: Ends) -> Any:
    import networkit as nk  # noqa: PLC0415

    n, source, target = links
    both = (source.astype(np.uint64), target.astype(np.uint64))
    return nk.GraphFromCoo(both, n=n, directed=True)


@peer("strong components", "networkit")
def networkit_strong(links: Ends) -> Solve:
    """NetworKit."""
    graph = _networkit(links)
    return lambda: _sizes(np.bincount(_networkit_strong(graph)))


def _networkit_strong(graph: Any) -> Any:
    import networkit as nk  # noqa: PLC0415

    run = nk.components.StronglyConnectedComponents(graph)
    run.run()
    return np.array(run.getPartition().getVector())


@peer("bow-tie", "networkit")
def networkit_bow_tie(links: Ends) -> Solve:
    """NetworKit, with one extra page that links to the start pages."""
    import networkit as nk  # noqa: PLC0415

    graph = _networkit(links)
    transposed = nk.graphtools.transpose(graph)

    def reach(direction: Any, start: Flags) -> Flags:
        more = direction.addNode()
        nodes = np.flatnonzero(start).astype(np.uint64)
        direction.addEdges((np.full(len(nodes), more, np.uint64), nodes))
        run = nk.distance.BFS(direction, more, storePaths=False)
        run.run()
        found = np.array(run.getDistances(asarray=True)) < 1e300
        direction.removeNode(more)
        return found[: links[0]]

    def solve() -> Answer:
        strong = _networkit_strong(graph)
        components = nk.components.WeaklyConnectedComponents(graph)
        components.run()
        weak = np.array(components.getPartition().getVector())
        return regions(strong, weak, lambda x: reach(graph, x), lambda x: reach(transposed, x))

    return solve


def _igraph(links: Ends) -> Any:
    import igraph  # noqa: PLC0415

    n, source, target = links
    return igraph.Graph(n, np.column_stack([source, target]).astype(np.int64), directed=True)


@peer("strong components", "igraph")
def igraph_strong(links: Ends) -> Solve:
    """The igraph library."""
    graph = _igraph(links)
    return lambda: _sizes(graph.connected_components(mode="strong").sizes())


@peer("bow-tie", "igraph")
def igraph_bow_tie(links: Ends) -> Solve:
    """The igraph library, with an extra page for each direction."""
    n = links[0]
    graph = _igraph(links)
    graph.add_vertices(2)

    def reach(start: Flags, mode: str) -> Flags:
        nodes, more = np.flatnonzero(start), n + (mode == "in")
        if len(nodes) > 1:
            edges = np.column_stack([np.full(len(nodes), more), nodes])
            graph.add_edges(edges if mode == "out" else edges[:, ::-1])
        found = np.zeros(n + 2, bool)
        found[graph.subcomponent(more if len(nodes) > 1 else nodes[0], mode=mode)] = True
        return found[:n]

    def solve() -> Answer:
        strong, weak = (
            np.array(graph.connected_components(mode=mode).membership)[:n]
            for mode in ("strong", "weak")
        )
        return regions(strong, weak, lambda x: reach(x, "out"), lambda x: reach(x, "in"))

    return solve


@peer("strong components", "networkx")
def networkx_strong(links: Ends) -> Solve:
    """NetworkX, pure Python."""
    import networkx  # noqa: PLC0415

    graph = _networkx(links)
    found = networkx.strongly_connected_components
    return lambda: _sizes([len(part) for part in found(graph)])


def _networkx(links: Ends) -> Any:
    import networkx  # noqa: PLC0415

    n, source, target = links
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
    return graph


@peer("bow-tie", "networkx")
def networkx_bow_tie(links: Ends) -> Solve:
    """NetworkX, pure Python, with one extra page that links to the start pages."""
    import networkx  # noqa: PLC0415

    n = links[0]
    graph = _networkx(links)

    def reach(direction: Any, start: Flags) -> Flags:
        direction.add_edges_from((n, node) for node in np.flatnonzero(start).tolist())
        found = np.zeros(n + 1, bool)
        found[list(networkx.descendants(direction, n))] = True
        direction.remove_node(n)
        return found[:n]

    def labels(parts: Any) -> Any:
        found = np.empty(n, np.int64)
        for number, part in enumerate(parts):
            found[list(part)] = number
        return found

    def solve() -> Answer:
        strong = labels(networkx.strongly_connected_components(graph))
        weak = labels(networkx.weakly_connected_components(graph))
        transposed = graph.reverse(copy=True)
        return regions(strong, weak, lambda x: reach(graph, x), lambda x: reach(transposed, x))

    return solve


def regions(strong: Any, weak: Any, after: Reach, before: Reach) -> Answer:
    """The bow-tie by set algebra on reachability, as a user of a library would write it."""
    core = strong == np.bincount(strong).argmax()
    start = np.arange(len(core)) == int(core.argmax())
    out, into = after(start) & ~core, before(start) & ~core
    rest = ~(core | out | into)
    from_in, to_out = after(into) & rest, before(out) & rest
    connected = weak == weak[int(core.argmax())]
    sets = {
        "core": core,
        "in": into,
        "out": out,
        "tubes": from_in & to_out,
        "tendrils in": from_in & ~to_out,
        "tendrils out": to_out & ~from_in,
        "other": rest & ~from_in & ~to_out & connected,
        "disconnected": ~connected,
    }
    sizes: Answer = {name: int(flags.sum()) for name, flags in sets.items()}
    return {"components": len(np.unique(strong)), **sizes}
