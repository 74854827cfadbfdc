"""Read W3C extended logs: IIS, and CloudFront with tabs."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes

from weft.gather.formats import Evidence, InputHead, input_format
from weft.gather.logs.blocks import LineBlock, log_head, read_line_blocks
from weft.gather.logs.cleaning import clean_requests
from weft.gather.logs.line_format import (
    PREFERENCE,
    ROLE_BY_NAME,
    LineFormat,
    make_line_format,
)
from weft.gather.logs.options import LogInput
from weft.gather.logs.rows import REJECTED_LINES, LogRows, RowParser
from weft.gather.page import RequestBatch

DIRECTIVES = (b"#Version:", b"#Fields:", b"#Software:", b"#Date:", b"#Start-Date:", b"#Remark:")
FIELDS = b"#Fields:"
MAX_W3C_FIELDS = 200


def _is_w3c_log(head: InputHead) -> bool:
    lines = log_head(head).split(b"\n")
    first = next((line for line in lines if line.strip()), b"")
    formats = [fields_format(line) for line in lines if line.startswith(FIELDS)]
    return first.startswith(DIRECTIVES) and any(formats)


@input_format(
    "access-log-w3c",
    "W3C extended logs",
    evidence=Evidence.STRUCTURE,
    recognise=_is_w3c_log,
)
def read_w3c_log(path: Path, log: LogInput) -> Iterator[RequestBatch]:
    """The log of IIS or CloudFront, whose `#Fields:` lines name the fields."""
    yield from clean_requests(read_w3c_rows(path, log), log)


def fields_format(directive: bytes) -> LineFormat | None:
    """The format that a `#Fields:` line declares; None if that is not a log of requests."""
    text = directive.removeprefix(FIELDS).decode("latin-1").strip()
    names = text.split()
    keys = [_field_key(name) for name in names]
    roles = [ROLE_BY_NAME.get(key, "") for key in keys]
    preferred: dict[str, str] = {}
    for key in sorted(keys, key=lambda key: PREFERENCE.get(key, 0)):
        preferred.setdefault(ROLE_BY_NAME.get(key, ""), key)
    roles = [role if key == preferred[role] else "" for role, key in zip(roles, keys, strict=True)]
    has_request = {"address", "date", "clock", "target"} <= set(roles)
    if not has_request or len(names) > MAX_W3C_FIELDS:
        return None
    # CloudFront separates values, but not always their names, by tabs.
    separator = "\t" if "\t" in text or "x-edge-location" in names else " "
    return make_line_format(roles, ["", *[separator] * (len(names) - 1), ""], text)


def _field_key(name: str) -> str:
    """The name of a field as it is in the table of roles; single letters are Apache's."""
    key = name.lower().replace("-", "_")
    return key if len(key) > 1 else ""


def read_w3c_rows(path: Path, log: LogInput, *, fast: bool = True) -> Iterator[LogRows]:
    """The requests of a log in blocks, or parts of blocks with the same fields."""
    parser: RowParser | None = None
    for block in read_line_blocks(path, log.display_name, log.problems):
        for part in _split_at_directives(block):
            if not part.data.startswith(b"#"):
                if parser:
                    yield parser.parse(part).map_values(_decode_value)
                elif lines := sum(1 for line in part.data.split(b"\n") if line.strip()):
                    place = f"{log.display_name}:{part.first_line}"
                    log.problems.add(REJECTED_LINES, place, count=lines)
            elif part.data.startswith(FIELDS):
                line_format = fields_format(part.data)
                parser = _make_parser(line_format, log, fast=fast) if line_format else None


def _make_parser(line_format: LineFormat, log: LogInput, *, fast: bool) -> RowParser:
    queries = log.options.keep_queries
    return RowParser(
        lambda line: line_format.parse(line, keep_queries=queries),
        line_format if fast else None,
        queries,
        log.display_name,
        log.problems,
    )


def _split_at_directives(block: LineBlock) -> Iterator[LineBlock]:
    """The lines of a block, with each directive as a part of its own."""
    start, line = 0, block.first_line
    while start < len(block.data):
        if block.data.startswith(b"#", start):
            end = block.data.find(b"\n", start) + 1
        else:
            end = block.data.find(b"\n#", start) + 1 or len(block.data)
        data = block.data[start:end]
        part = LineBlock(data, data.count(b"\n"), line)
        yield part
        start, line = end, line + part.lines


def _decode_value(role: str, value: bytes) -> bytes:
    """A value as it was sent: IIS writes + for spaces, CloudFront escapes them."""
    if role in ("agent", "content_type", "user"):
        return unquote_to_bytes(value.replace(b"+", b" "))
    if role == "query" and value == b"-":
        return b""
    return value
