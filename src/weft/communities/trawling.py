"""Trawling: communities grown from overlapping bipartite cores."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from weft.communities.bipartite_cores import CoreResult, count_fan_sites, find_cores
from weft.communities.build import build_communities
from weft.core.arrays import (
    Floats,
    Ids,
    Offsets,
    argsort_descending,
    csr_from_keys,
    link_positions,
    pack_pairs,
    round_significant,
)
from weft.core.register import Dimensions, inherit_options, method
from weft.core.text import describe_dropped, pluralise
from weft.engine import CLOSED_FORM
from weft.graph.baseset.baseset import BaseSet
from weft.graph.webgraph import WebGraph, induced_links, transpose
from weft.groups.groups import Groups
from weft.kernels.bipartite_cores import IdTable
from weft.kernels.components import weakly_connected_components
from weft.rank.hits import hits

MaxAdded = Annotated[
    int, Field(ge=0, description="maximum number of centres, and of hubs, that HITS adds")
]
MaxCommunities = Annotated[
    int, Field(ge=1, description="maximum number of communities, strongest first")
]

MAX_CORES_SHOWN = 1000


@method(
    "communities",
    "trawling",
    cites="kumar1999",
    dimensions=Dimensions(
        model="bipartite core",
        metric="density of links",
        algorithm="enumeration",
        scope="multiple pages",
        applications=("web communities",),
    ),
)
@inherit_options(find_cores)
def trawling(
    base: BaseSet,
    /,
    *,
    expand: MaxAdded = 10,
    max_communities: MaxCommunities = 100,
    **options: Any,
) -> Groups:
    """Grow communities from bipartite cores of fans and centres.

    A core is a set of centres with enough fans in common: pages that link to
    all of them, often before the centres know of each other. Cores that share
    at least half of their centres form one community. Its members are these
    centres, all pages that link to all centres of one of its cores, and the
    best authorities and hubs that HITS finds around them. The strength of a
    community is the number of sites of its fans. Communities may overlap. Notes
    say which links were dropped and whether the search was cut short.

    Examples
    --------
    >>> found = trawling([(fan, page) for fan in "abc" for page in "xyz"], min_sites=0)
    >>> found.base.page_names(found[0].authorities())
    ['x', 'y', 'z']
    """
    cores = find_cores(base.graph, **options)
    groups, total = group_cores(cores, max_communities)
    if expand:
        groups = list(expand_groups_by_hits(cores, groups, expand))
    communities = build_communities(
        base,
        [group.members for group in groups],
        strength=[float(group.fan_site_count) for group in groups],
        facts=[
            {
                "cores": len(group.core_ids),
                "fans": len(group.fans),
                "centres": len(group.centres),
                "sites of fans": group.fan_site_count,
                "pages added": len(group.members) - len(np.union1d(group.fans, group.centres)),
            }
            for group in groups
        ],
        evidence=[
            {
                "fans": group.fans,
                "centres": group.centres,
                "cores": cores.centres[group.core_ids[:MAX_CORES_SHOWN]],
            }
            for group in groups
        ],
        scores=[group.scores for group in groups if group.scores],
    )
    facts = {"cores": len(cores), "communities": total, **cores.counts}
    notes = trawling_notes(cores, groups, total, options["max_sets"])
    by_default = options["site"] == "auto" and base.level == "page" and len(base)
    if by_default and cores.links.is_every_page_a_site:
        notes = ("each page counts as a site: hardly any link leaves its domain", *notes)
    return Groups(
        "communities", "trawling", base, communities, CLOSED_FORM, facts=facts, notes=notes
    )


@dataclass(frozen=True, slots=True, eq=False)
class CoreGroup:
    """The cores of one community: their numbers, fans, centres and number of fan sites.

    `members` are fans, centres and what HITS added, in ascending order, with
    their authority and hub `scores` once the group was expanded.
    """

    core_ids: Offsets
    fans: Ids
    centres: Ids
    fan_site_count: int
    members: Ids
    scores: tuple[Floats, Floats] | None = None


def group_cores(cores: CoreResult, max_communities: int) -> tuple[list[CoreGroup], int]:
    """Group overlapping cores; return those with fans on most sites, and the number of all."""
    labels = label_overlapping_sets(cores.centres)
    sites = count_fan_sites(cores.known_fans, cores.links.site_ids, labels)
    best = np.argsort(-sites, kind="stable")[:max_communities]
    # renumber the groups: the best from zero on, -1 for the others
    number = np.full(len(sites), -1, np.int32)
    number[best] = np.arange(len(best), dtype=np.int32)
    group = number[labels]
    fans = cores.fans_by_group(group, len(best))
    core_ids = np.flatnonzero(group >= 0)
    centre_groups = np.repeat(group[core_ids], cores.centres.shape[1])
    centres = csr_from_keys(
        np.unique(pack_pairs(centre_groups, cores.centres[core_ids].ravel())), None, len(best)
    )
    order = core_ids[np.argsort(group[core_ids], kind="stable")]
    ends = np.searchsorted(group[order], np.arange(len(best) + 1))
    groups = [
        CoreGroup(
            order[ends[k] : ends[k + 1]],
            (own_fans := fans.row(k)),
            (own_centres := centres.row(k)),
            int(sites[best[k]]),
            np.union1d(own_fans, own_centres),
        )
        for k in range(len(best))
    ]
    return groups, len(sites)


def label_overlapping_sets(sets: IdTable) -> Ids:
    """Label rows of distinct ids; rows that share at least half of their ids get one label.

    Labels are the connected components of a bipartite graph with an edge
    between each row and each of its subsets of half its size, rounded up.

    Examples
    --------
    >>> label_overlapping_sets(np.array([[0, 1, 2], [5, 6, 7], [1, 2, 3]], np.int32)).tolist()
    [0, 1, 0]
    """
    row_count, size = sets.shape
    columns = [list(subset) for subset in combinations(range(size), (size + 1) // 2)]
    subset_ids = _label_distinct_rows(np.concatenate([sets[:, chosen] for chosen in columns]))
    row_ids = np.tile(np.arange(row_count, dtype=np.int64), len(columns))
    node_count = row_count + int(subset_ids.max(initial=-1)) + 1
    edges = csr_from_keys(np.sort(pack_pairs(row_ids, row_count + subset_ids)), None, node_count)
    return weakly_connected_components(edges).labels[:row_count]


def _label_distinct_rows(rows: IdTable) -> Offsets:
    """Number the distinct rows of a table; equal rows get the same number."""
    number = rows[:, 0].astype(np.int64)
    for column in range(1, rows.shape[1]):
        number = np.unique(pack_pairs(number, rows[:, column]), return_inverse=True)[1]
    return np.unique(number, return_inverse=True)[1]


def expand_groups_by_hits(
    cores: CoreResult, groups: list[CoreGroup], max_added: int
) -> Iterator[CoreGroup]:
    """Add to each group the best authorities and hubs around it, by HITS.

    HITS runs on the members, the pages that the fans link to and the pages that
    link to the centres, over links between sites to pages that are not too
    popular.
    """
    out = cores.links.cross_site_links
    into = transpose(out, len(cores.graph))
    for group in groups:
        neighbours = [
            out.ids[link_positions(out, group.fans)[0]],
            into.ids[link_positions(into, group.centres)[0]],
        ]
        pages = np.unique(np.concatenate([group.members, *neighbours]))
        _, source, target = induced_links(out, pages)
        rows = csr_from_keys(pack_pairs(source, target), None, len(pages))
        names = [str(page) for page in pages.tolist()]
        ranking = hits(WebGraph(names, rows, transpose(rows, len(pages))))
        authority, hub = ranking.scores["authority"], ranking.scores["hub"]
        added = []
        for scores in (authority, hub):
            best = argsort_descending(round_significant(scores))[:max_added]
            added.append(pages[best[scores[best] > 0]])
        members = np.unique(np.concatenate([group.members, *added])).astype(np.int32)
        at = np.searchsorted(pages, members)
        yield replace(group, members=members, scores=(authority[at], hub[at]))


def trawling_notes(
    cores: CoreResult, groups: list[CoreGroup], total: int, max_sets: int
) -> tuple[str, ...]:
    """Notes on the links that were dropped, and on where the search was cut short."""
    cut_short, nepotistic = cores.counts["centres cut short"], cores.nepotistic_count
    large = sum(len(group.core_ids) > MAX_CORES_SHOWN for group in groups)
    notes = [
        (not total, "no core found: lower min_fans, centres or min_sites"),
        (
            cut_short,
            f"search cut short for {pluralise(cut_short, 'centre')}: "
            f"more than {max_sets:,} sets of centres to try",
        ),
        (nepotistic, f"{pluralise(nepotistic, 'core')} dropped: fans on too few sites"),
        (total > len(groups), f"{total:,} communities found, the first {len(groups):,} shown"),
        (
            large,
            f"{pluralise(large, 'community')} with more than {MAX_CORES_SHOWN:,} cores: "
            "the first of them are kept as evidence",
        ),
    ]
    dropped = (describe_dropped(d.reason, d.pages, d.links) for d in cores.links.dropped)
    return (*dropped, *(text for applies, text in notes if applies))
