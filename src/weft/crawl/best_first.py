"""Best-first crawling: links are worth as much as the page that they are on."""

from typing import Annotated

from pydantic import Field

from weft.core.register import Dimensions, method
from weft.crawl.crawl import Crawl, CrawlTask, FetchedPage, Known, Scores

BatchSize = Annotated[int, Field(ge=1, le=10_000, description="how many URLs are taken at once")]
BEST_FIRST_DIMENSIONS = Dimensions(
    "vector space",
    "similarity",
    "best-first search",
    "whole web",
    ("web crawling",),
    data="links and content",
)


@method("crawl", "best-first", cites="menczer2001", dimensions=BEST_FIRST_DIMENSIONS)
def best_first(task: CrawlTask) -> Crawl:
    """Fetch first what is linked from the most relevant pages.

    The score of a URL is the relevance of the page where it was found, the highest
    where there are several: its cosine with the topic, or the probability of a
    classifier where there are examples of the topic and of others.
    """
    return task.run(BestFirst(), "best-first")


@method("crawl", "n-best", cites="pant2002", dimensions=BEST_FIRST_DIMENSIONS)
def n_best(task: CrawlTask, *, n: BatchSize = 256) -> Crawl:
    """Fetch the N best URLs at once, then score what they link to.

    With N = 1 it is best-first. A larger N explores more: a page that looks
    irrelevant is fetched although better links turn up meanwhile.
    """
    return task.run(BestFirst(n), "n-best")


class BestFirst:
    """Scores links by the relevance of their page."""

    def __init__(self, batch_size: int = 1) -> None:
        self.batch_size = batch_size

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Score the links of a page."""
        del known
        return Scores(page.targets, [page.relevance] * len(page.targets))
