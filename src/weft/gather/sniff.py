"""Is this response a page? Told by its declared type and a look inside, never by one alone."""

import re
from typing import Literal

HTML = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
UNTYPED = ("", "application/octet-stream", "application/xml", "text/xml", "unknown", "text/unknown")
MARKUP = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|h[1-6]|table|div|center|p>|a\s+href|frameset|dir>)",
    re.IGNORECASE,
)
BINARY = (
    b"%PDF",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"%!PS",
    b"\x1f\x8b",
    b"RIFF",
)
NO_PAGE = re.compile(
    r"/robots\.txt$|\.(?:js|mjs|css|json|xml|rss|atom|csv|tsv|htc|xspf|svg|map|log)(?:\?|$)",
    re.IGNORECASE,
)
LOOK = 4096


def page_kind(url: str, mime: str, body: bytes) -> Literal["html", "text", ""]:
    """How to read a response: as HTML, as plain text, or not at all."""
    head = body[:LOOK].lstrip(b"\xef\xbb\xbf \t\r\n")
    if mime in HTML:
        return "" if head.startswith(BINARY) else "html"
    if mime != "text/plain" and mime not in UNTYPED:
        return ""
    if head.startswith(b"<?xml") and b"<html" not in head.lower():
        return ""
    if MARKUP.search(head):
        return "html"
    return "text" if mime == "text/plain" and _is_prose(url, head) else ""


def _is_prose(url: str, head: bytes) -> bool:
    """Text that a person could read; scripts, styles and data often come as text/plain too."""
    if not head or NO_PAGE.search(url) or b"\0" in head or head.startswith(BINARY):
        return False
    control = sum(byte < 32 and byte not in b"\t\n\r\f\b\x1b" for byte in head)
    return control * 50 < len(head)
