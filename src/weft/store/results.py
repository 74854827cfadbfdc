"""The result cache `results/`: one file per result, each of which may be deleted.

The name of a file is a digest of the request. A damaged, foreign or missing
file counts as a cache miss, and a folder that cannot be written caches nothing.
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

RESULTS_FOLDER = "results"
RESULT_FORMAT = 3
MAX_CACHE_BYTES = 256 << 20
MAX_RESULT_BYTES = 64 << 20
RESULT_FILE_NAME = re.compile(r"[0-9a-f]{64}\.npz")
READ_ERRORS = (
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


class CachedResult(NamedTuple):
    """A cached result: a JSON document, and arrays."""

    document: Any
    arrays: Sequence[npt.NDArray[Any]]


def load_result(folder: Path, request: Any) -> CachedResult | None:
    """The cached result of a request, a JSON value; None where there is none."""
    path = _result_path(folder, request)
    try:
        with ZipFile(path) as file:
            sizes = sum(part.file_size for part in file.infolist())
            if sizes > MAX_RESULT_BYTES or file.testzip() is not None:
                return None
        with np.load(path, allow_pickle=False) as file:
            stored = json.loads(file["json"].tobytes())
            arrays = [file[f"array{k}"] for k in range(stored["arrays"])]
        found, document = stored["request"], stored["document"]
    except READ_ERRORS:
        return None
    if found != _to_json_types(request):
        return None
    with suppress(OSError):
        os.utime(path)  # used now: evicted last
    return CachedResult(document, arrays)


def save_result(folder: Path, request: Any, result: CachedResult) -> None:
    """Cache a result, if the folder can be written to, and evict the oldest beyond the limit."""
    path = _result_path(folder, request)
    temporary = folder / RESULTS_FOLDER / f".{os.getpid()}.npz"
    stored = {"request": request, "document": result.document, "arrays": len(result.arrays)}
    arrays = {f"array{k}": values for k, values in enumerate(result.arrays)}
    if (
        sum(values.nbytes for values in result.arrays) > MAX_RESULT_BYTES // 2
        or path.parent.is_symlink()
    ):
        return
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        try:
            text = np.frombuffer(json.dumps(stored).encode(), np.uint8)
            np.savez(temporary, allow_pickle=False, json=text, **arrays)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        _evict_least_recent(path.parent)


def _evict_least_recent(folder: Path) -> None:
    """Delete the least recently used results, until the others fit."""
    files = sorted(
        ((path.stat(), path) for path in folder.iterdir() if RESULT_FILE_NAME.fullmatch(path.name)),
        key=lambda file: file[0].st_mtime_ns,
    )
    total = sum(state.st_size for state, _ in files)
    for state, path in files[:-1]:
        if total > MAX_CACHE_BYTES:
            path.unlink(missing_ok=True)
            total -= state.st_size


def _result_path(folder: Path, request: Any) -> Path:
    key = json.dumps([RESULT_FORMAT, request], sort_keys=True).encode()
    return folder / RESULTS_FOLDER / f"{hashlib.sha256(key).hexdigest()}.npz"


def _to_json_types(request: Any) -> Any:
    return json.loads(json.dumps(request))
