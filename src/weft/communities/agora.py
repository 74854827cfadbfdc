"""Agora pages: pages between communities that several of them link to."""

from dataclasses import replace
from typing import Annotated, Literal, cast

import numpy as np
from pydantic import Field

from weft.core.arrays import (
    Flags,
    Floats,
    Ids,
    argsort_descending,
    link_positions,
    pack_pairs,
    round_significant,
    unpack_first_ids,
)
from weft.core.register import Dimensions, find_method, method
from weft.core.text import pluralise
from weft.graph.baseset.baseset import BaseSet
from weft.graph.levels import voter_ids
from weft.groups.group import BridgePage, Group
from weft.groups.groups import Groups
from weft.rank.pagerank import pagerank

BaseMethod = Annotated[
    Literal["hits", "modularity", "friends", "trawling"],
    Field(description="method that finds the communities"),
]
PagesPerCommunity = Annotated[
    int, Field(ge=1, description="archive pages per community: those of highest PageRank")
]
MinCommunities = Annotated[
    int, Field(ge=2, description="minimum number of communities that link to an agora page")
]
MIN_INSIDE_SHARE = 0.5
SEARCH_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


@method(
    "communities",
    "agora",
    cites="matsumura2001",
    dimensions=Dimensions(
        model="community",
        metric="PageRank",
        algorithm="PageRank",
        scope="multiple pages",
        applications=("web communities",),
    ),
)
def agora(
    base: BaseSet,
    *,
    base_method: BaseMethod = "hits",
    pages_per_community: PagesPerCommunity = 1,
    min_communities: MinCommunities = 2,
) -> Groups:
    """Find pages in no community that several communities link to.

    After Matsumura, Ohsawa and Ishizuka, as the survey describes it: the
    archive page of a community is its page of highest PageRank, and an agora
    page is linked from the archive pages of at least two communities. Pages
    with more such communities come first, then those with fewer in-links: new,
    or not yet well known. Communities with the same archive pages count as one.
    Pages on the sites of archive pages are excluded. If communities cover all
    linked pages, a page counts as a member only if most of its links stay in
    its community.

    Examples
    --------
    >>> rings = [(f"{c}{i}", f"{c}{(i + 1) % 3}") for c in "pqr" for i in range(3)]
    >>> back = [(t, s) for s, t in rings]
    >>> meet = [("p0", "x"), ("q0", "x"), ("r0", "x"), ("p0", "y"), ("q0", "y"), ("r1", "y")]
    >>> found = agora([*rings, *back, *meet], base_method="modularity")
    >>> found.to_table()["page"].to_pylist()
    ['x', 'y']
    """
    found = cast("Groups", find_method("communities", base_method)(base))
    page_ranks = pagerank(base.graph).scores["score"] if len(base) else np.zeros(0)
    bridge_pages = find_bridge_pages(
        found, is_community_member(found), page_ranks, pages_per_community, min_communities
    )
    return replace(
        found,
        method="agora",
        notes=(*found.notes, f"{pluralise(len(found), 'community')} by {base_method}"),
        facts={"pages between": len(bridge_pages)},
        groups=tuple(
            _add_top_pagerank_evidence(community, page_ranks, pages_per_community)
            for community in found
        ),
        bridge_pages=bridge_pages,
    )


def is_community_member(communities: Groups) -> Flags:
    """Whether each page is in a community.

    If communities are disjoint and cover all linked pages, only pages with most
    of their links inside their community count.
    """
    labels, graph = communities.group_of_page, communities.base.graph
    is_member = labels >= 0
    has_links = np.diff(graph.outlinks.starts) + np.diff(graph.inlinks.starts) > 0
    if communities.is_overlapping or not is_member[has_links].all():
        return is_member
    return is_member & (share_of_links_inside(communities, labels) > MIN_INSIDE_SHARE)


def share_of_links_inside(communities: Groups, labels: Ids) -> Floats:
    """The share of the links of each page, in both directions, that stay in its community."""
    n = len(labels)
    inside, total = np.zeros(n), np.zeros(n)
    for rows in (communities.base.graph.outlinks, communities.base.graph.inlinks):
        page = rows.row_ids().astype(np.int64)
        inside += np.bincount(page[labels[page] == labels[rows.ids]], minlength=n)
        total += np.diff(rows.starts)
    return inside / np.maximum(total, 1)


def top_pagerank_members(community: Group, page_ranks: Floats, page_count: int) -> Ids:
    """The pages of a community with the highest PageRank."""
    order = argsort_descending(round_significant(page_ranks[community.members]))
    return community.members[order[:page_count]]


def _add_top_pagerank_evidence(community: Group, page_ranks: Floats, page_count: int) -> Group:
    archive = top_pagerank_members(community, page_ranks, page_count)
    return replace(community, evidence={**community.evidence, "archive": archive})


def find_bridge_pages(
    communities: Groups,
    is_member: Flags,
    page_ranks: Floats,
    pages_per_community: int,
    min_communities: int,
) -> tuple[BridgePage, ...]:
    """Find the non-members that archive pages of several communities link to."""
    graph = communities.base.graph
    archives = [top_pagerank_members(c, page_ranks, pages_per_community) for c in communities]
    # communities with the same archive pages get the number of the first of them
    first: dict[bytes, int] = {}
    numbers = [first.setdefault(pages.tobytes(), k) for k, pages in enumerate(archives)]
    number = np.repeat(numbers, [len(pages) for pages in archives])
    page = np.concatenate([np.zeros(0, np.int32), *archives]).astype(np.int32)
    if not len(page):
        return ()
    # out-links of archive pages: community, archive page and target of each
    at, archive = link_positions(graph.outlinks, page)
    community = np.repeat(number, np.diff(graph.outlinks.starts)[page])
    target = np.asarray(graph.outlinks.ids[at])
    # those to non-members on other sites than the archive pages, sorted by target
    site_ids = voter_ids(graph)
    is_outside = ~is_member[target] & ~np.isin(site_ids[target], site_ids[page])
    order = np.flatnonzero(is_outside)[np.argsort(target[is_outside], kind="stable")]
    community, archive, target = community[order], archive[order], target[order]
    # number of communities that link to each page
    pairs = np.unique(pack_pairs(target, community))
    counts = np.bincount(unpack_first_ids(pairs), minlength=len(graph))
    candidates = np.flatnonzero(counts >= min_communities)
    indegrees = np.diff(graph.inlinks.starts)
    best = candidates[np.lexsort((candidates, indegrees[candidates], -counts[candidates]))]
    bounds = [np.searchsorted(target, best, side).tolist() for side in SEARCH_SIDES]
    return tuple(
        BridgePage(
            bridge,
            tuple((np.unique(community[start:end]) + 1).tolist()),
            tuple(np.unique(archive[start:end]).tolist()),
            int(indegrees[bridge]),
            float(page_ranks[bridge]),
        )
        for bridge, start, end in zip(best.tolist(), *bounds, strict=True)
    )
