"""WACZ: web archives with their index in a zip file."""

import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import IO

from weft.gather.arc import read_arc
from weft.gather.damage import opening
from weft.gather.html import Reading
from weft.gather.page import Page, Problems, Record
from weft.gather.revisits import Found, Revisits
from weft.gather.warc import read_again, read_warc
from weft.gather.zipped import LOCAL, Member, unzipped

GROWTH = 30
ALLOWANCE = 64 << 20
LOOK = 64
CALLED_WARC = re.compile(r"\.warc(?:\.(?:gz|zst|lz4))?$", re.IGNORECASE)
ARCHIVE = re.compile(rf"^archive/|\.wacz$|{CALLED_WARC.pattern}", re.IGNORECASE)
PART = re.compile(r"datapackage\b|indexes/index\.|pages/pages\.")
Reader = Callable[[Path, str, Reading, Problems], Iterator[Record | Page]]


def is_wacz(path: Path) -> bool:
    """Whether a zip file holds web archives, or was about to where it breaks off."""
    try:
        with unzipped(path) as (members, _):
            return any(_may_be_archive(one) or PART.match(one.name) for one in members)
    except OSError:
        return False


def read_wacz(
    path: Path, label: str, reading: Reading, problems: Problems, revisits: Revisits
) -> Iterator[Record | Page]:
    """Every page of every archive inside; members are read by content, never unpacked by name.

    One of them may be a WACZ file itself, but not one that is inside such a file.
    """
    outer, names = revisits.archives[-1]
    try:
        with unzipped(path) as (members, damage):
            if damage:
                problems.tell("damaged zip files", f"{label}: {damage}")
            found, spare = bool(damage), 0 if names else 16 * ALLOWANCE
            room = 2 * path.stat().st_size * GROWTH + spare
            for member in filter(_may_be_archive, members):
                place = f"{label}!{member.name}"
                with tempfile.NamedTemporaryFile(prefix="weft-") as copy:
                    room -= _unpack(member, room, copy, place, problems)
                    reader = _reader(Path(copy.name), member, revisits, nested=bool(names))
                    if reader is None:
                        problems.tell("zip members that are no archives", place, damage=False)
                        continue
                    found = True
                    revisits.begin(outer, (*names, member.name))
                    yield from reader(Path(copy.name), place, reading, problems)
            if not found:
                problems.tell("WACZ files without archives", label)
    except OSError as error:
        problems.tell("damaged zip files", f"{label}: {error}")


def read_wacz_again(
    path: Path, found: Iterable[Found], reading: Reading, problems: Problems
) -> Iterator[Record]:
    """The pages that were found again, from where their originals lie in the archives inside."""
    try:
        with unzipped(path) as (members, _):
            named = {member.name: member for member in members}
            room = path.stat().st_size * GROWTH + ALLOWANCE
            for (name, nested), inside in groupby(found, _member):
                with tempfile.NamedTemporaryFile(prefix="weft-") as copy:
                    if name in named:
                        _unpack(named[name], room, copy, name, Problems())
                    reader = read_wacz_again if nested else read_again
                    deeper = (one._replace(members=one.members[1:]) for one in inside)
                    yield from reader(Path(copy.name), deeper, reading, problems)
    except OSError as error:
        problems.tell("damaged zip files", f"{path}: {error}")


def _member(one: Found) -> tuple[str, bool]:
    """The member that an original lies in, and whether that is a zip file as well."""
    return one.members[0], len(one.members) > 1


def _may_be_archive(member: Member) -> bool:
    return ARCHIVE.search(member.name) is not None


def _reader(copy: Path, member: Member, revisits: Revisits, *, nested: bool) -> Reader | None:
    """How to read a member: as what it begins with, else as a WARC file if it is called one.

    A zip file in a zip file is a bomb unless it takes about the room that it is packed in.
    """
    head, _ = opening(copy, LOOK)
    if head.startswith(b"filedesc://"):
        return read_arc
    if head.startswith(LOCAL):
        fits = not nested and copy.stat().st_size <= 2 * member.size
        return partial(read_wacz, revisits=revisits) if fits and is_wacz(copy) else None
    if head.startswith(b"WARC/") or CALLED_WARC.search(member.name):
        return partial(read_warc, revisits=revisits)
    return None


def _unpack(member: Member, room: int, copy: IO[bytes], place: str, problems: Problems) -> int:
    """Copy a member, as far as it can be read and there is room; how long the copy is.

    A member has room by its own size. What all may take together keeps a zip
    file whose members lie one over the other from filling the disk.
    """
    room = min(room, member.size * GROWTH + ALLOWANCE)
    try:
        for piece in member.unpack():
            if copy.tell() >= room:
                problems.tell("zip members that unpack without end", place)
                break
            copy.write(piece)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        problems.tell("damaged zip members", f"{place}: {error}")
    copy.flush()
    return copy.tell()
