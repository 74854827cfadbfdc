"""What others would do: communities of links with their most linked pages, clusters of words."""

from collections.abc import Callable, Sequence

import numpy as np
from graspologic_native import leiden_csr
from scipy.sparse import csr_matrix

from weft.core.arrays import Floats, Ids
from weft.engine import CLOSED
from weft.graph.baseset import BaseSet
from weft.graph.webgraph import WebGraph
from weft.rank.terms import tokens
from weft.store.stopwords import is_stop
from weft.topics.topic import Topic, Topics

CLUSTERS = 10
ROUNDS = 30
RESTARTS = 3


def leiden(base: BaseSet) -> Topics:
    """Communities by modularity, largest first, their pages by links from inside.

    A link counts the same both ways, and twice where it is returned. Pages
    that are alone are in no topic.
    """
    graph, groups = base.graph, communities(base.graph)
    made = []
    for members in groups:
        own = np.zeros(len(base))
        own[members] = 1
        flow = graph.flow()
        authority, hub = flow.forward(own)[members], flow.backward(own)[members]
        made.append(Topic(members, authority, hub, float(len(members))))
    return Topics("leiden", base, tuple(made), CLOSED)


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
    return by_size(np.array([found[page] for page in range(n)]), least=2)


def text_clusters(base: BaseSet) -> Topics:
    """Ten clusters of pages by their words alone, largest first; pages without words are in none.

    Spherical k-means on word counts, each word counting by the logarithm of
    its number and of how rare it is. A page's score is its likeness to the
    middle of its cluster.
    """
    rows, page = word_rows(base.texts)
    if len(page) < CLUSTERS:
        return Topics("text clusters", base, (), CLOSED)
    cluster, likeness = best_clusters(rows)
    made = []
    for group in by_size(cluster, least=2):
        scores = likeness[group]
        made.append(Topic(page[group], scores, scores, float(len(group))))
    return Topics("text clusters", base, tuple(made), CLOSED)


def word_rows(texts: Sequence[str]) -> tuple[csr_matrix, Ids]:
    """The words of pages as rows of length one, and the page of each row."""
    read = tokens(texts)
    cells = read.cells()
    seen = np.bincount(cells.term, minlength=len(read.vocabulary))
    plain = [word.isalpha() and not is_stop(word, "en") for word in read.vocabulary]
    kept = (np.array(plain, bool) & (seen > 1))[cells.term]
    rare = np.log(max(len(texts), 1) / np.maximum(seen, 1))
    weight = (1 + np.log(cells.count)) * rare[cells.term]
    page, place = np.unique(cells.page[kept], return_inverse=True)
    shape = (len(page), len(read.vocabulary))
    rows = csr_matrix((weight[kept], (place, cells.term[kept])), shape)
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    inverse = np.divide(1.0, lengths, out=np.zeros(len(page)), where=lengths > 0)
    return csr_matrix(rows.multiply(inverse[:, None])), page.astype(np.int32)


def best_clusters(rows: csr_matrix) -> tuple[Ids, Floats]:
    """The cluster of each row and its likeness to the middle, the best of some tries."""
    tries = [one_clustering(rows, np.random.default_rng(seed)) for seed in range(RESTARTS)]
    return max(tries, key=lambda found: found[1].sum())


def one_clustering(rows: csr_matrix, draw: np.random.Generator) -> tuple[Ids, Floats]:
    """Spherical k-means from rows that are unlike each other."""
    middles = rows[far_apart(rows, draw)].toarray()
    cluster = np.full(rows.shape[0], -1)
    for _ in range(ROUNDS):
        likeness = np.asarray(rows @ middles.T)
        before, cluster = cluster, likeness.argmax(axis=1)
        if (before == cluster).all():
            break
        member = csr_matrix(
            (np.ones(len(cluster)), (cluster, np.arange(len(cluster)))),
            (CLUSTERS, len(cluster)),
        )
        middles = np.asarray((member @ rows).todense())
        middles /= np.maximum(np.linalg.norm(middles, axis=1, keepdims=True), np.finfo(float).tiny)
    return cluster.astype(np.int32), likeness.max(axis=1)


def far_apart(rows: csr_matrix, draw: np.random.Generator) -> list[int]:
    """Rows to begin with, each drawn by how unlike it is to those drawn before."""
    chosen = [int(draw.integers(rows.shape[0]))]
    nearest = np.zeros(rows.shape[0])
    while len(chosen) < CLUSTERS:
        nearest = np.maximum(nearest, np.asarray((rows @ rows[chosen[-1]].T).todense()).ravel())
        unlike = np.maximum(1 - nearest, 1e-12)
        chosen.append(int(draw.choice(len(unlike), p=unlike / unlike.sum())))
    return chosen


def by_size(labels: np.ndarray, least: int) -> list[Ids]:
    """The groups that labels make, largest first, without small ones."""
    order = np.argsort(labels, kind="stable").astype(np.int32)
    groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    return sorted((group for group in groups if len(group) >= least), key=lambda g: (-len(g), g[0]))


BASELINES: dict[str, Callable[[BaseSet], Topics]] = {
    "leiden": leiden,
    "text clusters": text_clusters,
}
