"""Bounds of the spectral radius of each strongly connected component."""

from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Floats, Ids, csr_from_keys, pack_pairs
from weft.core.progress import track
from weft.engine import LinkOperator, operator_from_csr
from weft.graph.webgraph import WebGraph, link_weights, transpose

RELATIVE_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class SpectralBounds:
    """Lower and upper bounds of the spectral radius of each strongly connected component.

    `component` is the component of each page, -1 for a page on no cycle, and
    `eigenvector` the approximate left Perron vector, component by component.
    """

    component: Ids
    eigenvector: Floats
    lower: Floats
    upper: Floats

    @property
    def radius_upper_bound(self) -> float:
        """An upper bound of the spectral radius of the adjacency matrix."""
        return float(self.upper.max(initial=0))

    @property
    def dominant_components(self) -> Ids:
        """The components that may have the largest spectral radius."""
        largest = float(self.lower.max(initial=0))
        return np.flatnonzero(self.upper >= largest * (1 - RELATIVE_TOLERANCE)).astype(np.int32)

    @property
    def gap_lower_bound(self) -> float:
        """A lower bound of the relative gap between the two largest spectral radii."""
        if len(self.dominant_components) != 1:
            return 0.0 if len(self.dominant_components) else np.nan
        second = np.sort(self.upper)[-2] if len(self.upper) > 1 else 0.0
        return float(1 - second / self.radius_upper_bound)


def bound_spectral_radius(
    graph: WebGraph, max_iter: int, *, weighted: bool = False
) -> SpectralBounds:
    """Bound the spectral radius of every strongly connected component.

    The spectral radius of the graph is the largest of them: links between
    components are on no cycle.

    Examples
    --------
    >>> path = WebGraph.from_links([("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")])
    >>> print(f"{bound_spectral_radius(path, 100).radius_upper_bound:.6f}")
    1.414214
    """
    from weft.kernels.components import cyclic_components  # noqa: PLC0415  loads the compiler

    links = graph.outlinks
    source, target, weight = links.row_ids(), np.asarray(links.ids), link_weights(links)
    component = cyclic_components(links)
    inside = (component[source] >= 0) & (component[source] == component[target])
    keys = pack_pairs(source[inside], target[inside])
    outlinks = csr_from_keys(keys, weight[inside], len(graph))
    operator = operator_from_csr(outlinks, transpose(outlinks, len(graph)), weighted=weighted)
    return _collatz_wielandt_bounds(operator, component, max_iter)


def _collatz_wielandt_bounds(
    operator: LinkOperator, component: Ids, max_iter: int
) -> SpectralBounds:
    """Power iteration in all components at once, until the largest bounds agree to nine digits.

    Collatz and Wielandt: for any positive x on an irreducible component,
    min (A'x)_i / x_i <= spectral radius <= max (A'x)_i / x_i.
    """
    count = int(component.max(initial=-1)) + 1
    cyclic = component >= 0
    labels, x = component[cyclic], cyclic.astype(np.float64)
    bounds = SpectralBounds(component, x, np.zeros(count), np.full(count, np.inf))
    for _ in track(range(max_iter if count else 0), "spectral radius", max_iter):
        y = operator.rmatvec(x)
        lower, upper = np.full(count, np.inf), np.zeros(count)
        np.minimum.at(lower, labels, y[cyclic] / x[cyclic])
        np.maximum.at(upper, labels, y[cyclic] / x[cyclic])
        bounds = SpectralBounds(component, x, lower, upper)
        leading = bounds.dominant_components
        if (upper[leading] - lower[leading] <= RELATIVE_TOLERANCE / 10 * upper[leading]).all():
            break
        # x <- (x + A'x / rate) / 2: averaging damps the oscillation of periodic components
        rate = np.bincount(labels, y[cyclic], count) / np.bincount(labels, x[cyclic], count)
        x = x.copy()
        x[cyclic] = (x[cyclic] + y[cyclic] / rate[labels]) / 2
    return bounds
