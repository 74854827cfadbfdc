"""The words of texts as numbers, by array operations on their characters."""

import re
import sys
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.core.arrays import GOLDEN_GAMMA, Flags, Floats, Hashes, Ids, Offsets, splitmix64

WORD = re.compile(r"\w+")
MAX_HASHED_CHARS = 256
BLOCK_CHARS = 1 << 16
UNKNOWN = -1
MIN_SLOTS, MIN_SLOTS_PER_WORD = 1 << 12, 2


@lru_cache(maxsize=1)  # the text of a page is hashed for its terms and for its near-duplicates
def hash_words(text: str) -> tuple[Hashes, Ids]:
    r"""A hash of 64 bits of each word of a text, and the character at which each begins.

    Words are the matches of `\w+`, without regard to case. The hash, the same on every
    machine, is a polynomial of the first 256 characters.

    Examples
    --------
    >>> (a, b, c), starts = hash_words("word, other, Word")
    >>> bool(a == c), bool(a == b), starts.tolist()
    (True, False, [0, 6, 13])
    """
    starts_of_blocks = range(0, max(len(text), 1), BLOCK_CHARS)
    hashes, starts = zip(*(_hash_block(text, first) for first in starts_of_blocks), strict=True)
    return np.concatenate(hashes), np.concatenate(starts)


def _hash_block(text: str, first: int) -> tuple[Hashes, Ids]:
    """The words that begin in a block of a text; its memory does not follow that of the text."""
    begin = max(first - 1, 0)
    end = first + BLOCK_CHARS + MAX_HASHED_CHARS
    values = _character_values()[_character_codes(text[begin:end])]
    in_word = np.zeros(len(values) + 2, bool)
    in_word[1:-1] = values
    bounds = np.flatnonzero(in_word[1:] != in_word[:-1])
    begins_here = (bounds[::2] >= first - begin) & (bounds[::2] < first - begin + BLOCK_CHARS)
    starts, ends = bounds[::2][begins_here], bounds[1::2][begins_here]
    # The sum of a word's characters, each times G^(its place in the text), over G^(place of
    # the first): the powers of G, which is odd, have inverses.
    powers, inverses = _powers(len(values))
    sums = np.zeros(len(values) + 1, np.uint64)
    np.cumsum(values * powers[: len(values)], out=sums[1:])
    hashed_ends = np.minimum(ends, starts + MAX_HASHED_CHARS)
    hashes = splitmix64((sums[hashed_ends] - sums[starts]) * inverses[starts])
    return hashes, (begin + starts).astype(np.int32)


def _character_codes(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


@cache
def _word_characters() -> Flags:
    """Which Unicode characters are part of words."""
    every = np.arange(sys.maxunicode + 1, dtype=np.uint32).tobytes()
    found = np.zeros(sys.maxunicode + 1, bool)
    for match in WORD.finditer(every.decode("utf-32-le", "surrogatepass")):
        found[match.start() : match.end()] = True
    return found


@cache
def _lower_case() -> npt.NDArray[np.uint32]:
    """The lower case of each Unicode character; itself where that is two characters, as of İ."""
    codes = np.arange(sys.maxunicode + 1, dtype=np.uint32)
    single = codes[codes != ord("İ")]
    text = single.tobytes().decode("utf-32-le", "surrogatepass")
    codes[single] = _character_codes(text.lower())
    return codes


@cache
def _character_values() -> Hashes:
    """What each Unicode character adds to a hash, from one on; zero for those not in words."""
    return np.where(_word_characters(), _lower_case() + np.uint64(1), np.uint64(0))


def _powers(size: int) -> tuple[Hashes, Hashes]:
    """At least `size` powers of a constant, from the first on, and their inverses, from one on."""
    return _powers_up_to(1 << max(size, 1).bit_length())


@lru_cache(maxsize=2)
def _powers_up_to(size: int) -> tuple[Hashes, Hashes]:
    inverse = np.uint64(pow(int(GOLDEN_GAMMA), -1, 1 << 64))
    powers = np.multiply.accumulate(np.full(size, GOLDEN_GAMMA, np.uint64))
    inverses = np.multiply.accumulate(np.full(size, inverse, np.uint64))
    return powers, np.append(np.uint64(1), inverses[:-1])


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
