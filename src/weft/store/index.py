"""Build and open the full-text index of a snapshot, with tantivy."""

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tantivy import Document, Index, Query, Schema, SchemaBuilder

from weft.core.arrays import Flags, Ids, Offsets
from weft.core.errors import MalformedFile, WeftError
from weft.core.progress import track
from weft.store import segment as segments
from weft.store.arrow_files import check_ids
from weft.store.numbering import PAGE_KINDS
from weft.store.term_weights import TermWeightWriter
from weft.store.tokens import (
    STEMMERS,
    UNSTEMMED,
    Vocabulary,
    stem_before_prefix,
    stem_with_each_stemmer,
    stemmer_code,
)

STEMMERS_FILE = "stemmers.json"
INDEX_FIELDS = ("title", "body", "anchor", "url")
# The heap of the indexer grows with the pages: a few need little, and many make fewer segments.
MIN_HEAP_BYTES, MAX_HEAP_BYTES, HEAP_BYTES_PER_PAGE = 32 << 20, 256 << 20, 8 << 10
# Pages are read a few at a time, since one may have megabytes, and stemmed many at a time.
READ_BATCH_PAGES, STEM_BATCH_PAGES = 8, 1024
MAX_READ_BATCH_BYTES = 8 << 20
MAX_STEM_BATCH_BYTES = 4 << 20
MAX_VOCABULARY_PIECES, MAX_VOCABULARY_BYTES = 1 << 19, 1 << 24  # of all languages together
MAX_PREFIX_STEMS = 100
MAX_TEXT_BYTES = 1 << 19
URL_SCHEME = "^[^:/?#]*://"
STEMMER_CODES = {*STEMMERS, UNSTEMMED}
MAX_REMOVE_ATTEMPTS, REMOVE_PAUSE_SECONDS = 20, 0.01


@dataclass(frozen=True, slots=True)
class TextIndex:
    """An open index, and the codes of the stemmers that made its terms."""

    index: Index
    stemmers: list[str]
    folder: Path
    page_count: int

    def indexed_pages(self) -> Offsets:
        """The numbers of the pages in the index."""
        with panics_as_malformed(self.folder):
            searcher = self.index.searcher()
            hits = searcher.search(Query.all_query(), max(searcher.num_docs, 1)).hits
            values = searcher.fast_field_values("number", [address for _, address in hits])
        return self.check_page_numbers(values)

    def check_page_numbers(self, values: Sequence[float | None]) -> Offsets:
        """Page numbers from the index as an array; refuse one that no page has."""
        bounded = [
            self.page_count if value is None else min(value, self.page_count) for value in values
        ]
        numbers = np.array(bounded, np.int64)
        check_ids(self.folder, numbers, self.page_count)
        return numbers

    def document_counts(self, stems: Sequence[str]) -> tuple[Offsets, int]:
        """The number of pages whose text has each stem, and the number of pages in the index."""
        with panics_as_malformed(self.folder):
            searcher = self.index.searcher()
            counts = [searcher.doc_freq("body", stem) for stem in stems]
            return np.array(counts, np.int64), int(searcher.num_docs)

    @property
    def schema(self) -> Schema:
        """The fields of the index."""
        return self.index.schema

    def stem_and_expand_prefix(self, words: str) -> list[tuple[str, ...]]:
        """The distinct stem sequences that the stemmers of the index make of some words.

        A last word that ends in `*` is a prefix, and also stands for the stems
        that begin with it: per stemmer and field the `MAX_PREFIX_STEMS` that
        most pages have.
        """
        variants = stem_with_each_stemmer(words, self.stemmers)
        if words.endswith("*"):
            variants += self._expand_prefix(words)
        return list(dict.fromkeys(variants))

    def _expand_prefix(self, words: str) -> Iterator[tuple[str, ...]]:
        searcher = self.index.searcher()
        for before, prefix in stem_before_prefix(words, self.stemmers):
            for field in INDEX_FIELDS:
                with panics_as_malformed(self.folder):
                    terms = searcher.terms_with_prefix(field, prefix, limit=MAX_PREFIX_STEMS)
                for stem, _ in terms:
                    # A slash after the prefix: this matched a stemmer code, not a stem.
                    if "/" not in stem.removeprefix(prefix):
                        yield (*before, stem)


class PageTexts(NamedTuple):
    """The texts of some pages, by page number, and the anchors of the links to each."""

    numbers: Ids
    bodies: pa.Array
    anchors: pa.Array


