"""Outlinks of one site that another does not have, by URL and by domain."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Ids, Offsets, link_positions
from weft.gather.url import domain, site
from weft.graph.levels import load_graph
from weft.graph.link_facts import read_anchor_texts
from weft.sites.measures import UnexpectedTargets, find_unexpected_targets
from weft.sites.site import Site
from weft.store.collection import Collection

MIN_SITEWIDE_SHARE, MIN_SITEWIDE_PAGES = 0.5, 10
MAX_ANCHORS, MAX_EXAMPLE_PAGES, MAX_ANCHOR_LINKS = 3, 3, 200
PAGE_COUNT_COLUMNS = [("pages", pa.int64()), ("share", pa.float64())]
EXAMPLE_COLUMNS = [("anchors", pa.string()), ("examples", pa.string())]
LINKS_SCHEMA = pa.schema(
    [("url", pa.string()), ("title", pa.string()), *PAGE_COUNT_COLUMNS, *EXAMPLE_COLUMNS]
)
DOMAINS_SCHEMA = pa.schema(
    [("domain", pa.string()), *PAGE_COUNT_COLUMNS, ("urls", pa.int64()), *EXAMPLE_COLUMNS]
)


@dataclass(frozen=True, slots=True, eq=False)
class SiteLinks:
    """The links of some pages as arrays, and the URLs of their targets.

    `target_groups` are the targets themselves, or the numbers of their domains.
    """

    collection: Collection
    sources: Ids
    targets: Ids
    target_groups: Offsets
    target_urls: dict[int, str]

    @classmethod
    def of(cls, collection: Collection, pages: Ids) -> "SiteLinks":
        """All links of some pages."""
        rows = load_graph(collection).outlinks
        at, sources = link_positions(rows, pages)
        targets = np.asarray(rows.ids[at])
        distinct = np.unique(targets)
        urls = collection.pages["url"].take(pa.array(distinct)).to_pylist()
        target_urls = dict(zip(distinct.tolist(), urls, strict=True))
        return cls(collection, sources, targets, targets.astype(np.int64), target_urls)

    def select(self, kept: Flags) -> "SiteLinks":
        """The links for which a flag is set."""
        return replace(
            self,
            sources=self.sources[kept],
            targets=self.targets[kept],
            target_groups=self.target_groups[kept],
        )

    def select_target_group(self, group: int) -> "SiteLinks":
        """The links to one target, or to one domain."""
        return self.select(self.target_groups == group)

    def summarize(self, site_size: int) -> dict[str, Any]:
        """How many pages have such links, the most common anchor texts, and example pages."""
        pages = np.unique(self.sources)
        sample = self.select(np.arange(len(self.sources)) < MAX_ANCHOR_LINKS)
        # the pages at both ends of each link, and the position of these ends
        at = np.arange(len(sample.sources), dtype=np.int32)
        ends = np.concatenate([sample.sources, sample.targets])
        _, texts = read_anchor_texts(self.collection, ends, at, at + len(at))
        counts = Counter(" ".join(text.split()) for text in texts.to_pylist())
        anchors = sorted(filter(None, counts), key=lambda text: (-counts[text], text))
        urls = self.collection.pages["url"].take(pa.array(pages[:MAX_EXAMPLE_PAGES])).to_pylist()
        return {
            "pages": len(pages),
            "share": len(pages) / site_size,
            "anchors": " | ".join(anchors[:MAX_ANCHORS]),
            "examples": " ".join(urls),
        }


@dataclass(frozen=True, slots=True, eq=False)
class LinkComparison:
    """The targets that their pages link to and mine do not, as tables with total counts.

    `sitewide_count` is how many targets most of their pages link to.
    """

    links_table: pa.Table
    domains_table: pa.Table
    url_count: int
    domain_count: int
    sitewide_count: int
    pages_linking_to_mine: int


def compare_outlinks(
    collection: Collection, mine: Site, theirs: Site, expected: frozenset[str], top: int
) -> LinkComparison:
    """Find the URLs and domains that their pages link to and mine do not.

    Links inside either site do not count, nor links to `expected` URLs and
    domains. Sitewide links, which more than half of their pages have, come last.
    """
    my_links = SiteLinks.of(collection, mine.pages)
    their_links = SiteLinks.of(collection, theirs.pages)
    links = their_links.select(_leaves_both_sites(their_links, mine, theirs, expected))
    size = len(theirs.pages)
    urls = find_unexpected_targets(my_links.target_groups, links.sources, links.target_groups)
    domain_ids, names = _domain_ids_and_names({**my_links.target_urls, **links.target_urls})
    my_domains = np.array([domain_ids[target] for target in my_links.target_urls], np.int64)
    their_domains = np.array([domain_ids[target] for target in links.targets.tolist()], np.int64)
    by_domain = replace(links, target_groups=their_domains)
    domains = find_unexpected_targets(my_domains, by_domain.sources, by_domain.target_groups)
    return LinkComparison(
        _link_table(links, _move_sitewide_last(urls, size)[:top], size),
        _domain_table(by_domain, names, _move_sitewide_last(domains, size)[:top], size),
        len(urls.targets),
        len(domains.targets),
        int(np.count_nonzero(_is_sitewide(urls, size))),
        len(np.unique(their_links.sources[np.isin(their_links.targets, mine.all_pages)])),
    )


def _leaves_both_sites(
    links: SiteLinks, mine: Site, theirs: Site, expected: frozenset[str]
) -> Flags:
    """Which links lead out of both sites, to what is not expected."""
    homes = {
        site(url)
        for own_site in (mine, theirs)
        for url in links.collection.pages["url"].take(pa.array(own_site.pages)).to_pylist()
    }
    outside = [
        number
        for number, url in links.target_urls.items()
        if site(url) not in homes and url not in expected and domain(url) not in expected
    ]
    inside = np.union1d(mine.all_pages, theirs.all_pages)
    return np.isin(links.targets, outside) & ~np.isin(links.targets, inside)


def _domain_ids_and_names(urls: dict[int, str]) -> tuple[dict[int, int], list[str]]:
    """Number the domains of pages by name; the number of each page's, and the names."""
    domains = {number: domain(url) for number, url in urls.items()}
    names = sorted(set(domains.values()))
    place = {name: k for k, name in enumerate(names)}
    return {number: place[name] for number, name in domains.items()}, names


