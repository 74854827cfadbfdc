"""Pages as term numbers with positions, and cosines between texts and a topic."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice

import numpy as np

from weft.core.arrays import Floats, Ids, Offsets, concatenate_ranges
from weft.core.words import MAX_HASHED_CHARS, UNKNOWN, WORD, GrowingArray, KnownWords, hash_words
from weft.gather.page import Link, Page
from weft.store.tokens import find_stop_words, stem_each, stemmer_code

NEWLINE = re.compile("\n")
STOP_WORD = -1
CONTEXT_WORDS = 20
MAX_TEXT_CHARS = 1 << 18  # of a page; what comes after them does not count
# Words of all languages, and their stems; later ones are left out like stop words.
MAX_KNOWN_WORDS = 1 << 19
MAX_COMPOUND_STEMS = 1 << 23
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


class Vocabulary:
    """Numbers for the stems of all texts so far; every word is stemmed once.

    Pages of random words, or of random characters of a script without spaces, would make
    it grow without end, so it has limits. Of a word the first 256 characters count.

    The terms of the last page are kept; with `keep_pages` those of all, by URL,
    for several crawls of the same pages.
    """

    def __init__(self, *, keep_pages: bool = False) -> None:
        self._stems = KnownWords()
        self.keep_pages = keep_pages
        self._pages: dict[str, PageTerms] = {}
        self._words: dict[str, KnownWords] = {}
        # The stems of words that have not just one, such as those in scripts without spaces.
        self._compound_stems = GrowingArray(np.int32)
        self._compound_bounds = GrowingArray(np.int64)
        self._compound_bounds.extend([0])

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
            new = missing[np.sort(first)][: MAX_KNOWN_WORDS - self._word_count]
            words = [
                WORD.match(text, at, at + MAX_HASHED_CHARS).group()  # type: ignore[union-attr]
                for at in starts[new].tolist()
            ]
            known.add(hashes[new], list(self._number_words(words, language)))
            ids[missing] = known.find(hashes[missing])
        numbers = np.full(len(ids), STOP_WORD, np.int32)
        numbers[ids != UNKNOWN] = known.terms.values[ids[ids != UNKNOWN]]
        if numbers.min(initial=0) >= STOP_WORD:
            return Tokens(numbers, starts)
        return self._split_compounds(numbers, starts)

    @property
    def _word_count(self) -> int:
        return sum(known.terms.size for known in self._words.values())

    def terms(self, text: str, language: str = DEFAULT_LANGUAGE) -> Ids:
        """The terms of a text, without stop words."""
        return drop_stop_words(self.tokenize(text, language).terms)

    def page_terms(self, page: Page) -> "PageTerms":
        """The terms of a page and of its links."""
        known = self._pages.get(page.url)
        if known is None or known.page is not page:
            if not self.keep_pages:
                self._pages.clear()
            tokens = self.tokenize(page.text[:MAX_TEXT_CHARS], page_language(page))
            known = self._pages[page.url] = PageTerms(self, page, tokens)
        return known

    def _number_words(self, words: list[str], language: str) -> Iterator[int]:
        """The number of the stem of each word; below -1, for several or no stems."""
        lowered = [word.lower() for word in words]
        stop_words = find_stop_words(lowered, language)
        each = stem_each(lowered, stemmer_code(language))
        is_stop = [form in stop_words for form in lowered]
        kept = [stems for stems, stop in zip(each, is_stop, strict=True) if not stop]
        numbers = iter(self._number_stems(list(chain.from_iterable(kept))).tolist())
        for stop, stems in zip(is_stop, each, strict=True):
            if stop:
                yield STOP_WORD
                continue
            found = [number for number in islice(numbers, len(stems)) if number != UNKNOWN]
            yield found[0] if len(found) == 1 else self._number_compound(found)

    def _number_stems(self, stems: Sequence[str]) -> Ids:
        """The number of each stem, in the order in which they came; -1 if there is no room."""
        hashes = np.array([hash(stem) for stem in stems], np.int64).view(np.uint64)
        missing = np.flatnonzero(self._stems.find(hashes) == UNKNOWN)
        _, first = np.unique(hashes[missing], return_index=True)
        size = self._stems.terms.size
        new = hashes[missing[np.sort(first)]][: MAX_KNOWN_WORDS - size]
        self._stems.add(new, range(size, size + len(new)))
        return self._stems.find(hashes)

    def _number_compound(self, stems: list[int]) -> int:
        """A number below -1 for some stems; that of a stop word if there is no room for them."""
        if self._compound_stems.size + len(stems) > MAX_COMPOUND_STEMS:
            return STOP_WORD
        self._compound_stems.extend(stems)
        self._compound_bounds.extend([self._compound_stems.size])
        return STOP_WORD - self._compound_bounds.size + 1

    def _split_compounds(self, numbers: Ids, starts: Ids) -> Tokens:
        """Put the stems of each compound in its place."""
        is_compound = numbers < STOP_WORD
        compounds, bounds = STOP_WORD - 1 - numbers[is_compound], self._compound_bounds.values
        first, sizes = bounds[compounds], bounds[compounds + 1] - bounds[compounds]
        counts = np.ones(len(numbers), np.int64)
        counts[is_compound] = sizes
        terms = np.repeat(numbers, counts)
        stems = self._compound_stems.values[concatenate_ranges(first, sizes)]
        terms[np.repeat(is_compound, counts)] = stems
        return Tokens(terms, np.repeat(starts, counts))

    def __len__(self) -> int:
        return self._stems.terms.size


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
    """Find anchors and contexts, which are up to 20 words either side, in the same block.

    Links beyond the part of the text that counts have no context.
    """
    starts, size, text = tokens.starts, len(tokens.terms), page.text[:MAX_TEXT_CHARS]
    at = np.array([link.position for link in page.links], np.int64)
    at[at >= len(text)] = -1
    flat = text.replace("\n", " ")
    lengths = np.array([_length_in_text(flat, link) for link in page.links], np.int64)
    first = np.searchsorted(starts, at)
    last = np.searchsorted(starts, at + lengths)
    block_ends = np.array([m.start() for m in NEWLINE.finditer(text)], np.int64)
    block = np.searchsorted(block_ends, at)
    block_first = np.searchsorted(starts, np.append(-1, block_ends)[block])
    block_last = np.searchsorted(starts, np.append(block_ends, len(text) + 1)[block])
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
        position = concatenate_ranges(spans[:, 0], lengths)
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
