"""The one writer of a collection: a lock, segments that wait, and the commit."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from weft.core.errors import Damaged, WeftError
from weft.gather.page import Edges
from weft.gather.url import Policy
from weft.store import results
from weft.store import segment as segments
from weft.store.lock import locked, unread
from weft.store.manifest import (
    NAME,
    File,
    Manifest,
    Segment,
    refuse_links,
    sync_files,
    sync_folder,
)

STAGED = "segment.json"
OURS = {"lock", "segments", "snapshots", results.FOLDER, f".{NAME}"}
FULL = "see that the disk has room; the last commit is intact"
MOST_PAGES, MOST_LINKS, MOST_BYTES = 8_192, 1_000_000, 96 << 20

Captures = npt.NDArray[np.uint64]
Build = Callable[[Path, tuple[Segment, ...]], dict[str, int]]


@dataclass(slots=True)
class Writer:
    """Holds the lock; what it stages survives its death, what it commits is what readers see."""

    folder: Path
    committed: Manifest
    manifest: Manifest
    staged: list[Segment]
    compacting: bool = False
    pages: list[pa.Table] = field(default_factory=list)
    links: list[pa.Table] = field(default_factory=list)
    waiting_bytes: int = 0

    @property
    def policy(self) -> Policy:
        """The URL rules that this collection was made with."""
        return Policy(**self.manifest.policy)

    @property
    def segments(self) -> tuple[Segment, ...]:
        """Committed and waiting segments, in their order."""
        return (*self.manifest.segments, *self.staged)

    def held(self) -> Captures:
        """The captures that the collection has already, sorted."""
        found = [np.zeros(0, np.uint64)]
        for segment in self.segments:
            if not segment.origin:
                at = self.segment_folder(segment)
                captures = segments.read(at, "pages.parquet", ["capture"])["capture"].to_numpy()
                found.append(np.delete(captures, segments.removed_rows(at, segment)))
        return np.unique(np.concatenate(found))

    def parts_held(self, origin: str) -> set[int]:
        """Which parts of a graph the collection has already, and has whole."""
        same = (segment for segment in self.segments if segment.origin == origin)
        return {segment.part for segment in same if segment.whole and not segment.removed}

    def segment_folder(self, segment: Segment) -> Path:
        """Where a segment lies."""
        return self.folder / "segments" / segment.name

    def append(self, pages: pa.Table, links: pa.Table) -> None:
        """Take a batch of incoming pages; enough of them make a segment on disk."""
        self.pages.append(pages)
        self.links.append(links)
        self.waiting_bytes += pages.nbytes + links.nbytes
        rows = sum(map(len, self.pages)), sum(map(len, self.links))
        if rows[0] >= MOST_PAGES or rows[1] >= MOST_LINKS or self.waiting_bytes >= MOST_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what came in since the last segment as one that waits for the commit."""
        if any(map(len, self.pages)):
            name = self._next_name()
            made = segments.write_pages(self.folder / "segments", name, self.pages, self.links)
            self._stage(made)
        self.pages, self.links, self.waiting_bytes = [], [], 0

    def append_graph(self, edges: Edges, part: int, *, whole: bool = True) -> None:
        """Take a part of a graph without text; `whole` is false where pages were taken out."""
        name = self._next_name()
        at = self.folder / "segments"
        made = segments.write_graph(at, name, part, edges)
        self._stage(replace(made, whole=whole))

    def _next_name(self) -> str:
        return f"{self.manifest.next_segment + len(self.staged):06d}"

    def _stage(self, made: Segment) -> None:
        """Leave a note beside the tables that the segment is whole."""
        note = self.segment_folder(made) / STAGED
        fresh = note.with_suffix(".new")
        fresh.write_text(json.dumps({"segment": asdict(made), "compacting": self.compacting}))
        sync_files([fresh])
        fresh.replace(note)
        self.staged.append(made)

    def remove(self, rows: dict[str, Sequence[int]]) -> None:
        """Mark rows of segments, by the segments' names, as taken out; kept until the commit."""
        changed = tuple(
            self._without(segment, rows[segment.name]) if segment.name in rows else segment
            for segment in self.manifest.segments
        )
        self.manifest = replace(self.manifest, segments=changed)

    def _without(self, segment: Segment, rows: Sequence[int]) -> Segment:
        at = self.segment_folder(segment)
        gone = np.union1d(segments.removed_rows(at, segment), rows).astype(np.int32)
        name = f"removed-{self.manifest.snapshot + 1:06d}.npy"
        np.save(at / name, gone, allow_pickle=False)
        sync_files([at / name])
        sync_folder(at)
        files = {known: file for known, file in segment.files.items() if known != segment.removed}
        return replace(segment, removed=name, files={**files, name: File.of(at / name)})

    def start_over(self) -> None:
        """Let what comes from here on stand for all that was committed: a compaction."""
        self.manifest, self.compacting = replace(self.manifest, segments=()), True

    def commit(self, build: Build, note: dict[str, Any]) -> None:
        """Build the next snapshot from all segments, then make it the one that readers open."""
        self.flush()
        self._supersede()
        number = self.manifest.snapshot + 1
        fresh = self.folder / "snapshots" / f".{number:06d}"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        counts = build(fresh, self.segments)
        self._write(
            replace(
                self.manifest,
                snapshot=number,
                next_segment=self.manifest.next_segment + len(self.staged),
                segments=self.segments,
                files=self._publish(fresh, fresh.with_name(f"{number:06d}")),
                counts=counts,
                adds=(*self.manifest.adds, note),
                earlier=self._earlier(),
            )
        )
        results.forget(self.folder)
        self.sweep()

    def tell(self, note: dict[str, Any]) -> None:
        """Commit a note alone: the pages, and so the snapshot, are what they were."""
        self._write(replace(self.manifest, adds=(*self.manifest.adds, note)))

    def _write(self, manifest: Manifest) -> None:
        manifest.write(self.folder)
        self.manifest = self.committed = manifest
        self.staged = [s for s in self.staged if s not in manifest.segments]
        self.compacting = False

    def _supersede(self) -> None:
        """Let a part of a graph that was added again stand for itself with pages taken out."""
        again = {(s.origin, s.part) for s in self.staged if s.origin}
        same = [s for s in self.manifest.segments if (s.origin, s.part) in again]
        self.remove({segment.name: range(segment.pages) for segment in same})

    def _earlier(self) -> dict[str, list[str]]:
        """The snapshots on disk that readers may hold, and the segments each was made from."""
        past = self.committed
        kept = {name: s for name, s in past.earlier.items() if (self.folder / name).is_dir()}
        if past.snapshot:
            kept[past.folder] = [segment.name for segment in past.segments]
        return kept

    def check(self) -> None:
        """Refuse to build on a segment that is not what was committed."""
        for segment in self.manifest.segments:
            for name, file in segment.files.items():
                file.check(self.segment_folder(segment) / name, small=file.size)
            segments.check_sizes(self.segment_folder(segment), segment)

    def _publish(self, fresh: Path, final: Path) -> dict[str, File]:
        """Make a snapshot durable and give it its name; the digests of its files."""
        paths = sorted(path for path in fresh.rglob("*") if path.is_file())
        sync_files(paths)
        for folder in sorted({path.parent for path in paths} | {fresh}):
            sync_folder(folder)
        shutil.rmtree(final, ignore_errors=True)
        fresh.rename(final)
        sync_folder(final.parent)
        moved = [final / path.relative_to(fresh) for path in paths]
        return {str(path.relative_to(self.folder)): File.of(path) for path in moved}

    def abandon(self) -> None:
        """Delete what is half done; whole segments wait for the command to be repeated."""
        if (self.folder / NAME).exists():
            self.committed = Manifest.read(self.folder)
        if self.compacting:
            self.staged = []
        self.sweep()

    def sweep(self) -> None:
        """Delete what neither a commit nor a reader refers to."""
        known = {segment.name for segment in (*self.committed.segments, *self.staged)}
        for path in _children(self.folder / "snapshots"):
            name = f"snapshots/{path.name}"
            if name != self.committed.folder and not _deleted(path):
                known.update(self.committed.earlier.get(name, ()))
        for path in _children(self.folder / "segments"):
            if path.name not in known:
                shutil.rmtree(path, ignore_errors=True)


