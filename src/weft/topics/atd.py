"""Topics by A-H-A clustering: an authority, the hubs that point to it, what else these point to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Ids, Rows
from weft.core.dimensions import Dimensions
from weft.core.methods import method
from weft.core.params import Limit, Tolerance
from weft.core.wording import count
from weft.engine import CLOSED, Pair, Trace
from weft.engine.aha import take_out
from weft.graph.baseset import BaseSet
from weft.topics.groups import hits_inside
from weft.topics.tkc import with_sites
from weft.topics.topic import Topic, Topics

Least = Annotated[int, Field(ge=2, description="leave out clusters with fewer pages")]
Support = Annotated[
    int, Field(ge=1, description="how many hubs of a cluster must link to a page to bring it in")
]


@dataclass(frozen=True, slots=True)
class Cluster:
    """What one round took out: the page it began at, the authority, the hubs, what these add."""

    opening: int
    centre: int
    hubs: Sequence[int]
    added: Sequence[int]

    @property
    def pages(self) -> list[int]:
        """All its pages."""
        return [self.centre, *self.hubs, *self.added]

    @property
    def members(self) -> Ids:
        """All its pages, ascending."""
        return np.sort(np.array(self.pages, np.int32))

    def __len__(self) -> int:
        return 1 + len(self.hubs) + len(self.added)


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
    least: Least = 20,
    min_support: Support = 1,
    tolerance: Tolerance = 1e-10,
    limit: Limit = 1000,
) -> Topics:
    """Find topics that share no page, by A-H-A clustering with HITS inside each cluster.

    Each round begins at the page with most links, takes the most linked
    authority among the pages it links to, then all hubs that link to that
    authority, then all authorities that these hubs link to, and takes the
    whole cluster out before the next round counts links again. Of equals the
    first by number is taken. It goes on until no link is left. Topics stand by their
    size; pages of clusters below the least size are set aside together.

    Examples
    --------
    >>> found = atd([("a", "x"), ("a", "y"), ("b", "x"), ("c", "z")], least=3)
    >>> [len(topic) for topic in found], found.aside[0].reason
    ([4], '2 pages in 1 cluster of fewer than 3')
    """
    clusters = list(rounds(base.graph.outlinks, base.graph.inlinks, min_support))
    large = [cluster for cluster in clusters if len(cluster) >= least]
    pairs = hits_inside(base.graph, [cluster.members for cluster in large], tolerance, limit)
    topics = [topic_of(base, *both) for both in zip(large, pairs, strict=True)]
    topics.sort(key=lambda topic: (-len(topic), -round(topic.facts["singular value"], 9)))
    trace = longest([pair.trace for pair in pairs])
    return Topics("atd", base, with_sites(base, topics), trace, left(base, clusters, least))


def rounds(outlinks: Rows, inlinks: Rows, support: int = 1) -> Iterator[Cluster]:
    """The clusters of each round, until no link is left among the pages that remain."""
    found = take_out(outlinks, inlinks, support)
    opening, hubs = found.opening.tolist(), found.hubs.tolist()
    for k, (begin, end) in enumerate(pairwise(found.starts.tolist())):
        [centre, *others] = found.nodes[begin:end].tolist()
        yield Cluster(opening[k], centre, others[: hubs[k]], others[hubs[k] :])


def topic_of(base: BaseSet, cluster: Cluster, pair: Pair) -> Topic:
    """A cluster as a topic, with the hubs and authorities inside it."""
    facts = {
        "opening": base.pages[cluster.opening],
        "centre": base.pages[cluster.centre],
        "singular value": pair.value,
    }
    size = float(len(cluster))
    return Topic(cluster.members, pair.target, pair.source, size, facts=facts)


def left(base: BaseSet, clusters: Sequence[Cluster], least: int) -> tuple[Topic, ...]:
    """The pages of clusters that are too small, as one topic that was set aside.

    Their scores are how many links each has to and from the others of its cluster.
    """
    small = [cluster for cluster in clusters if len(cluster) < least]
    if not small:
        return ()
    home = np.full(len(base), -1, np.int32)
    for number, cluster in enumerate(small):
        home[cluster.pages] = number
    rows = base.graph.outlinks
    source = rows.owners().astype(np.int64)
    own = (home[source] >= 0) & (home[source] == home[rows.ids])
    members = np.flatnonzero(home >= 0).astype(np.int32)
    into, out = (
        np.bincount(ends[own], minlength=len(base))[members].astype(float)
        for ends in (rows.ids, source)
    )
    size = f"{count(len(members), base.level)} in {count(len(small), 'cluster')}"
    reason = f"{size} of fewer than {least}"
    return (Topic(members, into, out, 0.0, reason=reason),)


def longest(traces: Sequence[Trace]) -> Trace:
    """How the iteration ended that did worst: one not settled, or else the longest."""
    return max(traces, key=lambda trace: (not trace.converged, trace.rounds), default=CLOSED)
