"""Topics by the words of pages alone: clusters around centroids."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.dimensions import Dimensions
from weft.core.errors import BadParameter
from weft.core.methods import method
from weft.core.params import Limit, Restarts, Seed
from weft.core.progress import track
from weft.core.wording import count
from weft.engine import CLOSED, Trace
from weft.graph.baseset import BaseSet
from weft.store.telling import Words
from weft.topics.tkc import with_sites
from weft.topics.topic import Topic, Topics

Clusters = Annotated[int, Field(ge=1, le=1000, description="how many clusters to make at most")]
Grouping = Annotated[
    Literal["k-means", "merge"],
    Field(description="move pages to the nearest centroid, or merge the two most similar clusters"),
]
Least = Annotated[int, Field(ge=1, description="set aside clusters with fewer pages")]

TERMS = 10
DIGITS = 12
MOST_MERGED = 5000


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """The cluster of each page with words, its cosine to the centroid, and all centroids.

    Centroids are columns of length one, by stem.
    """

    home: Ids
    cosine: Floats
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
    clusters: Clusters = 10,
    grouping: Grouping = "k-means",
    least: Least = 5,
    restarts: Restarts = 3,
    seed: Seed = 0,
    limit: Limit = 100,
) -> Topics:
    """Find topics by words alone: clusters of pages around the mean of their term weights.

    Each page is a vector of the TF-IDF weights of its words. It joins the
    centroid, the mean of a cluster's vectors, to which its cosine is largest,
    and centroids are computed again until no page moves (spherical k-means).
    With `merge` every page begins as a cluster, and the two whose centroids have
    the largest cosine become one until `clusters` are left, or none have a word
    in common; `restarts`, `seed` and `limit` play no part then. An
    authority scores its cosine to the centroid. Links play no part, except that
    a hub scores the authority that its links inside the topic lead to. A
    baseline, to see what links add.

    Examples
    --------
    >>> from weft.graph.webgraph import WebGraph
    >>> graph = WebGraph.from_links([("a", "b"), ("b", "c"), ("c", "d")])
    >>> texts = ["red wine", "red wine", "green tea", "green tea"]
    >>> base = BaseSet.whole(graph, read_texts=lambda: texts)
    >>> found = centroids(base, clusters=2, least=2)
    >>> [base.named(topic.members) for topic in found]
    [['a', 'b'], ['c', 'd']]
    """
    words = base.words
    speaking = np.flatnonzero(np.diff(words.rows.starts) > 0).astype(np.int32)
    made, trace = list[Topic](), CLOSED
    if len(speaking):
        vectors = term_vectors(words, speaking)
        if grouping == "merge":
            found = merge(vectors, clusters)
        else:
            found = max(
                (cluster(vectors, clusters, limit, seed + turn) for turn in range(restarts)),
                key=lambda one: round(float(one.cosine.sum()), 9),
            )
        made, trace = topics_of(base, words, speaking, found), found.trace
    large = [topic for topic in made if len(topic) >= least]
    small = [topic.members for topic in made if len(topic) < least]
    silent = np.setdiff1d(np.arange(len(base), dtype=np.int32), speaking)
    aside = (
        *set_aside(base, silent, "without words"),
        *set_aside(
            base, np.concatenate([silent[:0], *small]), f"in clusters of fewer than {least}"
        ),
    )
    return Topics("centroids", base, with_sites(base, large), trace, aside)


def set_aside(base: BaseSet, pages: Ids, why: str) -> tuple[Topic, ...]:
    """Pages that are in no topic, if there are any, and why."""
    nothing, reason = np.zeros(len(pages)), f"{count(len(pages), base.level)} {why}"
    return (Topic(np.sort(pages), nothing, nothing, 0.0, reason=reason),) if len(pages) else ()


def term_vectors(words: Words, pages: Ids) -> Any:
    """The term weights of some pages as rows of length one."""
    from scipy.sparse import csr_array  # noqa: PLC0415  slow to load

    rows = words.rows
    weights = np.asarray(words.weights, np.float64)
    norms = np.sqrt(np.add.reduceat(np.square(weights), rows.starts[pages]))
    starts = np.append(rows.starts[pages], rows.starts[-1])
    data = weights / np.repeat(norms, np.diff(starts))
    return csr_array((data, rows.ids, starts), (len(pages), len(words.stems)))


def cluster(vectors: Any, clusters: int, limit: int, seed: int) -> Clustering:
    """Spherical k-means from pages drawn to be unlike each other."""
    centres = vectors[spread(vectors, clusters, seed)].toarray().T
    home = np.full(vectors.shape[0], -1, np.int32)
    moved, turn = 1.0, 0
    while moved and turn < limit:
        cosines = np.asarray(vectors @ centres).round(DIGITS)
        before, home = home, cosines.argmax(axis=1).astype(np.int32)
        moved, turn = float(np.mean(before != home)), turn + 1
        for own in np.unique(home).tolist():
            centre = vectors[home == own].sum(axis=0)
            centres[:, own] = centre / np.sqrt(np.square(centre).sum())
    trace = Trace(turn, moved, not moved, "limit" if moved else "settled")
    return Clustering(home, cosines[np.arange(len(home)), home], centres, trace)


def merge(vectors: Any, clusters: int) -> Clustering:
    """Merge the two clusters with the most similar centroids, beginning with single pages.

    Sums of vectors have the directions of their means, so that the products of
    all pairs of pages, added up as clusters merge, are all that is needed.
    """
    n = vectors.shape[0]
    if n > MOST_MERGED:
        cure = "use grouping=k-means, or a smaller base set: --root, --inlinks"
        raise BadParameter(f"{n:,} pages are too many to merge two by two", hint=cure)
    product, home, left = (vectors @ vectors.T).toarray(), np.arange(n), np.ones(n, bool)

    def cosines(one: int) -> Floats:
        length = np.sqrt(np.diagonal(product) * product[one, one])
        found: Floats = np.where(left, (product[one] / length).round(DIGITS), -1.0)
        found[one] = -1.0
        return found

    other, value = np.zeros(n, np.int64), np.zeros(n)

    def find_nearest(one: int) -> None:
        near = cosines(one)
        other[one], value[one] = near.argmax(), near.max()

    for page in range(n):
        find_nearest(page)
    for _ in track(range(n - clusters), "merging", max(n - clusters, 0)):
        one = int(np.where(left, value, -1.0).argmax())
        if value[one] <= 0:
            break
        one, gone = sorted((one, int(other[one])))
        product[one] += product[gone]
        product[:, one] += product[:, gone]
        home[home == gone], left[gone] = one, False
        stale = np.isin(other, (one, gone)) & left
        stale[one] = True
        for each in np.flatnonzero(stale).tolist():
            find_nearest(each)
        # the new cluster may be nearer to others than what was nearest to them
        closer = (near := cosines(one)) > value
        other[closer], value[closer] = one, near[closer]
    return clusters_of(vectors, home)


def clusters_of(vectors: Any, home: Offsets) -> Clustering:
    """The clusters of pages that have a label each, and their centroids."""
    labels, home = np.unique(home, return_inverse=True)
    centres = np.stack([vectors[home == k].sum(axis=0) for k in range(len(labels))], axis=1)
    centres /= np.sqrt(np.square(centres).sum(axis=0))
    cosine = np.asarray(vectors @ centres).round(DIGITS)[np.arange(len(home)), home]
    return Clustering(home.astype(np.int32), cosine, centres, CLOSED)


def spread(vectors: Any, clusters: int, seed: int) -> list[int]:
    """Pages to begin with, each drawn by how unlike it is to those drawn before (k-means++)."""
    draw = np.random.default_rng(seed)
    chosen = [int(draw.integers(vectors.shape[0]))]
    nearest = np.zeros(vectors.shape[0])
    while len(chosen) < clusters:
        cosine = np.asarray(vectors @ vectors[chosen[-1:]].toarray()[0])
        nearest = np.maximum(nearest, cosine)
        unlike = np.maximum(1 - nearest.round(9), 0.0)
        if not unlike.any():
            break
        chosen.append(int(draw.choice(len(unlike), p=unlike / unlike.sum())))
    return chosen


def topics_of(base: BaseSet, words: Words, pages: Ids, found: Clustering) -> list[Topic]:
    """Each cluster as a topic, that of most pages first."""
    made = []
    for own in np.unique(found.home).tolist():
        inside = np.flatnonzero(found.home == own)
        members, authority = pages[inside], found.cosine[inside]
        score = np.zeros(len(base))
        score[members] = authority
        hub = base.graph.flow().backward(score)[members]
        best = np.argsort(-found.centroids[:, own].round(DIGITS), kind="stable")[:TERMS]
        stems = [words.stems[k].as_py() for k in best.tolist() if found.centroids[k, own] > 0]
        facts = {
            "terms": [stem.rpartition("/")[2] for stem in stems],
            "mean cosine": float(authority.mean()),
        }
        made.append(Topic(members, authority, hub, float(len(members)), facts=facts))
    return sorted(made, key=lambda topic: (-len(topic), int(topic.members[0])))
