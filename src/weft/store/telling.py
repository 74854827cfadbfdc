"""The telling words of each page: its stems, weighed by how often it says them and how few do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Floats, Ids, Offsets, Rows, Weights
from weft.store.mapped import read_mapped
from weft.store.words import Stemmed, family

KEPT = 64
TITLE = 3
LOW, SHORT = 0xFFFFFFFF, 0xFFFF
BLOCK = 1 << 12
NOTHING = np.zeros(0, np.float32)
Often = npt.NDArray[np.integer]
A_WORD = r"\p{L}[^/]*\p{L}[^/]*$"
LONGEST = 40


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The telling words of pages: a row for each, of its stems with their weights.

    A stem weighs the more the more often its page says it, and the fewer pages
    do: (1 + ln times) · ln(pages with words / pages that say it). A word of the
    title counts three times. Of each page the weightiest are kept, 64 at most;
    a stem that one page alone says is none. `rows.ids` are places in `stems`,
    ascending in each row.
    """

    stems: pa.Array
    rows: Rows

    @classmethod
    def nothing(cls, pages: int) -> "Words":
        """Of pages that say nothing."""
        starts = np.zeros(pages + 1, np.int64)
        none = Rows(starts, np.zeros(0, np.int32), np.zeros(0, np.float32))
        return cls(pa.array([], pa.large_string()), none)

    @classmethod
    def of(cls, titles: Sequence[str], texts: Sequence[str], languages: Sequence[str]) -> "Words":
        """Those of some pages by themselves."""
        spoken, known = np.array([family(language) for language in languages]), dict[str, int]()
        parts = [Counts.none()]
        for name in np.unique(spoken):
            own = np.flatnonzero(spoken == name).astype(np.int32)
            said = [side[k] for side in (titles, texts) for k in own.tolist()]
            parts.append(Counts.of(own, Stemmed.of(pa.array(said, pa.string()), name), known))
        page, stem, times = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(page, kind="stable")
        rarity = Rarity.of(
            list(known), np.bincount(stem, minlength=len(known)), len(np.unique(page))
        )
        sizes = np.bincount(page, minlength=len(texts))
        blocks = list(rarity.blocks(sizes, stem[order], times[order]))
        kept = [np.diff(rows.starts) for rows in blocks]
        starts = np.cumsum(np.concatenate([np.zeros(1, np.int64), *kept]))
        ids = np.concatenate([np.zeros(0, np.int32), *(rows.ids for rows in blocks)])
        weights = [np.asarray(rows.weights) for rows in blocks]
        return cls(rarity.stems, Rows(starts, ids, np.concatenate([NOTHING, *weights])))

    @property
    def weights(self) -> Weights:
        """What each stem weighs on its page, row by row."""
        return np.zeros(0, np.float32) if self.rows.weights is None else self.rows.weights

    def some(self, pages: Ids) -> "Words":
        """Those of some of the pages, in that order, with the stems that they say; -1 says none."""
        starts = np.asarray(self.rows.starts)
        first, last = (np.where(pages < 0, 0, starts[pages + k]) for k in (0, 1))
        ends = np.concatenate([[0], np.cumsum(last - first)])
        at = np.arange(ends[-1]) + np.repeat(first - ends[:-1], last - first)
        stem, used = np.asarray(self.rows.ids[at]), np.zeros(len(self.stems), bool)
        used[stem] = True
        place = (np.cumsum(used) - 1).astype(np.int32)
        weights = np.asarray(self.weights[at], np.float32)
        return Words(self.stems.filter(pa.array(used)), Rows(ends, place[stem], weights))

    def __len__(self) -> int:
        return len(self.rows.starts) - 1

    def __repr__(self) -> str:
        return f"<Words: {len(self):,} pages, {len(self.stems):,} stems>"


