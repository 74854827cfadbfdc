"""The full-text index of a snapshot."""

import json
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tantivy import Document, Index, Schema, SchemaBuilder

from weft.core.arrays import Flags, Ids
from weft.core.errors import WeftError
from weft.core.progress import track
from weft.gather.url import AUTHORITY_END
from weft.store import segment as segments
from weft.store.numbering import KINDS
from weft.store.words import family, register

FIELDS = ("title", "body", "anchor")
HEAP = 256 << 20
BATCH = 512
LONGEST_TEXT = 2 << 20


@dataclass(frozen=True, slots=True, weakref_slot=True)
class TextIndex:
    """An open index, and the families of languages it has fields for."""

    index: Index
    families: list[str]

    @property
    def schema(self) -> Schema:
        """The fields."""
        return self.index.schema


def build_index(
    folder: Path,
    names: Sequence[str],
    pages: pa.Table,
    anchors: Callable[[int], str],
    into: Path,
) -> None:
    """Index every page that has words, with the anchor text of the links into it."""
    into.mkdir(parents=True)
    worded = _worded(pages)
    spoken = pc.unique(pages["language"].filter(pa.array(worded))).to_pylist()
    families = sorted({family(language) for language in spoken} | {"xx"})
    documents = _documents(folder, names, pages, anchors)
    with _told(into):
        writer = _create(into, families).index.writer(HEAP, 1)
        for document in track(documents, "index", int(worded.sum())):
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


def open_index(folder: Path) -> TextIndex:
    """Open the index of a snapshot for searching.

    Even to be read the index wants to lock its folder, so it is opened by way
    of links: a collection that cannot be written to can still be searched.
    """
    families = json.loads((folder / "families.json").read_bytes())
    links = Path(tempfile.mkdtemp(prefix="weft-"))
    for path in folder.resolve().iterdir():
        (links / path.name).symlink_to(path)
    index = Index.open(str(links))
    index.config_reader("manual")
    register(index, families)
    opened = TextIndex(index, families)
    weakref.finalize(opened, shutil.rmtree, links, ignore_errors=True)
    return opened


def _create(folder: Path, families: list[str]) -> TextIndex:
    builder = SchemaBuilder()
    builder.add_unsigned_field("number", indexed=True, fast=True)
    builder.add_integer_field("time", indexed=True, fast=True)
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("url", tokenizer_name="weft_xx")
    for name in families:
        for field in FIELDS:
            builder.add_text_field(f"{field}_{name}", tokenizer_name=f"weft_{name}")
    index = Index(builder.build(), str(folder))
    register(index, families)
    return TextIndex(index, families)


def _documents(
    folder: Path, names: Sequence[str], pages: pa.Table, anchors: Callable[[int], str]
) -> Iterator[Document]:
    columns = ("title", "text", "language", "time")
    live = _live_rows(pages, len(names))
    urls = pages["url"].chunk(0) if len(pages) else pages["url"]
    for s, name in enumerate(names):
        rows, numbers = live[s]
        at = 0
        for batch in segments.batches(folder / name, "pages.parquet", columns, BATCH):
            inside = slice(*np.searchsorted(rows, [at, at + len(batch)]))
            chosen = batch.take(pa.array(rows[inside] - at)).to_pylist()
            for row, number in zip(chosen, numbers[inside].tolist(), strict=True):
                yield _document(row, number, urls[number].as_py(), anchors(number))
            at += len(batch)


def _worded(pages: pa.Table) -> Flags:
    """Which pages have words to be found by; a node that is a bare number has none."""
    kind = pages["kind"].to_numpy()
    bare = pc.and_(pc.equal(pages["title"], ""), pc.match_substring_regex(pages["url"], "^[0-9]+$"))
    listed = (kind == KINDS["listed"]) & ~bare.to_numpy(zero_copy_only=False)
    worded: Flags = (kind == KINDS["fetched"]) | listed
    return worded


def _live_rows(pages: pa.Table, count: int) -> list[tuple[Ids, Ids]]:
    """For each segment the rows that live and have words, ascending, and their pages."""
    segment, row = (pages[name].to_numpy() for name in ("segment", "row"))
    worded = _worded(pages) & (segment >= 0)
    found = []
    for s in range(count):
        numbers = np.flatnonzero(worded & (segment == s)).astype(np.int32)
        order = np.argsort(row[numbers], kind="stable")
        found.append((row[numbers][order], numbers[order]))
    return found


def _document(row: dict[str, str], number: int, url: str, anchor: str) -> Document:
    name = family(row.get("language", ""))
    document = Document()
    document.add_unsigned("number", number)
    document.add_integer("time", int(row.get("time") or 0))
    document.add_text("language", row.get("language", ""))
    document.add_text("url", AUTHORITY_END.sub(" ", url.partition("://")[2] or url))
    document.add_text(f"title_{name}", row["title"])
    document.add_text(f"body_{name}", row.get("text", "")[:LONGEST_TEXT])
    document.add_text(f"anchor_{name}", anchor)
    return document
