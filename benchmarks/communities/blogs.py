"""The political blogs of 2004: whether communities are the two sides."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import igraph
import numpy as np

from benchmarks.measure import versions
from benchmarks.side_by_side import table
from benchmarks.topics.sets import read_blogs
from weft.communities import Community, agreement, friends, hits, modularity
from weft.core.arrays import Ids, Rows
from weft.engine.leiden import modularity as modularity_of
from weft.graph.baseset import BaseSet
from weft.graph.undirected import undirected
from weft.graph.views import subgraph
from weft.graph.webgraph import WebGraph

SEEDS = 20
HEADS = ("communities", "two largest", "NMI", "ARI", "purity", "modularity", "seconds")
Divide = Callable[[int], Ids]


def blogs() -> tuple[BaseSet, Ids]:
    """The largest connected part of the blogs, and the side of each."""
    web = read_blogs()
    every = WebGraph.from_arrays(web.pages, web.source, web.target)
    ties = undirected(every)
    home = np.array(peer(ties, len(every)).connected_components().membership)
    inside = home == np.bincount(home).argmax()
    return BaseSet.of(subgraph(every, inside)[0]), web.sets["right"][inside].astype(np.int32)


def peer(ties: Rows, n: int) -> Any:
    """The ties as a graph of igraph."""
    source = np.repeat(np.arange(n), np.diff(ties.starts))
    half = source < ties.ids
    weights = np.ones(len(ties.ids)) if ties.weights is None else ties.weights
    made = igraph.Graph(n, np.stack([source[half], ties.ids[half]], axis=1).tolist())
    made.es["weight"] = weights[half].tolist()
    return made


def divisions(base: BaseSet) -> dict[str, Divide]:
    """Every way to divide the blogs, each by its seed."""
    ties = undirected(base.graph, weighted=True)
    graph = peer(ties, len(base))

    def theirs(find: Callable[[], Any]) -> Divide:
        def divide(seed: int) -> Ids:
            import random  # noqa: PLC0415  the generator that igraph draws from

            random.seed(seed)
            igraph.set_random_number_generator(random)
            return np.array(find().membership, np.int32)

        return divide

    def ours(method: Callable[..., Any], **options: Any) -> Divide:
        return lambda seed: np.asarray(method(base, seed=seed, **options).labels, np.int32)

    def leiden() -> Any:
        return graph.community_leiden("modularity", weights="weight", n_iterations=-1)

    return {
        "modularity": ours(modularity),
        "modularity, 10 rounds": ours(modularity, rounds=10),
        "modularity, resolution 0.5": ours(modularity, resolution=0.5),
        "friends": ours(friends),
        "friends, resolution 0.3": ours(friends, resolution=0.3),
        "hits": lambda _: hits(base).labels,
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
    """Divide the blogs by each method with each seed."""
    base, side = blogs()
    ties = undirected(base.graph, weighted=True)
    rows = {}
    for name, divide in divisions(base).items():
        found = []
        divide(0)  # compiles what is not compiled yet
        for seed in range(1 if name == "hits" else SEEDS):
            start = time.perf_counter()
            home = divide(seed)
            found.append(judged(home, side, ties, time.perf_counter() - start))
        rows[name] = found
        print(name, flush=True)
    return {
        "versions": versions("numpy", "numba", "igraph"),
        "pages": len(base),
        "links": base.graph.link_count,
        "right": int(side.sum()),
        "sides": modularity_of(ties, side),
        "rows": rows,
        "matrix": modularity(base).matrix(2).tolist(),
        "groups": [group(base, c, side) for c in modularity(base) if len(c) >= 5],
    }


def group(base: BaseSet, found: Community, side: Ids) -> list[Any]:
    """A community in a row: its size, its share on the right, its links, its first page."""
    first = base.pages[int(found.centres(1)[0])]
    return [len(found), float(side[found.members].mean()), found.inside, found.leaving, first]


def judged(home: Ids, side: Ids, ties: Rows, seconds: float) -> list[float]:
    """What a division is worth, in the order of the heads, and how many pages it has."""
    found, sizes = agreement(home, side), np.sort(np.bincount(home[home >= 0]))[::-1]
    alone = np.where(home < 0, int(home.max()) + 1 + np.arange(len(home)), home).astype(np.int32)
    quality = modularity_of(ties, alone)
    return [
        len(sizes),
        sizes[:2].sum() / len(home),
        found.nmi,
        found.ari,
        found.purity,
        quality,
        seconds,
        found.pages,
    ]


def page(kept: dict[str, Any]) -> str:
    """The table of methods, and the communities of one run."""
    rows = [
        [
            name,
            *(cell(head, [run[k] for run in runs]) for k, head in enumerate(HEADS)),
            f"{statistics.fmean(run[-1] for run in runs):,.0f}",
        ]
        for name, runs in kept["rows"].items()
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
        for number, (size, right, inside, leaving, centre) in enumerate(kept["groups"], start=1)
    ]
    (ll, lr), (rl, rr) = kept["matrix"]
    heads = ["", "centre", "blogs", "of one side", "side", "links inside", "leaving"]
    return f"""\
{kept["pages"]:,} blogs with {kept["links"]:,} links are connected, {kept["right"]:,} of them on the
right. The two sides as they are labelled have modularity {kept["sides"]:.3f}. Means of {SEEDS}
seeds, with the spread where there is any.

{table(["method", *HEADS, "blogs"], rows)}

The communities of five blogs or more that `modularity` finds with seed 0:

{table(heads, groups, "rlrrlrr")}

Of the links of the two largest, {ll:,} and {rr:,} stay inside, and {lr:,} and {rl:,} lead from
one to the other. Measured with {kept["versions"]}."""


def cell(head: str, values: Sequence[float]) -> str:
    """A mean, with its spread where there is any."""
    mean = statistics.fmean(values)
    spread = statistics.pstdev(values)
    if head == "communities":
        return f"{mean:.1f}" if spread else f"{mean:.0f}"
    if head == "two largest":
        return f"{mean:.1%}"
    if head == "seconds":
        return f"{mean:.2f}"
    return f"{mean:.3f} ± {spread:.3f}" if spread >= 0.0005 else f"{mean:.3f}"