class Counts(NamedTuple):
    """How often pages say stems: page, stem and times side by side, page by page."""

    page: Ids
    stem: Ids
    times: Offsets

    @classmethod
    def none(cls) -> "Counts":
        """Where nothing is said."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64))

    @classmethod
    def of(cls, pages: Ids, said: Stemmed, known: dict[str, int]) -> "Counts":
        """What pages say, whose titles come first in what is said, then their bodies.

        What comes after these does not count. `known` numbers the stems, and
        learns new ones.
        """
        page, piece, times = _pieces(said, len(pages))
        lists = pc.split_pattern(pc.ascii_rtrim_whitespace(said.stems), " ")
        flat, starts = (
            lists.flatten().dictionary_encode(),
            lists.offsets.to_numpy().astype(np.int64),
        )
        many = np.diff(starts)[piece]
        shift = np.repeat(starts[piece] - np.cumsum(many) + many, many)
        number = _numbers(flat.dictionary, known)[flat.indices.to_numpy()]
        stem = number[np.arange(len(shift)) + shift]
        key = np.repeat(page << 32, many) | stem
        order = np.argsort(key, kind="stable")
        order = order[stem[order] >= 0]
        key, times = key[order], np.repeat(times, many)[order]
        first = _changes(key)
        total = np.add.reduceat(times, first) if len(first) else times
        return cls(pages[key[first] >> 32], (key[first] & LOW).astype(np.int32), total)


def _pieces(said: Stemmed, pages: int) -> tuple[Offsets, Offsets, Offsets]:
    """The pieces that pages say: page, piece and how often it counts, side by side."""
    firsts, pieces = said.firsts, max(len(said.stems), 1)
    owner = np.arange(2 * pages) % max(pages, 1) * pieces
    short = np.uint32 if pages * pieces <= LOW else np.int64  # which is sorted in half the time
    key = np.repeat(owner.astype(short), np.diff(firsts[: 2 * pages + 1]))
    key += said.cut.numbers.to_numpy()[: len(key)].astype(short)
    titles, bodies = np.split(key, [int(firsts[pages])])
    key = np.sort(np.concatenate([titles] * TITLE + [bodies]))
    first = _changes(key)
    page, piece = np.divmod(key[first].astype(np.int64), pieces)
    return page, piece, np.diff(first, append=len(key))


def _changes(key: npt.NDArray[np.integer]) -> Offsets:
    """Where a number differs from the one before."""
    return np.flatnonzero(np.concatenate([np.ones(len(key[:1]), bool), key[1:] != key[:-1]]))


def _numbers(stems: pa.Array, known: dict[str, int]) -> Offsets:
    """The number of each stem; -1 for what is no word."""
    short = pc.less_equal(pc.binary_length(stems), LONGEST)
    meant = pc.and_(short, pc.match_substring_regex(stems, A_WORD))
    number = np.full(len(stems), -1, np.int64)
    number[meant.to_numpy(zero_copy_only=False)] = [
        known.setdefault(stem, len(known)) for stem in stems.filter(meant).to_pylist()
    ]
    return number


@dataclass(frozen=True, slots=True, eq=False)
class Rarity:
    """The stems that more than one page says, in order, and what each is worth.

    `place` leads to them from the numbers that stems had so far; -1 for the others.
    """

    stems: pa.Array
    worth: Floats
    place: Ids

    @classmethod
    def of(cls, stems: Sequence[str], pages: Offsets, among: int) -> "Rarity":
        """Of stems that so many pages say, among so many that say anything."""
        words = pa.array(stems, pa.large_string())
        order = pc.array_sort_indices(words).to_numpy()
        order = order[pages[order] > 1]
        place = np.full(len(words), -1, np.int32)
        place[order] = np.arange(len(order))
        return cls(words.take(pa.array(order)), np.log(among / pages[order]), place)

    def blocks(self, sizes: Offsets, stem: Ids, times: Often) -> Iterator[Rows]:
        """The weightiest stems of pages that say so many each, some pages at a time."""
        ends = np.concatenate([[0], np.cumsum(sizes)])
        for at in range(0, len(sizes), BLOCK):
            some = sizes[at : at + BLOCK]
            inside = slice(int(ends[at]), int(ends[at + len(some)]))
            yield self._chosen(some, np.asarray(stem[inside]), np.asarray(times[inside]))

    def _chosen(self, sizes: Offsets, stem: Ids, times: Often) -> Rows:
        """Those of a block of pages; page, weight and stem are sorted as one number."""
        place = self.place[stem].astype(np.int64)
        page = np.repeat(np.arange(len(sizes)), sizes)[place >= 0]
        times, place = times[place >= 0].astype(float), place[place >= 0]
        weight = ((1 + np.log(times)) * self.worth[place]).astype(np.float16)
        bits = weight.view(np.uint16).astype(np.int64)  # which ascend as the weights do
        key = np.sort((page << 48 | (SHORT - bits) << 32 | place)[weight > 0])
        page = key >> 48
        key = key[np.arange(len(key)) - np.searchsorted(page, page) < KEPT]
        key = np.sort(key >> 48 << 48 | (key & LOW) << 16 | SHORT - (key >> 32 & SHORT))
        starts = np.searchsorted(key, np.arange(len(sizes) + 1) << 48)
        best = (key & SHORT).astype(np.uint16).view(np.float16).astype(np.float32)
        return Rows(starts, (key >> 16 & LOW).astype(np.int32), best)


def read_words(folder: Path, pages: Ids) -> Words:
    """The telling words of some pages, from what a `Teller` wrote."""
    row, starts, ids, weights = (
        np.load(folder / f"{name}.npy", mmap_mode="r")
        for name in ("row", "starts", "ids", "weights")
    )
    stems = read_mapped(folder / "stems.arrow")["stem"].combine_chunks()
    return Words(stems, Rows(starts, ids, weights)).some(np.asarray(row[pages]))
