"""Build WARC records and archives, and read them back."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from weft.gather.formats import read_revisits
from weft.gather.html import ParseOptions
from weft.gather.page import Page, Problems, RawPage
from weft.gather.revisits import RevisitIndex
from weft.gather.warc import read_warc

DAMAGE = "damaged records"
WORDS = [b" ".join(b"%d" % (j * j * k % 9973) for j in range(300)) for k in range(7)]


def record(
    url: str, block: bytes, kind: str = "response", mime: str = "application/http", **more: str
) -> bytes:
    """A WARC record; `more` are headers, with _ for -."""
    head = {
        "WARC-Type": kind,
        "WARC-Target-URI": url,
        "WARC-Date": "2020-01-02T03:04:05Z",
        "WARC-Record-ID": f"<urn:x:{url}>",
        "Content-Type": mime,
        **{name.replace("_", "-"): value for name, value in more.items()},
        "Content-Length": str(len(block)),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return b"WARC/1.0\r\n" + lines.encode() + b"\r\n" + block + b"\r\n\r\n"


def http(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = "".join(f"{line}\r\n" for line in headers or ["Content-Type: text/html"])
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


def page(k: int) -> bytes:
    return record(f"http://h/{k}", http(b"<html><p>" + WORDS[k]))


PAGES = [page(k) for k in range(6)]


def arrow(codec: str) -> Callable[[bytes], bytes]:
    def pack(raw: bytes) -> bytes:
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, codec) as stream:
            stream.write(raw)
        return bytes(sink.getvalue())

    return pack


PACKS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": arrow("zstd"),
    "lz4": arrow("lz4"),
}
packs = pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)


class Read:
    """The pages and problems of archives."""

    def __init__(self, *paths: Path, options: ParseOptions | None = None) -> None:
        self.problems, self.pages = Problems(), list[RawPage | Page]()
        options, revisits = options or ParseOptions(), RevisitIndex()
        for path in paths:
            revisits.set_current_archive(path)
            self.pages += read_warc(path, "a.warc", options, self.problems, revisits)
        self.pages += read_revisits(revisits, options, self.problems)

    @property
    def names(self) -> str:
        """The last characters of the URLs."""
        return "".join(page.url[-1] for page in self.pages)

    @property
    def truncated(self) -> str:
        """The last characters of the URLs of truncated pages."""
        return "".join(p.url[-1] for p in self.pages if isinstance(p, RawPage) and p.truncated)

    @property
    def damage(self) -> int:
        """The number of damaged records."""
        assert self.problems.damage_reasons <= {DAMAGE}
        return self.problems.counts[DAMAGE]


Reader = Callable[..., Read]
