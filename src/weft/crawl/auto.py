"""The default strategy: learn, as the crawl goes, which links lead to the topic.

A small model predicts the relevance of a URL from what its known parents say of
it. It is fitted on the pages fetched so far, again each time these have grown by
15 %, and scores everything that waits each time they have grown by 2 %, or later
where so much waits that it would take too long.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from weft.core.arrays import Flags, Floats, Ids
from weft.core.errors import BadParameter
from weft.core.register import Dimensions, method
from weft.core.words import GrowingArray
from weft.crawl.crawl import Crawl, CrawlTask, FetchedPage, Known, Scores
from weft.crawl.terms import page_language
from weft.crawl.url_table import NumberedStrings
from weft.gather.fetch.traps import url_pattern

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Model = Callable[[Floats], Floats]
MinPages = Annotated[
    int, Field(ge=5, le=10_000, description="pages to fetch before the model is fitted")
]
RefitGrowth = Annotated[
    float, Field(gt=0, le=10, description="fit again when the pages have grown by this share")
]
RESCORE_GROWTH = 0.02
FREE_SCORES, SCORES_PER_PAGE = 100_000, 400  # how many may be computed for URLs that wait
MIN_CHANGE = 0.03  # of a score, of which the largest are about one, below which it stays
UNSCORED = -1.0  # below every score: until all URLs are scored again
NEIGHBOURS = 3  # links either side on the same page
SUCCESS_PRIOR = 1.0  # pages that a pattern of URLs counts as having given
PRIOR_WEIGHT = 2.0  # pages that the mean relevance counts for, where few are known
RIDGE_PENALTY = 3.0
BOOSTING = {"max_iter": 60, "learning_rate": 0.1, "max_leaf_nodes": 8, "min_samples_leaf": 10}


@method(
    "crawl",
    "auto",
    cites="weft",
    dimensions=Dimensions(
        "probabilistic model",
        "likelihood",
        "best-first search",
        "whole web",
        ("web crawling",),
        data="links and content",
    ),
)
def auto(task: CrawlTask, *, min_pages: MinPages = 20, refit_growth: RefitGrowth = 0.15) -> Crawl:
    """Learn from the crawl which links lead to relevant pages.

    A ridge regression and boosted trees, averaged, predict the relevance of a URL from
    the relevance of the pages that link to it, how good their other links were, the
    links next to it, anchors, their context, and the words of the URL. URLs of a pattern
    under which many were dead links come later. The model
    is fitted anew as the crawl grows. Until `min_pages` pages are fetched a fixed formula decides.
    """
    if not task.topic.is_given:
        raise BadParameter(
            "auto needs a topic", hint="describe it (--topic), or choose breadth-first"
        )
    return task.run(LinkModel(task, min_pages, refit_growth), "auto")


class KnownLinks:
    """The links of all fetched pages as columns: page, target, similarities of the link."""

    def __init__(self) -> None:
        self.page, self.target = GrowingArray(np.int32), GrowingArray(np.int32)
        self.anchor, self.context = GrowingArray(), GrowingArray()
        self.position = GrowingArray()  # on its page, from 0 to 1
        self.degrees: list[int] = []

    def add(self, page: FetchedPage, anchors: Floats, contexts: Floats) -> None:
        """Add the links of a page."""
        count = len(page.targets)
        self.page.extend(np.full(count, len(self.degrees)))
        self.target.extend(page.targets)
        self.anchor.extend(anchors[page.link_rows])
        self.context.extend(contexts[page.link_rows])
        self.position.extend(np.arange(count) / max(count, 1))
        self.degrees.append(count)


class UrlPatterns:
    """URLs by their pattern, and how many of each pattern gave a page or failed."""

    def __init__(self) -> None:
        self._patterns = NumberedStrings()
        self.of_url = GrowingArray(np.int32)
        self._pages, self._failures = GrowingArray(), GrowingArray()
        self._counted_failures = 0

    def extend(self, urls: Sequence[str]) -> None:
        """Take in new URLs."""
        numbers, _ = self._patterns.add(list(map(url_pattern, urls)))
        self.of_url.extend(numbers)
        more = np.zeros(len(self._patterns) - self._pages.size)
        self._pages.extend(more)
        self._failures.extend(more)

    def count_page(self, number: int) -> None:
        """Count a URL that gave a page."""
        self._pages.values[self.of_url.values[number]] += 1

    def count_failures(self, failures: Sequence[int]) -> None:
        """Count the URLs that failed since the last call."""
        new = self.of_url.values[failures[self._counted_failures :]]
        np.add.at(self._failures.values, new, 1)
        self._counted_failures = len(failures)

    def success(self, numbers: npt.NDArray[Any]) -> Floats:
        """The share of pages among the URLs of the same pattern; one while none has failed."""
        patterns = self.of_url.values[numbers]
        failures, pages = self._failures.values[patterns], self._pages.values[patterns]
        share: Floats = 1 - failures / (failures + pages + SUCCESS_PRIOR)
        return share


class LinkModel:
    """Scores all URLs that wait by a model that is fitted on the pages fetched so far."""

    batch_size = 1

    def __init__(self, task: CrawlTask, min_pages: int, refit_growth: float) -> None:
        self.topic, self.min_pages, self.refit_growth = task.topic, min_pages, refit_growth
        self.links, self.url_similarity = KnownLinks(), GrowingArray()
        self.scores = GrowingArray()  # the last ones given, by URL
        self.patterns = UrlPatterns()
        self.pages: list[int] = []
        self.relevance: list[float] = []
        self.model: Model | None = None
        self.fitted_pages = self.scored_pages = self.score_count = 0

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Take in a page; at intervals fit the model and score everything that waits."""
        self.links.add(page, *self.topic.link_similarities(page.page))
        new_urls = known.urls[self.url_similarity.size :]
        if new_urls:
            language = page_language(page.page)
            self.url_similarity.extend(self.topic.url_similarities(new_urls, language))
            self.patterns.extend(new_urls)
        self.patterns.count_page(page.number)
        self.pages.append(page.number)
        self.relevance.append(page.relevance)
        count = len(self.pages)
        limit = FREE_SCORES + SCORES_PER_PAGE * count
        is_soon = count - self.scored_pages < RESCORE_GROWTH * count
        if is_soon or self.score_count + len(known.urls) - count > limit:
            return Scores(page.targets, [UNSCORED] * len(page.targets))
        self.scored_pages = count
        self.score_count += len(known.urls) - count
        self.scores.extend(np.full(len(known.urls) - self.scores.size, UNSCORED))
        self.patterns.count_failures(known.failures)
        return self._score_waiting(known.failures, len(known.urls))

    def _score_waiting(self, failures: Sequence[int], size: int) -> Scores:
        target = squared_ranks(np.array(self.relevance))
        relevance, is_fetched = np.zeros(size), np.zeros(size, bool)
        relevance[self.pages], is_fetched[self.pages] = target, True
        features = link_features(self.links, target, relevance, is_fetched)
        features["url"] = self.url_similarity.values
        table, count = np.stack(list(features.values()), axis=1), len(self.pages)
        if count >= self.min_pages and count >= (1 + self.refit_growth) * self.fitted_pages:
            self.model = fit_relevance(table[self.pages], target)
            self.fitted_pages = count
        has_failed = np.zeros(size, bool)
        has_failed[failures] = True
        waiting = np.flatnonzero(~is_fetched & ~has_failed & (features["parents"] > 0))
        if self.model is None:
            values = _first_guess(features)[waiting]
        else:
            values = self.model(table[waiting]) if len(waiting) else np.zeros(0)
        values = values * np.where(values > 0, self.patterns.success(waiting), 1.0)
        changed = np.abs(values - self.scores.values[waiting]) >= MIN_CHANGE
        waiting, values = waiting[changed], values[changed]
        self.scores.values[waiting] = values
        return Scores(waiting.tolist(), values.tolist(), replace=True)


