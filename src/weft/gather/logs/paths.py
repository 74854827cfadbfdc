"""Read ready-made paths: those of Wikispeedia, and tables of sessions."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from weft.core.errors import WeftError
from weft.gather.formats import Evidence, InputHead, input_format
from weft.gather.logs.blocks import log_head, read_line_blocks
from weft.gather.logs.cleaning import encode_used
from weft.gather.logs.line_format import parse_time
from weft.gather.logs.options import LogInput
from weft.gather.logs.rows import mask_text
from weft.gather.logs.visitors import VisitorHasher
from weft.gather.page import REQUEST_SCHEMA, RequestBatch
from weft.gather.url import MAX_URL_CHARS, canonicalize_url

WIKISPEEDIA_URL = "http://schools-wikipedia.org/wp/"
BACK = b"<"
MAX_BATCH_VIEWS = 1 << 18
BAD_PATHS = "lines that are not paths"
WIKISPEEDIA_LINE = re.compile(
    rb"(?:(?P<number>\d++)|(?P<visitor>[0-9a-f]{16})\t(?P<time>\d{1,11})\t\d++)"
    rb"\t(?P<path>[^\t;]++(?:;[^\t;]++)++|[^\t;]++)(?:\t[^\t]*+){0,2}"
)
SESSION_NAMES = ("session", "session_id", "sessionid", "visit", "visit_id")
URL_NAMES = ("url", "page", "uri", "request", "path")
TIME_NAMES = ("time", "timestamp", "datetime", "date")


class View(NamedTuple):
    """A page in a path; `visitor` and `session` are what identifies them."""

    visitor: bytes
    session: bytes
    time: int
    url: str


def _is_wikispeedia(head: InputHead) -> bool:
    """Whether every line is a path of articles, and most have a separator."""
    lines = [line.rstrip(b"\r") for line in log_head(head).split(b"\n")]
    lines = [line for line in lines if line and not line.startswith(b"#")]
    matches = [WIKISPEEDIA_LINE.fullmatch(line) for line in lines]
    if not lines or not all(matches):
        return False
    paths = [match for match in matches if match and b";" in match["path"]]
    return 2 * len(paths) >= len(lines) and not any(b"://" in line for line in lines)


@input_format(
    "paths-wikispeedia",
    "Wikispeedia paths",
    evidence=Evidence.STRUCTURE,
    recognise=_is_wikispeedia,
)
def read_wikispeedia_paths(path: Path, log: LogInput) -> Iterator[RequestBatch]:
    """The paths of Wikispeedia, a line each, with `;` between articles and `<` for going back."""
    views = _read_views(path, log, parse_wikispeedia_line)
    yield from make_batches(views, log)


def parse_wikispeedia_line(line: bytes, place: bytes, base_url: str) -> list[View] | None:
    """The views of a path; going back is a view of the page before; None if it is no path."""
    match = WIKISPEEDIA_LINE.fullmatch(line)
    if not match:
        return None
    visitor = match["visitor"] or place
    time = int(match["time"] or 0)
    articles: list[bytes] = []
    views = []
    for article in match["path"].split(b";"):
        if article == BACK:
            articles = articles[:-1] or articles
        else:
            articles.append(article)
        if not articles:
            return None
        url = article_url(articles[-1], base_url or WIKISPEEDIA_URL)
        if not url:
            return None
        views.append(View(visitor, place, time, url))
    return views


def article_url(article: bytes, base_url: str) -> str:
    """The URL of an article: its file name, percent-encoded once more, below its first letter.

    Examples
    --------
    >>> article_url(b"U.S._Open_%28tennis%29", WIKISPEEDIA_URL)
    'http://schools-wikipedia.org/wp/u/U.S._Open_%2528tennis%2529.htm'
    """
    name = article.decode("utf-8", "replace")
    letter = name[0].lower()
    path = f"{letter}/{name}.htm".replace("%", "%25")
    url = canonicalize_url(f"{base_url.rstrip('/')}/{path}")
    return url if len(url) <= MAX_URL_CHARS else ""


def _read_views(
    path: Path, log: LogInput, parse: Callable[[bytes, bytes, str], list[View] | None]
) -> Iterator[list[View]]:
    """The views of each line of a file; lines that are none are counted as damage."""
    for block in read_line_blocks(path, log.display_name, log.problems):
        for k, text in enumerate(block.data.split(b"\n")[:-1]):
            line, number = text.rstrip(b"\r"), block.first_line + k
            if not line.strip() or line.startswith(b"#"):
                continue
            place = f"{log.input_digest}:{number}".encode()
            views = parse(line, place, log.base_url)
            if views is None:
                sample = f"{log.display_name}:{number}: {mask_text(line)}"
                log.problems.add(BAD_PATHS, sample)
            else:
                yield views


class SessionColumns(NamedTuple):
    """Where a table has session, URL and time, and what separates its cells."""

    session: int
    url: int
    time: int | None
    delimiter: str


def find_session_columns(header: str) -> SessionColumns | None:
    """The columns of a table of views, by the names in its first line.

    Examples
    --------
    >>> find_session_columns("session,time,url")
    SessionColumns(session=0, url=2, time=1, delimiter=',')
    """
    for delimiter in ",\t;":
        cells = next(csv.reader(header.splitlines()[:1], delimiter=delimiter), [])
        names = [cell.strip().lower().replace(" ", "_") for cell in cells]

        def find(wanted: tuple[str, ...], names: list[str] = names) -> int | None:
            return next((names.index(name) for name in wanted if name in names), None)

        session, url = find(SESSION_NAMES), find(URL_NAMES)
        if session is not None and url is not None:
            return SessionColumns(session, url, find(TIME_NAMES), delimiter)
    return None


def _is_session_table(head: InputHead) -> bool:
    first = log_head(head).lstrip().partition(b"\n")[0].strip()
    if b"\0" in first or len(first) > 10_000:
        return False
    return find_session_columns(first.decode("utf-8", "replace")) is not None


@input_format(
    "paths-table",
    "CSV of sessions",
    evidence=Evidence.STRUCTURE,
    recognise=_is_session_table,
)
def read_session_table(path: Path, log: LogInput) -> Iterator[RequestBatch]:
    """A table with a view a row: session, URL and perhaps time; a session's rows are in order."""
    columns: SessionColumns | None = None

    def parse_row(line: bytes, _place: bytes, base_url: str) -> list[View] | None:
        nonlocal columns
        text = line.decode("utf-8", "replace")
        if columns is None:
            columns = find_session_columns(text)
            if columns is None:
                raise WeftError(
                    f"{log.display_name} has no columns session and url",
                    hint="name them in the first row, such as session,time,url",
                )
            return []
        return _parse_session_row(text, columns, base_url)

    yield from make_batches(_read_views(path, log, parse_row), log)


