"""Topics by words alone: clusters of pages around centroids of term weights."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.errors import BadParameter
from weft.core.params import MaxIter, Restarts, Seed
from weft.core.progress import track
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine import CLOSED_FORM, Trace
from weft.graph.baseset.baseset import BaseSet
from weft.groups.group import Group, add_site_diversity
from weft.groups.groups import Groups
from weft.store.term_weights import TermWeights

MaxClusters = Annotated[int, Field(ge=1, le=1000, description="maximum number of clusters")]
Algorithm = Annotated[
    Literal["k-means", "merge"],
    Field(description="spherical k-means, or agglomerative merging"),
]
MinSize = Annotated[int, Field(ge=1, description="minimum number of pages in a cluster")]

MAX_TERMS = 10
COSINE_DIGITS = 12
MAX_MERGE_PAGES = 5000


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """The cluster of each page, its cosine to the centroid, and the centroids.

    Centroids are unit columns of a (stem, cluster) matrix.
    """

    labels: Ids
    cosines: Floats
    centroids: Floats
    trace: Trace


@method(
    "topics",
    "centroids",
    cites="wu",
    dimensions=Dimensions(
        model="vector space",
        metric="term weights",
        algorithm="clustering",
        scope="multiple pages",
        applications=("topic distillation", "page categorisation"),
        data="content",
    ),
)
def centroids(
    base: BaseSet,
    *,
    clusters: MaxClusters = 10,
    algorithm: Algorithm = "k-means",
    min_size: MinSize = 5,
    restarts: Restarts = 3,
    seed: Seed = 0,
    max_iter: MaxIter = 100,
) -> Groups:
    """Find topics by words alone: clusters of term vectors.

    Each page is a vector of TF-IDF weights. In spherical k-means it joins the
    centroid, the mean of a cluster's vectors, with the largest cosine, until no
    page moves. With `merge` every page starts as a cluster, and the two
    clusters with the largest cosine between centroids merge until `clusters`
    are left or no two share a word; `restarts`, `seed` and `max_iter` do not
    apply then. The authority score is the cosine to the centroid. Links are
    used only for hubs, which score the authority that their links inside the
    topic lead to. A baseline, to see what links add.

    Examples
    --------
    >>> from weft.graph.webgraph import WebGraph
    >>> graph = WebGraph.from_links([("a", "b"), ("b", "c"), ("c", "d")])
    >>> texts = ["red wine", "red wine", "green tea", "green tea"]
    >>> base = BaseSet.from_graph(graph, read_texts=lambda: texts)
    >>> found = centroids(base, clusters=2, min_size=2)
    >>> [base.page_names(topic.members) for topic in found]
    [['a', 'b'], ['c', 'd']]
    """
    terms = base.term_weights
    with_words = np.flatnonzero(np.diff(terms.matrix.starts) > 0).astype(np.int32)
    topics, trace = list[Group](), CLOSED_FORM
    if len(with_words):
        vectors = unit_term_vectors(terms, with_words)
        if algorithm == "merge":
            clustering = agglomerative_clustering(vectors, clusters)
        else:
            clustering = max(
                (
                    spherical_k_means(vectors, clusters, max_iter, seed + restart)
                    for restart in range(restarts)
                ),
                key=lambda candidate: round(float(candidate.cosines.sum()), 9),
            )
        topics, trace = clusters_to_topics(base, terms, with_words, clustering), clustering.trace
    large = [topic for topic in topics if len(topic) >= min_size]
    small = [topic.members for topic in topics if len(topic) < min_size]
    without_words = np.setdiff1d(np.arange(len(base), dtype=np.int32), with_words)
    set_aside = (
        *set_aside_topic(base, without_words, "without words"),
        *set_aside_topic(
            base,
            np.concatenate([without_words[:0], *small]),
            f"in clusters of fewer than {min_size}",
        ),
    )
    return Groups("topics", "centroids", base, add_site_diversity(base, large), trace, set_aside)


def set_aside_topic(base: BaseSet, pages: Ids, why: str) -> tuple[Group, ...]:
    """A topic of pages that are set aside, with the reason; none if there are no pages."""
    zeros, reason = np.zeros(len(pages)), f"{pluralise(len(pages), base.level)} {why}"
    remainder = Group(np.sort(pages), zeros, zeros, 0.0, reason=reason, is_remainder=True)
    return (remainder,) if len(pages) else ()


def unit_term_vectors(term_weights: TermWeights, pages: Ids) -> Any:
    """The term weights of some pages as a sparse matrix with unit rows."""
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load

    rows = term_weights.matrix
    weights = np.asarray(term_weights.weights, np.float64)
    norms = np.sqrt(np.add.reduceat(np.square(weights), rows.starts[pages]))
    starts = np.append(rows.starts[pages], rows.starts[-1])
    data = weights / np.repeat(norms, np.diff(starts))
    return csr_array((data, rows.ids, starts), (len(pages), len(term_weights.stems)))


def spherical_k_means(vectors: Any, clusters: int, max_iter: int, seed: int) -> Clustering:
    """Spherical k-means from a k-means++ start."""
    centroids = vectors[k_means_plus_plus(vectors, clusters, seed)].toarray().T
    labels = np.full(vectors.shape[0], -1, np.int32)
    moved_share, iterations = 1.0, 0
    while moved_share and iterations < max_iter:
        cosines = np.asarray(vectors @ centroids).round(COSINE_DIGITS)
        previous, labels = labels, cosines.argmax(axis=1).astype(np.int32)
        moved_share, iterations = float(np.mean(previous != labels)), iterations + 1
        for cluster in np.unique(labels).tolist():
            total = vectors[labels == cluster].sum(axis=0)
            centroids[:, cluster] = total / np.sqrt(np.square(total).sum())
    trace = Trace(
        iterations, moved_share, not moved_share, "max_iter" if moved_share else "converged"
    )
    return Clustering(labels, cosines[np.arange(len(labels)), labels], centroids, trace)


def agglomerative_clustering(vectors: Any, clusters: int) -> Clustering:
    """Agglomerative clustering by the cosine of centroids, starting from single pages.

    The sum s of a cluster's vectors has the direction of its mean, and the
    products s.t of all pairs of clusters can be summed as clusters merge: the
    vectors themselves are not needed.
    """
    n = vectors.shape[0]
    if n > MAX_MERGE_PAGES:
        hint = "use algorithm=k-means, or a smaller base set: root_size, max_inlinks"
        raise BadParameter(
            f"{n:,} pages are too many to merge, at most {MAX_MERGE_PAGES:,}", hint=hint
        )
    products, labels, is_left = (vectors @ vectors.T).toarray(), np.arange(n), np.ones(n, bool)

    def cosines_to_cluster(cluster: int) -> Floats:
        length = np.sqrt(np.diagonal(products) * products[cluster, cluster])
        found: Floats = np.where(is_left, (products[cluster] / length).round(COSINE_DIGITS), -1.0)
        found[cluster] = -1.0
        return found

    nearest, nearest_cosine = np.zeros(n, np.int64), np.zeros(n)

    def update_nearest(cluster: int) -> None:
        cosines = cosines_to_cluster(cluster)
        nearest[cluster], nearest_cosine[cluster] = cosines.argmax(), cosines.max()

    for page in range(n):
        update_nearest(page)
    for _ in track(range(n - clusters), "merging", max(n - clusters, 0)):
        kept = int(np.where(is_left, nearest_cosine, -1.0).argmax())
        if nearest_cosine[kept] <= 0:
            break
        kept, merged = sorted((kept, int(nearest[kept])))
        products[kept] += products[merged]
        products[:, kept] += products[:, merged]
        labels[labels == merged], is_left[merged] = kept, False
        is_stale = np.isin(nearest, (kept, merged)) & is_left
        is_stale[kept] = True
        for stale_cluster in np.flatnonzero(is_stale).tolist():
            update_nearest(stale_cluster)
        # the merged cluster may be nearer to others than their nearest so far
        is_closer = (cosines := cosines_to_cluster(kept)) > nearest_cosine
        nearest[is_closer], nearest_cosine[is_closer] = kept, cosines[is_closer]
    return clustering_from_labels(vectors, labels)


def clustering_from_labels(vectors: Any, cluster_ids: Offsets) -> Clustering:
    """Compute centroids and cosines from the cluster of each page."""
    labels, cluster_ids = np.unique(cluster_ids, return_inverse=True)
    centroids = np.stack(
        [vectors[cluster_ids == k].sum(axis=0) for k in range(len(labels))], axis=1
    )
    centroids /= np.sqrt(np.square(centroids).sum(axis=0))
    cosines = np.asarray(vectors @ centroids).round(COSINE_DIGITS)[
        np.arange(len(cluster_ids)), cluster_ids
    ]
    return Clustering(cluster_ids.astype(np.int32), cosines, centroids, CLOSED_FORM)


def k_means_plus_plus(vectors: Any, clusters: int, seed: int) -> list[int]:
    """Draw start pages by k-means++.

    The probability of a page is proportional to one minus its largest cosine to
    the pages drawn before.
    """
    rng = np.random.default_rng(seed)
    chosen = [int(rng.integers(vectors.shape[0]))]
    max_cosine = np.zeros(vectors.shape[0])
    while len(chosen) < clusters:
        cosine = np.asarray(vectors @ vectors[chosen[-1:]].toarray()[0])
        max_cosine = np.maximum(max_cosine, cosine)
        distance = np.maximum(1 - max_cosine.round(9), 0.0)
        if not distance.any():
            break
        chosen.append(int(rng.choice(len(distance), p=distance / distance.sum())))
    return chosen


def clusters_to_topics(
    base: BaseSet, term_weights: TermWeights, pages: Ids, clustering: Clustering
) -> list[Group]:
    """Build a topic from each cluster, the largest first."""
    topics = []
    for cluster in np.unique(clustering.labels).tolist():
        indices = np.flatnonzero(clustering.labels == cluster)
        members, authority = pages[indices], clustering.cosines[indices]
        score = np.zeros(len(base))
        score[members] = authority
        hub = base.graph.operator().matvec(score)[members]
        best = np.argsort(-clustering.centroids[:, cluster].round(COSINE_DIGITS), kind="stable")[
            :MAX_TERMS
        ]
        stems = [
            term_weights.stems[k].as_py()
            for k in best.tolist()
            if clustering.centroids[k, cluster] > 0
        ]
        facts = {
            "terms": [stem.rpartition("/")[2] for stem in stems],
            "mean cosine": float(authority.mean()),
        }
        topics.append(Group(members, authority, hub, float(len(members)), facts=facts))
    return sorted(topics, key=lambda topic: (-len(topic), int(topic.members[0])))
