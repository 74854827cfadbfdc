"""Crawl orders that ask for no topic: breadth-first, back-links, PageRank, location."""

from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats
from weft.core.register import Dimensions, method
from weft.crawl.crawl import Crawl, CrawlTask, FetchedPage, Known, LinkStrategy, Scores
from weft.gather.page import Link
from weft.gather.url import host
from weft.graph.webgraph import WebGraph
from weft.rank.pagerank import pagerank as rank_by_pagerank

RecomputeEvery = Annotated[
    int, Field(ge=1, le=100_000, description="recompute after this many fetched pages")
]
PAGERANK_TOL = 1e-6


@method(
    "crawl",
    "breadth-first",
    cites="najork2001",
    dimensions=Dimensions(
        "whole graph", "distance between pages", "graph traversal", "whole web", ("web crawling",)
    ),
)
def breadth_first(task: CrawlTask) -> Crawl:
    """Fetch pages in the order of their distance from the seeds.

    Among pages at the same distance, those found first come first. It finds
    pages with many in-links early, since many paths lead to them.
    """
    return task.run(BreadthFirst(), "breadth-first")


class BreadthFirst:
    """Scores a URL by its distance from the seeds, with a minus sign."""

    batch_size = 1

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Score the links of a page."""
        return Scores(page.targets, [-float(known.depth(target)) for target in page.targets])


@method(
    "crawl",
    "backlink-count",
    cites="cho1998",
    dimensions=Dimensions("single node", "in-degree", "counting", "whole web", ("web crawling",)),
)
def backlink_count(task: CrawlTask) -> Crawl:
    """Fetch first what most of the fetched pages link to."""
    return task.run(BacklinkCount(), "backlink-count")


class BacklinkCount:
    """Scores a URL by the number of fetched pages that link to it."""

    batch_size = 1

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Score the links of a page."""
        return Scores(page.targets, [float(known.parents.count(t)) for t in page.targets])


@method(
    "crawl",
    "pagerank",
    cites="cho1998",
    dimensions=Dimensions("single node", "PageRank", "PageRank", "whole web", ("web crawling",)),
)
def pagerank(task: CrawlTask, *, recompute_every: RecomputeEvery = 100) -> Crawl:
    """Fetch the highest PageRank on the known links first.

    PageRank is computed anew at intervals, with URLs that wait as pages without
    links. Between, a URL gets the sum of PR(p)/outdegree(p) over its known parents.
    """
    return task.run(PageRankOrder(recompute_every), "pagerank")


class PageRankOrder:
    """Scores URLs by PageRank on the graph known so far."""

    batch_size = 1

    def __init__(self, recompute_every: int) -> None:
        self.recompute_every = recompute_every
        self.ranks: Floats = np.zeros(0)

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Score the links of a page, and at intervals all URLs that wait."""
        if len(known.out_links) % self.recompute_every == 0:
            self.ranks = _known_pagerank(known)
            waiting = known.waiting
            return Scores(waiting, self.ranks[waiting].tolist(), replace=True)
        values = [
            sum(self._rank(p, known) / len(known.out_links[p]) for p in known.parents[target])
            for target in page.targets
        ]
        return Scores(page.targets, values, replace=True)

    def _rank(self, number: int, known: Known) -> float:
        """The PageRank of a page; pages found since it was computed have an equal share."""
        return float(self.ranks[number]) if number < len(self.ranks) else 1 / len(known.urls)


def _known_pagerank(known: Known) -> Floats:
    sizes = [len(targets) for targets in known.out_links.values()]
    sources = np.repeat(np.fromiter(known.out_links, np.int32, len(known.out_links)), sizes)
    targets = np.concatenate([*known.out_links.values(), np.zeros(0, np.int32)]).astype(np.int32)
    graph = WebGraph.from_arrays(len(known.urls), sources, targets)
    return next(iter(rank_by_pagerank(graph, tol=PAGERANK_TOL).scores.values()))


@method(
    "crawl",
    "location",
    cites="cho1998",
    dimensions=Dimensions(
        "single node", "distance between pages", "counting", "whole web", ("web crawling",)
    ),
)
def location(task: CrawlTask) -> Crawl:
    """Fetch first the URLs with the fewest slashes, a baseline.

    Among equals come URLs on a host under .com, or that contain *home*.
    """
    return task.run(LinkStrategy(_score_location), "location")


def _score_location(link: Link, page: FetchedPage) -> float:
    del page
    path = link.target.partition("://")[2].rstrip("/")
    preferred = host(link.target).endswith(".com") or "home" in link.target.lower()
    return preferred / 2 - path.count("/")
