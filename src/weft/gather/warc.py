"""Web archives: WARC, WAT and WET records."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from weft.gather.damage import Salvage, clipped, codec, next_start
from weft.gather.html import Reading
from weft.gather.http import Response, seconds
from weft.gather.marks import SOURCES
from weft.gather.page import Link, Page, Problems, Record
from weft.gather.revisits import MISSING, UNCHANGED, Found, Revisits, Visit
from weft.gather.url import LONGEST, canonical, folder_of, link_target, resolve

UNKNOWN = -1
NOT_MODIFIED, NOT_MODIFIED_PROFILE = 304, "server-not-modified"
LONGEST_HEAD = 1 << 16
BLANK_LINE, LINE_END = re.compile(rb"\r?\n\r?\n"), re.compile(rb"\r?\n")
CAPTURES = (WarcRecordType.response, WarcRecordType.resource)


@dataclass(frozen=True, slots=True)
class Raw:
    """A record of an archive with as much of its payload as the cap allows.

    `http` has the headers that a server sent before the payload, if one did.
    """

    record: WarcRecord
    offset: int
    body: bytes
    short: bool
    http: WarcRecord | None

    @property
    def url(self) -> str:
        """The URL it was captured from, as the archive has it."""
        return self.header("WARC-Target-URI").strip("<> ")

    @property
    def digest(self) -> str:
        """What the archive says its payload is, if it does."""
        return self.header("WARC-Payload-Digest")

    @property
    def time(self) -> int:
        """When it was captured."""
        return seconds(self.record.record_date)

    @property
    def status(self) -> int:
        """What the server answered; zero where none did, or in no words of HTTP."""
        return (self.http.http_headers.status_code if self.http else None) or 0

    @property
    def moved(self) -> bool:
        """Whether the server sent its reader elsewhere."""
        away = self.http is not None and "Location" in self.http.http_headers
        return away and 300 <= self.status < 400 and self.status != NOT_MODIFIED

    def header(self, name: str) -> str:
        """What the archive says about it under some name, if it does."""
        return str(self.record.headers.get(name, ""))


def read_warc(
    path: Path, label: str, reading: Reading, problems: Problems, revisits: Revisits
) -> Iterator[Record | Page]:
    """Every page of an archive, damaged or not.

    WAT records give links without text, WET records text without links.
    Revisits wait until the captures of all archives are known.
    """
    for raw in _records(path, label, reading.max_bytes, problems):
        kind = raw.record.record_type
        if kind in CAPTURES:
            url, time = raw.url, raw.time
            revisits.note(url, time, raw.digest, raw.offset)
            yield from _capture(raw, url, time, reading, problems)
        elif kind == WarcRecordType.revisit:
            yield from _revisit(raw, reading, problems, revisits)
        elif kind == WarcRecordType.metadata:
            yield from _wat(raw, reading, problems)
        elif kind == WarcRecordType.conversion:
            yield from _wet(raw, reading, problems)


def read_again(
    path: Path, found: Iterable[Found], reading: Reading, problems: Problems
) -> Iterator[Record]:
    """The pages that were found again, from where their originals lie in an archive."""
    for offset, visits in groupby(found, lambda one: one.offset):
        raw = _record_at(path, offset, reading.max_bytes)
        url, time, digest = (raw.url, raw.time, raw.digest) if raw else ("", 0, "")
        known = canonical(url, reading.policy)
        for visit in (one.visit for one in visits):
            if raw is None or not visit.fits(url, time, digest):
                problems.tell(MISSING, visit.url, damage=False)
            elif canonical(visit.url, reading.policy) == known:
                problems.tell(UNCHANGED, visit.url, damage=False)
            else:
                pages = _capture(raw, visit.url, visit.time, reading, problems, visit.status)
                yield from (replace(page, at=0) for page in pages)


def _records(path: Path, label: str, cap: int, problems: Problems) -> Iterator[Raw]:
    """Records with their payloads; after damage, reading resumes at the next one that begins.

    The reader unpacks ahead, so it loses records before the damage, too: where
    no other record begins, they are read again with care.
    """
    at: int | None = 0
    while at is not None:
        last, count, broken = at, 0, False
        with path.open("rb") as file:
            file.seek(at)
            try:
                for raw in _whole(ArchiveIterator(file, parse_http=False), cap):
                    last, count, broken = max(last, raw.offset), count + 1, raw.short
                    yield raw
            except (OSError, ValueError):
                broken = True
        if not broken and not clipped(path, last):
            return
        if count or not at:
            problems.tell("damaged records", f"{label} after byte {last:,}")
        beyond = next_start(path, last + 1, b"WARC/")
        if not count or beyond is None:
            yield from islice(_salvaged(path, at, cap), count, None)
        at = beyond


def _whole(records: Iterable[WarcRecord], cap: int) -> Iterator[Raw]:
    """Records with their payloads; one that does not say how long it is, is the end."""
    for record in records:
        if record.headers.get("Content-Length") is None:
            raise ValueError(record.stream_pos)
        most = cap + LONGEST_HEAD if record.is_http else cap
        # The reader clears as much memory as it may fill.
        block = record.reader.read(min(most, max(0, record.content_length)) + 1)
        short = len(block) <= most and len(block) < record.content_length
        block = _before_next(block) if short else block
        http, body = _parted(block) if record.is_http else (None, block)
        yield Raw(record, record.stream_pos, body[: cap + 1], short, http)


def _parted(block: bytes) -> tuple[WarcRecord, bytes]:
    """The headers of a response, whose lines may end without carriage return, and its body."""
    end = BLANK_LINE.search(block)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block, b"")
    http = WarcRecord()
    http.is_http = True
    http.set_bytes_content(LINE_END.sub(b"\r\n", head) + b"\r\n\r\n")
    http.parse_http(auto_decode="none")
    return http, body


def _salvaged(path: Path, at: int, cap: int) -> Iterator[Raw]:
    """What can be unpacked of the record at `at`, and of those packed together with it."""
    with path.open("rb") as file:
        file.seek(at)
        if not codec(file.read(4)):
            return
        file.seek(at)
        try:
            for raw in _whole(ArchiveIterator(Salvage(file), parse_http=False), cap):
                yield replace(raw, offset=UNKNOWN)
        except (OSError, ValueError):
            return


def _before_next(body: bytes) -> bytes:
    """The part of a short body that is its own: a wrong length swallows the records after it."""
    return body.partition(b"\r\n\r\nWARC/1.")[0]


def _capture(
    raw: Raw, url: str, time: int, reading: Reading, problems: Problems, status: int = 0
) -> Iterator[Record]:
    """The page that a record has, under the address and with the answer of a visit to it."""
    mime = raw.header("Content-Type")
    header: Callable[..., str | None] = {}.get
    if raw.http is not None:
        mime, header = raw.http.http_content_type or "", raw.http.http_headers.get
    status, at = status or raw.status or 200, max(0, raw.offset)
    response = Response(url, time, status, mime, raw.body, raw.short, at)
    if (page := response.record(header, reading, problems)) is not None:
        yield page


def _revisit(
    raw: Raw, reading: Reading, problems: Problems, revisits: Revisits
) -> Iterator[Record]:
    """A redirect, which is all there; what the server did not say to be the same waits."""
    if raw.moved:
        yield from _capture(raw, raw.url, raw.time, reading, problems)
    elif raw.status == NOT_MODIFIED or NOT_MODIFIED_PROFILE in raw.header("WARC-Profile"):
        problems.tell(UNCHANGED, raw.url, damage=False)
    else:
        refers = raw.header("WARC-Refers-To-Target-URI").strip("<> ")
        moment = _moment(raw.header("WARC-Refers-To-Date"))
        revisits.wait(Visit(raw.url, raw.time, raw.status, raw.digest, refers, moment))


def _moment(text: str) -> int:
    try:
        return seconds(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return UNKNOWN


def _record_at(path: Path, offset: int, cap: int) -> Raw | None:
    """Read a capture once more, unless it is packed together with others and has no place."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            head = file.read(4)
            if head != b"WARC" and not codec(head):
                return None
            file.seek(offset)
            raw = next(_whole(ArchiveIterator(file, parse_http=False), cap), None)
    except (OSError, ValueError):
        return None
    return raw if raw is not None and raw.record.record_type in CAPTURES else None


