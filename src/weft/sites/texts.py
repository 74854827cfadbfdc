"""Read pages into terms: the stems of each page and sentence, and snippets that show them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
import pyarrow as pa

from weft.core.arrays import CSR, Ids, Offsets, concatenate_ranges, pack_pairs, unpack_second_ids
from weft.core.progress import track
from weft.sites.measures import SiteTerms
from weft.store.collection import Collection
from weft.store.snippet import make_snippets
from weft.store.tokens import SplitTexts, StemmedTexts, is_stop_word, stemmer_code

PAGES_PER_BATCH = 256
MAX_TEXT_CHARS = 200_000
MIN_REPEATED_PAGES, MIN_REPEATED_SHARE = 3, 0.02
MIN_LANGUAGE_SHARE = 0.01
MAX_TERM_CHARS = 40
TERM_PATTERN = re.compile(r"[^\W\d_].*[^\W\d_]")
SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?\u3002])\s+")
TITLE_SEPARATOR_PATTERN = re.compile(r"\s[|\u2013\u2014\u00b7\u00bb:-]+\s")


@dataclass(slots=True, eq=False)
class TermReader:
    """A reader that turns pages into terms: stems of one language, without stop words.

    All pages are stemmed in the most common language, so that they can be
    compared. A line that repeats on many pages of a site, such as a menu, is
    read only on the first. `term_ids` numbers the stems, `word_terms` has the
    terms of every word that was read, `word_counts` how often it was.
    """

    collection: Collection
    language: str
    languages: tuple[str, ...]
    term_ids: dict[str, int] = field(default_factory=dict)
    word_terms: dict[str, tuple[int, ...]] = field(default_factory=dict)
    word_counts: Counter[str] = field(default_factory=Counter)
    repeated_lines: set[int] = field(default_factory=set)
    truncated_pages: int = 0

    @classmethod
    def of(cls, collection: Collection, *sites: Ids) -> "TermReader":
        """Build a reader for the languages of some sites."""
        pages, languages = Counter[str](), list[str]()
        for numbers in sites:
            column = collection.pages["language"].take(pa.array(numbers)).to_pylist()
            site_pages = Counter(language for language in column if language)
            pages += site_pages
            min_pages = MIN_LANGUAGE_SHARE * len(numbers)
            languages += [code for code in sorted(site_pages) if site_pages[code] >= min_pages]
        main = min(pages, key=lambda code: (-pages[code], code)) if pages else "en"
        return cls(collection, main, tuple(dict.fromkeys([main, *languages])))

    def read_pages(self, numbers: Ids) -> SiteTerms:
        """Read the terms of some pages of a site, in batches."""
        repeated, seen = self._find_repeated_lines(numbers), set[int]()
        self.repeated_lines |= repeated
        page_terms, sentence_terms, sentence_pages = [], [], [np.zeros(0, np.int32)]
        batches = range(0, len(numbers), PAGES_PER_BATCH)
        for at in track(batches, "terms", len(batches)):
            pages = self._read_lines(numbers[at : at + PAGES_PER_BATCH].tolist())
            page_lines = [list(_skip_repeated_lines(lines, repeated, seen)) for lines in pages]
            page_of_sentence, counts, sentences = self._count_terms(page_lines)
            sentence_pages.append(page_of_sentence + np.int32(at))
            page_terms.append(counts)
            sentence_terms.append(CSR(sentences.starts, sentences.ids))
        return SiteTerms(
            _concatenate_rows(page_terms),
            _concatenate_rows(sentence_terms),
            np.concatenate(sentence_pages),
        )

    def snippets(self, numbers: Sequence[int], wanted_stems: Sequence[Set[str]]) -> list[str]:
        """The snippet of each page with most of the wanted stems; from a menu only if need be."""
        snippets = []
        texts = self.collection.texts(numbers, main_content=True)
        for text, stems in zip(texts, wanted_stems, strict=True):
            lines = [
                line for line in text.split("\n") if _hash_line(line) not in self.repeated_lines
            ]
            without_menus, anywhere = make_snippets(
                ["\n".join(lines), text], [self.language] * 2, stems
            )
            snippets.append(without_menus.text if without_menus.marks else anywhere.text)
        return snippets

    def terms_of_text(self, text: str) -> Ids:
        """The distinct terms of any text."""
        terms: Ids = np.unique(self._count_terms([text.split("\n")])[1].ids)
        return terms

    def most_common_forms(self) -> list[str]:
        """The most common written form of each term."""
        best = {number: (0, stem.rpartition("/")[2]) for stem, number in self.term_ids.items()}
        for word, terms in self.word_terms.items():
            if len(terms) == 1:
                best[terms[0]] = min(best[terms[0]], (-self.word_counts[word], word))
        return [best[number][1] for number in range(len(self.term_ids))]

    def _read_lines(self, numbers: Sequence[int]) -> Iterator[list[str]]:
        """The lines of each page: the parts of its title, then its main content."""
        titles = self.collection.pages["title"].take(pa.array(numbers)).to_pylist()
        for title, text in zip(
            titles, self.collection.texts(numbers, main_content=True), strict=True
        ):
            parts = [*TITLE_SEPARATOR_PATTERN.split(title), *text[:MAX_TEXT_CHARS].split("\n")]
            self.truncated_pages += len(text) > MAX_TEXT_CHARS
            yield [line for line in (" ".join(part.split()) for part in parts) if line]

    def _find_repeated_lines(self, numbers: Ids) -> frozenset[int]:
        """The hashes of lines that repeat on many pages."""
        hashes, truncated = [np.zeros(0, np.uint64)], self.truncated_pages
        for at in range(0, len(numbers), PAGES_PER_BATCH):
            for lines in self._read_lines(numbers[at : at + PAGES_PER_BATCH].tolist()):
                distinct = {_hash_line(line) for line in lines}
                hashes.append(np.fromiter(distinct, np.uint64, len(distinct)))
        lines_seen, pages = np.unique(np.concatenate(hashes), return_counts=True)
        self.truncated_pages = truncated  # pages are read again for their terms, and counted then
        min_pages = max(MIN_REPEATED_PAGES, MIN_REPEATED_SHARE * len(numbers))
        return frozenset(lines_seen[pages >= min_pages].tolist())

    def _count_terms(self, page_lines: Sequence[Sequence[str]]) -> tuple[Ids, CSR, CSR]:
        """The page of each sentence, the term counts of pages, and those of sentences."""
        page_sentences = [
            [sentence for line in lines for sentence in SENTENCE_END_PATTERN.split(line)]
            for lines in page_lines
        ]
        page = np.repeat(np.arange(len(page_sentences)), [len(part) for part in page_sentences])
        split = SplitTexts.from_texts(
            pa.array([sentence for part in page_sentences for sentence in part], pa.string())
        )
        words, word = split.pieces.to_pylist(), split.piece_ids.to_numpy()
        self._add_words(words, np.bincount(word, minlength=len(words)))
        # the terms of all distinct words one after the other; a word has none, one or several
        terms_of_word = [self.word_terms[text] for text in words]
        sizes = np.array([len(terms) for terms in terms_of_word], np.int64)
        flat = np.array([term for terms in terms_of_word for term in terms], np.int64)
        lengths = sizes[word]
        terms = flat[concatenate_ranges((np.cumsum(sizes) - sizes)[word], lengths)]
        bounds = np.searchsorted(split.piece_starts, split.text_starts)
        sentence = np.repeat(np.repeat(np.arange(len(page)), np.diff(bounds)), lengths)
        return (
            page.astype(np.int32),
            _term_count_rows(page[sentence], terms, len(page_lines)),
            _term_count_rows(sentence, terms, len(page)),
        )

    def _add_words(self, words: Sequence[str], counts: Offsets) -> None:
        """Count words, and find the terms of those that are new."""
        self.word_counts.update(dict(zip(words, counts.tolist(), strict=True)))
        new = [word for word in words if word not in self.word_terms]
        stemmed = StemmedTexts.from_texts(
            pa.array(new, pa.string()), stemmer_code(self.language)
        ).to_strings()
        for word, stems in zip(new, stemmed, strict=True):
            candidates = [] if self._is_stop_word(word.lower()) else stems.split()
            self.word_terms[word] = tuple(
                self.term_ids.setdefault(stem, len(self.term_ids))
                for stem in candidates
                if self._is_term(stem)
            )

    def _is_term(self, stem: str) -> bool:
        word = stem.rpartition("/")[2]
        is_word = len(word) <= MAX_TERM_CHARS and TERM_PATTERN.match(word) is not None
        return is_word and not self._is_stop_word(word)

    def _is_stop_word(self, word: str) -> bool:
        return any(is_stop_word(word, language) for language in self.languages)


def _skip_repeated_lines(
    lines: Sequence[str], repeated: frozenset[int], seen_lines: set[int]
) -> Iterator[str]:
    """The lines of a page, without repeated ones that an earlier page of the site had."""
    for line in lines:
        line_hash = _hash_line(line) if repeated else 0
        if line_hash not in seen_lines:
            yield line
        if line_hash in repeated:
            seen_lines.add(line_hash)


def _hash_line(line: str) -> int:
    words = " ".join(line.lower().split()).encode("utf-8", "replace")
    return int.from_bytes(blake2b(words, digest_size=8).digest())


def _term_count_rows(owner: Offsets, term: Offsets, row_count: int) -> CSR:
    """Count the terms of each owner, a page or a sentence, as CSR rows."""
    key, counts = np.unique(pack_pairs(owner, term), return_counts=True)
    starts = np.searchsorted(key, np.arange(row_count + 1) << 32)
    return CSR(starts, unpack_second_ids(key).astype(np.int32), counts.astype(np.float32))


def _concatenate_rows(blocks: Sequence[CSR]) -> CSR:
    """Stack CSR rows vertically."""
    sizes = [np.zeros(1, np.int64), *(np.diff(block.starts) for block in blocks)]
    ids = [np.zeros(0, np.int32), *(block.ids for block in blocks)]
    weights = [block.weights for block in blocks if block.weights is not None]
    weighted = len(weights) == len(blocks)
    return CSR(
        np.cumsum(np.concatenate(sizes)),
        np.concatenate(ids),
        np.concatenate([np.zeros(0, np.float32), *weights]) if weighted else None,
    )
