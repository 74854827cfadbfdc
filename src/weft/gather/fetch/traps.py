"""Crawler traps: URLs that a server can make without end, recognised by their form.

What the form of a URL cannot tell is bounded by budgets: the frontier fetches at most a fixed
number of URLs of a host, and of a pattern such as `/calendar/N/N`.
"""

import re
from functools import lru_cache

from weft.gather.url import SESSION_PARAMETER

MAX_FETCHED_URL_CHARS = 1_000
MAX_PATH_SEGMENTS = 20
MAX_PARAMETERS = 12
MAX_SEGMENT_REPEATS = 3

# The same one, two or three segments three times in a row, or one segment again and again.
REPEATED_SEGMENTS = re.compile(r"((?:/[^/]+){1,3}?)\1\1(?:/|$)")
# Not `start` or `from`: pages of long lists are numbered with them.
DATE_PARAMETER = re.compile(
    r"(?:^|&)(?:(?:year|month|day|date|week|cal\w*)=|y=\d{4}&m=\d)", re.IGNORECASE
)
DATE_IN_PATH = re.compile(r"/(?:1[0-9]|2[0-9])\d\d[/-](?:0?[1-9]|1[0-2])(?:[/.-]|$)")
CALENDAR_WORD = re.compile(r"calend[ae]r|/events?/|/agenda", re.IGNORECASE)
# Ids of sessions: long random values under a name that says so; elsewhere they may name pages.
SESSION_NAME = re.compile(
    r"\w{0,32}sess\w{0,32}|p?s?sid|token|ticket|visitor|auth\w*", re.IGNORECASE
)
SESSION_VALUE = re.compile(r"[0-9a-z_-]{16,}", re.IGNORECASE)
SESSION_IN_PATH = re.compile(r"/\([A-Z]\([0-9a-z]{20,}\)\)/", re.IGNORECASE)
DIGITS = re.compile(r"\d+")


def trap_reason(url: str) -> str:
    """Why the form of a URL looks like a trap; nothing if it does not.

    Examples
    --------
    >>> trap_reason("http://example.com/a/b/a/b/a/b/")
    'repeating path segments'
    >>> trap_reason("http://example.com/a/b/c")
    ''
    """
    if len(url) > MAX_FETCHED_URL_CHARS:
        return "URL too long"
    path, _, query = _path_and_query(url)
    if query.count("&") >= MAX_PARAMETERS:
        return "too many parameters"
    if (query and _has_session(query)) or ("(" in path and SESSION_IN_PATH.search(path)):
        return "session id"
    slashes = path.count("/")
    if slashes > MAX_PATH_SEGMENTS:
        return "path too deep"
    if slashes >= MAX_SEGMENT_REPEATS and _repeats_segments(path):
        return "repeating path segments"
    return ""


def url_pattern(url: str) -> str:
    """A URL with each number replaced by N and each value of its query by its kind.

    Examples
    --------
    >>> url_pattern("http://example.com/page/17?sort=up&day=3")
    'http://example.com/page/N?sort=*&day=N'
    """
    head, mark, query = url.partition("?")
    origin, path = _split_origin(head)
    parts = [_parameter_pattern(part) for part in query.split("&")] if query else []
    return origin + DIGITS.sub("N", path) + mark + "&".join(parts)


def is_calendar(url: str) -> bool:
    """Whether a URL names a date, as the pages of a calendar do.

    Examples
    --------
    >>> is_calendar("http://example.com/events?month=2031-05"), is_calendar("http://example.com/7")
    (True, False)
    """
    path, _, query = _path_and_query(url)
    if query and DATE_PARAMETER.search(query):
        return True
    return DATE_IN_PATH.search(path) is not None and CALENDAR_WORD.search(path) is not None


def _split_origin(url: str) -> tuple[str, str]:
    slash = url.find("/", url.find("://") + 3)
    return (url, "") if slash < 0 else (url[:slash], url[slash:])


def _path_and_query(url: str) -> tuple[str, str, str]:
    return _split_origin(url.partition("#")[0])[1].partition("?")


def _parameter_pattern(part: str) -> str:
    name, equals, value = part.partition("=")
    return f"{name}{equals}{'N' if value.isdecimal() else '*' if value else ''}"


@lru_cache(maxsize=1 << 12)
def _has_session(query: str) -> bool:
    for part in query.split("&"):
        name, _, value = part.partition("=")
        if SESSION_PARAMETER.fullmatch(name):
            return True
        if SESSION_NAME.fullmatch(name) and SESSION_VALUE.fullmatch(value):
            return True
    return False


def _repeats_segments(path: str) -> bool:
    segments = [segment for segment in path.split("/") if segment]
    most = max((segments.count(segment) for segment in set(segments)), default=0)
    return most > MAX_SEGMENT_REPEATS or REPEATED_SEGMENTS.search(path) is not None
