"""TF-IDF weights of the stems of pages: computed, written with a snapshot, read back."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from weft.core.arrays import (
    CSR,
    Floats,
    Ids,
    Offsets,
    Weights,
    concatenate_ranges,
    csr_from_keys,
    pack_pairs,
    splitmix64,
    unpack_first_ids,
)
from weft.core.words import UNKNOWN, KnownWords
from weft.store.arrow_files import (
    NpyWriter,
    check_csr,
    check_ids,
    hash_names,
    map_array,
    map_checked_table,
    write_arrow_file,
)
from weft.store.tokens import StemmedTexts, Vocabulary, stemmer_code

MAX_STEMS_PER_PAGE = 64
TITLE_REPEATS = 3
MAX_STEM_BYTES = 40
WORD_PATTERN = r"\p{L}[^/]*\p{L}[^/]*$"  # at least two letters after the stemmer's code
PAGES_PER_BLOCK = 1 << 8
PAGES_PER_CHUNK = 1 << 14
READ_BATCH_VALUES = 1 << 20
LOW_32_BITS, LOW_16_BITS = 0xFFFFFFFF, 0xFFFF
MAX_FREQUENCY = np.iinfo(np.uint16).max
EMPTY_WEIGHTS = np.zeros(0, np.float32)
EMPTY_SIZES, EMPTY_IDS = np.zeros(0, np.int64), np.zeros(0, np.int32)
STEM_SCHEMA = pa.schema({"stem": pa.large_string()})
STEM_FILE, FREQUENCY_FILE = ".stems", ".frequencies"
COUNT_FILES = {STEM_FILE: "<i4", FREQUENCY_FILE: "<u2"}
WEIGHT_FILES = {"ids.npy": "<i4", "weights.npy": "<f2"}
FrequencyArray = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class TermWeights:
    """The TF-IDF weights of the stems of pages: a CSR matrix of page by stem.

    The weight is (1 + ln tf) · ln(N / df), where tf counts the occurrences of
    the stem on the page, those in the title three times, df the pages that
    contain it, and N the pages with any stem. Each page keeps its 64 largest
    weights; stems with df = 1 are left out. Columns are positions in `stems`,
    ascending in each row.
    """

    stems: pa.Array
    matrix: CSR

    @classmethod
    def empty(cls, page_count: int) -> "TermWeights":
        """The weights of pages without text."""
        starts = np.zeros(page_count + 1, np.int64)
        none = CSR(starts, np.zeros(0, np.int32), np.zeros(0, np.float32))
        return cls(pa.array([], pa.large_string()), none)

    @classmethod
    def from_texts(
        cls, titles: Sequence[str], texts: Sequence[str], languages: Sequence[str]
    ) -> "TermWeights":
        """Compute the weights of some pages, with these pages as the document collection."""
        stemmers = np.array([stemmer_code(language) for language in languages])
        dictionary, parts = StemDictionary(), [TermCounts.empty()]
        for stemmer in np.unique(stemmers):
            own = np.flatnonzero(stemmers == stemmer).astype(np.int32)
            own_texts = [column[k] for column in (titles, texts) for k in own.tolist()]
            stemmed = StemmedTexts.from_texts(pa.array(own_texts, pa.string()), stemmer)
            parts.append(TermCounts.from_stemmed(own, stemmed, dictionary))
        page, stem, frequency = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(page, kind="stable")
        document_counts = np.bincount(stem, minlength=len(dictionary))
        idf = InverseDocumentFrequency.from_document_counts(
            dictionary.stems, document_counts, len(np.unique(page))
        )
        sizes = np.bincount(page, minlength=len(texts))
        stem, frequency = stem[order], frequency[order]
        blocks = [
            idf.tf_idf_rows(block_sizes, stem[inside], frequency[inside])
            for block_sizes, inside in iter_page_blocks(sizes)
        ]
        row_sizes = [np.diff(rows.starts) for rows in blocks]
        starts = np.cumsum(np.concatenate([np.zeros(1, np.int64), *row_sizes]))
        ids = np.concatenate([EMPTY_IDS, *(rows.ids for rows in blocks)])
        weights = [np.asarray(rows.weights) for rows in blocks]
        return cls(idf.stems, CSR(starts, ids, np.concatenate([EMPTY_WEIGHTS, *weights])))

    @property
    def weights(self) -> Weights:
        """The weights, row by row."""
        return EMPTY_WEIGHTS if self.matrix.weights is None else self.matrix.weights

    def take(self, pages: Ids) -> "TermWeights":
        """The rows of some pages, in that order, and the stems they use; page -1 has none."""
        starts = np.asarray(self.matrix.starts)
        first, last = (np.where(pages < 0, 0, starts[pages + k]) for k in (0, 1))
        new_starts = np.concatenate([[0], np.cumsum(last - first)])
        stem, weights = np.empty(new_starts[-1], np.int32), np.empty(new_starts[-1], np.float32)
        used = np.zeros(len(self.stems), bool)
        # In chunks, so that the positions of all values are never in memory at once.
        for start in range(0, len(pages), PAGES_PER_CHUNK):
            chunk = slice(start, start + PAGES_PER_CHUNK)
            end = min(start + PAGES_PER_CHUNK, len(pages))
            inside = slice(new_starts[start], new_starts[end])
            shift = np.repeat(first[chunk] - new_starts[:-1][chunk], (last - first)[chunk])
            at = np.arange(inside.start, inside.stop) + shift
            stem[inside], weights[inside] = self.matrix.ids[at], self.weights[at]
            used[stem[inside]] = True
        position = (np.cumsum(used) - 1).astype(np.int32)
        matrix = CSR(new_starts, position[stem], weights)
        return TermWeights(self.stems.filter(pa.array(used)), matrix)

    def __len__(self) -> int:
        return len(self.matrix.starts) - 1

    def __repr__(self) -> str:
        return f"<TermWeights: {len(self):,} pages, {len(self.stems):,} stems>"


class TermCounts(NamedTuple):
    """Term frequencies as parallel arrays of page, stem and frequency, sorted by page."""

    page: Ids
    stem: Ids
    frequency: Offsets

    @classmethod
    def empty(cls) -> "TermCounts":
        """The counts of no pages."""
        return cls(EMPTY_IDS, EMPTY_IDS, EMPTY_SIZES)

    @classmethod
    def from_stemmed(
        cls, pages: Ids, stemmed: StemmedTexts, dictionary: "StemDictionary"
    ) -> "TermCounts":
        """Count the stems of pages; `stemmed` begins with all titles, then all bodies.

        Later texts, such as anchors, do not count.
        """
        starts, ids = dictionary.stems_of_pieces(stemmed)
        stem_counts, no_stem = np.diff(starts), len(dictionary)
        # Most pieces have one stem: the key of each occurrence is page · (stems + 1) + stem.
        single_stem = np.full(len(stem_counts), no_stem, np.int32)
        single_stem[stem_counts == 1] = ids[starts[:-1][stem_counts == 1]]
        piece, page_key, bounds = _occurrences_with_repeated_titles(
            stemmed, len(pages), no_stem + 1
        )
        key = page_key + single_stem[piece].astype(page_key.dtype)
        for start, end in pairwise(bounds.tolist()):
            key[start:end].sort()
        # Pieces of several stems have a key for each.
        multiple = np.flatnonzero((stem_counts > 1)[piece])
        counts, at = stem_counts[piece[multiple]], starts[piece[multiple]]
        more_stems = ids[concatenate_ranges(at, counts)].astype(page_key.dtype)
        more_keys = np.sort(np.repeat(page_key[multiple], counts) + more_stems)
        # A stable sort merges runs that are sorted already.
        key = np.sort(np.concatenate([key, more_keys]), kind="stable")
        # Equal keys are the occurrences of a stem on a page: their number is its frequency.
        first = _run_starts(key)
        page, stem = np.divmod(key[first], no_stem + 1)
        is_stem = stem < no_stem
        frequency = np.diff(first, append=len(key))
        return cls(pages[page[is_stem]], stem[is_stem].astype(np.int32), frequency[is_stem])


class StemDictionary:
    """The stems so far, numbered, and the stems of each piece of a vocabulary."""

    def __init__(self) -> None:
        self._known, self._parts = KnownWords(), [pa.array([], pa.large_string())]
        self._piece_stems = dict[str, tuple[Vocabulary, Offsets, Ids]]()

    @property
    def stems(self) -> pa.Array:
        """The stems by their numbers."""
        return pa.concat_arrays(self._parts)

    def stems_of_pieces(self, stemmed: StemmedTexts) -> tuple[Offsets, Ids]:
        """The stem numbers of each distinct piece of some texts, as offsets and ids of a CSR."""
        vocabulary = stemmed.vocabulary
        unknown = vocabulary, EMPTY_SIZES, EMPTY_IDS
        known, sizes, ids = self._piece_stems.get(vocabulary.stemmer, unknown)
        if known is not vocabulary:
            sizes, ids = EMPTY_SIZES, EMPTY_IDS
        if len(sizes) < len(vocabulary):
            new_sizes, new_ids = self._add_pieces(vocabulary.stems.slice(len(sizes)))
            sizes, ids = np.concatenate([sizes, new_sizes]), np.concatenate([ids, new_ids])
            self._piece_stems[vocabulary.stemmer] = vocabulary, sizes, ids
        return _take_rows(sizes, ids, stemmed.vocabulary_ids)

    def _add_pieces(self, stems: pa.Array) -> tuple[Offsets, Ids]:
        """The number of stems of each new piece, and their ids."""
        lists = pc.split_pattern(pc.ascii_rtrim_whitespace(stems), " ")
        flat = lists.flatten().dictionary_encode()
        number = self._stem_numbers(flat.dictionary)[flat.indices.to_numpy()]
        counted = np.concatenate([[0], np.cumsum(number >= 0)])
        return np.diff(counted[lists.offsets.to_numpy()]), number[number >= 0]

    def _stem_numbers(self, stems: pa.Array) -> Ids:
        """The numbers of distinct stems, -1 for one that is no word; new ones get the next."""
        short = pc.less_equal(pc.binary_length(stems), MAX_STEM_BYTES)
        is_word = pc.and_(short, pc.match_substring_regex(stems, WORD_PATTERN))
        words = stems.filter(is_word).cast(pa.large_string())
        hashes = splitmix64(hash_names(words))
        new = np.flatnonzero(self._known.find(hashes) == UNKNOWN)
        self._known.add(hashes[new], range(len(self), len(self) + len(new)))
        self._parts.append(words.take(pa.array(new)))
        number = np.full(len(stems), -1, np.int32)
        number[is_word.to_numpy(zero_copy_only=False)] = self._known.find(hashes)
        return number

    def __len__(self) -> int:
        return self._known.terms.size


def _take_rows(sizes: Offsets, ids: Ids, chosen: Ids) -> tuple[Offsets, Ids]:
    """Some rows of a CSR that is given by the size of each row."""
    first, counts = (np.cumsum(sizes) - sizes)[chosen], sizes[chosen]
    return np.concatenate([[0], np.cumsum(counts)]), ids[concatenate_ranges(first, counts)]


def _occurrences_with_repeated_titles(
    stemmed: StemmedTexts, page_count: int, key_width: int
) -> tuple[Ids, Offsets, Offsets]:
    """The piece and page · `key_width` of each occurrence, and the bounds of parts to sort.

    The occurrences in titles come first, `TITLE_REPEATS` times, as one part;
    the body of each page is a part of its own.
    """
    first_pieces = stemmed.first_pieces[: 2 * page_count + 1]
    page_key = np.arange(2 * page_count) % max(page_count, 1) * key_width
    # Keys of 32 bits, where they fit, are sorted in half the time.
    dtype = np.uint32 if page_count * key_width <= LOW_32_BITS else np.int64
    page = np.repeat(page_key.astype(dtype), np.diff(first_pieces))
    piece = stemmed.split.piece_ids.to_numpy()[: len(page)]
    title_pieces = int(first_pieces[page_count])
    repeats = [slice(0, title_pieces)] * (TITLE_REPEATS - 1)
    return (
        np.concatenate([*(piece[titles] for titles in repeats), piece]),
        np.concatenate([*(page[titles] for titles in repeats), page]),
        np.concatenate([[0], first_pieces[page_count:] + title_pieces * (TITLE_REPEATS - 1)]),
    )


def _run_starts(key: npt.NDArray[np.integer]) -> Offsets:
    """The positions where a value differs from the one before."""
    return np.flatnonzero(np.concatenate([np.ones(len(key[:1]), bool), key[1:] != key[:-1]]))


def iter_page_blocks(sizes: Offsets) -> Iterator[tuple[Offsets, slice]]:
    """Yield blocks of pages: the number of stems of each page, and the slice of their counts."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for at in range(0, len(sizes), PAGES_PER_BLOCK):
        block = sizes[at : at + PAGES_PER_BLOCK]
        yield block, slice(int(starts[at]), int(starts[at + len(block)]))


