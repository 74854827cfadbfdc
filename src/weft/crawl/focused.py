"""Focused crawling: a classifier decides what is relevant, a distiller finds hubs."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from weft.core.arrays import Floats, Ids
from weft.core.register import Dimensions, method
from weft.crawl.crawl import Crawl, CrawlTask, FetchedPage, Known, Scores
from weft.gather.url import host

Focus = Annotated[
    Literal["soft", "hard"],
    Field(description="follow links of relevant pages first (soft), or only those (hard)"),
]
DistilEvery = Annotated[
    int, Field(ge=0, le=10**6, description="find hubs after this many pages; 0: never")
]
TopHubs = Annotated[int, Field(ge=1, le=10**6, description="how many of the best hubs are used")]
MinAuthorityRelevance = Annotated[
    float, Field(ge=0, lt=1, description="pages of less relevance are no authorities")
]
DISTILLER_ITERATIONS = 50


@method(
    "crawl",
    "focused",
    cites="chakrabarti1999",
    dimensions=Dimensions(
        "hubs and authorities",
        "hub and authority scores",
        "HITS",
        "whole web",
        ("web crawling", "topic distillation"),
        data="links and content",
    ),
)
def focused(
    task: CrawlTask,
    *,
    focus: Focus = "soft",
    distil_every: DistilEvery = 250,
    top_hubs: TopHubs = 20,
    min_relevance: MinAuthorityRelevance = 0.1,
) -> Crawl:
    """Follow the links of relevant pages, and of good hubs.

    The score of a URL is the highest relevance of a page that links to it. With hard
    focus only the links of pages that belong to the topic are followed. At
    intervals the distiller finds hubs by relevance-weighted HITS on the links
    between sites: hubs are fetched again, and what they link to comes next.
    """
    strategy = FocusedCrawl(task, focus, distil_every, top_hubs, min_relevance)
    return task.run(strategy, "focused")


class FocusedCrawl:
    """Scores links by the relevance of their page, those of the best hubs above all others."""

    batch_size = 1

    def __init__(
        self, task: CrawlTask, focus: str, distil_every: int, top_hubs: int, min_relevance: float
    ) -> None:
        self.topic, self.is_hard = task.topic, focus == "hard"
        self.distil_every, self.top_hubs, self.min_relevance = distil_every, top_hubs, min_relevance
        self.distilled_at = 0

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Score the links of a page, and at intervals those of the best hubs."""
        fetched = len(known.out_links)
        if self.distil_every and fetched - self.distilled_at >= self.distil_every:
            self.distilled_at = fetched
            return self._score_hub_links(page, known)
        if self.is_hard and not self.topic.is_relevant(page.relevance):
            return Scores((), ())
        return Scores(page.targets, [page.relevance] * len(page.targets))

    def _score_hub_links(self, page: FetchedPage, known: Known) -> Scores:
        scores = dict.fromkeys(page.targets, page.relevance)
        if self.is_hard and not self.topic.is_relevant(page.relevance):
            scores = {}
        pages, hubs = find_hubs(known, self.min_relevance)
        best = np.argsort(-hubs, kind="stable")[: self.top_hubs]
        best = best[hubs[best] > 0]
        for k in best.tolist():
            for target in known.out_links[pages[k]].tolist():
                scores[target] = max(scores.get(target, 0.0), 1 + float(hubs[k]))
        revisit = [pages[k] for k in best.tolist()]
        return Scores(list(scores), list(scores.values()), revisit=revisit)


def find_hubs(known: Known, min_relevance: float) -> tuple[list[int], Floats]:
    """The fetched pages and their hub scores, by the links between different sites.

    Where all pages are on one site, all links count.
    """
    pages = list(known.out_links)
    slot = np.full(len(known.urls), -1, np.int32)
    slot[pages] = np.arange(len(pages))
    sites = np.unique([host(known.urls[number]) for number in pages], return_inverse=True)[1]
    source = np.repeat(np.arange(len(pages)), [len(row) for row in known.out_links.values()])
    target = slot[np.concatenate([*known.out_links.values(), np.zeros(0, np.int32)])]
    counts = target >= 0
    if sites.max(initial=0) > 0:
        counts &= sites[source] != sites[target]
    relevance = np.array([known.relevance[number] for number in pages])
    hubs, _ = distil(relevance, source[counts], target[counts], min_relevance)
    return pages, hubs


def distil(
    relevance: Sequence[float] | Floats, source: Ids, target: Ids, min_relevance: float = 0.1
) -> tuple[Floats, Floats]:
    """Hub and authority scores of pages by HITS weighted with relevance.

    A link from u to v passes R(v) of the hub score of u forward, and R(u) of the
    authority score of v back. So no endorsement leaks from a good hub to an
    irrelevant page, or from a good authority to an irrelevant hub. Both sum to one.

    Examples
    --------
    >>> links = np.array([(0, 3), (0, 4), (1, 3), (2, 4)]).T
    >>> hubs, authorities = distil([0.9, 0.8, 0.1, 0.7, 0.6], *links)
    >>> hubs.round(4).tolist()
    [0.6224, 0.3525, 0.0251, 0.0, 0.0]
    """
    weight = np.asarray(relevance, float)
    size = len(weight)
    forward = np.where(weight > min_relevance, weight, 0.0)[target]
    backward = weight[source]
    hubs = np.full(size, 1 / max(size, 1))
    authorities = np.zeros(size)
    for _ in range(DISTILLER_ITERATIONS):
        authorities = _normalise(np.bincount(target, hubs[source] * forward, size))
        hubs = _normalise(np.bincount(source, authorities[target] * backward, size))
    return hubs, authorities


def _normalise(values: npt.NDArray[Any]) -> Floats:
    total = values.sum()
    scaled: Floats = values / total if total > 0 else values.astype(float)
    return scaled
