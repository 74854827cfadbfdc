"""Archives cut into many files, added by a cluster and plainly, and what differs then."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from fastwarc.warc import ArchiveIterator

from benchmarks.webs import SHARED
from weft.gather.html import ParseOptions
from weft.spark import Cluster
from weft.spark.archives import add_archives, find_archives
from weft.store.captures import iter_capture_links, iter_captures
from weft.store.segment import INCOMING_LINKS, INCOMING_PAGES
from weft.workspace.ingest import AddResult
from weft.workspace.workspace import Workspace

PARTS = 40
# In each file, every seventh record of the file before it once more.
REPEATED = 7
CAPTURE_COLUMNS = [name for name in INCOMING_PAGES.names if name != "url"]
LINK_COLUMNS = [name for name in INCOMING_LINKS.names if name not in ("page", "target")]
# The index has random names; the others are compared by page, as their rows are in the
# order of segments.
NOT_COMPARED = ("index/", "pages.arrow", "term_weights/")


def compare_archives(cluster: Cluster, folder: Path) -> dict[str, Any]:
    """Add each web and the samples in both ways; what differs, and how many files and pages."""
    found = {}
    for name, files in cut_webs(folder).items():
        started = time.perf_counter()
        archives = [archive for file in files for archive in find_archives(str(file))]
        spark = add_archives(folder / f"{name}-spark.weft", cluster, archives, ParseOptions())
        middle = time.perf_counter()
        plain = Workspace(folder / f"{name}-plain.weft").add(*files, workers=1)
        found[name] = {
            "files": len(files),
            "pages": plain.new,
            "repeated": plain.known,
            "problems": sum(plain.problems.counts.values()),
            "tables": len(tables_of(plain)),
            "differing": differing_tables(plain, spark),
            "wall on Spark": round(middle - started, 1),
            "wall alone": round(time.perf_counter() - middle, 1),
        }
    return found


def cut_webs(folder: Path) -> dict[str, list[Path]]:
    """The real webs and the samples beside the project, cut into files; what is here of them."""
    data, webs = SHARED / "data", {}
    for name in ("wikispeedia", "webkb"):
        if (path := data / f"{name}.warc.gz").exists():
            webs[name] = cut_archive(path, folder / name, PARTS)
    if (samples := data / "warc").is_dir():
        webs["samples"] = [
            part
            for path in sorted(samples.iterdir())
            for part in cut_archive(path, folder / "samples" / path.name, PARTS)
        ]
    return webs


def cut_archive(path: Path, folder: Path, parts: int, most: int = 1_000_000) -> list[Path]:
    """Cut an archive, or its first records, into files; one without records stays whole.

    Each seventh record is in the file after its own as well.
    """
    data, starts = path.read_bytes(), list[int]()
    if path.name.endswith(".warc.gz"):
        with path.open("rb") as file:
            starts = [record.stream_pos for record in ArchiveIterator(file, parse_http=False)]
    if len(starts) < 2:
        return [path]
    records = [data[a:b] for a, b in zip(starts, [*starts[1:], len(data)], strict=True)][:most]
    folder.mkdir(parents=True)
    size, files = -(-len(records) // parts), []
    for number, start in enumerate(range(0, len(records), size)):
        again = records[max(0, start - size) : start : REPEATED]
        files.append(folder / f"part-{number:02d}.warc.gz")
        files[-1].write_bytes(b"".join([*records[start : start + size], *again]))
    return files


def differing_tables(one: AddResult, other: AddResult) -> list[str]:
    """The names of what is not the same in two collections, and in the reports of adding."""
    tables, others = tables_of(one), tables_of(other)
    names = sorted({*tables, *others})
    return [name for name in names if tables.get(name) != others.get(name)]


def tables_of(result: AddResult) -> dict[str, Any]:
    """All that a collection consists of, by name, and what was reported when it was added."""
    collection, problems = result.collection, result.problems
    folder = collection.folder / collection.manifest.snapshot_folder
    paths = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    history = collection.manifest.history[-1]
    terms = collection.term_weights(np.arange(len(collection.pages), dtype=np.int32))
    return {
        "new and known": (result.new, result.known),
        "counts": dict(collection.manifest.counts),
        "history": [history[name] for name in ("inputs", "pages", "already_stored")],
        "problems": problems.counts,
        "places of problems": problems.locations,
        "reasons of damage": problems.damage_reasons,
        "pages": collection.pages.drop_columns(["segment", "row"]),
        "aliases": collection.aliases,
        "stems": terms.stems,
        "term weights": [array.tobytes() for array in terms.matrix if array is not None],
        "captures": _in_order(iter_captures(collection, CAPTURE_COLUMNS), ["page", "capture"]),
        "links": _in_order(
            iter_capture_links(collection, LINK_COLUMNS, live_only=False),
            ["source", "time", "target", "position"],
        ),
        **{n: p.read_bytes() for n, p in paths.items() if not n.startswith(NOT_COMPARED)},
    }


def _in_order(batches: Iterator[pa.Table], keys: Sequence[str]) -> pa.Table:
    """The rows of some tables sorted by columns, with texts instead of dictionaries."""
    found = []
    for batch in batches:
        table = pa.table(batch)
        types = [
            kind.value_type if pa.types.is_dictionary(kind) else kind for kind in table.schema.types
        ]
        found.append(table.cast(pa.schema([*zip(table.column_names, types, strict=True)])))
    if not found:
        return pa.table({})
    return pa.concat_tables(found).combine_chunks().sort_by([(key, "ascending") for key in keys])
