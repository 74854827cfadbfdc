"""What a crawl looks for: the words of a topic, and how relevant a page is to it."""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from math import isnan
from urllib.parse import unquote

import numpy as np

from weft.classify.text import TextModel, fit_linear
from weft.core.arrays import Floats
from weft.crawl.terms import (
    DEFAULT_LANGUAGE,
    MAX_TEXT_CHARS,
    PageTerms,
    TopicVector,
    Vocabulary,
    page_language,
    topic_vector,
)
from weft.gather.page import Page

Relevance = Callable[[Page], float]
RELEVANT, OTHER = "relevant", "other"
REPEATS = 3  # how often title and URL count in the text that is classified
MAX_FOLDS, MIN_COSINE = 5, 1e-3
URL_SIGNS = re.compile(r"[\W_]+")


def url_words(url: str) -> str:
    """The path of a URL as words.

    Examples
    --------
    >>> url_words("http://example.org/wp/g/Great_Barrier%2520Reef.htm")
    'wp g Great Barrier Reef htm'
    """
    path = unquote(unquote(url.partition("://")[2].partition("/")[2]))
    return URL_SIGNS.sub(" ", path).strip()


def classified_text(page: Page) -> str:
    """The text that a page is classified by: title and URL three times, then its text."""
    return "\n".join([page.title, url_words(page.url)] * REPEATS + [page.text[:MAX_TEXT_CHARS]])


def _fit_classifier(examples: Sequence[str], others: Sequence[str]) -> TextModel:
    classes = [RELEVANT] * len(examples) + [OTHER] * len(others)
    return fit_linear([*examples, *others], classes, balanced=True)


def _probabilities(model: TextModel, texts: Sequence[str]) -> Floats:
    """The probability that each text is relevant."""
    return model.probabilities(texts)[:, model.classes.index(RELEVANT)]


class CrawlTopic:
    """A topic from a name or query, example pages, and pages of other topics.

    `relevance` scores fetched pages from 0 to 1: by the given function; else, with
    examples and others, by a linear classifier; else by the cosine with name and
    examples. Without any of them every page is relevant; a topic that `awaits_examples`
    gets them from the first pages of the crawl.
    """

    def __init__(
        self,
        name: str = "",
        examples: Sequence[Page] = (),
        others: Sequence[Page] = (),
        *,
        relevance: Relevance | None = None,
        vocabulary: Vocabulary | None = None,
        awaits_examples: bool = False,
    ) -> None:
        self.name, self.examples, self.others = name, tuple(examples), tuple(others)
        self.vocabulary = Vocabulary() if vocabulary is None else vocabulary
        self._relevance = relevance
        self._awaits_examples = awaits_examples
        self._vectors: dict[str, TopicVector] = {}

    def add_example(self, page: Page) -> None:
        """Add an example, such as a seed when it is fetched; what was learned is learned anew."""
        self.examples = (*self.examples, page)
        self._vectors.clear()
        for name in ("example_texts", "classifier", "threshold"):
            self.__dict__.pop(name, None)

    def add_other(self, page: Page) -> None:
        """Add a page of another topic, as it is fetched; what was learned is learned anew."""
        self.others = (*self.others, page)
        self._vectors.clear()
        for name in ("_other_texts", "classifier", "threshold"):
            self.__dict__.pop(name, None)

    @property
    def has_words(self) -> bool:
        """Whether the topic is described by a name or by examples."""
        return bool(self.name or self.examples)

    @property
    def is_given(self) -> bool:
        """Whether there is a topic at all."""
        return self.has_words or self._relevance is not None or self._awaits_examples

    @cached_property
    def example_texts(self) -> tuple[str, ...]:
        """The texts of the examples, as they are classified."""
        return tuple(classified_text(page) for page in self.examples)

    @property
    def vector(self) -> TopicVector:
        """The words of the topic: the centroid of its name and examples."""
        return self.vector_in(
            page_language(self.examples[0]) if self.examples else DEFAULT_LANGUAGE
        )

    def vector_in(self, language: str) -> TopicVector:
        """The words of the topic with its name stemmed as pages in a language are."""
        if language not in self._vectors:
            examples = [self.terms(page).terms for page in self.examples]
            if self.name:
                examples.append(self.vocabulary.terms(self.name, language))
            others = [self.terms(page).terms for page in self.others]
            self._vectors[language] = topic_vector(examples, others, len(self.vocabulary))
        return self._vectors[language]

    @cached_property
    def classifier(self) -> TextModel | None:
        """A linear classifier of examples and others, in which both count the same."""
        if not self.examples or not self.others:
            return None
        return _fit_classifier(self.example_texts, self._other_texts)

    @cached_property
    def _other_texts(self) -> tuple[str, ...]:
        return tuple(map(classified_text, self.others))

    def terms(self, page: Page) -> PageTerms:
        """The terms of a page and of its links."""
        return self.vocabulary.page_terms(page)

    def similarity(self, page: Page) -> float:
        """The cosine of a page with the topic; its relevance where the topic has no words."""
        if not self.has_words:
            return self.relevance(page)
        return self.vector_in(page_language(page)).cosine(self.terms(page).terms)

    def relevance(self, page: Page) -> float:
        """How relevant a page is, from 0 to 1."""
        if self._relevance is not None:
            relevance = self._relevance(page)
            return 0.0 if isnan(relevance) else relevance
        if self.classifier is not None:
            return float(_probabilities(self.classifier, [classified_text(page)])[0])
        return self.similarity(page) if self.has_words else 1.0

    @cached_property
    def threshold(self) -> float:
        """The least relevance of a page that belongs to the topic.

        Half of the median relevance of the examples, each judged without itself; for a name
        alone, any word in common; one half where relevance is a given function.
        """
        if self._relevance is not None or not self.has_words:
            return 0.5
        if not self.examples:
            return MIN_COSINE
        if self.classifier is None:
            return float(np.median([self.similarity(page) for page in self.examples])) / 2
        return float(np.median(self._held_out_relevance())) / 2

    def _held_out_relevance(self) -> list[float]:
        """The relevance of each example by a classifier that was fitted without it."""
        texts, folds = self.example_texts, min(MAX_FOLDS, len(self.examples))
        if folds < 2:
            return [self.relevance(page) for page in self.examples]
        found: list[float] = []
        for fold in range(folds):
            rest = [text for k, text in enumerate(texts) if k % folds != fold]
            model = _fit_classifier(rest, self._other_texts)
            found += _probabilities(model, texts[fold::folds]).tolist()
        return found

    def is_relevant(self, relevance: float) -> bool:
        """Whether a page of this relevance belongs to the topic."""
        return relevance >= self.threshold

    def link_similarities(self, page: Page) -> tuple[Floats, Floats]:
        """The cosines of each link's anchor and context with the topic; zero without words."""
        links, vector = self.terms(page).links, self.vector_in(page_language(page))
        anchors = vector.span_cosines(links.terms, links.anchors)
        return anchors, vector.span_cosines(links.terms, links.contexts)

    def url_similarities(self, urls: Sequence[str], language: str) -> Floats:
        """The cosine of the words of each URL with the topic, stemmed as those of a language."""
        words = [url_words(url) for url in urls]
        tokens = self.vocabulary.tokenize("\n".join(words), language)
        return self.vector_in(language).text_cosines(words, tokens)

    def __repr__(self) -> str:
        return f"<CrawlTopic {self.name!r} with {len(self.examples):,} examples>"
