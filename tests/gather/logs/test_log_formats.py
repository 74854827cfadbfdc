"""W3C extended logs, JSON lines, ready-made paths; and that no format takes another's files."""

import bz2
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.gather.logs.log_lines import FIREFOX, combined, read_log, write_lines
from tests.real import DATA, real

from weft.core.errors import WeftError
from weft.gather.formats import InputHead, input_formats, recognise_input
from weft.gather.logs.paths import BAD_PATHS, article_url
from weft.gather.logs.rows import REJECTED_LINES

IIS_AGENT = FIREFOX.replace(" ", "+")
IIS = [
    "#Software: Microsoft Internet Information Services 10.0",
    "#Version: 1.0",
    "#Date: 2024-02-29 10:00:00",
    "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip "
    "cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken",
    f"2024-02-29 10:00:01 10.0.0.1 GET /a.aspx id=7 443 - 192.0.2.1 {IIS_AGENT} - 200 0 0 15",
    f"2024-02-29 10:00:02 10.0.0.1 GET /b.aspx - 443 ann 192.0.2.1 {IIS_AGENT} "
    "https://example.com/a.aspx 200 0 0 15",
    f"2024-02-29 10:00:02 10.0.0.1 POST /b.aspx - 443 ann 192.0.2.1 {IIS_AGENT} - 200 0 0 15",
    "#Software: Microsoft Internet Information Services 10.0",
    "#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent) cs-host",
    f"2024-02-29 11:00:00 192.0.2.1 GET /c.aspx 200 {IIS_AGENT} www.example.com",
    "2024-02-29 11:00:00 192.0.2.1 GET /c.aspx",
]
CLOUDFRONT_AGENT = FIREFOX.replace(" ", "%20")
CLOUDFRONT = [
    "#Version: 1.0",
    "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status "
    "cs(Referer) cs(User-Agent) cs-uri-query",
    (
        "2024-02-29 10:00:01 FRA2 99 2001:db8::1 GET d1.cloudfront.net /a 200 "
        f"https://d1.cloudfront.net/ {CLOUDFRONT_AGENT} q=1"
    ).replace(" ", "\t"),
]
CADDY: dict[str, Any] = {
    "level": "info",
    "ts": 1709200801.5,
    "logger": "http.log.access.log0",
    "msg": "handled request",
    "request": {
        "remote_ip": "192.0.2.1",
        "remote_port": "41342",
        "client_ip": "192.0.2.1",
        "proto": "HTTP/2.0",
        "method": "GET",
        "host": "example.com",
        "uri": "/a?q=1",
        "headers": {"User-Agent": [FIREFOX], "Referer": ["https://example.com/b?c"]},
        "tls": {"version": 772},
    },
    "user_id": "",
    "duration": 0.001,
    "size": 10900,
    "status": 200,
    "resp_headers": {"Content-Type": ["text/html; charset=utf-8"]},
}
NGINX_JSON = {
    "time_local": "29/Feb/2024:10:00:01 +0000",
    "remote_addr": "192.0.2.1",
    "remote_user": "",
    "request": "GET /a?q=1 HTTP/1.1",
    "status": "200",
    "body_bytes_sent": "123",
    "http_referrer": "https://example.com/b?c",
    "http_user_agent": FIREFOX,
}
NGINX_SPLIT_JSON = {
    "@timestamp": "2024-02-29T10:00:01+00:00",
    "client": "192.0.2.1",
    "method": "GET",
    "scheme": "https",
    "host": "example.com",
    "uri": "/a",
    "args": "q=1",
    "status": 200,
    "referer": "https://example.com/b?c",
    "user_agent": FIREFOX,
    "url": "/a",
}
CLOUDFRONT_JSON = {
    "timestamp": "1709200801.5",
    "c-ip": "192.0.2.1",
    "cs-method": "GET",
    "cs-host": "example.com",
    "cs-uri-stem": "/a",
    "cs-uri-query": "q=1",
    "sc-status": 200,
    "cs-referer": "https://example.com/b?c",
    "cs-user-agent": FIREFOX,
}
ALB_JSON = {
    "type": "https",
    "time": "2024-02-29T10:00:01.186641Z",
    "client_port": "192.0.2.1:2817",
    "elb_status_code": 200,
    "request": "GET https://example.com:443/a?q=1 HTTP/1.1",
    "user_agent": FIREFOX,
}


