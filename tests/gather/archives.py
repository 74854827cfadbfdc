"""WARC records, whole archives of them, and what is read of these."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from weft.gather.html import Reading
from weft.gather.page import Page, Problems, Record
from weft.gather.revisits import Revisits
from weft.gather.source import read_revisits
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
    """What was read of archives."""

    def __init__(self, *paths: Path, reading: Reading | None = None) -> None:
        self.problems, self.pages = Problems(), list[Record | Page]()
        reading, revisits = reading or Reading(), Revisits()
        for path in paths:
            revisits.begin(path)
            self.pages += read_warc(path, "a.warc", reading, self.problems, revisits)
        self.pages += read_revisits(revisits, reading, self.problems)

    @property
    def names(self) -> str:
        """The last characters of the URLs."""
        return "".join(page.url[-1] for page in self.pages)

    @property
    def clipped(self) -> str:
        """Those of pages that are not whole."""
        return "".join(p.url[-1] for p in self.pages if isinstance(p, Record) and p.clipped)

    @property
    def damage(self) -> int:
        """How often damage was told."""
        assert self.problems.damaged <= {DAMAGE}
        return self.problems.counts[DAMAGE]


Reader = Callable[..., Read]
