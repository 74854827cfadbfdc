"""Leave pages that were not captured out of groups."""

from dataclasses import replace

import numpy as np

from weft.core.arrays import Flags, Ids
from weft.core.text import pluralise
from weft.graph.webgraph import WebGraph
from weft.groups.group import Group, Groups, LinkCounts, add_site_diversity
from weft.kernels.reciprocity import count_induced_links

MAX_WORTH_FETCHING = 20


def drop_uncaptured(groups: Groups) -> Groups:
    """Groups of captured pages; the best of the others are listed as worth fetching.

    Groups without a captured page are left out; the order stays. Links of
    uncaptured pages have counted in the scores of the others, and leave the
    group.
    """
    uncaptured = groups.base.graph.uncaptured
    if uncaptured is None or not np.any(uncaptured):
        return groups
    captured = ~np.asarray(uncaptured)
    kept, set_aside = (
        [_captured_members(group, captured, groups.base.graph) for group in own]
        for own in (groups.groups, groups.set_aside)
    )
    left_out = sum(not len(group) for group in kept)
    count = pluralise(left_out, groups.noun)
    note = [f"{count} of pages that were not captured left out"] if left_out else []
    return replace(
        groups,
        groups=_recount_sites(groups, kept),
        set_aside=_recount_sites(groups, set_aside),
        notes=(*groups.notes, *note),
    )


def _recount_sites(groups: Groups, captured: list[Group]) -> tuple[Group, ...]:
    """The groups that have pages; sites are counted again, reasons to be tightly knit stay."""
    remaining = [group for group in captured if len(group)]
    counted = iter(add_site_diversity(groups.base, [g for g in remaining if g.sites]))
    made = list[Group]()
    for group in remaining:
        if group.sites and (sites := next(counted).sites):
            made.append(replace(group, sites=replace(sites, tightly_knit=group.sites.tightly_knit)))
        else:
            made.append(group)
    return tuple(made)


def _captured_members(group: Group, captured: Flags, graph: WebGraph) -> Group:
    kept = captured[group.members]
    if kept.all():
        return group
    others, votes = group.members[~kept], group.authority[~kept]
    best = np.argsort(-np.round(votes, 12), kind="stable")[:MAX_WORTH_FETCHING]
    best = best[votes[best] > 0]
    members = group.members[kept]
    return replace(
        group,
        members=members,
        authority=group.authority[kept],
        hub=group.hub[kept],
        links=_count_links(graph, members) if group.links else None,
        trust=None if group.trust is None else group.trust[kept],
        vote_score=None if group.vote_score is None else group.vote_score[kept],
        uncaptured=others[best],
        uncaptured_votes=votes[best],
    )


def _count_links(graph: WebGraph, members: Ids) -> LinkCounts:
    outlinks, inlinks = graph.outlinks, graph.inlinks
    internal, _ = count_induced_links(
        (np.asarray(outlinks.starts), np.asarray(outlinks.ids)),
        (np.asarray(inlinks.starts), np.asarray(inlinks.ids)),
        members,
        len(graph),
    )
    return LinkCounts(
        int(internal),
        int(graph.outdegrees()[members].sum()) - int(internal),
        int(graph.indegrees()[members].sum()) - int(internal),
    )
