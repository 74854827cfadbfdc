"""Read ARC files, the web archive format before WARC."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.parser import HeaderParser
from pathlib import Path

from weft.gather.formats import input_format
from weft.gather.html import ParseOptions
from weft.gather.http import HttpResponse, unix_seconds
from weft.gather.page import Problems, RawPage
from weft.gather.salvage import SalvageReader, detect_codec, find_next_record

ARC_SIGNATURE = b"filedesc://"
ARC_URL_SCHEME = re.compile(
    rb"(?:https?|ftp|dns|filedesc|gopher|metadata|news|whois):", re.IGNORECASE
)
IP_ADDRESS = re.compile(rb"[0-9a-fA-F]*[.:][0-9a-fA-F.:]*")
RECORD_LENGTH = re.compile(rb"\d{1,18}")
RECORD_HEADER = re.compile(
    rb"(?:https?|ftp|dns):\S{1,2000} [\d.]{7,15} \d{14} [\w.+/-]+(?: [^\n]{1,1000})? \d{1,18}\r?\n"
)
HTTP_HEAD = re.compile(rb"HTTP/[^\n]*\n((?:[^\r\n][^\n]*\n)*)\r?\n?")
STATUS_LINE = re.compile(rb"\S+\s+(\d{3})\b")
MAX_HTTP_HEAD_BYTES, MAX_HEADER_BYTES = 1 << 16, 10_000
READ_BLOCK_BYTES = 1 << 18


@dataclass(frozen=True, slots=True)
class ArcHeader:
    """The header line of a record; `header_bytes` is the length of the line itself."""

    header_bytes: int
    url: str
    time: int
    mime: str
    body_bytes: int


@dataclass(slots=True)
class LookaheadReader:
    """A stream of chunks with lookahead; the bytes of `buffer` from `start` are still unread."""

    chunks: Iterator[bytes]
    buffer: bytes = b""
    start: int = 0
    position: int = 0
    exhausted: bool = False

    def fill(self, n: int) -> int:
        """Buffer the next `n` bytes, or all that are left; return how many."""
        size = len(self.buffer) - self.start
        if size < n and not self.exhausted:
            parts = [self.buffer[self.start :]]
            while size < n and (chunk := next(self.chunks, b"")):
                parts.append(chunk)
                size += len(chunk)
            self.buffer, self.start, self.exhausted = b"".join(parts), 0, size < n
        return min(n, len(self.buffer) - self.start)

    def peek(self, n: int, ahead: int = 0) -> bytes:
        """The next `n` bytes from `ahead` on, or all that are left, without reading them."""
        size = self.fill(ahead + n)
        return self.buffer[self.start + ahead : self.start + size]

    def read(self, n: int) -> bytes:
        """Read the next `n` bytes, or all that are left."""
        part = self.peek(n)
        self.skip(len(part))
        return part

    def skip(self, n: int) -> int:
        """Skip `n` bytes, or all that are left; return how many."""
        skipped = min(n, len(self.buffer) - self.start)
        self.start += skipped
        while skipped < n and (chunk := next(self.chunks, b"")):
            self.buffer, self.start = chunk, min(len(chunk), n - skipped)
            skipped += self.start
        self.position += skipped
        return skipped

    def offset_after_blank_lines(self, ahead: int) -> int:
        """The distance to the first byte from `ahead` on that is not a line end."""
        while self.fill(ahead + 1) > ahead and self.buffer[self.start + ahead] in b"\r\n":
            ahead += 1
        return ahead

    def find_next_header(self, n: int) -> int:
        """The distance to the next header line, at most `n`."""
        size = self.fill(n + MAX_HEADER_BYTES)
        header = RECORD_HEADER.search(self.buffer, self.start, self.start + size)
        return min(n, header.start() - self.start) if header else n


@input_format("arc", "ARC", recognise=ARC_SIGNATURE, suffixes=(".arc",))
def read_arc(
    path: Path, display_name: str, options: ParseOptions, problems: Problems
) -> Iterator[RawPage]:
    """The pages of a web archive in the format before WARC.

    After damage, reading resumes at the next record.
    """
    stream = LookaheadReader(_decompress(path, display_name, problems))
    max_body = options.max_bytes + 1 + MAX_HTTP_HEAD_BYTES
    while stream.fill(1):
        header = _parse_header(stream)
        if header is None:
            problems.add("damaged records", f"{display_name} at byte {stream.position:,}")
            _skip_to_next_header(stream)
            continue
        stream.skip(header.header_bytes)
        body, truncated = _read_body(stream, header.body_bytes, max_body)
        if truncated:
            problems.add("damaged records", f"{display_name} at byte {stream.position:,}")
        page = _parse_record(header, body, options, problems, truncated=truncated)
        if page is not None:
            yield page


def _read_body(stream: LookaheadReader, length: int, max_bytes: int) -> tuple[bytes, bool]:
    """The body of a record up to a size, and whether it is shorter than its header says.

    A wrong length ends the body at the next header line, or at the end of the
    file. Bytes are only peeked at first: many records may claim to be very long.
    """
    size = stream.fill(min(length, max_bytes))
    if size == max_bytes < length:
        body = stream.read(size)
        return body, stream.skip(length - size) < length - size
    # The length is right if the end of the file or another header follows the body.
    end, after = size, stream.offset_after_blank_lines(size)
    if size < length or not (stream.fill(after + 1) == after or _parse_header(stream, after)):
        end = stream.find_next_header(size)
    body = stream.read(end)
    stream.skip(after - size if end == size else 0)
    return body, end < length


def _parse_header(stream: LookaheadReader, ahead: int = 0) -> ArcHeader | None:
    """Parse the header line at `ahead`, if there is one; version 2 has five more fields."""
    line, end, _ = stream.peek(MAX_HEADER_BYTES, ahead).partition(b"\n")
    fields = line.rstrip().split(b" ") if end else []
    for n in (4, 9):  # fields after the URL, which may contain spaces
        if len(fields) <= n or not ARC_URL_SCHEME.match(fields[0]):
            continue
        if IP_ADDRESS.fullmatch(fields[-n]) and RECORD_LENGTH.fullmatch(fields[-1]):
            url = b" ".join(fields[:-n]).decode("utf-8", "replace")
            time, mime = _parse_timestamp(fields[1 - n]), fields[2 - n].decode("latin-1")
            return ArcHeader(len(line) + 1, url, time, mime, int(fields[-1]))
    return None


def _skip_to_next_header(stream: LookaheadReader) -> None:
    """Skip damaged bytes up to the next header line."""
    stream.skip(1)
    while ahead := stream.peek(2 * READ_BLOCK_BYTES):
        header = RECORD_HEADER.search(ahead)
        if header:
            stream.skip(header.start())
            return
        stream.skip(len(ahead) if len(ahead) < 2 * READ_BLOCK_BYTES else READ_BLOCK_BYTES)


def _parse_record(
    header: ArcHeader, body: bytes, options: ParseOptions, problems: Problems, *, truncated: bool
) -> RawPage | None:
    """The page of a record, which may lack an HTTP head; the file description is no page."""
    if header.url.startswith("filedesc:"):
        return None
    http = HTTP_HEAD.match(body, 0, MAX_HTTP_HEAD_BYTES)
    if http is None:
        response = HttpResponse(header.url, header.time, 200, header.mime, body, truncated)
        return response.to_raw_page({}.get, options, problems)
    headers = HeaderParser().parsestr(http[1].decode("latin-1"))
    status = STATUS_LINE.match(http[0])
    response = HttpResponse(
        header.url,
        header.time,
        int(status[1]) if status else 200,
        headers.get("Content-Type", ""),
        body[http.end() :],
        truncated,
    )
    return response.to_raw_page(headers.get, options, problems)


def _decompress(path: Path, display_name: str, problems: Problems) -> Iterator[bytes]:
    """The decompressed bytes of a file; after damage, those of the next gzip member."""
    start = _compressed_start(path)
    if start:
        problems.add("damaged records", f"{display_name} at byte 0")
    with path.open("rb") as file:
        while start is None and (block := file.read(READ_BLOCK_BYTES)):
            yield block
        while start is not None:
            file.seek(start)
            reader = SalvageReader(file)
            while block := reader.read(READ_BLOCK_BYTES):
                yield block
            yield b"\n"
            start = None
            if reader.damaged:
                location = f"{display_name} after byte {reader.member_start:,}"
                problems.add("damaged records", location)
                start = find_next_record(path, reader.member_start + 1, b"http")


def _compressed_start(path: Path) -> int | None:
    """The offset of the first compressed record, after junk if there is any; None if plain."""
    with path.open("rb") as file:
        if detect_codec(file.read(4)):
            return 0
        first = find_next_record(path, 0, b"http")
        file.seek(first or 0)
        return first if detect_codec(file.read(4)) else None


def _parse_timestamp(digits: bytes) -> int:
    """Unix seconds of a timestamp such as 20040301120000; zero if it is not one."""
    try:
        moment = datetime.strptime(digits[:14].decode("latin-1"), "%Y%m%d%H%M%S")
    except ValueError:
        return 0
    return unix_seconds(moment.replace(tzinfo=UTC))
