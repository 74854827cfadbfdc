"""Scope, traps, sitemaps and feeds."""

import gzip
import time
import tracemalloc
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.errors import BadParameter
from weft.gather.fetch.feeds import MAX_FEED_BYTES, MAX_FEED_URLS, read_feed
from weft.gather.fetch.scope import Scope, url_matcher
from weft.gather.fetch.traps import is_calendar, trap_reason, url_pattern

SEED = "https://www.a.co.uk/start"


def refusals(scope: Scope, *urls: str) -> list[str]:
    scope.add_home(SEED)
    return [scope.refusal(url, 1) for url in urls]


def test_within_host_and_domain() -> None:
    urls = "http://www.a.co.uk:8080/x", "http://b.a.co.uk/", "http://c.co.uk/"
    assert refusals(Scope(within="host"), *urls) == ["", "out of scope", "out of scope"]
    assert refusals(Scope(within="domain"), *urls) == ["", "", "out of scope"]
    assert refusals(Scope(), *urls) == ["", "", ""]


@pytest.mark.parametrize(
    ("pattern", "url", "matches"),
    [
        ("a.org", "https://a.org/x", True),
        ("a.org", "https://w.A.org", True),
        ("a.org", "https://ba.org/", False),
        ("a.org", "https://b.org/a.org", False),
        ("a.org/docs/*", "https://a.org/docs/x", True),
        ("a.org/docs/*", "https://a.org/blog/docs/", False),
        ("https://a.org/*", "http://a.org/x", False),
        ("*.php", "http://a.org/x.php", True),
        ("*.php", "http://a.org/x.php?y", False),
        ("a.org/(x", "http://a.org/(x", True),
    ],
)
def test_patterns(pattern: str, url: str, *, matches: bool) -> None:
    assert Scope(within=pattern).refusal(url, 1) == ("" if matches else "out of scope")
    assert Scope(exclude=("zzz.org", pattern)).refusal(url, 1) == ("excluded" if matches else "")


@given(st.text("a/*?", min_size=1, max_size=8), st.text("a/b", max_size=8))
def test_stars_match_what_any_other_matcher_matches(glob: str, path: str) -> None:
    expected = fnmatchcase(f"http://x/{path}", f"http://x/{glob}")
    assert bool(url_matcher([f"x/{glob}"])(f"http://x/{path}")) == expected


def test_many_stars_take_little_time() -> None:
    started = time.process_time()
    assert not url_matcher(["*/a*" * 20 + "/b"])("http://x.test" + "/a" * 490)
    assert time.process_time() - started < 1


def test_empty_pattern() -> None:
    with pytest.raises(BadParameter, match="empty pattern"):
        Scope(exclude=("",))


@pytest.mark.parametrize("pattern", ["[", "a b", "..", "a|b"])
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(BadParameter, match="neither a host nor a URL pattern"):
        Scope(within=pattern)
    with pytest.raises(BadParameter, match="neither a host nor a URL pattern"):
        Scope(exclude=(pattern,))


def test_depth_redirects_and_schemes() -> None:
    scope = Scope(max_depth=2, max_redirects=1)
    assert scope.refusal("http://a.org/", 2, 1) == ""
    assert scope.refusal("http://a.org/", 3) == "depth limit"
    assert scope.refusal("http://a.org/", 0, 2) == "too many redirects"
    assert scope.refusal("ftp://a.org/", 0) == "neither http nor https"


def test_seeds_are_within_but_may_be_excluded() -> None:
    scope = Scope(within="*/docs/*", exclude=("*/print/*",))
    assert scope.refusal("http://a.org/sitemap.xml", 0) == ""
    assert scope.refusal("http://a.org/sitemap.xml", 1) == "out of scope"
    assert scope.refusal("http://a.org/print/1", 0) == "excluded"


