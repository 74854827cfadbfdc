"""The four power-law exponents that Faloutsos, Faloutsos and Faloutsos found in the Internet."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import CSR, Floats
from weft.core.params import Seed
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine.lanczos import largest_eigenvalues
from weft.graph.views import undirected_edges
from weft.graph.webgraph import WebGraph
from weft.structure.shape import Shape, UncapturedPages, apply_uncaptured_option

FitShare = Annotated[
    float, Field(gt=0, le=1, description="share of pages in the fit of out-degrees")
]
EigenvalueCount = Annotated[int, Field(ge=2, le=200, description="how many eigenvalues")]
MAX_DRAWN_POINTS = 400
MAX_EXACT_PAGES, SAMPLED_SOURCES = 1000, 256
Sources = Annotated[
    int,
    Field(
        ge=0,
        le=1_000_000,
        description=f"pages to count hops from; 0: all of up to {MAX_EXACT_PAGES:,}, else "
        f"{SAMPLED_SOURCES}",
    ),
]


class LogLogFit(NamedTuple):
    """A least-squares line through points on logarithmic axes, fitted to the first of them."""

    x: Floats
    y: Floats
    fitted_points: int
    exponent: float | None
    correlation: float | None


@method(
    "structure",
    "faloutsos",
    cites="faloutsos1999",
    dimensions=Dimensions(
        model="whole graph",
        metric="whole-graph properties",
        algorithm="distribution fitting",
        scope="whole web",
        applications=("modelling the web graph",),
    ),
)
def faloutsos(
    graph: WebGraph,
    *,
    uncaptured: UncapturedPages = "drop",
    fit_share: FitShare = 0.98,
    eigenvalues: EigenvalueCount = 20,
    sources: Sources = 0,
    seed: Seed = 0,
) -> Shape:
    """Fit the four exponents of Faloutsos by least squares.

    Each is the slope of a least-squares line on logarithmic axes, given with
    its correlation. They are descriptive: such slopes are biased, and nothing
    is tested; `degrees` has the sound fit. The rank exponent R is that of
    out-degrees by descending rank, the out-degree exponent O that of the number
    of pages with each out-degree, without the rarest large ones. The hop-plot
    exponent H, of the pairs of pages within h hops, and the eigenvalue exponent
    E are those of the undirected graph. Hops are fitted up to half of all
    pairs. The effective diameter, (n^2 / (n + 2 edges))^(1/H), follows from H.

    Examples
    --------
    >>> ring = [(str(k), str((k + 1) % 100)) for k in range(100)]
    >>> round(faloutsos(ring)["hop-plot exponent"], 1)
    0.9
    """
    graph, notes = apply_uncaptured_option(graph, uncaptured)
    outdegrees = graph.outdegrees()
    edges = undirected_edges(graph)._replace(weights=None)
    pairs_within, sampled = _pairs_within_hops(edges, sources, seed, graph.level)
    fits = {
        "rank": _rank_plot(outdegrees),
        "out-degree": _degree_frequency_plot(outdegrees, fit_share),
        "hop-plot": _hop_plot(pairs_within),
        "eigenvalue": _eigenvalue_plot(largest_eigenvalues(edges, eigenvalues)),
    }
    facts: dict[str, Any] = {f"{name} exponent": fit.exponent for name, fit in fits.items()}
    facts |= {f"{name} correlation": fit.correlation for name, fit in fits.items()}
    n, entries, h = len(graph), len(edges.ids), fits["hop-plot"].exponent  # entries: 2 an edge
    diameter = (n * n / (n + entries)) ** (1 / h) if h else None
    facts |= {"effective diameter": diameter, f"{graph.level}s": n, "edges": entries // 2}
    return Shape("faloutsos", facts, _build_tables(fits), (*notes, *sampled))


def fit_log_log_line(x: Floats, y: Floats, fitted_points: int = -1) -> LogLogFit:
    """Fit a line through the first `fitted_points` points, by default through all.

    Examples
    --------
    >>> fit_log_log_line(np.array([1.0, 10.0, 100.0]), np.array([5.0, 0.5, 0.05])).exponent
    -1.0
    """
    fitted_points = len(x) if fitted_points < 0 else fitted_points
    a, b = np.log10(x[:fitted_points]), np.log10(y[:fitted_points])
    if fitted_points < 2 or np.ptp(a) == 0:
        return LogLogFit(x, y, fitted_points, None, None)
    # centred: slope = a.b / a.a, correlation = a.b / sqrt(a.a b.b)
    a, b = a - a.mean(), b - b.mean()
    flat = float(np.abs(b).max()) < 1e-12
    correlation = None if flat else float(a @ b / np.sqrt((a @ a) * (b @ b)))
    return LogLogFit(x, y, fitted_points, 0.0 if flat else float(a @ b / (a @ a)), correlation)


def _rank_plot(outdegrees: Floats) -> LogLogFit:
    """Out-degree by rank, the largest first."""
    descending = np.sort(outdegrees[outdegrees > 0])[::-1]
    return fit_log_log_line(np.arange(1.0, len(descending) + 1), descending)


def _degree_frequency_plot(outdegrees: Floats, fit_share: float) -> LogLogFit:
    """Number of pages by out-degree, fitted up to the degree that covers `fit_share` of pages."""
    pages = np.bincount(outdegrees[outdegrees > 0].astype(np.int64), minlength=1)
    degrees = np.flatnonzero(pages)
    shares = np.cumsum(pages[degrees]) / max(int(pages.sum()), 1)
    fitted = int(np.searchsorted(shares, fit_share)) + 1
    return fit_log_log_line(
        degrees.astype(np.float64), pages[degrees].astype(np.float64), min(fitted, len(degrees))
    )


def _pairs_within_hops(
    edges: CSR, sources: int, seed: int, level: str
) -> tuple[Floats, tuple[str, ...]]:
    """Count the pairs within 0, 1, 2 and more hops, from a sample of sources on large graphs.

    The pairs within one hop are always exact, for they are the edges; a sample
    rarely includes the few pages that have most of them.
    """
    from weft.kernels.traversal import count_pages_by_distance  # noqa: PLC0415  loads the compiler

    n = len(edges.starts) - 1
    if n == 0:
        return np.zeros(0), ()
    size = min(sources or (n if n <= MAX_EXACT_PAGES else SAMPLED_SOURCES), n)
    sample = np.sort(np.random.default_rng(seed).choice(n, size, replace=False)).astype(np.int32)
    at_distance = count_pages_by_distance([edges], sample, "hops").pages_at_distance.sum(axis=1)
    pairs = np.cumsum(at_distance) * (n / size)
    pairs[1:2] = n + len(edges.ids)
    note = (
        f"pairs more than one hop apart: counted from a sample of {pluralise(size, level)} of {n:,}"
    )
    return pairs, () if size == n else (note,)


def _hop_plot(pairs_within: Floats) -> LogLogFit:
    """Pairs within each number of hops from 1 on, fitted up to half of all pairs."""
    hops = np.arange(1.0, max(len(pairs_within), 1))
    pairs = pairs_within[1:]
    fitted = int(np.searchsorted(pairs, 0.5 * pairs[-1])) + 1 if len(pairs) else 0
    return fit_log_log_line(hops, pairs, fitted)


def _eigenvalue_plot(eigenvalues: Floats) -> LogLogFit:
    """The positive eigenvalues by rank."""
    largest = max(float(eigenvalues.max(initial=0)), 1e-300)
    positive = eigenvalues[eigenvalues > 1e-9 * largest]
    return fit_log_log_line(np.arange(1.0, len(positive) + 1), positive)


def _build_tables(fits: Mapping[str, LogLogFit]) -> Mapping[str, pa.Table]:
    """The exponents, and at most `MAX_DRAWN_POINTS` points of each plot, evenly spaced in log x."""
    points = []
    for name, fit in fits.items():
        at = np.arange(len(fit.x))
        if len(at) > MAX_DRAWN_POINTS:
            at = np.unique(np.geomspace(1, len(at), MAX_DRAWN_POINTS).astype(int)) - 1
        columns = {
            "law": pa.array([name] * len(at), pa.string()),
            "x": pa.array(fit.x[at], pa.float64()),
            "y": pa.array(fit.y[at], pa.float64()),
            "fitted": pa.array(at < fit.fitted_points, pa.bool_()),
        }
        points.append(pa.table(columns))
    exponents = pa.table(
        {
            "law": list(fits),
            "exponent": pa.array([fit.exponent for fit in fits.values()], pa.float64()),
            "correlation": pa.array([fit.correlation for fit in fits.values()], pa.float64()),
            "points": [fit.fitted_points for fit in fits.values()],
        }
    )
    return {"exponents": exponents, "points": pa.concat_tables(points)}
