"""WACZ: web archives with their index in a zip file."""

import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from weft.gather.html import Reading
from weft.gather.page import Page, Problems, Record
from weft.gather.warc import read_warc
from weft.gather.zipped import Member, unzipped

GROWTH = 30
ALLOWANCE = 64 << 20
PART = re.compile(r"archive/.|datapackage\b|indexes/index\.|pages/pages\.")


def is_wacz(path: Path) -> bool:
    """Whether a zip file holds web archives, or was about to where it breaks off."""
    try:
        with unzipped(path) as (members, _):
            return any(_is_archive(member.name) or PART.match(member.name) for member in members)
    except OSError:
        return False


def read_wacz(
    path: Path, label: str, reading: Reading, problems: Problems
) -> Iterator[Record | Page]:
    """Every page of every archive inside; members are read by content, never unpacked by name."""
    try:
        with unzipped(path) as (members, damage):
            if damage:
                problems.tell("damaged zip files", f"{label}: {damage}")
            archives = [member for member in members if _is_archive(member.name)]
            if not archives and not damage:
                problems.tell("WACZ files without archives", label)
            room = 2 * path.stat().st_size * GROWTH + 16 * ALLOWANCE
            for member in archives:
                place = f"{label}!{member.name}"
                with tempfile.NamedTemporaryFile(prefix="weft-") as copy:
                    room -= _unpack(member, room, copy, place, problems)
                    yield from read_warc(Path(copy.name), place, reading, problems)
    except OSError as error:
        problems.tell("damaged zip files", f"{label}: {error}")


def _is_archive(name: str) -> bool:
    return name.endswith((".warc", ".warc.gz", ".warc.zst", ".warc.lz4"))


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