def build_index(
    pages: pa.Table, texts: Iterable[PageTexts], into: Path, term_weight_writer: TermWeightWriter
) -> None:
    """Index pages by their titles, addresses, texts and the anchors of the links to them.

    The stems of each page go to `term_weight_writer` too, so that no text is
    stemmed twice.
    """
    into.mkdir(parents=True)
    indexed = searchable_pages(pages)
    languages = pc.unique(pages["language"].filter(pa.array(indexed))).to_pylist()
    stemmers = sorted({stemmer_code(language) for language in languages} | {UNSTEMMED})
    documents, count = _iter_documents(pages, texts, term_weight_writer), int(indexed.sum())
    heap = min(max(HEAP_BYTES_PER_PAGE * count, MIN_HEAP_BYTES), MAX_HEAP_BYTES)
    with _write_errors_as_os_error(into):
        writer = create_index(into).writer(heap, 1)
        for document in track(documents, "index", count):
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
    for lock in into.glob(".tantivy-*.lock"):
        lock.unlink()
    (into / STEMMERS_FILE).write_text(json.dumps(stemmers))


@contextmanager
def _write_errors_as_os_error(into: Path) -> Iterator[None]:
    """Raise tantivy's ValueError for a failed write as the OSError it came from."""
    try:
        yield
    except ValueError as error:
        if code := re.search(r"(?:os error|code:) (\d+)", str(error)):
            raise OSError(int(code[1]), os.strerror(int(code[1])), str(into)) from error
        cure = "the last commit is intact"
        raise WeftError(f"the index {into} cannot be written ({error})", hint=cure) from error


def open_index(folder: Path, page_count: int) -> TextIndex:
    """Open the index of a snapshot with `page_count` pages for searching.

    tantivy locks the folder of an index even for reading, so the index is
    opened through a temporary folder of symbolic links: a collection that
    cannot be written to can still be searched. The links can go as soon as the
    files are mapped.
    """
    stemmers = _read_stemmers(folder / STEMMERS_FILE)
    link_folder = Path(tempfile.mkdtemp(prefix="weft-"))
    try:
        for path in folder.resolve().iterdir():
            (link_folder / path.name).symlink_to(path)
        with panics_as_malformed(folder):
            index = Index.open(str(link_folder))
            index.config_reader("manual")
    finally:
        _remove_folder_with_retries(link_folder)
    return TextIndex(index, stemmers, folder, page_count)


