"""The single writer of a collection: lock, staged segments, commit and clean-up."""

import fcntl
import json
import os
import re
import shutil
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.core.errors import CollectionBusy, DamagedFile, WeftError
from weft.gather.page import EdgeBatch
from weft.gather.url import UrlPolicy
from weft.store import segment as segments
from weft.store.manifest import (
    MANIFEST_FILE,
    CommittedFile,
    InputPart,
    Manifest,
    Segment,
    fsync_files,
    fsync_folder,
    refuse_symlinks,
)
from weft.store.numbered_graph import NumberedGraph

STAGED_FILE = "segment.json"
RESULTS_FOLDER, RESULT_FILE_NAME = "results", re.compile(r"[0-9a-f]{64}\.npz")
COLLECTION_ENTRIES = {"lock", "segments", "snapshots", RESULTS_FOLDER, f".{MANIFEST_FILE}"}
DISK_FULL_HINT = "check that the disk has room; the last commit is intact"
MAX_BUFFERED_PAGES, MAX_BUFFERED_LINKS, MAX_BUFFERED_BYTES = 8_192, 1_000_000, 96 << 20

CaptureDigests = npt.NDArray[np.uint64]


@dataclass(slots=True)
class SegmentBuffer:
    """Batches of incoming pages, until there are enough for a segment."""

    pages: list[pa.Table] = field(default_factory=list)
    links: list[pa.Table] = field(default_factory=list)
    bytes_held: int = 0
    max_bytes: int = MAX_BUFFERED_BYTES

    def append(self, pages: pa.Table, links: pa.Table) -> None:
        """Add a batch."""
        self.pages.append(pages)
        self.links.append(links)
        self.bytes_held += pages.nbytes + links.nbytes

    @property
    def is_full(self) -> bool:
        """Whether there are enough pages, links or bytes for a segment."""
        return (
            sum(map(len, self.pages)) >= MAX_BUFFERED_PAGES
            or sum(map(len, self.links)) >= MAX_BUFFERED_LINKS
            or self.bytes_held >= self.max_bytes
        )

    def write(self, folder: Path, name: str) -> Segment | None:
        """Write what is held as a segment, unless there are no pages; nothing is held then."""
        pages, links = self.pages, self.links
        self.pages, self.links, self.bytes_held = [], [], 0
        if not any(map(len, pages)):
            return None
        return segments.write_page_segment(folder, name, pages, links)


