"""What HTTP wrapped around a body, taken off again without trusting it."""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from functools import lru_cache

import pyarrow as pa

from weft.gather.html import Reading
from weft.gather.page import Problems, Record
from weft.gather.sniff import page_kind
from weft.gather.url import LONGEST, PAGE, canonical

BLOCK = 4096
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True, slots=True)
class Response:
    """What a server answered, as an archive kept it."""

    url: str
    time: int
    status: int
    type: str
    body: bytes
    short: bool
    at: int = 0

    def record(
        self, header: Callable[..., str | None], reading: Reading, problems: Problems
    ) -> Record | None:
        """The page or redirect it is; anything else is told as what it is."""
        url = self.url
        if not PAGE.match(url):
            problems.tell("records that are no web pages", url, damage=False)
            return None
        if len(url) > LONGEST or not canonical(url, reading.policy):
            problems.tell("records with unusable URLs", url, damage=False)
            return None
        location = header("Location") or "" if 300 <= self.status < 400 else ""
        transfer, encoding = header("Transfer-Encoding") or "", header("Content-Encoding") or ""
        body, cut, broken = unwrap(self.body, transfer, encoding, reading.max_bytes)
        if broken and not location:
            problems.tell("damaged bodies", url)
        if cut:
            problems.tell("pages cut at the size limit", url)
        mime, charset = content_type(self.type)
        kind = page_kind(url, mime, body)
        if not kind and not location:
            problems.tell("records that are not HTML", url, damage=False)
            return None
        return Record(
            url=url,
            body=b"" if location else body,
            time=self.time,
            status=self.status,
            mime=mime,
            charset=charset,
            location=location,
            robots=(header("X-Robots-Tag") or "").lower()[:100],
            plain=kind == "text",
            clipped=cut or self.short or broken,
            at=self.at,
        )


@lru_cache(maxsize=1 << 10)
def content_type(header: str) -> tuple[str, str]:
    """The media type and charset of a Content-Type header."""
    mime, _, rest = header.partition(";")
    if not rest:
        return mime.strip().lower(), ""
    message = Message()
    message["content-type"] = header.replace("\n", " ").replace("\r", " ")[:500]
    charset = message.get_param("charset", "")
    return mime.strip().lower(), charset if isinstance(charset, str) else ""


def unwrap(raw: bytes, transfer: str, encodings: str, cap: int) -> tuple[bytes, bool, bool]:
    """Undo chunking and compression, up to `cap` bytes.

    Returns the body, whether it was cut at the cap, and whether it was
    damaged; what could be read of a damaged body is kept.
    """
    broken = False
    if "chunked" in transfer.lower():
        raw, broken = _join_chunks(raw)
    for name in reversed([part.strip().lower() for part in encodings.split(",")]):
        reader = READERS.get(name)
        if reader is not None and raw:
            raw, bad = reader(raw, cap + 1)
            broken |= bad
    return raw[:cap], len(raw) > cap, broken


def _join_chunks(raw: bytes) -> tuple[bytes, bool]:
    """Join the chunks; archives that unchunked a body and kept the header are common."""
    parts: list[bytes] = []
    at = 0
    while at < len(raw):
        line = raw.find(b"\r\n", at, at + 100)
        size = raw[at:line].partition(b";")[0].strip() if line >= 0 else b""
        try:
            length = int(size, 16) if size and b"_" not in size else -1
        except ValueError:
            length = -1
        if length < 0:
            return (raw, False) if not parts else (b"".join(parts), True)
        if length == 0:
            return b"".join(parts), False
        parts.append(raw[line + 2 : line + 2 + length])
        at = line + 2 + length + 2
    return b"".join(parts), at > len(raw) + 2 or bool(parts)


def _inflate(raw: bytes, cap: int) -> tuple[bytes, bool]:
    """Gzip, zlib or bare deflate."""
    for bits in (47, -15):
        worker = zlib.decompressobj(bits)
        try:
            body = worker.decompress(raw, cap)
        except zlib.error:
            if bits == 47 and raw[:2] == b"\x1f\x8b":
                return _inflate_pieces(raw, cap), True
            continue
        return body, not worker.eof and len(body) < cap
    return _unpacked_already(raw)


def _unpacked_already(raw: bytes) -> tuple[bytes, bool]:
    """A body without the compression it claims: often plain text, else nothing can be read."""
    return (b"", True) if CONTROL.search(raw, 0, 512) else (raw, False)


def _inflate_pieces(raw: bytes, cap: int) -> bytes:
    """Read a damaged gzip body byte block by byte block, as far as it goes."""
    worker, total = zlib.decompressobj(47), 0
    parts: list[bytes] = []
    try:
        for at in range(0, len(raw), 4096):
            part = worker.decompress(raw[at : at + 4096], cap - total)
            parts.append(part)
            total += len(part)
            if total >= cap:
                break
    except zlib.error:
        pass
    return b"".join(parts)


def _arrow(codec: str) -> Callable[[bytes, int], tuple[bytes, bool]]:
    """Brotli and zstd through Arrow's streaming readers, which stop where they are told to."""

    def read(raw: bytes, cap: int) -> tuple[bytes, bool]:
        parts: list[bytes] = []
        total = 0
        try:
            with pa.CompressedInputStream(pa.BufferReader(raw), codec) as stream:
                while total < cap and (part := stream.read(min(BLOCK, cap - total))):
                    parts.append(part)
                    total += len(part)
        except OSError:
            return (b"".join(parts), True) if parts else _unpacked_already(raw)
        return b"".join(parts), False

    return read


READERS: dict[str, Callable[[bytes, int], tuple[bytes, bool]]] = {
    "gzip": _inflate,
    "x-gzip": _inflate,
    "deflate": _inflate,
    "br": _arrow("brotli"),
    "zstd": _arrow("zstd"),
}


def seconds(moment: datetime | None) -> int:
    """Seconds since 1970, zero for no date or one that is no date of the web."""
    if moment is None:
        return 0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0, int(aware.replace(microsecond=0).timestamp()))
