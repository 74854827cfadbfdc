"""The full-text index of a snapshot."""

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tantivy import Document, Index, Query, Schema, SchemaBuilder

from weft.core.arrays import Flags, Ids, Offsets
from weft.core.errors import Malformed, WeftError
from weft.core.progress import track
from weft.store import segment as segments
from weft.store.mapped import check_ids
from weft.store.numbering import KINDS
from weft.store.teller import Teller
from weft.store.words import STEMMERS, UNSTEMMED, Vocabulary, beginnings, family, stem_choices

FIELDS = ("title", "body", "anchor", "url")
HEAP = 256 << 20
BATCH = 1024
PORTION = 32 << 20
MOST_KNOWN = 1 << 19
MOST_FORMS = 100
LONGEST_TEXT = 2 << 20
SCHEME = "^[^:/?#]*://"
FAMILIES = {*STEMMERS, UNSTEMMED}
TRIES, PAUSE = 20, 0.01


@dataclass(frozen=True, slots=True)
class TextIndex:
    """An open index, and the families of languages whose stems are in it."""

    index: Index
    families: list[str]
    folder: Path
    pages: int

    def numbers(self) -> Offsets:
        """The pages that are in the index."""
        with panics_as_damage(self.folder):
            searcher = self.index.searcher()
            most = max(searcher.num_docs, 1)
            found = searcher.search(Query.all_query(), most).hits
            values = searcher.fast_field_values("number", [address for _, address in found])
        return self.page_numbers(values)

    def page_numbers(self, values: Sequence[float | None]) -> Offsets:
        """Numbers that were found in the index, unless no page has one of them."""
        known = [self.pages if value is None else min(value, self.pages) for value in values]
        numbers = np.array(known, np.int64)
        check_ids(self.folder, numbers, self.pages)
        return numbers

    @property
    def schema(self) -> Schema:
        """The fields."""
        return self.index.schema

    def choices(self, words: str) -> list[tuple[str, ...]]:
        """What some words become in each family of languages, each outcome once.

        Where the last ends in `*`, it is also every stem that begins so: in each
        family and field those that most pages have, at most `MOST_FORMS`.
        """
        found = stem_choices(words, self.families)
        if words.endswith("*"):
            found += self._begun(words)
        return list(dict.fromkeys(found))

    def _begun(self, words: str) -> Iterator[tuple[str, ...]]:
        searcher = self.index.searcher()
        for before, beginning in beginnings(words, self.families):
            for field in FIELDS:
                with panics_as_damage(self.folder):
                    found = searcher.terms_with_prefix(field, beginning, limit=MOST_FORMS)
                for stem, _ in found:
                    if "/" not in stem.removeprefix(beginning):  # else of a family that begins so
                        yield (*before, stem)


def build_index(
    folder: Path,
    names: Sequence[str],
    pages: pa.Table,
    anchors: Callable[[Ids], pa.Array],
    into: Path,
    teller: Teller,
) -> None:
    """Index every page that has words, with the anchor text of the links into it.

    The teller hears what each page says.
    """
    into.mkdir(parents=True)
    indexed = worded(pages)
    spoken = pc.unique(pages["language"].filter(pa.array(indexed))).to_pylist()
    families = sorted({family(language) for language in spoken} | {UNSTEMMED})
    documents = _documents(folder, names, pages, anchors, teller)
    with _told(into):
        writer = create(into).writer(HEAP, 1)
        for document in track(documents, "index", int(indexed.sum())):
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
    for leftover in into.glob(".tantivy-*.lock"):
        leftover.unlink()
    (into / "families.json").write_text(json.dumps(families))


@contextmanager
def _told(into: Path) -> Iterator[None]:
    """Tell what could not be written as others tell it; the index knows only ValueError."""
    try:
        yield
    except ValueError as error:
        if found := re.search(r"(?:os error|code:) (\d+)", str(error)):
            raise OSError(int(found[1]), os.strerror(int(found[1])), str(into)) from error
        cure = "the last commit is intact"
        raise WeftError(f"the index {into} cannot be written ({error})", hint=cure) from error


def open_index(folder: Path, pages: int) -> TextIndex:
    """Open the index of a snapshot of so many pages for searching.

    Even to be read the index wants to lock its folder, so it is opened by way
    of links: a collection that cannot be written to can still be searched.
    Once its files are mapped the links are not needed any more.
    """
    families = _families(folder / "families.json")
    links = Path(tempfile.mkdtemp(prefix="weft-"))
    try:
        for path in folder.resolve().iterdir():
            (links / path.name).symlink_to(path)
        with panics_as_damage(folder):
            index = Index.open(str(links))
            index.config_reader("manual")
    finally:
        _remove(links)
    return TextIndex(index, families, folder, pages)