@dataclass(slots=True)
class CollectionWriter:
    """Stages segments and commits them; it holds the writer's lock.

    Staged segments survive a crash, and wait for the next writer; readers see
    what is committed. `manifest` is the state that the next commit builds on,
    `committed` that of the last one.
    """

    folder: Path
    committed: Manifest
    manifest: Manifest
    staged: list[Segment]
    compacting: bool = False
    buffer: SegmentBuffer = field(default_factory=SegmentBuffer)

    @property
    def url_policy(self) -> UrlPolicy:
        """The URL rules of this collection."""
        return UrlPolicy(**self.manifest.policy)

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Committed and staged segments, in their order."""
        return (*self.manifest.segments, *self.staged)

    def stored_capture_digests(self) -> CaptureDigests:
        """The digests of the captures that the collection has already, sorted."""
        digests = [np.zeros(0, np.uint64)]
        for segment in self.segments:
            if not segment.input_digest:
                folder = self.segment_folder(segment)
                table = segments.read_table(folder, "pages.parquet", ["capture"])
                removed = segments.read_removed_rows(folder, segment)
                digests.append(np.delete(table["capture"].to_numpy(), removed))
        return np.unique(np.concatenate(digests))

    def complete_graph_parts(self, input_digest: str) -> set[int]:
        """The parts of a graph that the collection has already, without removed rows."""
        same = (segment for segment in self.segments if segment.input_digest == input_digest)
        return {segment.part for segment in same if segment.complete and not segment.removed}

    @property
    def stored_requests(self) -> dict[str, dict[int, InputPart]]:
        """The complete parts of every log that the collection has, by its digest."""
        stored: dict[str, dict[int, InputPart]] = {}
        for part in (part for segment in self.segments for part in segment.inputs):
            if part.is_complete:
                stored.setdefault(part.input_digest, {})[part.part] = part
        return stored

    @property
    def salt_ids(self) -> list[str]:
        """The salts of the visitors of all requests, the latest first."""
        return list(dict.fromkeys(s.salt_id for s in reversed(self.segments) if s.salt_id))

    def segment_folder(self, segment: Segment) -> Path:
        """The folder of a segment."""
        return self.folder / "segments" / segment.name

    def append_pages(self, pages: pa.Table, links: pa.Table) -> None:
        """Buffer a batch of incoming pages; a full buffer becomes a segment on disk."""
        self.buffer.append(pages, links)
        if self.buffer.is_full:
            self.flush()

    def flush(self) -> None:
        """Write the buffered pages as a staged segment."""
        segment = self.buffer.write(self.folder / "segments", self._next_segment_name())
        if segment is not None:
            self._stage_segment(segment)

    def adopt_segment(self, path: Path, segment: Segment) -> None:
        """Stage a segment that another process wrote to a folder, which is moved here."""
        self.flush()
        adopted = replace(segment, name=self._next_segment_name())
        target = self.segment_folder(adopted)
        shutil.rmtree(target, ignore_errors=True)
        unfinished = target.with_name(f".{target.name}")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.move(path, unfinished)
        for name, file in segment.files.items():
            file.check(unfinished / name, max_rehash_bytes=file.size)
        fsync_files(unfinished / name for name in segment.files)
        fsync_folder(unfinished)
        unfinished.rename(target)
        fsync_folder(target.parent)
        self._stage_segment(adopted)

    def append_graph(self, edges: EdgeBatch, part: int, *, complete: bool = True) -> None:
        """Stage a part of a graph without text; `complete` is false if rows were removed."""
        name = self._next_segment_name()
        segment = segments.write_graph_segment(self.folder / "segments", name, part, edges)
        self._stage_segment(replace(segment, complete=complete))

    def append_numbered_graph(self, graph: NumberedGraph, part: int) -> None:
        """Stage a part of a graph whose nodes are numbers."""
        self._stage_segment(graph.write(self._next_segment_name(), part))

    def append_requests(
        self, requests: pa.Table, inputs: Sequence[InputPart], salt_id: str
    ) -> None:
        """Stage requests, which are those of `inputs` one after the other."""
        name = self._next_segment_name()
        folder = self.folder / "segments"
        self._stage_segment(segments.write_request_segment(folder, name, requests, inputs, salt_id))

    def _next_segment_name(self) -> str:
        return f"{self.manifest.next_segment + len(self.staged):06d}"

    def _stage_segment(self, segment: Segment) -> None:
        """Describe a finished segment in a file beside its tables, for the next writer to find."""
        path = self.segment_folder(segment) / STAGED_FILE
        temporary = path.with_suffix(".new")
        document = {"segment": asdict(segment), "compacting": self.compacting}
        temporary.write_text(json.dumps(document))
        fsync_files([temporary])
        temporary.replace(path)
        self.staged.append(segment)

    def remove_rows(self, rows: dict[str, Sequence[int]]) -> None:
        """Mark rows as removed, by the names of their segments; takes effect at the commit."""
        changed = tuple(
            self._with_removed_rows(segment, rows[segment.name])
            if segment.name in rows
            else segment
            for segment in self.manifest.segments
        )
        self.manifest = replace(self.manifest, segments=changed)

    def _with_removed_rows(self, segment: Segment, rows: Sequence[int]) -> Segment:
        folder = self.segment_folder(segment)
        removed = np.union1d(segments.read_removed_rows(folder, segment), rows).astype(np.int32)
        name = f"removed-{self.manifest.snapshot + 1:06d}.npy"
        np.save(folder / name, removed, allow_pickle=False)
        fsync_files([folder / name])
        fsync_folder(folder)
        files = {other: file for other, file in segment.files.items() if other != segment.removed}
        files[name] = CommittedFile.from_path(folder / name)
        return replace(segment, removed=name, files=files)

    def begin_compaction(self, kept: tuple[Segment, ...] = ()) -> None:
        """Start a compaction: the segments staged from here on replace all but those `kept`."""
        self.manifest, self.compacting = replace(self.manifest, segments=kept), True

    def set_session_rules(self, rules: dict[str, Any]) -> None:
        """Cut the next snapshot's sessions by other rules."""
        self.manifest = replace(self.manifest, session_rules=rules)

    def begin_snapshot(self) -> Path:
        """An empty folder for the next snapshot, which is to be built from all segments."""
        self.flush()
        self._supersede_readded_parts()
        folder = self._unfinished_snapshot
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    @property
    def _unfinished_snapshot(self) -> Path:
        return self.folder / "snapshots" / f".{self.manifest.snapshot + 1:06d}"

    def commit(self, counts: dict[str, int], entry: dict[str, Any]) -> None:
        """Commit the snapshot that was built, with its counts and a history entry."""
        folder = self._unfinished_snapshot
        final = folder.with_name(folder.name.removeprefix("."))
        self._write_manifest(
            replace(
                self.manifest,
                snapshot=self.manifest.snapshot + 1,
                next_segment=self.manifest.next_segment + len(self.staged),
                segments=self.segments,
                files=self._publish_snapshot(folder, final),
                counts=counts,
                history=(*self.manifest.history, entry),
                older_snapshots=self._older_snapshots(),
            )
        )
        delete_results(self.folder)
        self.delete_unreferenced()

    def commit_history_entry(self, entry: dict[str, Any]) -> None:
        """Commit a history entry alone; the snapshot stays the same."""
        self._write_manifest(replace(self.manifest, history=(*self.manifest.history, entry)))

    def _write_manifest(self, manifest: Manifest) -> None:
        manifest.write(self.folder)
        self.manifest = self.committed = manifest
        self.staged = [s for s in self.staged if s not in manifest.segments]
        self.compacting = False

    def _supersede_readded_parts(self) -> None:
        """Remove all rows of graph parts that were added again."""
        readded = {(s.input_digest, s.part) for s in self.staged if s.input_digest}
        old = [s for s in self.manifest.segments if (s.input_digest, s.part) in readded]
        self.remove_rows({segment.name: range(segment.pages) for segment in old})

    def _older_snapshots(self) -> dict[str, list[str]]:
        """The snapshots on disk that readers may hold, with the segments each was built from."""
        last = self.committed
        older = {
            name: segment_names
            for name, segment_names in last.older_snapshots.items()
            if (self.folder / name).is_dir()
        }
        if last.snapshot:
            older[last.snapshot_folder] = [segment.name for segment in last.segments]
        return older

    def check_segments(self) -> None:
        """Refuse segments that differ from what was committed."""
        for segment in self.manifest.segments:
            for name, file in segment.files.items():
                file.check(self.segment_folder(segment) / name, max_rehash_bytes=file.size)
            segments.check_row_counts(self.segment_folder(segment), segment)

    def _publish_snapshot(self, temporary: Path, final: Path) -> dict[str, CommittedFile]:
        """Flush a snapshot to disk and give it its name; return the digests of its files."""
        paths = sorted(path for path in temporary.rglob("*") if path.is_file())
        fsync_files(paths)
        for folder in sorted({path.parent for path in paths} | {temporary}):
            fsync_folder(folder)
        shutil.rmtree(final, ignore_errors=True)
        temporary.rename(final)
        fsync_folder(final.parent)
        moved = [path.relative_to(temporary) for path in paths]
        return {
            str((final / path).relative_to(self.folder)): self._describe_file(final, path)
            for path in moved
        }

    def _describe_file(self, snapshot: Path, path: Path) -> CommittedFile:
        """Size and digest of a file of a snapshot; those of the last one if it is the same file."""
        old = f"{self.committed.snapshot_folder}/{path}"
        if old in self.committed.files and (snapshot / path).samefile(self.folder / old):
            return self.committed.files[old]
        return CommittedFile.from_path(snapshot / path)

    def rollback(self) -> None:
        """Delete unfinished files; staged segments wait for the command to be repeated."""
        if (self.folder / MANIFEST_FILE).exists():
            self.committed = Manifest.read(self.folder)
        if self.compacting:
            self.staged = []
        self.delete_unreferenced()

    def delete_unreferenced(self) -> None:
        """Delete the snapshots and segments that neither the commit nor a reader uses."""
        used = {segment.name for segment in (*self.committed.segments, *self.staged)}
        for path in _list_folder(self.folder / "snapshots"):
            name = f"snapshots/{path.name}"
            if name != self.committed.snapshot_folder and not _delete_unless_read(path):
                used.update(self.committed.older_snapshots.get(name, ()))
        for path in _list_folder(self.folder / "segments"):
            if path.name not in used:
                shutil.rmtree(path, ignore_errors=True)