def test_files_that_are_no_pages() -> None:
    scope = Scope()
    for url in ("http://a.org/x.PNG", "http://a.org/x.pdf?y=1", "http://a.org/app.js"):
        assert scope.refusal(url, 1) == "not a page by its ending"
    for url in ("http://a.org/sitemap.xml.gz", "http://a.org/x.html", "http://a.org/js"):
        assert scope.refusal(url, 1) == ""


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/a/b/c", ""),
        ("/a/a/b", ""),
        ("/2024/05/2024-05-01", ""),
        ("/a/a/a", "repeating path segments"),
        ("/x/a/b/a/b/a/b/", "repeating path segments"),
        ("/a/x/a/y/a/z/a", "repeating path segments"),
        ("/" + "/".join(map(str, range(30))), "path too deep"),
        ("/" + "x" * 1000, "URL too long"),
        ("/?sid=0123456789abcdef0123456789abcdef", "session id"),
        ("/?PHPSESSID=1", "session id"),
        ("/(S(lit3py55t21z5v55vlm25s55))/x", "session id"),
        ("/?id=507f1f77bcf86cd799439011", ""),
        ("/?q=conference+programme+of+the+society", ""),
        ("/?" + "&".join(f"f{k}=1" for k in range(20)), "too many parameters"),
    ],
)
def test_traps(path: str, reason: str) -> None:
    assert trap_reason("http://a.org" + path) == reason


def test_patterns_of_urls() -> None:
    assert url_pattern("http://h1.org/a1/22") == url_pattern("http://h1.org/a3/4")
    assert url_pattern("http://h1.org/a/1") != url_pattern("http://h2.org/a/1")
    assert url_pattern("http://h1.org/?a=x") == url_pattern("http://h1.org/?a=y")
    assert url_pattern("http://h1.org/?a=x") != url_pattern("http://h1.org/?b=x")


def test_calendars() -> None:
    for url in (
        "/?month=5",
        "/cal?x=1&year=2031",
        "/events/2031/05/01",
        "/calendar/2031-05",
        "/?y=2031&m=5",
    ):
        assert is_calendar("http://a.org" + url)
    for url in ("/2031/05/news", "/?id=5", "/?t=1&start=40", "/events/today"):
        assert not is_calendar("http://a.org" + url)


SITEMAP = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> https://a.org/1?x=1&amp;y=2 </loc><lastmod>2020</lastmod></url>
<url><loc><![CDATA[https://a.org/2]]></loc></url></urlset>"""
RSS = b"""<rss version="2.0"><channel><link>https://a.org/</link>
<item><title>x</title><link>/3</link></item><item><link>https://a.org/4</link></channel>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/feed"/>
<entry><link rel='alternate' href='/5'/></entry></feed>"""


def feed(body: bytes) -> list[str]:
    return [url.removeprefix("https://a.org") for url in read_feed("https://a.org/feed", body)]


def test_feeds() -> None:
    assert feed(SITEMAP) == feed(gzip.compress(SITEMAP)) == ["/1?x=1&y=2", "/2"]
    assert feed(RSS) == ["/", "/3", "/4"]
    assert feed(ATOM) == ["/5"]
    assert feed(b"<html><link href='/x'><loc>/y</loc></html>") == []


def test_feeds_that_repeat_themselves_take_little_time() -> None:
    started = time.process_time()
    assert feed(b"<urlset>" + b"<loc>/1</loc>" * 2_000_000) == ["/1"]
    assert feed(b"<urlset>" + b"<loc>" * 5_000_000) == []
    assert time.process_time() - started < 2


def test_feeds_are_bounded() -> None:
    many = b"<urlset>" + b"".join(b"<loc>/%d</loc>" % k for k in range(MAX_FEED_URLS + 10))
    assert len(feed(many)) == MAX_FEED_URLS
    bomb = gzip.compress(b"<urlset><loc>/1</loc>" + b" " * (80 << 20), 9)
    assert feed(bomb) == ["/1"]
    entities = b'<!DOCTYPE x [<!ENTITY a "&b;&b;"><!ENTITY b "&a;">]><urlset><loc>/&a;</loc>'
    assert feed(entities) == ["/&a;"]


def test_a_feed_takes_no_more_memory_than_its_bytes() -> None:
    """One character beyond the first plane makes each of a text take four bytes."""
    bomb = gzip.compress(b"<urlset><loc>/1</loc>" + "🦜".encode() + b"x" * (80 << 20), 9)
    tracemalloc.start()
    assert feed(bomb) == ["/1"]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * MAX_FEED_BYTES + (10 << 20)
