"""Add archives on Spark: executors read and parse them, this machine commits.

Archives are read twice. The first time, each task reports the digests of the captures of
one archive, and its revisit records. Here they are joined: each capture is kept once,
where it comes first, and revisits find their originals in any archive. The second time,
tasks parse the captures that are kept and write them as segments, which are adopted in
the order of the archives. Tasks share nothing, and each attempt writes to a folder of
its own, so that what is repeated or lost changes nothing.
"""

import hashlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import compress, groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from pyarrow import fs

from weft.core.arrays import Flags
from weft.core.errors import WeftError
from weft.gather.formats import (
    REVISITS_OVER_LIMIT,
    InputSource,
    expand_inputs,
    max_revisit_bytes,
    read_resolved_revisits,
    recognise_input,
    revisit_source,
)
from weft.gather.html import ParseOptions
from weft.gather.page import Page, Problems, RawPage
from weft.gather.revisits import KEY_BYTES, ResolvedRevisit, RevisitIndex, RevisitRecords
from weft.spark.array_folder import ArrayFolder, file_system, is_remote
from weft.spark.cluster import Cluster
from weft.store.collection import Collection
from weft.store.manifest import Segment
from weft.store.writer import CaptureDigests, SegmentBuffer, open_writer
from weft.workspace.ingest import (
    AddResult,
    NewPageStream,
    capture_digest_and_size,
    check_address_space_limit,
    commit_added,
)
from weft.workspace.parse import classify_missing_languages, parse_batches