@dataclass(frozen=True, slots=True, eq=False)
class InverseDocumentFrequency:
    """The sorted stems with df > 1, and the IDF ln(N / df) of each.

    `position` maps the numbers of a `StemDictionary` to them, -1 for the others.
    """

    stems: pa.Array
    idf: Floats
    position: Ids

    @classmethod
    def from_document_counts(
        cls, stems: pa.Array, document_counts: Offsets, document_total: int
    ) -> "InverseDocumentFrequency":
        """From the document count df of each stem, and the number N of documents."""
        order = pc.array_sort_indices(stems).to_numpy()
        order = order[document_counts[order] > 1]
        position = np.full(len(stems), -1, np.int32)
        position[order] = np.arange(len(order))
        idf = np.log(document_total / document_counts[order])
        return cls(stems.take(pa.array(order)), idf, position)

    def tf_idf_rows(self, sizes: Offsets, stem: Ids, frequency: FrequencyArray) -> CSR:
        """The largest weights of a block of pages, given the number of stems of each page.

        Page, weight and stem are packed into one 64-bit key, and sorted as such.
        """
        position = self.position[stem].astype(np.int64)
        known = position >= 0
        page = np.repeat(np.arange(len(sizes)), sizes)[known]
        frequency, position = frequency[known].astype(float), position[known]
        # (1 + ln tf) · ln(N / df)
        weight = ((1 + np.log(frequency)) * self.idf[position]).astype(np.float16)
        bits = weight.view(np.uint16).astype(np.int64)  # ascend as positive weights do
        # By page, then by descending weight, then by stem: keep the first of each page.
        key = np.sort((page << 48 | (LOW_16_BITS - bits) << 32 | position)[weight > 0])
        first = np.searchsorted(key, np.arange(len(sizes) + 1) << 48)
        key = key[np.arange(len(key)) - np.repeat(first[:-1], np.diff(first)) < MAX_STEMS_PER_PAGE]
        # Pack again as page, stem, weight, so that stems ascend in each row.
        key = np.sort(
            key >> 48 << 48 | (key & LOW_32_BITS) << 16 | LOW_16_BITS - (key >> 32 & LOW_16_BITS)
        )
        starts = np.searchsorted(key, np.arange(len(sizes) + 1) << 48)
        best = (key & LOW_16_BITS).astype(np.uint16).view(np.float16).astype(np.float32)
        return CSR(starts, (key >> 16 & LOW_32_BITS).astype(np.int32), best)


