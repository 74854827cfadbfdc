"""Where the time of `weft add` goes: `python -m benchmarks.where ARCHIVE`, in one process.

Then the floor: what the libraries alone take for the same archive, with nothing
of ours between them, and how many times the plain script that would be:
`python -m benchmarks.where ARCHIVE SECONDS`, with the CPU seconds that
`benchmarks.add` measured for the plain script.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree
from tantivy import Document

from weft.gather import html
from weft.gather.html import Reading
from weft.gather.source import recognise
from weft.run import ingest, parse, snapshot
from weft.store import index, segment

STEPS = [
    (html, "HTMLTree", "parse HTML"),
    (html, "elements", "find links and declarations"),
    (html, "mark", "mark links"),
    (html, "extract_plain_text", "extract text"),
    (html, "unmark", "read links off the text"),
    (html, "main_spans", "main content"),
    (html, "glance", "language at a glance"),
    (parse, "study", "language by a study"),
    (html, "bounded", "guard"),
    (html, "decode", "decode"),
    (parse, "tables", "rows of tables"),
    (ingest, "capture_digest", "digest"),
    (segment, "write_pages", "write segment"),
    (snapshot, "number_pages", "number pages"),
    (snapshot, "build", "build graph"),
    (snapshot, "build_index", "full-text index"),
]
PROCESSES = ("weft.show.cli, weft.run.ingest", "weft.run.parse", "weft.run.parse")
Spent = defaultdict[str, float]


def main(archive: Path, plain: float = 0.0) -> None:
    """Add an archive with every step timed; what is left is reading and the rest."""
    spent: Spent = defaultdict(float)
    tables: list[tuple[pa.Table, dict[str, Any]]] = []
    documents: list[Document] = []
    for module, name, label in STEPS:
        setattr(module, name, _timed(getattr(module, name), label, spent))
    _overhear(tables, documents)
    parse.SMALL = sys.maxsize  # large pages too are parsed here, where they are timed
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        added = ingest.add(Path(folder) / "c.weft", [recognise(archive)], Reading(), workers=1)
        total = time.process_time() - start
    spent["reading and the rest"] = total - sum(spent.values())
    print(f"{archive.name}: {added.fresh:,} pages, {total / added.fresh * 1e3:.2f} ms CPU a page")
    _print(spent, added.fresh)
    least = floor(archive, tables, documents)
    total = sum(least.values())
    ratio = f", {plain / total:.1f} x the plain script" if plain else ""
    print(f"\nthe libraries alone: {total / added.fresh * 1e3:.2f} ms CPU a page{ratio}")
    _print(least, added.fresh)


def floor(
    archive: Path, tables: list[tuple[pa.Table, dict[str, Any]]], documents: list[Document]
) -> Spent:
    """What the libraries take to read, parse, store and index, and three processes to start."""
    spent: Spent = defaultdict(float)
    with tempfile.TemporaryDirectory() as folder, archive.open("rb") as file:
        with _clock("read records", spent):
            records = ArchiveIterator(file, WarcRecordType.response, auto_decode="none")
            bodies = [record.reader.read() for record in records]
        for body in bodies:
            with _clock("parse HTML", spent):
                tree = HTMLTree.parse_from_bytes(body, "utf-8")
            with _clock("extract text", spent):
                extract_plain_text(tree, links=False, alt_texts=True, list_bullets=False)
        with _clock("write tables", spent):
            for table, options in tuple(tables):
                pq.write_table(table, Path(folder) / "table", **options)
        with _clock("full-text index", spent):
            writer = index.create(Path(folder)).writer(index.HEAP, 1)
            for document in documents:
                writer.add_document(document)
            writer.commit()
            writer.wait_merging_threads()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for modules in PROCESSES:
        subprocess.run([sys.executable, "-c", f"import {modules}"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent["start processes"] = sum(after[:2]) - sum(before[:2])
    return spent


def _overhear(tables: list[tuple[pa.Table, dict[str, Any]]], documents: list[Document]) -> None:
    """Keep what is written to tables and to the index, to write it once more."""
    write, track = pq.write_table, index.track

    def write_table(table: pa.Table, path: Path, **options: Any) -> None:
        tables.append((table, options))
        write(table, path, **options)

    def track_documents(made: Iterable[Document], *words: Any) -> Iterator[Document]:
        for document in track(made, *words):
            documents.append(document)
            yield document

    for module, name, instead in (
        (pq, "write_table", write_table),
        (index, "track", track_documents),
    ):
        setattr(module, name, instead)


@contextmanager
def _clock(label: str, spent: Spent) -> Iterator[None]:
    start = time.process_time()
    try:
        yield
    finally:
        spent[label] += time.process_time() - start


def _timed(step: Any, label: str, spent: Spent) -> Any:
    function: Callable[..., Any] = step.parse_from_bytes if isinstance(step, type) else step

    def run(*words: Any, **options: Any) -> Any:
        start = time.process_time()
        try:
            return function(*words, **options)
        finally:
            spent[label] += time.process_time() - start

    return (
        type("Timed", (), {"parse_from_bytes": staticmethod(run)})
        if isinstance(step, type)
        else run
    )


def _print(spent: Spent, pages: int) -> None:
    total = sum(spent.values())
    for label, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"{label:28}{seconds / pages * 1e3:>8.3f} ms{seconds / total:>8.0%}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(float, sys.argv[2:]))
