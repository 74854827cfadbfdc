"""Zip files: their members by the directory, or one after the other where that is lost."""

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

HEADER = struct.Struct("<4s2xHH8xI4xHH")
LOCAL, DESCRIPTOR = b"PK\x03\x04", b"PK\x07\x08"
DESCRIBED_LATER, UTF8, WIDE = 0x8, 0x800, 0xFFFFFFFF
BLOCK, STEP = 1 << 12, 256


class Member(NamedTuple):
    """A file in a zip file: its name, how many bytes it is packed in, and how to unpack it."""

    name: str
    size: int
    unpack: Callable[[], Iterator[bytes]]


@contextmanager
def unzipped(path: Path) -> Iterator[tuple[Sequence[Member], str]]:
    """The members of a zip file, in the order of names, and what is wrong with its directory."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        with path.open("rb") as file:
            yield _by_name(_walk(file)), str(error)
        return
    with archive:
        listed = archive.infolist()
        members = (Member(i.filename, i.compress_size, partial(_read, archive, i)) for i in listed)
        yield _by_name(members), ""


def _by_name(members: Iterator[Member]) -> list[Member]:
    """Each name once, the last to bear it; folders are left out."""
    named = {member.name: member for member in members if not member.name.endswith("/")}
    return [named[name] for name in sorted(named)]


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """The bytes of a member; its checksum is compared at the end, so that all of them are had."""
    expected, found = info.CRC, 0
    del info.CRC
    with archive.open(info) as member:
        while piece := member.read(BLOCK):
            found = zlib.crc32(piece, found)
            yield piece
    if found != expected:
        raise zipfile.BadZipFile("its checksum is wrong")


def _walk(file: BinaryIO) -> Iterator[Member]:
    """The members by the headers before them; the last one may break off."""
    at = 0
    while (at := next(_places(file, LOCAL, at), -1)) >= 0:
        file.seek(at)
        fixed = file.read(HEADER.size)
        if len(fixed) < HEADER.size:
            return
        _, flags, method, size, name_length, more_length = HEADER.unpack(fixed)
        name = file.read(name_length).decode("utf-8" if flags & UTF8 else "cp437", "replace")
        more, start = file.read(more_length), file.tell()
        size = _wide_size(more) if size == WIDE else size
        if flags & DESCRIBED_LATER and not size:
            size = _described_size(file, start)
        yield Member(name, size, partial(_unpacked, file, start, size, method))
        at = start + size


def _wide_size(more: bytes) -> int:
    """The packed size among the additions to a header, where it takes eight bytes."""
    while len(more) >= 4:
        kind, length = struct.unpack_from("<HH", more)
        if kind == 1 and 20 <= 4 + length <= len(more):
            return int.from_bytes(more[12:20], "little")
        more = more[4 + length :]
    return 0


def _described_size(file: BinaryIO, start: int) -> int:
    """The packed size of a member that is told behind it; to the end of the file where it is not.

    What says so of itself by chance does not say the right size as well.
    """
    for at in _places(file, DESCRIPTOR, start):
        file.seek(at + 8)
        told = file.read(8)
        if at - start in (int.from_bytes(told[:4], "little"), int.from_bytes(told, "little")):
            return at - start
    return file.seek(0, 2) - start


def _unpacked(file: BinaryIO, start: int, size: int, method: int) -> Iterator[bytes]:
    """The bytes of a member, up to the damage: stored or deflated, since others are not in use."""
    if method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile(f"its compression {method} is not known")
    file.seek(start)
    worker = zlib.decompressobj(-zlib.MAX_WBITS)
    while size > 0 and (block := file.read(min(STEP, size))):
        size -= len(block)
        if method == zipfile.ZIP_STORED:
            yield block
        while method == zipfile.ZIP_DEFLATED and block and not worker.eof:
            yield worker.decompress(block, BLOCK)
            block = worker.unconsumed_tail
    yield worker.flush()


def _places(file: BinaryIO, sign: bytes, after: int) -> Iterator[int]:
    """Where a sign stands in a file, from some place on."""
    for begin in range(after, file.seek(0, 2), BLOCK):
        file.seek(begin)
        block = file.read(BLOCK + len(sign) - 1)
        found = block.find(sign)
        while found >= 0:
            yield begin + found
            found = block.find(sign, found + 1)
