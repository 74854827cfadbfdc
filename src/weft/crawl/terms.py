"""Pages as term numbers with positions, and cosines between texts and a topic."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.core.arrays import Flags, Floats, Hashes, Ids, Offsets
from weft.core.words import WORD, hash_words
from weft.gather.page import Link, Page
from weft.store.tokens import find_stop_words, stem_each, stemmer_code

NEWLINE = re.compile("\n")
STOP_WORD = -1
UNKNOWN = -1
MIN_SLOTS, MIN_SLOTS_PER_WORD = 1 << 12, 2
CONTEXT_WORDS = 20
MAX_KNOWN_WORDS = 1 << 19  # of a language; later ones are left out like stop words
DEFAULT_LANGUAGE = "en"


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The terms of a text in order, and the character at which each begins."""

    terms: Ids
    starts: Ids


def drop_stop_words(terms: Ids) -> Ids:
    """Terms without stop words."""
    kept: Ids = terms[terms != STOP_WORD]
    return kept


class GrowingArray:
    """An array that values are appended to."""

    def __init__(self, dtype: type = np.float64) -> None:
        self._values: npt.NDArray[Any] = np.zeros(1024, dtype)
        self.size = 0

    def extend(self, values: Sequence[float] | Floats | Ids | Hashes) -> None:
        """Append values."""
        end = self.size + len(values)
        while end > len(self._values):
            self._values = np.concatenate([self._values, np.zeros_like(self._values)])
        self._values[self.size : end] = values
        self.size = end

    @property
    def values(self) -> npt.NDArray[Any]:
        """The values so far."""
        return self._values[: self.size]


class KnownWords:
    """The words of a language by their hashes, numbered as they come, and the term of each.

    A hash table with linear probing, which all words of a text are looked up in at once.
    """

    def __init__(self) -> None:
        self.terms = GrowingArray(np.int32)
        self._hashes = GrowingArray(np.uint64)
        self._slots = np.full(MIN_SLOTS, UNKNOWN, np.int32)  # numbers, by hash

    def find(self, hashes: Hashes) -> Ids:
        """The number of each word, -1 for those that are not known."""
        slot = self._first_slots(hashes)
        numbers: Ids = self._slots[slot]
        others = np.flatnonzero(self._is_other(numbers, hashes))
        while len(others):
            slot[others] = (slot[others] + 1) % len(self._slots)
            numbers[others] = self._slots[slot[others]]
            others = others[self._is_other(numbers[others], hashes[others])]
        return numbers

    def add(self, hashes: Hashes, terms: Sequence[int]) -> None:
        """Number distinct words that are not known."""
        numbers = np.arange(self.terms.size, self.terms.size + len(terms), dtype=np.int32)
        self._hashes.extend(hashes)
        self.terms.extend(terms)
        if MIN_SLOTS_PER_WORD * self.terms.size > len(self._slots):
            self._slots = np.full(2 * MIN_SLOTS_PER_WORD * self.terms.size, UNKNOWN, np.int32)
            numbers = np.arange(self.terms.size, dtype=np.int32)
        slot = self._first_slots(self._hashes.values[numbers])
        while len(numbers):
            is_free = self._slots[slot] == UNKNOWN
            self._slots[slot[is_free]] = numbers[is_free]  # of several words, the last stays
            left = self._slots[slot] != numbers
            numbers, slot = numbers[left], (slot[left] + 1) % len(self._slots)

    def _first_slots(self, hashes: Hashes) -> Offsets:
        return (hashes % np.uint64(len(self._slots))).astype(np.int64)

    def _is_other(self, numbers: Ids, hashes: Hashes) -> Flags:
        known = self._hashes.values
        if not len(known):
            return np.zeros(len(numbers), bool)
        is_other: Flags = (numbers != UNKNOWN) & (known[numbers] != hashes)
        return is_other