@contextmanager
def try_lock_snapshot(folder: Path) -> Iterator[bool]:
    """Try to lock a snapshot against readers; yields False where one holds it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(handle)


def _delete_unless_read(snapshot: Path) -> bool:
    """Delete a snapshot, unless a reader holds it; return whether it was deleted."""
    with try_lock_snapshot(snapshot) as free:
        if free:
            shutil.rmtree(snapshot, ignore_errors=True)
        return free


def delete_results(folder: Path) -> None:
    """Delete all cached results of a collection that changes; none behind a symbolic link."""
    results = folder / RESULTS_FOLDER
    for path in () if results.is_symlink() else _list_folder(results):
        if RESULT_FILE_NAME.fullmatch(path.name):
            with suppress(OSError):
                path.unlink()


def _list_folder(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Hold the writer's lock, which the kernel releases when the process ends."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 200).decode("utf-8", "replace")
            printable = re.sub(r"[^\x20-\x7e]", "", holder) or "another process"
            raise CollectionBusy(
                f"{path.parent} is being written by {printable}", hint="wait, or stop it"
            ) from None
        holder = (
            f"process {os.getpid()} on {socket.gethostname()} since {datetime.now(UTC):%F %T} UTC"
        )
        os.ftruncate(handle, 0)
        os.pwrite(handle, holder.encode(), 0)
        yield
    finally:
        os.close(handle)


@contextmanager
def open_writer(folder: Path, policy: UrlPolicy | None = None) -> Iterator[CollectionWriter]:
    """Open a collection for writing, and create it if needed; one process at a time.

    Segments that an interrupted writer finished are taken over; unfinished ones
    are deleted. `policy` is that of a new collection, and must match an old one.
    """
    _create_folder(folder)
    refuse_symlinks(folder)
    with writer_lock(folder / "lock"):
        manifest = Manifest(policy=(policy or UrlPolicy()).rules)
        if (folder / MANIFEST_FILE).exists():
            manifest = Manifest.read(folder)
            if policy is not None and policy.rules != manifest.policy:
                raise _policy_mismatch_error(folder, manifest)
        writer = CollectionWriter(
            folder, manifest, manifest, find_staged_segments(folder, manifest)
        )
        writer.check_segments()
        writer.delete_unreferenced()
        try:
            yield writer
        except OSError as error:
            writer.rollback()
            if error.errno is not None:
                raise
            # NumPy reports how many bytes it could not write, but not why.
            raise WeftError(f"{folder} cannot be written ({error})", hint=DISK_FULL_HINT) from error
        except BaseException:
            writer.rollback()
            raise


def _create_folder(folder: Path) -> None:
    """Create the folder of a collection, unless it holds something else."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise WeftError(f"{folder} is a file, not a collection", hint="name a folder") from None
    names = {path.name for path in folder.iterdir()}
    interrupted = "lock" in names and names <= COLLECTION_ENTRIES  # before its first commit
    if names and MANIFEST_FILE not in names and not interrupted:
        cure = "name a new folder, such as mine.weft"
        raise WeftError(f"{folder} has other files in it and is not a collection", hint=cure)


def _policy_mismatch_error(folder: Path, manifest: Manifest) -> WeftError:
    off = ", ".join(rule for rule, on in manifest.policy.items() if not on) or "none"
    cure = f"URL rules switched off in this collection: {off}"
    return WeftError(f"{folder} was made with other URL rules", hint=cure)


def find_staged_segments(folder: Path, manifest: Manifest) -> list[Segment]:
    """The finished segments after the last commit, up to the first gap.

    Those of an interrupted compaction do not count.
    """
    staged: list[Segment] = []
    while True:
        name = f"{manifest.next_segment + len(staged):06d}"
        segment = _read_staged_segment(folder / "segments" / name)
        if segment is None:
            return staged
        staged.append(segment)


def _read_staged_segment(folder: Path) -> Segment | None:
    try:
        document = json.loads((folder / STAGED_FILE).read_bytes())
        segment, compacting = Segment.from_json(document["segment"]), document["compacting"]
        for name, file in segment.files.items():
            file.check(folder / name, max_rehash_bytes=file.size)
    except (FileNotFoundError, ValueError, LookupError, TypeError, DamagedFile):
        return None
    return None if compacting else segment
