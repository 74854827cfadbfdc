"""Pages from plain files: folders of HTML, and one page a line as JSON."""

import gzip
import io
import json
import os
import re
import stat
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import quote

import pyarrow as pa
from resiliparse.parse.html import HTMLTree

from weft.core.errors import WeftError
from weft.gather.damage import codec
from weft.gather.html import Reading
from weft.gather.http import seconds
from weft.gather.page import Link, Page, Problems, Record
from weft.gather.sniff import page_kind
from weft.gather.url import EDGES, LONGEST, NAMED_HOST, canonical, resolve

SIDECAR = "base-url.txt"
HEAD = 8192
PAGE_ENDING = re.compile(r"\.(?:x?html?|shtml|php\d?|aspx?|jsp|cfm|txt)$", re.IGNORECASE)
LONGEST_LINE = 64 << 20
LATEST = 1 << 33


def addressed(folder: Path, base: str, problems: Problems) -> Iterator[tuple[Path, str]]:
    """Every file below a folder with its URL, in the order of names; links are not followed."""
    base = base or _folder_base(folder)
    for path in _regular_files(folder, problems):
        if path.name != SIDECAR or path.parent != folder:
            yield path, page_url(base, path.relative_to(folder))


def page_url(base: str, name: Path) -> str:
    """The URL of a file below a base, which must be one."""
    url = resolve(base, quote(os.fsencode(name.as_posix())))
    if not url:
        raise WeftError(f"{base!r} is no base URL", hint="give one such as http://example.com/")
    return url


def read_html(path: Path, url: str, reading: Reading, problems: Problems) -> Record | None:
    """One HTML file as the page at `url`, or at the address its own <base> gives it."""
    try:
        with path.open("rb") as file:
            body, time = file.read(reading.max_bytes + 1), int(os.fstat(file.fileno()).st_mtime)
    except OSError as error:
        problems.tell("files that cannot be read", f"{path}: {error.strerror}")
        return None
    cut, body = len(body) > reading.max_bytes, body[: reading.max_bytes]
    if cut:
        problems.tell("pages cut at the size limit", str(path))
    mime = "text/plain" if path.suffix.lower() == ".txt" else ""
    if PAGE_ENDING.search(path.name) and mime == "" and body:
        mime = "text/html"
    kind = page_kind(path.name, mime, body)
    if not kind:
        problems.tell("files that are not HTML", str(path), damage=False)
        return None
    if own := _own_base(body[:HEAD]):
        url = resolve(own, quote(os.fsencode(path.name))) or url
    mime = mime or "text/html"
    return Record(url, body, max(0, time), mime=mime, plain=kind == "text", clipped=cut)


def _own_base(head: bytes) -> str:
    """The web address that the <base> of a page names, or nothing."""
    if b"<base" not in head.lower():
        return ""
    node = HTMLTree.parse_from_bytes(head, "utf-8").document.query_selector("base[href]")
    url = node.getattr("href").strip(EDGES) if node is not None else ""
    return url if url.lower().startswith(("http://", "https://")) else ""


def _folder_base(folder: Path) -> str:
    """Where a folder's pages came from: its sidecar, its name if that is a host, or itself."""
    sidecar = folder / SIDECAR
    if sidecar.is_file():
        with sidecar.open(encoding="utf-8", errors="replace") as file:
            base = file.read(LONGEST).strip()
        return base if base.endswith("/") else f"{base}/"
    name = folder.resolve().name
    if NAMED_HOST.fullmatch(name.lower()):
        return f"http://{name}/"
    return f"file://{quote(name, safe='')}/" if re.fullmatch(r"[\w.-]+", name) else "file://folder/"


def _regular_files(folder: Path, problems: Problems) -> Iterator[Path]:
    def tell(error: OSError) -> None:
        problems.tell("folders that cannot be read", f"{error.filename}: {error.strerror}")

    for where, below, names in os.walk(folder, onerror=tell):
        below.sort()
        linked = [name for name in below if (Path(where) / name).is_symlink()]
        for name in sorted(names + linked):
            path = Path(where) / name
            if stat.S_ISREG(path.lstat().st_mode):
                yield path
            else:
                problems.tell("files that are not regular", str(path), damage=False)


