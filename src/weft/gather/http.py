"""HTTP responses: content type, transfer and content encoding, and which are pages."""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from functools import lru_cache
from typing import Literal

import pyarrow as pa

from weft.gather.html import ParseOptions
from weft.gather.page import Problems, RawPage
from weft.gather.url import MAX_URL_CHARS, PAGE_URL, canonicalize_url

HTML_MEDIA_TYPES = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
UNSPECIFIC_MEDIA_TYPES = (
    "",
    "application/octet-stream",
    "application/xml",
    "text/xml",
    "unknown",
    "text/unknown",
)
# Pages that say that the file is gone or needs a login are often served as the file.
PDF_MEDIA_TYPES = ("application/pdf", "application/x-pdf")
HTML_START = re.compile(rb"<(?:!doctype\s+html|html)\b", re.IGNORECASE)
HTML_MARKUP = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|h[1-6]|table|div|center|p>|a\s+href|frameset|dir>)",
    re.IGNORECASE,
)
BINARY_SIGNATURES = (
    b"%PDF",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"%!PS",
    b"\x1f\x8b",
    b"RIFF",
)
NON_PAGE_URL = re.compile(
    r"/robots\.txt$|\.(?:js|mjs|css|json|xml|rss|atom|csv|tsv|htc|xspf|svg|map|log)(?:\?|$)",
    re.IGNORECASE,
)
SNIFF_BYTES = 4096
DECODE_BLOCK_BYTES = 4096
MAX_ENCODINGS = 5  # one over the other, as many as curl undoes
CONTROL_BYTES = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def sniff_page_type(url: str, mime: str, body: bytes) -> Literal["html", "text", ""]:
    """Whether a response is HTML, plain text or not a page, by media type and content."""
    head = body[:SNIFF_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")
    if mime in HTML_MEDIA_TYPES:
        return "" if head.startswith(BINARY_SIGNATURES) else "html"
    if mime in PDF_MEDIA_TYPES:
        return "html" if HTML_START.match(head) else ""
    if mime != "text/plain" and mime not in UNSPECIFIC_MEDIA_TYPES:
        return ""
    if head.startswith(b"<?xml") and b"<html" not in head.lower():
        return ""
    if HTML_MARKUP.search(head):
        return "html"
    return "text" if mime == "text/plain" and _is_readable_text(url, head) else ""


def _is_readable_text(url: str, head: bytes) -> bool:
    """Whether plain text is prose; scripts, styles and data often come as text/plain too."""
    if not head or NON_PAGE_URL.search(url) or b"\0" in head or head.startswith(BINARY_SIGNATURES):
        return False
    control = sum(byte < 32 and byte not in b"\t\n\r\f\b\x1b" for byte in head)
    return control * 50 < len(head)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response as archived: the body still has its transfer and content encoding."""

    url: str
    time: int
    status: int
    content_type: str
    body: bytes
    truncated: bool
    offset: int = 0

    def to_raw_page(
        self, get_header: Callable[..., str | None], options: ParseOptions, problems: Problems
    ) -> RawPage | None:
        """Decode the response as a page or redirect; other responses are counted as problems."""
        url = self.url
        if not PAGE_URL.match(url):
            problems.add("records that are not web pages", url, damage=False)
            return None
        if len(url) > MAX_URL_CHARS or not canonicalize_url(url, options.url_policy):
            problems.add("records with unusable URLs", url, damage=False)
            return None
        location = get_header("Location") or "" if 300 <= self.status < 400 else ""
        transfer_encoding = get_header("Transfer-Encoding") or ""
        content_encodings = get_header("Content-Encoding") or ""
        body, cut, damaged = dechunk_and_decompress(
            self.body, transfer_encoding, content_encodings, options.max_bytes
        )
        if damaged and not location:
            problems.add("damaged bodies", url)
        if cut:
            problems.add("pages cut at the size limit", url)
        mime, charset = parse_content_type(self.content_type)
        page_type = sniff_page_type(url, mime, body)
        if not page_type and not location:
            problems.add("records that are not HTML", url, damage=False)
            return None
        return RawPage(
            url=url,
            body=b"" if location else body,
            time=self.time,
            status=self.status,
            mime=mime,
            charset=charset,
            location=location,
            robots=(get_header("X-Robots-Tag") or "").lower()[:100],
            is_plain_text=page_type == "text",
            truncated=cut or self.truncated or damaged,
            offset=self.offset,
        )


@lru_cache(maxsize=1 << 10)
def parse_content_type(header: str) -> tuple[str, str]:
    """The media type and charset of a Content-Type header."""
    mime, _, parameters = header.partition(";")
    if not parameters:
        return mime.strip().lower(), ""
    message = Message()
    message["content-type"] = header.replace("\n", " ").replace("\r", " ")[:500]
    charset = message.get_param("charset", "")
    return mime.strip().lower(), charset if isinstance(charset, str) else ""


def dechunk_and_decompress(
    raw: bytes, transfer_encoding: str, content_encodings: str, max_bytes: int
) -> tuple[bytes, bool, bool]:
    """Undo chunking and compression, up to `max_bytes`.

    Returns the body, whether it was cut at the limit, and whether it was
    damaged; what could be read of a damaged body is kept.
    """
    damaged = False
    if "chunked" in transfer_encoding.lower():
        raw, damaged = _join_chunks(raw)
    names = [part.strip().lower() for part in content_encodings.split(",")]
    if len(names) > MAX_ENCODINGS:
        return raw[:max_bytes], len(raw) > max_bytes, True
    for name in reversed(names):
        decode = BODY_DECODERS.get(name)
        if decode is not None and raw:
            raw, decoding_failed = decode(raw, max_bytes + 1)
            damaged |= decoding_failed
    return raw[:max_bytes], len(raw) > max_bytes, damaged


def _join_chunks(raw: bytes) -> tuple[bytes, bool]:
    """Join the chunks; a body without chunks stays, since archives often keep the header alone."""
    parts: list[bytes] = []
    position = 0
    while position < len(raw):
        line_end = raw.find(b"\r\n", position, position + 100)
        digits = raw[position:line_end].partition(b";")[0].strip() if line_end >= 0 else b""
        try:
            length = int(digits, 16) if digits and b"_" not in digits else -1
        except ValueError:
            length = -1
        if length < 0:
            return (raw, False) if not parts else (b"".join(parts), True)
        if length == 0:
            return b"".join(parts), False
        parts.append(raw[line_end + 2 : line_end + 2 + length])
        position = line_end + 2 + length + 2
    return b"".join(parts), position > len(raw) + 2 or bool(parts)


def _inflate(raw: bytes, max_bytes: int) -> tuple[bytes, bool]:
    """Decompress gzip, zlib or raw deflate; the flag says whether the data is damaged."""
    for window_bits in (47, -15):  # gzip or zlib by their headers, then raw deflate
        inflater = zlib.decompressobj(window_bits)
        try:
            body = inflater.decompress(raw, max_bytes)
        except zlib.error:
            if window_bits == 47 and raw[:2] == b"\x1f\x8b":
                return _inflate_damaged_gzip(raw, max_bytes), True
            continue
        return body, not inflater.eof and len(body) < max_bytes
    return _keep_if_uncompressed(raw)


def _keep_if_uncompressed(raw: bytes) -> tuple[bytes, bool]:
    """A body that is not compressed as its header says: kept if it looks like text."""
    return (b"", True) if CONTROL_BYTES.search(raw, 0, 512) else (raw, False)


def _inflate_damaged_gzip(raw: bytes, max_bytes: int) -> bytes:
    """Decompress a damaged gzip body block by block, up to the damage."""
    inflater, total = zlib.decompressobj(47), 0
    parts: list[bytes] = []
    try:
        for start in range(0, len(raw), DECODE_BLOCK_BYTES):
            block = raw[start : start + DECODE_BLOCK_BYTES]
            part = inflater.decompress(block, max_bytes - total)
            parts.append(part)
            total += len(part)
            if total >= max_bytes:
                break
    except zlib.error:
        pass
    return b"".join(parts)


def _arrow_decoder(codec: str) -> Callable[[bytes, int], tuple[bytes, bool]]:
    """A decoder of Brotli or zstd by Arrow's streams, which stop at the limit."""

    def decode(raw: bytes, max_bytes: int) -> tuple[bytes, bool]:
        parts: list[bytes] = []
        total = 0
        try:
            with pa.CompressedInputStream(pa.BufferReader(raw), codec) as stream:
                while total < max_bytes and (
                    part := stream.read(min(DECODE_BLOCK_BYTES, max_bytes - total))
                ):
                    parts.append(part)
                    total += len(part)
        except OSError:
            return (b"".join(parts), True) if parts else _keep_if_uncompressed(raw)
        return b"".join(parts), False

    return decode


BODY_DECODERS: dict[str, Callable[[bytes, int], tuple[bytes, bool]]] = {
    "gzip": _inflate,
    "x-gzip": _inflate,
    "deflate": _inflate,
    "br": _arrow_decoder("brotli"),
    "zstd": _arrow_decoder("zstd"),
}


def unix_seconds(moment: datetime | None) -> int:
    """Unix seconds; zero for no date or one before 1970. A naive date is UTC."""
    if moment is None:
        return 0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0, int(aware.replace(microsecond=0).timestamp()))
