"""Robots rules by RFC 9309: matching, statuses, limits, redirects, the cache."""

import asyncio
import sqlite3
import time

import pytest

from weft.gather.fetch import robots
from weft.gather.fetch.robots import (
    CACHE_SECONDS,
    MAX_ROBOTS_BYTES,
    RobotsCache,
    RobotsFile,
    RobotsRules,
    decode_robots,
)

SITE = "https://example.com"


def rules(text: str | bytes, status: int = 200) -> RobotsRules:
    return RobotsRules(status, text.encode() if isinstance(text, str) else text, "Weft")


def allowed(text: str | bytes, path: str, status: int = 200) -> bool:
    return not rules(text, status).refusal(SITE + path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", True),
        ("/shop/item", False),
        ("/shop/open/x", True),
        ("/a.gif", False),
        ("/a.gift", True),
    ],
)
def test_the_longest_match_wins(path: str, *, expected: bool) -> None:
    text = "User-agent: *\nDisallow: /shop/\nAllow: /shop/open/\nDisallow: /*.gif$\n"
    assert allowed(text, path) is expected


def test_allow_wins_a_tie() -> None:
    assert allowed("User-agent: *\nDisallow: /a\nAllow: /a\n", "/a")


def test_the_group_of_the_crawler_replaces_that_of_all() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: WEFT/1.0\nDisallow: /private\n"
    assert allowed(text, "/x")
    assert not allowed(text, "/private")


def test_groups_of_one_crawler_are_joined() -> None:
    text = "User-agent: weft\nDisallow: /a\n\nUser-agent: x\nUser-agent: Weft\nDisallow: /b\n"
    assert [allowed(text, path) for path in ("/a", "/b", "/c")] == [False, False, True]


@pytest.mark.parametrize("name", ["we", "weftling", "wef", "bot"])
def test_a_name_that_only_resembles_ours_does_not_count(name: str) -> None:
    assert allowed(f"User-agent: {name}\nDisallow: /\n", "/x")


@pytest.mark.parametrize(
    ("status", "expected"),
    [(200, False), (401, True), (403, True), (404, True), (429, True), (500, False), (503, False)],
)
def test_missing_allows_and_unreachable_does_not(status: int, *, expected: bool) -> None:
    assert allowed("User-agent: *\nDisallow: /x\n", "/x", status) is expected


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8"])
def test_byte_order_marks(encoding: str) -> None:
    assert not allowed("User-agent: *\nDisallow: /ü\n".encode(encoding), "/%C3%BC")


def test_only_the_first_500_kib_count_and_only_whole_lines() -> None:
    start = b"User-agent: *\nDisallow: /a\n"
    filler = b"#" + b"x" * (MAX_ROBOTS_BYTES - len(start) - 40) + b"\n"
    text = start + filler + b"Disallow: /" + b"b" * 100 + b"\nDisallow: /late\n"
    assert not allowed(text, "/a")
    assert allowed(text, "/bbbbbbbbbbbbbbbbbbbbbbbb")
    assert allowed(text, "/late")
    assert len(decode_robots(text)) < MAX_ROBOTS_BYTES


def test_html_in_place_of_rules_allows() -> None:
    assert allowed("<html><body>Disallow: / <p>User-agent: no</p>", "/x")


def test_many_wildcards_take_little_time() -> None:
    text = "User-agent: *\n" + "Disallow: /" + "*a" * 2000 + "$\n"
    text += "".join(f"Disallow: /*a*{k}*b\n" for k in range(20_000))
    parsed = rules(text)
    started = time.process_time()
    assert not parsed.refusal(SITE + "/" + "a" * 900)
    assert time.process_time() - started < 2


def test_a_line_of_spaces_takes_little_time() -> None:
    started = time.process_time()
    text = "User-agent" + " " * 200_000 + "\n" + "User-agent: *\nDisallow: /a\n"
    assert not allowed(text, "/a")
    assert time.process_time() - started < 2


