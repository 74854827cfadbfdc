"""Logs of what people decide: files that are only ever appended to, a checked line at a time."""

import fcntl
import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from weft.core.errors import DamagedFile, WeftError
from weft.store.manifest import fsync_folder

T = TypeVar("T")
# What reading a line may raise that another program wrote.
NOT_A_LINE = (
    *(ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError),
    WeftError,
)


def parse_log(data: bytes, path: Path, parse: Callable[[bytes, int], T]) -> list[T]:
    """What the lines of a log mean, by a function of a line, for `read_line`, and its number.

    A line that is damaged is an error, unless it is the last: that one was cut by a crash.
    """
    found = list[T]()
    for number, (line, is_whole) in enumerate(_lines(data), start=1):
        try:
            meaning = parse(line, number)
        except NOT_A_LINE:
            if is_whole:
                raise DamagedFile(f"line {number} of {path} was altered") from None
        else:
            if is_whole:
                found.append(meaning)
    return found


def _lines(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """The lines, and whether each has its end."""
    *whole, rest = data.split(b"\n")
    yield from ((line, True) for line in whole)
    if rest:
        yield rest, False


def read_line(line: bytes) -> dict[str, Any]:
    """The document in a line, whose checksum must be right."""
    checksum, _, text = line.partition(b" ")
    if int(checksum, 16) != zlib.crc32(text):
        raise ValueError("the checksum differs")
    document: dict[str, Any] = json.loads(text)
    return document


def append_to_log(path: Path, make_document: Callable[[bytes], dict[str, Any]]) -> int:
    """Append what a function makes of the log while no other process can write; its line number.

    It is on disk when this returns. Several processes may append at the same time.
    """
    is_new = not path.exists()
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        data = path.read_bytes()
        end = data.rfind(b"\n") + 1  # what follows was cut by a crash
        text = json.dumps(make_document(data[:end]), ensure_ascii=False).encode("utf-8", "replace")
        line = b"%08x %s\n" % (zlib.crc32(text), text)
        os.ftruncate(handle, end)
        view = memoryview(line)
        while view:
            written = os.pwrite(handle, view, end)
            view, end = view[written:], end + written
        os.fsync(handle)
        if is_new:
            fsync_folder(path.parent)
        return data.count(b"\n") + 1
    finally:
        os.close(handle)
