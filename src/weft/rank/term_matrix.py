"""Term counts of page texts as sparse arrays."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weft.core.arrays import Flags, Floats, Ids, Offsets, pack_pairs, unpack_pairs

WORD_PATTERN = re.compile(r"\w+")


def tokenize(text: str) -> list[str]:
    """Split a text into lower-case words.

    Examples
    --------
    >>> tokenize("The E-Type, 1961")
    ['the', 'e', 'type', '1961']
    """
    return WORD_PATTERN.findall(text.casefold())


@dataclass(frozen=True, slots=True, eq=False)
class TermCounts:
    """A sparse matrix of pages by terms: an entry per pair, sorted by page, then by term."""

    page_ids: Ids
    term_ids: Ids
    counts: Floats


@dataclass(frozen=True, slots=True, eq=False)
class TokenizedTexts:
    """Texts as term numbers: those of page i are `term_ids[starts[i]:starts[i + 1]]`."""

    vocabulary: Sequence[str]
    starts: Offsets
    term_ids: Ids

    @property
    def token_page_ids(self) -> Ids:
        """The page of each token."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))

    def count_terms(self, mask: Flags | None = None) -> TermCounts:
        """Count terms by page, over all tokens or those in `mask`."""
        keys = pack_pairs(self.token_page_ids, self.term_ids)
        keys, counts = np.unique(keys if mask is None else keys[mask], return_counts=True)
        page_ids, term_ids = unpack_pairs(keys)
        return TermCounts(page_ids, term_ids, counts.astype(np.float64))

    def first_words_mask(self, max_words: int) -> Flags:
        """Which tokens are among the first `max_words` of their page."""
        return np.arange(len(self.term_ids)) - self.starts[self.token_page_ids] < max_words


def tokenize_texts(texts: Iterable[str]) -> TokenizedTexts:
    """Tokenize texts; terms are numbered in the order in which they first occur."""
    term_ids: defaultdict[str, int] = defaultdict()
    term_ids.default_factory = term_ids.__len__
    tokens = [np.array([term_ids[word] for word in tokenize(text)], np.int32) for text in texts]
    starts = np.cumsum([0, *(len(ids) for ids in tokens)], dtype=np.int64)
    return TokenizedTexts(list(term_ids), starts, np.concatenate([np.zeros(0, np.int32), *tokens]))


def count_occurrences(texts: Sequence[str], terms: Sequence[str]) -> Offsets:
    """Count terms, words or phrases, in texts: a row per term and a column per text.

    Examples
    --------
    >>> count_occurrences(["An E-Type is an e-type.", "Type E"], ["e-type", "an"]).tolist()
    [[2, 0], [2, 0]]
    """
    patterns = [TermPattern.from_term(term) for term in terms]
    counts = np.zeros((len(terms), len(texts)), np.int64)
    for column, text in enumerate(texts):
        folded = text.casefold()
        for row, term in enumerate(patterns):
            if term.first_word in folded:
                counts[row, column] = len(term.pattern.findall(folded))
    return counts


def find_terms(texts: Sequence[str], terms: Sequence[str]) -> Flags:
    """Which texts have which terms: a row per term and a column per text.

    Examples
    --------
    >>> find_terms(["An E-Type is an e-type.", "Type E"], ["e-type", "type"]).tolist()
    [[True, False], [True, True]]
    """
    patterns = [TermPattern.from_term(term) for term in terms]
    found = np.zeros((len(terms), len(texts)), bool)
    for column, text in enumerate(texts):
        folded = text.casefold()
        for row, term in enumerate(patterns):
            if term.first_word in folded:
                found[row, column] = term.pattern.search(folded) is not None
    return found


class TermPattern(NamedTuple):
    """A word or phrase to look for; to find its first word is much faster, and mostly fails."""

    first_word: str
    pattern: re.Pattern[str]

    @classmethod
    def from_term(cls, term: str) -> "TermPattern":
        """The pattern of a term: its words, with anything but words between them."""
        words = tokenize(term)
        return cls(words[0], re.compile(r"(?<!\w)" + r"\W+".join(words) + r"(?!\w)"))
