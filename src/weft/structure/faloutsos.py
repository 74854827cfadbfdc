"""The power laws that Faloutsos, Faloutsos and Faloutsos found in the Internet, as plots."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats, Rows
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Seed
from weft.core.wording import count
from weft.engine.spectrum import eigenvalues
from weft.graph.undirected import undirected
from weft.graph.webgraph import WebGraph
from weft.structure.fetched import SeenPages, fetched
from weft.structure.shape import Shape

Kept = Annotated[
    float, Field(gt=0, le=1, description="share of pages whose out-degrees the law is fitted to")
]
Values = Annotated[int, Field(ge=2, le=200, description="how many eigenvalues")]
Sources = Annotated[
    int,
    Field(
        ge=0,
        le=1_000_000,
        description="how many pages several hops are counted from; 0: all of up to a thousand, "
        "else 256",
    ),
]
DRAWN = 400
SMALL, FEW = 1000, 256


class Line(NamedTuple):
    """A straight line through points whose axes are logarithms.

    `used` is how many of the points it was fitted to, from the first on.
    """

    x: Floats
    y: Floats
    used: int
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
    seen: SeenPages = "drop",
    kept: Kept = 0.98,
    values: Values = 20,
    sources: Sources = 0,
    seed: Seed = 0,
) -> Shape:
    """Describe a graph by the four exponents of Faloutsos: rank, out-degree, hops, eigenvalues.

    Each is the slope of a straight line fitted by least squares on a plot with
    logarithmic axes, with its correlation. They describe; they test nothing, and
    such slopes are biased: `degrees` has the fit to be believed. The rank exponent
    R is that of out-degrees by falling rank, the out-degree exponent O that of
    how many pages have each out-degree, the rarest large ones left out. For the
    hop-plot exponent H, of the pairs of pages within h hops, and the eigenvalue
    exponent E links count both ways, as in the Internet. Hops are fitted up to half
    of all pairs. The effective diameter follows from H. Pages that were never
    fetched are left out, unless `seen=keep`.

    Examples
    --------
    >>> ring = [(str(k), str((k + 1) % 100)) for k in range(100)]
    >>> round(faloutsos(ring)["hop-plot exponent"], 1)
    0.9
    """
    graph, notes = fetched(graph, seen)
    out = graph.outdegrees()
    ties = undirected(graph)._replace(weights=None)
    within, sampled = _within(ties, sources, seed, graph.level)
    lines = {
        "rank": _ranks(out),
        "out-degree": _frequencies(out, kept),
        "hop-plot": _hops(within),
        "eigenvalue": _eigenvalues(eigenvalues(ties, values)),
    }
    facts: dict[str, Any] = {f"{name} exponent": line.exponent for name, line in lines.items()}
    facts |= {f"{name} correlation": line.correlation for name, line in lines.items()}
    h, n = lines["hop-plot"].exponent, len(graph)
    told = (n * n / (n + len(ties.ids))) ** (1 / h) if h else None
    facts |= {"effective diameter": told, f"{graph.level}s": n, "ties": len(ties.ids) // 2}
    return Shape("faloutsos", facts, _tables(lines), (*notes, *sampled))


def slope(x: Floats, y: Floats, used: int = -1) -> Line:
    """A line through the first `used` of some points, all of them by default.

    Examples
    --------
    >>> slope(np.array([1.0, 10.0, 100.0]), np.array([5.0, 0.5, 0.05])).exponent
    -1.0
    """
    used = len(x) if used < 0 else used
    a, b = np.log10(x[:used]), np.log10(y[:used])
    if used < 2 or np.ptp(a) == 0:
        return Line(x, y, used, None, None)
    a, b = a - a.mean(), b - b.mean()
    flat = float(np.abs(b).max()) < 1e-12
    correlation = None if flat else float(a @ b / np.sqrt((a @ a) * (b @ b)))
    return Line(x, y, used, 0.0 if flat else float(a @ b / (a @ a)), correlation)


def _ranks(out: Floats) -> Line:
    falling = np.sort(out[out > 0])[::-1]
    return slope(np.arange(1.0, len(falling) + 1), falling)


def _frequencies(out: Floats, kept: float) -> Line:
    often = np.bincount(out[out > 0].astype(np.int64), minlength=1)
    degrees = np.flatnonzero(often)
    shares = np.cumsum(often[degrees]) / max(int(often.sum()), 1)
    used = int(np.searchsorted(shares, kept)) + 1
    return slope(
        degrees.astype(np.float64), often[degrees].astype(np.float64), min(used, len(degrees))
    )


def _within(ties: Rows, sources: int, seed: int, level: str) -> tuple[Floats, tuple[str, ...]]:
    """How many pairs are within 0, 1, 2 and more hops; within one it is all that are tied.

    That is known, while the few pages that most are tied to are hardly drawn.
    """
    from weft.engine.hops import hops  # noqa: PLC0415  compiled

    n = len(ties.starts) - 1
    if n == 0:
        return np.zeros(0), ()
    few = min(sources or (n if n <= SMALL else FEW), n)
    chosen = np.sort(np.random.default_rng(seed).choice(n, few, replace=False)).astype(np.int32)
    pairs = np.cumsum(hops([ties], chosen, "hops").at.sum(axis=1)) * (n / few)
    pairs[1:2] = n + len(ties.ids)
    told = f"more than one hop is counted from {count(few, level)} of {n:,}, drawn at random"
    return pairs, () if few == n else (told,)


def _hops(within: Floats) -> Line:
    """The pairs within each number of hops from one on."""
    far = np.arange(1.0, max(len(within), 1))
    pairs = within[1:]
    used = int(np.searchsorted(pairs, 0.5 * pairs[-1])) + 1 if len(pairs) else 0
    return slope(far, pairs, used)


def _eigenvalues(found: Floats) -> Line:
    above = found[found > 1e-9 * max(float(found.max(initial=0)), 1e-300)]
    return slope(np.arange(1.0, len(above) + 1), above)


def _tables(lines: Mapping[str, Line]) -> Mapping[str, pa.Table]:
    """The exponents, and points to draw: of many, some that are evenly spread."""
    points = []
    for name, line in lines.items():
        at = np.arange(len(line.x))
        if len(at) > DRAWN:
            at = np.unique(np.geomspace(1, len(at), DRAWN).astype(int)) - 1
        columns = {
            "law": pa.array([name] * len(at), pa.string()),
            "x": pa.array(line.x[at], pa.float64()),
            "y": pa.array(line.y[at], pa.float64()),
            "used": pa.array(at < line.used, pa.bool_()),
        }
        points.append(pa.table(columns))
    exponents = pa.table(
        {
            "law": list(lines),
            "exponent": pa.array([line.exponent for line in lines.values()], pa.float64()),
            "correlation": pa.array([line.correlation for line in lines.values()], pa.float64()),
            "points": [line.used for line in lines.values()],
        }
    )
    return {"exponents": exponents, "points": pa.concat_tables(points)}
