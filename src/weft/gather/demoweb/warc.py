"""The demo web as a WARC file, each record a gzip member of its own."""

import gzip
from datetime import UTC, datetime
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from weft.core.progress import track
from weft.gather.demoweb.layout import make_plan
from weft.gather.demoweb.plan import DemoWeb
from weft.gather.demoweb.stream import FIRST_DAY, DemoPage, pages_of, seen
from weft.gather.demoweb.truth import Fact, Truth

LEVEL = 3
REASONS = {200: "OK", 301: "Moved Permanently"}


def write_warc(web: DemoWeb, path: Path) -> Truth:
    """Write a demo web as WARC, and beside it what is known about it.

    The truth of `demo.warc.gz` is `demo.truth.jsonl.gz`, one JSON object a line.
    """
    plan = make_plan(web)
    total = web.pages + len(plan.redirects)
    facts: list[Fact] = []
    with path.open("wb") as file:
        file.write(_member(_warcinfo(web)))
        for page in track(pages_of(plan), "writing the demo web", total):
            file.write(_member(_response(web, page)))
            facts.append(page.fact)
    truth = Truth((*facts, *seen(plan)))
    truth.to_json(truth_path(path))
    return truth


def truth_path(path: Path) -> Path:
    """Where the truth about a WARC file stands.

    Examples
    --------
    >>> truth_path(Path("demo.warc.gz")).name
    'demo.truth.jsonl.gz'
    """
    return path.with_name(f"{path.name.removesuffix('.gz').removesuffix('.warc')}.truth.jsonl.gz")


def _member(record: bytes) -> bytes:
    return gzip.compress(record, LEVEL, mtime=0)


def _warcinfo(web: DemoWeb) -> bytes:
    lines = f"software: weft demo web\r\nformat: WARC File Format 1.0\r\ndescription: {web}\r\n"
    kind = ("warcinfo", "application/warc-fields", "")
    return _record(kind, FIRST_DAY, f"{web}", lines.encode())


def _response(web: DemoWeb, page: DemoPage) -> bytes:
    body = page.html.encode()
    moved = f"Location: {page.location}\r\n" if page.location else ""
    head = (
        f"HTTP/1.1 {page.status} {REASONS[page.status]}\r\n"
        f"Content-Type: text/html; charset=utf-8\r\n{moved}Content-Length: {len(body)}\r\n\r\n"
    )
    kind = ("response", "application/http; msgtype=response", page.url)
    return _record(kind, page.time, f"{web.seed} {page.url}", head.encode() + body)


def _record(kind: tuple[str, str, str], time: int, identity: str, block: bytes) -> bytes:
    name, mime, url = kind
    target = f"WARC-Target-URI: {url}\r\n" if url else ""
    date = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    head = (
        f"WARC/1.0\r\nWARC-Type: {name}\r\nWARC-Date: {date}\r\n{target}"
        f"WARC-Record-ID: <urn:uuid:{uuid5(NAMESPACE_URL, identity)}>\r\n"
        f"Content-Type: {mime}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"
