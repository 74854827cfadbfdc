"""`results/`: answers that were found before, each in a file of its own that may be deleted.

The name of a file is a digest of all that its answer depends on. A file that is
damaged, foreign or missing is as good as none, and a folder that cannot be
written to keeps none.
"""

import hashlib
import json
import os
import re
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np
import numpy.typing as npt

FOLDER = "results"
FORMAT = 1
MOST = 256 << 20
LARGEST = 64 << 20
ENTRY = re.compile(r"[0-9a-f]{64}\.npz")
UNREADABLE = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    EOFError,
    MemoryError,
    RecursionError,
    NotImplementedError,
    BadZipFile,
    zlib.error,
)


class Kept(NamedTuple):
    """An answer as it lies in a file: what JSON can hold, and arrays."""

    note: Any
    arrays: Sequence[npt.NDArray[Any]]


def recall(folder: Path, asked: Any) -> Kept | None:
    """The answer to what is asked, which JSON can hold; nothing where none is kept."""
    path = _path(folder, asked)
    try:
        with ZipFile(path) as file:
            if sum(part.file_size for part in file.infolist()) > LARGEST:
                return None
        with np.load(path, allow_pickle=False) as file:
            whole = json.loads(file["note"].tobytes())
            arrays = [file[f"array{k}"] for k in range(whole["arrays"])]
    except UNREADABLE:
        return None
    if whole["asked"] != _plain(asked):
        return None
    with suppress(OSError):
        os.utime(path)
    return Kept(whole["note"], arrays)


def keep(folder: Path, asked: Any, answer: Kept) -> None:
    """Keep an answer, if the folder can be written to; the oldest make room for it."""
    path, fresh = _path(folder, asked), folder / FOLDER / f".{os.getpid()}.npz"
    whole = {"asked": asked, "note": answer.note, "arrays": len(answer.arrays)}
    named = {f"array{k}": values for k, values in enumerate(answer.arrays)}
    if sum(values.nbytes for values in answer.arrays) > LARGEST // 2 or path.parent.is_symlink():
        return
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        try:
            note = np.frombuffer(json.dumps(whole).encode(), np.uint8)
            np.savez_compressed(fresh, allow_pickle=False, note=note, **named)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
        _make_room(path.parent)


def forget(folder: Path) -> None:
    """Delete all answers: the collection is another now."""
    for path in _entries(folder / FOLDER):
        with suppress(OSError):
            path.unlink()


def _make_room(folder: Path) -> None:
    """Delete the answers that were not asked for the longest, until the others fit."""
    found = sorted(
        ((path.stat(), path) for path in _entries(folder)), key=lambda f: f[0].st_mtime_ns
    )
    size = sum(state.st_size for state, _ in found)
    for state, path in found[:-1]:
        if size > MOST:
            path.unlink(missing_ok=True)
            size -= state.st_size


def _entries(folder: Path) -> list[Path]:
    """The files that are ours; a link to another folder has none."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if ENTRY.fullmatch(path.name)]


def _path(folder: Path, asked: Any) -> Path:
    words = json.dumps([FORMAT, asked], sort_keys=True).encode()
    return folder / FOLDER / f"{hashlib.sha256(words).hexdigest()}.npz"


def _plain(asked: Any) -> Any:
    return json.loads(json.dumps(asked))
