"""URLs: one WHATWG parser, one canonical form, and the names that follow from it."""

import re
from dataclasses import asdict, dataclass
from functools import _lru_cache_wrapper, cache, lru_cache

from ada_url import URL, join_url
from publicsuffixlist import PublicSuffixList

LONGEST = 4_000
REMEMBERED = 500
# What the parser takes off both ends of a URL: control characters and space, but no other white
# space, such as one that does not break.
EDGES = "".join(map(chr, range(0x21)))

INDEX = re.compile(
    r"/(?:index|default)\.(?:html?|shtml|xhtml|php[345]?|aspx?|jsp|cgi)$", re.IGNORECASE
)
TRACKING = re.compile(
    r"utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_[ce]id|_ga|_gl"
    r"|_hsenc|_hsmi|mkt_tok|vero_id|oly_(?:anon|enc)_id|wickedid|s_kwcid",
    re.IGNORECASE,
)
SESSION = re.compile(
    r"phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|cfid|cftoken|zenid|oscsid|sessid",
    re.IGNORECASE,
)
PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid)=[^/?;]*", re.IGNORECASE)
ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
DOTS = re.compile(r"/\.{1,2}(?:/|$)")
NAMED_HOST = re.compile(r"(?:[a-z0-9_-]+\.)+(?:[a-z]{2,}|xn--[a-z0-9-]*[a-z0-9])")
PAGE = re.compile(r"(?:https?|ftp|file)://[^/]", re.IGNORECASE)
PLAIN = re.compile(r"((?:\.\./)*+)(?:[\w~-][\w~.-]*+/)*+(?:[\w~-][\w~.-]*+)?", re.ASCII)
PLAIN_FOLDER = re.compile(r"https?://[a-z][a-z0-9.-]+(?::\d+)?/(?:[\w~-][\w~.-]*+/)*+", re.ASCII)
PORT = re.compile(r":\d+$")
AUTHORITY_END = re.compile(r"[/?#]")
ADDRESS = re.compile(r"[\d.]+")
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
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


@dataclass(frozen=True, slots=True)
class Policy:
    """Which differences between two URLs do not make two pages; each rule can be switched off.

    Case of the host, default ports, dot segments and IDNA are the parser's own
    and always folded; user names and passwords are always taken off.
    """

    fragment: bool = True
    escapes: bool = True
    index: bool = True
    session: bool = True
    tracking: bool = True

    @property
    def rules(self) -> dict[str, bool]:
        """The switches by name, as `collection.json` keeps them."""
        return asdict(self)


def resolve(base: str, reference: str) -> str:
    """The absolute URL of a link, or nothing where it leads to no page of a host."""
    try:
        url = join_url(base, reference) if base else URL(reference).href
    except ValueError:
        return ""
    return url if PAGE.match(url) else ""


def folder_of(base: str) -> str:
    """The part of a base URL that relative references are resolved against."""
    return base[: base.rfind("/", 9) + 1] or base


def link_target(folder: str, reference: str, policy: Policy) -> str:
    """The canonical URL that a reference on a page of `folder` leads to, or nothing."""
    short = len(folder) + len(reference) <= REMEMBERED
    target = targets(policy)
    return (target if short else target.__wrapped__)(folder, reference)


