"""The manifest `collection.json`: replacing this one file is the commit."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from weft.core.errors import DamagedFile, MalformedFile, WeftError
from weft.gather.url import UrlPolicy

COLLECTION_FORMAT = 6
READABLE_FORMATS = (5, COLLECTION_FORMAT)  # format 5 has no usage data
MANIFEST_FILE = "collection.json"
MAX_REHASH_BYTES = 32 << 20
CommitStamp = tuple[int, int, int]
SEGMENT_TABLES = ("urls.parquet", "pages.parquet", "links.parquet")
REQUESTS_TABLE = "requests.parquet"
SEGMENT_NAME = re.compile(r"[0-9]{6,12}")
REMOVED_ROWS_NAME = re.compile(r"removed-[0-9]{6,12}\.npy")
SNAPSHOT_FILE_PATH = re.compile(r"snapshots/[0-9]{6,12}(?:/(?!\.\.?(?:/|$))[\w.-]+){1,2}", re.ASCII)
SALT_ID = re.compile(r"[0-9a-f]{32}")
SESSION_RULE_FIELDS = {"rule": str, "timeout": int, "complete_paths": bool}
HISTORY_FIELDS = {
    "time": str,
    "version": str,
    "inputs": list,
    "pages": int,
    "already_stored": int,
    "problems": list,
}


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """Size, digest and modification time of a file at its commit."""

    size: int
    sha256: str
    mtime_ns: int

    def is_valid(self) -> bool:
        """Whether every field has its type."""
        return type(self.sha256) is str and _are_natural_numbers(self.size, abs(self.mtime_ns))

    @classmethod
    def from_path(cls, path: Path) -> "CommittedFile":
        """Describe a file as it is now."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        state = path.stat()
        return cls(state.st_size, digest, state.st_mtime_ns)

    def check(self, path: Path, *, max_rehash_bytes: int = MAX_REHASH_BYTES) -> None:
        """Refuse a file that differs from what was committed.

        The size is always compared. The digest is compared too for files of at
        most `max_rehash_bytes`, and for files modified since the commit.
        """
        try:
            state = path.stat()
        except FileNotFoundError:
            raise DamagedFile(f"{path.name} is missing from {path.parent}") from None
        if not stat.S_ISREG(state.st_mode):
            raise DamagedFile(f"{path} is not a regular file")
        if state.st_size != self.size:
            raise DamagedFile(f"{path} has {state.st_size:,} bytes instead of {self.size:,}")
        touched = state.st_mtime_ns != self.mtime_ns
        if (touched or self.size <= max_rehash_bytes) and CommittedFile.from_path(
            path
        ).sha256 != self.sha256:
            raise DamagedFile(f"{path} differs from what was committed")


def _similar_collection(folder: Path) -> Path | None:
    """A collection beside a folder that is none, if its name is similar."""
    names = [path.parent.name for path in folder.parent.glob(f"*/{MANIFEST_FILE}")]
    near = get_close_matches(folder.name, names, n=1, cutoff=0.75)
    return folder.parent / near[0] if near else None


def refuse_symlinks(folder: Path) -> None:
    """Refuse a collection that contains symbolic links, which could point anywhere.

    The folder itself may be reached through one.
    """
    for parent, folders, files in os.walk(folder):
        for path in (Path(parent, name) for name in sorted([*folders, *files])):
            if path.is_symlink():
                raise DamagedFile(f"{path} is a symbolic link inside a collection")


class InputPart(NamedTuple):
    """A part of a log or of ready-made paths: some rows of a segment, and their input.

    The `is_last` part is the end of its input. A part that is not `is_complete`
    has lost rows to a removal.
    """

    input_digest: str
    part: int
    rows: int
    first_time: int
    is_last: bool
    is_complete: bool

    def is_valid(self) -> bool:
        """Whether every field has its type."""
        kinds = (str, int, int, int, bool, bool)
        return (*map(type, self),) == kinds and min(self.part, self.rows) >= 0


