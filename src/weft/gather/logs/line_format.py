r"""The form of a line: the formats of Apache and nginx, and lines parsed strictly by them.

A format has two readers that agree: a compiled one for whole blocks
(`kernels.log_lines`), and a regular expression for the lines that it rejects.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import cached_property
from typing import NamedTuple

import numpy as np

from weft.core.errors import WeftError
from weft.kernels.log_fields import Content, Extent, FieldPlan

COMMON = '%h %l %u %t "%r" %>s %b'
COMBINED = f'{COMMON} "%{{Referer}}i" "%{{User-Agent}}i"'
FORMAT_HINT = "write it as in the server's configuration, such as '%h %l %u %t \"%r\" %>s %b'"
MAX_FIELDS = 200
SEPARATORS = "|;,"  # between them, a field may have spaces

# What a directive of Apache, a variable of nginx, a W3C field or a JSON key means.
# Their names are compared in lower case, with "_" for "-". Of several names of a role in one log,
# the first of these counts: behind a proxy, that of the client rather than that of the proxy.
ROLE_NAMES = {
    "address": "h a client_ip clientip client c_ip remote_addr remote_ip client_port {c}a "
    "realip_remote_addr ip {x_forwarded_for}i http_x_forwarded_for x_forwarded_for",
    "user": "u remote_user user user_id cs_username auth",
    "host": "v V {host}i host http_host server_name vhost virtual_host x_host_header cs(host) "
    "cs_host domain_name",
    "port": "p server_port s_port",
    "scheme": "scheme cs_protocol request_scheme x_forwarded_proto",
    "common_time": "t time_local",
    "iso_time": "time_iso8601 @timestamp timestamp datetime",
    "unix_time": "msec {sec}t ts",
    "date": "date",
    "clock": "time",
    "request": "r request",
    "method": "m request_method method cs_method",
    "target": "U request_uri uri cs_uri_stem document_uri path url",
    "query": "q query_string args cs_uri_query",
    "status": "s >s status sc_status status_code response_code elb_status_code",
    "size": "b B O body_bytes_sent bytes_sent",
    "referrer": "{referer}i http_referer http_referrer referer referrer cs(referer) cs_referer",
    "agent": "{user_agent}i http_user_agent user_agent agent useragent cs(user_agent) "
    "cs_user_agent",
    "do_not_track": "{dnt}i http_dnt dnt cs(dnt)",
    "gpc": "{sec_gpc}i http_sec_gpc sec_gpc gpc cs(sec_gpc)",
    "content_type": "{content_type}o sent_http_content_type content_type sc(content_type) "
    "sc_content_type",
    "location": "{location}o sent_http_location location sc(location)",
}
ROLE_BY_NAME = {name: role for role, names in ROLE_NAMES.items() for name in names.split()}
PREFERENCE = {name: k for names in ROLE_NAMES.values() for k, name in enumerate(names.split())}
CONTENT_BY_ROLE = {
    "common_time": Content.COMMON_TIME,
    "iso_time": Content.ISO_TIME,
    "unix_time": Content.UNIX_TIME,
    "date": Content.DATE,
    "clock": Content.CLOCK,
    "status": Content.STATUS,
    "size": Content.SIZE,
    "request": Content.URL,
    "target": Content.URL,
    "referrer": Content.URL,
    "": Content.IGNORED,
}
TIME_ROLES = frozenset(["common_time", "iso_time", "unix_time", "date", "clock"])

DIRECTIVE = re.compile(
    r"%(?:!?\d{3}(?:,\d{3})*)?(?P<brief>[<>]?(?:\{(?P<argument>[^{}]*)\})?(?:\^t[io]|[a-zA-Z]))"
)
VARIABLE = re.compile(r"\$(?:\{(?P<braced>\w+)\}|(?P<plain>\w+))")
COMMON_TIME = re.compile(
    rb"(\d\d)/(\w{3})/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?: ([+-])(\d\d)(\d\d))?"
)
ISO_TIME = re.compile(
    rb"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|([+-])(\d\d):?(\d\d))?"
)
STATUS, SIZE = re.compile(rb"\d{3}"), re.compile(rb"\d+|-")
UNIX_TIME = re.compile(rb"(\d{1,11})(?:\.\d+)?")
DATE = re.compile(rb"(\d{4})-(\d\d)-(\d\d)")
CLOCK = re.compile(rb"(\d\d):(\d\d):(\d\d)")
MONTH_NUMBERS = {
    name: k + 1 for k, name in enumerate(b"jan feb mar apr may jun jul aug sep oct nov dec".split())
}
REQUEST_END = re.compile(rb'" (\d{3}) (\d+|-)(?= |$)')
ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|(.))", re.DOTALL)
ESCAPED_BYTES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"b": b"\b"}


class ParsedLine(NamedTuple):
    """The fields of a line with text, by role; its time in Unix seconds, and its status."""

    texts: dict[str, bytes]
    time: int
    status: int


@dataclass(frozen=True, slots=True)
class Field:
    """A field: what it is, the empty role for nothing of use, and where it ends."""

    role: str
    extent: Extent

    @property
    def content(self) -> Content:
        """How it is checked."""
        return CONTENT_BY_ROLE.get(self.role, Content.TEXT)


@dataclass(frozen=True)
class LineFormat:
    """The fields of a line; `literals[k]` comes before field k, the last one ends the line.

    Examples
    --------
    >>> [field.role for field in parse_log_format('$remote_addr [$time_local] "$request"').fields]
    ['address', 'common_time', 'request']
    """

    fields: tuple[Field, ...]
    literals: tuple[bytes, ...]

    @cached_property
    def text_roles(self) -> tuple[str, ...]:
        """The roles of the fields with text, in the order of their columns; each once."""
        texts = (Content.TEXT, Content.URL)
        return tuple(dict.fromkeys(f.role for f in self.fields if f.content in texts))

    @property
    def is_compiled(self) -> bool:
        """Whether the kernel can read it."""
        return all(field.extent != Extent.SEPARATED for field in self.fields)

    def plan(self, *, keep_queries: bool) -> FieldPlan:
        """The plan for the kernel."""
        contents = [f.content for f in self._first_of_each_role]
        if keep_queries:
            contents = [Content.TEXT if c == Content.URL else c for c in contents]
        columns = [
            self.text_roles.index(f.role) if c in (Content.TEXT, Content.URL) else -1
            for f, c in zip(self._first_of_each_role, contents, strict=True)
        ]
        return FieldPlan(
            np.frombuffer(b"".join(self.literals) + b" ", np.uint8)[:-1],
            np.cumsum([len(literal) for literal in self.literals]).astype(np.int32),
            np.array([f.extent for f in self.fields], np.uint8),
            np.array(contents, np.uint8),
            np.array(columns, np.int32),
        )

    @cached_property
    def _first_of_each_role(self) -> tuple[Field, ...]:
        """The fields; a role that occurs again is ignored there."""
        seen: set[str] = set()
        fields = []
        for field in self.fields:
            fields.append(Field("", field.extent) if field.role in seen else field)
            seen.add(field.role)
        return tuple(fields)

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """The strict form of a line, without white space at its end."""
        parts = [re.escape(self.literals[0])]
        for field, after in zip(self._first_of_each_role, self.literals[1:], strict=True):
            parts += [b"(", _field_pattern(field, after), b")", re.escape(after)]
        return re.compile(b"".join(parts), re.DOTALL)

    def parse(self, line: bytes, *, keep_queries: bool) -> ParsedLine | None:
        """The fields of a line; None if it has another form."""
        match = self.pattern.fullmatch(line)
        values: tuple[bytes, ...] | None = match.groups() if match else self._split_unescaped(line)
        return self._check(values, keep_queries=keep_queries) if values else None

    def _split_unescaped(self, line: bytes) -> tuple[bytes, ...] | None:
        r"""The fields of a line of Combined format with unescaped quotes, as old Apaches wrote it.

        The request ends where a status follows, the agent begins at `" "`. Where that comes
        twice, the line may have a further field, and nothing tells.
        """
        head = self._before_request
        before = head.pattern.match(line) if head else None
        start = before.end() if before else -1
        literal = self.literals[-6]
        if before is None or not line.startswith(literal, start) or not line.endswith(b'"'):
            return None
        start += len(literal)
        end = REQUEST_END.search(line, start)
        if not end or not line.startswith(b' "', end.end()):
            return None
        agent = line.find(b'" "', end.end() + 2, len(line) - 1)
        if agent < 0 or agent != line.rfind(b'" "', agent, len(line) - 1):
            return None
        referrer = line[end.end() + 2 : agent]
        return (*before.groups(), line[start : end.start()], end[1], end[2], referrer,
                line[agent + 3 : -1])  # fmt: skip

    @cached_property
    def _before_request(self) -> "LineFormat | None":
        """The fields before the request of a Combined format; None for another format."""
        roles = [f.role for f in self.fields]
        if roles[-5:] != ["request", "status", "size", "referrer", "agent"]:
            return None
        return LineFormat(self.fields[:-5], (*self.literals[: len(roles) - 5], b""))

    def _check(self, values: Iterable[bytes], *, keep_queries: bool) -> ParsedLine | None:
        texts, time, status, has_time = {}, 0, 0, False
        for field, value in zip(self._first_of_each_role, values, strict=True):
            if field.role in TIME_ROLES:
                seconds = parse_time(field.role, value)
                if seconds is None:
                    return None
                time, has_time = time + seconds, True
            elif field.role == "status":
                if not STATUS.fullmatch(value):
                    return None
                status = int(value)
            elif field.role == "size" and not SIZE.fullmatch(value):
                return None
            elif field.content in (Content.TEXT, Content.URL):
                cut = field.content == Content.URL and not keep_queries
                texts[field.role] = value.partition(b"?")[0] if cut else value
        return ParsedLine(texts, time, status) if has_time else None


def _field_pattern(field: Field, after: bytes) -> bytes:
    if field.extent == Extent.QUOTED:
        return rb'(?:[^"\\]|\\.)*+'
    if field.extent == Extent.BRACKETED:
        return rb"[^\]]++"
    if field.extent == Extent.TABBED:
        return rb"[^\t]++"
    if field.extent == Extent.REST:
        return rb".*+"
    if field.extent == Extent.SEPARATED:
        return rb"[^" + re.escape(after[:1]) + rb"]++" if after else rb".++"
    return rb"[^\s" + (re.escape(after[:1]) if after.strip() else b"") + rb"]++"


def parse_time(role: str, value: bytes) -> int | None:
    """Unix seconds of a time, of the start of a date, or the seconds of a clock."""
    if role == "unix_time":
        unix = UNIX_TIME.fullmatch(value)
        return int(unix[1]) if unix else None
    if role == "clock":
        clock = CLOCK.fullmatch(value)
        hour, minute, second = map(int, clock.groups()) if clock else (99, 0, 0)
        is_clock = hour < 24 and minute < 60 and second < 60
        return 3600 * hour + 60 * minute + second if is_clock else None
    if role == "date":
        date = DATE.fullmatch(value)
        return _unix_seconds(date[1], date[2], date[3]) if date else None
    if role == "iso_time":
        iso = ISO_TIME.fullmatch(value)
        return _unix_seconds(*iso.groups()) if iso else None
    common = COMMON_TIME.fullmatch(value)
    if not common:
        return None
    day, month, year, *rest = common.groups()
    return _unix_seconds(year, b"%d" % MONTH_NUMBERS.get(month.lower(), 0), day, *rest)


def _unix_seconds(  # noqa: PLR0913, PLR0917  the parts of a time
    year: bytes,
    month: bytes,
    day: bytes,
    hour: bytes = b"0",
    minute: bytes = b"0",
    second: bytes = b"0",
    sign: bytes | None = None,
    zone_hours: bytes | None = None,
    zone_minutes: bytes | None = None,
) -> int | None:
    zone: timezone = UTC
    if sign and int(zone_hours or 0) < 24 and int(zone_minutes or 0) < 60:
        ahead = timedelta(hours=int(zone_hours or 0), minutes=int(zone_minutes or 0))
        zone = timezone(ahead if sign == b"+" else -ahead)
    elif sign:
        return None
    try:
        time = datetime(*map(int, (year, month, day, hour, minute, second)), tzinfo=zone)  # type: ignore[misc, arg-type]
    except ValueError:
        return None
    return int((time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1))


def unescape(value: bytes) -> bytes:
    r"""A value without the backslashes that Apache and nginx put into it.

    Examples
    --------
    >>> unescape(rb"say \"hi\" \x3c3")
    b'say "hi" <3'
    """
    if b"\\" not in value:
        return value
    return ESCAPE.sub(_unescape_match, value)


def _unescape_match(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return bytes([int(match[1], 16)])
    return ESCAPED_BYTES.get(match[2], match[2])


def parse_log_format(text: str) -> LineFormat:
    """The form of a line from a `LogFormat` of Apache or a `log_format` of nginx."""
    text = text.strip().replace('\\"', '"').replace("\\t", "\t")
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and text[1:2] in "%$":
        text = text[1:-1]
    is_apache = DIRECTIVE.search(text) is not None and "$" not in text
    tokens = list((DIRECTIVE if is_apache else VARIABLE).finditer(text))
    if not tokens or len(tokens) > MAX_FIELDS:
        raise WeftError(f"{text[:80]!r} is not a log format", hint=FORMAT_HINT)
    literals, roles, end = [], [], 0
    for token in tokens:
        literals.append(text[end : token.start()].replace("%%", "%"))
        roles.append(_role_of_directive(token) if is_apache else _role_of_variable(token))
        end = token.end()
    literals.append(text[end:])
    literals, roles = _join_fields(literals, roles)
    line_format = make_line_format(roles, literals, text)
    _require_roles(line_format, text)
    return line_format


def make_line_format(roles: list[str], literals: list[str], text: str) -> LineFormat:
    """A form of a line; where a field ends follows from the literals around it."""
    literals = list(literals)
    for k, role in enumerate(roles):
        if role == "bracketed_time":
            literals[k], literals[k + 1] = f"{literals[k]}[", f"]{literals[k + 1]}"
    fields = []
    for k, role in enumerate(roles):
        before, after = literals[k][-1:], literals[k + 1][:1]
        if not after and k + 1 < len(roles):
            raise WeftError(
                f"two fields of {text[:80]!r} have nothing between them",
                hint="separate fields by a space, quotes or brackets",
            )
        extent = {'""': Extent.QUOTED, "[]": Extent.BRACKETED}.get(before + after, Extent.BARE)
        if extent == Extent.BARE and "\t" in before + after:
            extent = Extent.TABBED
        elif extent == Extent.BARE and (after or before) and (after or before) in SEPARATORS:
            extent = Extent.SEPARATED
        role = "common_time" if role == "bracketed_time" else role  # noqa: PLW2901
        fields.append(Field(role, Extent.REST if role == "rest" else extent))
    fields = [Field("", f.extent) if f.role == "rest" else f for f in fields]
    return LineFormat(tuple(fields), tuple(literal.encode() for literal in literals))


def _role_of_directive(token: re.Match[str]) -> str:
    brief = token["brief"].lstrip("<")
    if token["argument"] is None:
        if brief == "t":
            return "bracketed_time"
        return ROLE_BY_NAME.get(brief, "")
    name = token["argument"].lower().replace("-", "_")
    if brief.endswith("t") and name.startswith(("%d/%b/%y:%t", "%d/%b/%y:%h:%m:%s")):
        return "common_time"
    return ROLE_BY_NAME.get(f"{{{name}}}{brief[-1]}", "")


def _role_of_variable(token: re.Match[str]) -> str:
    name = token["braced"] or token["plain"]
    return ROLE_BY_NAME.get(name.lower(), "") if len(name) > 1 else ""


def _join_fields(literals: list[str], roles: list[str]) -> tuple[list[str], list[str]]:
    """Host and port, path and query as one field: nothing tells where the first one ends."""
    joined = [("host", ":", "port"), ("target", "", "query")]
    for k in range(len(roles) - 1):
        if (roles[k], literals[k + 1], roles[k + 1]) in joined:
            return _join_fields(
                literals[: k + 1] + literals[k + 2 :], roles[: k + 1] + roles[k + 2 :]
            )
    return literals, roles


def _require_roles(line_format: LineFormat, text: str) -> None:
    roles = {f.role for f in line_format.fields}
    needed = {"an address": roles & {"address"}, "a time": roles & TIME_ROLES,
              "a request": roles & {"request", "target"}}  # fmt: skip
    for name, found in needed.items():
        if not found:
            raise WeftError(f"{text[:80]!r} has no field for {name}", hint=FORMAT_HINT)
