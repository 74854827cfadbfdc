"""Where the pages of one site link to and those of another do not."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from weft.core.arrays import Flags, Ids, Offsets
from weft.gather.url import domain, site
from weft.graph.among import places
from weft.graph.anchors import read_said
from weft.graph.levels import load
from weft.run.sites import Site
from weft.store.collection import Collection
from weft.structure.sites import Outward, unexpected_links

EVERYWHERE, FEW = 0.5, 10
WORDS, PAGES, LOOKED_AT = 3, 3, 200
COUNTED = [("pages", pa.int64()), ("share", pa.float64())]
TOLD = [("anchors", pa.string()), ("examples", pa.string())]
LINKS = pa.schema([("url", pa.string()), ("title", pa.string()), *COUNTED, *TOLD])
DOMAINS = pa.schema([("domain", pa.string()), *COUNTED, ("urls", pa.int64()), *TOLD])


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The links of some pages: their ends, where each leads as a whole, and the URLs of targets.

    `groups` are the targets themselves, or their domains as numbers.
    """

    collection: Collection
    sources: Ids
    targets: Ids
    groups: Offsets
    urls: dict[int, str]

    @classmethod
    def of(cls, collection: Collection, pages: Ids) -> "Links":
        """Those of some pages, wherever they lead."""
        rows = load(collection).outlinks
        at, sources = places(rows, pages)
        targets = np.asarray(rows.ids[at])
        ends = np.unique(targets)
        urls = collection.pages["url"].take(pa.array(ends)).to_pylist()
        named = dict(zip(ends.tolist(), urls, strict=True))
        return cls(collection, sources, targets, targets.astype(np.int64), named)

    def where(self, kept: Flags) -> "Links":
        """Some of them."""
        sources, targets = self.sources[kept], self.targets[kept]
        return Links(self.collection, sources, targets, self.groups[kept], self.urls)

    def to(self, group: int) -> "Links":
        """Those that lead to one target, or one domain."""
        return self.where(self.groups == group)

    def told(self, size: int) -> dict[str, Any]:
        """How many pages have links, what these mostly say, and the first pages."""
        first = np.unique(self.sources)
        some = self.where(np.arange(len(self.sources)) < LOOKED_AT)
        k = np.arange(len(some.sources), dtype=np.int32)
        ends = np.concatenate([some.sources, some.targets])
        _, said = read_said(self.collection, ends, k, k + len(k))
        words = Counter(" ".join(anchor.split()) for anchor in said.to_pylist())
        best = sorted((text for text in words if text), key=lambda text: (-words[text], text))
        pages = self.collection.pages["url"].take(pa.array(first[:PAGES])).to_pylist()
        return {
            "pages": len(first),
            "share": len(first) / size,
            "anchors": " | ".join(best[:WORDS]),
            "examples": " ".join(pages),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Outside:
    """What links of theirs lead to that mine do not, as tables; how many in all.

    `everywhere` are links that most of their pages have, `to_mine` pages of
    theirs that link to mine.
    """

    links: pa.Table
    domains: pa.Table
    urls_found: int
    domains_found: int
    everywhere: int
    to_mine: int


def outside(
    collection: Collection, mine: Site, theirs: Site, known: frozenset[str], top: int
) -> Outside:
    """The URLs and domains that their pages link to and mine do not.

    Links inside either site do not count, nor those to what is known: a URL,
    or the name of a domain. Those that more than half of their pages have, as
    in a footer, come last.
    """
    own, every = Links.of(collection, mine.pages), Links.of(collection, theirs.pages)
    links, size = every.where(_leaving(every, mine, theirs, known)), len(theirs.pages)
    urls = unexpected_links(own.groups, links.sources, links.groups)
    number, names = _domains({**own.urls, **links.urls})
    visited = np.array([number[target] for target in own.urls], np.int64)
    reached = np.array([number[target] for target in links.targets.tolist()], np.int64)
    by_domain = replace(links, groups=reached)
    domains = unexpected_links(visited, by_domain.sources, by_domain.groups)
    return Outside(
        _link_table(links, _ordered(urls, size)[:top], size),
        _domain_table(by_domain, names, _ordered(domains, size)[:top], size),
        len(urls.targets),
        len(domains.targets),
        int(np.count_nonzero(_everywhere(urls, size))),
        len(np.unique(every.sources[np.isin(every.targets, mine.everything)])),
    )


def _leaving(links: Links, mine: Site, theirs: Site, known: frozenset[str]) -> Flags:
    """Which links lead out of both sites, and not to what is known."""
    homes = {
        site(url)
        for one in (mine, theirs)
        for url in links.collection.pages["url"].take(pa.array(one.pages)).to_pylist()
    }
    away = [
        number
        for number, url in links.urls.items()
        if site(url) not in homes and url not in known and domain(url) not in known
    ]
    inside = np.union1d(mine.everything, theirs.everything)
    return np.isin(links.targets, away) & ~np.isin(links.targets, inside)


def _domains(urls: dict[int, str]) -> tuple[dict[int, int], list[str]]:
    """The domain of each page as a number, and the names of these."""
    domains = {number: domain(url) for number, url in urls.items()}
    names = sorted(set(domains.values()))
    place = {name: k for k, name in enumerate(names)}
    return {number: place[name] for number, name in domains.items()}, names


def _everywhere(found: Outward, size: int) -> Flags:
    return (found.pages >= FEW) & (found.pages > EVERYWHERE * size)


def _ordered(found: Outward, size: int) -> list[int]:
    """The targets found, those that nearly all pages link to last."""
    order = np.argsort(_everywhere(found, size), kind="stable")
    targets: list[int] = found.targets[order].tolist()
    return targets


def _link_table(links: Links, targets: list[int], size: int) -> pa.Table:
    titles = links.collection.pages["title"].take(pa.array(targets, pa.int64())).to_pylist()
    rows = [
        {"url": links.urls[target], "title": title, **links.to(target).told(size)}
        for target, title in zip(targets, titles, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=LINKS)


def _domain_table(links: Links, names: list[str], targets: list[int], size: int) -> pa.Table:
    rows = []
    for target in targets:
        some = links.to(target)
        urls = len(np.unique(some.targets))
        rows.append({"domain": names[target], "urls": urls, **some.told(size)})
    return pa.Table.from_pylist(rows, schema=DOMAINS)
