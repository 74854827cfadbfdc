"""Read web archives: WARC, WAT and WET files."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from weft.gather.formats import input_format
from weft.gather.html import ParseOptions
from weft.gather.http import HttpResponse, unix_seconds
from weft.gather.links import LINK_ATTRIBUTES
from weft.gather.page import Link, Page, Problems, RawPage
from weft.gather.revisits import (
    UNCHANGED_REVISITS,
    UNRESOLVED_REVISITS,
    ResolvedRevisit,
    Revisit,
    RevisitIndex,
)
from weft.gather.salvage import SalvageReader, detect_codec, find_next_record, is_gzip_truncated
from weft.gather.url import (
    MAX_URL_CHARS,
    canonical_link_target,
    canonicalize_url,
    parent_folder,
    resolve_url,
)

WARC_SIGNATURE = b"WARC/"
UNKNOWN_VALUE = -1
NOT_MODIFIED, NOT_MODIFIED_PROFILE = 304, "server-not-modified"
MAX_HTTP_HEAD_BYTES = 1 << 16
BLANK_LINE, LINE_END = re.compile(rb"\r?\n\r?\n"), re.compile(rb"\r?\n")
CAPTURE_RECORD_TYPES = (WarcRecordType.response, WarcRecordType.resource)


@dataclass(frozen=True, slots=True)
class ArchiveRecord:
    """A record of an archive with its payload, up to the size limit.

    `http` has the HTTP headers, if the record is an HTTP message.
    """

    warc_record: WarcRecord
    offset: int
    body: bytes
    truncated: bool
    http: WarcRecord | None

    @property
    def url(self) -> str:
        """The captured URL, as written in the archive."""
        return self.header("WARC-Target-URI").strip("<> ")

    @property
    def digest(self) -> str:
        """The digest of the payload, if the archive has it."""
        return self.header("WARC-Payload-Digest")

    @property
    def time(self) -> int:
        """The time of capture in Unix seconds."""
        return unix_seconds(self.warc_record.record_date)

    @property
    def status(self) -> int:
        """The HTTP status; zero if there is none."""
        return (self.http.http_headers.status_code if self.http else None) or 0

    @property
    def is_redirect(self) -> bool:
        """Whether the response redirects to another URL."""
        has_location = self.http is not None and "Location" in self.http.http_headers
        return has_location and 300 <= self.status < 400 and self.status != NOT_MODIFIED

    def header(self, name: str) -> str:
        """A WARC header of the record, or nothing."""
        return str(self.warc_record.headers.get(name, ""))


def read_warc_revisits(
    path: Path,
    resolved_revisits: Iterable[ResolvedRevisit],
    options: ParseOptions,
    problems: Problems,
) -> Iterator[RawPage]:
    """The pages of revisits, each with the payload of its original at an offset of an archive."""
    for offset, resolved in groupby(resolved_revisits, lambda revisit: revisit.offset):
        original = _read_record_at(path, offset, options.max_bytes)
        url, time, digest = "", 0, ""
        if original is not None:
            url, time, digest = original.url, original.time, original.digest
        original_url = canonicalize_url(url, options.url_policy)
        for revisit in (found.revisit for found in resolved):
            if original is None or not revisit.matches(url, time, digest):
                problems.add(UNRESOLVED_REVISITS, revisit.url, damage=False)
            elif canonicalize_url(revisit.url, options.url_policy) == original_url:
                problems.add(UNCHANGED_REVISITS, revisit.url, damage=False)
            else:
                pages = _parse_capture(
                    original, revisit.url, revisit.time, options, problems, revisit.status
                )
                yield from (replace(page, offset=0) for page in pages)


@input_format(
    "warc",
    "WARC, WAT, WET",
    recognise=WARC_SIGNATURE,
    suffixes=(".warc", ".warc.wat", ".warc.wet"),
    read_revisits=read_warc_revisits,
)
def read_warc(
    path: Path, display_name: str, options: ParseOptions, problems: Problems, revisits: RevisitIndex
) -> Iterator[RawPage | Page]:
    """The pages of a web archive, plain, gzip, zstd or lz4; of WAT files links, of WET files text.

    Damaged records are left out. Revisits are collected until the captures of all
    archives are known.
    """
    for record in _read_records(path, display_name, options.max_bytes, problems):
        record_type = record.warc_record.record_type
        if record_type in CAPTURE_RECORD_TYPES:
            url, time = record.url, record.time
            revisits.add_capture(url, time, record.digest, record.offset)
            yield from _parse_capture(record, url, time, options, problems)
        elif record_type == WarcRecordType.revisit:
            yield from _handle_revisit(record, options, problems, revisits)
        elif record_type == WarcRecordType.metadata:
            yield from _parse_wat(record, options, problems)
        elif record_type == WarcRecordType.conversion:
            yield from _parse_wet(record, options, problems)


def _read_records(
    path: Path, display_name: str, max_bytes: int, problems: Problems
) -> Iterator[ArchiveRecord]:
    """Records with their payloads; after damage, reading resumes at the next record.

    FastWARC decompresses ahead, so it also loses records before the damage. If
    no other record follows, these are salvaged byte by byte.
    """
    start: int | None = 0
    while start is not None:
        last, count, damaged = start, 0, False
        with path.open("rb") as file:
            file.seek(start)
            try:
                for record in _load_payloads(ArchiveIterator(file, parse_http=False), max_bytes):
                    last, count, damaged = max(last, record.offset), count + 1, record.truncated
                    yield record
            except (OSError, ValueError):
                damaged = True
        if not damaged and not is_gzip_truncated(path, last):
            return
        if count or not start:
            problems.add("damaged records", f"{display_name} after byte {last:,}")
        next_start = find_next_record(path, last + 1, b"WARC/")
        if not count or next_start is None:
            yield from islice(_salvage_records(path, start, max_bytes), count, None)
        start = next_start


def _load_payloads(records: Iterable[WarcRecord], max_bytes: int) -> Iterator[ArchiveRecord]:
    """Records with their payloads; one without Content-Length is an error."""
    for record in records:
        if record.headers.get("Content-Length") is None:
            raise ValueError(record.stream_pos)
        max_block = max_bytes + MAX_HTTP_HEAD_BYTES if record.is_http else max_bytes
        # Ask for no more than there is: the reader clears all the memory that it may fill.
        block = record.reader.read(min(max_block, max(0, record.content_length)) + 1)
        truncated = len(block) <= max_block and len(block) < record.content_length
        block = _cut_at_next_record(block) if truncated else block
        http, body = _split_http_message(block) if record.is_http else (None, block)
        yield ArchiveRecord(record, record.stream_pos, body[: max_bytes + 1], truncated, http)


def _split_http_message(message: bytes) -> tuple[WarcRecord, bytes]:
    """The headers and the body of a response; lines may end in LF alone."""
    end = BLANK_LINE.search(message)
    head, body = (message[: end.start()], message[end.end() :]) if end else (message, b"")
    http = WarcRecord()
    http.is_http = True
    http.set_bytes_content(LINE_END.sub(b"\r\n", head) + b"\r\n\r\n")
    http.parse_http(auto_decode="none")
    return http, body


def _salvage_records(path: Path, offset: int, max_bytes: int) -> Iterator[ArchiveRecord]:
    """What can be decompressed of the record at `offset`, and of others in its gzip member."""
    with path.open("rb") as file:
        file.seek(offset)
        if not detect_codec(file.read(4)):
            return
        file.seek(offset)
        try:
            records = ArchiveIterator(SalvageReader(file), parse_http=False)
            for record in _load_payloads(records, max_bytes):
                yield replace(record, offset=UNKNOWN_VALUE)
        except (OSError, ValueError):
            return


def _cut_at_next_record(body: bytes) -> bytes:
    """The part of a body before the next record, which a wrong Content-Length includes."""
    return body.partition(b"\r\n\r\nWARC/1.")[0]


def _parse_capture(
    record: ArchiveRecord,
    url: str,
    time: int,
    options: ParseOptions,
    problems: Problems,
    status: int = 0,
) -> Iterator[RawPage]:
    """The page of a record, under the URL, time and status of a capture or revisit."""
    mime = record.header("Content-Type")
    get_header: Callable[..., str | None] = {}.get
    if record.http is not None:
        get_header = record.http.http_headers.get
        # With its charset, which `http_content_type` leaves out.
        mime = get_header("Content-Type") or ""
    status, offset = status or record.status or 200, max(0, record.offset)
    response = HttpResponse(url, time, status, mime, record.body, record.truncated, offset)
    if (page := response.to_raw_page(get_header, options, problems)) is not None:
        yield page


def _handle_revisit(
    record: ArchiveRecord, options: ParseOptions, problems: Problems, revisits: RevisitIndex
) -> Iterator[RawPage]:
    """Yield a redirect at once, count an unmodified page, and keep any other revisit for later."""
    if record.is_redirect:
        yield from _parse_capture(record, record.url, record.time, options, problems)
    elif record.status == NOT_MODIFIED or NOT_MODIFIED_PROFILE in record.header("WARC-Profile"):
        problems.add(UNCHANGED_REVISITS, record.url, damage=False)
    else:
        refers_to_url = record.header("WARC-Refers-To-Target-URI").strip("<> ")
        refers_to_time = _parse_date(record.header("WARC-Refers-To-Date"))
        revisits.add_revisit(
            Revisit(
                record.url, record.time, record.status, record.digest, refers_to_url, refers_to_time
            )
        )


def _parse_date(text: str) -> int:
    """Unix seconds of an ISO date, or -1."""
    try:
        return unix_seconds(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return UNKNOWN_VALUE


def _read_record_at(path: Path, offset: int, max_bytes: int) -> ArchiveRecord | None:
    """Read a capture again; None if it shares a gzip member with others or has changed."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            head = file.read(4)
            if head != b"WARC" and not detect_codec(head):
                return None
            file.seek(offset)
            record = next(_load_payloads(ArchiveIterator(file, parse_http=False), max_bytes), None)
    except (OSError, ValueError):
        return None
    if record is None or record.warc_record.record_type not in CAPTURE_RECORD_TYPES:
        return None
    return record


