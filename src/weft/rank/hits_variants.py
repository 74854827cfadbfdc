"""Nonlinear variants of HITS: hub averaging, max and norm, and the threshold algorithms.

Borodin, Roberts, Rosenthal and Tsaparas (2001, 2005): each changes how the
links of a page are combined into its score. All but hub averaging iterate from
equal authorities.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import CSR, Floats, Ids
from weft.core.params import MaxIter, Tol, Weighted
from weft.core.register import method
from weft.engine import (
    ScaledOperator,
    Trace,
    fixed_point,
    normalize_max,
    principal_singular_pair,
    safe_power,
)
from weft.graph.webgraph import WebGraph
from weft.rank.hits import HITS_DIMENSIONS, NO_LINKS_ZERO_NOTE, add_residual, spectral_certainty
from weft.rank.ranking import Certainty, Contributions, Ranking

NormPower = Annotated[
    float,
    Field(ge=1, le=1000, description="power p of the norm: 1 is HITS, large p is Max"),
]
AuthorityCount = Annotated[int, Field(ge=1, description="number k of authorities that count")]
ThresholdScope = Annotated[
    Literal["hub", "all"],
    Field(description="the k best authorities of each hub (2005), or of all pages (2001)"),
]
TIE_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class LinkRows:
    """The links of each page in one direction, with the row of each link."""

    csr: CSR
    row_ids: Ids
    nonempty_rows: Ids

    @classmethod
    def from_csr(cls, csr: CSR) -> "LinkRows":
        """From links in CSR format."""
        counts = np.diff(csr.starts)
        pages = np.arange(len(counts), dtype=np.int32)
        return cls(csr, np.repeat(pages, counts), pages[counts > 0])

    def row_sums(self, values: Floats) -> Floats:
        """The sum of the values of each page's links; zero without links."""
        return self._reduce_rows(np.add, values)

    def row_maxima(self, values: Floats) -> Floats:
        """The maximum of the values of each page's links; zero without links."""
        return self._reduce_rows(np.maximum, values)

    def _reduce_rows(self, ufunc: np.ufunc, values: Floats) -> Floats:
        # reduceat gives an empty row the value of the next row, so that only others are passed
        reduced = np.zeros(len(self.csr.starts) - 1)
        starts = self.csr.starts[:-1][self.nonempty_rows]
        reduced[self.nonempty_rows] = ufunc.reduceat(values, starts)
        return reduced


# takes the score at the other end of each link, returns what each link adds to its page
LinkTransform = Callable[[LinkRows, Floats], Floats]


def keep_all_links(_links: LinkRows, values: Floats) -> Floats:
    """All links add the score at their other end, as in HITS."""
    return values


def keep_best_link(links: LinkRows, values: Floats) -> Floats:
    """Only the best link of a page adds its value; tied links share it."""
    maxima = links.row_maxima(values)[links.row_ids]
    is_best = (values == maxima).astype(np.float64)
    shared: Floats = maxima * is_best / links.row_sums(is_best)[links.row_ids]
    return shared


def weigh_by_p_norm(power: float) -> LinkTransform:
    """The links of a page add up to the p-norm of their values."""

    def transform(links: LinkRows, values: Floats) -> Floats:
        # with m the maximum and s = (v/m)^p, the norm is m (sum s)^(1/p): no overflow;
        # a link adds its share s / sum s of that
        maxima = links.row_maxima(values)[links.row_ids]
        powers = np.divide(values, maxima, out=np.zeros_like(values), where=maxima > 0) ** power
        sums = links.row_sums(powers)[links.row_ids]
        return maxima * powers * safe_power(sums, 1 / power - 1)

    return transform


def keep_top_k_per_page(k: int) -> LinkTransform:
    """Only the k best links of each page add their values."""

    def transform(links: LinkRows, values: Floats) -> Floats:
        # sort the links of pages with more than k links, by page, then best first
        candidates = np.flatnonzero(np.diff(links.csr.starts)[links.row_ids] > k)
        order = candidates[np.lexsort((-values[candidates], links.row_ids[candidates]))]
        rows = links.row_ids[order]
        place = np.arange(len(order)) - np.searchsorted(rows, rows)
        kept = values.copy()
        kept[order[place >= k]] = 0
        return kept

    return transform