class Vocabulary:
    """Numbers for the stems of all texts so far; every word is stemmed once.

    A page of random words would make it grow without end, so it has a limit.

    The terms of the last page are kept; with `keep_pages` those of all, by URL,
    for several crawls of the same pages.
    """

    def __init__(self, *, keep_pages: bool = False) -> None:
        self.numbers: dict[str, int] = {}
        self.keep_pages = keep_pages
        self._pages: dict[str, PageTerms] = {}
        self._words: dict[str, KnownWords] = {}
        # Words of other than one stem, such as those in scripts without spaces.
        self._compounds: list[tuple[int, ...]] = []

    def tokenize(self, text: str, language: str = DEFAULT_LANGUAGE) -> Tokens:
        """The terms of a text with their positions; stop words are -1."""
        hashes, starts = hash_words(text)
        if language not in self._words:
            self._words[language] = KnownWords()
        known = self._words[language]
        ids = known.find(hashes)
        missing = np.flatnonzero(ids == UNKNOWN)
        if len(missing):
            _, first = np.unique(hashes[missing], return_index=True)
            new = missing[np.sort(first)][: MAX_KNOWN_WORDS - known.terms.size]
            words = [WORD.match(text, at).group() for at in starts[new].tolist()]  # type: ignore[union-attr]
            known.add(hashes[new], list(self._number_words(words, language)))
            ids[missing] = known.find(hashes[missing])
        numbers = np.full(len(ids), STOP_WORD, np.int32)
        numbers[ids != UNKNOWN] = known.terms.values[ids[ids != UNKNOWN]]
        if numbers.min(initial=0) >= STOP_WORD:
            return Tokens(numbers, starts)
        return self._split_compounds(numbers, starts)

    def terms(self, text: str, language: str = DEFAULT_LANGUAGE) -> Ids:
        """The terms of a text, without stop words."""
        return drop_stop_words(self.tokenize(text, language).terms)

    def page_terms(self, page: Page) -> "PageTerms":
        """The terms of a page and of its links."""
        known = self._pages.get(page.url)
        if known is None or known.page is not page:
            if not self.keep_pages:
                self._pages.clear()
            tokens = self.tokenize(page.text, page_language(page))
            known = self._pages[page.url] = PageTerms(self, page, tokens)
        return known

    def _number_words(self, words: list[str], language: str) -> Iterator[int]:
        """The number of the stem of each word; below -1, for several or no stems."""
        numbers, lowered = self.numbers, [word.lower() for word in words]
        stop_words = find_stop_words(lowered, language)
        each = stem_each(lowered, stemmer_code(language))
        for form, stems in zip(lowered, each, strict=True):
            if form in stop_words:
                yield STOP_WORD
                continue
            found = tuple(numbers.setdefault(stem, len(numbers)) for stem in stems)
            if len(found) == 1:
                yield found[0]
            else:
                self._compounds.append(found)
                yield STOP_WORD - len(self._compounds)

    def _split_compounds(self, numbers: Ids, starts: Ids) -> Tokens:
        """Put the stems of each compound in its place."""
        places = np.flatnonzero(numbers < STOP_WORD)
        stems = [self._compounds[STOP_WORD - 1 - number] for number in numbers[places].tolist()]
        counts = np.ones(len(numbers), np.int64)
        counts[places] = [len(each) for each in stems]
        terms = np.repeat(numbers, counts)
        terms[np.repeat(numbers < STOP_WORD, counts)] = list(chain.from_iterable(stems))
        return Tokens(terms, np.repeat(starts, counts))

    def __len__(self) -> int:
        return len(self.numbers)


def count_terms(terms: Ids) -> tuple[Ids, Floats]:
    """The distinct terms of a text, and how often each occurs."""
    distinct, counts = np.unique(terms, return_counts=True)
    return distinct.astype(np.int32), counts.astype(float)


@dataclass(frozen=True, slots=True, eq=False)
class LinkSpans:
    """The terms of a text and of anchors that are not in it, and the spans of links in them.

    `anchors` and `contexts` have the first and last position (in `terms`) of each link,
    in two columns.
    """

    terms: Ids
    anchors: Offsets
    contexts: Offsets


@dataclass(frozen=True, eq=False)
class PageTerms:
    """The terms of a page, and for each of its links those of anchor and context.

    Links are looked at when they are asked for. Anchors that are not in the text as
    words, such as those of pictures and of parts of a Chinese sentence, come after the
    text. The context of a link that has no position is empty.
    """

    vocabulary: Vocabulary
    page: Page
    text: Tokens

    @property
    def terms(self) -> Ids:
        """The terms of the text, without stop words."""
        return drop_stop_words(self.text.terms)

    @cached_property
    def links(self) -> LinkSpans:
        """The terms of text and anchors, and where the links are in them."""
        return _find_link_spans(self.vocabulary, self.page, self.text)


def page_language(page: Page) -> str:
    """The language that a page is stemmed by; English where it is unknown."""
    return page.language.rstrip("?") or DEFAULT_LANGUAGE


