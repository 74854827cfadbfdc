"""ARHP: usage profiles by partitioning the hypergraph of frequent page sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.usage.page_sets import PageSet, find_frequent_sets
from weft.usage.profiles import Profile, describe_profiles, sort_profiles
from weft.usage.transactions import (
    DEFAULT_MAX_SHARE,
    DEFAULT_MIN_SHARE,
    MaxShare,
    MinShare,
    TitledSessions,
    Transactions,
    build_transactions,
)
from weft.usage.usage import Usage

MinSupport = Annotated[
    float, Field(gt=0, le=1, description="page sets: those in at least this share of sessions")
]
MaxSetSize = Annotated[int, Field(ge=2, le=6, description="most pages of a page set")]
EdgeWeight = Annotated[
    Literal["confidence", "interest"],
    Field(description="weight of a page set: mean confidence of its rules, or its interest"),
]
MaxCut = Annotated[
    float,
    Field(ge=0, le=1, description="split a cluster if at most this share of its weight is cut"),
]
MinFitness = Annotated[
    float,
    Field(ge=0, le=1, description="clusters: those with this share of the weight they touch"),
]
MinConnectivity = Annotated[
    float, Field(ge=0, le=1, description="pages: those in this share of their cluster's weight")
]
MIN_SESSIONS = 2
DEFAULT_MIN_SUPPORT, DEFAULT_MAX_SIZE, DEFAULT_MAX_CUT = 0.01, 4, 0.1
DEFAULT_MIN_FITNESS, DEFAULT_MIN_CONNECTIVITY = 0.1, 0.1
WALK_STEPS = 200


@dataclass(frozen=True, slots=True)
class ArhpOptions:
    """How the hypergraph is made and partitioned."""

    min_support: float = DEFAULT_MIN_SUPPORT
    max_size: int = DEFAULT_MAX_SIZE
    edge_weight: Literal["confidence", "interest"] = "confidence"
    max_cut: float = DEFAULT_MAX_CUT
    min_fitness: float = DEFAULT_MIN_FITNESS
    min_connectivity: float = DEFAULT_MIN_CONNECTIVITY


@method(
    "usage",
    "arhp",
    cites="han1997",
    dimensions=Dimensions(
        model="vector space",
        metric="likelihood",
        algorithm="clustering",
        scope="multiple pages",
        applications=("personalisation", "page recommendation"),
        data="usage",
    ),
)
def arhp(
    sessions: TitledSessions,
    *,
    min_support: MinSupport = DEFAULT_MIN_SUPPORT,
    max_size: MaxSetSize = DEFAULT_MAX_SIZE,
    edge_weight: EdgeWeight = "confidence",
    max_cut: MaxCut = DEFAULT_MAX_CUT,
    min_fitness: MinFitness = DEFAULT_MIN_FITNESS,
    min_connectivity: MinConnectivity = DEFAULT_MIN_CONNECTIVITY,
    min_share: MinShare = DEFAULT_MIN_SHARE,
    max_share: MaxShare = DEFAULT_MAX_SHARE,
) -> Usage:
    """Find usage profiles by page sets viewed together (ARHP).

    Frequent page sets are hyperedges between their pages. The hypergraph is cut
    in two again and again, as long as a cut costs little of the weight. A
    cluster is kept if enough of the weight that touches it lies inside. The
    weight of a page is the share of the weight inside that its page sets have.
    A profile stands for the sessions that viewed two of its pages or more.

    Examples
    --------
    >>> found = arhp([["a", "b"], ["a", "b"], ["x", "y"], ["x", "y"]])
    >>> found["profiles"], found["page sets"]
    (2, 2)
    """
    transactions = build_transactions(sessions.sessions, min_share, max_share)
    options = ArhpOptions(
        min_support, max_size, edge_weight, max_cut, min_fitness, min_connectivity
    )
    found, edges, notes = find_arhp_profiles(transactions, options)
    facts = {"page sets": len(edges)}
    return describe_profiles("arhp", sessions, transactions, found, facts, notes)


def find_arhp_profiles(
    transactions: Transactions, options: ArhpOptions
) -> tuple[list[Profile], dict[PageSet, float], tuple[str, ...]]:
    """The profiles of a partition of the hypergraph, most sessions first, and its hyperedges."""
    total = len(transactions)
    if not total:
        return [], {}, ()
    # a page set in a single session would make that session a profile
    least = max(MIN_SESSIONS, int(np.ceil(options.min_support * total - 1e-9)))
    sets = find_frequent_sets(transactions, least, options.max_size)
    edges = weigh_page_sets(sets.sessions, total, options.edge_weight)
    clusters = partition_hypergraph(edges, options.max_cut)
    fit = [cluster for cluster in clusters if fitness(cluster, edges) >= options.min_fitness]
    notes = list(sets.notes)
    if len(fit) < len(clusters):
        unfit = pluralise(len(clusters) - len(fit), "cluster")
        notes.append(f"{unfit} of fitness under {options.min_fitness:g} left out")
    found = [_make_profile(transactions, cluster, edges, options) for cluster in fit]
    return sort_profiles(found), edges, tuple(notes)


def weigh_page_sets(
    sessions: Mapping[PageSet, int], total: int, weight: Literal["confidence", "interest"]
) -> dict[PageSet, float]:
    """The weights of the page sets with at least two pages.

    The mean confidence is that of the rules from all pages but one to that one.
    The interest is the support over the product of the supports of the pages.

    Examples
    --------
    >>> weigh_page_sets({(0,): 4, (1,): 2, (0, 1): 2}, 4, "confidence")
    {(0, 1): 0.75}
    >>> weigh_page_sets({(0,): 4, (1,): 2, (0, 1): 2}, 4, "interest")
    {(0, 1): 1.0}
    """
    weights = dict[PageSet, float]()
    for pages, count in sessions.items():
        if len(pages) < 2:
            continue
        if weight == "confidence":
            others = [sessions[pages[:at] + pages[at + 1 :]] for at in range(len(pages))]
            weights[pages] = sum(count / other for other in others) / len(pages)
        else:
            expected = np.prod([sessions[page,] / total for page in pages])
            weights[pages] = float(count / total / expected)
    return weights


def connectivity(cluster: Sequence[int], edges: Mapping[PageSet, float]) -> dict[int, float]:
    """For each page of a cluster the share of the weight inside that its page sets have.

    Examples
    --------
    >>> connectivity((0, 1, 2), {(0, 1): 3.0, (1, 2): 1.0, (2, 3): 9.0})
    {0: 0.75, 1: 1.0, 2: 0.25}
    """
    members, total = set(cluster), 0.0
    sums = dict.fromkeys(cluster, 0.0)
    for pages, weight in edges.items():
        if members.issuperset(pages):
            total += weight
            for page in pages:
                sums[page] += weight
    return {page: weight / (total or 1.0) for page, weight in sums.items()}


def fitness(cluster: Sequence[int], edges: Mapping[PageSet, float]) -> float:
    """The weight inside a cluster as a share of the weight of all page sets that touch it."""
    members = set(cluster)
    inside = sum(weight for pages, weight in edges.items() if members.issuperset(pages))
    touching = sum(weight for pages, weight in edges.items() if not members.isdisjoint(pages))
    return inside / touching if touching else 0.0


def partition_hypergraph(edges: Mapping[PageSet, float], max_cut: float) -> list[PageSet]:
    """Cut a hypergraph in two again and again, as long as cuts are light.

    A cut is made if its weight is at most `max_cut` times that of the lighter
    side with the cut. Components that no hyperedge connects always fall apart.
    """
    found = list[PageSet]()
    waiting = [dict(edges)] if edges else []
    while waiting:
        inside = waiting.pop()
        pages = sorted({page for edge in inside for page in edge})
        left = _best_half(pages, inside, max_cut)
        halves = [
            {edge: weight for edge, weight in inside.items() if side.issuperset(edge)}
            for side in (left, set(pages) - left)
        ]
        if left and all(halves):
            waiting += halves
        else:
            found.append(tuple(pages))
    return sorted(found)


def _best_half(pages: list[int], edges: Mapping[PageSet, float], max_cut: float) -> set[int]:
    """One side of the lightest cut among the prefixes of a spectral order; empty for none."""
    number = {page: at for at, page in enumerate(pages)}
    order = np.argsort(_spectral_values(number, edges).round(9), kind="stable")
    position = np.empty(len(pages), int)
    position[order] = np.arange(len(pages))
    # a hyperedge is left of a cut from its last page on, right of it up to its first
    spans = np.array([[f([position[number[p]] for p in e]) for f in (min, max)] for e in edges])
    weights = np.array(list(edges.values()))
    ends = np.bincount(spans[:, 1], weights, len(pages))
    begins = np.bincount(spans[:, 0], weights, len(pages))
    left = np.cumsum(ends)[:-1]
    right = weights.sum() - np.cumsum(begins)[:-1]
    cut = np.maximum(weights.sum() - left - right, 0.0)
    lighter = np.minimum(left, right)
    share = np.where(lighter > 0, cut / np.maximum(lighter + cut, 1e-300), np.inf).round(9)
    if not len(share) or share.min() > max_cut:
        return set()
    lightest = np.flatnonzero(share == share.min())
    best = lightest[np.argmax(lighter[lightest])]  # of equal cuts the most even
    return {pages[at] for at in order[: best + 1]}


def _spectral_values(number: Mapping[int, int], edges: Mapping[PageSet, float]) -> Floats:
    """The second eigenvector of a lazy random walk on the pages, by power iteration.

    Pages of a hyperedge of weight w and size s are joined by w / (s - 1).
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load

    rows, columns, values = list[int](), list[int](), list[float]()
    for edge, weight in edges.items():
        for page in edge:
            others = [number[other] for other in edge if other != page]
            rows += [number[page]] * len(others)
            columns += others
            values += [weight / (len(edge) - 1)] * len(others)
    n = len(number)
    joined: Any = csr_array((values, (rows, columns)), shape=(n, n))
    degrees: Floats = np.asarray(joined.sum(axis=1)).ravel()
    stationary = degrees / degrees.sum()
    x = np.random.default_rng(0).standard_normal(n)
    for _ in range(WALK_STEPS):
        x -= stationary @ x
        x = (x + (joined @ x) / degrees) / 2
        x /= max(float(np.abs(x).max()), 1e-300)
    return x if n > 2 else np.arange(n, dtype=float)


def _make_profile(
    transactions: Transactions,
    cluster: PageSet,
    edges: Mapping[PageSet, float],
    options: ArhpOptions,
) -> Profile:
    weights = {
        page: weight
        for page, weight in connectivity(cluster, edges).items()
        if weight >= options.min_connectivity
    }
    pages: Ids = np.array(list(weights), np.int32)
    is_member: Flags = np.zeros(transactions.page_count, bool)
    is_member[pages] = True
    rows = transactions.rows
    inside = is_member[rows.ids]
    session = rows.row_ids()
    has_two = np.bincount(session[inside], minlength=len(transactions)) >= 2
    counted = rows.ids[inside & has_two[session]]
    page_sessions = np.bincount(counted, minlength=transactions.page_count)[pages]
    return Profile.from_weights(
        pages, np.array(list(weights.values())), int(has_two.sum()), page_sessions
    )
