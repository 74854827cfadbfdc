"""Damaged archives: whether the last record is whole, and where the next one begins."""

import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

GZIP, ZSTD, LZ4 = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18"
CODECS = {GZIP: "gzip", ZSTD: "zstd", LZ4: "lz4"}
BLOCK, LOOK, STEP = 1 << 20, 4096, 256


def codec(head: bytes) -> str:
    """The compression that the first bytes announce, or nothing."""
    return next((name for magic, name in CODECS.items() if head.startswith(magic)), "")


def opening(path: Path, size: int) -> tuple[bytes, bool]:
    """The first bytes of a file under any compression, and whether they break off."""
    with path.open("rb") as file:
        if not codec(file.read(4)):
            file.seek(0)
            return file.read(size), False
        file.seek(0)
        pieces = Salvage(file)
        return io.BufferedReader(pieces).read(size), pieces.damaged


def clipped(path: Path, offset: int) -> bool:
    """Whether the gzip member at `offset`, or whatever follows it, ends before its time.

    Readers end silently on a clipped gzip file, so the last member is read again.
    """
    with path.open("rb") as file:
        file.seek(offset)
        block = file.read(BLOCK)
        if not block.startswith(GZIP[:2]):
            return False
        while block:
            member = zlib.decompressobj(31)
            try:
                while block and not member.eof:
                    member.decompress(block, BLOCK)
                    block = member.unconsumed_tail or member.unused_data or file.read(BLOCK)
            except zlib.error:
                return True
            if not member.eof:
                return True
            block = member.unused_data or file.read(BLOCK)
            if not block.strip(b"\0"):
                return False
    return False


def next_start(path: Path, after: int, begins: bytes) -> int | None:
    """The offset of the next record at or beyond `after`, whose first bytes are `begins`.

    Where the file itself begins with junk, its compression is not known, and
    any will do.
    """
    with path.open("rb") as file:
        own = codec(file.read(4))
        known = [magic for magic, name in CODECS.items() if name == own] or [begins, *CODECS]
        wanted = re.compile(b"|".join(map(re.escape, known)))
        for at in range(after, path.stat().st_size, BLOCK):
            file.seek(at)
            data = file.read(BLOCK + LOOK)
            for found in wanted.finditer(data, 0, BLOCK + len(begins)):
                name, place = codec(found[0]), found.start()
                if not name or _opens_with(data[place : place + LOOK], name, begins):
                    return at + place
    return None


def _opens_with(head: bytes, name: str, begins: bytes) -> bool:
    try:
        if name == "gzip":
            return zlib.decompressobj(31).decompress(head, 64).startswith(begins)
        with pa.CompressedInputStream(pa.BufferReader(head), name) as stream:
            return bool(stream.read(len(begins)) == begins)
    except (zlib.error, OSError):
        return False


class Salvage(io.RawIOBase):
    """The unpacked bytes of a compressed file from where it stands, up to the damage.

    At the end, `damaged` says whether there was any, and `start` where the
    gzip member begins that has it.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.start, self.damaged = file.tell(), False
        name = codec(file.read(4))
        file.seek(self.start)
        self._pieces = self._gunzipped(file) if name == "gzip" else self._unpacked(file, name)
        self._left = b""
        self._at = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """How many bytes were read."""
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes."""
        self._left = self._left or next(self._pieces, b"")
        part, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)

    def _gunzipped(self, file: BinaryIO) -> Iterator[bytes]:
        """Every byte before the damage, since a few bytes are unpacked at a time."""
        member, block = zlib.decompressobj(31), file.read(STEP)
        try:
            while block:
                if part := member.decompress(block, BLOCK):
                    yield part
                block = member.unconsumed_tail or member.unused_data or file.read(STEP)
                if member.eof:
                    block, member = _after_zeros(file, block), zlib.decompressobj(31)
                    self.start = file.tell() - len(block)
        except zlib.error:
            self.damaged = True
        self.damaged |= self.start < file.tell() - len(block)

    def _unpacked(self, file: BinaryIO, name: str) -> Iterator[bytes]:
        try:
            with pa.CompressedInputStream(pa.PythonFile(file, "r"), name) as stream:
                while part := stream.read(STEP):
                    yield part
        except OSError:
            self.damaged = True


def _after_zeros(file: BinaryIO, block: bytes) -> bytes:
    """The next bytes that are not padding."""
    while block and not (rest := block.lstrip(b"\0")):
        block = file.read(STEP)
    return rest if block else b""
