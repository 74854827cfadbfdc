"""Near-duplicates: texts that have nearly all of their word sequences in common.

As in the crawls of Fetterly, Manasse and Najork (2003): the sequences of four words of a text
(shingles) are hashed, the smallest hash of each of 84 parts of them is kept, and 14 of these at a
time are hashed to one of six super-shingles. Texts are near-duplicates if they share two: nearly
always above a resemblance of 0.95, seldom below 0.85, where resemblance is the share of
shingles in common. Pages are near-duplicates if their main contents are, since those of a site
share its menus, and their whole texts are, since lists of links are often not in the main content.
"""

from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from weft.core.arrays import Hashes, splitmix64
from weft.core.words import hash_words
from weft.gather.page import Page

SHINGLE_WORDS = 4
MINIMA, SUPER_SHINGLES = 84, 6
MIN_SHARED = 2
MIN_WORDS, MAX_WORDS = 100, 1 << 18
PART_STARTS = np.array([(k << 64) // MINIMA for k in range(MINIMA)], np.uint64)


class PageShingles(NamedTuple):
    """The super-shingles of a page: of its main content, and of its text."""

    main: tuple[int, ...]
    text: tuple[int, ...]


def page_shingles(page: Page) -> PageShingles:
    """The super-shingles of a page by its first 262,144 words; none without main content."""
    words, starts = hash_words(page.text)
    words, starts = words[:MAX_WORDS], starts[:MAX_WORDS]
    bounds = np.searchsorted(starts, page.main)
    main = [words[first:last] for first, last in zip(bounds[::2], bounds[1::2], strict=True)]
    shingles = super_shingles(np.concatenate([words[:0], *main]))
    return PageShingles(shingles, super_shingles(words) if shingles else ())


def super_shingles(words: Hashes) -> tuple[int, ...]:
    """The six super-shingles of words by their hashes, signed; none for less than 100.

    Examples
    --------
    >>> words, _ = hash_words(" ".join(f"word{k}" for k in range(1000)))
    >>> a, b = super_shingles(words), super_shingles(words[1:])
    >>> len(a), len(set(a) & set(b)) >= 2, super_shingles(words[:99])
    (6, True, ())
    """
    if len(words) < MIN_WORDS:
        return ()
    count = len(words) - SHINGLE_WORDS + 1
    shingles = np.zeros(count, np.uint64)
    for k in range(SHINGLE_WORDS):
        shingles = splitmix64(shingles ^ words[k : k + count])
    shingles = np.sort(shingles)
    # the smallest of each part; that of the next one where a part is empty
    minima = shingles[np.searchsorted(shingles, PART_STARTS) % count]
    rows = minima.astype("<u8").reshape(SUPER_SHINGLES, -1)
    digests = (blake2b(bytes([k]) + row.tobytes(), digest_size=8) for k, row in enumerate(rows))
    return tuple(int.from_bytes(digest.digest(), "big", signed=True) for digest in digests)