def _deleted(snapshot: Path) -> bool:
    """Delete a snapshot, unless a reader holds it."""
    with unread(snapshot) as free:
        if free:
            shutil.rmtree(snapshot, ignore_errors=True)
        return free


def _children(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


@contextmanager
def writing(folder: Path, policy: Policy | None = None) -> Iterator[Writer]:
    """Open a collection for writing, making it if need be; one process at a time.

    Segments that an interrupted writer left whole are taken over; what it left
    half-written is deleted. `policy` matters when the collection is made.
    """
    _make(folder)
    refuse_links(folder)
    with locked(folder / "lock"):
        manifest = Manifest(policy=(policy or Policy()).rules)
        if (folder / NAME).exists():
            manifest = Manifest.read(folder)
            if policy is not None and policy.rules != manifest.policy:
                raise _other_rules(folder, manifest)
        writer = Writer(folder, manifest, manifest, waiting(folder, manifest))
        writer.check()
        writer.sweep()
        try:
            yield writer
        except OSError as error:
            writer.abandon()
            if error.errno is not None:
                raise
            # NumPy counts the bytes that it could not write, and forgets why.
            raise WeftError(f"{folder} cannot be written ({error})", hint=FULL) from error
        except BaseException:
            writer.abandon()
            raise


def _make(folder: Path) -> None:
    """Make the folder of a collection, unless something else is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise WeftError(f"{folder} is a file, not a collection", hint="name a folder") from None
    found = {path.name for path in folder.iterdir()}
    if NAME not in found and found and not ("lock" in found and found <= OURS):
        cure = "name a new folder, such as mine.weft"
        raise WeftError(f"{folder} has other things in it and is not a collection", hint=cure)


def _other_rules(folder: Path, manifest: Manifest) -> WeftError:
    off = ", ".join(rule for rule, on in manifest.policy.items() if not on) or "none"
    cure = f"URL rules switched off when it was made: {off}"
    return WeftError(f"{folder} was made with other URL rules", hint=cure)


def waiting(folder: Path, manifest: Manifest) -> list[Segment]:
    """Whole segments beyond the last commit, up to the first gap; a compaction starts afresh."""
    found: list[Segment] = []
    while True:
        at = folder / "segments" / f"{manifest.next_segment + len(found):06d}"
        segment = _waiting(at)
        if segment is None:
            return found
        found.append(segment)


def _waiting(at: Path) -> Segment | None:
    try:
        note = json.loads((at / STAGED).read_bytes())
        row, compacting = note["segment"], note["compacting"]
        files = {name: File(**file) for name, file in row["files"].items()}
        for name, file in files.items():
            file.check(at / name, small=file.size)
    except (FileNotFoundError, ValueError, LookupError, TypeError, Damaged):
        return None
    return None if compacting else Segment(**{**row, "files": files})
