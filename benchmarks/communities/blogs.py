"""Political blogs of 2004: how well communities match the two sides."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import igraph
import numpy as np

from benchmarks.measure import versions
from benchmarks.side_by_side import table
from benchmarks.topics.sets import read_blogs
from weft.communities import compare_partitions, friends, hits, modularity
from weft.core.arrays import CSR, Ids
from weft.graph.baseset.baseset import BaseSet
from weft.graph.views import subgraph, undirected_edges
from weft.graph.webgraph import WebGraph
from weft.groups import Group
from weft.kernels.leiden import modularity as modularity_of

SEEDS = 20
HEADS = ("communities", "two largest", "NMI", "ARI", "purity", "modularity", "seconds")
Partition = Callable[[int], Ids]


def blogs() -> tuple[BaseSet, Ids]:
    """The largest connected component of the blogs, and the side of each."""
    web = read_blogs()
    every = WebGraph.from_arrays(web.pages, web.source, web.target)
    edges = undirected_edges(every)
    home = np.array(igraph_graph(edges, len(every)).connected_components().membership)
    inside = home == np.bincount(home).argmax()
    return BaseSet.from_any(subgraph(every, inside)[0]), web.sets["right"][inside].astype(np.int32)


def igraph_graph(edges: CSR, n: int) -> Any:
    """The undirected edges as an igraph graph."""
    source = np.repeat(np.arange(n), np.diff(edges.starts))
    half = source < edges.ids
    weights = np.ones(len(edges.ids)) if edges.weights is None else edges.weights
    graph = igraph.Graph(n, np.stack([source[half], edges.ids[half]], axis=1).tolist())
    graph.es["weight"] = weights[half].tolist()
    return graph


def partition_methods(base: BaseSet) -> dict[str, Partition]:
    """Every partition method as a function of its seed."""
    edges = undirected_edges(base.graph, weighted=True)
    graph = igraph_graph(edges, len(base))

    def theirs(find: Callable[[], Any]) -> Partition:
        def partition(seed: int) -> Ids:
            import random  # noqa: PLC0415  the generator that igraph draws from

            random.seed(seed)
            igraph.set_random_number_generator(random)
            return np.array(find().membership, np.int32)

        return partition

    def ours(method: Callable[..., Any], **options: Any) -> Partition:
        return lambda seed: np.asarray(method(base, seed=seed, **options).labels, np.int32)

    def leiden() -> Any:
        return graph.community_leiden("modularity", weights="weight", n_iterations=-1)

    return {
        "modularity": ours(modularity),
        "modularity, 10 iterations": ours(modularity, iterations=10),
        "modularity, resolution 0.5": ours(modularity, resolution=0.5),
        "friends": ours(friends),
        "friends, resolution 0.3": ours(friends, resolution=0.3),
        "hits": lambda _: hits(base).group_of_page,
        "igraph: Leiden": theirs(leiden),
        "igraph: Louvain": theirs(lambda: graph.community_multilevel(weights="weight")),
        "igraph: Infomap": theirs(lambda: graph.community_infomap(edge_weights="weight")),
        "igraph: label propagation": theirs(
            lambda: graph.community_label_propagation(weights="weight")
        ),
        "igraph: leading eigenvector, 2": theirs(
            lambda: graph.community_leading_eigenvector(clusters=2, weights="weight")
        ),
    }


def measure() -> dict[str, Any]:
    """Partition the blogs by each method with each seed."""
    base, side = blogs()
    edges = undirected_edges(base.graph, weighted=True)
    rows = {}
    for name, partition in partition_methods(base).items():
        found = []
        partition(0)  # compiles the kernels
        for seed in range(1 if name == "hits" else SEEDS):
            start = time.perf_counter()
            labels = partition(seed)
            found.append(evaluate(labels, side, edges, time.perf_counter() - start))
        rows[name] = found
        print(name, flush=True)
    return {
        "versions": versions("numpy", "numba", "igraph"),
        "pages": len(base),
        "links": base.graph.link_count,
        "right": int(side.sum()),
        "sides": modularity_of(edges, side),
        "rows": rows,
        "matrix": modularity(base).link_matrix(2).tolist(),
        "groups": [group(base, c, side) for c in modularity(base) if len(c) >= 5],
    }


def group(base: BaseSet, found: Group, side: Ids) -> list[Any]:
    """A community in a row: its size, its share on the right, its links, its first page."""
    first = base.pages[int(found.authorities(1)[0])]
    return [
        len(found),
        float(side[found.members].mean()),
        found.links.internal if found.links else 0,
        found.links.outgoing if found.links else 0,
        first,
    ]


def evaluate(labels: Ids, side: Ids, edges: CSR, seconds: float) -> list[float]:
    """The measures of a partition, in the order of the heads, and its number of pages."""
    agreement = compare_partitions(labels, side)
    sizes = np.sort(np.bincount(labels[labels >= 0]))[::-1]
    own_labels = int(labels.max()) + 1 + np.arange(len(labels))
    complete = np.where(labels < 0, own_labels, labels).astype(np.int32)
    quality = modularity_of(edges, complete)
    return [
        len(sizes),
        sizes[:2].sum() / len(labels),
        agreement.nmi,
        agreement.ari,
        agreement.purity,
        quality,
        seconds,
        agreement.compared_pages,
    ]


def page(result: dict[str, Any]) -> str:
    """The table of methods, and the communities of one run."""
    rows = [
        [
            name,
            *(cell(head, [run[k] for run in runs]) for k, head in enumerate(HEADS)),
            f"{statistics.fmean(run[-1] for run in runs):,.0f}",
        ]
        for name, runs in result["rows"].items()
    ]
    groups = [
        [
            str(number),
            centre.removeprefix("http://"),
            f"{size:,}",
            f"{max(right, 1 - right):.1%}",
            "right" if right > 0.5 else "left",
            f"{inside:,}",
            f"{leaving:,}",
        ]
        for number, (size, right, inside, leaving, centre) in enumerate(result["groups"], start=1)
    ]
    (ll, lr), (rl, rr) = result["matrix"]
    heads = ["", "centre", "blogs", "share of its side", "side", "internal links", "outgoing links"]
    return f"""\
{result["pages"]:,} blogs with {result["links"]:,} links are in the largest connected component,
{result["right"]:,} of them on the right. The two labelled sides have modularity
{result["sides"]:.3f}. Means of {SEEDS} seeds, with the standard deviation where it is not zero.

{table(["method", *HEADS, "blogs"], rows)}

The communities of at least five blogs by `modularity` with seed 0:

{table(heads, groups, "rlrrlrr")}

The two largest have {ll:,} and {rr:,} internal links, and {lr:,} and {rl:,} links to each other.
Measured with {result["versions"]}."""


def cell(head: str, values: Sequence[float]) -> str:
    """A mean, with its standard deviation where it is not zero."""
    mean = statistics.fmean(values)
    spread = statistics.pstdev(values)
    if head == "communities":
        return f"{mean:.1f}" if spread else f"{mean:.0f}"
    if head == "two largest":
        return f"{mean:.1%}"
    if head == "seconds":
        return f"{mean:.2f}"
    return f"{mean:.3f} ± {spread:.3f}" if spread >= 0.0005 else f"{mean:.3f}"
