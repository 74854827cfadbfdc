"""Read pages from plain files: HTML, folders of files, JSON lines with one page each."""

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
from weft.gather.formats import (
    HEAD_BYTES,
    Evidence,
    InputHead,
    InputSource,
    detect_format,
    input_format,
    input_formats,
)
from weft.gather.html import ParseOptions
from weft.gather.http import HTML_MARKUP, sniff_page_type, unix_seconds
from weft.gather.page import Link, Page, Problems, RawPage
from weft.gather.salvage import detect_codec
from weft.gather.url import HOST_NAME, MAX_URL_CHARS, URL_STRIP_CHARS, canonicalize_url, resolve_url

BASE_URL_FILE = "base-url.txt"
DEFAULT_BASE_URL = "file://folder/"
BASE_TAG_BYTES, MARKUP_BYTES = 8192, 4096
ZIP_SIGNATURE = b"PK\x03\x04"
BVGRAPH_PROPERTIES = re.compile(rb"^graphclass\s*=.*BVGraph", re.MULTILINE)
COMPRESSION_SUFFIXES = ("", ".gz", ".zst", ".lz4")
WAT_WET_FILE_NAME = re.compile(
    rf"(?:\.warc)?\.(wat|wet)(?:{'|'.join(map(re.escape, COMPRESSION_SUFFIXES))})$", re.IGNORECASE
)
PAGE_SUFFIX = re.compile(r"\.(?:x?html?|shtml|php\d?|aspx?|jsp|cfm|txt)$", re.IGNORECASE)
MAX_LINE_BYTES = 64 << 20
MAX_TIMESTAMP = 1 << 33


@input_format(
    "collection",
    "other collections",
    evidence=Evidence.STRUCTURE,
    recognise=lambda head: (head.path / "collection.json").is_file(),
)
def read_collection(path: Path) -> Iterator[Path]:
    """Everything in another collection, given by its folder."""
    yield path


@input_format(
    "folder",
    "folders of HTML",
    evidence=Evidence.ANYTHING,
    recognise=lambda head: head.path.is_dir(),
)
def read_folder(path: Path, base_url: str, problems: Problems) -> Iterator[InputSource]:
    """Every HTML and text file below a folder, and every archive by its file name.

    They come sorted by name. Symbolic links are not followed.
    """
    base_url = base_url or _folder_base_url(path)
    for file in _walk_regular_files(path, problems):
        if file.name == BASE_URL_FILE and file.parent == path:
            continue
        try:
            name = _format_in_folder(file, problems)
        except OSError as error:
            problems.add("files that cannot be read", f"{file}: {error.strerror}")
            continue
        if name:
            yield InputSource(file, name, str(file), file_url(base_url, file.relative_to(path)))


def _format_in_folder(path: Path, problems: Problems) -> str:
    """The format of a file in a folder: that of an archive, or else HTML; nothing to skip it.

    A file with the name of an archive but unrecognised content is read as the
    format of its name, so that its damage is reported.
    """
    if path.suffix == ".properties" and BVGRAPH_PROPERTIES.search(InputHead(path).data):
        problems.add("web graphs in a folder, which are added by their own names", str(path))
        return ""
    if _has_fuller_archive(path):
        problems.add("WAT and WET files of archives beside them", str(path), damage=False)
        return ""
    by_name = _format_by_name(path.name)
    if not by_name and not WAT_WET_FILE_NAME.search(path.name):
        return "html"
    detected = detect_format(InputHead(path)) or by_name
    return detected if detected and input_formats()[detected].suffixes else "html"


def _format_by_name(name: str) -> str:
    """The format whose suffix a file has, perhaps before that of a compression; or nothing."""
    for known in input_formats().values():
        suffixes = [a + b for a in known.suffixes for b in COMPRESSION_SUFFIXES]
        if name.lower().endswith(tuple(suffixes)):
            return known.name
    return ""


def _has_fuller_archive(path: Path) -> bool:
    """Whether a WAT or WET file lies beside its WARC file, or a WET file beside its WAT file."""
    if not (match := WAT_WET_FILE_NAME.search(path.name)):
        return False
    stem, is_wat = path.name[: match.start()], match[1].lower() == "wat"
    fuller_suffixes = [".warc"] if is_wat else [".warc", ".warc.wat", ".wat"]
    return any(
        path.with_name(stem + suffix + compression).is_file()
        for suffix in fuller_suffixes
        for compression in COMPRESSION_SUFFIXES
    )