def test_lines_may_end_with_a_carriage_return() -> None:
    text = "User-agent: *\rDisallow: /a\rUser-agent: we\rDisallow: /b\r"
    assert [allowed(text, path) for path in ("/a", "/b")] == [False, True]


def test_crawl_delay() -> None:
    assert rules("User-agent: *\nCrawl-delay: 7\n").crawl_delay == 7
    assert rules("User-agent: *\nCrawl-delay: never\n").crawl_delay == 0


class Server:
    """Answers by URL, and the requests that it got."""

    def __init__(self, **files: RobotsFile) -> None:
        self.files, self.asked = files, list[str]()

    async def fetch(self, url: str) -> RobotsFile:
        """The file by its name; 404 if there is none."""
        self.asked.append(url)
        return self.files.get(url.rpartition("/")[2].removesuffix(".txt"), RobotsFile(404))


def fetch(cache: RobotsCache, server: Server, now: float = 0.0) -> RobotsRules:
    return asyncio.run(cache.fetch(SITE, server.fetch, now))


def test_five_redirects_are_followed_and_a_sixth_means_no_file() -> None:
    final = RobotsFile(200, b"User-agent: *\nDisallow: /\n")
    hops = {f"r{k}": RobotsFile(301, location=f"/r{k + 1}.txt") for k in range(1, 6)}
    first = RobotsFile(302, location="https://other.example/r1.txt")
    cache = RobotsCache(sqlite3.connect(":memory:"), "Weft")
    five = Server(robots=first, **{**hops, "r5": final})
    assert fetch(cache, five).refusal(SITE + "/x") == "robots.txt"
    assert five.asked[1] == "https://other.example/r1.txt"
    assert len(five.asked) == 6
    six = Server(robots=first, **hops, r6=final)
    assert not fetch(cache, six).refusal(SITE + "/x")
    assert len(six.asked) == 6


def test_the_cache_lasts_a_day_also_in_another_process() -> None:
    database = sqlite3.connect(":memory:")
    rules = RobotsFile(200, b"User-agent: *\nDisallow: /a\nCrawl-delay: 3")
    fetch(RobotsCache(database, "Weft"), Server(robots=rules), 1000.0)
    later = RobotsCache(database, "Weft")
    kept = later.find(SITE, 1000.0 + CACHE_SECONDS - 1)
    assert kept is not None
    assert kept.refusal(SITE + "/a") == "robots.txt"
    assert kept.crawl_delay == 3
    assert later.find(SITE, 1000.0 + CACHE_SECONDS + 1) is None
    assert later.find("https://other.example", 1000.0) is None


def test_an_unreachable_server_is_asked_again() -> None:
    cache = RobotsCache(sqlite3.connect(":memory:"), "Weft")
    assert fetch(cache, Server(robots=RobotsFile(503))).unreachable
    assert cache.find(SITE, 0.0) is None
    assert not fetch(cache, Server(robots=RobotsFile(200))).unreachable
    assert cache.find(SITE, 0.0) is not None


def test_few_large_files_are_kept_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parsed, a file takes many times its bytes, and one server may have any number of names."""
    monkeypatch.setattr(robots, "MAX_PARSED_BYTES", 250)
    database = sqlite3.connect(":memory:")
    cache = RobotsCache(database, "Weft")
    sites = [f"https://{k}.example" for k in range(5)]
    for site in sites:
        server = Server(robots=RobotsFile(200, b"User-agent: *\nDisallow: /a\n".ljust(100, b"#")))
        asyncio.run(cache.fetch(site, server.fetch, 0.0))
    assert len(cache._parsed) == 2
    for site in sites:
        rules = cache.find(site, 0.0)
        assert rules is not None
        assert rules.refusal(site + "/a") == "robots.txt"
    monkeypatch.setattr(robots, "MAX_PARSED_BYTES", 50)
    assert cache.find(sites[0], 0.0) is not None
    assert len(cache._parsed) == 1
