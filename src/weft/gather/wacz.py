"""Read WACZ files, which are zip files of web archives, even if the zip is damaged."""

import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple

from weft.gather.arc import ARC_SIGNATURE, read_arc
from weft.gather.formats import Evidence, input_format
from weft.gather.html import ParseOptions
from weft.gather.page import Page, Problems, RawPage
from weft.gather.revisits import ResolvedRevisit, RevisitIndex
from weft.gather.salvage import read_head
from weft.gather.warc import WARC_SIGNATURE, read_warc, read_warc_revisits

ZIP_LOCAL_HEADER = struct.Struct("<4s2xHH8xI4xHH")
ZIP_LOCAL_SIGNATURE, ZIP_DESCRIPTOR_SIGNATURE = b"PK\x03\x04", b"PK\x07\x08"
DESCRIPTOR_FOLLOWS_FLAG, UTF8_NAME_FLAG, ZIP64_SIZE_MARKER = 0x8, 0x800, 0xFFFFFFFF
ZIP_BLOCK_BYTES, INFLATE_STEP_BYTES = 1 << 12, 256
# A member may unpack to thirty times its packed size, and 64 MB more.
MAX_UNPACK_RATIO = 30
EXTRA_UNPACK_BYTES = 64 << 20
SNIFF_BYTES = 64
WARC_FILE_NAME = re.compile(r"\.warc(?:\.(?:gz|zst|lz4))?$", re.IGNORECASE)
ARCHIVE_MEMBER_NAME = re.compile(rf"^archive/|\.wacz$|{WARC_FILE_NAME.pattern}", re.IGNORECASE)
WACZ_MEMBER_NAME = re.compile(r"datapackage\b|indexes/index\.|pages/pages\.")
ArchiveReader = Callable[[Path, str, ParseOptions, Problems], Iterator[RawPage | Page]]


class ZipMember(NamedTuple):
    """A file in a zip file: its name, its packed size, and a function that unpacks it."""

    name: str
    packed_bytes: int
    unpack: Callable[[], Iterator[bytes]]


def is_wacz(path: Path) -> bool:
    """Whether a zip file contains web archives, or begins like a WACZ file if truncated."""
    try:
        with open_zip(path) as (members, _):
            return any(
                _has_archive_name(member) or WACZ_MEMBER_NAME.match(member.name)
                for member in members
            )
    except OSError:
        return False


def read_wacz_revisits(
    path: Path,
    resolved_revisits: Iterable[ResolvedRevisit],
    options: ParseOptions,
    problems: Problems,
) -> Iterator[RawPage]:
    """The pages of revisits, each with the payload of its original in an archive inside."""
    try:
        with open_zip(path) as (members, _):
            by_name = {member.name: member for member in members}
            max_bytes = path.stat().st_size * MAX_UNPACK_RATIO + EXTRA_UNPACK_BYTES
            for (name, nested), resolved in groupby(resolved_revisits, _original_member):
                with tempfile.NamedTemporaryFile(prefix="weft-") as copy:
                    if name in by_name:
                        _unpack_member(by_name[name], max_bytes, copy, name, Problems())
                    reader = read_wacz_revisits if nested else read_warc_revisits
                    inside = (found._replace(members=found.members[1:]) for found in resolved)
                    yield from reader(Path(copy.name), inside, options, problems)
    except OSError as error:
        problems.add("damaged zip files", f"{path}: {error}")


@input_format(
    "wacz",
    "WACZ",
    evidence=Evidence.STRUCTURE,
    recognise=lambda head: head.data.startswith(ZIP_LOCAL_SIGNATURE) and is_wacz(head.path),
    suffixes=(".wacz",),
    read_revisits=read_wacz_revisits,
)
def read_wacz(
    path: Path, display_name: str, options: ParseOptions, problems: Problems, revisits: RevisitIndex
) -> Iterator[RawPage | Page]:
    """The pages of every archive in a WACZ file, also in WACZ files inside it.

    A member may be a WACZ file itself, but not inside another member. Members
    are never written under their names.
    """
    outer, outer_members = revisits.archives[-1]
    try:
        with open_zip(path) as (members, damage):
            if damage:
                problems.add("damaged zip files", f"{display_name}: {damage}")
            nested = bool(outer_members)
            bytes_left = 2 * path.stat().st_size * MAX_UNPACK_RATIO
            bytes_left += 0 if nested else 16 * EXTRA_UNPACK_BYTES
            has_archives = bool(damage)
            for member in filter(_has_archive_name, members):
                location = f"{display_name}!{member.name}"
                with tempfile.NamedTemporaryFile(prefix="weft-") as copy:
                    bytes_left -= _unpack_member(member, bytes_left, copy, location, problems)
                    reader = _choose_reader(Path(copy.name), member, revisits, nested=nested)
                    if reader is None:
                        problems.add("zip members that are not archives", location, damage=False)
                        continue
                    has_archives = True
                    revisits.set_current_archive(outer, (*outer_members, member.name))
                    yield from reader(Path(copy.name), location, options, problems)
            if not has_archives:
                problems.add("WACZ files without archives", display_name)
    except OSError as error:
        problems.add("damaged zip files", f"{display_name}: {error}")


def _original_member(revisit: ResolvedRevisit) -> tuple[str, bool]:
    """The member that contains an original, and whether it is a zip file itself."""
    return revisit.members[0], len(revisit.members) > 1


def _has_archive_name(member: ZipMember) -> bool:
    return ARCHIVE_MEMBER_NAME.search(member.name) is not None


