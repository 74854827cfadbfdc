"""URLs: WHATWG parsing, the canonical form, hosts, domains, sites, sort keys and patterns.

Of many names at once, as Arrow arrays, plain ones, nearly all, take no call of Python each.
"""

import re
from dataclasses import asdict, dataclass
from functools import _lru_cache_wrapper, cache, lru_cache
from typing import Any

import numpy as np
import publicsuffixlist
import pyarrow as pa
import pyarrow.compute as pc
from ada_url import URL, join_url
from publicsuffixlist import PublicSuffixList

from weft.core.arrays import Flags
from weft.core.errors import BadParameter

MAX_URL_CHARS = 4_000
MAX_CACHED_CHARS = 500
# What the parser strips from both ends of a URL: ASCII control characters and space, but no other
# white space (U+00A0 stays).
URL_STRIP_CHARS = "".join(map(chr, range(0x21)))

INDEX_PAGE = re.compile(
    r"/(?:index|default)\.(?:html?|shtml|xhtml|php[345]?|aspx?|jsp|cgi)$", re.IGNORECASE
)
TRACKING_PARAMETER = re.compile(
    r"utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_[ce]id|_ga|_gl"
    r"|_hsenc|_hsmi|mkt_tok|vero_id|oly_(?:anon|enc)_id|wickedid|s_kwcid",
    re.IGNORECASE,
)
SESSION_PARAMETER = re.compile(
    r"phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|cfid|cftoken|zenid|oscsid|sessid",
    re.IGNORECASE,
)
PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid)=[^/?;]*", re.IGNORECASE)
PERCENT_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
UNRESERVED_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
DOT_SEGMENT = re.compile(r"/\.{1,2}(?:/|$)")
HOST_NAME = re.compile(r"(?:[a-z0-9_-]+\.)+(?:[a-z]{2,}|xn--[a-z0-9-]*[a-z0-9])")
PAGE_URL = re.compile(r"(?:https?|ftp|file)://[^/]", re.IGNORECASE)
PLAIN_REFERENCE = re.compile(r"((?:\.\./)*+)(?:[\w~-][\w~.-]*+/)*+(?:[\w~-][\w~.-]*+)?", re.ASCII)
PLAIN_FOLDER = re.compile(r"https?://[a-z][a-z0-9.-]+(?::\d+)?/(?:[\w~-][\w~.-]*+/)*+", re.ASCII)
PORT_SUFFIX = re.compile(r":\d+$")
AUTHORITY_END = re.compile(r"[/?#]")
IPV4_ADDRESS = re.compile(r"[\d.]+")
SHARED_HOSTS = frozenset(
    [
        "geocities.com",
        "angelfire.com",
        "tripod.com",
        "members.aol.com",
        "hometown.aol.com",
        "members.tripod.com",
        "homepages.rootsweb.com",
        "home.earthlink.net",
        "home.netscape.com",
        "members.xoom.com",
        "fortunecity.com",
        "users.aol.com",
        "homepage.mac.com",
        "web.mac.com",
        "sites.google.com",
        "groups.google.com",
        "groups.yahoo.com",
        "medium.com",
        "github.com",
        "gitlab.com",
        "bitbucket.org",
        "sourceforge.net",
        "livejournal.com",
        "myspace.com",
        "facebook.com",
        "twitter.com",
        "youtube.com",
        "flickr.com",
    ]
)


@cache
def _public_suffix_list() -> PublicSuffixList:
    return PublicSuffixList()


@dataclass(frozen=True, slots=True)
class UrlPolicy:
    """Which differences between URLs to ignore; each rule can be switched off.

    The parser always folds the case of the host, default ports, dot segments
    and IDNA. User names and passwords are always removed.
    """

    fragment: bool = True
    escapes: bool = True
    index: bool = True
    session: bool = True
    tracking: bool = True

    @property
    def rules(self) -> dict[str, bool]:
        """The rules by name, as stored in `collection.json`."""
        return asdict(self)


def resolve_url(base_url: str, reference: str) -> str:
    """The absolute URL of a reference; empty unless it is http, https, ftp or file with a host."""
    try:
        url = join_url(base_url, reference) if base_url else URL(reference).href
    except ValueError:
        return ""
    return url if PAGE_URL.match(url) else ""


def parent_folder(base_url: str) -> str:
    """A base URL up to its last slash: what relative references are resolved against."""
    return base_url[: base_url.rfind("/", 9) + 1] or base_url


