"""The URLs of a log: what a request asks for, and where it was referred from."""

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote_from_bytes

from weft.core.errors import WeftError
from weft.gather.logs.rows import LogRows
from weft.gather.url import MAX_URL_CHARS, UrlPolicy, canonicalize_url

CACHED_VALUES = 1 << 16
BASE_URL_HINT = "say where it is from: --base-url https://example.com/"
NOTHING = (b"", b"-")
ASSET_PATH = re.compile(
    r"\.(?:gif|jpe?g|jfif|png|apng|avif|webp|bmp|ico|cur|svgz?|tiff?|css|less|m?js|jsx|map|json"
    r"|xml|rss|atom|txt|webmanifest|wasm|woff2?|ttf|otf|eot|mp[34]|m4[av]|webm|og[gva]|wav|flac"
    r"|mov|avi|flv|swf|m3u8|ts|vtt)$",
    re.IGNORECASE,
)
PAGE_TYPE = re.compile(rb"(?:text/(?:html|plain)|application/xhtml\+xml|application/pdf)\b")
PORT_SCHEMES = {":443": "https", ":80": "http"}
PORT = re.compile(r":\d{1,5}$")

PAGE, ASSET, RULES, OTHER_METHOD, OTHER_SITE, BAD_URL = range(6)


class PageRequest(NamedTuple):
    """What a request is for: its kind, and the URL where that is a page or an asset."""

    kind: int
    url: str = ""


class SiteUrls:
    """Canonical URLs for the requests of one log.

    A host of the log is named by its virtual hosts or by the base URL. Pages
    have one scheme a host, so that a referrer and the page it names are equal.
    """

    def __init__(self, base_url: str, schemes: dict[str, str], *, keep_queries: bool) -> None:
        self.base = canonicalize_url(base_url) if base_url else ""
        if base_url and not self.base:
            raise WeftError(
                f"{base_url!r} is not a base URL", hint="give one such as https://example.com/"
            )
        self.origin = _origin_of(self.base)
        self.keep_queries = keep_queries
        self._schemes = schemes
        self._origins = {_bare_host(self.origin): self.origin} if self.origin else {}
        self.page = lru_cache(CACHED_VALUES)(self._page)
        self.referrer = lru_cache(CACHED_VALUES)(self._referrer)
        self.find_origin = lru_cache(CACHED_VALUES)(self._find_origin)

    def _find_origin(self, host: bytes) -> str:
        """The origin of a virtual host: perhaps with scheme and port; else that of the base URL."""
        text = host.decode("ascii", "replace").strip().lower().rstrip("/")
        given_scheme, _, name = text.rpartition("://")
        port = PORT.search(name)
        if port and port[0] in PORT_SCHEMES:
            given_scheme = given_scheme or PORT_SCHEMES[port[0]]
            name = name[: port.start()]
        base_scheme = self.origin.partition("://")[0]
        scheme = given_scheme or self._schemes.get(name) or base_scheme or "https"
        origin = (
            "" if text in ("", "-", "_") else _origin_of(canonicalize_url(f"{scheme}://{name}/"))
        )
        if not origin:
            return self.origin
        return self._origins.setdefault(_bare_host(origin), origin)

    def _page(self, host: bytes, request: bytes) -> PageRequest:
        method, target = split_request(request)
        if method != b"GET":
            return PageRequest(OTHER_METHOD)
        origin, path = self.find_origin(host), _to_text(target)
        if not path.startswith("/"):
            absolute = canonicalize_url(path)
            if not absolute:
                return PageRequest(BAD_URL)
            own = self._origins.get(_bare_host(_origin_of(absolute)))
            if origin and not own:
                return PageRequest(OTHER_SITE)
            origin = own or _origin_of(absolute)
            path = absolute[len(_origin_of(absolute)) - 1 :]
        return self._classify(origin, path)

    def _classify(self, origin: str, path: str) -> PageRequest:
        path = path if self.keep_queries else path.partition("?")[0]
        url = canonicalize_url(origin[:-1] + path, UrlPolicy()) if origin else ""
        if not url or len(url) > MAX_URL_CHARS:
            return PageRequest(BAD_URL)
        location = url.partition("?")[0]
        if location == f"{origin}robots.txt":
            return PageRequest(RULES, url)
        return PageRequest(ASSET if ASSET_PATH.search(location) else PAGE, url)

    def _referrer(self, referrer: bytes) -> str:
        """The canonical URL on a host of the log, the host of another site, or nothing."""
        if referrer in NOTHING:
            return ""
        text = _to_text(referrer)
        text = text if self.keep_queries else text.partition("?")[0]
        url = canonicalize_url(text)
        if not url.startswith(("http://", "https://")) or len(url) > MAX_URL_CHARS:
            return ""
        origin = _origin_of(url)
        if own := self._origins.get(_bare_host(origin)):
            return canonicalize_url(own + url[len(origin) :])
        return f"https://{origin.partition('://')[2]}"

    def resolve(self, url: str, location: bytes) -> str:
        """The target of a redirect if it is on a host of the log, or nothing."""
        text = _to_text(location)
        origin = _origin_of(url)
        if text.startswith("/") and not text.startswith("//"):
            return self._classify(origin, text).url
        target = canonicalize_url(text)
        own = self._origins.get(_bare_host(_origin_of(target))) if target else None
        return self._classify(own, target[len(_origin_of(target)) - 1 :]).url if own else ""


