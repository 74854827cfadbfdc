"""PACT: usage profiles as the mean vectors of clusters of sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.params import Restarts, Seed
from weft.core.progress import track
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.usage.transactions import (
    DEFAULT_MAX_SHARE,
    DEFAULT_MIN_SHARE,
    MaxShare,
    MinShare,
    TitledSessions,
    Transactions,
    ViewWeight,
    build_transactions,
)
from weft.usage.usage import Usage

Clusters = Annotated[
    int,
    Field(ge=0, le=200, description="how many clusters; 0: sqrt(sessions / 2), from 2 to 50"),
]
MinWeight = Annotated[
    float, Field(gt=0, le=1, description="pages of a profile: those with at least this mean weight")
]
MAX_AUTO_CLUSTERS, MAX_ITER = 50, 100
MIN_PAGE_WEIGHT = 0.5
PROFILE_PAGES_SCHEMA = pa.schema(
    {
        "profile": pa.int32(),
        "page": pa.string(),
        "title": pa.string(),
        "weight": pa.float64(),
        "sessions": pa.int64(),
        "label": pa.string(),
    }
)
PROFILES_SCHEMA = pa.schema(
    {
        "profile": pa.int32(),
        "label": pa.string(),
        "pages": pa.int32(),
        "sessions": pa.int64(),
        "share": pa.float64(),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """Pages that are viewed together, with weights up to one, largest first.

    `sessions` is the number of sessions that the profile stands for, and
    `page_sessions` how many of them viewed each page.
    """

    pages: Ids
    weights: Floats
    sessions: int
    page_sessions: Offsets

    @classmethod
    def from_weights(
        cls, pages: Ids, weights: Floats, sessions: int, page_sessions: Offsets
    ) -> "Profile":
        """A profile with its pages by descending weight; ties keep page order."""
        order = np.lexsort((pages, -weights.round(12)))
        return cls(pages[order], weights[order], sessions, page_sessions[order])


@method(
    "usage",
    "profiles",
    cites="mobasher2002",
    dimensions=Dimensions(
        model="vector space",
        metric="similarity",
        algorithm="clustering",
        scope="multiple pages",
        applications=("personalisation", "page recommendation"),
        data="usage",
    ),
)
def profiles(
    sessions: TitledSessions,
    *,
    clusters: Clusters = 0,
    min_weight: MinWeight = MIN_PAGE_WEIGHT,
    min_share: MinShare = DEFAULT_MIN_SHARE,
    max_share: MaxShare = DEFAULT_MAX_SHARE,
    weight: ViewWeight = "one",
    restarts: Restarts = 3,
    seed: Seed = 0,
) -> Usage:
    """Find usage profiles by clusters of sessions (PACT).

    Sessions are clustered by k-means on the cosine of their pages. The profile
    of a cluster has the pages whose mean weight in its sessions is at least
    `min_weight`, divided by the largest. A cluster without such a page has no
    profile. Sessions of one page, and pages in too few or too many sessions,
    are left out.

    Examples
    --------
    >>> found = profiles([["a", "b"], ["a", "b"], ["x", "y"], ["x", "y"]], clusters=2)
    >>> found["profiles"], found.to_table()["page"].to_pylist()
    (2, ['a', 'b', 'x', 'y'])
    """
    transactions = build_transactions(sessions.sessions, min_share, max_share, weight)
    count = clusters or choose_cluster_count(len(transactions))
    found, notes = find_pact_profiles(transactions, count, min_weight, restarts, seed)
    facts = {"clusters": min(count, len(transactions))}
    return describe_profiles("profiles", sessions, transactions, found, facts, notes)


def choose_cluster_count(transaction_count: int) -> int:
    """The default number of clusters: sqrt(n / 2), from 2 to 50."""
    return int(np.clip(round((transaction_count / 2) ** 0.5), 2, MAX_AUTO_CLUSTERS))


def find_pact_profiles(
    transactions: Transactions, clusters: int, min_weight: float, restarts: int, seed: int
) -> tuple[list[Profile], tuple[str, ...]]:
    """The profiles of clusters of transactions, most sessions first."""
    if not len(transactions):
        return [], ()
    matrix = transactions.matrix()
    labels, converged = spherical_k_means(matrix, clusters, restarts, seed)
    found, empty = list[Profile](), 0
    for cluster in range(int(labels.max()) + 1):
        rows = matrix[np.flatnonzero(labels == cluster)]
        mean = np.asarray(rows.sum(axis=0)).ravel() / rows.shape[0]
        pages = np.flatnonzero(mean >= min_weight).astype(np.int32)
        if not len(pages):
            empty += 1
            continue
        page_sessions = np.bincount(rows.indices, minlength=len(mean))[pages]
        weights = mean[pages] / mean.max()
        found.append(Profile.from_weights(pages, weights, rows.shape[0], page_sessions))
    notes = [] if converged else [f"k-means not converged after {MAX_ITER} iterations"]
    if empty:
        left = pluralise(empty, "cluster")
        notes.append(f"{left} without a page of mean weight {min_weight:g} left out")
    return sort_profiles(found), tuple(notes)


def sort_profiles(found: Sequence[Profile]) -> list[Profile]:
    """Profiles by descending number of sessions; ties by their first page."""
    return sorted(found, key=lambda profile: (-profile.sessions, profile.pages.tolist()))


def spherical_k_means(matrix: Any, clusters: int, restarts: int, seed: int) -> tuple[Ids, bool]:
    """Cluster the rows of a sparse matrix by k-means on their cosine.

    The best of several starts by k-means++, by the sum of cosines with the
    centroids. Returns the cluster of each row, numbered by first row, and
    whether the best run converged.
    """
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    rows = matrix.multiply(1 / np.maximum(norms, np.finfo(float).tiny)[:, None]).tocsr()
    best_total, best = -np.inf, (np.zeros(rows.shape[0], np.int32), True)
    generator = np.random.default_rng(seed)
    for _ in track(range(restarts), "k-means", restarts):
        labels, total, converged = _run_k_means(rows, clusters, generator)
        if total > best_total + 1e-9:
            best_total, best = total, (labels, converged)
    return best


def _run_k_means(
    rows: Any, clusters: int, generator: np.random.Generator
) -> tuple[Ids, float, bool]:
    """One run from random centroids: labels, sum of cosines, whether it converged."""
    centroids = _seed_centroids(rows, clusters, generator)
    labels, total = np.full(rows.shape[0], -1), 0.0
    for _ in range(MAX_ITER):
        cosines = rows @ centroids.T
        new = cosines.round(12).argmax(axis=1)
        total = float(cosines[np.arange(len(new)), new].sum())
        if np.array_equal(new, labels):
            return _number_by_first_row(labels), total, True
        labels = new
        centroids = _sum_by_label(rows, labels, len(centroids))
        norms = np.sqrt(np.square(centroids).sum(axis=1))
        centroids /= np.where(norms > 0, norms, 1)[:, None]  # an empty cluster stays empty
    return _number_by_first_row(labels), total, False


def _seed_centroids(rows: Any, clusters: int, generator: np.random.Generator) -> Floats:
    """Rows far from each other: each is drawn by its distance 1 - cosine to those before."""
    count = rows.shape[0]
    chosen = [int(generator.integers(count))]
    distance = np.full(count, np.inf)
    while len(chosen) < min(clusters, count):
        nearest = 1 - np.asarray((rows @ rows[[chosen[-1]]].T).todense()).ravel()
        distance = np.minimum(distance, np.maximum(nearest.round(12), 0))
        if not distance.any():
            break
        chosen.append(int(generator.choice(count, p=distance / distance.sum())))
    centroids: Floats = rows[chosen].toarray()
    return centroids


def _sum_by_label(rows: Any, labels: Any, count: int) -> Floats:
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load

    size = rows.shape[0]
    member = csr_array((np.ones(size), (labels, np.arange(size))), shape=(count, size))
    sums: Floats = (member @ rows).toarray()
    return sums


def _number_by_first_row(labels: Any) -> Ids:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int32)


def describe_profiles(
    method_name: str,
    sessions: TitledSessions,
    transactions: Transactions,
    found: Sequence[Profile],
    more_facts: dict[str, Any],
    more_notes: tuple[str, ...],
) -> Usage:
    """The result of a method that finds profiles: pages with weights, and the profiles."""
    labels = [sessions.label(profile.pages) for profile in found]
    in_profiles = np.unique(np.concatenate([np.zeros(0, np.int32), *(p.pages for p in found)]))
    facts = {
        "profiles": len(found),
        "pages in profiles": len(in_profiles),
        "sessions": len(transactions),
        **more_facts,
    }
    page_rows = [
        {
            "profile": number,
            "page": page,
            "title": title,
            "weight": weight,
            "sessions": count,
            "label": label,
        }
        for number, (profile, label) in enumerate(zip(found, labels, strict=True), 1)
        for page, title, weight, count in zip(
            sessions.names(profile.pages),
            sessions.titles(profile.pages),
            profile.weights.tolist(),
            profile.page_sessions.tolist(),
            strict=True,
        )
    ]
    profile_rows = [
        {
            "profile": number,
            "label": label,
            "pages": len(profile.pages),
            "sessions": profile.sessions,
            "share": profile.sessions / len(transactions),
        }
        for number, (profile, label) in enumerate(zip(found, labels, strict=True), 1)
    ]
    tables = {
        "pages": pa.Table.from_pylist(page_rows, schema=PROFILE_PAGES_SCHEMA),
        "profiles": pa.Table.from_pylist(profile_rows, schema=PROFILES_SCHEMA),
    }
    notes = (*transactions.notes, *more_notes)
    return Usage(method_name, facts, tables, notes if found else (*notes, "no profile was found"))