def open_plain(path: Path) -> IO[bytes]:
    """Open a file for reading, through its compression if it has one."""
    with path.open("rb") as file:
        name = codec(file.read(4))
    if name == "gzip":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if name:
        return io.BufferedReader(pa.CompressedInputStream(str(path), name))
    return path.open("rb")


def read_lines(
    path: Path, label: str, reading: Reading, problems: Problems
) -> Iterator[Record | Page]:
    """One page a line as JSON: `url`, `html` or `text`, and optionally `title`, `links`, `time`."""
    with open_plain(path) as file:
        number = 0
        while line := _line(file, label, problems):
            number += 1
            if not line.strip():
                continue
            try:
                page = _from_json(json.loads(line), reading, problems)
            except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
                problems.tell("lines that are no pages", f"{label}:{number}")
            else:
                yield page


def _line(file: IO[bytes], label: str, problems: Problems) -> bytes:
    try:
        line = file.readline(LONGEST_LINE)
        while len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            problems.tell("lines longer than 64 MB", label)
            while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            line = file.readline(LONGEST_LINE)
    except (OSError, EOFError, zlib.error):
        problems.tell("damaged compression", label)
        return b""
    return line


def _from_json(row: dict[str, Any], reading: Reading, problems: Problems) -> Record | Page:
    url = str(row["url"])
    form = canonical(url, reading.policy)
    if not form or len(form) > LONGEST:
        raise ValueError(url)
    time = _time(row.get("time") or row.get("date") or row.get("timestamp"))
    title = " ".join(_words(row, "title").split())[:1000]
    text = _words(row, "html") or _words(row, "text")
    cut = len(text) > reading.max_bytes
    if cut:
        problems.tell("pages cut at the size limit", url)
        text = text[: reading.max_bytes]
    if row.get("html"):
        body = text.encode()
        return Record(url, body, time, mime="text/html", charset="utf-8", title=title, clipped=cut)
    links = row.get("links") or []
    links = links if isinstance(links, list) else [links]
    if len(links) > reading.max_links:
        beyond = len(links) - reading.max_links
        problems.tell("links beyond the cap on a page", url, damage=False, times=beyond)
    return Page(
        form,
        time=time,
        title=title,
        text=text,
        language=_primary(_words(row, "language", "lang")),
        original=url if url != form else "",
        truncated=cut or len(links) > reading.max_links,
        links=tuple(_json_links(url, links[: reading.max_links], reading)),
    )


def _primary(tag: str) -> str:
    """The language of a tag such as pt-BR, without country or script."""
    return tag.strip().replace("_", "-").partition("-")[0][:8].lower()


def _json_links(url: str, links: list[Any], reading: Reading) -> Iterator[Link]:
    for link in links:
        given = {"url": link} if isinstance(link, str) else link
        address = _words(given, "url", "target", "href")
        target = resolve(url, address) if address else ""
        if target and len(target) <= LONGEST:
            anchor = " ".join(_words(given, "anchor", "text").split())[:1000]
            rel = _words(given, "rel").lower()[:100]
            yield Link(canonical(target, reading.policy), anchor, rel=rel)


def _words(row: dict[str, Any], *keys: str) -> str:
    """What stands under the first of some keys, without the half characters that JSON allows.

    A list of texts is all of them, a number is how it is written; anything else is no text.
    """
    given = next((row[key] for key in keys if row.get(key)), "")
    if isinstance(given, bool | dict):
        raise TypeError(given)
    text = " ".join(given) if isinstance(given, list) else str(given)
    return text.encode("utf-8", "replace").decode()


def _time(given: object) -> int:
    """Seconds since 1970 from a number or an ISO date; zero for what is neither."""
    if isinstance(given, int | float):
        return int(given) if 0 <= given < LATEST else 0
    try:
        return seconds(datetime.fromisoformat(str(given)))
    except (ValueError, OverflowError):
        return 0
