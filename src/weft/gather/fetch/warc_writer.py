"""Write what was fetched as WARC files that other tools read, one gzip member a record."""

import gzip
from base64 import b32encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha1
from http.client import responses
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self
from uuid import uuid4

MAX_FILE_BYTES = 1 << 30
GZIP_LEVEL = 4
REVISIT_PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
HTTP_REQUEST, HTTP_RESPONSE = (
    "application/http; msgtype=request",
    "application/http; msgtype=response",
)
WARC_FIELDS = "application/warc-fields"
# Headers that describe the transfer, which is undone; the length is that of the stored body.
TRANSFER_HEADERS = frozenset(("transfer-encoding", "content-length", "connection", "keep-alive"))

Headers = Iterable[tuple[str, str]]


class ArchivePosition(NamedTuple):
    """The end of what is complete in the last file of an archive."""

    name: str
    length: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its response; the body has its content encoding, but no transfer encoding.

    `truncated` is nothing, `length`, `time` or `disconnect`, as in WARC.
    """

    url: str
    time: int
    request_headers: tuple[tuple[str, str], ...]
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    address: str = ""
    truncated: str = ""

    def header(self, name: str) -> str:
        """The first header of the response with this name, in lower case; empty if none."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def payload_digest(self) -> str:
        """The digest of the body, in the form that archives use."""
        return "sha1:" + b32encode(sha1(self.body, usedforsecurity=False).digest()).decode()


@dataclass(frozen=True, slots=True)
class Rendering:
    """The HTML of a page after its scripts have run, when that was, and the browser."""

    url: str
    time: int
    html: bytes
    browser: str


class WarcWriter:
    """Appends records to numbered files in a folder.

    What a call writes is handed to the operating system before it returns, so
    it outlives the process. `resume_at` is the position that was committed
    last: whatever a killed process wrote after it is cut off.
    """

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, object] | None = None,
        *,
        resume_at: ArchivePosition | None = None,
        max_file_bytes: int = MAX_FILE_BYTES,
    ) -> None:
        self.folder = folder
        self._settings = dict(settings or {})
        self._max_file_bytes = max_file_bytes
        self._file: BinaryIO | None = None
        self._length = 0
        folder.mkdir(parents=True, exist_ok=True)
        numbers = [int(path.name[5:10]) for path in folder.glob("weft-?????.warc.gz")]
        self._number = max(numbers, default=0)
        if resume_at is not None:
            self._cut_at(resume_at)

    @property
    def position(self) -> ArchivePosition:
        """The end of the last record."""
        return ArchivePosition(self._path.name, self._length)

    def write_exchange(
        self,
        exchange: Exchange,
        metadata: Mapping[str, object],
        *,
        first_capture: tuple[str, int] | None = None,
        rendering: Rendering | None = None,
    ) -> None:
        """Write request, response and metadata; a revisit if the payload is that of another.

        A rendering is a resource record beside the response, with metadata of its own.
        """
        date, response_id = _date(exchange.time), _record_id()
        common = [("WARC-Date", date), ("WARC-Target-URI", exchange.url)]
        head = _response_head(exchange)
        fields = [*common, ("WARC-Payload-Digest", exchange.payload_digest)]
        if exchange.address:
            fields.append(("WARC-IP-Address", exchange.address))
        if exchange.truncated:
            fields.append(("WARC-Truncated", exchange.truncated))
        if first_capture is None:
            record = _record("response", response_id, fields, HTTP_RESPONSE, head + exchange.body)
        else:
            fields.append(("WARC-Profile", REVISIT_PROFILE))
            fields.append(("WARC-Refers-To-Target-URI", first_capture[0]))
            fields.append(("WARC-Refers-To-Date", _date(first_capture[1])))
            record = _record("revisit", response_id, fields, HTTP_RESPONSE, head)
        concurrent = [*common, ("WARC-Concurrent-To", response_id)]
        lines = "".join(f"{name}: {value}\r\n" for name, value in metadata.items())
        self._append(
            record
            + _record("request", _record_id(), concurrent, HTTP_REQUEST, _request_head(exchange))
            + _record("metadata", _record_id(), concurrent, WARC_FIELDS, lines.encode())
            + (_rendering_records(rendering, response_id) if rendering is not None else b"")
        )

    def close(self) -> None:
        """Close the current file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _path(self) -> Path:
        return self.folder / f"weft-{self._number:05}.warc.gz"

    def _append(self, records: bytes) -> None:
        if self._file is None or self._length >= self._max_file_bytes:
            self._open_next()
        assert self._file is not None
        self._file.write(records)
        self._length += len(records)

    def _open_next(self) -> None:
        self.close()
        self._number += 1
        self._file = self._path.open("xb", buffering=0)
        fields = {
            "software": f"Weft {version('weft')}",
            "format": "WARC File Format 1.1",
            "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
            "robots": "obey",
            **self._settings,
        }
        lines = "".join(f"{name}: {_one_line(value)}\r\n" for name, value in fields.items())
        head = [("WARC-Date", _date(None)), ("WARC-Filename", self._path.name)]
        record = _record("warcinfo", _record_id(), head, WARC_FIELDS, lines.encode())
        self._file.write(record)
        self._length = len(record)

    def _cut_at(self, position: ArchivePosition) -> None:
        """Remove what was written after a position, and continue there."""
        path = self.folder / position.name
        if not path.is_file() or path.stat().st_size < position.length:
            return
        for later in self.folder.glob("weft-?????.warc.gz"):
            if later.name > position.name:
                later.unlink()
        self._number, self._length = int(position.name[5:10]), position.length
        self._file = path.open("r+b", buffering=0)
        self._file.truncate(position.length)
        self._file.seek(position.length)


def _record(kind: str, number: str, headers: Headers, mime: str, block: bytes) -> bytes:
    lines = [f"WARC-Type: {kind}", f"WARC-Record-ID: {number}"]
    lines += [f"{name}: {value}" for name, value in headers]
    lines += [f"Content-Type: {mime}", f"Content-Length: {len(block)}"]
    head = "WARC/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n"
    return gzip.compress(head.encode() + block + b"\r\n\r\n", GZIP_LEVEL, mtime=0)


def _rendering_records(rendering: Rendering, response_id: str) -> bytes:
    number = _record_id()
    common = [("WARC-Date", _date(rendering.time)), ("WARC-Target-URI", rendering.url)]
    beside = [*common, ("WARC-Concurrent-To", response_id)]
    html = _record("resource", number, beside, "text/html; charset=utf-8", rendering.html)
    mark = f"rendered: {rendering.browser}\r\n".encode()
    about = [*common, ("WARC-Concurrent-To", number)]
    return html + _record("metadata", _record_id(), about, WARC_FIELDS, mark)


def _response_head(exchange: Exchange) -> bytes:
    kept = [pair for pair in exchange.headers if pair[0].lower() not in TRANSFER_HEADERS]
    reason = responses.get(exchange.status, "")
    lines = [f"HTTP/1.1 {exchange.status} {reason}".rstrip()]
    lines += [f"{name}: {value}" for name, value in kept]
    lines.append(f"Content-Length: {len(exchange.body)}")
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n"


def _request_head(exchange: Exchange) -> bytes:
    authority, _, path = exchange.url.partition("://")[2].partition("/")
    lines = [f"GET /{path} HTTP/1.1", f"Host: {authority}"]
    lines += [f"{name}: {value}" for name, value in exchange.request_headers]
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n"


def _record_id() -> str:
    return f"<urn:uuid:{uuid4()}>"


def _date(seconds: int | None) -> str:
    moment = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _one_line(value: object) -> str:
    return " ".join(str(value).split())