class StoredTermWeights(NamedTuple):
    """The term weights of a snapshot, as `TermWeightWriter` wrote them, and each page's row."""

    row_of_page: Ids
    weights: TermWeights

    @classmethod
    def open(cls, folder: Path, page_count: int) -> "StoredTermWeights":
        """Map the files of a snapshot with `page_count` pages, and check them."""
        row = map_array(folder / "row_of_page.npy", "<i4", length=page_count)
        starts, ids = map_array(folder / "starts.npy", "<i8"), map_array(folder / "ids.npy", "<i4")
        weights = map_array(folder / "weights.npy", "<f2", length=len(ids))
        stems = map_checked_table(folder / "stems.arrow", STEM_SCHEMA)["stem"].combine_chunks()
        rows = CSR(starts, ids, weights)
        check_csr(f"{folder}/", rows, len(stems))
        check_ids(folder / "row_of_page.npy", row, len(starts) - 1, -1)
        return cls(row, TermWeights(stems, rows))

    def take(self, pages: Ids) -> TermWeights:
        """The weights of some pages."""
        return self.weights.take(self.row_of_page[pages])


class TermWeightWriter:
    """Collects the term frequencies of all pages in files, then writes the TF-IDF weights.

    Document counts are known at the end only. Memory grows with the number of
    distinct stems and of pages, not with the texts.
    """

    def __init__(self, folder: Path, page_count: int) -> None:
        self.folder, self.dictionary = folder, StemDictionary()
        self.row_of_page, self.sizes = np.full(page_count, -1, np.int32), [np.zeros(0, np.int64)]
        self.pages_added = 0

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True)
        self.files = [(self.folder / name).open("wb") for name in COUNT_FILES]
        return self

    def add_pages(self, pages: Ids, stemmed: StemmedTexts) -> None:
        """Add the stems of some pages: all titles first, then all bodies."""
        counts = TermCounts.from_stemmed(
            np.arange(len(pages), dtype=np.int32), stemmed, self.dictionary
        )
        columns = counts.stem, np.minimum(counts.frequency, MAX_FREQUENCY)
        for file, values, dtype in zip(self.files, columns, COUNT_FILES.values(), strict=True):
            file.write(np.ascontiguousarray(values, dtype).data)
        self.sizes.append(np.bincount(counts.page, minlength=len(pages)))
        self.row_of_page[pages] = np.arange(self.pages_added, self.pages_added + len(pages))
        self.pages_added += len(pages)

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        for file in self.files:
            file.close()
        if failed is None:
            self._write_weights()

    def _write_weights(self) -> None:
        sizes = np.concatenate(self.sizes)
        idf = InverseDocumentFrequency.from_document_counts(
            self.dictionary.stems, self._document_counts(), int(np.count_nonzero(sizes))
        )
        write_arrow_file(pa.table({"stem": idf.stems}), self.folder / "stems.arrow")
        np.save(self.folder / "row_of_page.npy", self.row_of_page, allow_pickle=False)
        row_sizes = [np.zeros(1, np.int64)]
        with ExitStack() as stack:
            files = [stack.enter_context((self.folder / name).open("rb")) for name in COUNT_FILES]
            ids, weights = (
                stack.enter_context(NpyWriter(self.folder / name, dtype))
                for name, dtype in WEIGHT_FILES.items()
            )
            for block_sizes, inside in iter_page_blocks(sizes):
                count = inside.stop - inside.start
                stem, frequency = (
                    np.fromfile(file, dtype, count)
                    for file, dtype in zip(files, COUNT_FILES.values(), strict=True)
                )
                rows = idf.tf_idf_rows(block_sizes, stem, frequency)
                row_sizes.append(np.diff(rows.starts))
                ids.append(rows.ids)
                weights.append(np.asarray(rows.weights))
        starts = np.cumsum(np.concatenate(row_sizes))
        np.save(self.folder / "starts.npy", starts, allow_pickle=False)
        for name in COUNT_FILES:
            (self.folder / name).unlink()

    def _document_counts(self) -> Offsets:
        """The number of pages that contain each stem."""
        counts = np.zeros(len(self.dictionary), np.int64)
        with (self.folder / STEM_FILE).open("rb") as file:
            while len(stem := np.fromfile(file, COUNT_FILES[STEM_FILE], READ_BATCH_VALUES)):
                counts += np.bincount(stem, minlength=len(counts))
        return counts


