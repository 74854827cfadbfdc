"""Fish-search and shark-search: a school of fish that breeds where there is food."""

from typing import Annotated

from pydantic import Field

from weft.core.register import Dimensions, method
from weft.crawl.crawl import Crawl, CrawlTask, FetchedPage, Known, Scores
from weft.gather.url import host

MaxIrrelevant = Annotated[
    int, Field(ge=1, le=1000, description="how many irrelevant pages in a row are followed")
]
Width = Annotated[int, Field(ge=1, le=10_000, description="how many links of a page come first")]
MinSimilarity = Annotated[
    float, Field(ge=0, lt=1, description="pages more similar to the topic than this are relevant")
]
Share = Annotated[float, Field(ge=0, le=1, description="share that a link inherits from its page")]
AnchorShare = Annotated[
    float, Field(ge=0, le=1, description="weight of the anchor text against its context")
]
InheritedShare = Annotated[
    float, Field(ge=0, le=1, description="weight of the inherited score against the anchor's")
]
RELEVANT_WIDTH = 1.5
FISH_DIMENSIONS = Dimensions(
    "vector space",
    "similarity",
    "best-first search",
    "whole web",
    ("web crawling",),
    data="links and content",
)


@method("crawl", "fish", cites="debra1994", dimensions=FISH_DIMENSIONS)
def fish(task: CrawlTask, *, max_irrelevant: MaxIrrelevant = 3, width: Width = 10) -> Crawl:
    """Follow relevant pages first, give up on irrelevant paths.

    The links of a relevant page go to the front of the list, the first 1.5 x
    width of them; those of an irrelevant one behind them, the first `width`;
    all others to the end. A path of more than `max_irrelevant` irrelevant pages ends.
    Links to other sites are preferred.
    """
    return task.run(FishSearch(task, max_irrelevant, width), "fish")


class FishSearch:
    """Keeps the order of fish-search's list as scores: bands, and the newest first in a band."""

    batch_size = 1

    def __init__(self, task: CrawlTask, depth: int, width: int) -> None:
        self.topic, self.depth, self.width = task.topic, depth, width
        self.depths: dict[int, int] = {}
        self.newest = 0

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Score the links of a page, unless it is the last irrelevant one of a path."""
        relevant = self.topic.is_relevant(page.relevance)
        depth = self.depth if relevant else self.depths.get(page.number, self.depth) - 1
        if depth < 0:
            return Scores((), ())
        self.newest += 1
        own = host(known.urls[page.number])
        targets = sorted(page.targets, key=lambda target: host(known.urls[target]) == own)
        width = int(RELEVANT_WIDTH * self.width) if relevant else self.width
        recency = 1 - 1 / (1 + self.newest)  # below one, and higher for newer pages
        first = 2 + recency if relevant else 1 + recency
        for target in targets:
            self.depths[target] = max(depth, self.depths.get(target, 0))
        return Scores(targets, [first if k < width else 0.0 for k in range(len(targets))])


@method("crawl", "shark", cites="hersovici1998", dimensions=FISH_DIMENSIONS)
def shark(
    task: CrawlTask,
    *,
    max_irrelevant: MaxIrrelevant = 3,
    inherit: Share = 0.5,
    anchor_weight: AnchorShare = 0.8,
    inherited_weight: InheritedShare = 0.5,
    min_similarity: MinSimilarity = 1e-3,
) -> Crawl:
    """Score links by inherited relevance, anchor and context.

    The potential of a link is w · inherited + (1 - w) · (a · anchor + (1 - a) · context).
    It inherits a share of the similarity of its page, or, from an irrelevant page,
    of what that page inherited. The context counts as one where the anchor
    is similar to the topic at all. A path of more than `max_irrelevant` irrelevant pages ends.
    """
    strategy = SharkSearch(
        task, max_irrelevant, inherit, anchor_weight, inherited_weight, min_similarity
    )
    return task.run(strategy, "shark")


def shark_potential(  # noqa: PLR0913  the symbols of the formula
    page_similarity: float,
    inherited_by_page: float,
    anchor: float,
    context: float,
    *,
    inherit: float = 0.5,
    anchor_weight: float = 0.8,
    inherited_weight: float = 0.5,
    min_similarity: float = 0.0,
) -> tuple[float, float]:
    """What a link inherits, and its potential score.

    Examples
    --------
    >>> inherited, potential = shark_potential(0.7302967433, 1.0, anchor=0.5, context=0.9)
    >>> round(inherited, 10), round(potential, 10)
    (0.3651483717, 0.4825741858)
    """
    relevant = page_similarity > min_similarity
    inherited = inherit * (page_similarity if relevant else inherited_by_page)
    context = 1.0 if anchor > min_similarity else context
    neighbourhood = anchor_weight * anchor + (1 - anchor_weight) * context
    return inherited, inherited_weight * inherited + (1 - inherited_weight) * neighbourhood


class SharkSearch:
    """Scores links by shark-search's potential, and remembers what each URL inherits."""

    batch_size = 1

    def __init__(
        self,
        task: CrawlTask,
        depth: int,
        inherit: float,
        anchor_weight: float,
        inherited_weight: float,
        min_similarity: float,
    ) -> None:
        self.topic, self.depth, self.min_similarity = task.topic, depth, min_similarity
        self.weights = {
            "inherit": inherit,
            "anchor_weight": anchor_weight,
            "inherited_weight": inherited_weight,
            "min_similarity": min_similarity,
        }
        self.depths: dict[int, int] = {}
        self.inherited: dict[int, tuple[float, float]] = {}  # potential and inherited score

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Score the links of a page, unless it is the last irrelevant one of a path."""
        del known
        similarity = self.topic.similarity(page.page)
        relevant = similarity > self.min_similarity
        depth = self.depth if relevant else self.depths.get(page.number, self.depth) - 1
        if depth < 0:
            return Scores((), ())
        inherited_by_page = self.inherited.get(page.number, (1.0, 1.0))[1]
        anchors, contexts = self.topic.link_similarities(page.page)
        potentials = []
        for target, row in zip(page.targets, page.link_rows.tolist(), strict=True):
            inherited, potential = shark_potential(
                similarity,
                inherited_by_page,
                float(anchors[row]),
                float(contexts[row]),
                **self.weights,
            )
            potentials.append(potential)
            best = (potential, inherited)
            self.inherited[target] = max(best, self.inherited.get(target, best))
            self.depths[target] = max(depth, self.depths.get(target, 0))
        return Scores(page.targets, potentials)
