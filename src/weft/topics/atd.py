"""Topics by A-H-A clustering: an authority, its hubs, and what else these link to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import CSR, Ids
from weft.core.params import MaxIter, Tol
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine import CLOSED_FORM, SingularPair, Trace
from weft.graph.baseset.baseset import BaseSet
from weft.groups.group import Group, add_site_diversity
from weft.groups.groups import Groups
from weft.kernels.atd_clusters import extract_clusters
from weft.topics.grouped_hits import hits_per_group

MinSize = Annotated[int, Field(ge=2, description="minimum number of pages in a cluster")]
MinSupport = Annotated[
    int, Field(ge=1, description="hubs of a cluster that must link to a page to add it")
]


@dataclass(frozen=True, slots=True)
class AhaCluster:
    """One cluster: the start page, its main authority, the hubs, and what these add."""

    start_page: int
    main_authority: int
    hubs: Sequence[int]
    other_authorities: Sequence[int]

    @property
    def pages(self) -> list[int]:
        """All pages of the cluster."""
        return [self.main_authority, *self.hubs, *self.other_authorities]

    @property
    def sorted_pages(self) -> Ids:
        """All pages of the cluster, ascending."""
        return np.sort(np.array(self.pages, np.int32))

    def __len__(self) -> int:
        return 1 + len(self.hubs) + len(self.other_authorities)


@method(
    "topics",
    "atd",
    cites="wu",
    dimensions=Dimensions(
        model="hubs and authorities",
        metric="hub and authority scores",
        algorithm="clustering",
        scope="multiple pages",
        applications=("topic distillation", "web communities"),
    ),
)
def atd(
    base: BaseSet,
    *,
    min_size: MinSize = 20,
    min_support: MinSupport = 1,
    tol: Tol = 1e-10,
    max_iter: MaxIter = 1000,
) -> Groups:
    """Find disjoint topics by A-H-A clustering, with HITS inside.

    Each iteration starts at the page with most out-links, takes the most linked
    page among its targets as the main authority, then all hubs that link to it,
    then all authorities that these hubs link to. The cluster is removed before
    the next iteration counts links again. Ties go to the first page by number.
    It ends when no link is left. Topics are ordered by size; the pages of
    clusters smaller than `min_size` are set aside together.

    Examples
    --------
    >>> found = atd([("a", "x"), ("a", "y"), ("b", "x"), ("c", "z")], min_size=3)
    >>> [len(topic) for topic in found], found.set_aside[0].reason
    ([4], '2 pages in 1 cluster of fewer than 3')
    """
    clusters = list(extract_aha_clusters(base.graph.outlinks, base.graph.inlinks, min_support))
    large = [cluster for cluster in clusters if len(cluster) >= min_size]
    pairs = hits_per_group(base.graph, [cluster.sorted_pages for cluster in large], tol, max_iter)
    ordered = sorted(
        zip(large, pairs, strict=True), key=lambda both: (-len(both[0]), -round(both[1].value, 9))
    )
    topics = [cluster_to_topic(base, cluster, pair) for cluster, pair in ordered]
    trace = worst_trace([pair.trace for pair in pairs])
    return Groups(
        "topics",
        "atd",
        base,
        add_site_diversity(base, topics),
        trace,
        collect_small_clusters(base, clusters, min_size),
    )


def extract_aha_clusters(outlinks: CSR, inlinks: CSR, min_support: int = 1) -> Iterator[AhaCluster]:
    """Extract clusters one by one until no link is left among the remaining pages."""
    clusters = extract_clusters(outlinks, inlinks, min_support)
    start_pages, hub_counts = clusters.start_nodes.tolist(), clusters.hub_counts.tolist()
    for k, (start, end) in enumerate(pairwise(clusters.starts.tolist())):
        [main_authority, *others] = clusters.nodes[start:end].tolist()
        yield AhaCluster(
            start_pages[k], main_authority, others[: hub_counts[k]], others[hub_counts[k] :]
        )


def cluster_to_topic(base: BaseSet, cluster: AhaCluster, pair: SingularPair) -> Group:
    """Build the topic of a cluster from the singular vectors of its links."""
    facts = {
        "start page": base.pages[cluster.start_page],
        "main authority": base.pages[cluster.main_authority],
        "singular value": pair.value,
    }
    size = float(len(cluster))
    return Group(cluster.sorted_pages, pair.target, pair.source, size, facts=facts)


def collect_small_clusters(
    base: BaseSet, clusters: Sequence[AhaCluster], min_size: int
) -> tuple[Group, ...]:
    """Collect the pages of small clusters in one topic that is set aside.

    Their scores are their in-degree and out-degree inside their cluster.
    """
    small = [cluster for cluster in clusters if len(cluster) < min_size]
    if not small:
        return ()
    labels = np.full(len(base), -1, np.int32)
    for number, cluster in enumerate(small):
        labels[cluster.pages] = number
    rows = base.graph.outlinks
    source = rows.row_ids().astype(np.int64)
    is_inside = (labels[source] >= 0) & (labels[source] == labels[rows.ids])
    members = np.flatnonzero(labels >= 0).astype(np.int32)
    indegrees, outdegrees = (
        np.bincount(ends[is_inside], minlength=len(base))[members].astype(float)
        for ends in (rows.ids, source)
    )
    size = f"{pluralise(len(members), base.level)} in {pluralise(len(small), 'cluster')}"
    reason = f"{size} of fewer than {min_size}"
    return (Group(members, indegrees, outdegrees, 0.0, reason=reason, is_remainder=True),)


def worst_trace(traces: Sequence[Trace]) -> Trace:
    """The trace of an iteration that did not converge, or else of the longest one."""
    return max(
        traces, key=lambda trace: (not trace.converged, trace.iterations), default=CLOSED_FORM
    )
