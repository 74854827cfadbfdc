"""Damaged archives: detect truncation, find the next record, read up to the damage."""

import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

GZIP_MAGIC, ZSTD_MAGIC, LZ4_MAGIC = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18"
CODEC_BY_MAGIC = {GZIP_MAGIC: "gzip", ZSTD_MAGIC: "zstd", LZ4_MAGIC: "lz4"}
READ_BLOCK_BYTES, SNIFF_BYTES, INFLATE_STEP_BYTES = 1 << 20, 4096, 256


def detect_codec(head: bytes) -> str:
    """The compression codec by the magic number, or nothing."""
    return next((name for magic, name in CODEC_BY_MAGIC.items() if head.startswith(magic)), "")


def read_head(path: Path, size: int) -> tuple[bytes, bool]:
    """The first bytes of a file, decompressed, and whether they are damaged."""
    with path.open("rb") as file:
        if not detect_codec(file.read(4)):
            file.seek(0)
            return file.read(size), False
        file.seek(0)
        reader = SalvageReader(file)
        return io.BufferedReader(reader).read(size), reader.damaged


def is_gzip_truncated(path: Path, offset: int) -> bool:
    """Whether the gzip member at `offset`, or one after it, is truncated or damaged.

    FastWARC ends silently at a truncated member, so the last one is read again.
    """
    with path.open("rb") as file:
        file.seek(offset)
        block = file.read(READ_BLOCK_BYTES)
        if not block.startswith(GZIP_MAGIC[:2]):
            return False
        while block:
            member = zlib.decompressobj(31)
            try:
                while block and not member.eof:
                    member.decompress(block, READ_BLOCK_BYTES)
                    block = (
                        member.unconsumed_tail or member.unused_data or file.read(READ_BLOCK_BYTES)
                    )
            except zlib.error:
                return True
            if not member.eof:
                return True
            block = member.unused_data or file.read(READ_BLOCK_BYTES)
            if not block.strip(b"\0"):
                return False
    return False


def find_next_record(path: Path, start: int, signature: bytes) -> int | None:
    """The offset of the next record from `start` on that begins with `signature`.

    Records are compressed like the start of the file; if that is junk, any
    compression or none is accepted.
    """
    with path.open("rb") as file:
        file_codec = detect_codec(file.read(4))
        magics = [magic for magic, codec in CODEC_BY_MAGIC.items() if codec == file_codec]
        record_start = re.compile(b"|".join(map(re.escape, magics or [signature, *CODEC_BY_MAGIC])))
        for block_start in range(start, path.stat().st_size, READ_BLOCK_BYTES):
            file.seek(block_start)
            data = file.read(READ_BLOCK_BYTES + SNIFF_BYTES)
            for match in record_start.finditer(data, 0, READ_BLOCK_BYTES + len(signature)):
                codec, k = detect_codec(match[0]), match.start()
                if not codec or _decompressed_starts_with(
                    data[k : k + SNIFF_BYTES], codec, signature
                ):
                    return block_start + k
    return None


def _decompressed_starts_with(head: bytes, codec: str, signature: bytes) -> bool:
    """Whether compressed bytes begin with a signature once decompressed."""
    try:
        if codec == "gzip":
            return zlib.decompressobj(31).decompress(head, 64).startswith(signature)
        with pa.CompressedInputStream(pa.BufferReader(head), codec) as stream:
            return bool(stream.read(len(signature)) == signature)
    except (zlib.error, OSError):
        return False


class SalvageReader(io.RawIOBase):
    """The decompressed bytes of a file from its current position, up to the damage.

    At the end, `damaged` says whether there was any, and `member_start` is the
    offset of the damaged gzip member.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.member_start, self.damaged = file.tell(), False
        codec = detect_codec(file.read(4))
        file.seek(self.member_start)
        self._chunks = (
            self._inflate_members(file) if codec == "gzip" else self._decompress(file, codec)
        )
        self._unread = b""
        self._position = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """The number of decompressed bytes read so far."""
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes."""
        self._unread = self._unread or next(self._chunks, b"")
        part, self._unread = self._unread[: len(buffer)], self._unread[len(buffer) :]
        buffer[: len(part)] = part
        self._position += len(part)
        return len(part)

    def _inflate_members(self, file: BinaryIO) -> Iterator[bytes]:
        """Decompress a few bytes at a time, so that every byte before the damage is kept."""
        member, block = zlib.decompressobj(31), file.read(INFLATE_STEP_BYTES)
        try:
            while block:
                if part := member.decompress(block, READ_BLOCK_BYTES):
                    yield part
                block = (
                    member.unconsumed_tail or member.unused_data or file.read(INFLATE_STEP_BYTES)
                )
                if member.eof:
                    block, member = _skip_zero_padding(file, block), zlib.decompressobj(31)
                    self.member_start = file.tell() - len(block)
        except zlib.error:
            self.damaged = True
        self.damaged |= self.member_start < file.tell() - len(block)

    def _decompress(self, file: BinaryIO, codec: str) -> Iterator[bytes]:
        try:
            with pa.CompressedInputStream(pa.PythonFile(file, "r"), codec) as stream:
                while part := stream.read(INFLATE_STEP_BYTES):
                    yield part
        except OSError:
            self.damaged = True


def _skip_zero_padding(file: BinaryIO, block: bytes) -> bytes:
    """The next bytes that are not zero padding."""
    while block and not (unpadded := block.lstrip(b"\0")):
        block = file.read(INFLATE_STEP_BYTES)
    return unpadded if block else b""