@contextmanager
def panics_as_malformed(folder: Path) -> Iterator[None]:
    """Raise `MalformedFile` where tantivy panics, as it does on a damaged index."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ == "PanicException" or isinstance(error, ValueError):
            raise MalformedFile(folder, "the index cannot be read") from error
        raise


def _read_stemmers(path: Path) -> list[str]:
    """The codes of the stemmers that made the terms of an index."""
    try:
        codes = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        codes = None
    if not isinstance(codes, list) or not {*map(str, codes)} <= STEMMER_CODES:
        raise MalformedFile(path, "it does not list stemmers")
    return codes


def _remove_folder_with_retries(link_folder: Path) -> None:
    """Remove a folder in which a thread of tantivy may create a lock file meanwhile."""
    for _ in range(MAX_REMOVE_ATTEMPTS):
        shutil.rmtree(link_folder, ignore_errors=True)
        if not link_folder.exists():
            return
        time.sleep(REMOVE_PAUSE_SECONDS)


def create_index(folder: Path) -> Index:
    """Create an empty index with the fields of a page."""
    builder = SchemaBuilder()
    builder.add_unsigned_field("number", indexed=True, fast=True)
    builder.add_integer_field("time", indexed=True, fast=True)
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")
    for field in INDEX_FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace")
    return Index(builder.build(), str(folder))


def _iter_documents(
    pages: pa.Table, texts: Iterable[PageTexts], term_weight_writer: TermWeightWriter
) -> Iterator[Document]:
    vocabularies: dict[str, Vocabulary] = {}
    for numbers, bodies, anchors in texts:
        rows = pages.select(["title", "url", "language", "time"]).take(pa.array(numbers))
        columns = {"body": bodies, "anchor": anchors, "number": pa.array(numbers)}
        for name, values in columns.items():
            rows = rows.append_column(name, values)
        for part in _split_by_stemmer(rows):
            yield from _stem_documents(part, vocabularies, term_weight_writer)


def iter_page_texts(
    folder: Path, segment_names: Sequence[str], pages: pa.Table
) -> Iterator[tuple[Ids, pa.Array]]:
    """The numbers of all searchable pages and their texts, many at a time, segment by segment."""
    live_rows = _live_rows_by_segment(pages, len(segment_names))
    for name, (rows, numbers) in zip(segment_names, live_rows, strict=True):
        first = 0
        for group in _group_texts(_read_texts(folder / name, rows) if len(rows) else ()):
            texts = pa.concat_arrays(group)
            yield numbers[first : first + len(texts)], texts
            first += len(texts)


def _read_texts(segment: Path, rows: Ids) -> Iterator[pa.Array]:
    """The texts of some rows of a segment, a few at a time."""
    at = 0
    batches = segments.iter_batches(
        segment, "pages.parquet", ("title", "text"), READ_BATCH_PAGES, MAX_READ_BATCH_BYTES
    )
    for texts in map(_page_texts, batches):
        in_batch = slice(*np.searchsorted(rows, [at, at + len(texts)]))
        yield texts.take(pa.array(rows[in_batch] - at))
        at += len(texts)


def _group_texts(batches: Iterable[pa.Array]) -> Iterator[list[pa.Array]]:
    """Group texts until they are enough to be stemmed together."""
    group: list[pa.Array] = []
    for texts in batches:
        group.append(texts)
        is_full = sum(map(len, group)) >= STEM_BATCH_PAGES
        if is_full or sum(part.nbytes for part in group) >= MAX_STEM_BATCH_BYTES:
            yield group
            group = []
    if group:
        yield group


def _page_texts(batch: pa.RecordBatch) -> pa.Array:
    """The texts of some pages, at most `MAX_TEXT_BYTES` of each; empty for graphs.

    A character of a script without spaces has three bytes, and two stems.
    """
    if "text" not in batch.schema.names:
        return pa.array([""] * len(batch), pa.string())
    texts = batch["text"]
    if (pc.max(pc.binary_length(texts)).as_py() or 0) <= MAX_TEXT_BYTES:
        return texts
    starts = (text.as_buffer()[:MAX_TEXT_BYTES].to_pybytes() for text in texts)
    return pa.array([start.decode("utf-8", "ignore") for start in starts], pa.string())


def _split_by_stemmer(rows: pa.Table) -> Iterator[pa.Table]:
    """Split pages by stemmer, and into parts of about `MAX_STEM_BATCH_BYTES` of text."""
    stemmers = np.array([stemmer_code(language) for language in rows["language"].to_pylist()])
    sizes = pc.binary_length(rows["body"]).to_numpy().astype(np.int64)
    for stemmer in np.unique(stemmers):
        own = np.flatnonzero(stemmers == stemmer)
        cuts = np.flatnonzero(np.diff(np.cumsum(sizes[own]) // MAX_STEM_BATCH_BYTES)) + 1
        for part in np.split(own, cuts):
            yield rows.take(pa.array(part)).combine_chunks()


def _stem_documents(
    rows: pa.Table, vocabularies: dict[str, Vocabulary], term_weight_writer: TermWeightWriter
) -> Iterator[Document]:
    """Stem pages of one stemmer, pass the stems on, and yield the documents."""
    stemmer = stemmer_code(rows["language"][0].as_py())
    known = vocabularies.values()
    if (
        sum(map(len, known)) > MAX_VOCABULARY_PIECES
        or sum(each.nbytes for each in known) > MAX_VOCABULARY_BYTES
    ):
        vocabularies.clear()
    if stemmer not in vocabularies:
        vocabularies[stemmer] = Vocabulary(stemmer)
    title, body, anchor, url = (
        pc.cast(rows[field].chunk(0), pa.string()) for field in INDEX_FIELDS
    )
    address = pc.replace_substring_regex(url, URL_SCHEME, "")
    stemmed = vocabularies[stemmer].stem_texts(pa.concat_arrays([title, body, anchor, address]))
    term_weight_writer.add_pages(rows["number"].to_numpy(), stemmed)
    stems = stemmed.to_strings()
    fields = [stems[k * len(rows) : (k + 1) * len(rows)] for k in range(len(INDEX_FIELDS))]
    attributes = [rows[column].to_pylist() for column in ("number", "time", "language")]
    for number, timestamp, language, *field_texts in zip(*attributes, *fields, strict=True):
        document = Document()
        document.add_unsigned("number", number)
        document.add_integer("time", timestamp)
        document.add_text("language", language)
        for field, text in zip(INDEX_FIELDS, field_texts, strict=True):
            document.add_text(field, text)
        yield document


def searchable_pages(pages: pa.Table) -> Flags:
    """Which pages have text to search: captured ones, and listed ones but for bare numbers."""
    kind = pages["kind"].to_numpy()
    bare = pc.and_(pc.equal(pages["title"], ""), pc.match_substring_regex(pages["url"], "^[0-9]+$"))
    listed = (kind == PAGE_KINDS["listed"]) & ~bare.to_numpy(zero_copy_only=False)
    searchable: Flags = (kind == PAGE_KINDS["captured"]) | listed
    return searchable


def _live_rows_by_segment(pages: pa.Table, segment_count: int) -> list[tuple[Ids, Ids]]:
    """For each segment the rows of searchable pages, ascending, and their page numbers."""
    segment, row = (pages[name].to_numpy() for name in ("segment", "row"))
    live = searchable_pages(pages) & (segment >= 0)
    by_segment = []
    for s in range(segment_count):
        numbers = np.flatnonzero(live & (segment == s)).astype(np.int32)
        order = np.argsort(row[numbers], kind="stable")
        by_segment.append((row[numbers][order], numbers[order]))
    return by_segment