def file_url(base_url: str, relative_path: Path) -> str:
    """The URL of a file below a base URL."""
    url = resolve_url(base_url, quote(os.fsencode(relative_path.as_posix())))
    if not url:
        raise WeftError(
            f"{base_url!r} is not a base URL", hint="give one such as http://example.com/"
        )
    return url


def _is_html(head: InputHead) -> bool:
    is_zip = head.data.startswith(ZIP_SIGNATURE)
    return not is_zip and HTML_MARKUP.search(head.data[:MARKUP_BYTES]) is not None


@input_format("html", "HTML", evidence=Evidence.ANYTHING, recognise=_is_html)
def read_html(
    path: Path, base_url: str, options: ParseOptions, problems: Problems
) -> Iterator[RawPage]:
    """One HTML or text file, as a page below `--base-url` or its own `<base>`."""
    url = file_url(base_url or DEFAULT_BASE_URL, Path(path.name))
    try:
        with path.open("rb") as file:
            body, time = file.read(options.max_bytes + 1), int(os.fstat(file.fileno()).st_mtime)
    except OSError as error:
        problems.add("files that cannot be read", f"{path}: {error.strerror}")
        return
    cut, body = len(body) > options.max_bytes, body[: options.max_bytes]
    if cut:
        problems.add("pages cut at the size limit", str(path))
    mime = "text/plain" if path.suffix.lower() == ".txt" else ""
    if PAGE_SUFFIX.search(path.name) and mime == "" and body:
        mime = "text/html"
    kind = sniff_page_type(path.name, mime, body)
    if not kind:
        problems.add("files that are not HTML", str(path), damage=False)
        return
    if declared_base := _declared_base_url(body[:BASE_TAG_BYTES]):
        url = resolve_url(declared_base, quote(os.fsencode(path.name))) or url
    mime = mime or "text/html"
    is_text = kind == "text"
    yield RawPage(url, body, max(0, time), mime=mime, is_plain_text=is_text, truncated=cut)


def _declared_base_url(head: bytes) -> str:
    """The http or https URL of the `<base>` of a page, or nothing."""
    if b"<base" not in head.lower():
        return ""
    node = HTMLTree.parse_from_bytes(head, "utf-8").document.query_selector("base[href]")
    url = node.getattr("href").strip(URL_STRIP_CHARS) if node is not None else ""
    return url if url.lower().startswith(("http://", "https://")) else ""


def _folder_base_url(folder: Path) -> str:
    """The base URL of a folder: from `base-url.txt`, its name if that is a host, or a file URL."""
    sidecar = folder / BASE_URL_FILE
    if sidecar.is_file():
        with sidecar.open(encoding="utf-8", errors="replace") as file:
            base = file.read(MAX_URL_CHARS).strip()
        return base if base.endswith("/") else f"{base}/"
    name = folder.resolve().name
    if HOST_NAME.fullmatch(name.lower()):
        return f"http://{name}/"
    return f"file://{quote(name, safe='')}/" if re.fullmatch(r"[\w.-]+", name) else DEFAULT_BASE_URL


def _walk_regular_files(folder: Path, problems: Problems) -> Iterator[Path]:
    """Regular files only: a pipe would block, a symbolic link could lead anywhere."""

    def report_error(error: OSError) -> None:
        problems.add("folders that cannot be read", f"{error.filename}: {error.strerror}")

    for parent, folders, names in os.walk(folder, onerror=report_error):
        folders.sort()
        linked = [name for name in folders if (Path(parent) / name).is_symlink()]
        for name in sorted(names + linked):
            path = Path(parent) / name
            if stat.S_ISREG(path.lstat().st_mode):
                yield path
            else:
                problems.add("files that are not regular", str(path), damage=False)


