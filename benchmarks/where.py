"""Where the time of `weft add` goes: `python -m benchmarks.where ARCHIVE`, in one process.

Then the lower bound: the time of the libraries alone on the same archive. With
`python -m benchmarks.where ARCHIVE SECONDS`, where SECONDS are the CPU seconds
that `benchmarks.add` measured for the plain script, it is also given as a ratio.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree
from tantivy import Document

from weft.gather import html
from weft.gather.formats import recognise_input
from weft.gather.html import ParseOptions
from weft.store import index, segment
from weft.workspace import ingest, parse

STEPS = [
    (html, "HTMLTree", "parse HTML"),
    (html, "find_link_meta_elements", "find links and declarations"),
    (html, "insert_link_markers", "mark links"),
    (html, "extract_text", "extract text"),
    (html, "extract_marked_links", "unmark links"),
    (html, "find_main_spans", "main content"),
    (html, "detect_language_fast", "language, fast"),
    (parse, "classify_language", "language, classifier"),
    (html, "cut_costly_html", "parser limits"),
    (html, "decode_text", "decode"),
    (parse, "pages_to_tables", "rows of tables"),
    (ingest, "capture_digest", "digest"),
    (segment, "write_page_segment", "write segment"),
    (ingest, "number_pages", "number pages"),
    (ingest, "write_graph", "build graph"),
    (ingest, "build_index", "full-text index"),
]
PROCESSES = ("weft.cli, weft.workspace.ingest", "weft.workspace.parse", "weft.workspace.parse")
PARSE = "parse_from_bytes"
Spent = defaultdict[str, float]


def main(archive: Path, plain: float = 0.0) -> None:
    """Add an archive with every step timed; the remainder is reading and everything else."""
    spent: Spent = defaultdict(float)
    tables: list[tuple[pa.Table, dict[str, Any]]] = []
    documents: list[Document] = []
    for module, name, label in STEPS:
        setattr(module, name, _timed(getattr(module, name), label, spent))
    _record_writes(tables, documents)
    parse.SMALL_PAGE_BYTES = sys.maxsize  # parse large pages in this process too
    # while a CPU timer is armed, process_time only advances with the clock tick
    vars(parse)["interrupt_after"] = lambda _seconds: nullcontext()
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        added = ingest.add_sources(
            Path(folder) / "c.weft", [recognise_input(archive)], ParseOptions(), workers=1
        )
        total = time.process_time() - start
    spent["reading and everything else"] = total - sum(spent.values())
    print(f"{archive.name}: {added.new:,} pages, {total / added.new * 1e3:.2f} ms CPU a page")
    _print(spent, added.new)
    lower_bound = library_times(archive, tables, documents)
    total = sum(lower_bound.values())
    ratio = f", {plain / total:.1f} x the plain script" if plain else ""
    print(f"\nthe libraries alone: {total / added.new * 1e3:.2f} ms CPU a page{ratio}")
    _print(lower_bound, added.new)


def library_times(
    archive: Path, tables: list[tuple[pa.Table, dict[str, Any]]], documents: list[Document]
) -> Spent:
    """The time of the libraries to read, parse, store and index, and to start three processes."""
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
            writer = index.create_index(Path(folder)).writer(index.MAX_HEAP_BYTES, 1)
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


def _record_writes(
    tables: list[tuple[pa.Table, dict[str, Any]]], documents: list[Document]
) -> None:
    """Record what is written to tables and to the index, to write it once more."""
    write, track = pq.write_table, vars(index)["track"]

    def write_table(table: pa.Table, path: Path, **options: Any) -> None:
        tables.append((table, options))
        write(table, path, **options)

    def track_documents(iterable: Iterable[Document], *args: Any) -> Iterator[Document]:
        for document in track(iterable, *args):
            documents.append(document)
            yield document

    for module, name, replacement in (
        (pq, "write_table", write_table),
        (index, "track", track_documents),
    ):
        setattr(module, name, replacement)


@contextmanager
def _clock(label: str, spent: Spent) -> Iterator[None]:
    start = time.process_time()
    try:
        yield
    finally:
        spent[label] += time.process_time() - start


def _timed(step: Any, label: str, spent: Spent) -> Any:
    function: Callable[..., Any] = getattr(step, PARSE) if isinstance(step, type) else step

    def run(*args: Any, **options: Any) -> Any:
        start = time.process_time()
        try:
            return function(*args, **options)
        finally:
            spent[label] += time.process_time() - start

    return type("Timed", (), {PARSE: staticmethod(run)}) if isinstance(step, type) else run


def _print(spent: Spent, pages: int) -> None:
    total = sum(spent.values())
    for label, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"{label:28}{seconds / pages * 1e3:>8.3f} ms{seconds / total:>8.0%}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(float, sys.argv[2:]))