def canonical_link_target(folder: str, reference: str, policy: UrlPolicy) -> str:
    """The canonical URL of a reference on a page of `folder`; empty if it has none."""
    is_short = len(folder) + len(reference) <= MAX_CACHED_CHARS
    resolve = link_target_resolver(policy)
    return (resolve if is_short else resolve.__wrapped__)(folder, reference)


@lru_cache(maxsize=4)
def link_target_resolver(policy: UrlPolicy) -> "_lru_cache_wrapper[str]":
    """A cached function from folder and reference to the canonical URL of the target.

    The cache pays because the pages of a site repeat their links. Call
    `__wrapped__` for long references, which would fill the memory.
    """

    @lru_cache(maxsize=1 << 17)
    def resolve_target(folder: str, reference: str) -> str:
        # Fast path without the parser: "../" n times, then plain path segments.
        plain = PLAIN_REFERENCE.fullmatch(reference)
        if plain and (ancestors := _ancestor_folders(folder)):
            levels_up = min(len(plain[1]) // 3, len(ancestors) - 1)
            url = ancestors[levels_up] + reference[plain.end(1) :]
            return _clean_path(url, policy, without_query=True) if len(url) <= MAX_URL_CHARS else ""
        url = resolve_url(folder, reference)
        return _canonicalize_parsed(url, policy) if url and len(url) <= MAX_URL_CHARS else ""

    return resolve_target


@lru_cache(maxsize=1 << 12)
def _ancestor_folders(folder: str) -> tuple[str, ...]:
    """A folder and those above it, nearest first; none where only the parser can tell them."""
    if not PLAIN_FOLDER.fullmatch(folder) or resolve_url("", folder) != folder:
        return ()
    ends = [k + 1 for k in range(9, len(folder)) if folder[k] == "/"]
    return tuple(folder[:end] for end in reversed(ends))


def is_normalized_url(url: str) -> bool:
    """Whether the parser certainly leaves a URL unchanged; known per folder, so this is fast."""
    folder = parent_folder(url)
    is_plain_name = PLAIN_REFERENCE.fullmatch(url, len(folder)) is not None
    return is_plain_name and _ancestor_folders(folder) != ()


def canonicalize_url(url: str, policy: UrlPolicy = UrlPolicy()) -> str:  # noqa: B008  frozen
    """The canonical form of a URL, empty if it is not a page's; applying it twice changes nothing.

    Examples
    --------
    >>> canonicalize_url("HTTP://Example.COM:80/a/../%7eb/index.html?utm_source=x#top")
    'http://example.com/~b/'
    """
    is_short = len(url) <= MAX_CACHED_CHARS
    return (_canonicalize_cached if is_short else _canonicalize_cached.__wrapped__)(url, policy)


@lru_cache(maxsize=1 << 16)
def _canonicalize_cached(url: str, policy: UrlPolicy) -> str:
    if is_normalized_url(url):
        return _clean_path(url, policy, without_query=True)
    parsed = resolve_url("", url)
    return _canonicalize_parsed(parsed, policy) if parsed else ""


def _canonicalize_parsed(url: str, policy: UrlPolicy) -> str:
    """The canonical form of a URL that the parser has normalized."""
    scheme, _, after_scheme = url.partition("://")
    without_fragment, hash_sign, fragment = after_scheme.partition("#")
    location, _, query = without_fragment.partition("?")
    authority, _, path = location.partition("/")
    if policy.escapes and "%" in without_fragment:
        path = PERCENT_ESCAPE.sub(_normalize_escape, path)
        query = PERCENT_ESCAPE.sub(_normalize_escape, query)
    query = _drop_parameters(query, policy)
    path = _clean_path(f"/{path}", policy, without_query=not query)
    tail = f"?{query}" if query else ""
    if fragment and not policy.fragment:
        tail += hash_sign + fragment
    form = f"{scheme}://{authority.rpartition('@')[2]}{path}{tail}"
    # Unescaping or removing a session may leave a new dot segment or session: parse once more.
    may_change = DOT_SEGMENT.search(path) is not None or ";" in path
    return canonicalize_url(form, policy) if may_change and form != url else form


def _clean_path(path: str, policy: UrlPolicy, *, without_query: bool) -> str:
    """A path without session ids and, if no query follows, without the name of its index page."""
    if policy.session and ";" in path:
        path = PATH_SESSION.sub("", path)
    if not policy.index or not without_query or path[path.rfind("/") + 1 :][:1] not in "iIdD":
        return path
    return INDEX_PAGE.sub("/", path)


def _normalize_escape(match: re.Match[str]) -> str:
    """Normalize a percent escape: unreserved characters plain, hex digits upper case."""
    digits = match[1]
    if digits is None:
        return "%25"
    character = chr(int(digits, 16))
    return character if character in UNRESERVED_CHARS else f"%{digits.upper()}"


def _drop_parameters(query: str, policy: UrlPolicy) -> str:
    """A query without tracking and session parameters."""
    if not query or not (policy.tracking or policy.session):
        return query
    kept = []
    for part in query.split("&"):
        name = part.partition("=")[0]
        is_tracking = policy.tracking and TRACKING_PARAMETER.fullmatch(name)
        is_session = policy.session and SESSION_PARAMETER.fullmatch(name)
        if not is_tracking and not is_session:
            kept.append(part)
    return "&".join(kept) if len(kept) < query.count("&") + 1 else query


def applied_rules(url: str, policy: UrlPolicy = UrlPolicy()) -> list[str]:  # noqa: B008  frozen
    """The rules that changed a URL: without one of them its canonical form would differ.

    Examples
    --------
    >>> applied_rules("http://example.com/a/index.html?utm_source=x")
    ['index', 'tracking']
    """
    form = canonicalize_url(url, policy)
    return [
        rule
        for rule in policy.rules
        if canonicalize_url(url, UrlPolicy(**{**policy.rules, rule: False})) != form
    ]


def canonical_page_name(text: str, policy: UrlPolicy = UrlPolicy()) -> str:  # noqa: B008  frozen
    """The name of a node as a page: a canonical URL, or the name as given."""
    url = text.lstrip().rstrip(URL_STRIP_CHARS)
    if PAGE_URL.match(url):
        return canonicalize_url(url, policy) or url
    return text.strip()


def candidate_urls(partial_url: str) -> list[str]:
    """The full URLs that a partial one may mean: its scheme and `www.` may be missing.

    Examples
    --------
    >>> candidate_urls("cats.org")
    ['https://cats.org', 'http://cats.org', 'https://www.cats.org', 'http://www.cats.org']
    """
    if "://" in partial_url:
        return [partial_url]
    return [
        f"{scheme}://{www}{partial_url}" for www in ("", "www.") for scheme in ("https", "http")
    ]


def host(page: str) -> str:
    """The host of a URL without its port; a name without a host is its own host.

    Examples
    --------
    >>> host("https://www.example.com:8080/a"), host("blog.example.com/x"), host("Bede")
    ('www.example.com', 'blog.example.com', 'Bede')
    """
    if PAGE_URL.match(page):
        return PORT_SUFFIX.sub("", AUTHORITY_END.split(page.partition("://")[2], maxsplit=1)[0])
    first = page.partition("/")[0]
    return first if HOST_NAME.fullmatch(first.lower()) else page


def canonical_host(text: str) -> str:
    """The host of a URL, or a host, as in canonical URLs; other names stay as they are.

    Examples
    --------
    >>> canonical_host("M\u00fcller.Example"), canonical_host("http://a.org:80/x")
    ('xn--mller-kva.example', 'a.org')
    >>> canonical_host("Bede")
    'Bede'
    """
    url = text if "://" in text else f"http://{text}"
    name = host(canonicalize_url(url))
    return name if HOST_NAME.fullmatch(name) else host(text)


@lru_cache(maxsize=1 << 16)
def domain_of_host(host_name: str) -> str:
    """The registrable domain of a host by the public suffix list; an IP address is its own."""
    lower = host_name.lower()
    if not HOST_NAME.fullmatch(lower):
        return host_name
    return _public_suffix_list().privatesuffix(lower) or lower


def domain(page: str) -> str:
    """The registrable domain of a page.

    Examples
    --------
    >>> (
    ...     domain("https://news.bbc.co.uk/x"),
    ...     domain("http://me.github.io/"),
    ...     domain("http://10.0.0.1/"),
    ... )
    ('bbc.co.uk', 'me.github.io', '10.0.0.1')
    """
    return domain_of_host(host(page))


def site(page: str) -> str:
    """The site that a page belongs to: its domain, or a member's folder on a shared host.

    Examples
    --------
    >>> site("http://www.cs.cmu.edu/~tom/pubs.html"), site("http://www.geocities.com/Area51/1/")
    ('www.cs.cmu.edu/~tom', 'geocities.com/Area51')
    """
    host_name = host(page)
    first_folder = page.partition("://")[2].partition("/")[2].partition("/")[0]
    if first_folder.startswith("~") and len(first_folder) > 1:
        return f"{host_name}/{first_folder}"
    bare_host = host_name.removeprefix("www.")
    if bare_host in SHARED_HOSTS and first_folder:
        return f"{bare_host}/{first_folder}"
    return domain_of_host(host_name)


def sort_key(page: str) -> str:
    """A sort key under which each directory, host and domain is one contiguous run.

    The host is reversed and ends in a slash, the next character after the dot,
    so that a host and its subdomains are adjacent; port and path follow, the
    scheme comes last. A name without host is a host of its own. Keys are unique.

    Examples
    --------
    >>> sort_key("https://www.example.com:8080/a?b")
    'com.example.www/:8080/a?b https'
    """
    host_name = host(page)
    suffix = after_scheme = page
    if PAGE_URL.match(page):
        scheme, _, after_scheme = page.partition("://")
        suffix = scheme if host_name == host_name.lower() else page
    return f"{reverse_host(host_name)}{after_scheme[len(host_name) :]} {suffix}"


@lru_cache(maxsize=1 << 14)
def reverse_host(host_name: str) -> str:
    """The labels of a host from the root down, with a slash at the end."""
    if HOST_NAME.fullmatch(host_name.lower()):
        return ".".join(reversed(host_name.lower().split("."))) + "/"
    return ("" if IPV4_ADDRESS.fullmatch(host_name) else "!") + host_name.replace("/", "\x01") + "/"


OPTIONAL_SCHEME = r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?"
ANY_SUBDOMAIN = r"(?:[^/?#]*[.@])?"
PORT_AND_PATH = r"(?::[0-9]+)?(?:[/?#]|$)"
WILDCARDS = {"*": ".*", "?": "."}


def host_regex(name: str) -> str:
    """A regular expression for a host."""
    return re.escape(name.strip().lower().strip("."))


def glob_regex(pattern: str) -> str:
    """A regular expression for a pattern with `*` and `?`."""
    return "".join(WILDCARDS.get(sign) or re.escape(sign) for sign in pattern)


def match_regex(names: pa.Array, expression: str) -> Flags:
    """Which names match a regular expression; an empty one matches nothing."""
    if not expression or not len(names):
        return np.zeros(len(names), bool)
    matches: Flags = pc.match_substring_regex(names, expression).to_numpy(zero_copy_only=False)
    return matches.astype(bool)


def match_pattern(names: pa.Array, pattern: str) -> Flags:
    """Which names match a pattern.

    A host or domain matches its pages and those of its subdomains. With `*`, `?`
    or a slash it is a glob for URLs, whose scheme may be left out.

    Examples
    --------
    >>> urls = pa.array(["http://ads.example/x", "http://www.ads.example/", "http://a.org/ads"])
    >>> match_pattern(urls, "ads.example").tolist(), match_pattern(urls, "*/ads").tolist()
    ([True, True, False], [False, False, True])
    """
    if not pattern.strip():
        raise BadParameter("an empty pattern matches no page", hint="give a host or a URL with *")
    if re.search(r"[*?/]", pattern):
        return match_regex(names, f"(?s)^{OPTIONAL_SCHEME}{glob_regex(pattern)}$")
    return match_regex(
        names, f"(?i)^{OPTIONAL_SCHEME}{ANY_SUBDOMAIN}{host_regex(pattern)}{PORT_AND_PATH}"
    )


BARE_NAME = r"^[^./:\x01]+$"  # without host
PLAIN_HOST = r"(?:[a-z0-9_-]+\.)+[a-z]{2,}"
PLAIN_URL = rf"^(?P<scheme>https?)://(?P<host>{PLAIN_HOST})(?P<path>/(?s:.*))$"
PLAIN_ADDRESS = "^https?://(?P<host>[a-z0-9.-]+)/"
LAST_LABELS = r"^(?:[a-z0-9_-]+\.)*(?P<last>(?P<label>[a-z0-9_-]+)\.(?P<top>[a-z]{2,}))$"


def reverse_labels(hosts: Any) -> Any:
    """Reverse the labels of host names: com.example.www becomes www.example.com.

    Examples
    --------
    >>> reverse_labels(pa.array(["com.example.www", "org"])).to_pylist()
    ['www.example.com', 'org']
    """
    labels = pc.split_pattern(pc.utf8_trim_whitespace(hosts), ".")
    offsets = labels.offsets.to_numpy().astype(np.int64)
    # Label k of the host with labels [start, end) comes from position start + end - 1 - k.
    first_plus_last = np.repeat(offsets[:-1] + offsets[1:] - 1, np.diff(offsets))
    reversed_labels = labels.values.take(
        pa.array(first_plus_last - np.arange(offsets[0], offsets[-1]))
    )
    bounds = pa.array(offsets - offsets[0], pa.int32())
    return pc.binary_join(pa.ListArray.from_arrays(bounds, reversed_labels), ".")


def sort_keys(names: pa.Array) -> pa.Array:
    """The sort key of each name, as `url.sort_key`.

    Examples
    --------
    >>> names = pa.array(["7", "Bede", "www.example.com", "http://example.com/a?b", "http://Æ/"])
    >>> sort_keys(names).to_pylist() == [sort_key(name) for name in names.to_pylist()]
    True
    """
    keys = pa.nulls(len(names), pa.string())
    for make in (_bare_keys, _host_keys, _url_keys, _other_keys):
        if not keys.null_count:
            break
        rest = keys.is_null()
        keys = pc.replace_with_mask(keys, rest, make(names.filter(rest)))
    return keys


def _bare_keys(names: pa.Array) -> pa.Array:
    prefix = pc.if_else(pc.match_substring_regex(names, r"^[0-9]+$"), "", "!")
    keys = pc.binary_join_element_wise(prefix, names, "/ ", names, "")
    return pc.if_else(pc.match_substring_regex(names, BARE_NAME), keys, None)


def _host_keys(names: pa.Array) -> pa.Array:
    is_plain = pc.match_substring_regex(names, f"^{PLAIN_HOST}$")
    hosts = pc.if_else(is_plain, names, "")
    keys = pc.binary_join_element_wise(reverse_labels(hosts), "/ ", hosts, "")
    return pc.if_else(is_plain, keys, None)


def _url_keys(names: pa.Array) -> pa.Array:
    parts = pc.extract_regex(names, PLAIN_URL)
    scheme, hosts, path = (pc.struct_field(parts, name) for name in ("scheme", "host", "path"))
    reversed_hosts = reverse_labels(pc.fill_null(hosts, ""))
    return pc.binary_join_element_wise(reversed_hosts, "/", path, " ", scheme, "")


def _other_keys(names: pa.Array) -> pa.Array:
    return pa.array([sort_key(name) for name in names.to_pylist()], pa.string())


def hosts_of(names: pa.Array) -> pa.Array:
    """The host of each name, as `url.host`.

    Examples
    --------
    >>> hosts_of(pa.array(["https://a.org:80/x", "http://b.org/", "c.org/x", "7"])).to_pylist()
    ['a.org', 'b.org', 'c.org', '7']
    """
    is_bare = pc.invert(pc.match_substring(names, "/"))
    plain = pc.struct_field(pc.extract_regex(names, PLAIN_ADDRESS), "host").cast(names.type)
    hosts = pc.if_else(is_bare, names, plain)
    others = [host(name) for name in names.filter(hosts.is_null()).to_pylist()]
    return pc.replace_with_mask(hosts, hosts.is_null(), pa.array(others, names.type))


def domains_of(hosts: pa.Array) -> pa.Array:
    """The registrable domain of each host, as `url.domain_of_host`.

    It is the last two labels, unless a rule for public suffixes ends in these.

    Examples
    --------
    >>> domains_of(pa.array(["www.a.org", "x.y.co.uk", "10.0.0.1", "7"])).to_pylist()
    ['a.org', 'y.co.uk', '10.0.0.1', '7']
    """
    parts = pc.extract_regex(hosts, LAST_LABELS)
    last, label, top = (pc.struct_field(parts, name) for name in ("last", "label", "top"))
    has_rule = pc.or_(pc.is_in(last, _rule_ends()), pc.is_in(top, _wildcard_tops()))
    has_rule = pc.or_(has_rule, pc.fill_null(pc.starts_with(label, "xn--"), fill_value=False))
    plain = pc.if_else(has_rule, None, last).cast(hosts.type)
    domains = pc.if_else(pc.match_substring(hosts, "."), plain, hosts)
    others = [domain_of_host(name) for name in hosts.filter(domains.is_null()).to_pylist()]
    return pc.replace_with_mask(domains, domains.is_null(), pa.array(others, hosts.type))


@cache
def _long_rules() -> list[list[str]]:
    """The labels of the rules for public suffixes of more than one label."""
    with open(publicsuffixlist.PSLFILE, encoding="utf-8") as file:  # noqa: PTH123  a path as text
        rules = [line.split()[0].lower().removeprefix("!") for line in file if line.strip()]
    return [rule.split(".") for rule in rules if "." in rule and not rule.startswith("//")]


@cache
def _rule_ends() -> pa.Array:
    return pa.array(sorted({".".join(labels[-2:]) for labels in _long_rules()}))


@cache
def _wildcard_tops() -> pa.Array:
    return pa.array(sorted({labels[1] for labels in _long_rules() if labels[-2] == "*"}))