def squared_ranks(values: Floats) -> Floats:
    """The squares of ranks from 0 to 1: the best pages stand out, whatever the scale.

    Examples
    --------
    >>> squared_ranks(np.array([0.2, 0.9, 0.1, 0.3])).tolist()
    [0.25, 1.0, 0.0625, 0.5625]
    """
    ranks = np.empty(len(values))
    ranks[np.argsort(values, kind="stable")] = np.arange(1, len(values) + 1)
    return (ranks / len(values)) ** 2


def link_features(
    links: KnownLinks, page_relevance: Floats, relevance: Floats, is_fetched: Flags
) -> dict[str, Floats]:
    """What the links into each URL say about it.

    A page that was fetched does not count among its own neighbours, so that its
    features are what they would be had it not been fetched.
    """
    page, target, size = links.page.values, links.target.values, len(relevance)
    degree = np.maximum(np.array(links.degrees, float), 1)
    fetched, known = is_fetched[target].astype(float), relevance[target]
    prior = page_relevance.mean()
    # how relevant the other targets of the page are that were fetched
    count = np.bincount(page, fetched, len(degree))[page] - fetched
    total = np.bincount(page, known, len(degree))[page] - known
    hub = (total + PRIOR_WEIGHT * prior) / (count + PRIOR_WEIGHT)
    parents = np.bincount(target, minlength=size).astype(float)

    def total_of(values: Floats) -> Floats:
        sums: Floats = np.bincount(target, values, size).astype(float)
        return sums

    def mean_of(values: Floats) -> Floats:
        means: Floats = total_of(values) / np.maximum(parents, 1)
        return means

    def maximum_of(values: Floats) -> Floats:
        best = np.zeros(size)
        np.maximum.at(best, target, values)
        return best

    parent = page_relevance[page]
    near, near_count = _neighbour_relevance(page, known, fetched)
    return {
        "parents": np.log1p(parents),
        "parent mean": mean_of(parent),
        "parent maximum": maximum_of(parent),
        "parent sum": total_of(parent / np.sqrt(degree[page])),
        "hub mean": mean_of(hub),
        "hub maximum": maximum_of(hub),
        "hub sum": total_of(parent * hub / np.sqrt(degree[page])),
        "neighbours": (total_of(near) + prior) / (total_of(near_count) + 1),
        "anchor mean": mean_of(links.anchor.values),
        "anchor maximum": maximum_of(links.anchor.values),
        "context mean": mean_of(links.context.values),
        "context maximum": maximum_of(links.context.values),
        "position": mean_of(links.position.values),
        "degree": np.log1p(mean_of(degree[page])),
    }