def _is_sitewide(targets: UnexpectedTargets, site_size: int) -> Flags:
    return (targets.pages >= MIN_SITEWIDE_PAGES) & (targets.pages > MIN_SITEWIDE_SHARE * site_size)


def _move_sitewide_last(unexpected: UnexpectedTargets, site_size: int) -> list[int]:
    """The targets in their order, sitewide ones last."""
    order = np.argsort(_is_sitewide(unexpected, site_size), kind="stable")
    targets: list[int] = unexpected.targets[order].tolist()
    return targets


def _link_table(links: SiteLinks, targets: list[int], site_size: int) -> pa.Table:
    titles = links.collection.pages["title"].take(pa.array(targets, pa.int64())).to_pylist()
    rows = [
        {
            "url": links.target_urls[target],
            "title": title,
            **links.select_target_group(target).summarize(site_size),
        }
        for target, title in zip(targets, titles, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=LINKS_SCHEMA)


def _domain_table(
    links: SiteLinks, domain_names: list[str], targets: list[int], site_size: int
) -> pa.Table:
    rows = []
    for target in targets:
        to_domain = links.select_target_group(target)
        urls = len(np.unique(to_domain.targets))
        summary = to_domain.summarize(site_size)
        rows.append({"domain": domain_names[target], "urls": urls, **summary})
    return pa.Table.from_pylist(rows, schema=DOMAINS_SCHEMA)
