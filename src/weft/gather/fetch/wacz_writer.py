"""Pack the archive of a crawl as WACZ: its WARC files, an index, a list of pages, digests."""

import gzip
import json
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType

from weft.gather.http import parse_content_type
from weft.gather.url import host

WACZ_VERSION = "1.1.1"
COPY_BYTES = 1 << 20
INDEXED_TYPES = WarcRecordType.response | WarcRecordType.revisit


class IndexEntry(NamedTuple):
    """A capture in an archive, as a line of its index."""

    key: str
    timestamp: str
    url: str
    mime: str
    status: int
    digest: str
    filename: str
    offset: int
    length: int

    @property
    def line(self) -> str:
        """The entry in CDXJ: key, timestamp and the rest as JSON."""
        fields = {
            "url": self.url,
            "mime": self.mime,
            "status": str(self.status),
            "digest": self.digest,
            "length": str(self.length),
            "offset": str(self.offset),
            "filename": self.filename,
        }
        return f"{self.key} {self.timestamp} {json.dumps(fields)}\n"


def write_wacz(path: Path, archives: Sequence[Path], title: str = "") -> int:
    """Pack WARC files into one WACZ file; the number of captures in it.

    The file is complete or not there: it is written beside its place and
    renamed. The index is sorted in memory.
    """
    entries = sorted(entry for archive in archives for entry in index_archive(archive))
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".wacz-", delete=False) as file:
        try:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as bundle:
                _write_members(bundle, archives, entries, title)
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    path.chmod(0o644)
    return len(entries)


def index_archive(archive: Path) -> Iterator[IndexEntry]:
    """The captures of a WARC file, each with its place in the compressed file."""
    pending: IndexEntry | None = None
    with archive.open("rb") as file:
        for record in ArchiveIterator(file, parse_http=True):
            if pending is not None:
                yield pending._replace(length=record.stream_pos - pending.offset)
            pending = None
            if not record.record_type & INDEXED_TYPES:
                continue
            url = str(record.headers.get("WARC-Target-URI", ""))
            mime, _ = parse_content_type(record.http_content_type or "")
            is_revisit = record.record_type == WarcRecordType.revisit
            pending = IndexEntry(
                surt_key(url),
                _timestamp(record.record_date),
                url,
                "warc/revisit" if is_revisit else mime,
                record.http_headers.status_code or 0,
                str(record.headers.get("WARC-Payload-Digest", "")),
                archive.name,
                record.stream_pos,
                0,
            )
    if pending is not None:
        yield pending._replace(length=archive.stat().st_size - pending.offset)


def surt_key(url: str) -> str:
    """The sort key of a URL in an index.

    Examples
    --------
    >>> surt_key("https://www.Example.com:8080/A?b")
    'com,example,www:8080)/a?b'
    """
    after_scheme = url.partition("://")[2].lower()
    authority, slash, path = after_scheme.partition("/")
    name = host(url).lower()
    labels = ",".join(reversed(name.split("."))) if not name[:1].isdigit() else name
    return f"{labels}{authority[len(name) :]}){slash or '/'}{path}"


def _write_members(
    bundle: zipfile.ZipFile, archives: Sequence[Path], entries: Sequence[IndexEntry], title: str
) -> None:
    resources = [_copy(bundle, f"archive/{archive.name}", archive) for archive in archives]
    index = gzip.compress("".join(entry.line for entry in entries).encode(), mtime=0)
    resources.append(_add(bundle, "indexes/index.cdx.gz", index))
    pages = "".join(_page_lines(entries)).encode()
    resources.append(_add(bundle, "pages/pages.jsonl", pages))
    package = {
        "profile": "data-package",
        "wacz_version": WACZ_VERSION,
        "title": title,
        "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "software": "Weft",
        "resources": resources,
    }
    datapackage = json.dumps(package, indent=2).encode()
    _add(bundle, "datapackage.json", datapackage)
    digest = {"path": "datapackage.json", "hash": f"sha256:{sha256(datapackage).hexdigest()}"}
    _add(bundle, "datapackage-digest.json", json.dumps(digest).encode())


def _page_lines(entries: Iterable[IndexEntry]) -> Iterator[str]:
    yield json.dumps({"format": "json-pages-1.0", "id": "pages", "title": "All pages"}) + "\n"
    for entry in entries:
        if entry.status == 200 and entry.mime in ("text/html", "application/xhtml+xml"):
            moment = datetime.strptime(entry.timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
            page = {"url": entry.url, "ts": moment.strftime("%Y-%m-%dT%H:%M:%SZ")}
            yield json.dumps(page) + "\n"


def _copy(bundle: zipfile.ZipFile, name: str, source: Path) -> dict[str, object]:
    digest = sha256()
    with source.open("rb") as file, bundle.open(name, "w", force_zip64=True) as member:
        while block := file.read(COPY_BYTES):
            digest.update(block)
            member.write(block)
    return _resource(name, digest.hexdigest(), source.stat().st_size)


def _add(bundle: zipfile.ZipFile, name: str, data: bytes) -> dict[str, object]:
    bundle.writestr(name, data)
    return _resource(name, sha256(data).hexdigest(), len(data))


def _resource(name: str, digest: str, size: int) -> dict[str, object]:
    return {
        "name": name.rpartition("/")[2],
        "path": name,
        "hash": f"sha256:{digest}",
        "bytes": size,
    }


def _timestamp(moment: datetime | None) -> str:
    return moment.strftime("%Y%m%d%H%M%S") if moment else ""
