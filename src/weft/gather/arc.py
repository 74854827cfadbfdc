"""ARC, the format of web archives before WARC."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.parser import HeaderParser
from pathlib import Path

from weft.gather.damage import Salvage, codec, next_start
from weft.gather.html import Reading
from weft.gather.http import Response, seconds
from weft.gather.page import Problems, Record

SCHEME = re.compile(rb"(?:https?|ftp|dns|filedesc|gopher|metadata|news|whois):", re.IGNORECASE)
ADDRESS = re.compile(rb"[0-9a-fA-F]*[.:][0-9a-fA-F.:]*")
LENGTH = re.compile(rb"\d{1,18}")
NEXT_HEADER = re.compile(
    rb"(?:https?|ftp|dns):\S{1,2000} [\d.]{7,15} \d{14} [\w.+/-]+(?: [^\n]{1,1000})? \d{1,18}\r?\n"
)
HTTP_HEAD = re.compile(rb"HTTP/[^\n]*\n((?:[^\r\n][^\n]*\n)*)\r?\n?")
STATUS = re.compile(rb"\S+\s+(\d{3})\b")
LONGEST_HEAD, LONGEST_LINE = 1 << 16, 10_000
BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class Header:
    """The line before a record, and how long that is itself."""

    size: int
    url: str
    time: int
    mime: str
    length: int


@dataclass(slots=True)
class Tape:
    """Bytes that are read once, with a look ahead; those from `start` in `held` are to come."""

    pieces: Iterator[bytes]
    held: bytes = b""
    start: int = 0
    at: int = 0
    ended: bool = False

    def fill(self, n: int) -> int:
        """Hold the next `n` bytes, or all there are; how many that is."""
        size = len(self.held) - self.start
        if size < n and not self.ended:
            parts = [self.held[self.start :]]
            while size < n and (piece := next(self.pieces, b"")):
                parts.append(piece)
                size += len(piece)
            self.held, self.start, self.ended = b"".join(parts), 0, size < n
        return min(n, len(self.held) - self.start)

    def peek(self, n: int, ahead: int = 0) -> bytes:
        """The next `n` bytes, or those some way ahead, as many as there are."""
        size = self.fill(ahead + n)
        return self.held[self.start + ahead : self.start + size]

    def take(self, n: int) -> bytes:
        """The next `n` bytes, which are then behind."""
        part = self.peek(n)
        self.skip(len(part))
        return part

    def skip(self, n: int) -> int:
        """Leave bytes behind; how many there were."""
        done = min(n, len(self.held) - self.start)
        self.start += done
        while done < n and (piece := next(self.pieces, b"")):
            self.held, self.start = piece, min(len(piece), n - done)
            done += self.start
        self.at += done
        return done

    def behind_lines(self, ahead: int) -> int:
        """How far ahead the bytes are that follow empty lines."""
        while self.fill(ahead + 1) > ahead and self.held[self.start + ahead] in b"\r\n":
            ahead += 1
        return ahead

    def next_header(self, n: int) -> int:
        """How far ahead the next record seems to begin, if within `n` bytes; else `n`."""
        size = self.fill(n + LONGEST_LINE)
        found = NEXT_HEADER.search(self.held, self.start, self.start + size)
        return min(n, found.start() - self.start) if found else n


def read_arc(path: Path, label: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """Every page of an ARC file; after damage, reading resumes at the next record."""
    tape = Tape(_unpacked(path, label, problems))
    most = reading.max_bytes + 1 + LONGEST_HEAD
    while tape.fill(1):
        header = _header(tape)
        if header is None:
            problems.tell("damaged records", f"{label} at byte {tape.at:,}")
            _find_header(tape)
            continue
        tape.skip(header.size)
        body, short = _body(tape, header.length, most)
        if short:
            problems.tell("damaged records", f"{label} at byte {tape.at:,}")
        page = _page(header, body, reading, problems, short=short)
        if page is not None:
            yield page


def _body(tape: Tape, length: int, most: int) -> tuple[bytes, bool]:
    """The body of a record up to a size, and whether it is shorter than it should be.

    It ends with the file, or where the next record seems to begin. Bytes are
    looked at before they are taken: many records may claim to be very long.
    """
    size = tape.fill(min(length, most))
    if size == most < length:
        body = tape.take(size)
        return body, tape.skip(length - size) < length - size
    end, after = size, tape.behind_lines(size)
    if size < length or not (tape.fill(after + 1) == after or _header(tape, after)):
        end = tape.next_header(size)
    body = tape.take(end)
    tape.skip(after - size if end == size else 0)
    return body, end < length


def _header(tape: Tape, ahead: int = 0) -> Header | None:
    """The header that comes next, if one does; version 2 has five fields more."""
    line, end, _ = tape.peek(LONGEST_LINE, ahead).partition(b"\n")
    fields = line.rstrip().split(b" ") if end else []
    for n in (4, 9):
        if len(fields) <= n or not SCHEME.match(fields[0]):
            continue
        if ADDRESS.fullmatch(fields[-n]) and LENGTH.fullmatch(fields[-1]):
            url = b" ".join(fields[:-n]).decode("utf-8", "replace")
            mime = fields[2 - n].decode("latin-1")
            return Header(len(line) + 1, url, _moment(fields[1 - n]), mime, int(fields[-1]))
    return None


def _find_header(tape: Tape) -> None:
    """Leave behind what no record begins with."""
    tape.skip(1)
    while ahead := tape.peek(2 * BLOCK):
        found = NEXT_HEADER.search(ahead)
        if found:
            tape.skip(found.start())
            return
        tape.skip(len(ahead) if len(ahead) < 2 * BLOCK else BLOCK)


def _page(
    header: Header, body: bytes, reading: Reading, problems: Problems, *, short: bool
) -> Record | None:
    if header.url.startswith("filedesc:"):
        return None
    http = HTTP_HEAD.match(body, 0, LONGEST_HEAD)
    if http is None:
        response = Response(header.url, header.time, 200, header.mime, body, short)
        return response.record({}.get, reading, problems)
    headers = HeaderParser().parsestr(http[1].decode("latin-1"))
    status = STATUS.match(http[0])
    response = Response(
        header.url,
        header.time,
        int(status[1]) if status else 200,
        headers.get("Content-Type", ""),
        body[http.end() :],
        short,
    )
    return response.record(headers.get, reading, problems)


def _unpacked(path: Path, label: str, problems: Problems) -> Iterator[bytes]:
    """The bytes of a file without its compression; after damage, those of the next gzip member."""
    at = _packed_from(path)
    if at:
        problems.tell("damaged records", f"{label} at byte 0")
    with path.open("rb") as file:
        while at is None and (part := file.read(BLOCK)):
            yield part
        while at is not None:
            file.seek(at)
            pieces = Salvage(file)
            while part := pieces.read(BLOCK):
                yield part
            yield b"\n"
            if pieces.damaged:
                problems.tell("damaged records", f"{label} after byte {pieces.start:,}")
            at = next_start(path, pieces.start + 1, b"http") if pieces.damaged else None


def _packed_from(path: Path) -> int | None:
    """Where the compressed part of a file begins, if it has one: at its start or after junk."""
    with path.open("rb") as file:
        if codec(file.read(4)):
            return 0
        first = next_start(path, 0, b"http")
        file.seek(first or 0)
        return first if codec(file.read(4)) else None


def _moment(digits: bytes) -> int:
    try:
        moment = datetime.strptime(digits[:14].decode("latin-1"), "%Y%m%d%H%M%S")
    except ValueError:
        return 0
    return seconds(moment.replace(tzinfo=UTC))