def keep_top_k_overall(k: int) -> LinkTransform:
    """Only links to the k best pages of all add their values, and to ties with the last."""

    def transform(links: LinkRows, values: Floats) -> Floats:
        scores = np.zeros(len(links.csr.starts) - 1)
        scores[links.csr.ids] = values
        if len(scores) <= k:
            return values
        threshold = np.partition(scores, -k)[-k]
        return np.where(values >= threshold - TIE_TOLERANCE, values, 0)

    return transform


def keep_above_average(links: LinkRows, values: Floats) -> Floats:
    """Only links whose value is at least the mean over the page's links add it."""
    counts = np.diff(links.csr.starts).astype(np.float64)
    means = links.row_sums(values) * safe_power(counts, -1.0)
    return np.where(values >= means[links.row_ids] - TIE_TOLERANCE, values, 0)


@method("rank", "hub-averaging", cites="borodin2001", dimensions=HITS_DIMENSIONS)
def hub_averaging(
    graph: WebGraph,
    *,
    weighted: Weighted = False,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score hubs by the mean authority of the pages they link to.

    A hub is good if all its links are: links to poor pages lower its score. The
    authorities are those of OnormRank by similarity. The largest score is one.
    A page whose only link is to the best authority is among the best hubs.

    Examples
    --------
    >>> hub_averaging(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])).order("hub")[0]
    np.int32(0)
    """
    out = graph.outdegrees(weighted=weighted)
    operator = graph.operator(weighted=weighted)
    # a = A' D^-1 A a with D the out-degrees: the right singular vector of D^-1/2 A
    scaled = ScaledOperator(operator, safe_power(out, -0.5), operator.ones())
    pair = principal_singular_pair(scaled, np.sqrt(out), tol, max_iter, "hub-averaging")
    authority = normalize_max(pair.target)
    hub = operator.matvec(authority) * safe_power(out, -1.0)  # D^-1 A a
    best_hub, hub_sums = float(hub.max(initial=0)), operator.rmatvec(hub)
    scale = 1 / float(hub_sums.max()) if best_hub else 0.0
    authorities = Contributions(graph.inlinks, hub * scale, weighted=weighted)
    values = authority / best_hub if best_hub else authority
    return Ranking(
        "hub-averaging",
        graph.pages,
        {"authority": authority, "hub": normalize_max(hub)},
        pair.trace,
        cache(lambda: spectral_certainty(scaled, pair)),
        {
            "authority": add_residual(authorities, authority, hub_sums * scale),
            "hub": Contributions(graph.outlinks, values, safe_power(out, -1.0), weighted),
        },
    )


@method("rank", "max", cites="borodin2005", dimensions=HITS_DIMENSIONS)
def max_hits(graph: WebGraph, *, tol: Tol = 1e-10, max_iter: MaxIter = 1000) -> Ranking:
    """Score hubs by the best authority they link to.

    The pages with most in-links have score one, and so has every hub that
    links to one of them; the others score by how they are connected to these.
    The same as Authority-Threshold with k = 1.

    Examples
    --------
    >>> max_hits(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")])).scores["authority"]
    array([0. , 1. , 0. , 0.5])
    """
    return iterate_hits_variant("max", graph, keep_best_link, keep_all_links, tol, max_iter)


@method("rank", "norm", cites="borodin2005", dimensions=HITS_DIMENSIONS)
def norm_hits(
    graph: WebGraph, *, power: NormPower = 2.0, tol: Tol = 1e-10, max_iter: MaxIter = 1000
) -> Ranking:
    """Score hubs by the p-norm of the authorities they link to.

    Between HITS (p = 1) and Max (p to infinity), where the best authority of a
    hub decides alone. The largest score is one.

    Examples
    --------
    >>> norm_hits(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by norm, led by x>
    """
    return iterate_hits_variant(
        "norm", graph, weigh_by_p_norm(power), keep_all_links, tol, max_iter
    )


@method("rank", "authority-threshold", cites="borodin2005", dimensions=HITS_DIMENSIONS)
def authority_threshold(
    graph: WebGraph,
    *,
    k: AuthorityCount = 10,
    scope: ThresholdScope = "hub",
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score hubs by only the best authorities they link to.

    A page is a good hub if it links to good authorities, whatever else it
    links to: its k best count, AT(k) of 2005, or with `scope=all` those among
    the k best of all pages, as in 2001 (ties with the last count, zeros do
    not). With k as large as the graph this is HITS, with k = 1 Max. The
    largest score is one.

    Examples
    --------
    >>> authority_threshold(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]), k=1)
    <Ranking of 4 pages by authority-threshold, led by x>
    """
    to_hub = keep_top_k_per_page(k) if scope == "hub" else keep_top_k_overall(k)
    return iterate_hits_variant("authority-threshold", graph, to_hub, keep_all_links, tol, max_iter)


@method("rank", "hub-threshold", cites="borodin2001", dimensions=HITS_DIMENSIONS)
def hub_threshold(graph: WebGraph, *, tol: Tol = 1e-10, max_iter: MaxIter = 1000) -> Ranking:
    """Score authorities by hubs of at least average score.

    Of the pages that link to a page, only those at or above their mean hub
    score count. The largest score is one. The sum is discontinuous where a hub
    crosses the mean, so that the iteration may end in a cycle: the scores are
    then the mean over the cycle, as trace and `certainty` note.

    Examples
    --------
    >>> hub_threshold(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by hub-threshold, led by x>
    """
    return iterate_hits_variant(
        "hub-threshold", graph, keep_all_links, keep_above_average, tol, max_iter
    )


@method("rank", "full-threshold", cites="borodin2001", dimensions=HITS_DIMENSIONS)
def full_threshold(
    graph: WebGraph,
    *,
    k: AuthorityCount = 10,
    scope: ThresholdScope = "all",
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Ranking:
    """Score by the best authorities and the above-average hubs.

    Authority-Threshold and Hub-Threshold together, with their rules for ties
    and cycles. The largest score is one.

    Examples
    --------
    >>> full_threshold(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by full-threshold, led by x>
    """
    to_hub = keep_top_k_per_page(k) if scope == "hub" else keep_top_k_overall(k)
    return iterate_hits_variant("full-threshold", graph, to_hub, keep_above_average, tol, max_iter)


def iterate_hits_variant(
    name: str,
    graph: WebGraph,
    to_hub: LinkTransform,
    to_authority: LinkTransform,
    tol: float,
    max_iter: int,
) -> Ranking:
    """Iterate from equal authorities to hubs to authorities, both scaled to maximum one.

    `to_hub` gives what each link adds to the hub score of its source,
    `to_authority` what it adds to the authority of its target. If the
    iteration ends in a cycle, the scores are the mean over the cycle.
    """
    out, into = LinkRows.from_csr(graph.outlinks), LinkRows.from_csr(graph.inlinks)

    def score_hubs(authority: Floats) -> Floats:
        return out.row_sums(to_hub(out, authority[out.csr.ids]))

    def score_authorities(hub: Floats) -> Floats:
        return into.row_sums(to_authority(into, hub[into.csr.ids]))

    def step(both: Floats) -> Floats:
        hub = normalize_max(score_hubs(both[:, 0]))
        return np.column_stack([normalize_max(score_authorities(hub)), hub])

    start = np.zeros((len(graph), 2))
    start[into.nonempty_rows, 0], start[out.nonempty_rows, 1] = 1.0, 1.0
    both, trace = fixed_point(step, start, tol, max_iter, name)
    authority, hub = (normalize_max(values) for values in both.T.copy())
    return Ranking(
        name,
        graph.pages,
        {"authority": authority, "hub": hub},
        trace,
        cache(lambda: _certainty(graph, trace)),
        {
            "authority": _link_contributions(into, to_authority, hub, authority),
            "hub": _link_contributions(out, to_hub, authority, hub),
        },
    )


def _link_contributions(
    links: LinkRows, transform: LinkTransform, other_scores: Floats, score: Floats
) -> Contributions:
    amounts = transform(links, other_scores[links.csr.ids])
    sums = links.row_sums(amounts)
    largest = float(sums.max(initial=0))
    scale = 1 / largest if largest else 0.0
    contributions = Contributions(links.csr, amounts * scale, per_link=True)
    return add_residual(contributions, score, sums * scale)


def _certainty(graph: WebGraph, trace: Trace) -> Certainty:
    count = graph.operator().hub_authority_components().count
    if not count:
        return Certainty(note=NO_LINKS_ZERO_NOTE)
    note = "fixed point from equal authorities; another start may differ"
    if trace.stopped == "cycle":
        note = f"cycle of period {trace.period}: the scores are its mean"
    return Certainty(unique=False, components=count, note=note)