def _find_link_spans(vocabulary: Vocabulary, page: Page, tokens: Tokens) -> LinkSpans:
    """Find anchors and contexts, which are up to 20 words either side, in the same block."""
    starts, size = tokens.starts, len(tokens.terms)
    at = np.array([link.position for link in page.links], np.int64)
    flat = page.text.replace("\n", " ")
    lengths = np.array([_length_in_text(flat, link) for link in page.links], np.int64)
    first = np.searchsorted(starts, at)
    last = np.searchsorted(starts, at + lengths)
    block_ends = np.array([m.start() for m in NEWLINE.finditer(page.text)], np.int64)
    block = np.searchsorted(block_ends, at)
    block_first = np.searchsorted(starts, np.append(-1, block_ends)[block])
    block_last = np.searchsorted(starts, np.append(block_ends, len(page.text) + 1)[block])
    contexts = np.stack(
        [
            np.maximum(first - CONTEXT_WORDS, np.minimum(block_first, first)),
            np.minimum(last + CONTEXT_WORDS, np.maximum(block_last, last)),
        ],
        axis=1,
    )
    contexts[at < 0] = 0
    absent = np.flatnonzero((lengths == 0) & np.array([bool(x.anchor) for x in page.links], bool))
    anchors = [page.links[k].anchor for k in absent.tolist()]
    extra = vocabulary.tokenize("\n".join(anchors), page_language(page))
    ends = np.cumsum([len(anchor) + 1 for anchor in anchors], dtype=np.int64)
    bounds = size + np.append(0, np.searchsorted(extra.starts, ends))
    has_words = bounds[1:] > bounds[:-1]
    first[absent[has_words]], last[absent[has_words]] = (
        bounds[:-1][has_words],
        bounds[1:][has_words],
    )
    terms = np.concatenate([tokens.terms, extra.terms]).astype(np.int32)
    return LinkSpans(terms, np.stack([first, last], axis=1), contexts)


def _length_in_text(text: str, link: Link) -> int:
    """The length of an anchor in the text; zero if it is not there, or ends within a word."""
    end = link.position + len(link.anchor)
    if link.position < 0 or not text.startswith(link.anchor, link.position):
        return 0
    return 0 if WORD.fullmatch(text[end - 1 : end + 1]) and end < len(text) else len(link.anchor)


@dataclass(frozen=True, slots=True, eq=False)
class TopicVector:
    """The weights of a topic's terms, of length one, and the IDF of each term.

    Terms beyond the end of `idf`, which no background text has, have `rare_idf`.
    """

    weights: Floats
    idf: Floats
    rare_idf: float = 1.0

    def cosine(self, terms: Ids) -> float:
        """The cosine of a text with the topic, by term frequency and IDF."""
        distinct, counts = count_terms(terms)
        weights = counts * self._idf_of(distinct)
        norm = float(np.sqrt(weights @ weights))
        return float(weights @ self._weights_of(distinct)) / norm if norm else 0.0

    def span_cosines(self, terms: Ids, spans: Offsets) -> Floats:
        """The cosine of each span of a text with the topic."""
        lengths = spans[:, 1] - spans[:, 0]
        span = np.repeat(np.arange(len(spans)), lengths)
        position = np.arange(len(span)) + np.repeat(spans[:, 1] - np.cumsum(lengths), lengths)
        # one number for each pair of span and term, stop words as term 0
        size = int(terms.max(initial=0)) + 2
        pairs, counts = np.unique(span * size + terms[position] + 1, return_counts=True)
        span, distinct = pairs // size, (pairs % size - 1).astype(np.int32)
        weights = counts * self._idf_of(distinct)
        dots = np.bincount(span, weights * self._weights_of(distinct), len(spans))
        norms = np.sqrt(np.bincount(span, weights * weights, len(spans)))
        cosines: Floats = dots / np.where(norms > 0, norms, 1.0)
        return cosines

    def text_cosines(self, texts: Sequence[str], tokens: Tokens) -> Floats:
        """The cosine of each of several texts with the topic, by the tokens of all of them.

        These are the tokens of the texts joined by one character each.
        """
        ends = np.cumsum([len(text) + 1 for text in texts], dtype=np.int64)
        last = np.searchsorted(tokens.starts, ends)
        return self.span_cosines(tokens.terms, np.stack([np.append(0, last[:-1]), last], axis=1))

    def _idf_of(self, terms: Ids) -> Floats:
        idf = np.full(len(terms), self.rare_idf)
        known = (terms >= 0) & (terms < len(self.idf))
        idf[known] = self.idf[terms[known]]
        idf[terms < 0] = 0.0
        return idf

    def _weights_of(self, terms: Ids) -> Floats:
        weights = np.zeros(len(terms))
        known = (terms >= 0) & (terms < len(self.weights))
        weights[known] = self.weights[terms[known]]
        return weights


def topic_vector(examples: Sequence[Ids], others: Sequence[Ids], size: int) -> TopicVector:
    """The centroid of the examples' TF-IDF vectors; without others, IDF is one."""
    idf, rare_idf = np.ones(size), 1.0
    if others:
        texts = [*examples, *others]
        frequency = np.zeros(size)
        for terms in texts:
            frequency[np.unique(terms)] += 1
        idf = np.log((1 + len(texts)) / (1 + frequency)) + 1
        rare_idf = float(np.log(1 + len(texts)) + 1)
    weights = np.zeros(size)
    for terms in examples:
        distinct, counts = count_terms(terms)
        values = counts * idf[distinct]
        weights[distinct] += values / max(float(np.sqrt(values @ values)), 1e-300)
    return TopicVector(weights / max(float(np.sqrt(weights @ weights)), 1e-300), idf, rare_idf)
