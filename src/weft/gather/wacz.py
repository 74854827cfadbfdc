"""WACZ: web archives with their index in a zip file."""

import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from weft.gather.html import Reading
from weft.gather.page import Page, Problems, Record
from weft.gather.warc import read_warc

GROWTH = 30
ALLOWANCE = 64 << 20
BLOCK = 1 << 20


def is_wacz(path: Path) -> bool:
    """Whether a zip file holds web archives."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(
                _is_archive(name) or name == "datapackage.json" for name in archive.namelist()
            )
    except (zipfile.BadZipFile, OSError, ValueError):
        return False


def read_wacz(
    path: Path, label: str, reading: Reading, problems: Problems
) -> Iterator[Record | Page]:
    """Every page of every archive inside; members are read by content, never unpacked by name."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = sorted({name for name in archive.namelist() if _is_archive(name)})
            if not members:
                problems.tell("WACZ files without archives", label)
            room = 2 * path.stat().st_size * GROWTH + 16 * ALLOWANCE
            for name in members:
                with tempfile.NamedTemporaryFile(prefix="weft-") as copy:
                    room -= _unpack(archive, name, room, copy, problems)
                    yield from read_warc(Path(copy.name), f"{label}!{name}", reading, problems)
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        problems.tell("damaged zip files", f"{label}: {error}")


def _is_archive(name: str) -> bool:
    return name.endswith((".warc", ".warc.gz", ".warc.zst", ".warc.lz4")) and not name.endswith("/")


def _unpack(
    archive: zipfile.ZipFile, name: str, room: int, copy: IO[bytes], problems: Problems
) -> int:
    """Copy a member, as far as it can be read and there is room; how long the copy is.

    A member has room by its own size. What all may take together keeps a zip
    file whose members lie one over the other from filling the disk.
    """
    room = min(room, archive.getinfo(name).compress_size * GROWTH + ALLOWANCE)
    place = f"{archive.filename}!{name}"
    try:
        with archive.open(name) as member:
            while copy.tell() < room and (block := member.read(BLOCK)):
                copy.write(block)
            if copy.tell() >= room and member.read(1):
                problems.tell("zip members that unpack without end", place)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        problems.tell("damaged zip members", f"{place}: {error}")
    copy.flush()
    return copy.tell()
