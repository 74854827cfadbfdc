"""Read logs with a JSON object a line: Caddy, nginx, CloudFront and load balancers."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from weft.gather.formats import Evidence, InputHead, input_format
from weft.gather.logs.blocks import log_head, read_line_blocks
from weft.gather.logs.cleaning import clean_requests
from weft.gather.logs.line_format import PREFERENCE, ROLE_BY_NAME, ParsedLine, parse_time
from weft.gather.logs.options import LogInput
from weft.gather.logs.rows import LogRows, RowParser
from weft.gather.page import RequestBatch

PAGE_KEYS = frozenset(["html", "text", "links", "title"])
HEADER_ROLES = {
    "referer": "referrer",
    "user-agent": "agent",
    "dnt": "do_not_track",
    "sec-gpc": "gpc",
}
ANSWER_ROLES = {"content-type": "content_type", "location": "location"}
TIME_KEYS = (
    "ts",
    "msec",
    "time_iso8601",
    "@timestamp",
    "timestamp",
    "time_local",
    "time",
    "datetime",
)
MAX_JSON_LINE_BYTES = 1 << 20
MAX_SECONDS = 10**11


def _is_json_log(head: InputHead) -> bool:
    """Whether the first line is a request with address, time and status, and not a page."""
    lines = (line.strip() for line in log_head(head).split(b"\n"))
    first = next(filter(None, lines), b"")
    entry = _load_object(first)
    if entry is None or PAGE_KEYS & entry.keys():
        return False
    texts = _texts_of(entry)
    return "address" in texts and "status" in texts and _time_of(entry) is not None and (
        "request" in texts or "target" in texts
    )  # fmt: skip


@input_format(
    "access-log-json",
    "access logs in JSON lines",
    evidence=Evidence.STRUCTURE,
    recognise=_is_json_log,
)
def read_json_log(path: Path, log: LogInput) -> Iterator[RequestBatch]:
    """A log with a JSON object a line, as Caddy, nginx and CloudFront write it."""
    yield from clean_requests(read_json_rows(path, log), log)


def read_json_rows(path: Path, log: LogInput) -> Iterator[LogRows]:
    """The requests of a log in blocks."""
    keep_queries = log.options.keep_queries
    parser = RowParser(
        lambda line: parse_entry(line, keep_queries=keep_queries),
        None,
        keep_queries,
        log.display_name,
        log.problems,
    )
    for block in read_line_blocks(path, log.display_name, log.problems):
        yield parser.parse(block)


def parse_entry(line: bytes, *, keep_queries: bool) -> ParsedLine | None:
    """The request of a line; None if it is not the entry of one."""
    entry = _load_object(line)
    if entry is None:
        return None
    texts, time = _texts_of(entry), _time_of(entry)
    status = texts.pop("status", b"0")
    if time is None or "address" not in texts or not ("request" in texts or "target" in texts):
        return None
    if not status.isdigit() or len(status) > 3:
        return None
    if not keep_queries:
        texts.pop("query", None)
        for role in ("request", "target", "referrer"):
            if role in texts:
                texts[role] = texts[role].partition(b"?")[0]
    return ParsedLine(texts, time, int(status))


def _load_object(line: bytes) -> dict[str, Any] | None:
    if not line.startswith(b"{") or len(line) > MAX_JSON_LINE_BYTES:
        return None
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _texts_of(entry: Mapping[str, Any]) -> dict[str, bytes]:
    """The fields of an entry by role; those of Caddy are in an object for the request."""
    texts: dict[str, bytes] = {}
    request = entry.get("request")
    if isinstance(request, dict):
        _add_fields(texts, request)
        _add_headers(texts, request.get("headers"), HEADER_ROLES)
        if request.get("tls"):
            texts["scheme"] = b"https"
    _add_fields(texts, {k: v for k, v in entry.items() if not isinstance(v, dict)})
    _add_headers(texts, entry.get("resp_headers"), ANSWER_ROLES)
    if not texts.get("scheme", b"").startswith(b"http") or texts["scheme"].startswith(b"http/"):
        texts.pop("scheme", None)
    return texts


def _add_fields(texts: dict[str, bytes], fields: Mapping[str, Any]) -> None:
    by_name = {key.lower().replace("-", "_"): value for key, value in fields.items()}
    for name in sorted(by_name.keys() & ROLE_BY_NAME.keys(), key=PREFERENCE.__getitem__):
        value = by_name[name]
        role = ROLE_BY_NAME.get(name, "") if len(name) > 1 else ""
        if role and isinstance(value, str | int | float) and not isinstance(value, bool):
            text = str(value).encode("utf-8", "replace")
            if role == "address" and name == "client_port":
                text = text.rpartition(b":")[0]
            texts.setdefault(role, text)


def _add_headers(texts: dict[str, bytes], headers: object, roles: Mapping[str, str]) -> None:
    """The headers of an object whose values are lists of texts."""
    for name, values in headers.items() if isinstance(headers, dict) else ():
        role = roles.get(name.lower())
        first = values[0] if isinstance(values, list) and values else values
        if role and isinstance(first, str):
            texts.setdefault(role, first.encode("utf-8", "replace"))


def _time_of(entry: Mapping[str, Any]) -> int | None:
    """Unix seconds by the first key that has a time; CloudFront has a date and a time."""
    date, clock = entry.get("date"), entry.get("time")
    if isinstance(date, str) and isinstance(clock, str):
        day = parse_time("date", date.encode("utf-8", "replace"))
        seconds = parse_time("clock", clock.encode("utf-8", "replace"))
        return day + seconds if day is not None and seconds is not None else None
    for key in TIME_KEYS:
        value = entry.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds_value = value / 1000 if value > MAX_SECONDS else value
            return int(seconds_value) if 0 <= seconds_value < MAX_SECONDS else None
        if isinstance(value, str):
            text = value.encode("utf-8", "replace").strip(b"[]")
            for role in ("iso_time", "common_time", "unix_time"):
                if (time := parse_time(role, text)) is not None:
                    return time
    return None
