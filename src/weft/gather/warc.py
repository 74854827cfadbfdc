"""Web archives: WARC, WAT and WET records."""

import json
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
CAPTURES = (WarcRecordType.response, WarcRecordType.resource)


@dataclass(frozen=True, slots=True)
class Raw:
    """A record of an archive with as much of its payload as the cap allows."""

    record: WarcRecord
    offset: int
    body: bytes
    short: bool

    @property
    def url(self) -> str:
        """The URL it was captured from, as the archive has it."""
        return str(self.record.headers.get("WARC-Target-URI", "")).strip("<> ")

    @property
    def digest(self) -> str:
        """What the archive says its payload is; its own place where it says nothing."""
        return self.record.headers.get("WARC-Payload-Digest") or f"at {self.offset}"


def read_warc(
    path: Path, label: str, reading: Reading, problems: Problems
) -> Iterator[Record | Page]:
    """Every page of an archive, damaged or not.

    WAT records give links without text, WET records text without links. A
    revisit of the same URL says that nothing changed and is counted; one that
    refers to another URL is read from there.
    """
    originals: dict[str, int] = {}
    for raw in _records(path, label, reading.max_bytes, problems):
        kind = raw.record.record_type
        if kind in CAPTURES:
            page = _capture(raw, reading, problems)
            if page is not None:
                originals.setdefault(raw.digest, raw.offset)
                yield page
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
                for raw in _whole(ArchiveIterator(file, auto_decode="none"), cap):
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
        # The reader clears as much memory as it may fill.
        body = record.reader.read(min(cap, max(0, record.content_length)) + 1)
        short = len(body) <= cap and len(body) < record.content_length
        yield Raw(record, record.stream_pos, _before_next(body) if short else body, short)


def _salvaged(path: Path, at: int, cap: int) -> Iterator[Raw]:
    """What can be unpacked of the record at `at`, and of those packed together with it."""
    with path.open("rb") as file:
        file.seek(at)
        if not codec(file.read(4)):
            return
        file.seek(at)
        try:
            for raw in _whole(ArchiveIterator(Salvage(file), auto_decode="none"), cap):
                yield replace(raw, offset=UNKNOWN)
        except (OSError, ValueError):
            return


def _before_next(body: bytes) -> bytes:
    """The part of a short body that is its own: a wrong length swallows the records after it."""
    return body.partition(b"\r\n\r\nWARC/1.")[0]


def _capture(raw: Raw, reading: Reading, problems: Problems) -> Record | None:
    record = raw.record
    status, mime = 200, str(record.headers.get("Content-Type", ""))
    header: Callable[..., str | None] = {}.get
    if record.is_http_parsed:
        status, mime = record.http_headers.status_code or 200, record.http_content_type or ""
        header = record.http_headers.get
    moment, at = seconds(record.record_date), max(0, raw.offset)
    response = Response(raw.url, moment, status, mime, raw.body, raw.short, at)
    return response.record(header, reading, problems)


def _revisit(
    raw: Raw, path: Path, originals: dict[str, int], reading: Reading, problems: Problems
) -> Iterator[Record]:
    refers = str(raw.record.headers.get("WARC-Refers-To-Target-URI", "")).strip("<> ") or raw.url
    if canonical(refers, reading.policy) == canonical(raw.url, reading.policy):
        problems.tell("revisits of unchanged pages", raw.url, damage=False)
        return
    again = _again(path, originals.get(raw.digest, UNKNOWN), raw.digest, reading.max_bytes)
    if again is None:
        problems.tell("revisits of pages that are not in the archive", raw.url, damage=False)
        return
    page = _capture(again, reading, problems)
    if page is not None:
        yield replace(page, url=raw.url, time=seconds(raw.record.record_date))


def _again(path: Path, offset: int, digest: str, cap: int) -> Raw | None:
    """Read a record once more, unless it is packed together with others and has no place."""
    if offset == UNKNOWN:
        return None
    with path.open("rb") as file:
        file.seek(offset)
        try:
            raw = next(_whole(ArchiveIterator(file, auto_decode="none"), cap), None)
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