def _parse_wet(record: ArchiveRecord, options: ParseOptions, problems: Problems) -> Iterator[Page]:
    """A page from a WET record of Common Crawl: text, no links."""
    url, max_bytes = canonicalize_url(record.url, options.url_policy), options.max_bytes
    if not url or len(url) > MAX_URL_CHARS:
        problems.add("records with unusable URLs", record.url, damage=False)
        return
    if len(record.body) > max_bytes:
        problems.add("pages cut at the size limit", record.url)
    text = record.body[:max_bytes].decode("utf-8", "replace")
    truncated = record.truncated or len(record.body) > max_bytes
    yield Page(url, time=record.time, text=text, truncated=truncated)


def _parse_wat(record: ArchiveRecord, options: ParseOptions, problems: Problems) -> Iterator[Page]:
    """A page from a WAT record of Common Crawl: title and links, no text."""
    try:
        envelope = json.loads(record.body)["Envelope"]
    except (ValueError, KeyError, TypeError, RecursionError):
        if record.body.startswith(b'{"Container'):
            problems.add("damaged WAT records", record.url)
        return
    try:
        html = envelope["Payload-Metadata"]["HTTP-Response-Metadata"]["HTML-Metadata"]
        head, entries = html.get("Head", {}), html.get("Links", [])
        links = tuple(_wat_links(record.url, head, entries, options))
        title = " ".join(str(head.get("Title", "")).split())[:1000]
    except (KeyError, TypeError, AttributeError):
        if "HTTP-Response-Metadata" in str(envelope)[:100_000]:
            problems.add("records that are not HTML", record.url, damage=False)
        return
    url = canonicalize_url(record.url, options.url_policy)
    over_limit = len(entries) - options.max_links
    if over_limit > 0:
        problems.add("links over the limit per page", record.url, damage=False, count=over_limit)
    if url:
        yield Page(url, time=record.time, title=title, truncated=over_limit > 0, links=links)


def _wat_links(
    url: str, head: dict[str, Any], entries: list[dict[str, Any]], options: ParseOptions
) -> Iterator[Link]:
    folder = parent_folder(resolve_url(url, str(head.get("Base", ""))) or url)
    for entry in entries[: options.max_links]:
        element = str(entry.get("path", "")).partition("@")[0].lower()
        target = canonical_link_target(folder, str(entry.get("url", "")), options.url_policy)
        if element in LINK_ATTRIBUTES and target:
            anchor = " ".join(str(entry.get("text", "")).split())[:1000]
            rel = str(entry.get("rel", "")).lower()[:100]
            yield Link(target, anchor, rel=rel, element=element)