def test_a_log_of_iis(tmp_path: Path) -> None:
    read = read_log(write_lines(tmp_path / "u_ex240229.log", IIS))
    assert [(row["url"], row["referrer"]) for row in read.rows] == [
        ("https://example.com/a.aspx", ""),
        ("https://example.com/b.aspx", "https://example.com/a.aspx"),
        ("https://example.com/c.aspx", ""),
    ]
    assert [row["time"] for row in read.rows] == [1709200801, 1709200802, 1709204400]
    assert len({row["visitor"] for row in read.rows}) == 1
    assert read.dropped == {"requests with another method than GET": 1, REJECTED_LINES: 1}
    kept = read_log(tmp_path / "u_ex240229.log", keep_queries=True)
    assert kept.urls[:2] == ["/a.aspx?id=7", "/b.aspx"]


def test_lines_before_the_fields_are_rejected(tmp_path: Path) -> None:
    lines = [IIS[0], "what is this", *IIS[1:4], "#Fields: something else", IIS[4]]
    read = read_log(write_lines(tmp_path / "log", lines))
    assert (read.rows, read.dropped) == ([], {REJECTED_LINES: 2})


def test_a_log_of_cloudfront(tmp_path: Path) -> None:
    path = tmp_path / "E1.2024-02-29-10.gz"
    path.write_bytes(gzip.compress("\n".join(CLOUDFRONT).encode()))
    (row,) = read_log(path, "").rows
    assert (row["url"], row["referrer"], row["time"], row["status"]) == (
        "https://d1.cloudfront.net/a",
        "https://d1.cloudfront.net/",
        1709200801,
        200,
    )


def test_behind_a_proxy_the_names_of_the_client_count(tmp_path: Path) -> None:
    """Its address, and the host that it asked for: CloudFront's `cs(Host)` is its own."""
    fields, line = (
        CLOUDFRONT[1] + " x-host-header x-forwarded-for",
        CLOUDFRONT[2] + "\texample.com\t-",
    )
    request = {**CADDY["request"], "remote_ip": "10.0.0.9", "client_ip": "192.0.2.1"}
    entry = {**CLOUDFRONT_JSON, "cs(Host)": "d1.cloudfront.net", "x-host-header": "example.com"}
    entry = {key: value for key, value in entry.items() if key != "cs-host"}
    w3c = read_log(write_lines(tmp_path / "w3c", [CLOUDFRONT[0], fields, line]), "")
    direct = read_log(write_lines(tmp_path / "a", [json.dumps(CADDY)]), "")
    proxied = read_log(write_lines(tmp_path / "b", [json.dumps({**CADDY, "request": request})]), "")
    assert [row["url"] for row in w3c.rows] == ["https://example.com/a"]
    assert read_log(write_lines(tmp_path / "c", [json.dumps(entry)]), "").rows[0]["url"] == (
        "https://example.com/a"
    )
    assert proxied.rows[0]["visitor"] == direct.rows[0]["visitor"]


def test_one_visitor_in_every_format(tmp_path: Path) -> None:
    """Address and agent are the same in each of them."""
    formats = {
        "combined": [combined("/a", address="192.0.2.1")],
        "iis": IIS[:5],
        "caddy": [json.dumps(CADDY)],
        "nginx": [json.dumps(NGINX_JSON)],
    }
    visitors = {
        read_log(write_lines(tmp_path / name, lines)).rows[0]["visitor"]
        for name, lines in formats.items()
    }
    assert len(visitors) == 1


