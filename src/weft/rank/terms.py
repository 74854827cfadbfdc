"""The words of pages as arrays."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from weft.core.arrays import Flags, Floats, Ids, Offsets, stacked, unstacked

WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """The words of a text in lower case.

    Examples
    --------
    >>> words("The E-Type, 1961")
    ['the', 'e', 'type', '1961']
    """
    return WORD.findall(text.casefold())


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """How often each page has each word: one cell per page and word, by page, then by word."""

    page: Ids
    term: Ids
    count: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Texts as runs of numbered words: those of page i are `term[starts[i]:starts[i + 1]]`."""

    vocabulary: Sequence[str]
    starts: Offsets
    term: Ids

    @property
    def page(self) -> Ids:
        """The page of each word."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))

    def cells(self, kept: Flags | None = None) -> Cells:
        """The words counted, or those of them that are `kept`."""
        key = stacked(self.page, self.term)
        key, count = np.unique(key if kept is None else key[kept], return_counts=True)
        page, term = unstacked(key)
        return Cells(page, term, count.astype(np.float64))

    def opening(self, most: int) -> Flags:
        """Which words are among the first so many of their page."""
        return np.arange(len(self.term)) - self.starts[self.page] < most


def tokens(texts: Iterable[str]) -> Tokens:
    """Cut texts into words, and number the words as they come."""
    number: defaultdict[str, int] = defaultdict()
    number.default_factory = number.__len__
    runs = [np.array([number[word] for word in words(text)], np.int32) for text in texts]
    starts = np.cumsum([0, *(len(run) for run in runs)], dtype=np.int64)
    return Tokens(list(number), starts, np.concatenate([np.zeros(0, np.int32), *runs]))


def occurrences(texts: Sequence[str], terms: Sequence[str]) -> Offsets:
    """How often each text has each term, a word or several in a row: a row per term.

    Examples
    --------
    >>> occurrences(["An E-Type is an e-type.", "Type E"], ["e-type", "an"]).tolist()
    [[2, 0], [2, 0]]
    """
    asked = [words(term) for term in terms]
    patterns = [re.compile(r"(?<!\w)" + r"\W+".join(term) + r"(?!\w)") for term in asked]
    found = np.zeros((len(terms), len(texts)), np.int64)
    for number, text in enumerate(texts):
        folded = text.casefold()
        for k, term in enumerate(asked):
            if term[0] in folded:
                found[k, number] = len(patterns[k].findall(folded))
    return found
