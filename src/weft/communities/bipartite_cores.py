"""Bipartite cores: sets of centres that enough fans link to, after cleaning the links."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from weft.core.arrays import (
    CSR,
    Flags,
    Ids,
    Offsets,
    csr_from_keys,
    link_keys,
    pack_pairs,
    sort_unique,
    unpack_first_ids,
)
from weft.graph.levels import encode_domains
from weft.graph.link_facts import PageTraits, find_mirrors, select_rare_links
from weft.graph.views import Dropped
from weft.graph.webgraph import NumericNames, WebGraph, transpose
from weft.kernels.bipartite_cores import IdTable, common_fans, enumerate_cores, prune_to_fixed_point

MinFans = Annotated[int, Field(ge=1, le=1000, description="minimum number of fans of a core")]
CentresPerCore = Annotated[int, Field(ge=2, le=20, description="number of centres of a core")]
SiteRule = Annotated[
    Literal["auto", "domain", "page"],
    Field(
        description="what is one site, whose internal links are ignored; auto: a domain, unless "
        "few links leave it"
    ),
]
MinSites = Annotated[int, Field(ge=0, description="minimum number of sites that a fan links to")]
MaxInlinks = Annotated[
    int, Field(ge=0, description="maximum number of in-links of a centre; 0: no limit")
]
MirrorRule = Annotated[
    Literal["drop", "keep"],
    Field(description="drop or keep fans with nearly all links of another fan"),
]
NepotismRule = Annotated[
    Literal["drop", "keep"],
    Field(description="drop or keep cores with fans on fewer than min_fans sites"),
]
MaxSets = Annotated[
    int, Field(ge=1000, description="sets of centres to try; beyond it each centre gets a share")
]
CORES_PER_BATCH = 1 << 16
MIN_CROSS_SITE_SHARE = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class CoreLinks:
    """The links that count for cores, and what was dropped.

    `cross_site_links` lead from one site to another, to pages that are not too
    popular; `outlinks` and `inlinks` are those of them whose source can be a
    fan. `site_ids` is the site of each page.
    """

    cross_site_links: CSR
    outlinks: CSR
    inlinks: CSR
    site_ids: Ids
    dropped: tuple[Dropped, ...]

    @property
    def is_every_page_a_site(self) -> bool:
        """Whether each page is a site of its own."""
        return len(np.unique(self.site_ids)) == len(self.site_ids)


@dataclass(frozen=True, slots=True, eq=False)
class CoreResult:
    """The centres of each core, one row per core, and how they were found.

    `known_fans` are the fans of each core by the links that count,
    `fan_site_counts` the number of their sites. `counts` says what each step
    pruned and left; `nepotistic_count` is the number of cores dropped because
    their fans are on too few sites.
    """

    graph: WebGraph
    centres: IdTable
    known_fans: CSR
    fan_site_counts: Offsets
    links: CoreLinks
    counts: dict[str, int]
    nepotistic_count: int

    def fans_by_group(self, group: Ids, group_count: int) -> CSR:
        """All fans of each group of cores: pages that link to all centres of one of its cores.

        `group` is the group of each core, -1 for none. Here all links of the
        graph count, also those that the cleaning dropped.
        """
        core_ids = np.flatnonzero(group >= 0)
        keys = [np.zeros(0, np.int64)]
        for start in range(0, len(core_ids), CORES_PER_BATCH):
            batch = core_ids[start : start + CORES_PER_BATCH]
            fans = common_fans(self.graph.inlinks, self.centres[batch])
            fan_groups = np.repeat(group[batch], np.diff(fans.starts))
            keys.append(np.unique(pack_pairs(fan_groups, fans.ids)))
        return csr_from_keys(np.unique(np.concatenate(keys)), None, group_count)

    def to_table(self, top: int = 1000) -> pa.Table:
        """One row per core, those with fans on most sites first: its centres and all its fans."""
        order = np.argsort(-self.fan_site_counts, kind="stable")[:top]
        group = np.full(len(self), -1, np.int32)
        group[order] = np.arange(len(order), dtype=np.int32)
        fans, names = self.fans_by_group(group, len(order)), self.graph.names
        starts = np.arange(len(order) + 1) * self.centres.shape[1]
        centres, fan_names = (
            pa.LargeListArray.from_arrays(offsets, names.take(pa.array(ids)))
            for offsets, ids in ((starts, self.centres[order].ravel()), fans[:2])
        )
        sites = pa.array(self.fan_site_counts[order], pa.int64())
        return pa.table({"centres": centres, "fans": fan_names, "sites": sites})

    def __len__(self) -> int:
        return len(self.centres)

    def __repr__(self) -> str:
        return f"<{len(self):,} cores with {self.centres.shape[1]} centres>"


def find_cores(
    graph: WebGraph,
    *,
    min_fans: MinFans = 3,
    centres: CentresPerCore = 3,
    site: SiteRule = "auto",
    min_sites: MinSites = 6,
    max_inlinks: MaxInlinks = 50,
    mirrors: MirrorRule = "drop",
    nepotism: NepotismRule = "drop",
    max_sets: MaxSets = 2_000_000,
) -> CoreResult:
    """Find every set of centres that enough fans, on enough sites, link to.

    Links are cleaned first. A page can be a fan of one core and a centre of
    another. Cores are in ascending order of their centres.

    Examples
    --------
    >>> web = WebGraph.from_links([(fan, page) for fan in "abc" for page in "xyz"])
    >>> find_cores(web, min_sites=0).to_table().to_pylist()
    [{'centres': ['x', 'y', 'z'], 'fans': ['a', 'b', 'c'], 'sites': 3}]
    """
    links = filter_core_links(graph, site, min_sites, max_inlinks)
    if mirrors == "drop":
        links = drop_mirror_fans(links, (min_fans, centres))
    cores = enumerate_cores(links.outlinks, links.inlinks, (min_fans, centres), max_sets)
    fans = common_fans(links.inlinks, cores.centres)
    sites = count_fan_sites(fans, links.site_ids, np.arange(len(fans.starts) - 1))
    kept = sites >= min_fans
    if nepotism == "keep" or kept.all():
        return CoreResult(graph, cores.centres, fans, sites, links, cores.counts, 0)
    fan_counts = np.diff(fans.starts)
    starts = np.concatenate([[0], np.cumsum(fan_counts[kept])])
    kept_fans = CSR(starts, fans.ids[np.repeat(kept, fan_counts)])
    dropped, centre_sets = int(np.count_nonzero(~kept)), cores.centres[kept]
    return CoreResult(graph, centre_sets, kept_fans, sites[kept], links, cores.counts, dropped)


def filter_core_links(graph: WebGraph, site: str, min_sites: int, max_inlinks: int) -> CoreLinks:
    """Drop links inside sites, links to popular pages, and links from pages that are no fans."""
    site_ids, rows, n = assign_sites(graph, site), graph.outlinks, len(graph)
    ends, dropped = (rows.row_ids(), np.asarray(rows.ids)), list[Dropped]()

    def drop(links: Flags, reason: str, pages: int = 0) -> tuple[Ids, Ids]:
        if not links.any():
            return ends
        dropped.append(Dropped(reason, pages, int(links.sum())))
        return ends[0][~links], ends[1][~links]

    ends = drop(site_ids[ends[0]] == site_ids[ends[1]], "inside one site")
    # counted before popular targets go: linking to them makes a page no less of a fan
    is_fan = _count_distinct(ends[0], site_ids[ends[1]], n) >= min_sites
    is_popular = np.bincount(ends[1], minlength=n) > (max_inlinks or n)
    ends = drop(is_popular[ends[1]], "too popular to be a centre", int(is_popular.sum()))
    cross_site = csr_from_keys(pack_pairs(*ends), None, n)
    is_no_fan = (np.diff(cross_site.starts) > 0) & ~is_fan
    few_sites = f"linking to fewer than {min_sites} sites"
    ends = drop(is_no_fan[ends[0]], few_sites, int(is_no_fan.sum()))
    outlinks = csr_from_keys(pack_pairs(*ends), None, n)
    return CoreLinks(cross_site, outlinks, transpose(outlinks, n), site_ids, tuple(dropped))


def drop_mirror_fans(core_links: CoreLinks, core_size: tuple[int, int]) -> CoreLinks:
    """Drop fans that share nearly all their links with another fan.

    Only pages that can be in a core are compared, and no two of the same site:
    cores with fans on few sites are dropped anyway.
    """
    out, into, n = core_links.outlinks, core_links.inlinks, len(core_links.site_ids)
    fans = np.flatnonzero(prune_to_fixed_point(out, into, core_size)[0] >= 0).astype(np.int32)
    traits = PageTraits(core_links.site_ids[fans], np.full(len(fans), -1, np.int32))
    mirrors = fans[find_mirrors(out, select_rare_links(out, into), fans, traits) >= 0]
    if not len(mirrors):
        return core_links
    drop = np.isin(out.row_ids(), mirrors)
    dropped = Dropped("mirrors of another fan", len(mirrors), int(drop.sum()))
    kept = csr_from_keys(link_keys(out)[~drop], None, n)
    every = (*core_links.dropped, dropped)
    return replace(core_links, outlinks=kept, inlinks=transpose(kept, n), dropped=every)


def count_fan_sites(fans: CSR, site_ids: Ids, group: Ids | Offsets) -> Offsets:
    """Number of sites of the fans of each group of cores."""
    fan_groups: Offsets = np.repeat(group, np.diff(fans.starts))
    return _count_distinct(fan_groups, site_ids[fans.ids], int(group.max(initial=-1)) + 1)


def _count_distinct(group: Ids | Offsets, values: Ids, group_count: int) -> Offsets:
    """Number of distinct values of each group."""
    pairs = sort_unique(pack_pairs(group, values))
    return np.bincount(unpack_first_ids(pairs), minlength=group_count)


def assign_sites(graph: WebGraph, site: str) -> Ids:
    """The site of each page as a number: its registrable domain, or the page itself."""
    pages = np.arange(len(graph), dtype=np.int32)
    if site == "page" or isinstance(graph.pages, NumericNames) or not len(graph):
        return pages
    domains, _ = encode_domains(graph.names)
    if site == "auto":
        source = np.repeat(domains, np.diff(graph.outlinks.starts))
        leaving = np.count_nonzero(source != domains[graph.outlinks.ids])
        if leaving < MIN_CROSS_SITE_SHARE * len(source):
            return pages
    return domains
