"""URLs by number, and the links into them, in few bytes each: a live crawl may find ten million.

URLs are in a temporary file once they are many, their hashes and links in arrays.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from tempfile import SpooledTemporaryFile
from typing import overload
from weakref import finalize

import numpy as np

from weft.core.arrays import Flags, Ids
from weft.core.words import UNKNOWN, GrowingArray, KnownWords

MAX_BYTES_IN_MEMORY = 32 << 20  # of URLs; beyond that they are in a file


class NumberedStrings:
    """Numbers for strings in the order in which they come; the strings are not kept.

    They are recognised by hashes of 64 bits.
    """

    def __init__(self) -> None:
        self._known = KnownWords()

    def find(self, strings: Sequence[str]) -> Ids:
        """The number of each string, -1 for those that are not known."""
        return self._known.find(_hashes(strings))

    def add(self, strings: Sequence[str]) -> tuple[Ids, list[int]]:
        """The number of each string, and the places of the new ones among them."""
        hashes = _hashes(strings)
        numbers = self._known.find(hashes)
        missing = np.flatnonzero(numbers == UNKNOWN)
        _, first = np.unique(hashes[missing], return_index=True)
        new = missing[np.sort(first)]
        self._known.add(hashes[new], [0] * len(new))
        numbers[missing] = self._known.find(hashes[missing])
        return numbers, new.tolist()

    def __len__(self) -> int:
        return self._known.terms.size


def _hashes(strings: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.fromiter(map(hash, strings), np.int64, len(strings)).view(np.uint64)


class UrlTable(Sequence[str]):
    """URLs in the order in which they came, each once."""

    def __init__(self) -> None:
        self._numbers = NumberedStrings()
        self._file = SpooledTemporaryFile(MAX_BYTES_IN_MEMORY)  # noqa: SIM115  closed with this
        finalize(self, self._file.close)
        self._ends = GrowingArray(np.int64)
        self._ends.extend([0])

    def find(self, url: str) -> int:
        """The number of a URL, -1 if it is not known."""
        return int(self._numbers.find([url])[0])

    def add(self, urls: Sequence[str]) -> Ids:
        """The number of each URL, new ones included."""
        numbers, new = self._numbers.add(urls)
        texts = [urls[place].encode("utf-8", "surrogatepass") for place in new]
        self._file.seek(0, 2)
        self._file.write(b"".join(texts))
        start = self._ends.values[-1]
        self._ends.extend(start + np.cumsum([len(text) for text in texts], dtype=np.int64))
        return numbers

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        places = range(len(self))[at]
        if isinstance(places, int):
            return self._read(places, places + 1)[0]
        if places.step != 1:
            return [self[place] for place in places]
        return self._read(places.start, places.stop) if places else []

    def _read(self, first: int, last: int) -> list[str]:
        ends = self._ends.values[first : last + 1].tolist()
        self._file.seek(ends[0])
        block = self._file.read(ends[-1] - ends[0])
        parts = (block[a - ends[0] : b - ends[0]] for a, b in pairwise(ends))
        return [part.decode("utf-8", "surrogatepass") for part in parts]

    def __len__(self) -> int:
        return len(self._numbers)


class InLinks:
    """The pages that link to each URL, in the order in which that was found out.

    Each link has the one into the same URL that was found before it.
    """

    def __init__(self) -> None:
        self._last, self._counts = GrowingArray(np.int32), GrowingArray(np.int32)
        self._source, self._previous = GrowingArray(np.int32), GrowingArray(np.int32)

    def extend(self, size: int) -> None:
        """Make room for URLs up to a number of them."""
        new = size - self._counts.size
        self._last.extend(np.full(new, -1, np.int32))
        self._counts.extend(np.zeros(new, np.int32))

    def add(self, source: int, targets: Ids) -> None:
        """Add the links of a page to distinct URLs."""
        first = self._source.size
        self._source.extend(np.full(len(targets), source, np.int32))
        self._previous.extend(self._last.values[targets])
        self._last.values[targets] = np.arange(first, first + len(targets), dtype=np.int32)
        self._counts.values[targets] += 1

    def count(self, number: int) -> int:
        """How many pages link to a URL."""
        return int(self._counts.values[number])

    def __getitem__(self, number: int) -> list[int]:
        found: list[int] = []
        link = self._last.values[number]
        while link >= 0:
            found.append(int(self._source.values[link]))
            link = self._previous.values[link]
        return found[::-1]


class NumberSet:
    """A set of small numbers, a byte for each up to the largest."""

    def __init__(self) -> None:
        self._is_in = GrowingArray(np.bool_)

    def update(self, numbers: Iterable[int]) -> None:
        """Add numbers."""
        added = np.fromiter(numbers, np.int64)
        missing = int(added.max(initial=-1)) + 1 - self._is_in.size
        self._is_in.extend(np.zeros(max(missing, 0), bool))
        self._is_in.values[added] = True

    def __contains__(self, number: int) -> bool:
        values: Flags = self._is_in.values
        return number < len(values) and bool(values[number])