@lru_cache(maxsize=4)
def targets(policy: Policy) -> "_lru_cache_wrapper[str]":
    """How a folder and a reference on one of its pages give the canonical URL it leads to.

    Remembered, for the pages of a site repeat their links; long ones should not
    be, or pages full of them would fill the memory.
    """

    @lru_cache(maxsize=1 << 17)
    def target(folder: str, reference: str) -> str:
        if (plain := PLAIN.fullmatch(reference)) and (above := _above(folder)):
            url = above[min(len(plain[1]) // 3, len(above) - 1)] + reference[plain.end(1) :]
            return _plain_path(url, policy, bare=True) if len(url) <= LONGEST else ""
        url = resolve(folder, reference)
        return _folded(url, policy) if url and len(url) <= LONGEST else ""

    return target


@lru_cache(maxsize=1 << 12)
def _above(folder: str) -> tuple[str, ...]:
    """A folder and those above it; none where it takes the parser to tell them."""
    if not PLAIN_FOLDER.fullmatch(folder) or resolve("", folder) != folder:
        return ()
    steps = [at + 1 for at in range(9, len(folder)) if folder[at] == "/"]
    return tuple(folder[:step] for step in reversed(steps))


def is_plain(url: str) -> bool:
    """Whether the parser would certainly leave a URL as it is; a folder is asked about once."""
    folder = folder_of(url)
    return PLAIN.fullmatch(url, len(folder)) is not None and _above(folder) != ()


def canonical(url: str, policy: Policy = Policy()) -> str:  # noqa: B008  frozen
    """Give the one form of the URL of a page, or nothing; applying it again changes nothing.

    Examples
    --------
    >>> canonical("HTTP://Example.COM:80/a/../%7eb/index.html?utm_source=x#top")
    'http://example.com/~b/'
    """
    return (_form if len(url) <= REMEMBERED else _form.__wrapped__)(url, policy)


@lru_cache(maxsize=1 << 16)
def _form(url: str, policy: Policy) -> str:
    if is_plain(url):
        return _plain_path(url, policy, bare=True)
    parsed = resolve("", url)
    return _folded(parsed, policy) if parsed else ""


def _folded(url: str, policy: Policy) -> str:
    """The canonical form of a URL that the parser has seen."""
    scheme, _, rest = url.partition("://")
    rest, hashed, fragment = rest.partition("#")
    place, _, query = rest.partition("?")
    authority, _, path = place.partition("/")
    if policy.escapes and "%" in rest:
        path, query = ESCAPE.sub(_escape, path), ESCAPE.sub(_escape, query)
    query = _parameters(query, policy)
    path = _plain_path(f"/{path}", policy, bare=not query)
    tail = f"?{query}" if query else ""
    if fragment and not policy.fragment:
        tail += hashed + fragment
    form = f"{scheme}://{authority.rpartition('@')[2]}{path}{tail}"
    again = DOTS.search(path) is not None or ";" in path
    return canonical(form, policy) if again and form != url else form


def _plain_path(path: str, policy: Policy, *, bare: bool) -> str:
    """A path without sessions, and, where no query follows, without the name of its index page."""
    if policy.session and ";" in path:
        path = PATH_SESSION.sub("", path)
    if not policy.index or not bare or path[path.rfind("/") + 1 :][:1] not in "iIdD":
        return path
    return INDEX.sub("/", path)


def _escape(match: re.Match[str]) -> str:
    """Write an escape as the normal form has it: unreserved characters plain, hex upper case."""
    digits = match[1]
    if digits is None:
        return "%25"
    character = chr(int(digits, 16))
    return character if character in UNRESERVED else f"%{digits.upper()}"


def _parameters(query: str, policy: Policy) -> str:
    if not query or not (policy.tracking or policy.session):
        return query
    kept = []
    for part in query.split("&"):
        name = part.partition("=")[0]
        tracked = policy.tracking and TRACKING.fullmatch(name)
        if not tracked and not (policy.session and SESSION.fullmatch(name)):
            kept.append(part)
    return "&".join(kept) if len(kept) < query.count("&") + 1 else query


def folded(url: str, policy: Policy = Policy()) -> list[str]:  # noqa: B008  frozen
    """Which rules made the canonical form of a URL what it is: without them it were another.

    Examples
    --------
    >>> folded("http://example.com/a/index.html?utm_source=x")
    ['index', 'tracking']
    """
    form = canonical(url, policy)
    return [
        rule
        for rule in policy.rules
        if canonical(url, Policy(**{**policy.rules, rule: False})) != form
    ]


def name(text: str, policy: Policy = Policy()) -> str:  # noqa: B008  frozen
    """The name of a page in a graph without text: a canonical URL, or the words as given."""
    url = text.lstrip().rstrip(EDGES)
    if PAGE.match(url):
        return canonical(url, policy) or url
    return text.strip()


def spellings(given: str) -> list[str]:
    """What a URL may be in full; people leave out its scheme, and `www.`.

    Examples
    --------
    >>> spellings("cats.org")
    ['https://cats.org', 'http://cats.org', 'https://www.cats.org', 'http://www.cats.org']
    """
    if "://" in given:
        return [given]
    return [f"{scheme}://{www}{given}" for www in ("", "www.") for scheme in ("https", "http")]


def host(page: str) -> str:
    """The host of a URL, without its port; a name that has no host is its own.

    Examples
    --------
    >>> host("https://www.example.com:8080/a"), host("blog.example.com/x"), host("Bede")
    ('www.example.com', 'blog.example.com', 'Bede')
    """
    if PAGE.match(page):
        return PORT.sub("", AUTHORITY_END.split(page.partition("://")[2], maxsplit=1)[0])
    first = page.partition("/")[0]
    return first if NAMED_HOST.fullmatch(first.lower()) else page


@lru_cache(maxsize=1 << 16)
def domain_of_host(place: str) -> str:
    """The registrable domain of a host, by the public suffix list; addresses are their own."""
    plain = place.lower()
    return (_suffixes().privatesuffix(plain) or plain) if NAMED_HOST.fullmatch(plain) else place


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
    """Whose pages these are: the domain, or a member's folder on a shared host.

    Examples
    --------
    >>> site("http://www.cs.cmu.edu/~tom/pubs.html"), site("http://www.geocities.com/Area51/1/")
    ('www.cs.cmu.edu/~tom', 'geocities.com/Area51')
    """
    place = host(page)
    first = page.partition("://")[2].partition("/")[2].partition("/")[0]
    if first.startswith("~") and len(first) > 1:
        return f"{place}/{first}"
    plain = place.removeprefix("www.")
    return f"{plain}/{first}" if plain in SHARED_HOSTS and first else domain_of_host(place)


def sort_key(page: str) -> str:
    """The key that puts a directory, a host, and a host with all below it each into one run.

    The host stands reversed and ends in a slash, which no other character of a
    host comes between; port and path follow, and the scheme comes last. A name
    without host is a host of its own. No two pages have the same key.

    Examples
    --------
    >>> sort_key("https://www.example.com:8080/a?b")
    'com.example.www/:8080/a?b https'
    """
    place = host(page)
    last = rest = page
    if PAGE.match(page):
        scheme, _, rest = page.partition("://")
        last = scheme if place == place.lower() else page
    return f"{reversed_host(place)}{rest[len(place) :]} {last}"


@lru_cache(maxsize=1 << 14)
def reversed_host(place: str) -> str:
    """The labels of a host from the root down, closed by a slash."""
    if NAMED_HOST.fullmatch(place.lower()):
        return ".".join(reversed(place.lower().split("."))) + "/"
    return ("" if ADDRESS.fullmatch(place) else "!") + place.replace("/", "\x01") + "/"
