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
    """Bytes that are read once, with a look ahead."""

    pieces: Iterator[bytes]
    held: bytes = b""
    at: int = 0

    def peek(self, n: int) -> bytes:
        """The next `n` bytes, or all there are."""
        while len(self.held) < n and (piece := next(self.pieces, b"")):
            self.held += piece
        return self.held[:n]

    def take(self, n: int) -> bytes:
        """The next `n` bytes, which are then behind."""
        part = self.peek(n)
        self.held = self.held[len(part) :]
        self.at += len(part)
        return part

    def skip(self, n: int) -> int:
        """Leave bytes behind; how many there were."""
        done = len(self.take(min(n, len(self.held))))
        while done < n and (piece := next(self.pieces, b"")):
            used = min(len(piece), n - done)
            self.held = piece[used:]
            self.at += used
            done += used
        return done

    def put_back(self, part: bytes) -> None:
        """Have bytes before those that come."""
        self.held = part + self.held
        self.at -= len(part)


def read_arc(path: Path, label: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """Every page of an ARC file; after damage, reading resumes at the next record."""
    tape = Tape(_unpacked(path, label, problems))
    most = reading.max_bytes + 1 + LONGEST_HEAD
    while tape.peek(1):
        header = _header(tape)
        if header is None:
            problems.tell("damaged records", f"{label} at byte {tape.at:,}")
            _find_header(tape)
            continue
        tape.take(header.size)
        body = tape.take(min(header.length, most))
        skipped = tape.skip(header.length - len(body))
        short = len(body) + skipped < header.length
        if short or not _is_between_records(tape):
            found = NEXT_HEADER.search(body + tape.peek(LONGEST_LINE))
            if found and found.start() < len(body) and not skipped:
                tape.put_back(body[found.start() :])
                body, short = body[: found.start()], True
            if short:
                problems.tell("damaged records", f"{label} at byte {tape.at:,}")
        page = _page(header, body, reading, problems, short=short)
        if page is not None:
            yield page


def _header(tape: Tape) -> Header | None:
    """The header that comes next, if one does; version 2 has five fields more."""
    line, end, _ = tape.peek(LONGEST_LINE).partition(b"\n")
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


def _is_between_records(tape: Tape) -> bool:
    """Whether a record begins here, or the file ends; empty lines are left behind."""
    while tape.peek(1) in (b"\n", b"\r"):
        tape.take(1)
    return not tape.peek(1) or _header(tape) is not None


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
