"""Read a log in blocks of complete lines, whatever its compression."""

import bz2
import codecs
import zlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from weft.gather.formats import HEAD_BYTES, MIN_CUT_HEAD_BYTES, InputHead
from weft.gather.page import Problems
from weft.gather.salvage import READ_BLOCK_BYTES, detect_codec, find_next_record

BLOCK_BYTES, MAX_LINE_BYTES = 2 << 20, 8 << 20
COMPRESSED_STEP_BYTES, SALVAGE_STEP_BYTES = 1 << 18, 64
DECOMPRESSED_STEP_BYTES = 1 << 16
BZIP2_MAGIC = b"BZh"
CUT_LINE_END = b"\0\n"  # no format accepts a line with this end
DAMAGED_COMPRESSION = "damaged compression"
OVERLONG_LINES = "log lines longer than 8 MB"


class LineBlock(NamedTuple):
    """Complete lines, each with its end; how many they are, and the number of the first."""

    data: bytes
    lines: int
    first_line: int


def log_head(head: InputHead) -> bytes:
    """The complete lines at the start of a file, decompressed."""
    data = head.data
    if data.startswith(BZIP2_MAGIC):
        try:
            data = bz2.BZ2Decompressor().decompress(_first_bytes(head.path), HEAD_BYTES)
        except OSError:
            return b""
    data = data.removeprefix(codecs.BOM_UTF8)
    is_cut = len(data) >= MIN_CUT_HEAD_BYTES and b"\n" in data
    return data[: data.rfind(b"\n") + 1] if is_cut else data


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(1 << 20)  # a block of bzip2 has up to 900 kB


def read_line_blocks(path: Path, display_name: str, problems: Problems) -> Iterator[LineBlock]:
    """The lines of a file in blocks; a line longer than 8 MB is reported and left out.

    Where the compression ends in damage, the cut line is left out.
    """
    reader, line = LogReader(path), 1
    waiting: list[bytes] = []
    size = 0
    for chunk in reader.chunks():
        waiting.append(chunk)
        size += len(chunk)
        if size < BLOCK_BYTES or (size < MAX_LINE_BYTES and b"\n" not in chunk):
            continue
        data = b"".join(waiting)
        if cut := data.rfind(b"\n") + 1:
            waiting, data = [data[cut:]], data[:cut]
            lines = data.count(b"\n")
            yield LineBlock(data, lines, line)
            line += lines
        else:
            problems.add(OVERLONG_LINES, f"{display_name}:{line}")
            waiting, reader.skips_line = [], True
        size = sum(map(len, waiting))
    rest = b"".join(waiting)
    if reader.damaged:
        problems.add(DAMAGED_COMPRESSION, display_name)
        rest = rest[: rest.rfind(b"\n") + 1]
    if rest:
        rest += b"" if rest.endswith(b"\n") else b"\n"
        yield LineBlock(rest, rest.count(b"\n"), line)


@dataclass(slots=True)
class LogReader:
    """The decompressed bytes of a file.

    While `skips_line` is set, everything up to the next line end is left out.
    After the last chunk `damaged` says whether something could not be
    decompressed.
    """

    path: Path
    damaged: bool = False
    skips_line: bool = False

    def chunks(self) -> Iterator[bytes]:
        """The bytes in pieces of limited size, without byte order mark."""
        with self.path.open("rb") as file:
            head = file.read(4)
            file.seek(0)
            codec = "bz2" if head.startswith(BZIP2_MAGIC) else detect_codec(head)
            is_start = True
            for chunk in self._decompress(file, codec):
                text = chunk.removeprefix(codecs.BOM_UTF8) if is_start else chunk
                is_start = False
                if self.skips_line:
                    # The line end itself stays: the line that is left out has a number.
                    end = text.find(b"\n")
                    self.skips_line, text = end < 0, text[end:] if end >= 0 else b""
                yield text

    def _decompress(self, file: BinaryIO, codec: str) -> Iterator[bytes]:
        if codec == "gzip":
            yield from self._inflate(file)
        elif codec:
            try:
                with pa.CompressedInputStream(pa.PythonFile(file, "r"), codec) as stream:
                    while chunk := stream.read(DECOMPRESSED_STEP_BYTES):
                        yield chunk
            except OSError:
                self.damaged = True
        else:
            while chunk := file.read(READ_BLOCK_BYTES):
                yield chunk

    def _inflate(self, file: BinaryIO) -> Iterator[bytes]:
        """Inflate all gzip members; after damage go on with the next intact one."""
        start: int | None = 0
        while start is not None:
            file.seek(start)
            failed_at = yield from _inflate_members(file)
            if failed_at < 0:
                return
            self.damaged = True
            start = find_next_record(self.path, max(failed_at, start + 1), b"")
            if start is not None:
                yield CUT_LINE_END


def _inflate_members(file: BinaryIO) -> Generator[bytes, None, int]:
    """Inflate the gzip members from here on; returns the offset of the damage, -1 for none.

    Every byte before the damage is kept.
    """
    member, is_inside = zlib.decompressobj(31), False
    while block := file.read(COMPRESSED_STEP_BYTES):
        while block:
            if not is_inside and not (block := block.lstrip(b"\0")):
                break
            before, is_inside = member.copy(), True
            try:
                yield member.decompress(block, READ_BLOCK_BYTES)
            except zlib.error:
                inflated, intact = _inflate_to_damage(before, block)
                yield from inflated
                return file.tell() - len(block) + intact
            block = member.unconsumed_tail or member.unused_data
            if member.eof:
                member, is_inside = zlib.decompressobj(31), False
    return file.tell() if is_inside else -1


def _inflate_to_damage(member: Any, block: bytes) -> tuple[list[bytes], int]:
    """What can be inflated of a damaged block, and the number of its intact bytes."""
    inflated: list[bytes] = []
    for k in range(0, len(block), SALVAGE_STEP_BYTES):
        try:
            inflated.append(member.decompress(block[k : k + SALVAGE_STEP_BYTES]))
        except zlib.error:
            return inflated, k
    return inflated, len(block)