def open_decompressed(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed if it is compressed."""
    with path.open("rb") as file:
        codec = detect_codec(file.read(4))
    if codec == "gzip":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if codec:
        return io.BufferedReader(pa.CompressedInputStream(str(path), codec))
    return path.open("rb")


def _is_jsonl(head: InputHead) -> bool:
    """Whether the first line is an object with a URL, or the file is empty."""
    if head.is_empty_file:
        return True
    line = head.data.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    if not line.startswith(b"{"):
        return False
    try:
        return "url" in json.loads(line)
    except (ValueError, RecursionError):
        return b'"url"' in line and len(line) >= HEAD_BYTES - 8


@input_format("jsonl", "JSON lines", evidence=Evidence.STRUCTURE, recognise=_is_jsonl)
def read_jsonl(
    path: Path, display_name: str, options: ParseOptions, problems: Problems
) -> Iterator[RawPage | Page]:
    """One page a line, as a JSON object with `url`, and `html` or `text`.

    It may also have `title`, `links`, `language` and `time`.
    """
    with open_decompressed(path) as file:
        number = 0
        while line := _read_line(file, display_name, problems):
            number += 1
            if not line.strip():
                continue
            try:
                page = _page_from_json(json.loads(line), options, problems)
            except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
                problems.add("lines that are not pages", f"{display_name}:{number}")
            else:
                yield page


def _read_line(file: IO[bytes], display_name: str, problems: Problems) -> bytes:
    """The next line that is not overlong; empty at the end, or at damage."""
    try:
        line = file.readline(MAX_LINE_BYTES)
        while len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            problems.add("lines longer than 64 MB", display_name)
            while (piece := file.readline(MAX_LINE_BYTES)) and not piece.endswith(b"\n"):
                pass
            line = file.readline(MAX_LINE_BYTES)
    except (OSError, EOFError, zlib.error):
        problems.add("damaged compression", display_name)
        return b""
    return line


def _page_from_json(
    row: dict[str, Any], options: ParseOptions, problems: Problems
) -> RawPage | Page:
    url = str(row["url"])
    form = canonicalize_url(url, options.url_policy)
    if not form or len(form) > MAX_URL_CHARS:
        raise ValueError(url)
    time = _parse_time(row.get("time") or row.get("date") or row.get("timestamp"))
    title = " ".join(_text_field(row, "title").split())[:1000]
    text = _text_field(row, "html") or _text_field(row, "text")
    cut = len(text) > options.max_bytes
    if cut:
        problems.add("pages cut at the size limit", url)
        text = text[: options.max_bytes]
    if row.get("html"):
        body = text.encode()
        return RawPage(
            url, body, time, mime="text/html", charset="utf-8", title=title, truncated=cut
        )
    links = row.get("links") or []
    links = links if isinstance(links, list) else [links]
    if len(links) > options.max_links:
        over_limit = len(links) - options.max_links
        problems.add("links over the limit per page", url, damage=False, count=over_limit)
    return Page(
        form,
        time=time,
        title=title,
        text=text,
        language=_primary_language(_text_field(row, "language", "lang")),
        original=url if url != form else "",
        truncated=cut or len(links) > options.max_links,
        links=tuple(_links_from_json(url, links[: options.max_links], options)),
    )


def _primary_language(tag: str) -> str:
    """The primary language of a tag such as pt-BR, without region or script."""
    return tag.strip().replace("_", "-").partition("-")[0][:8].lower()


def _links_from_json(url: str, links: list[Any], options: ParseOptions) -> Iterator[Link]:
    for link in links:
        fields = {"url": link} if isinstance(link, str) else link
        reference = _text_field(fields, "url", "target", "href")
        target = resolve_url(url, reference) if reference else ""
        if target and len(target) <= MAX_URL_CHARS:
            anchor = " ".join(_text_field(fields, "anchor", "text").split())[:1000]
            rel = _text_field(fields, "rel").lower()[:100]
            yield Link(canonicalize_url(target, options.url_policy), anchor, rel=rel)


def _text_field(row: dict[str, Any], *keys: str) -> str:
    """The text under the first key that is set, without the lone surrogates that JSON allows.

    A list of texts is joined, a number is written out; anything else is an error.
    """
    value = next((row[key] for key in keys if row.get(key)), "")
    if isinstance(value, bool | dict):
        raise TypeError(value)
    text = " ".join(value) if isinstance(value, list) else str(value)
    return text.encode("utf-8", "replace").decode()


def _parse_time(value: object) -> int:
    """Unix seconds from a number or an ISO date; zero for anything else."""
    if isinstance(value, int | float):
        return int(value) if 0 <= value < MAX_TIMESTAMP else 0
    try:
        return unix_seconds(datetime.fromisoformat(str(value)))
    except (ValueError, OverflowError):
        return 0
