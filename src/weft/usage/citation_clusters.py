"""Citation clusters: a hierarchy of pages that visitors reach and leave alike."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import CSR, Floats, Ids, Offsets
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine import safe_power
from weft.graph.transitions import Transitions
from weft.graph.webgraph import build_csr, csr_to_scipy, link_weights
from weft.usage.chain import MarkovChain
from weft.usage.usage import Usage

LISTED_MEMBERS = 10
CitationMeasure = Literal["both", "co-citation", "coupling"]
SimilarBy = Annotated[
    CitationMeasure,
    Field(
        description="pages are similar by in-clicks (co-citation), out-clicks (coupling) or both"
    ),
]
MinSimilarity = Annotated[
    float, Field(gt=0, le=1, description="minimum average similarity in a cluster")
]
LevelStep = Annotated[
    float, Field(gt=0, le=1, description="similarity between levels of the hierarchy")
]
MaxClusteredPages = Annotated[
    int, Field(ge=1, le=20_000, description="how many of the most viewed pages to cluster")
]
CLUSTER_SCHEMA = pa.schema(
    {
        "cluster": pa.int64(),
        "parent": pa.int64(),
        "level": pa.int64(),
        "similarity": pa.float64(),
        "pages": pa.int64(),
        "views": pa.int64(),
        "leading pages": pa.list_(pa.string()),
    }
)
PAGES_SCHEMA = pa.schema({"page": pa.string(), "cluster": pa.int64(), "views": pa.int64()})


@dataclass(frozen=True, slots=True, eq=False)
class Cluster:
    """A cluster of the hierarchy: its parent, -1 at the top, and its items with those below it."""

    parent: int
    level: int
    similarity: float
    items: Ids


@method(
    "usage",
    "citation-clusters",
    cites="zhu2002cluster",
    dimensions=Dimensions(
        model="co-citation and co-reference",
        metric="bibliometric measures",
        algorithm="clustering",
        scope="multiple pages",
        applications=("adaptive web sites", "page categorisation"),
        data="usage",
    ),
)
def citation_clusters(
    transitions: Transitions,
    *,
    by: SimilarBy = "both",
    min_similarity: MinSimilarity = 0.1,
    step: LevelStep = 0.2,
    max_pages: MaxClusteredPages = 1000,
) -> Usage:
    """Group pages that visitors reach and leave alike.

    Two pages are similar if visitors come to them from the same pages
    (co-citation) and go on from them to the same pages (coupling): the cosines
    of the columns and of the rows of the Markov matrix. Average linkage joins
    pages to clusters and clusters to larger ones. Clusters whose similarities
    are within one `step` are one level of the hierarchy.

    Examples
    --------
    >>> found = citation_clusters(["hax", "hbx", "hcy", "hdy", "ha", "hb"])
    >>> [sorted(row["leading pages"]) for row in found.to_table().to_pylist()][:2]
    [['a', 'b', 'c', 'd'], ['a', 'b']]
    """
    counts = _clicks_between_top_pages(transitions, max_pages)
    chain = MarkovChain.from_counts(counts)
    similarity = citation_similarity(chain, by)
    clusters = build_hierarchy(similarity, min_similarity, step)
    innermost = np.full(len(chain), -1)
    for number, cluster in enumerate(clusters):  # parents come before their children
        innermost[cluster.items] = number
    views = transitions.views[chain.pages]
    facts: dict[str, Any] = {
        "clusters": len(clusters),
        "top clusters": sum(cluster.parent < 0 for cluster in clusters),
        "levels": max((cluster.level for cluster in clusters), default=0),
        "pages clustered": int((innermost >= 0).sum()),
        "pages with clicks": len(chain),
        "clicks": transitions.clicks,
    }
    notes = ["after Zhu, Hong and Hughes (2002): the similarity and the linkage are reconstructed"]
    if not len(chain):
        notes.append("there are no clicks")
    left_out = int(np.count_nonzero(transitions.views)) - max_pages
    if left_out > 0:
        notes.append(f"{pluralise(left_out, 'page')} viewed less often are in no cluster")
    tables = {
        "clusters": _clusters_table(transitions, chain, clusters, views),
        "pages": _pages_table(transitions, chain, innermost, views),
    }
    return Usage("citation-clusters", facts, tables, tuple(notes))


def citation_similarity(chain: MarkovChain, by: CitationMeasure) -> Floats:
    """The cosine of the columns of a chain, of its rows, or the mean of both, for all pairs.

    Examples
    --------
    >>> counts = CSR(np.array([0, 2, 2, 2]), np.array([1, 2], np.int32), np.array([3.0, 1.0]))
    >>> citation_similarity(MarkovChain.from_counts(counts), "co-citation")[1]
    array([0., 1., 1.])
    """
    from scipy.sparse import diags_array  # noqa: PLC0415  slow to load

    n = len(chain)
    matrix = csr_to_scipy(CSR(chain.rows.starts, chain.rows.ids, chain.probabilities), n)
    sides = {"co-citation": matrix.T.tocsr(), "coupling": matrix}
    chosen = [sides[by]] if by != "both" else list(sides.values())
    total = np.zeros((n, n))
    for side in chosen:
        norms = np.sqrt(np.asarray((side * side).sum(axis=1)))
        unit = diags_array(safe_power(norms, -1.0)) @ side
        total += (unit @ unit.T).toarray()
    return np.minimum(total / len(chosen), 1.0)


def build_hierarchy(similarity: Floats, min_similarity: float, step: float) -> list[Cluster]:
    """Join items by average linkage; a cluster comes before its children, larger ones first.

    A join within one step of similarity of the join above it belongs to the
    same cluster.
    """
    from scipy.cluster.hierarchy import linkage  # noqa: PLC0415  slow to load
    from scipy.spatial.distance import squareform  # noqa: PLC0415

    n = len(similarity)
    if n < 2:
        return []
    distance = np.maximum(1 - similarity, 0.0)
    np.fill_diagonal(distance, 0.0)
    joins = linkage(squareform(distance, checks=False), "average")
    joined = 1 - joins[:, 2]
    items: list[Ids] = [np.array([k], np.int32) for k in range(n)]
    for left, right in joins[:, :2].astype(int).tolist():
        items.append(np.concatenate([items[left], items[right]]))
    clusters: list[Cluster] = []
    waiting = [(len(joins) - 1, -1)]  # joins to look at, the next one last, and their parents
    while waiting:
        join, parent = waiting.pop()
        value, below = float(joined[join]), parent
        level = int((value - min_similarity) / step + 1e-9) + 1
        if value >= min_similarity - 1e-12 and (parent < 0 or level > clusters[parent].level):
            below = len(clusters)
            clusters.append(Cluster(parent, level, value, items[n + join]))
        children = [int(child) - n for child in joins[join, :2] if child >= n]
        children.sort(key=lambda child: (len(items[n + child]), -int(items[n + child].min())))
        waiting += [(child, below) for child in children]
    return clusters


def _clicks_between_top_pages(transitions: Transitions, max_pages: int) -> CSR:
    """The clicks between the pages that are viewed most."""
    counts, page_count = transitions.counts, len(transitions.graph.pages)
    kept = np.zeros(page_count, bool)
    kept[np.argsort(-transitions.views, kind="stable")[:max_pages]] = True
    source = counts.row_ids()
    both = kept[source] & kept[counts.ids]
    weights = link_weights(counts)[both]
    return build_csr(source[both], counts.ids[both], weights, page_count, self_links=True)


def _clusters_table(
    transitions: Transitions, chain: MarkovChain, clusters: list[Cluster], views: Offsets
) -> pa.Table:
    """A row for each cluster, below its parent, with its most viewed pages."""
    rows = []
    for number, cluster in enumerate(clusters):
        order = np.lexsort((cluster.items, -views[cluster.items]))
        leading = chain.pages[cluster.items[order[:LISTED_MEMBERS]]]
        rows.append(
            {
                "cluster": number,
                "parent": None if cluster.parent < 0 else cluster.parent,
                "level": cluster.level,
                "similarity": cluster.similarity,
                "pages": len(cluster.items),
                "views": int(views[cluster.items].sum()),
                "leading pages": [transitions.graph.pages[int(page)] for page in leading],
            }
        )
    return pa.Table.from_pylist(rows, CLUSTER_SCHEMA)


def _pages_table(
    transitions: Transitions, chain: MarkovChain, innermost: Offsets, views: Offsets
) -> pa.Table:
    """The smallest cluster of each page that is in one, clusters in order, most viewed first."""
    inside = np.flatnonzero(innermost >= 0)
    order = inside[np.lexsort((inside, -views[inside], innermost[inside]))]
    names = transitions.graph.names.take(pa.array(chain.pages[order]))
    return pa.table([names, innermost[order], views[order]], schema=PAGES_SCHEMA)
