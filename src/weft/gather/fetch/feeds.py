"""Sitemaps and feeds: lists of URLs that sites publish for crawlers.

Read by their tags alone: many feeds are not well-formed, and a parser of XML would expand the
entities that a hostile one declares.
"""

import re
from html import unescape
from itertools import islice

from weft.gather.http import dechunk_and_decompress
from weft.gather.url import resolve_url

MAX_FEED_BYTES = 50 << 20
MAX_FEED_URLS = 50_000
MAX_FEED_LINKS = 4 * MAX_FEED_URLS  # also those that name no URL, or one again
START_BYTES = 2000
INDEX_START = re.compile(rb"<(?:\w+:)?sitemapindex\b", re.IGNORECASE)
FEED_START = re.compile(rb"<(?:\w+:)?(?:urlset|sitemapindex|rss|feed|rdf)\b", re.IGNORECASE)
# Locations of sitemaps; links of RSS (text) and Atom (attribute). Values are bounded in length.
FEED_LINK = re.compile(
    rb"<(?:\w+:)?(?:loc|link)\b([^<>]{0,2000})>"
    rb"(\s*(?:<!\[CDATA\[)?[^<\]]{0,4000})",
    re.IGNORECASE,
)
HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
SKIPPED_REL = re.compile(r"""\brel\s*=\s*["'](?:self|edit|hub|search|next|icon)""", re.IGNORECASE)


def is_sitemap_index(body: bytes) -> bool:
    """Whether a body lists sitemaps, not pages."""
    return INDEX_START.search(_unpack(body, START_BYTES)) is not None


def read_feed(url: str, body: bytes) -> list[str]:
    """The URLs that a sitemap, an index of sitemaps or a feed lists; none if it is none of them.

    At most 50,000, the limit of a sitemap; a gzipped body is unpacked to 50 MB
    at most.
    """
    if not FEED_START.search(_unpack(body, START_BYTES)):
        return []
    urls: dict[str, None] = {}
    # Links are decoded, not the whole: its characters may take four times its bytes.
    for match in islice(FEED_LINK.finditer(_unpack(body, MAX_FEED_BYTES)), MAX_FEED_LINKS):
        attributes, text = (match[part].decode("utf-8", "replace") for part in (1, 2))
        href = HREF.search(attributes)
        content = text.strip().removeprefix("<![CDATA[").strip()
        reference = unescape((href[1] or href[2] or "") if href else content)
        if reference and not SKIPPED_REL.search(attributes):
            urls[resolve_url(url, reference)] = None
        if len(urls) > MAX_FEED_URLS:
            break
    urls.pop("", None)
    return list(urls)[:MAX_FEED_URLS]


def _unpack(body: bytes, max_bytes: int) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body[:max_bytes]
    return dechunk_and_decompress(body, "", "gzip", max_bytes)[0]