@contextmanager
def panics_as_damage(folder: Path) -> Iterator[None]:
    """Tell of an index that cannot be read as of damage; its library panics then."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ == "PanicException" or isinstance(error, ValueError):
            raise Malformed(folder, "the index cannot be read") from error
        raise


def _families(path: Path) -> list[str]:
    """The families of languages whose stems are in an index."""
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not {*map(str, found)} <= FAMILIES:
        raise Malformed(path, "it names no families of languages")
    return found


def _remove(links: Path) -> None:
    """Remove a folder into which a thread of the index may put a lock meanwhile."""
    for _ in range(TRIES):
        shutil.rmtree(links, ignore_errors=True)
        if not links.exists():
            return
        time.sleep(PAUSE)


def create(folder: Path) -> Index:
    """An empty index with the fields of a page."""
    builder = SchemaBuilder()
    builder.add_unsigned_field("number", indexed=True, fast=True)
    builder.add_integer_field("time", indexed=True, fast=True)
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace")
    return Index(builder.build(), str(folder))


def _documents(
    folder: Path,
    names: Sequence[str],
    pages: pa.Table,
    anchors: Callable[[Ids], pa.Array],
    teller: Teller,
) -> Iterator[Document]:
    vocabularies: dict[str, Vocabulary] = {}
    for name, (rows, numbers) in zip(names, _live_rows(pages, len(names)), strict=True):
        at = 0
        for batch in segments.batches(folder / name, "pages.parquet", ("title", "text"), BATCH):
            inside = slice(*np.searchsorted(rows, [at, at + len(batch)]))
            bodies = _bodies(batch).take(pa.array(rows[inside] - at))
            for some in _portions(_rows(pages, numbers[inside], bodies, anchors)):
                yield from _of_one_family(some, vocabularies, teller)
            at += len(batch)


def _bodies(batch: pa.RecordBatch) -> pa.Array:
    """The texts of some pages, up to the cap; pages of a graph have none."""
    if "text" not in batch.schema.names:
        return pa.array([""] * len(batch), pa.string())
    texts = batch["text"]
    longest = pc.max(pc.binary_length(texts)).as_py() or 0
    return texts if longest <= LONGEST_TEXT else pc.utf8_slice_codeunits(texts, 0, LONGEST_TEXT)


def _rows(
    pages: pa.Table, numbers: Ids, bodies: pa.Array, anchors: Callable[[Ids], pa.Array]
) -> pa.Table:
    """What the index keeps of some pages, still as they say it."""
    rows = pages.select(["title", "url", "language", "time"]).take(pa.array(numbers))
    columns = {"body": bodies, "anchor": anchors(numbers), "number": pa.array(numbers)}
    for name, values in columns.items():
        rows = rows.append_column(name, values)
    return rows


def _portions(rows: pa.Table) -> Iterator[pa.Table]:
    """Pages of one family, and not too much text of them, to be stemmed together."""
    families = np.array([family(language) for language in rows["language"].to_pylist()])
    sizes = pc.binary_length(rows["body"]).to_numpy().astype(np.int64)
    for name in np.unique(families):
        chosen = np.flatnonzero(families == name)
        cuts = np.flatnonzero(np.diff(np.cumsum(sizes[chosen]) // PORTION)) + 1
        for part in np.split(chosen, cuts):
            yield rows.take(pa.array(part)).combine_chunks()


def _of_one_family(
    rows: pa.Table, vocabularies: dict[str, Vocabulary], teller: Teller
) -> Iterator[Document]:
    name = family(rows["language"][0].as_py())
    if len(vocabularies.get(name, ())) > MOST_KNOWN or name not in vocabularies:
        vocabularies[name] = Vocabulary(name)
    title, body, anchor, url = (pc.cast(rows[field].chunk(0), pa.string()) for field in FIELDS)
    address = pc.replace_substring_regex(url, SCHEME, "")
    said = vocabularies[name].stemmed(pa.concat_arrays([title, body, anchor, address]))
    teller.hear(rows["number"].to_numpy(), said)
    stems = said.texts()
    fields = [stems[k * len(rows) : (k + 1) * len(rows)] for k in range(len(FIELDS))]
    about = [rows[column].to_pylist() for column in ("number", "time", "language")]
    for number, moment, language, *words in zip(*about, *fields, strict=True):
        document = Document()
        document.add_unsigned("number", number)
        document.add_integer("time", moment)
        document.add_text("language", language)
        for field, text in zip(FIELDS, words, strict=True):
            document.add_text(field, text)
        yield document


def worded(pages: pa.Table) -> Flags:
    """Which pages have words to be found by; a node that is a bare number has none."""
    kind = pages["kind"].to_numpy()
    bare = pc.and_(pc.equal(pages["title"], ""), pc.match_substring_regex(pages["url"], "^[0-9]+$"))
    listed = (kind == KINDS["listed"]) & ~bare.to_numpy(zero_copy_only=False)
    found: Flags = (kind == KINDS["fetched"]) | listed
    return found


def _live_rows(pages: pa.Table, count: int) -> list[tuple[Ids, Ids]]:
    """For each segment the rows that live and have words, ascending, and their pages."""
    segment, row = (pages[name].to_numpy() for name in ("segment", "row"))
    live = worded(pages) & (segment >= 0)
    found = []
    for s in range(count):
        numbers = np.flatnonzero(live & (segment == s)).astype(np.int32)
        order = np.argsort(row[numbers], kind="stable")
        found.append((row[numbers][order], numbers[order]))
    return found