def _neighbour_relevance(page: Ids, relevance: Floats, fetched: Floats) -> tuple[Floats, Floats]:
    """For each link the relevance of the targets next to it on its page, nearer ones more."""
    total, count = np.zeros(len(page)), np.zeros(len(page))
    for step in range(1, NEIGHBOURS + 1):
        weight = (page[step:] == page[:-step]) / step
        total[step:] += weight * relevance[:-step]
        total[:-step] += weight * relevance[step:]
        count[step:] += weight * fetched[:-step]
        count[:-step] += weight * fetched[step:]
    return total, count


def _first_guess(features: dict[str, Floats]) -> Floats:
    """The scores while too few pages are known to fit a model."""
    return features["parent maximum"] + features["anchor maximum"] / 2 + features["neighbours"] / 2


@cache
def _thread_pools() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415  slow to import

    return ThreadpoolController()  # looks through all loaded libraries


def one_thread() -> AbstractContextManager[object]:
    """Let libraries compute in one thread, so that results do not depend on the cores."""
    limit: AbstractContextManager[object] = _thread_pools().limit(limits=1)
    return limit


def fit_relevance(features: Floats, relevance: Floats) -> Model:
    """Fit a ridge regression and boosted trees; their predictions are averaged."""
    from sklearn.ensemble import HistGradientBoostingRegressor  # noqa: PLC0415  slow to import
    from sklearn.linear_model import Ridge  # noqa: PLC0415

    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-6
    with one_thread():
        ridge = Ridge(alpha=RIDGE_PENALTY).fit((features - mean) / spread, relevance)
        trees = HistGradientBoostingRegressor(**BOOSTING, early_stopping=False, random_state=0)
        trees.fit(features, relevance)

    def predict(rows: Floats) -> Floats:
        linear = ((rows - mean) / spread) @ ridge.coef_ + ridge.intercept_
        with one_thread():
            boosted = trees.predict(rows)
        mixed: Floats = (linear + boosted) / 2
        return mixed

    return predict