def _parse_session_row(text: str, columns: SessionColumns, base_url: str) -> list[View] | None:
    try:
        cells = next(csv.reader(io.StringIO(text), delimiter=columns.delimiter, strict=True), [])
    except csv.Error:
        return None
    if len(cells) <= max(columns.session, columns.url, columns.time or 0):
        return None
    session, page = cells[columns.session].strip(), cells[columns.url].strip()
    url = canonicalize_url(page)
    if not url and base_url:
        url = canonicalize_url(f"{base_url.rstrip('/')}/{page.lstrip('/')}")
    time = 0 if columns.time is None else _parse_any_time(cells[columns.time].strip().encode())
    if not session or not url or time is None or len(url) > MAX_URL_CHARS:
        return None
    return [View(session.encode(), session.encode(), time, url)]


def _parse_any_time(text: bytes) -> int | None:
    """Unix seconds; 0 for none."""
    if not text:
        return 0
    found = (parse_time(role, text) for role in ("unix_time", "iso_time", "common_time", "date"))
    return next((time for time in found if time is not None), None)


def make_batches(paths: Iterable[list[View]], log: LogInput) -> Iterator[RequestBatch]:
    """Views as requests in batches; the order of rows is that of the paths."""
    hasher = VisitorHasher(log.options.salt)
    waiting: list[View] = []
    for views in paths:
        if not log.options.keep_queries:
            views = [v._replace(url=v.url.partition("?")[0]) for v in views]  # noqa: PLW2901
        waiting += views
        if len(waiting) >= MAX_BATCH_VIEWS:
            yield _make_batch(waiting, log.input_digest, hasher)
            waiting = []
    if waiting:
        yield _make_batch(waiting, log.input_digest, hasher)


def _make_batch(views: list[View], input_digest: str, hasher: VisitorHasher) -> RequestBatch:
    n, numbers = len(views), {}  # type: ignore[var-annotated]
    hashes = {name: hasher.hash(b"visitor", name) for name in {v.visitor for v in views}}
    sessions = {name: hasher.hash(b"session", name) for name in {v.session for v in views}}
    for view in views:
        numbers.setdefault(view.url, len(numbers))
    codes = np.array([numbers[view.url] for view in views], np.int32)
    columns = [
        pa.array([hashes[view.visitor] for view in views], pa.uint64()),
        pa.array([sessions[view.session] for view in views], pa.uint64()),
        pa.array([view.time for view in views], pa.int64()),
        encode_used(codes, list(numbers)),
        encode_used(np.zeros(n, np.int32), [""]),
        pa.array(np.full(n, 200, np.int16)),
        pa.array(np.zeros(n, np.uint8)),
    ]
    return RequestBatch(input_digest, pa.table(columns, schema=REQUEST_SCHEMA))
