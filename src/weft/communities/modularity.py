"""Communities of high modularity, found by the Leiden algorithm."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from weft.communities.build import build_communities
from weft.core.arrays import CSR, Floats, Ids
from weft.core.params import Seed, Weighted
from weft.core.register import Dimensions, method
from weft.core.text import pluralise
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.graph.views import undirected_edges
from weft.groups.group import Group, LinkCounts
from weft.groups.groups import Groups

Resolution = Annotated[
    float, Field(ge=0.001, le=100, description="higher values give more, smaller communities")
]
Iterations = Annotated[int, Field(ge=1, le=100, description="iterations of the Leiden algorithm")]
MinSize = Annotated[int, Field(ge=1, description="minimum number of pages in a community")]

MIN_CLEAR_MODULARITY = 0.2


@method(
    "communities",
    "modularity",
    cites="traag2019",
    dimensions=Dimensions(
        model="community",
        metric="density of links",
        algorithm="clustering",
        scope="multiple pages",
        applications=("web communities",),
    ),
)
def modularity(
    base: BaseSet,
    *,
    resolution: Resolution = 1.0,
    min_size: MinSize = 2,
    iterations: Iterations = 2,
    seed: Seed = 0,
    weighted: Weighted = True,
) -> Groups:
    """Partition the pages to maximise modularity (Leiden).

    The direction of links is ignored. The modularity of a partition is the
    share of links inside communities, minus the share expected if links were
    drawn at random between pages of the same degrees. The Leiden algorithm
    looks for a partition of high modularity in which each community is
    connected. Pages without links, and communities smaller than `min_size`,
    are left out. In a very large graph small communities can be merged into
    larger ones (the resolution limit): a higher resolution separates them.

    Examples
    --------
    >>> ring = [("a", "b"), ("b", "c"), ("c", "a")]
    >>> found = modularity([*ring, *((s.upper(), t.upper()) for s, t in ring), ("a", "A")])
    >>> found.group_of_page.tolist(), round(found.facts["modularity"], 4)
    ([0, 0, 0, 1, 1, 1], 0.3571)
    """
    from weft.kernels import leiden  # noqa: PLC0415  loads the compiler

    edges = undirected_edges(base.graph, weighted=weighted)
    labels = leiden.leiden(edges, resolution, seed, iterations)
    sets = large_groups_from_labels(labels, min_size)
    value = leiden.modularity(edges, labels)
    unassigned = len(base) - sum(map(len, sets))
    facts: dict[str, Any] = {
        "modularity": value,
        "links inside": share_of_edges_inside(edges, labels),
        "communities": len(sets),
        "unassigned pages": unassigned,
    }
    notes = unassigned_page_notes(edges, unassigned, min_size, "without links that count")
    if sets and value < MIN_CLEAR_MODULARITY:
        low = f"modularity {value:.2f}: hardly more links inside communities than by chance"
        notes = (low, *notes)
    communities = tuple(
        replace(community, facts=_share_inside_facts(community))
        for community in build_communities(base, sets)
    )
    return Groups(
        "communities", "modularity", base, communities, CLOSED_FORM, facts=facts, notes=notes
    )


def _share_inside_facts(community: Group) -> dict[str, float]:
    links = community.links or LinkCounts(0, 0, 0)
    link_ends = 2 * links.internal + links.outgoing + links.incoming
    return {"share inside": 2 * links.internal / max(link_ends, 1)}


def large_groups_from_labels(labels: Ids, min_size: int) -> list[Ids]:
    """The members, ascending, of each group of at least `min_size`.

    Groups must be numbered in descending order of size, as `leiden` does.
    """
    order = np.argsort(labels, kind="stable").astype(np.int32)
    sizes = np.bincount(labels)
    group_count = int(np.count_nonzero(sizes >= min_size))
    ends = np.cumsum(sizes[:group_count])
    return [order[end - size : end] for end, size in zip(ends, sizes[:group_count], strict=True)]


def share_of_edges_inside(edges: CSR, labels: Ids) -> float:
    """The share of the total edge weight that lies inside groups."""
    weights = _edge_weights(edges)
    inside = weights[labels[edges.row_ids()] == labels[edges.ids]].sum()
    return float(inside / weights.sum()) if len(weights) else 0.0


def unassigned_page_notes(
    edges: CSR, unassigned: int, min_size: int, isolated_text: str
) -> tuple[str, ...]:
    """Notes on pages in no community: those without edges, and those in small ones.

    `isolated_text` describes the pages without edges.
    """
    isolated = int(np.count_nonzero(np.diff(edges.starts) == 0))
    in_small = unassigned - isolated
    notes = [
        (isolated, f"{pluralise(isolated, 'page')} {isolated_text}: in no community"),
        (in_small, f"{pluralise(in_small, 'page')} in communities below {min_size} pages"),
    ]
    return tuple(text for count, text in notes if count > 0)


def _edge_weights(edges: CSR) -> Floats:
    return (
        np.ones(len(edges.ids)) if edges.weights is None else np.asarray(edges.weights, np.float64)
    )
