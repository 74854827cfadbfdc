"""`collection.json`: the one file whose replacement is the commit."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from weft.core.errors import Damaged, Malformed, WeftError
from weft.gather.url import Policy
from weft.store.schema import FORMAT, READABLE

NAME = "collection.json"
SMALL = 32 << 20
Mark = tuple[int, int, int]
TABLES = ("urls.parquet", "pages.parquet", "links.parquet")
NUMBERED, REMOVED = re.compile(r"[0-9]{6,12}"), re.compile(r"removed-[0-9]{6,12}\.npy")
INSIDE = re.compile(r"snapshots/[0-9]{6,12}(?:/(?!\.\.?(?:/|$))[\w.-]+){1,2}", re.ASCII)
NOTED = {"time": str, "version": str, "inputs": list, "pages": int, "known": int, "problems": list}


@dataclass(frozen=True, slots=True)
class File:
    """A committed file: what it must be for its bytes to be trusted."""

    size: int
    sha256: str
    changed: int

    def is_sound(self) -> bool:
        """Whether all is of its type."""
        return type(self.sha256) is str and _natural(self.size, abs(self.changed))

    @classmethod
    def of(cls, path: Path) -> "File":
        """Read a file as it is now."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        state = path.stat()
        return cls(state.st_size, digest, state.st_mtime_ns)

    def check(self, path: Path, *, small: int = SMALL) -> None:
        """Refuse a file that is not what was committed.

        Its size always counts. Its bytes are read where it is `small`, and
        where it was touched since the commit.
        """
        try:
            state = path.stat()
        except FileNotFoundError:
            raise Damaged(f"{path.name} is missing from {path.parent}") from None
        if not stat.S_ISREG(state.st_mode):
            raise Damaged(f"{path} is not a regular file")
        if state.st_size != self.size:
            raise Damaged(f"{path} has {state.st_size:,} bytes instead of {self.size:,}")
        touched = state.st_mtime_ns != self.changed
        if (touched or self.size <= small) and File.of(path).sha256 != self.sha256:
            raise Damaged(f"{path} is not what was committed")


def refuse_links(folder: Path) -> None:
    """Refuse a collection with a symbolic link in it: what it leads to is not the collection's.

    The folder itself may be reached through one.
    """
    for where, folders, files in os.walk(folder):
        for path in (Path(where, name) for name in sorted([*folders, *files])):
            if path.is_symlink():
                raise Damaged(f"{path} is a symbolic link inside a collection")


@dataclass(frozen=True, slots=True)
class Segment:
    """An immutable part of a collection, as the manifest lists it.

    `origin` names the graph it was read from, and is empty for pages;
    `removed` is the file of rows that were taken out, and `whole` is false
    where a compaction has let go of such rows.
    """

    name: str
    pages: int
    links: int
    origin: str = ""
    part: int = 0
    removed: str = ""
    whole: bool = True
    files: dict[str, File] = field(default_factory=dict)

    def is_sound(self) -> bool:
        """Whether all is of its type, and every name is that of a file inside the segment."""
        own = {*TABLES, self.removed} - {""}
        return (
            NUMBERED.fullmatch(self.name) is not None
            and (type(self.origin), type(self.whole)) == (str, bool)
            and (not self.removed or REMOVED.fullmatch(self.removed) is not None)
            and self.files.keys() == own
            and _natural(self.pages, self.links, self.part)
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    """A committed state: which segments, which snapshot, and the digest of every file.

    `earlier` names older snapshots that readers may still hold, each with its segments.
    """

    snapshot: int = 0
    next_segment: int = 1
    policy: dict[str, bool] = field(default_factory=dict)
    segments: tuple[Segment, ...] = ()
    files: dict[str, File] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    adds: tuple[dict[str, Any], ...] = ()
    earlier: dict[str, list[str]] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        """Where the numbered pages, the graph and the index of this snapshot lie."""
        return f"snapshots/{self.snapshot:06d}"

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """The last commit of a collection."""
        path = folder / NAME
        try:
            whole = json.loads(path.read_bytes())
            body, digest = whole["collection"], whole["sha256"]
            form = whole["format"]
        except FileNotFoundError:
            inside = min(folder.glob(f"*/{NAME}"), default=None)
            make = f"make one: `weft add {folder} FILES`"
            cure = f"did you mean {inside.parent}?" if inside else make
            raise WeftError(f"{folder} is not a collection", hint=cure) from None
        except NotADirectoryError:
            raise WeftError(f"{folder} is a file, not a collection", hint="name a folder") from None
        except (ValueError, KeyError, TypeError, RecursionError, IsADirectoryError):
            raise Damaged(f"{path} cannot be read") from None
        if form not in READABLE:
            cure = "use the version of Weft that wrote it, or add its inputs to a new collection"
            known = " and ".join(map(str, READABLE))
            raise WeftError(f"{folder} has format {form}; this Weft reads {known}", hint=cure)
        if _digest(body) != digest:
            raise Damaged(f"{path} was altered")
        try:
            made = cls._from_json(body)
        except (TypeError, LookupError, AttributeError):
            raise Malformed(path, "it does not list segments and files") from None
        if not made.is_sound():
            raise Malformed(path, "it names files or numbers that no collection has")
        return made

    def is_sound(self) -> bool:
        """Whether all is of its type, and every name is that of a file inside the collection."""
        named = [segment.name for segment in self.segments]
        files = [self.files, *(segment.files for segment in self.segments)]
        parts = [self.policy, self.counts, self.earlier, *self.adds]
        return (
            all(type(part) is dict for part in parts)
            and len({*named}) == len(named)
            and all(segment.is_sound() for segment in self.segments)
            and all(file.is_sound() for group in files for file in group.values())
            and all(INSIDE.fullmatch(path) for path in self.files)
            and all(path.startswith(f"{self.folder}/") for path in self.files)
            and self.policy.keys() <= Policy().rules.keys()
            and all(type(on) is bool for on in self.policy.values())
            and _natural(self.snapshot, self.next_segment, *self.counts.values())
            and all(NOTED.keys() <= note.keys() for note in self.adds)
            and all(type(note[name]) is kind for note in self.adds for name, kind in NOTED.items())
        )

    @classmethod
    def _from_json(cls, body: dict[str, Any]) -> "Manifest":
        segments = tuple(
            Segment(**{**row, "files": _files(row["files"])}) for row in body["segments"]
        )
        rest = {**body, "segments": segments, "files": _files(body["files"])}
        return cls(**{**rest, "adds": tuple(body["adds"])})

    def write(self, folder: Path) -> None:
        """Commit: replace `collection.json` in one step."""
        body = asdict(self)
        whole = {"format": FORMAT, "sha256": _digest(body), "collection": body}
        fresh = folder / f".{NAME}"
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(whole, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(folder / NAME)
        sync_folder(folder)


def mark_of(folder: Path) -> Mark:
    """What changes with every commit of a collection; it costs nothing to look."""
    try:
        state = os.stat(folder / NAME)  # noqa: PTH116  faster, and asked at every request
    except OSError:
        return (0, 0, 0)
    return state.st_ino, state.st_mtime_ns, state.st_size


def _natural(*numbers: object) -> bool:
    """Whether all are whole numbers from zero on."""
    return all(type(number) is int and 0 <= number < 1 << 63 for number in numbers)


def _files(rows: dict[str, dict[str, Any]]) -> dict[str, File]:
    return {name: File(**row) for name, row in rows.items()}


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def sync_folder(folder: Path) -> None:
    """Make the names in a folder as durable as the files."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_files(paths: Iterable[Path]) -> None:
    """Make files durable before something refers to them."""
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())