@dataclass(frozen=True, slots=True)
class Segment:
    """An immutable part of a collection, as the manifest lists it.

    `input_digest` is the digest of the graph file it was read from, and empty
    for pages; `removed` names the file of removed rows, and `complete` is false
    where a compaction has dropped such rows. A segment of requests has neither
    pages nor links: its rows are those of `inputs`, one after the other, and
    `salt_id` names the salt of its visitors.
    """

    name: str
    pages: int
    links: int
    input_digest: str = ""
    part: int = 0
    removed: str = ""
    complete: bool = True
    files: dict[str, CommittedFile] = field(default_factory=dict)
    inputs: tuple[InputPart, ...] = ()
    salt_id: str = ""

    @property
    def requests(self) -> int:
        """The number of requests."""
        return sum(part.rows for part in self.inputs)

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of its tables."""
        return (*SEGMENT_TABLES, REQUESTS_TABLE) if self.inputs else SEGMENT_TABLES

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "Segment":
        """From its row in the manifest."""
        files = _files_from_json(row["files"])
        inputs = tuple(InputPart(*part) for part in row.get("inputs", ()))
        return cls(**{**row, "files": files, "inputs": inputs})

    def is_valid(self) -> bool:
        """Whether every field has its type, and every name is a file inside the segment."""
        file_names = {*self.tables, self.removed} - {""}
        return (
            SEGMENT_NAME.fullmatch(self.name) is not None
            and (type(self.input_digest), type(self.complete)) == (str, bool)
            and (not self.removed or REMOVED_ROWS_NAME.fullmatch(self.removed) is not None)
            and self.files.keys() == file_names
            and _are_natural_numbers(self.pages, self.links, self.part)
            and all(part.is_valid() for part in self.inputs)
            and (not self.inputs or self._is_requests_only())
        )

    def _is_requests_only(self) -> bool:
        is_salted = type(self.salt_id) is str and SALT_ID.fullmatch(self.salt_id) is not None
        return is_salted and (self.pages, self.links, self.removed) == (0, 0, "")


@dataclass(frozen=True, slots=True)
class Manifest:
    """A committed state: the segments, the snapshot, and the digest of every file.

    `older_snapshots` maps snapshots that readers may still hold to their segments.
    `session_rules` are those that usage data is cut into sessions by, the
    defaults where it is empty.
    """

    snapshot: int = 0
    next_segment: int = 1
    policy: dict[str, bool] = field(default_factory=dict)
    segments: tuple[Segment, ...] = ()
    files: dict[str, CommittedFile] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    history: tuple[dict[str, Any], ...] = ()
    older_snapshots: dict[str, list[str]] = field(default_factory=dict)
    session_rules: dict[str, Any] = field(default_factory=dict)

    @property
    def snapshot_folder(self) -> str:
        """The folder with the numbered pages, the graph and the index of this snapshot."""
        return f"snapshots/{self.snapshot:06d}"

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """Read the last commit of a collection."""
        path = folder / MANIFEST_FILE
        try:
            document = json.loads(path.read_bytes())
            body, digest = document["collection"], document["sha256"]
            written_format = document["format"]
        except FileNotFoundError:
            inside = min(folder.glob(f"*/{MANIFEST_FILE}"), default=None)
            near = inside.parent if inside else _similar_collection(folder)
            create = f"create one: `weft add {folder} FILES`"
            cure = f"did you mean {near}?" if near else create
            raise WeftError(f"{folder} is not a collection", hint=cure) from None
        except NotADirectoryError:
            raise WeftError(f"{folder} is a file, not a collection", hint="name a folder") from None
        except (ValueError, KeyError, TypeError, RecursionError, IsADirectoryError):
            raise DamagedFile(f"{path} cannot be read") from None
        if written_format not in READABLE_FORMATS:
            readable = " and ".join(map(str, READABLE_FORMATS))
            raise WeftError(
                f"{folder} has format {written_format}, but this Weft reads format {readable} only",
                hint="add its inputs to a new collection; `weft tags import NEW OLD` copies tags",
            )
        if _json_digest(body) != digest:
            raise DamagedFile(f"{path} was altered")
        try:
            manifest = cls._from_json(body)
        except (TypeError, LookupError, AttributeError):
            raise MalformedFile(path, "it does not list segments and files") from None
        if not manifest.is_valid():
            raise MalformedFile(path, "it has file names or numbers that no collection has")
        return manifest

    def is_valid(self) -> bool:
        """Whether every field has its type, and every name is a file inside the collection."""
        names = [segment.name for segment in self.segments]
        files = [self.files, *(segment.files for segment in self.segments)]
        mappings = [self.policy, self.counts, self.older_snapshots, *self.history]
        mappings += [self.session_rules]
        return (
            all(type(mapping) is dict for mapping in mappings)
            and len({*names}) == len(names)
            and all(segment.is_valid() for segment in self.segments)
            and all(file.is_valid() for group in files for file in group.values())
            and all(SNAPSHOT_FILE_PATH.fullmatch(path) for path in self.files)
            and all(path.startswith(f"{self.snapshot_folder}/") for path in self.files)
            and self.policy.keys() <= {rule.name for rule in fields(UrlPolicy)}
            and all(type(on) is bool for on in self.policy.values())
            and all(
                type(value) is SESSION_RULE_FIELDS.get(name)
                for name, value in self.session_rules.items()
            )
            and _are_natural_numbers(self.snapshot, self.next_segment, *self.counts.values())
            and all(HISTORY_FIELDS.keys() <= entry.keys() for entry in self.history)
            and all(
                type(entry[name]) is kind
                for entry in self.history
                for name, kind in HISTORY_FIELDS.items()
            )
        )

    @classmethod
    def _from_json(cls, body: dict[str, Any]) -> "Manifest":
        segments = tuple(map(Segment.from_json, body["segments"]))
        files, history = _files_from_json(body["files"]), tuple(body["history"])
        return cls(**{**body, "segments": segments, "files": files, "history": history})

    def write(self, folder: Path) -> None:
        """Commit: replace `collection.json` in one step."""
        body = asdict(self)
        document = {"format": COLLECTION_FORMAT, "sha256": _json_digest(body), "collection": body}
        temporary = folder / f".{MANIFEST_FILE}"
        with temporary.open("w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(folder / MANIFEST_FILE)
        fsync_folder(folder)


def read_commit_stamp(folder: Path) -> CommitStamp:
    """A stamp that changes with every commit of a collection; cheap to read."""
    try:
        state = os.stat(folder / MANIFEST_FILE)  # noqa: PTH116  faster, and called at every request
    except OSError:
        return (0, 0, 0)
    return state.st_ino, state.st_mtime_ns, state.st_size


def _are_natural_numbers(*numbers: object) -> bool:
    """Whether all are integers of at least 0 that fit 64 bits."""
    return all(type(number) is int and 0 <= number < 1 << 63 for number in numbers)


def _files_from_json(rows: dict[str, dict[str, Any]]) -> dict[str, CommittedFile]:
    return {name: CommittedFile(**row) for name, row in rows.items()}


def _json_digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def fsync_folder(folder: Path) -> None:
    """Flush a folder to disk, so that the names in it are durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def fsync_files(paths: Iterable[Path]) -> None:
    """Flush files to disk before something refers to them."""
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())
