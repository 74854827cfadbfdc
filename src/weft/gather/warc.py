"""Web archives: WARC, WAT and WET records."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from weft.gather.damage import Salvage, clipped, codec, next_start
from weft.gather.html import Reading
from weft.gather.http import Response, seconds
from weft.gather.marks import SOURCES
from weft.gather.page import Link, Page, Problems, Record
from weft.gather.url import LONGEST, canonical, folder_of, link_target, resolve

UNKNOWN = -1
NOT_MODIFIED = 304
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
        return str(self.record.headers.get("WARC-Target-URI", "")).strip("<> ")

    @property
    def digest(self) -> str:
        """What the archive says its payload is, if it does."""
        return str(self.record.headers.get("WARC-Payload-Digest", ""))

    @property
    def status(self) -> int:
        """What the server answered; all was well where none did, or in no words of HTTP."""
        return (self.http.http_headers.status_code if self.http else None) or 200

    @property
    def moved(self) -> bool:
        """Whether the server sent its reader elsewhere."""
        away = self.http is not None and "Location" in self.http.http_headers
        return away and 300 <= self.status < 400 and self.status != NOT_MODIFIED


def read_warc(
    path: Path, label: str, reading: Reading, problems: Problems
) -> Iterator[Record | Page]:
    """Every page of an archive, damaged or not.

    WAT records give links without text, WET records text without links. A
    revisit of the same URL says that nothing changed and is counted; one of
    what another URL had is read from there.
    """
    originals: dict[str, int] = {}
    for raw in _records(path, label, reading.max_bytes, problems):
        kind = raw.record.record_type
        if kind in CAPTURES:
            if raw.digest:
                originals.setdefault(raw.digest, raw.offset)
            yield from _capture(raw, reading, problems)
        elif kind == WarcRecordType.revisit:
            yield from _revisit(raw, path, originals, reading, problems)
        elif kind == WarcRecordType.metadata:
            yield from _wat(raw, reading, problems)
        elif kind == WarcRecordType.conversion:
            yield from _wet(raw, reading, problems)


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


def _capture(raw: Raw, reading: Reading, problems: Problems) -> Iterator[Record]:
    mime = str(raw.record.headers.get("Content-Type", ""))
    header: Callable[..., str | None] = {}.get
    if raw.http is not None:
        mime, header = raw.http.http_content_type or "", raw.http.http_headers.get
    moment, at = seconds(raw.record.record_date), max(0, raw.offset)
    response = Response(raw.url, moment, raw.status, mime, raw.body, raw.short, at)
    if (page := response.record(header, reading, problems)) is not None:
        yield page


def _revisit(
    raw: Raw, path: Path, originals: dict[str, int], reading: Reading, problems: Problems
) -> Iterator[Record]:
    """The page that was found again: the original's, unless it is that of the same URL."""
    if raw.moved:
        yield from _capture(raw, reading, problems)
        return
    refers = str(raw.record.headers.get("WARC-Refers-To-Target-URI", "")).strip("<> ")
    here = canonical(raw.url, reading.policy)
    same = raw.digest in originals and canonical(refers, reading.policy) == here
    again = None if same else _again(path, originals, raw.digest, reading.max_bytes)
    same = same or raw.status == NOT_MODIFIED
    if same or (again is not None and canonical(again.url, reading.policy) == here):
        problems.tell("revisits of unchanged pages", raw.url, damage=False)
    elif again is None:
        problems.tell("revisits of what is not in the archive", raw.url, damage=False)
    else:
        for page in _capture(again, reading, problems):
            yield replace(page, url=raw.url, time=seconds(raw.record.record_date))


def _again(path: Path, originals: dict[str, int], digest: str, cap: int) -> Raw | None:
    """Read a record once more, unless it is packed together with others and has no place."""
    offset = originals.get(digest, UNKNOWN)
    if offset == UNKNOWN:
        return None
    with path.open("rb") as file:
        file.seek(offset)
        try:
            raw = next(_whole(ArchiveIterator(file, parse_http=False), cap), None)
        except (OSError, ValueError):
            return None
    return raw if raw is not None and raw.digest == digest else None


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
    yield Page(url, time=seconds(raw.record.record_date), text=text, truncated=cut)


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
        time = seconds(raw.record.record_date)
        yield Page(url, time=time, title=title, truncated=beyond > 0, links=links)


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