def _wet(raw: Raw, reading: Reading, problems: Problems) -> Iterator[Page]:
    """A page from the text that Common Crawl derives: no links."""
    url, cap = canonical(raw.url, reading.policy), reading.max_bytes
    if not url or len(url) > LONGEST:
        problems.tell("records with unusable URLs", raw.url, damage=False)
        return
    if len(raw.body) > cap:
        problems.tell("pages cut at the size limit", raw.url)
    text = raw.body[:cap].decode("utf-8", "replace")
    cut = raw.short or len(raw.body) > cap
    yield Page(url, time=raw.time, text=text, truncated=cut)


def _wat(raw: Raw, reading: Reading, problems: Problems) -> Iterator[Page]:
    """A page from the metadata that Common Crawl derives: its title and links, no text."""
    try:
        envelope = json.loads(raw.body)["Envelope"]
    except (ValueError, KeyError, TypeError, RecursionError):
        if raw.body.startswith(b'{"Container'):
            problems.tell("damaged WAT records", raw.url)
        return
    try:
        html = envelope["Payload-Metadata"]["HTTP-Response-Metadata"]["HTML-Metadata"]
        head, found = html.get("Head", {}), html.get("Links", [])
        links = tuple(_wat_links(raw.url, head, found, reading))
        title = " ".join(str(head.get("Title", "")).split())[:1000]
    except (KeyError, TypeError, AttributeError):
        if "HTTP-Response-Metadata" in str(envelope)[:100_000]:
            problems.tell("records that are not HTML", raw.url, damage=False)
        return
    url, beyond = canonical(raw.url, reading.policy), len(found) - reading.max_links
    if beyond > 0:
        problems.tell("links beyond the cap on a page", raw.url, damage=False, times=beyond)
    if url:
        yield Page(url, time=raw.time, title=title, truncated=beyond > 0, links=links)


def _wat_links(
    url: str, head: dict[str, Any], found: list[dict[str, Any]], reading: Reading
) -> Iterator[Link]:
    folder = folder_of(resolve(url, str(head.get("Base", ""))) or url)
    for link in found[: reading.max_links]:
        element = str(link.get("path", "")).partition("@")[0].lower()
        target = link_target(folder, str(link.get("url", "")), reading.policy)
        if element in SOURCES and target:
            anchor = " ".join(str(link.get("text", "")).split())[:1000]
            yield Link(target, anchor, rel=str(link.get("rel", "")).lower()[:100], element=element)
