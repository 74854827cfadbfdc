"""Topic drift on single base sets: are authorities on topic if their words are hidden.

from benchmarks.topics.drift import halves, judge_topics
for half in halves("cheese"):
    print(judge_topics(half, method(half.base)))
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

import weft.rank
from benchmarks.topics.mixed import base_set
from benchmarks.topics.sets import SETS, LinkSet, read_set
from weft.core.arrays import Flags, Floats, Ids, argsort_descending, round_significant
from weft.core.register import find_method
from weft.gather.url import domain, host, site
from weft.graph.baseset.baseset import LINKED_FROM, BaseSet
from weft.graph.webgraph import WebGraph
from weft.groups.groups import Groups
from weft.rank import Ranking

FIRST = 10
RIVALS = (
    "indegree by sites",
    "hits",
    "bharat-henzinger, no text",
    "bharat-henzinger, with text",
    "salsa",
    "pagerank",
)


@dataclass(frozen=True, slots=True, eq=False)
class Half:
    """A base set with the words of some pages hidden, and what is true of all pages.

    `site` numbers the true sites. Pages have the same numbers as in the set.
    """

    name: str
    base: BaseSet
    hidden: Flags
    on_topic: Flags
    site: Ids
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Drift:
    """How many of the first ten authorities among hidden pages are on topic, and their support.

    Support is the number of sites that link to one of the ten, divided by the
    number for the ten most linked pages that are hidden and on topic.
    """

    on_topic: int
    support: float


def halves(path: Path | str, count: int = 20) -> Iterator[Half]:
    """A set with one half of its pages hidden after another; a name stands for that of the data."""
    found = next((each for each in SETS if each.name == str(path)), Path(path))
    web = read_set(found)
    for seed in range(count):
        yield half_of(web, hidden_half(len(web), seed), seed)


def hidden_half(n: int, seed: int) -> Flags:
    """Half of some pages, drawn by a seed."""
    hidden = np.zeros(n, bool)
    hidden[np.random.default_rng(seed).permutation(n)[: n // 2]] = True
    return hidden


def half_of(web: LinkSet, hidden: Flags, seed: int = 0) -> Half:
    """A set with the titles, addresses and flags of some pages hidden from the method.

    A hidden page has no title and no text, its address says only which pages
    are of the same host, domain and site, and it counts as a page that others
    link to. Visible pages keep theirs, so that a site with pages of both
    kinds looks like two.
    """
    masks = neutral(web.pages)
    seen = replace(
        web,
        pages=[m if hid else p for m, p, hid in zip(masks, web.pages, hidden, strict=True)],
        titles=["" if hid else t for t, hid in zip(web.titles, hidden, strict=True)],
        origin=np.where(hidden, LINKED_FROM, web.origin).astype(np.int32),
    )
    graph = WebGraph.from_arrays(seen.pages, web.source, web.target)
    base = base_set(graph, [seen], [np.arange(len(web), dtype=np.int32)])
    texts = ["" if hid else t for t, hid in zip(base.texts, hidden, strict=True)]
    base = replace(base, read_texts=lambda: texts)
    name = next(iter(web.sets))
    return Half(name, base, hidden, web.on_topic(), numbered(map(site, web.pages)), seed)


def neutral(pages: Sequence[str]) -> list[str]:
    """Addresses without words that are of one host, domain or site where the true ones are.

    Examples
    --------
    >>> neutral(["http://www.a.com/x", "http://www.a.com/~me/y", "http://b.org/"])
    ['http://h1.d0.example/p0', 'http://h1.d0.example/~m2/p1', 'http://h0.d1.example/p2']
    """
    hosts, domains, sites = (numbered(map(key, pages)) for key in (host, domain, site))
    return [
        f"http://h{h}.d{d}.example/{f'~m{s}/' if site(page) != domain(page) else ''}p{at}"
        for at, (page, h, d, s) in enumerate(zip(pages, hosts, domains, sites, strict=True))
    ]


def numbered(names: Iterable[str]) -> Ids:
    """Names as numbers, in their order."""
    return np.unique(list(names), return_inverse=True)[1].astype(np.int32)


def judge(half: Half, authority: Floats) -> Drift:
    """Judge an order of all pages by its first ten among the hidden ones."""
    order = argsort_descending(round_significant(authority))
    return judge_pages(half, order[half.hidden[order]][:FIRST])


def judge_topics(half: Half, topics: Groups) -> Drift:
    """Judge the first topic; where it has fewer than ten hidden authorities, those."""
    found = topics[0].authorities(len(half.base)) if len(topics) else np.zeros(0, np.int32)
    return judge_pages(half, found[half.hidden[found]][:FIRST])


def judge_pages(half: Half, ten: Ids) -> Drift:
    """Judge at most ten pages."""
    eligible = half.hidden & half.on_topic
    linked = linking_sites(half.base.graph, half.site)
    best = argsort_descending(np.where(eligible, linked, -1.0))[: min(FIRST, int(eligible.sum()))]
    graph, reach = half.base.graph, max(supporters(half.base.graph, half.site, best), 1)
    return Drift(int(half.on_topic[ten].sum()), supporters(graph, half.site, ten) / reach)


def supporters(graph: WebGraph, sites: Ids, pages: Ids) -> int:
    """How many sites link to at least one of some pages."""
    rows = graph.inlinks
    linking = [rows.ids[rows.starts[page] : rows.starts[page + 1]] for page in pages.tolist()]
    return len(np.unique(sites[np.concatenate([np.zeros(0, np.int32), *linking])]))


def linking_sites(graph: WebGraph, sites: Ids) -> Floats:
    """How many sites link to each page."""
    target = np.repeat(np.arange(len(graph), dtype=np.int64), np.diff(graph.inlinks.starts))
    pairs = np.unique(sites[graph.inlinks.ids].astype(np.int64) << 32 | target)
    return np.bincount(pairs & 0xFFFFFFFF, minlength=len(graph)).astype(np.float64)


def rival(half: Half, name: str) -> Floats:
    """The authorities of a ranking that knows no topics, on what the method sees."""
    base = half.base
    if name == "indegree by sites":
        return linking_sites(base.graph, numbered(map(site, base.pages)))
    if name.startswith("bharat-henzinger"):
        with_text = name.endswith("with text")
        return weft.rank.bharat_henzinger(base, weigh_by_relevance=with_text).score("authority")
    method = find_method("rank", name)
    ranking = cast("Ranking", method(base if method.input_type is BaseSet else base.graph))
    return ranking.score()
