"""Read access logs of Apache and nginx: Common, Combined, with virtual hosts, or any format."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from weft.core.errors import WeftError
from weft.gather.formats import Evidence, InputHead, input_format
from weft.gather.logs.blocks import LineBlock, log_head, read_line_blocks
from weft.gather.logs.cleaning import clean_requests
from weft.gather.logs.line_format import (
    COMBINED,
    COMMON,
    FORMAT_HINT,
    LineFormat,
    ParsedLine,
    make_line_format,
    parse_log_format,
    unescape,
)
from weft.gather.logs.options import LogInput
from weft.gather.logs.rows import LogRows, RowParser
from weft.gather.page import RequestBatch
from weft.gather.url import HOST_NAME, PORT_SUFFIX

SAMPLE_LINES, MIN_RECOGNISED_SHARE = 200, 0.5


@lru_cache(maxsize=1)
def known_formats() -> tuple[LineFormat, ...]:
    """The formats that are recognised, the most specific first."""
    hosts_first = [f"%v {COMBINED}", f"%v {COMMON}"]
    hosts_last = [f'{COMBINED} "%v"', f"{COMBINED} %v", f'{COMMON} "%v"', f"{COMMON} %v"]
    plain = [COMBINED, COMMON]
    exact = [parse_log_format(text) for text in (*hosts_first, *hosts_last, *plain)]
    return (*exact, *(_with_rest(parse_log_format(text)) for text in (hosts_first[0], COMBINED)))


def _with_rest(line_format: LineFormat) -> LineFormat:
    """The format with anything after its last field and a space."""
    rest = make_line_format(["rest"], ["", ""], "")
    *literals, last = line_format.literals
    return LineFormat(line_format.fields + rest.fields, (*literals, last + b" ", b""))


def detect_line_format(head: bytes) -> LineFormat | None:
    """The format that most of the first lines have; None if fewer than half have any."""
    lines = [line.rstrip() for line in head.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES]]
    lines = [line for line in lines if line]
    best, most = None, MIN_RECOGNISED_SHARE * len(lines)
    for known in known_formats():
        if (count := _count_lines(known, lines)) > most:
            best, most = known, count
    return best


def _count_lines(known: LineFormat, lines: Sequence[bytes]) -> int:
    """How many lines have a format; none if what should be a host is seldom one.

    A field that is empty in most lines may be `X-Forwarded-For`, whose addresses
    must not be taken for hosts.
    """
    parsed = [found for line in lines if (found := known.parse(line, keep_queries=False))]
    if "host" not in known.text_roles:
        return len(parsed)
    hosts = [PORT_SUFFIX.sub("", p.texts["host"].decode("latin-1").lower()) for p in parsed]
    named = sum(h in ("localhost", "_") or HOST_NAME.fullmatch(h) is not None for h in hosts)
    empty = hosts.count("-")
    return named + empty if named > empty else 0


def _is_access_log(head: InputHead) -> bool:
    return detect_line_format(log_head(head)) is not None


@input_format(
    "access-log",
    "access logs",
    evidence=Evidence.STRUCTURE,
    recognise=_is_access_log,
)
def read_access_log(path: Path, log: LogInput) -> Iterator[RequestBatch]:
    """The access log of a web server: Common, Combined, or the format in `--log-format`."""
    yield from clean_requests(read_rows(path, log), log)


def read_rows(path: Path, log: LogInput, *, fast: bool = True) -> Iterator[LogRows]:
    """The requests of a log in blocks; `fast` parses whole blocks, else each line is parsed."""
    parser: RowParser | None = None
    for block in read_line_blocks(path, log.display_name, log.problems):
        parser = parser or _make_parser(block, log, fast=fast)
        rows = parser.parse(block)
        yield rows.map_values(_unescape_value) if b"\\" in block.data else rows


def _unescape_value(_role: str, value: bytes) -> bytes:
    return unescape(value)


def _make_parser(block: LineBlock, log: LogInput, *, fast: bool) -> RowParser:
    options = log.options
    if options.log_format:
        formats: tuple[LineFormat, ...] = (parse_log_format(options.log_format),)
    elif detected := detect_line_format(block.data):
        others = known_formats() if "host" not in detected.text_roles else ()
        formats = (detected, *(f for f in others if "host" not in f.text_roles))
    else:
        raise WeftError(
            f"cannot tell the log format of {log.display_name}", hint=f"give it: {FORMAT_HINT}"
        )

    def parse_line(line: bytes) -> ParsedLine | None:
        found = (f.parse(line, keep_queries=options.keep_queries) for f in formats)
        return next((parsed for parsed in found if parsed), None)

    return RowParser(
        parse_line,
        formats[0] if fast and formats[0].is_compiled else None,
        options.keep_queries,
        log.display_name,
        log.problems,
    )