@pytest.mark.parametrize("entry", [CADDY, NGINX_JSON, NGINX_SPLIT_JSON, CLOUDFRONT_JSON, ALB_JSON])
def test_json_lines(tmp_path: Path, entry: dict[str, Any]) -> None:
    lines = [json.dumps(entry), "", "not json", '{"other": 1}', "[1]", json.dumps(entry)]
    path = write_lines(tmp_path / "log", lines)
    assert recognise_input(path).input_format == "access-log-json"
    read = read_log(path)
    assert [(row["url"], row["time"]) for row in read.rows] == [
        ("https://example.com/a", 1709200801)
    ] * 2
    has_referrer = entry is not ALB_JSON
    assert {row["referrer"] for row in read.rows} == {
        "https://example.com/b" if has_referrer else ""
    }
    assert read.dropped == {REJECTED_LINES: 3}
    assert read_log(path, keep_queries=True).urls == ["/a?q=1"] * 2


def test_headers_of_caddy_count(tmp_path: Path) -> None:
    request = CADDY["request"]
    refused = {**CADDY, "request": {**request, "headers": {"Sec-Gpc": ["1"]}}}
    asset = {**CADDY, "resp_headers": {"Content-Type": ["image/png"]}}
    deep = '{"a":' * 50_000
    path = write_lines(
        tmp_path / "log", [json.dumps(CADDY), json.dumps(refused), json.dumps(asset), deep]
    )
    assert read_log(path).dropped == {
        "requests with do-not-track": 1,
        "requests for assets": 1,
        REJECTED_LINES: 1,
    }


FINISHED = [
    "# derived: row<TAB>article;article",
    "0\tAfrica;Europe;United_States",
    "1\tU.S._Open_%28tennis%29;Africa",
]
UNFINISHED = [
    "2426091a53125110\t1297054935\t1804\tAfrica;Europe;<;Asia\tMicrosoft\ttimeout",
    "2426091a53125110\t1297055935\t10\tAsia\tMoon\trestart",
]


def test_paths_of_wikispeedia(tmp_path: Path) -> None:
    read = read_log(write_lines(tmp_path / "paths_unfinished.tsv", UNFINISHED), "")
    names = [row["url"].rpartition("/")[2].removesuffix(".htm") for row in read.rows]
    assert names == ["Africa", "Europe", "Africa", "Asia", "Asia"]
    assert [row["time"] for row in read.rows] == [1297054935] * 4 + [1297055935]
    assert len({row["visitor"] for row in read.rows}) == 1
    sessions = [row["session"] for row in read.rows]
    assert len(set(sessions[:4])) == 1
    assert len(set(sessions)) == 2
    assert 0 not in sessions
    finished = read_log(
        write_lines(tmp_path / "paths_finished.tsv", FINISHED), "https://w.example/x"
    )
    assert finished.rows[3]["url"] == "https://w.example/x/u/U.S._Open_%2528tennis%2529.htm"
    assert len({row["session"] for row in finished.rows}) == 2
    assert {row["time"] for row in finished.rows} == {0}


def test_bad_paths_are_reported(tmp_path: Path) -> None:
    lines = [*UNFINISHED, "junk", "2426091a53125110\t1\t2\t<;Africa\tx\ty"]
    path = write_lines(tmp_path / "paths", lines)
    read = read_log(path, "", "paths-wikispeedia")
    assert (len(read.rows), read.dropped) == (5, {BAD_PATHS: 2})


