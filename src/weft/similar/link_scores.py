"""Scores of missing links: how likely a link is, judged by the links that exist.

Every score belongs to a pair of pages, source and target of the link. A query
fixes one of the two and scores all pages as the other.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from weft.core.arrays import CSR, Flags, Floats, Ids
from weft.core.errors import BadParameter
from weft.core.memoize import memoize, memoize_latest
from weft.graph.webgraph import WebGraph, csr_to_scipy, link_weights
from weft.similar.context import WebContext, propagate
from weft.similar.similarity import text_cosine

LinkDirection = Literal["to", "from"]
CANDIDATE_HOPS = 3
MAX_EXACT_PAGES = 1_000
KATZ_MAX_HOPS = 4
DEFAULT_KATZ_BETA = 0.05
MAX_ITER, MAX_ITER_LARGE = 10_000, 200
SMALL_WALK_TOL, LARGE_WALK_TOL = 1e-12, 0.01


@dataclass(frozen=True, slots=True, eq=False)
class LinkQuery:
    """A query for links `to` other pages, or `from` other pages, of one page.

    With `undirected` a link counts in both directions. With `only`, scores are
    needed for these pages alone, and others may be zero.
    """

    context: WebContext
    page: int
    direction: LinkDirection = "to"
    undirected: bool = False
    only: Ids | None = None

    @property
    def graph(self) -> WebGraph:
        """The graph of the links that count."""
        return self.context.undirected_graph if self.undirected else self.context.graph

    @property
    def linked_pages(self) -> Ids:
        """The pages that the page links to already, or that link to it."""
        rows = self.graph.inlinks if self.direction == "from" else self.graph.outlinks
        return neighbours_of(rows, self.page)

    def step_along_links(self, x: Floats) -> Floats:
        """Move a vector one link forward, or backward for a query `from` other pages."""
        return propagate(self.graph, x, backward=self.direction == "from")

    def sum_over_intermediates(self, weights: Floats) -> Floats:
        """For every other page the sum of weights of the pages on two-link paths to it."""
        x = np.zeros(len(self.graph))
        x[self.linked_pages] = weights[self.linked_pages]
        if self.only is None:
            return self.step_along_links(x)
        rows = self.graph.inlinks if self.direction == "to" else self.graph.outlinks
        sums = np.zeros(len(x))
        for page in self.only.tolist():
            # in the order in which `propagate` adds: `sum` would differ in the last digits
            sums[page] = np.cumsum(x[neighbours_of(rows, page)])[-1:].sum()
        return sums

    def endpoint_degrees(self) -> tuple[float, Floats]:
        """The degree of the page on the side of the link, and of all pages on the other side."""
        own, others = outdegrees(self.graph), indegrees(self.graph)
        if self.direction == "from":
            own, others = others, own
        return float(own[self.page]), others

    def unlinked_nearby_pages(self) -> Flags:
        """Pages within three links in either direction that are not linked already."""
        nearby = pages_within_hops(self.context.graph, self.page).copy()
        nearby[self.page] = False
        nearby[self.linked_pages] = False
        return nearby


@memoize_latest
def pages_within_hops(graph: WebGraph, page: int) -> Flags:
    """The pages within `CANDIDATE_HOPS` links of a page, in either direction."""
    visited, frontier = np.zeros(len(graph), bool), np.zeros(len(graph), bool)
    frontier[page] = True
    for _ in range(CANDIDATE_HOPS):
        visited |= frontier
        x = frontier.astype(np.float64)
        frontier = (propagate(graph, x) + propagate(graph, x, backward=True) > 0) & ~visited
    return visited | frontier


def neighbours_of(rows: CSR, page: int) -> Ids:
    """The neighbours of a page."""
    return np.asarray(rows.ids[rows.starts[page] : rows.starts[page + 1]])


@memoize
def outdegrees(graph: WebGraph) -> Floats:
    """The number of links from each page."""
    return graph.outdegrees()


@memoize
def indegrees(graph: WebGraph) -> Floats:
    """The number of links to each page."""
    return graph.indegrees()


@memoize
def inverse_outdegrees(graph: WebGraph) -> Floats:
    """1 / out-degree of each page; 0 without links."""
    return reciprocal_or_zero(outdegrees(graph))


def common_neighbours(query: LinkQuery) -> Floats:
    """The number of pages on two-link paths from source to target."""
    return query.sum_over_intermediates(np.ones(len(query.graph)))


def jaccard(query: LinkQuery) -> Floats:
    """Common neighbours as a share of all neighbours of both pages."""
    common, (own, others) = common_neighbours(query), query.endpoint_degrees()
    share = np.zeros(len(common))
    np.divide(common, own + others - common, out=share, where=common > 0)
    return share


def adamic_adar(query: LinkQuery) -> Floats:
    """The sum of 1 / log(degree) over common neighbours.

    Of 1 / log(out-degree + 1) where links are directed, for then a page in
    between may have a single link.
    """
    degrees = outdegrees(query.graph) + (0 if query.undirected else 1)
    weights = np.zeros(len(degrees))
    weights[degrees > 1] = 1 / np.log(degrees[degrees > 1])
    return query.sum_over_intermediates(weights)


def resource_allocation(query: LinkQuery) -> Floats:
    """The sum of 1 / degree over common neighbours."""
    return query.sum_over_intermediates(inverse_outdegrees(query.graph))


def preferential_attachment(query: LinkQuery) -> Floats:
    """The product of the degrees of both pages."""
    own, others = query.endpoint_degrees()
    return own * others


def co_citation(query: LinkQuery) -> Floats:
    """The co-citation similarity of the target with all pages that the source links to, summed.

    Similarity is the cosine of the columns of the adjacency matrix, in which
    each row is divided by its out-degree, so that long lists of links count
    less: `s(i, j) = sum over k of A(k, i) A(k, j) / outdegree(k)`, over
    `sqrt(indegree(i) indegree(j))`.
    """
    graph = query.graph
    row_scale = inverse_outdegrees(graph)
    column_scale = np.sqrt(reciprocal_or_zero(indegrees(graph)))
    x = np.zeros(len(graph))
    if query.direction == "to":
        # A D x: how much each page cites the linked pages; then what else these pages cite
        x[query.linked_pages] = column_scale[query.linked_pages]
        citing = propagate(graph, x, backward=True) * row_scale
        citing[query.page] = 0.0
        return np.asarray(propagate(graph, citing) * column_scale)
    x[query.linked_pages] = row_scale[query.linked_pages]
    co_cited = propagate(graph, x) * column_scale
    return np.asarray(propagate(graph, co_cited, backward=True) * column_scale[query.page])


def coupling(query: LinkQuery, neighbours: int = 0) -> Floats:
    """The cosine of the source's links with those of all pages that link to the target, summed.

    With `neighbours` only that many pages most similar to the source count.
    """
    graph = query.graph
    if query.direction == "to":
        return propagate(graph, keep_largest(coupling_cosine(query, query.page), neighbours))
    scale = np.sqrt(inverse_outdegrees(graph))
    x = np.zeros(len(graph))
    x[query.linked_pages] = scale[query.linked_pages]
    return propagate(graph, propagate(graph, x), backward=True) * scale


def coupling_cosine(query: LinkQuery, page: int) -> Floats:
    """The cosine of the links of a page with those of every other."""
    graph = query.graph
    x = np.zeros(len(graph))
    x[neighbours_of(graph.outlinks, page)] = 1.0
    scale = np.sqrt(inverse_outdegrees(graph))
    cosine: Floats = propagate(graph, x, backward=True) * scale * scale[page]
    cosine[page] = 0.0
    return cosine


def keep_largest(values: Floats, k: int) -> Floats:
    """Set all except the k largest values to zero; ties with the last are kept."""
    positive = values[values > 0]
    if not k or len(positive) <= k:
        return values
    threshold = np.partition(positive, len(positive) - k)[len(positive) - k]
    return np.where(values >= threshold * (1 - 1e-12), values, 0.0)


def text_similarity(query: LinkQuery) -> Floats:
    """The TF-IDF cosine of both pages, the same in both directions."""
    return text_cosine(query.context, query.page)[0]


def two_step_traffic(query: LinkQuery) -> Floats:
    """The share of readers of the source who view the target two clicks later.

    The sum over pages in between of the shares of clicks from the source to
    that page, and from that page to the target. Zero without usage data.
    """
    x = np.zeros(len(query.graph))
    shares = click_shares(query.context)
    if shares is None:
        return x
    x[query.page] = 1.0
    traffic: Floats = shares @ (shares @ x) if query.direction == "from" else (x @ shares) @ shares
    return traffic


@memoize
def click_shares(context: WebContext) -> Any:
    """The clicks from page to page as shares of all clicks from the first; None if unknown."""
    if context.usage is None:
        return None
    clicks = context.usage.clicks
    source = clicks.row_ids()
    counts = np.where(source == clicks.ids, 0.0, np.asarray(link_weights(clicks), np.float64))
    totals = np.bincount(source, counts, len(context.graph)).astype(np.float64)
    shares = counts * reciprocal_or_zero(totals)[source]
    return csr_to_scipy(CSR(clicks.starts, clicks.ids, shares), len(context.graph))


def personalised_pagerank(query: LinkQuery, damping: float) -> Floats:
    """The stationary distribution of a walk from the source that teleports back to it.

    Computed as the power series `(1 - d) sum of d^t P^t e`; backward for a
    query `from` other pages.
    """
    graph, backward = query.graph, query.direction == "from"
    scale = inverse_outdegrees(graph)
    x = np.zeros(len(graph))
    x[query.page] = 1 - damping
    total = x.copy()
    for _ in range(required_walk_steps(len(graph), damping)):
        step = (
            propagate(graph, x, backward=True) * scale if backward else propagate(graph, x * scale)
        )
        x = damping * step
        total += x
    return total


def required_walk_steps(n: int, damping: float) -> int:
    """The number of steps after which the rest of a walk is below the tolerance for n pages."""
    tol = SMALL_WALK_TOL if n <= MAX_EXACT_PAGES else LARGE_WALK_TOL
    return int(np.ceil(np.log(tol) / np.log(damping)))


def katz(query: LinkQuery, beta: float) -> Floats:
    """The sum of beta^length over all paths; on large webs over those of up to four links."""
    graph = query.graph
    if len(graph) <= MAX_EXACT_PAGES:
        # (I - beta A)^-1 - I, of which one row or column is needed
        matrix = np.eye(len(graph))
        source = graph.outlinks.row_ids().astype(np.int64)
        matrix[source, graph.outlinks.ids] -= beta
        unit = np.eye(len(graph))[query.page]
        solution: Floats = np.linalg.solve(matrix if query.direction == "from" else matrix.T, unit)
        scores: Floats = solution - unit
        return scores
    x = np.zeros(len(graph))
    x[query.page] = 1.0
    total = np.zeros(len(graph))
    for _ in range(KATZ_MAX_HOPS):
        x = beta * query.step_along_links(x)
        total += x
    return total


def choose_katz_beta(query: LinkQuery, beta: float) -> float:
    """Check that the Katz series converges with a beta; without one take half of the bound."""
    rho = spectral_radius(query.graph)
    if not beta:
        return 0.5 / rho if rho else DEFAULT_KATZ_BETA
    if beta * rho >= 1:
        raise BadParameter(
            f"katz: beta is {beta:g}, and the series diverges from {1 / rho:.6g} on",
            hint=f"use a smaller one, such as {0.5 / rho:.3g}, or none",
        )
    return beta


@memoize
def spectral_radius(graph: WebGraph) -> float:
    """The spectral radius of the adjacency matrix: how paths grow in number with their length.

    It is that of the strongly connected component with the largest. On webs
    where it takes too long it is an upper bound.
    """
    from weft.rank.spectral_radius import bound_spectral_radius  # noqa: PLC0415  slow

    max_iter = MAX_ITER if len(graph) <= MAX_EXACT_PAGES else MAX_ITER_LARGE
    return bound_spectral_radius(graph, max_iter).radius_upper_bound


def reciprocal_or_zero(values: Floats) -> Floats:
    """1 / x, and 0 for 0."""
    reciprocal = np.zeros(len(values))
    np.divide(1.0, values, out=reciprocal, where=values > 0)
    return reciprocal
