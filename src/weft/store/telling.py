"""The telling words of each page: its stems, weighed by how often it says them and how few do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import Floats, Ids, Offsets, Rows, Weights
from weft.store.mapped import check_ids, check_rows, map_array, read_checked
from weft.store.words import Stemmed, Vocabulary, family

KEPT = 64
TITLE = 3
LOW, SHORT = 0xFFFFFFFF, 0xFFFF
BLOCK = 1 << 8
AT_ONCE = 1 << 14
NOTHING = np.zeros(0, np.float32)
NO_SIZES, NO_IDS = np.zeros(0, np.int64), np.zeros(0, np.int32)
Often = npt.NDArray[np.integer]
A_WORD = r"\p{L}[^/]*\p{L}[^/]*$"
LONGEST = 40
STEMS = pa.schema({"stem": pa.large_string()})


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
        spoken, known = np.array([family(language) for language in languages]), Known()
        parts = [Counts.none()]
        for name in np.unique(spoken):
            own = np.flatnonzero(spoken == name).astype(np.int32)
            said = [side[k] for side in (titles, texts) for k in own.tolist()]
            parts.append(Counts.of(own, Stemmed.of(pa.array(said, pa.string()), name), known))
        page, stem, times = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(page, kind="stable")
        said_by = np.bincount(stem, minlength=len(known))
        rarity = Rarity.of(known.stems, said_by, len(np.unique(page)))
        sizes = np.bincount(page, minlength=len(texts))
        stem, times = stem[order], times[order]
        blocks = [rarity.rows(some, stem[own], times[own]) for some, own in in_blocks(sizes)]
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
        stem, weights = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.float32)
        used = np.zeros(len(self.stems), bool)
        for start in range(0, len(pages), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            here = slice(ends[start], ends[min(start + AT_ONCE, len(pages))])
            shift = np.repeat(first[some] - ends[:-1][some], (last - first)[some])
            at = np.arange(here.start, here.stop) + shift
            stem[here], weights[here] = self.rows.ids[at], self.weights[at]
            used[stem[here]] = True
        place = (np.cumsum(used) - 1).astype(np.int32)
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
    def of(cls, pages: Ids, said: Stemmed, known: "Known") -> "Counts":
        """What pages say, whose titles come first in what is said, then their bodies.

        What comes after these does not count.
        """
        starts, ids = known.stems_of(said)
        many, none = np.diff(starts), len(known)
        only = np.full(len(many), none, np.int32)
        only[many == 1] = ids[starts[:-1][many == 1]]
        piece, owner, ends = _pieces(said, len(pages), none + 1)
        key = owner + only[piece].astype(owner.dtype)
        for start, end in pairwise(ends.tolist()):
            key[start:end].sort()
        more = np.flatnonzero((many > 1)[piece])
        several, at = many[piece[more]], starts[piece[more]]
        shift = np.repeat(at - np.cumsum(several) + several, several)
        others = ids[np.arange(len(shift)) + shift].astype(owner.dtype)
        others = np.sort(np.repeat(owner[more], several) + others)
        key = np.sort(np.concatenate([key, others]), kind="stable")  # quick on what is in order
        first = _changes(key)
        page, stem = np.divmod(key[first], none + 1)
        told = stem < none
        times = np.diff(first, append=len(key))
        return cls(pages[page[told]], stem[told].astype(np.int32), times[told])


class Known:
    """The telling stems met so far, numbered; and those of each piece of a vocabulary."""

    def __init__(self) -> None:
        self.stems = pa.array([], pa.large_string())
        self._rows = dict[str, tuple[Vocabulary, Offsets, Ids]]()

    def stems_of(self, said: Stemmed) -> tuple[Offsets, Ids]:
        """Where the stems of each different piece begin, and last where they end; their numbers."""
        name, words = said.vocabulary.name, said.vocabulary
        heard, many, ids = self._rows.get(name, (words, NO_SIZES, NO_IDS))
        if heard is not words:
            many, ids = NO_SIZES, NO_IDS
        if len(many) < len(words):
            fresh, own = self._learn(words.stems.slice(len(many)))
            many, ids = np.concatenate([many, fresh]), np.concatenate([ids, own])
            self._rows[name] = words, many, ids
        return _some(many, ids, said.places)

    def _learn(self, stems: pa.Array) -> tuple[Offsets, Ids]:
        """How many telling stems each piece has, and their numbers."""
        lists = pc.split_pattern(pc.ascii_rtrim_whitespace(stems), " ")
        flat = lists.flatten().dictionary_encode()
        number = self._numbers(flat.dictionary)[flat.indices.to_numpy()]
        told = np.concatenate([[0], np.cumsum(number >= 0)])
        return np.diff(told[lists.offsets.to_numpy()]), number[number >= 0]

    def _numbers(self, stems: pa.Array) -> Ids:
        """The number of each stem, new ones being numbered on; -1 for what is no word."""
        short = pc.less_equal(pc.binary_length(stems), LONGEST)
        meant = pc.and_(short, pc.match_substring_regex(stems, A_WORD))
        own = stems.filter(meant).cast(pa.large_string())
        both = pa.concat_arrays([self.stems, own]).dictionary_encode()
        number = np.full(len(stems), -1, np.int32)
        number[meant.to_numpy(zero_copy_only=False)] = both.indices.to_numpy()[len(self) :]
        self.stems = both.dictionary
        return number

    def __len__(self) -> int:
        return len(self.stems)


def _some(many: Offsets, ids: Ids, places: Ids) -> tuple[Offsets, Ids]:
    """Some of the rows that have so many ids each."""
    first = (np.cumsum(many) - many)[places]
    starts = np.concatenate([[0], np.cumsum(many[places])])
    shift = np.repeat(first - starts[:-1], many[places])
    return starts, ids[np.arange(len(shift)) + shift]


def _pieces(said: Stemmed, pages: int, width: int) -> tuple[Ids, Offsets, Offsets]:
    """Each piece as often as it counts; the page that says it, times `width`; where to cut these.

    First come all titles, to be sorted as one, then the body of each page.
    """
    firsts = said.firsts[: 2 * pages + 1]
    owner = np.arange(2 * pages) % max(pages, 1) * width
    short = np.uint32 if pages * width <= LOW else np.int64  # which is sorted in half the time
    page = np.repeat(owner.astype(short), np.diff(firsts))
    piece = said.cut.numbers.to_numpy()[: len(page)]
    titles = int(firsts[pages])
    again = [slice(0, titles)] * (TITLE - 1)
    return (
        np.concatenate([*(piece[part] for part in again), piece]),
        np.concatenate([*(page[part] for part in again), page]),
        np.concatenate([[0], firsts[pages:] + titles * (TITLE - 1)]),
    )


def _changes(key: npt.NDArray[np.integer]) -> Offsets:
    """Where a number differs from the one before."""
    return np.flatnonzero(np.concatenate([np.ones(len(key[:1]), bool), key[1:] != key[:-1]]))


def in_blocks(sizes: Offsets) -> Iterator[tuple[Offsets, slice]]:
    """Pages that say so many stems each, some pages at a time, and where their stems stand."""
    ends = np.concatenate([[0], np.cumsum(sizes)])
    for at in range(0, len(sizes), BLOCK):
        some = sizes[at : at + BLOCK]
        yield some, slice(int(ends[at]), int(ends[at + len(some)]))


@dataclass(frozen=True, slots=True, eq=False)
class Rarity:
    """The stems that more than one page says, in order, and what each is worth.

    `place` leads to them from the numbers that stems had so far; -1 for the others.
    """

    stems: pa.Array
    worth: Floats
    place: Ids

    @classmethod
    def of(cls, stems: pa.Array, pages: Offsets, among: int) -> "Rarity":
        """Of stems that so many pages say, among so many that say anything."""
        order = pc.array_sort_indices(stems).to_numpy()
        order = order[pages[order] > 1]
        place = np.full(len(stems), -1, np.int32)
        place[order] = np.arange(len(order))
        return cls(stems.take(pa.array(order)), np.log(among / pages[order]), place)

    def rows(self, sizes: Offsets, stem: Ids, times: Often) -> Rows:
        """The weightiest stems of a block of pages that say so many each.

        Page, weight and stem are sorted as one number.
        """
        place = self.place[stem].astype(np.int64)
        page = np.repeat(np.arange(len(sizes)), sizes)[place >= 0]
        times, place = times[place >= 0].astype(float), place[place >= 0]
        weight = ((1 + np.log(times)) * self.worth[place]).astype(np.float16)
        bits = weight.view(np.uint16).astype(np.int64)  # which ascend as the weights do
        key = np.sort((page << 48 | (SHORT - bits) << 32 | place)[weight > 0])
        first = np.searchsorted(key, np.arange(len(sizes) + 1) << 48)
        key = key[np.arange(len(key)) - np.repeat(first[:-1], np.diff(first)) < KEPT]
        key = np.sort(key >> 48 << 48 | (key & LOW) << 16 | SHORT - (key >> 32 & SHORT))
        starts = np.searchsorted(key, np.arange(len(sizes) + 1) << 48)
        best = (key & SHORT).astype(np.uint16).view(np.float16).astype(np.float32)
        return Rows(starts, (key >> 16 & LOW).astype(np.int32), best)


class Told(NamedTuple):
    """The telling words of a collection, as a `Teller` wrote them, and where each page stands."""

    row: Ids
    words: Words

    @classmethod
    def open(cls, folder: Path, pages: int) -> "Told":
        """What was written of so many pages, and checked."""
        row = map_array(folder / "row.npy", "<i4", length=pages)
        starts, ids = map_array(folder / "starts.npy", "<i8"), map_array(folder / "ids.npy", "<i4")
        weights = map_array(folder / "weights.npy", "<f2", length=len(ids))
        stems = read_checked(folder / "stems.arrow", STEMS)["stem"].combine_chunks()
        rows = Rows(starts, ids, weights)
        check_rows(f"{folder}/", rows, len(stems))
        check_ids(folder / "row.npy", row, len(starts) - 1, -1)
        return cls(row, Words(stems, rows))

    def of(self, pages: Ids) -> Words:
        """Those of some pages."""
        return self.words.some(self.row[pages])
