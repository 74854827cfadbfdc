"""Build communities from sets of pages: count their links, score their members."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.core.arrays import (
    Flags,
    Floats,
    Ids,
    Offsets,
    link_positions,
    pack_pairs,
    sort_unique,
    unpack_first_ids,
)
from weft.graph.baseset.baseset import BaseSet
from weft.graph.levels import voter_ids
from weft.graph.webgraph import WebGraph
from weft.groups.group import Group, LinkCounts
from weft.groups.page_sets import PageSets


def build_communities(
    base: BaseSet,
    sets: Sequence[Ids],
    *,
    strength: Sequence[float] = (),
    facts: Sequence[Mapping[str, Any]] = (),
    evidence: Sequence[Mapping[str, Ids]] = (),
    scores: Sequence[tuple[Floats, Floats]] = (),
) -> tuple[Group, ...]:
    """Build a community from each set of pages, the strongest first; ties keep their order.

    Without `strength` they are ordered by size. Without `scores`, which are
    aligned with the ascending members of each set, the score of an authority is the
    number of sites in the community that link to it, that of a hub the number
    of sites it links to; pages are counted instead of sites if most links of
    the graph stay inside sites.
    """
    if not sets:
        return ()
    graph, page_sets = base.graph, PageSets.from_sets(sets, len(base))
    page_ids = page_sets.page_ids
    links = internal_links(graph, page_sets)
    inside = np.bincount(page_sets.set_ids[links.source], minlength=page_sets.set_count)
    outgoing = page_sets.sum_by_set(np.diff(graph.outlinks.starts)[page_ids]) - inside
    incoming = page_sets.sum_by_set(np.diff(graph.inlinks.starts)[page_ids]) - inside
    members = page_sets.split_by_set(page_ids)
    member_scores = scores or list(
        zip(
            *map(page_sets.split_by_set, authority_and_hub_scores(graph, page_sets, links)),
            strict=True,
        )
    )
    strengths = strength or [float(len(pages)) for pages in members]
    communities = [
        Group(
            members[k],
            *member_scores[k],
            float(strengths[k]),
            links=LinkCounts(int(inside[k]), int(outgoing[k]), int(incoming[k])),
            facts=facts[k] if facts else {},
            evidence=evidence[k] if evidence else {},
        )
        for k in range(page_sets.set_count)
    ]
    # rounded to nine digits, so that noise does not order equal strengths
    return tuple(sorted(communities, key=lambda community: -round(community.strength, 9)))


@dataclass(frozen=True, slots=True, eq=False)
class InternalLinks:
    """The links inside sets, by the positions of their ends in a `PageSets`."""

    source: Offsets
    target: Offsets


def internal_links(graph: WebGraph, page_sets: PageSets) -> InternalLinks:
    """The links inside sets; a link inside several sets is listed once per set."""
    rows = graph.outlinks
    at, _ = link_positions(rows, page_sets.page_ids)
    source = np.repeat(np.arange(len(page_sets.page_ids)), np.diff(rows.starts)[page_sets.page_ids])
    target = page_sets.find_positions(page_sets.set_ids[source], np.asarray(rows.ids[at]))
    is_inside: Flags = target >= 0
    return InternalLinks(source[is_inside], target[is_inside])


def authority_and_hub_scores(
    graph: WebGraph, page_sets: PageSets, links: InternalLinks
) -> tuple[Floats, Floats]:
    """In-degree and out-degree of each member inside its set, with one vote per site."""
    site_ids, n = voter_ids(graph), len(page_sets.page_ids)
    directions = ((links.target, links.source), (links.source, links.target))
    if (np.diff(site_ids) > 0).all():  # every page is a site: plain degrees
        degrees = [np.bincount(own, minlength=n) for own, _ in directions]
    else:
        member_sites = site_ids[page_sets.page_ids]
        votes = [sort_unique(pack_pairs(own, member_sites[other])) for own, other in directions]
        degrees = [np.bincount(unpack_first_ids(pairs), minlength=n) for pairs in votes]
    return degrees[0].astype(np.float64), degrees[1].astype(np.float64)