def sum_term_weights(
    page_weights: TermWeights, group_of_page: Ids, group_count: int
) -> TermWeights:
    """Sum the term weights of pages over their hosts or domains; the largest 64 of each.

    Examples
    --------
    >>> pages = TermWeights.from_texts(["", "", ""], ["cat", "cat dog", "dog"], ["", "", ""])
    >>> both = sum_term_weights(pages, np.array([0, 0, 1], np.int32), 2)
    >>> both.matrix.starts.tolist()
    [0, 2, 3]
    """
    rows = page_weights.matrix
    group = np.repeat(group_of_page, np.diff(rows.starts))
    weights = np.ones(len(rows.ids)) if rows.weights is None else rows.weights
    # one key for each pair of group and stem, with the sum of its weights
    key, pair = np.unique(pack_pairs(group, rows.ids), return_inverse=True)
    total = np.bincount(pair, weights, len(key))
    # by group, then by falling weight: the rank of each stem within its group
    order = np.lexsort((key, -total, unpack_first_ids(key)))
    ordered_group = unpack_first_ids(key[order])
    rank = np.arange(len(order)) - np.searchsorted(ordered_group, ordered_group)
    best = np.sort(order[rank < MAX_STEMS_PER_PAGE])
    return TermWeights(page_weights.stems, csr_from_keys(key[best], total[best], group_count))
