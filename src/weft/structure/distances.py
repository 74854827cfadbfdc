"""Distances between pages: neighbourhood function, average distance, diameter."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import CSR, Floats
from weft.core.params import Seed
from weft.core.progress import track
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.graph.webgraph import WebGraph
from weft.structure.shape import Shape, UncapturedPages, apply_uncaptured_option

MAX_EXACT_PAGES = 20_000
MAX_EXACT_WORK = 2e9

DistanceAlgorithm = Literal["auto", "exact", "sampled", "hyperball"]
AlgorithmOption = Annotated[
    DistanceAlgorithm,
    Field(description="search from all pages or a sample, or HyperBall; auto: exact on small webs"),
]
Directed = Annotated[bool, Field(description="follow links in their direction only")]
Sources = Annotated[
    int, Field(ge=2, le=10_000_000, description="how many pages a sample searches from")
]
Quantile = Annotated[
    float, Field(gt=0, lt=1, description="share of pairs within the effective diameter")
]
RegisterBits = Annotated[
    int, Field(ge=4, le=16, description="HyperBall: log2 of the registers of a counter")
]
Repeats = Annotated[
    int, Field(ge=1, le=100, description="HyperBall: number of runs, for a standard error")
]
MaxSearches = Annotated[
    int, Field(ge=0, le=10_000_000, description="maximum of searches for the exact diameter (iFUB)")
]


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourhoodEstimate:
    """The neighbourhood function N(t): pairs within t hops, exact or estimated.

    `samples` has a row for each source or run; up to a factor they add up to
    `pairs_within`, and a jackknife over them gives errors. `longest_distance`
    is the longest that was found, `longest_path_start` a page to look for
    longer ones from. `standard_errors` are those of the average distance and of
    the share of connected pairs, where known.
    """

    pairs_within: Floats
    samples: Floats
    longest_distance: int
    longest_path_start: int
    standard_errors: tuple[float | None, float | None]
    sources: int


@method(
    "structure",
    "distances",
    cites="broder2000",
    dimensions=Dimensions(
        model="whole graph",
        metric="whole-graph properties",
        algorithm="graph traversal",
        scope="whole web",
        applications=("modelling the web graph",),
    ),
)
def distances(
    graph: WebGraph,
    *,
    directed: Directed = True,
    algorithm: AlgorithmOption = "auto",
    sources: Sources = 1000,
    quantile: Quantile = 0.9,
    bits: RegisterBits = 8,
    repeats: Repeats = 4,
    max_searches: MaxSearches = 1024,
    seed: Seed = 0,
    uncaptured: UncapturedPages = "drop",
) -> Shape:
    """Measure average distance, diameter and connected pairs.

    The average connected distance is over the ordered pairs of different pages
    with a path from one to the other; pairs without are counted apart. The
    diameter is the longest of these distances. The effective diameter is the
    interpolated distance within which nine of ten pairs are, pairs of a page
    with itself included. Webs of up to 20,000 pages, or 2e9 pages times links,
    are searched from every page. Otherwise the figures are estimates with a
    standard error, and the diameter lies between the bounds that are given.

    Examples
    --------
    >>> shape = distances(WebGraph.from_links([("a", "b"), ("b", "c"), ("c", "a")]))
    >>> shape["average distance"], shape["diameter"]
    (1.5, 2)
    >>> shape.to_table().to_pydict()
    {'hops': [0, 1, 2], 'pairs': [3, 6, 9], 'share': [0.3333333333333333, 0.6666666666666666, 1.0]}
    """
    graph, notes = apply_uncaptured_option(graph, uncaptured)
    n, links = len(graph), len(graph.outlinks.ids)
    if algorithm == "auto":
        algorithm = "exact" if n <= MAX_EXACT_PAGES or n * links <= MAX_EXACT_WORK else "sampled"
    if n == 0:
        estimate = NeighbourhoodEstimate(np.zeros(1), np.zeros((0, 1)), 0, 0, (0.0, 0.0), 0)
    elif algorithm == "hyperball":
        estimate = _estimate_by_hyperball(graph, bits, repeats, seed, directed=directed)
    else:
        sample_size = n if algorithm == "exact" else min(n, sources)
        estimate = _bfs_from_sample(graph, sample_size, seed, directed=directed)
    exact = n == 0 or (algorithm != "hyperball" and estimate.sources == n)
    low, high = _bound_diameter(graph, estimate, 0 if exact else max_searches, directed=directed)
    if exact:
        high = low
    pairs = estimate.pairs_within[-1] - estimate.pairs_within[0]
    facts: dict[str, Any] = {
        "average distance": average_distance(estimate.pairs_within),
        "effective diameter": effective_diameter(estimate.pairs_within, quantile),
        "diameter": low,
        "share of connected pairs": float(pairs) / max(n * (n - 1), 1),
        "diameter is": "exact" if low == high else "a lower bound",
        "diameter at most": high,
        **_standard_errors(estimate, quantile, exact=exact),
        "connected pairs": int(pairs) if exact else float(pairs),
        "links followed": "one way" if directed else "both ways",
        "algorithm": algorithm,
        f"{graph.level}s": n,
        "links": links,
        "sources": estimate.sources,
    }
    estimated = [] if exact else _estimation_notes(graph, estimate, (low, high), repeats)
    tables = neighbourhood_tables(estimate.pairs_within, exact=exact)
    return Shape("distances", facts, tables, (*notes, *estimated))


def average_distance(pairs_within: Floats) -> float | None:
    """The average distance over connected pairs of different pages.

    `pairs_within[t]` counts the ordered pairs within t hops, pairs of a page
    with itself included.

    Examples
    --------
    >>> average_distance(np.array([3.0, 5.0, 6.0]))
    1.3333333333333333
    """
    pairs_at = np.diff(pairs_within)
    pairs = float(pairs_at.sum())
    return float(pairs_at @ np.arange(1, len(pairs_within))) / pairs if pairs > 0 else None


def effective_diameter(pairs_within: Floats, quantile: float = 0.9) -> float:
    """The distance within which a share of the connected pairs are, linearly interpolated.

    Pairs of a page with itself count.

    Examples
    --------
    >>> effective_diameter(np.array([12.0, 24, 34, 38, 41, 43]))
    3.2333333333333343
    """
    target = quantile * pairs_within[-1]
    if pairs_within[0] >= target:
        return 0.0
    hops = int(np.searchsorted(pairs_within, target))
    below, above = pairs_within[hops - 1], pairs_within[hops]
    return float(hops - 1 + (target - below) / (above - below))


def jackknife_error(samples: Floats, statistic: Callable[[Floats], float | None]) -> float | None:
    """The jackknife standard error of a statistic of the sum of samples.

    None with fewer than two samples, or if the statistic of some subset is None.

    Examples
    --------
    >>> jackknife_error(np.array([[1.0], [2.0], [3.0]]), lambda total: float(total[0]))
    1.1547005383792515
    """
    if len(samples) < 2:
        return None
    leave_one_out = [statistic(samples.sum(axis=0) - sample) for sample in samples]
    if None in leave_one_out:
        return None
    values, n = np.array(leave_one_out, float), len(samples)
    return float(np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum()))


def neighbourhood_tables(pairs_within: Floats, *, exact: bool) -> dict[str, pa.Table]:
    """The neighbourhood function and the histogram of distances; integers where exact."""
    pairs_at = np.diff(pairs_within)
    dtype = np.int64 if exact else np.float64
    return {
        "neighbourhood": pa.table(
            {
                "hops": np.arange(len(pairs_within)),
                "pairs": pairs_within.astype(dtype),
                "share": pairs_within / max(pairs_within[-1], 1),
            }
        ),
        "distances": pa.table(
            {
                "distance": np.arange(1, len(pairs_within)),
                "pairs": pairs_at.astype(dtype),
                "share": pairs_at / max(pairs_at.sum(), 1e-300),
            }
        ),
    }


def _links_and_backlinks(graph: WebGraph, *, directed: bool) -> tuple[list[CSR], list[CSR]]:
    """The links to follow, and those that lead back."""
    forward = [graph.outlinks, *([] if directed else [graph.inlinks])]
    return forward, [graph.inlinks] if directed else forward


def _bfs_from_sample(
    graph: WebGraph, sources: int, seed: int, *, directed: bool
) -> NeighbourhoodEstimate:
    """Run a breadth-first search from a random sample of pages, or from all."""
    from weft.kernels.traversal import count_pages_by_distance  # noqa: PLC0415  loads the compiler

    n = len(graph)
    if sources == n:
        sample = np.arange(n, dtype=np.int32)
    else:
        sample = np.random.default_rng(seed).choice(n, sources, replace=False).astype(np.int32)
    # in-links, which may still have to be computed, are read only if they are followed
    forward = [graph.outlinks, *([] if directed else [graph.inlinks])]
    counts = count_pages_by_distance(forward, sample, "distances")
    scale = n / sources if sources < n else 1
    pairs_within = np.cumsum(counts.pages_at_distance.sum(axis=1)) * scale
    samples = np.cumsum(counts.pages_at_distance, axis=0).T.astype(np.float64)
    start = int(sample[np.argmax(counts.eccentricity)])
    longest = int(counts.eccentricity.max())
    if sources == n:
        within = pairs_within.astype(float)
        return NeighbourhoodEstimate(within, samples, longest, start, (0.0, 0.0), n)
    total, reached = counts.total_distance.astype(float), counts.reachable.astype(float)
    # ratio estimator of the mean distance: r = sum(total) / sum(reached)
    ratio = total.sum() / max(reached.sum(), 1.0)
    # variance of a mean, with the finite population correction 1 - m/n for m of n sources
    factor = (1 - sources / n) / (sources * (sources - 1))
    ratio_variance = ((total - ratio * reached) ** 2).sum() * factor
    reached_variance = ((reached - reached.mean()) ** 2).sum() * factor
    mean = float(reached.mean())
    errors = (
        float(np.sqrt(ratio_variance)) / mean if mean else None,
        float(np.sqrt(reached_variance)) / (n - 1),
    )
    return NeighbourhoodEstimate(pairs_within, samples, longest, start, errors, sources)


def _estimate_by_hyperball(
    graph: WebGraph, bits: int, repeats: int, seed: int, *, directed: bool
) -> NeighbourhoodEstimate:
    """Average several runs of HyperBall, with consecutive seeds."""
    from weft.kernels.hyperball import hyperball  # noqa: PLC0415  loads the compiler

    n = len(graph)
    forward = [graph.outlinks, *([] if directed else [graph.inlinks])]

    def backlinks() -> list[CSR]:
        return _links_and_backlinks(graph, directed=directed)[1]

    seeds = track(range(seed, seed + repeats), "hyperball", repeats)
    runs = [hyperball(forward, backlinks, bits, run_seed) for run_seed in seeds]
    length = max(map(len, runs))  # a run that ends early stays at its last value
    samples = np.stack([np.pad(run, (0, length - len(run)), mode="edge") for run in runs])
    start = int(np.argmax(np.diff(graph.outlinks.starts)))
    # leaving out one of r runs leaves the sum of r - 1, which is scaled to a share of n (n - 1)
    shares = samples / max(n * (n - 1) * (repeats - 1), 1)
    errors = (
        jackknife_error(samples, average_distance),
        jackknife_error(shares, lambda within: float(within[-1] - within[0])),
    )
    return NeighbourhoodEstimate(samples.mean(axis=0), samples, length - 1, start, errors, 0)


def _bound_diameter(
    graph: WebGraph, estimate: NeighbourhoodEstimate, max_searches: int, *, directed: bool
) -> tuple[int, int | None]:
    """Bound the diameter: from below by double sweeps, from above by iFUB.

    There is an upper bound only if every component is strongly connected.
    """
    from weft.kernels.components import strongly_connected_components, weakly_connected_components  # noqa: PLC0415  loads the compiler
    from weft.kernels.traversal import double_sweep_lower_bound, ifub_diameter  # noqa: PLC0415

    if not max_searches:
        return estimate.longest_distance, None
    forward, backward = _links_and_backlinks(graph, directed=directed)
    sweep = double_sweep_lower_bound(forward, backward, estimate.longest_path_start)
    low = max(estimate.longest_distance, sweep)
    find_components = strongly_connected_components if directed else weakly_connected_components
    components = find_components(graph.outlinks)
    if directed and len(components.sizes) > 1:
        return low, None
    bounds = ifub_diameter(forward, backward, components.labels, max_searches)
    return max(low, bounds.low), bounds.high


def _standard_errors(
    estimate: NeighbourhoodEstimate, quantile: float, *, exact: bool
) -> dict[str, float | None]:
    """The standard errors as facts; zero where nothing was estimated."""
    average, share = estimate.standard_errors
    errors = {
        "average distance": average,
        "share of connected pairs": share,
        "effective diameter": jackknife_error(
            estimate.samples, lambda within: effective_diameter(within, quantile)
        ),
    }
    return {f"error of the {name}": 0.0 if exact else error for name, error in errors.items()}


def _estimation_notes(
    graph: WebGraph, estimate: NeighbourhoodEstimate, diameter: tuple[int, int | None], repeats: int
) -> list[str]:
    """Notes on what was estimated, from what, and how well; HyperBall searches from no page."""
    if estimate.sources:
        sources = f"{estimate.sources:,} of {pluralise(len(graph), graph.level)}"
        notes = [f"pairs are estimated from a random sample: {sources} searched"]
    else:
        notes = [f"pairs are estimated by HyperBall, {pluralise(repeats, 'run')}"]
    if error := estimate.standard_errors[0]:
        notes.append(f"the standard error of the average distance is {error:.2g}")
    if not estimate.sources and repeats == 1:
        notes.append("a single run has no standard error")
    low, high = diameter
    if low != high:
        at_most = f" and at most {high:,}" if high else ""
        notes.append(f"the diameter is at least {low:,}{at_most}")
    return notes