def split_request(request: bytes) -> tuple[bytes, bytes]:
    """The method and the target of a request; garbage has a method that does not exist.

    Examples
    --------
    >>> split_request(b"GET /a b HTTP/1.0"), split_request(b"-")
    ((b'GET', b'/a b'), (b'-', b''))
    """
    method, _, rest = request.partition(b" ")
    target, _, last = rest.rpartition(b" ")
    return method, target if target and last.startswith(b"HTTP/") else rest


def find_site(rows: LogRows, base_url: str, display_name: str, *, keep_queries: bool) -> SiteUrls:
    """The hosts of a log: by its virtual hosts, the base URL, or else its own referrers.

    Without a host, the log is of the host that referrers name most often for
    paths that are requested.
    """
    requests, referrers = rows.column("request"), rows.column("referrer")
    targets = {split_request(value)[1].partition(b"?")[0] for value in requests.values}
    named: Counter[tuple[str, str]] = Counter()
    requests_by_referrer = _count_codes(rows, "referrer")
    for value, count in zip(referrers.values, requests_by_referrer, strict=True):
        scheme, _, rest = value.partition(b"://")
        host, _, path = rest.partition(b"/")
        if scheme in (b"http", b"https") and b"/" + path.partition(b"?")[0] in targets:
            named[_to_text(scheme), _to_text(host).lower()] += count
    schemes: dict[str, str] = {}
    for (scheme_name, host_name), _ in named.most_common():
        schemes.setdefault(host_name, scheme_name)
    has_hosts = any(value not in NOTHING for value in rows.column("host").values)
    is_absolute = any(target[:4] == b"http" for target in targets)
    if not base_url and not has_hosts and schemes:
        totals: Counter[str] = Counter()
        for (_, host_name), count in named.items():
            totals[host_name] += count
        [(host_name, _)] = totals.most_common(1)
        base_url = f"{schemes[host_name]}://{host_name}/"
    if not base_url and not has_hosts and not is_absolute:
        raise WeftError(f"{display_name} does not say which site it is of", hint=BASE_URL_HINT)
    site = SiteUrls(base_url, schemes, keep_queries=keep_queries)
    for host in rows.column("host").values:
        site.find_origin(host)
    return site


def _count_codes(rows: LogRows, role: str) -> list[int]:
    column = rows.column(role)
    counts = [0] * len(column.values)
    for code in column.codes.tolist():
        counts[code] += 1
    return counts


def _origin_of(url: str) -> str:
    """Scheme and authority of a canonical URL, with the slash."""
    end = url.find("/", url.find("://") + 3) if url else -1
    return url[: end + 1]


def _bare_host(origin: str) -> str:
    return origin.partition("://")[2].removeprefix("www.")


def _to_text(value: bytes) -> str:
    """A value as text; bytes that are not UTF-8 are escaped as in a URL."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return quote_from_bytes(value, safe="".join(map(chr, range(0x21, 0x7F))))