@real
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sessions", "views"), [("finished", 51_312, 305_210), ("unfinished", 24_875, 129_295)]
)
def test_the_paths_of_wikispeedia_are_on_its_articles(name: str, sessions: int, views: int) -> None:
    articles = gzip.decompress((DATA / "wikispeedia/articles.tsv.gz").read_bytes()).split(b"\n")
    known = {
        article_url(article, "http://schools-wikipedia.org/wp/")
        for article in articles
        if article and not article.startswith(b"#")
    }
    read = read_log(DATA / f"wikispeedia/paths_{name}.tsv.gz", "")
    assert (len({row["session"] for row in read.rows}), len(read.rows)) == (sessions, views)
    assert {row["url"] for row in read.rows} <= known
    assert not read.dropped


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_a_table_of_sessions(tmp_path: Path, delimiter: str) -> None:
    rows = [
        ["Session", "Time", "URL", "other"],
        ["s1", "2024-02-29T10:00:01Z", "https://a.example/x?q=1", ""],
        ["s2", "1709200801", "/y", "z"],
        ["s1", "", "https://a.example/z/index.html", ""],
        ["s1", "yesterday", "https://a.example/z", ""],
        ["", "", "https://a.example/z", ""],
        ["s3"],
    ]
    path = write_lines(tmp_path / "t", [delimiter.join(row) for row in rows])
    read = read_log(path, "https://a.example/")
    assert [(row["url"], row["time"]) for row in read.rows] == [
        ("https://a.example/x", 1709200801),
        ("https://a.example/y", 1709200801),
        ("https://a.example/z/", 0),
    ]
    first, second, third = (row["session"] for row in read.rows)
    assert first == third != second
    assert read.dropped == {BAD_PATHS: 3}
    with pytest.raises(WeftError, match="no columns session and url"):
        read_log(write_lines(tmp_path / "t", ["a,b"]), "", "paths-table")


WARC = "WARC/1.0\r\nWARC-Type: response\r\n\r\n"
EXAMPLES = {
    "access-log": [combined(), combined('/a "b" c')],
    "access-log-json": [json.dumps(NGINX_JSON)],
    "access-log-w3c": IIS,
    "paths-wikispeedia": UNFINISHED,
    "paths-table": ["session,url", "1,http://a.example/"],
    "jsonl": ['{"url": "http://h/j", "time": "2024-01-01", "status": 200, "text": "x"}'],
    "html": ["<!DOCTYPE html><p>192.0.2.1 - - [10/Oct/2000:13:55:36 -0700]"],
    "warc": [WARC],
    "arc": ["filedesc://x 0.0.0.0 20200101000000 text/plain 2", "x"],
    "csv": ["source,target,time,session", "http://a/,http://b/,1,2"],
    "snap": ["# time session url", "1 2", "1 3"],
    "gml": ["graph [", "node [ id 1 ]", "]"],
    "matrix-market": ["%%MatrixMarket matrix coordinate pattern general", "2 2 1", "1 2"],
}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_exactly_one_kind_of_reader_takes_a_file(tmp_path: Path, name: str, pack: Any) -> None:
    path = write_lines(tmp_path / "x", EXAMPLES[name])
    path.write_bytes(pack(path.read_bytes()))
    assert recognise_input(path).input_format == name
    head = InputHead(path)
    found = {known.name for known in input_formats().values() if known.recognises(head)}
    logs = {known.name for known in input_formats().values() if known.is_log}
    assert found & logs == ({name} & logs)
    if name in logs:
        path.write_bytes(bz2.compress("\n".join(EXAMPLES[name]).encode()))
        assert recognise_input(path).input_format == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "words and words\n" * 9,
        '{"address": "192.0.2.1", "status": 200}',
        '{"remote_addr": "x", "status": 200, "time": 5, "request": "GET /", "html": "<p>"}',
        "#Fields: date time\n2024-01-01 00:00:00",
        "a;b\tc;d\n",
        "0\thttp://a.example/;x\n",
        "session,time\n1,2\n",
        "url,links_url\nhttp://a/,http://b/\n",
        "127.0.0.1 localhost\n",
    ],
)
def test_what_is_not_a_log(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    head = InputHead(tmp_path / "x")
    found = {known.name for known in input_formats().values() if known.recognises(head)}
    assert not found & {known.name for known in input_formats().values() if known.is_log}


@real
@pytest.mark.parametrize(
    "path", sorted(p for p in DATA.rglob("*") if p.is_file() and "logs" not in str(p)), ids=str
)
def test_real_files_of_other_kinds_are_not_logs(path: Path) -> None:
    is_path = path.name.startswith("paths_")
    head = InputHead(path)
    logs = [known.name for known in input_formats().values() if known.is_log]
    found = [name for name in logs if input_formats()[name].recognises(head)]
    assert found == (["paths-wikispeedia"] if is_path else [])