ONLY_PAGES_HINT = "add graphs, logs and collections without --spark"


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive by its path or URL, and its name as the user wrote it.

    `revisits` are those whose originals are in it: if there are any, they are read, and
    nothing else of it.
    """

    location: str
    input_format: str = ""
    base_url: str = ""
    revisits: tuple[ResolvedRevisit, ...] = ()

    @contextmanager
    def open(self) -> Iterator[InputSource]:
        """The archive as an input on this machine; one elsewhere is copied for a while."""
        with _local_path(self.location) as path:
            source = recognise_input(path, self.location, self.input_format, self.base_url)
            if source.format.yields not in {"pages", "inputs"}:
                message = f"{self.location} is no archive of pages"
                raise WeftError(message, hint=ONLY_PAGES_HINT)
            yield source

    def read_pages(
        self, source: InputSource, options: ParseOptions, problems: Problems, index: RevisitIndex
    ) -> Iterator[RawPage | Page]:
        """The pages of the archive, or those of its revisits."""
        if not self.revisits:
            return source.read_pages(options, problems, index)
        is_zip = bool(self.revisits[0].members)
        return read_resolved_revisits(source.path, self.revisits, options, problems, is_zip=is_zip)


class Scan(NamedTuple):
    """The captures of an archive in order, and its revisits.

    `sizes` and `urls` are those of the pages of revisits, whose total size is limited.
    """

    digest: str
    size: int
    captures: CaptureDigests
    records: RevisitRecords
    sizes: npt.NDArray[np.int64]
    urls: list[str]


class ParsedArchive(NamedTuple):
    """The segments of an archive, in folders of the staging folder, and its problems."""

    segments: list[Segment]
    problems: Problems


def add_archives(
    folder: Path,
    cluster: Cluster,
    archives: Sequence[Archive],
    options: ParseOptions,
) -> AddResult:
    """Add archives to the collection at `folder`, with the result of `add_sources`.

    The digests of all captures, 40 bytes each, are in the memory of this machine.
    """
    check_address_space_limit()
    problems = Problems()
    with open_writer(folder, options.url_policy) as writer:
        resumed = sum(segment.pages for segment in writer.staged)
        key = os.urandom(KEY_BYTES)
        scan = partial(_scan, options=options, key=key)
        scans = cluster.run(scan, archives, "archives read")
        revisits, not_found = _resolve_revisits(archives, scans, key)
        scans += (found := cluster.run(scan, revisits, "revisits read"))
        within_limit = _check_revisit_sizes(scans[: len(archives)], found, not_found)
        kept = _choose_captures([own.captures for own in scans], writer.stored_capture_digests())
        kept[len(archives) :] = [
            a & b for a, b in zip(kept[len(archives) :], within_limit, strict=True)
        ]
        tasks = [
            _ParseTask(archive, own.digest, np.packbits(chosen))
            for archive, own, chosen in zip([*archives, *revisits], scans, kept, strict=True)
        ]
        staging = cluster.folder("segments")
        parsed = cluster.run(partial(_parse, options=options, staging=staging), tasks, "archives")
        for archive_number, own in enumerate(parsed):
            if archive_number == len(archives):
                problems.merge(not_found)
            problems.merge(own.problems)
            for segment in own.segments:
                with _fetch_segment(staging, segment) as path:
                    writer.adopt_segment(path, segment)
        if len(parsed) == len(archives):
            problems.merge(not_found)
        new = sum(int(chosen.sum()) for chosen in kept)
        known = (
            sum(len(own.captures) for own in scans)
            - new
            - sum(int((~fits).sum()) for fits in within_limit)
        )
        commit_added(writer, [archive.location for archive in archives], known, problems)
    return AddResult(Collection.open(folder), new, known, problems, resumed)


def find_archives(pattern: str, input_format: str = "", base_url: str = "") -> list[Archive]:
    """The archives that a path, a URL or a pattern with * names, sorted by name."""
    if not is_remote(pattern):
        sources = expand_inputs(pattern, input_format, base_url)
        return [Archive(str(source.path), source.input_format, base_url) for source in sources]
    system, path = file_system(pattern)
    prefix = pattern[: len(pattern) - len(path)]
    found = [file.path for file in _list_files(system, path, pattern)]
    if not found:
        is_pattern = not {*"*?["}.isdisjoint(path)
        in_folder = f"for the files of a folder write {pattern.rstrip('/')}/*"
        hint = "check the pattern" if is_pattern else in_folder
        raise WeftError(f"nothing matches {pattern}", hint=hint)
    return [Archive(f"{prefix}{name}", input_format, base_url) for name in sorted(found)]


def _list_files(system: fs.FileSystem, path: str, pattern: str) -> list[fs.FileInfo]:
    """The files on remote storage that a path, perhaps with *, stands for."""
    signs = [path.index(sign) for sign in "*?[" if sign in path]
    parent = path[: min(signs, default=0)].rpartition("/")[0]
    asked = fs.FileSelector(parent, recursive=True, allow_not_found=True) if signs else [path]
    try:
        files = system.get_file_info(asked)
    except OSError as error:
        reason = str(error).partition(" (Request ID")[0]
        hint = f"check the name and the credentials: {reason[:300]}"
        raise WeftError(f"{pattern} cannot be listed", hint=hint) from error
    return [
        file
        for file in files
        if file.type == fs.FileType.File
        # A * stays within a folder, ** does not.
        and (not signs or fnmatchcase(file.path, path))
        and ("**" in path or file.path.count("/") == path.count("/"))
    ]


@contextmanager
def _local_path(location: str) -> Iterator[Path]:
    if not is_remote(location):
        yield Path(location)
        return
    system, path = file_system(location)
    with tempfile.TemporaryDirectory(prefix="weft-") as folder:
        copy = Path(folder) / Path(path).name
        with system.open_input_stream(path) as source, copy.open("wb") as to:
            shutil.copyfileobj(source, to)
        yield copy


def _scan(archive: Archive, options: ParseOptions, key: bytes) -> Scan:
    """Read an archive for the digests of its captures and for its revisits."""
    index, pages = RevisitIndex(key=key), [(0, 0)][:0]
    urls: list[str] = []
    with archive.open() as source:
        for page in archive.read_pages(source, options, Problems(), index):
            pages.append(capture_digest_and_size(page))
            if archive.revisits:
                urls.append(page.url)
        digest, size = _digest(source.path)
    captures = np.array([capture for capture, _ in pages], np.uint64)
    sizes = np.array([size for _, size in pages], np.int64)
    records = index.take_records()
    # The path of an archive that was copied here says nothing elsewhere.
    records = records._replace(
        archives=[(Path(archive.location), members) for _, members in records.archives]
    )
    return Scan(digest, size, captures, records, sizes, urls)


def _digest(path: Path) -> tuple[str, int]:
    """The digest of a file, or of the names and sizes of the files of a folder; the size."""
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16], path.stat().st_size
    files = sorted(file for file in path.rglob("*") if file.is_file())
    sizes = [file.stat().st_size for file in files]
    names = repr(
        [(str(file.relative_to(path)), size) for file, size in zip(files, sizes, strict=True)]
    )
    return hashlib.sha256(names.encode("utf-8", "backslashreplace")).hexdigest()[:16], sum(sizes)


def _resolve_revisits(
    archives: Sequence[Archive], scans: Sequence[Scan], key: bytes
) -> tuple[list[Archive], Problems]:
    """The archives again, each with the revisits whose originals it has; what has none."""
    index, problems = RevisitIndex(key=key), Problems()
    for scan in scans:
        index.add_records(scan.records)
    by_path = {Path(archive.location): archive for archive in archives}
    found = []
    for (path, is_zip), resolved in groupby(index.resolve(problems), revisit_source):
        known = by_path[path]
        input_format = known.input_format or ("wacz" if is_zip else "warc")
        found.append(replace(known, input_format=input_format, revisits=tuple(resolved)))
    return found, problems


def _check_revisit_sizes(
    archives: Sequence[Scan], revisits: Sequence[Scan], problems: Problems
) -> list[Flags]:
    """Which pages of revisits are within the limit on their total size."""
    limit = max_revisit_bytes(sum(scan.size for scan in archives))
    total, fits = 0, []
    for scan in revisits:
        ends = total + np.cumsum(scan.sizes)
        fits.append(ends <= limit)
        for place in np.flatnonzero(~fits[-1]).tolist():
            problems.add(REVISITS_OVER_LIMIT, scan.urls[place])
        total += int(scan.sizes.sum())
    return fits


def _choose_captures(captures: Sequence[CaptureDigests], stored: CaptureDigests) -> list[Flags]:
    """Which captures of each archive are neither stored nor in one before."""
    every = np.concatenate([np.zeros(0, np.uint64), *captures])
    is_new = np.zeros(len(every), bool)
    is_new[np.unique(every, return_index=True)[1]] = True
    is_new &= ~np.isin(every, stored)
    return np.split(is_new, np.cumsum([len(own) for own in captures])[:-1]) if captures else []


class _ParseTask(NamedTuple):
    """An archive, its digest, and which of its captures are kept, as bits."""

    archive: Archive
    digest: str
    kept: npt.NDArray[np.uint8]


def _parse(task: _ParseTask, options: ParseOptions, staging: ArrayFolder) -> ParsedArchive:
    """Parse the captures of an archive that are kept, and write them as segments."""
    problems, written, buffer = Problems(), list[Segment](), SegmentBuffer()
    # Another attempt at the same task may be running: none sees what this one writes.
    attempt = uuid.uuid4().hex[:8]
    with task.archive.open() as source, tempfile.TemporaryDirectory(prefix="weft-") as local:
        folder = Path(local)
        if not is_remote(staging.location):
            folder = Path(file_system(staging.location)[1])
            folder.mkdir(parents=True, exist_ok=True)

        def write() -> None:
            name = f"{task.digest}-{len(written):04d}-{attempt}"
            if (segment := buffer.write(folder, name)) is not None:
                written.append(segment)
                if is_remote(staging.location):
                    _send_segment(folder / name, staging, segment)

        pages = task.archive.read_pages(source, options, problems, RevisitIndex())
        kept = compress(pages, np.unpackbits(task.kept).tolist())
        # What is kept is new, as was found out with the captures of all archives.
        stream = NewPageStream(np.zeros(0, np.uint64), options, problems, 0)
        for batch in parse_batches(stream.batches(kept), options, 1, problems):
            problems.merge(batch.problems)
            buffer.append(classify_missing_languages(batch.pages), batch.links)
            if buffer.is_full:
                write()
        write()
    return ParsedArchive(written, problems)


def _send_segment(path: Path, staging: ArrayFolder, segment: Segment) -> None:
    for name in segment.files:
        staging.subfolder(segment.name).save_bytes(name, (path / name).read_bytes())
    shutil.rmtree(path)


@contextmanager
def _fetch_segment(staging: ArrayFolder, segment: Segment) -> Iterator[Path]:
    """The folder of a segment on this machine."""
    system, path = file_system(staging.location)
    if not is_remote(staging.location):
        yield Path(path) / segment.name
        return
    with tempfile.TemporaryDirectory(prefix="weft-") as folder:
        copy = Path(folder) / segment.name
        copy.mkdir()
        for name in segment.files:
            with system.open_input_stream(f"{path}/{segment.name}/{name}") as file:
                (copy / name).write_bytes(file.read())
        yield copy
