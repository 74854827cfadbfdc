"""Context graphs: learn what pages look like that lead to the topic in one, two, three steps."""

from collections.abc import Callable, Iterable
from typing import Annotated

from pydantic import Field

from weft.classify.text import TextModel, fit_naive_bayes
from weft.core.errors import BadParameter
from weft.core.register import Dimensions, method
from weft.crawl.crawl import Crawl, CrawlTask, FetchedPage, Known, Scores
from weft.crawl.topic import classified_text
from weft.gather.page import Page

Layers = Annotated[int, Field(ge=1, le=9, description="how many links away from the topic")]
PagesPerLayer = Annotated[
    int, Field(ge=1, le=100_000, description="pages of a layer to learn from")
]
MinProbability = Annotated[
    float, Field(ge=0, le=1, description="pages whose layer is less certain come last")
]
RetrainEvery = Annotated[
    int, Field(ge=0, le=10**6, description="learn anew after this many pages; 0: never")
]


@method(
    "crawl",
    "context-graph",
    cites="diligenti2000",
    dimensions=Dimensions(
        "direct and indirect reference",
        "distance between pages",
        "best-first search",
        "whole web",
        ("web crawling", "page categorisation"),
        data="links and content",
    ),
)
def context_graph(
    task: CrawlTask,
    *,
    layers: Layers = 3,
    pages_per_layer: PagesPerLayer = 300,
    min_probability: MinProbability = 0.5,
    retrain_every: RetrainEvery = 500,
) -> Crawl:
    """Follow pages that look close to the topic first.

    Layer 0 are the examples, layer k + 1 the pages that link to layer k. A naive
    Bayes classifier learns the layers; a fetched page belongs to the most
    probable one. The links of layer 0 are fetched first, those of pages that
    belong to no layer last. In-links come from the collection that the examples are from.
    """
    strategy = ContextGraph(task, layers, pages_per_layer, min_probability, retrain_every)
    return task.run(strategy, "context-graph")


def find_layers(
    examples: Iterable[str], backlinks: Callable[[str], list[str]], layers: int, limit: int
) -> list[list[str]]:
    """The URLs of each layer: the examples, and what is 1, 2, ... links away from them.

    A page is in the nearest layer only.
    """
    found = [list(dict.fromkeys(examples))]
    seen = set(found[0])
    for _ in range(layers):
        sources = dict.fromkeys(source for url in found[-1] for source in backlinks(url))
        found.append([url for url in sources if url not in seen][:limit])
        seen.update(found[-1])
    return found


class ContextGraph:
    """One queue for each layer, kept as scores, and one for pages that are in none."""

    batch_size = 1

    def __init__(
        self,
        task: CrawlTask,
        layers: int,
        pages_per_layer: int,
        min_probability: float,
        retrain_every: int,
    ) -> None:
        self.topic, self.layers = task.topic, layers
        self.pages_per_layer, self.min_probability = pages_per_layer, min_probability
        self.retrain_every = retrain_every
        backlinks = getattr(task.web, "backlinks", None)
        if backlinks is None or not task.topic.examples:
            raise BadParameter(
                "a context graph needs example pages whose in-links are known",
                hint="give pages or a topic (--like) of a collection, or choose another strategy",
            )
        urls = find_layers(
            [page.url for page in task.topic.examples], backlinks, layers, pages_per_layer
        )
        fetch = task.web.fetch
        self.texts = [list(task.topic.example_texts)] + [
            [classified_text(page) for url in layer if (page := fetch(url).page) is not None]
            for layer in urls[1:]
        ]
        self.found: dict[int, str] = {}
        self.model = self._learn()

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Put the links of a page into the queue of its layer."""
        self.found[page.number] = classified_text(page.page)
        if self.retrain_every and len(known.out_links) % self.retrain_every == 0:
            self._add_found_targets(known)
            self.model = self._learn()
        return Scores(page.targets, [self._queue(page.page)] * len(page.targets))

    def _queue(self, page: Page) -> float:
        """Whole part: the queue, the last one 0. Fraction: how probable the layer is."""
        if self.model is None:
            return 0.0
        (shares,) = self.model.probabilities([classified_text(page)])
        best = int(shares.argmax())
        if shares[best] < self.min_probability:
            return float(shares[best]) / 2
        layer = int(self.model.classes[best])
        return self.layers + 1 - layer + float(shares[best]) / 2

    def _learn(self) -> TextModel | None:
        texts = [text for layer in self.texts for text in layer]
        layers = [str(k) for k, layer in enumerate(self.texts) for _ in layer]
        return fit_naive_bayes(texts, layers) if len(set(layers)) > 1 else None

    def _add_found_targets(self, known: Known) -> None:
        """Add the relevant pages found, and the fetched pages that lead to them, to the layers."""
        layer = [n for n in known.out_links if self.topic.is_relevant(known.relevance[n])]
        seen: set[int] = set()
        for texts in self.texts:
            layer = [n for n in dict.fromkeys(layer) if n not in seen and n in self.found]
            seen.update(layer)
            room = max(self.pages_per_layer - len(texts), 0)
            texts.extend(self.found[n] for n in layer[:room])
            layer = [parent for n in layer for parent in known.parents[n]]
        self.found = {n: text for n, text in self.found.items() if n not in seen}
