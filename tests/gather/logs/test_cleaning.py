"""What is kept of a log: pages that people viewed, and nothing about the people."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from tests.gather.logs.log_lines import (
    FIREFOX,
    GOOGLEBOT,
    SAFARI,
    SALT,
    combined,
    read_log,
    read_text,
    write_lines,
)

from weft.gather.formats import recognise_input
from weft.gather.logs.options import LogOptions
from weft.gather.logs.robots import is_robot_agent
from weft.gather.page import Problems

STAMP = "10/Oct/2000:13:%02d:%02d +0000"


def test_the_example_of_the_specification(tmp_path: Path) -> None:
    """Nine lines: five pages by one visitor, one robot."""
    home = "https://example.com"
    lines = [
        combined("/", time=STAMP % (0, 0)),
        combined("/style.css", time=STAMP % (0, 1), referrer=f"{home}/"),
        combined("/a.html", time=STAMP % (1, 0), referrer=f"{home}/"),
        combined("/c.html", time=STAMP % (2, 0), referrer=f"{home}/a.html"),
        combined("/b.html", time=STAMP % (3, 0), referrer=f"{home}/"),
        combined("/gone.html", time=STAMP % (4, 0), status=404),
        combined("/a.html", time=STAMP % (4, 1), method="HEAD"),
        combined("/", time=STAMP % (5, 0), agent=GOOGLEBOT),
        combined("/d.html", time=STAMP % (50, 0)),
    ]
    read = read_text(tmp_path, *lines)
    assert read.urls == ["/", "/a.html", "/c.html", "/b.html", "/d.html"]
    assert len({row["visitor"] for row in read.rows}) == 1
    assert read.dropped == {
        "requests for assets": 1,
        "requests that failed": 1,
        "requests with another method than GET": 1,
        "requests by robots": 1,
    }


@pytest.mark.parametrize(
    ("status", "kept"),
    [(200, 1), (206, 1), (299, 1), (304, 1), (301, 0), (302, 0), (404, 0), (500, 0), (100, 0)],
)
def test_statuses(tmp_path: Path, status: int, kept: int) -> None:
    assert len(read_text(tmp_path, combined(status=status)).rows) == kept
    assert len(read_text(tmp_path, combined(status=status), keep_errors=True).rows) == 1


@pytest.mark.parametrize("name", ["a.PNG", "a.css", "b/app.js", "f.woff2", "feed.rss", "x.mp4"])
def test_assets(tmp_path: Path, name: str) -> None:
    line = combined(f"/{name}?v=1")
    assert read_text(tmp_path, line).dropped == {"requests for assets": 1}
    assert read_text(tmp_path, line, keep_assets=True).urls == [f"/{name}"]


@pytest.mark.parametrize("name", ["a.html", "a.pdf", "png", "css/", "a.png/b", "a.php"])
def test_pages(tmp_path: Path, name: str) -> None:
    assert read_text(tmp_path, combined(f"/{name}")).urls == [f"/{name}"]


def test_queries_are_dropped_or_kept_without_tracking(tmp_path: Path) -> None:
    line = combined("/a?x=1&utm_source=z&gclid=2", referrer="https://example.com/b?y=2&fbclid=3")
    (row,) = read_text(tmp_path, line).rows
    assert (row["url"], row["referrer"]) == ("https://example.com/a", "https://example.com/b")
    (row,) = read_text(tmp_path, line, keep_queries=True).rows
    assert row["url"] == "https://example.com/a?x=1"
    assert row["referrer"] == "https://example.com/b?y=2"


def test_visitors_are_told_apart_by_address_and_agent(tmp_path: Path) -> None:
    lines = [
        combined(address=address, agent=agent, user=user)
        for address in ("192.0.2.1", "192.0.2.2")
        for agent in (FIREFOX, SAFARI)
        for user in ("-", "ann", "bob")
    ]
    visitors = [row["visitor"] for row in read_text(tmp_path, *lines).rows]
    assert len(set(visitors)) == 4
    visitors = [row["visitor"] for row in read_text(tmp_path, *lines, keep_users=True).rows]
    assert len(set(visitors)) == 4 + 2
    assert len({*visitors[1::3]}) == 1


def test_hashes_depend_on_the_salt_and_only_on_that(tmp_path: Path) -> None:
    first, again = (read_text(tmp_path, combined()).rows for _ in range(2))
    assert first == again
    other = read_text(tmp_path, combined(), salt=b"another").rows
    assert other[0]["visitor"] != first[0]["visitor"]
    unsalted = {read_text(tmp_path, combined(), salt=b"").rows[0]["visitor"] for _ in range(3)}
    assert len(unsalted) == 3
    long_salts = {
        read_text(tmp_path, combined(), salt=b"x" * n).rows[0]["visitor"] for n in (100, 101)
    }
    assert len(long_salts) == 2


@pytest.mark.parametrize("robots", ["drop", "keep", "drop-suspects"])
def test_nothing_private_is_yielded(tmp_path: Path, robots: str) -> None:
    """Every byte of every batch, and of every message."""
    secrets = ["203.0.113.77", "2001:db8::77", "alice", "token=hunter2", "s3cr3t", "search+words"]
    lines = [
        combined("/a?token=hunter2", address="203.0.113.77", user="alice"),
        combined("/b", address="2001:db8::77", referrer="https://example.com/?q=search+words"),
        combined("/c", referrer="https://alice:s3cr3t@other.example/path?q=search+words"),
        combined("/d", agent="secret-agent s3cr3t").replace("[", "("),
        combined("/robots.txt", address="203.0.113.77", user="alice", agent=GOOGLEBOT),
    ]
    path = write_lines(tmp_path / "log", lines * 20)
    problems, found = Problems(), []
    options = LogOptions(salt=SALT, robots=robots)  # type: ignore[arg-type]
    source = recognise_input(path, "log", base_url="https://example.com/")
    for batch in source.read_requests(problems, options):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.requests.schema) as stream:
            stream.write_table(batch.requests)
        found.append(sink.getvalue().to_pybytes())
        found.append(json.dumps(batch.requests.to_pylist()).encode())
    found.append(repr(problems).encode())
    text = b"".join(found)
    assert b"https://other.example/" in text
    for secret in secrets:
        assert secret.encode() not in text


def test_robots_by_agent(tmp_path: Path) -> None:
    lines = [combined("/a"), combined("/b", agent=GOOGLEBOT), combined("/c", agent="curl/8.4.0")]
    read = read_text(tmp_path, *lines)
    assert (read.urls, read.dropped) == (["/a"], {"requests by robots": 2})
    kept = read_text(tmp_path, *lines, robots="keep")
    assert [row["robot"] for row in kept.rows] == [0, 1, 1]
    assert not kept.dropped


def test_who_asks_for_the_rules_is_a_robot(tmp_path: Path) -> None:
    lines = [combined("/a"), combined("/robots.txt?x", status=404), combined("/b")]
    lines += [combined("/a", address="192.0.2.99")]
    read = read_text(tmp_path, *lines)
    assert (read.urls, read.dropped) == (
        ["/a"],
        {"requests for assets": 1, "requests by robots": 2},
    )


@pytest.mark.parametrize(("pages", "seconds", "robot"), [(30, 28, 2), (29, 27, 0), (40, 200, 0)])
def test_more_than_a_page_a_second_is_suspect(
    tmp_path: Path, pages: int, seconds: int, robot: int
) -> None:
    lines = [combined(f"/{k}", time=STAMP % divmod(k * seconds // pages, 60)) for k in range(pages)]
    read = read_text(tmp_path, *lines, combined("/", address="192.0.2.99"))
    assert [row["robot"] for row in read.rows] == [robot] * pages + [0]
    dropped = read_text(tmp_path, *lines, robots="drop-suspects")
    assert dropped.dropped == ({"requests by suspected robots": pages} if robot else {})


def test_no_referrers_and_no_assets_are_suspect(tmp_path: Path) -> None:
    home = "https://example.com/"
    silent = [combined(f"/{k}", time=STAMP % (k, 0)) for k in range(10)]
    person = [combined("/p", address="192.0.2.8"), combined("/x.css", address="192.0.2.8")]
    reader = [combined(f"/{k}", address="192.0.2.9", referrer=home) for k in range(10)]
    read = read_text(tmp_path, *silent, *person, *reader)
    assert [row["robot"] for row in read.rows] == [2] * 10 + [0] * 11
    # Few requests, or a log without any asset, say nothing.
    assert {row["robot"] for row in read_text(tmp_path, *silent[:9], *person).rows} == {0}
    assert {row["robot"] for row in read_text(tmp_path, *silent).rows} == {0}


@pytest.mark.parametrize(
    "agent",
    [
        GOOGLEBOT,
        "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
        "python-requests/2.32.0",
        "Wget/1.21",
        "Go-http-client/2.0",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/120.0 Safari/537.36",
        "facebookexternalhit/1.1",
        "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
        "ia_archiver",
    ],
)
def test_agents_of_robots(agent: str) -> None:
    assert is_robot_agent(agent)


@pytest.mark.parametrize(
    "agent",
    [
        FIREFOX,
        SAFARI,
        "",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
        "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
        "Mozilla/5.0 (Linux; Android 14; CUBOT X30) AppleWebKit/537.36 Chrome/126.0 Mobile",
        "Mozilla/4.08 [en] (Win98; I ;Nav)",
        "Opera/9.80 (Windows NT 6.1; U; en) Presto/2.10.289 Version/12.00",
    ],
)
def test_agents_of_people(agent: str) -> None:
    assert not is_robot_agent(agent)


def test_content_types_and_do_not_track(tmp_path: Path) -> None:
    log_format = '%h %t "%r" %>s "%{Content-Type}o" "%{DNT}i" "%{Sec-GPC}i" "%{User-Agent}i"'
    line = '192.0.2.1 [10/Oct/2000:13:55:36 +0000] "GET /{}" 200 "{}" "{}" "{}" "x"'
    lines = [
        line.format("a", "text/html; charset=utf-8", "-", "-"),
        line.format("b", "-", "0", "-"),
        line.format("c", "application/json", "-", "-"),
        line.format("d", "text/html", "1", "-"),
        line.format("e", "text/html", "-", "1"),
    ]
    path = write_lines(tmp_path / "log", lines)
    read = read_log(path, input_format="access-log", log_format=log_format)
    assert read.urls == ["/a", "/b"]
    assert read.dropped == {"requests for assets": 1, "requests with do-not-track": 2}


def test_redirects_with_a_known_target(tmp_path: Path) -> None:
    """The target counts once: not if the browser's own request for it is in the log."""
    log_format = '%h %t "%r" %>s "%{Location}o" "%{User-Agent}i"'
    line = '192.0.2.{} [10/Oct/2000:13:55:36 +0000] "GET {}" {} "{}" "x"'
    lines = [
        line.format(1, "/old", 301, "/new"),
        line.format(2, "/old", 302, "https://www.example.com/new"),
        line.format(2, "/new", 200, "-"),
        line.format(3, "/out", 302, "https://other.example/"),
        line.format(3, "/lost", 302, "-"),
    ]
    path = write_lines(tmp_path / "log", lines)
    read = read_log(path, input_format="access-log", log_format=log_format)
    assert [(url, row["status"]) for url, row in zip(read.urls, read.rows, strict=True)] == [
        ("/new", 301),
        ("/new", 200),
    ]
    assert read.dropped == {"requests that were redirected": 3}