def _choose_reader(
    copy: Path, member: ZipMember, revisits: RevisitIndex, *, nested: bool
) -> ArchiveReader | None:
    """The reader of a member: by its first bytes, else WARC if it has such a name.

    A zip file inside is read only if it is at most twice its packed size: one
    that was compressed well may be a bomb.
    """
    head, _ = read_head(copy, SNIFF_BYTES)
    if head.startswith(ARC_SIGNATURE):
        return read_arc
    if head.startswith(ZIP_LOCAL_SIGNATURE):
        is_safe = not nested and copy.stat().st_size <= 2 * member.packed_bytes
        return partial(read_wacz, revisits=revisits) if is_safe and is_wacz(copy) else None
    if head.startswith(WARC_SIGNATURE) or WARC_FILE_NAME.search(member.name):
        return partial(read_warc, revisits=revisits)
    return None


def _unpack_member(
    member: ZipMember, max_bytes: int, copy: IO[bytes], location: str, problems: Problems
) -> int:
    """Unpack a member into a file, up to damage or a limit; return the number of bytes.

    The limit is by the packed size of the member. `max_bytes` limits all members
    together: those of a zip file may overlap, and would fill the disk.
    """
    max_bytes = min(max_bytes, member.packed_bytes * MAX_UNPACK_RATIO + EXTRA_UNPACK_BYTES)
    try:
        for block in member.unpack():
            if copy.tell() >= max_bytes:
                problems.add("zip members over the size limit", location)
                break
            copy.write(block)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        problems.add("damaged zip members", f"{location}: {error}")
    copy.flush()
    return copy.tell()


@contextmanager
def open_zip(path: Path) -> Iterator[tuple[Sequence[ZipMember], str]]:
    """The members of a zip file, sorted by name, and the error of its directory if damaged."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        with path.open("rb") as file:
            yield _unique_by_name(_scan_members(file)), str(error)
        return
    with archive:
        members = (
            ZipMember(info.filename, info.compress_size, partial(_read_member, archive, info))
            for info in archive.infolist()
        )
        yield _unique_by_name(members), ""


def _unique_by_name(members: Iterator[ZipMember]) -> list[ZipMember]:
    """The last member of each name, sorted by name, without folders."""
    by_name = {member.name: member for member in members if not member.name.endswith("/")}
    return [by_name[name] for name in sorted(by_name)]


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """The bytes of a member; a wrong checksum is an error only after all of them."""
    expected_crc, crc = info.CRC, 0
    del info.CRC  # zipfile would raise before the last block
    with archive.open(info) as member:
        while block := member.read(ZIP_BLOCK_BYTES):
            crc = zlib.crc32(block, crc)
            yield block
    if crc != expected_crc:
        raise zipfile.BadZipFile("wrong checksum")


def _scan_members(file: BinaryIO) -> Iterator[ZipMember]:
    """The members by their local headers, without a directory; the last may be truncated."""
    position = 0
    while (position := next(_find_signature(file, ZIP_LOCAL_SIGNATURE, position), -1)) >= 0:
        file.seek(position)
        header = file.read(ZIP_LOCAL_HEADER.size)
        if len(header) < ZIP_LOCAL_HEADER.size:
            return
        _, flags, method, size, name_length, extra_length = ZIP_LOCAL_HEADER.unpack(header)
        encoding = "utf-8" if flags & UTF8_NAME_FLAG else "cp437"
        name = file.read(name_length).decode(encoding, "replace")
        extra_field, start = file.read(extra_length), file.tell()
        size = _zip64_size(extra_field) if size == ZIP64_SIZE_MARKER else size
        if flags & DESCRIPTOR_FOLLOWS_FLAG and not size:
            size = _size_from_descriptor(file, start)
        yield ZipMember(name, size, partial(_inflate_member, file, start, size, method))
        position = start + size


def _zip64_size(extra_field: bytes) -> int:
    """The packed size in the ZIP64 record of an extra field, or zero."""
    while len(extra_field) >= 4:
        record_id, length = struct.unpack_from("<HH", extra_field)
        if record_id == 1 and 20 <= 4 + length <= len(extra_field):
            return int.from_bytes(extra_field[12:20], "little")
        extra_field = extra_field[4 + length :]
    return 0


def _size_from_descriptor(file: BinaryIO, start: int) -> int:
    """The packed size of a member by the data descriptor after it, else up to the end of the file.

    Bytes that look like a descriptor by chance do not contain the right size.
    """
    for position in _find_signature(file, ZIP_DESCRIPTOR_SIGNATURE, start):
        size = position - start
        file.seek(position + 8)
        stored = file.read(8)
        if size in (int.from_bytes(stored[:4], "little"), int.from_bytes(stored, "little")):
            return size
    return file.seek(0, 2) - start


def _inflate_member(file: BinaryIO, start: int, size: int, method: int) -> Iterator[bytes]:
    """The bytes of a stored or deflated member, up to the damage."""
    if method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile(f"unsupported compression method {method}")
    file.seek(start)
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    while size > 0 and (block := file.read(min(INFLATE_STEP_BYTES, size))):
        size -= len(block)
        if method == zipfile.ZIP_STORED:
            yield block
        while method == zipfile.ZIP_DEFLATED and block and not inflater.eof:
            yield inflater.decompress(block, ZIP_BLOCK_BYTES)
            block = inflater.unconsumed_tail
    yield inflater.flush()


def _find_signature(file: BinaryIO, signature: bytes, start: int) -> Iterator[int]:
    """The positions of a signature in a file from `start` on."""
    for block_start in range(start, file.seek(0, 2), ZIP_BLOCK_BYTES):
        file.seek(block_start)
        block = file.read(ZIP_BLOCK_BYTES + len(signature) - 1)
        k = block.find(signature)
        while k >= 0:
            yield block_start + k
            k = block.find(signature, k + 1)
