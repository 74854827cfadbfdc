"""Critic and apprentice: learn from fetched links which words around a link are promising."""

from collections import defaultdict
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats, Ids
from weft.core.register import Dimensions, method
from weft.crawl.crawl import Crawl, CrawlTask, FetchedPage, Known, Scores

MaxOffset = Annotated[int, Field(ge=0, le=50, description="how many words either side of a link")]
WarmUp = Annotated[int, Field(ge=1, le=10**6, description="examples before the apprentice decides")]
TrainEvery = Annotated[
    int, Field(ge=1, le=10**6, description="learn from this many examples at once")
]
FEATURES = 1 << 18
RELEVANCE_BINS = 10


@method(
    "crawl",
    "apprentice",
    cites="chakrabarti2002",
    dimensions=Dimensions(
        "probabilistic model",
        "likelihood",
        "best-first search",
        "whole web",
        ("web crawling", "page categorisation"),
        data="links and document structure",
    ),
)
def apprentice(
    task: CrawlTask,
    *,
    max_offset: MaxOffset = 5,
    warm_up: WarmUp = 500,
    train_every: TrainEvery = 1000,
) -> Crawl:
    """Score a link by the words around it, as learned so far.

    The critic is the relevance of fetched pages. Each link between fetched
    pages is an example for the apprentice: words with their distance from the
    link, and how relevant its page is, against the relevance of the target.
    Until there are enough examples the relevance of the page decides.
    """
    return task.run(Apprentice(task, max_offset, warm_up, train_every), "apprentice")


class Apprentice:
    """Naive Bayes over pairs of word and offset, learned online from the links followed."""

    batch_size = 1

    def __init__(self, task: CrawlTask, max_offset: int, warm_up: int, train_every: int) -> None:
        from sklearn.naive_bayes import MultinomialNB  # noqa: PLC0415  slow to import

        self.topic, self.max_offset = task.topic, max_offset
        self.warm_up, self.train_every = warm_up, train_every
        self.model: Any = MultinomialNB()
        self.links: defaultdict[int, list[Ids]] = defaultdict(list)  # features, by target
        self.examples: list[tuple[Ids, float]] = []
        self.learned = 0

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Learn from the links that are followed now, and score those of the page."""
        features = self._features(page)
        self.examples += [(row, page.relevance) for row in self.links.pop(page.number, [])]
        for target, row in zip(page.targets, features, strict=True):
            if known.is_fetched(target):
                self.examples.append((row, known.relevance[target]))
            else:
                self.links[target].append(row)
        waiting = len(self.examples)
        if waiting >= (self.train_every if self.learned else self.warm_up):
            self._train()
            rows = [row for found in self.links.values() for row in found]
            sizes = [len(found) for found in self.links.values()]
            starts = np.append(0, np.cumsum(sizes)[:-1])
            best = np.maximum.reduceat(self._predict(rows), starts) if rows else np.zeros(0)
            return Scores(list(self.links), best.tolist(), replace=True)
        if not self.learned:
            return Scores(page.targets, [page.relevance] * len(page.targets))
        return Scores(page.targets, self._predict(features).tolist())

    def _features(self, page: FetchedPage) -> list[Ids]:
        """Numbers of (word, offset) pairs around each link, and of the page's relevance."""
        links, reach = self.topic.terms(page.page).links, self.max_offset
        terms = links.terms
        relevance = int(min(page.relevance, 1 - 1e-9) * RELEVANCE_BINS)
        rows = []
        for first, last in links.anchors[page.link_rows].tolist():
            a, b = max(first - reach, 0), min(last + reach, len(terms))
            position = np.arange(a, b)
            offset = np.where(
                position < first, position - first, np.maximum(position - last + 1, 0)
            )
            words = terms[a:b].astype(np.int64)
            pairs = (words * (2 * reach + 1) + offset + reach) % (FEATURES - RELEVANCE_BINS)
            rows.append(np.append(pairs[words >= 0] + RELEVANCE_BINS, relevance).astype(np.int32))
        return rows

    def _train(self) -> None:
        """Each example counts as a relevant one with its relevance, as another with the rest."""
        rows, labels = [row for row, _ in self.examples], [label for _, label in self.examples]
        counts, relevance = _to_matrix(rows + rows), np.clip(labels, 0.0, 1.0)
        classes = np.repeat([1, 0], len(rows))
        weights = np.concatenate([relevance, 1 - relevance])
        self.model.partial_fit(counts, classes, classes=[0, 1], sample_weight=weights)
        self.learned += len(rows)
        self.examples.clear()

    def _predict(self, rows: list[Ids]) -> Floats:
        if not rows:
            return np.zeros(0)
        probabilities: Floats = self.model.predict_proba(_to_matrix(rows))[:, 1]
        return probabilities


def _to_matrix(rows: list[Ids]) -> Any:
    from scipy.sparse import csr_array  # noqa: PLC0415

    starts = np.append(0, np.cumsum([len(row) for row in rows]))
    ids = np.concatenate(rows)
    return csr_array((np.ones(len(ids)), ids, starts), shape=(len(rows), FEATURES))
