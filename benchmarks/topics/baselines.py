"""Baselines: Leiden communities with their most linked pages, and text clusters."""

from collections.abc import Callable, Sequence

import numpy as np
from graspologic_native import leiden_csr
from scipy.sparse import csr_matrix

from weft.core.arrays import Floats, Ids
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.groups.group import Group
from weft.groups.groups import Groups
from weft.rank.term_matrix import tokenize_texts
from weft.store.tokens import is_stop_word

CLUSTERS = 10
MAX_ITER = 30
RESTARTS = 3


def leiden(base: BaseSet) -> Groups:
    """Communities by modularity, largest first, their pages by links from inside.

    Links are undirected; a reciprocal link counts twice. Isolated pages are in no
    topic.
    """
    graph, groups = base.graph, communities(base.graph)
    made = []
    for members in groups:
        own = np.zeros(len(base))
        own[members] = 1
        links = graph.operator()
        authority, hub = links.rmatvec(own)[members], links.matvec(own)[members]
        made.append(Group(members, authority, hub, float(len(members))))
    return Groups("topics", "leiden", base, tuple(made), CLOSED_FORM)


def communities(graph: WebGraph) -> list[Ids]:
    """The groups of pages that Leiden finds, largest first."""
    n = len(graph)
    if not graph.link_count:
        return []
    rows = graph.outlinks
    out = csr_matrix((np.ones(len(rows.ids)), rows.ids, rows.starts), (n, n))
    both = (out + out.T).tocsr()
    both.sort_indices()
    _, found = leiden_csr(
        both.indptr.astype(np.int64),
        both.indices.astype(np.int32),
        both.data.astype(np.float64),
        n,
        iterations=10,
        seed=1,
    )
    return by_size(np.array([found[page] for page in range(n)]), min_size=2)


def text_clusters(base: BaseSet) -> Groups:
    """Ten clusters of pages by their words alone, largest first; pages without words are in none.

    Spherical k-means on TF-IDF vectors. The score of a page is its cosine with
    the centroid of its cluster.
    """
    rows, page = word_rows(base.texts)
    if len(page) < CLUSTERS:
        return Groups("topics", "text clusters", base, (), CLOSED_FORM)
    cluster, similarity = best_clusters(rows)
    made = []
    for group in by_size(cluster, min_size=2):
        scores = similarity[group]
        made.append(Group(page[group], scores, scores, float(len(group))))
    return Groups("topics", "text clusters", base, tuple(made), CLOSED_FORM)


def word_rows(texts: Sequence[str]) -> tuple[csr_matrix, Ids]:
    """The words of pages as rows of length one, and the page of each row."""
    read = tokenize_texts(texts)
    cells = read.count_terms()
    seen = np.bincount(cells.term_ids, minlength=len(read.vocabulary))
    plain = [word.isalpha() and not is_stop_word(word, "en") for word in read.vocabulary]
    kept = (np.array(plain, bool) & (seen > 1))[cells.term_ids]
    rare = np.log(max(len(texts), 1) / np.maximum(seen, 1))
    weight = (1 + np.log(cells.counts)) * rare[cells.term_ids]
    page, place = np.unique(cells.page_ids[kept], return_inverse=True)
    shape = (len(page), len(read.vocabulary))
    rows = csr_matrix((weight[kept], (place, cells.term_ids[kept])), shape)
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    inverse = np.divide(1.0, lengths, out=np.zeros(len(page)), where=lengths > 0)
    return csr_matrix(rows.multiply(inverse[:, None])), page.astype(np.int32)


def best_clusters(rows: csr_matrix) -> tuple[Ids, Floats]:
    """The cluster of each row and its similarity to the centroid, the best of several restarts."""
    runs = [one_clustering(rows, np.random.default_rng(seed)) for seed in range(RESTARTS)]
    return max(runs, key=lambda found: found[1].sum())


def one_clustering(rows: csr_matrix, draw: np.random.Generator) -> tuple[Ids, Floats]:
    """Spherical k-means from dissimilar rows (k-means++)."""
    centroids = rows[far_apart(rows, draw)].toarray()
    cluster = np.full(rows.shape[0], -1)
    for _ in range(MAX_ITER):
        similarity = np.asarray(rows @ centroids.T)
        before, cluster = cluster, similarity.argmax(axis=1)
        if (before == cluster).all():
            break
        member = csr_matrix(
            (np.ones(len(cluster)), (cluster, np.arange(len(cluster)))),
            (CLUSTERS, len(cluster)),
        )
        centroids = np.asarray((member @ rows).todense())
        centroids /= np.maximum(
            np.linalg.norm(centroids, axis=1, keepdims=True), np.finfo(float).tiny
        )
    return cluster.astype(np.int32), similarity.max(axis=1)


def far_apart(rows: csr_matrix, draw: np.random.Generator) -> list[int]:
    """Start rows as in k-means++: each drawn by its distance from those drawn before."""
    chosen = [int(draw.integers(rows.shape[0]))]
    nearest = np.zeros(rows.shape[0])
    while len(chosen) < CLUSTERS:
        nearest = np.maximum(nearest, np.asarray((rows @ rows[chosen[-1]].T).todense()).ravel())
        unlike = np.maximum(1 - nearest, 1e-12)
        chosen.append(int(draw.choice(len(unlike), p=unlike / unlike.sum())))
    return chosen


def by_size(labels: np.ndarray, min_size: int) -> list[Ids]:
    """The groups that labels make, largest first, without small ones."""
    order = np.argsort(labels, kind="stable").astype(np.int32)
    groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    return sorted(
        (group for group in groups if len(group) >= min_size), key=lambda g: (-len(g), g[0])
    )


BASELINES: dict[str, Callable[[BaseSet], Groups]] = {
    "leiden": leiden,
    "text clusters": text_clusters,
}
