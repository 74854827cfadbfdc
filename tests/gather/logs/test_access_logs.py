"""Common and Combined logs, by hand and as other servers write them."""

import bz2
import gzip
import random
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from tests.gather.logs.log_lines import (
    FIREFOX,
    GOOGLEBOT,
    SAFARI,
    SITE,
    combined,
    read_log,
    read_text,
    write_lines,
)
from tests.real import DATA, real

from weft.core.errors import WeftError
from weft.gather.formats import recognise_input
from weft.gather.logs import blocks
from weft.gather.logs.cleaning import REASONS
from weft.gather.logs.rows import REJECTED_LINES

# The line of Apache's documentation.
FRANK = '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.html HTTP/1.0" 200 2326'
FRANK_TIME = int(datetime(2000, 10, 10, 20, 55, 36, tzinfo=UTC).timestamp())


def test_the_line_of_the_apache_documentation(tmp_path: Path) -> None:
    referrer = ' "http://www.example.com/start.html" "Mozilla/4.08 [en] (Win98; I ;Nav)"'
    (common,) = read_text(tmp_path, FRANK).rows
    (row,) = read_text(tmp_path, FRANK + referrer).rows
    assert row["visitor"] != common["visitor"] != 0
    assert (row["url"], row["referrer"]) == (f"{SITE}/apache_pb.html", f"{SITE}/start.html")
    assert (row["time"], row["status"], row["robot"], row["session"]) == (FRANK_TIME, 200, 0, 0)
    assert (common["url"], common["referrer"]) == (f"{SITE}/apache_pb.html", "")


@pytest.mark.parametrize(
    ("line", "url"),
    [
        (f"www.example.org:443 {combined('/a')}", "https://www.example.org/a"),
        (f"www.example.org:80 {combined('/a')}", "http://www.example.org/a"),
        (f"www.example.org:8080 {combined('/a')}", "https://www.example.org:8080/a"),
        (f"www.example.org {combined('/a')}", "https://www.example.org/a"),
        (f"{combined('/a')} www.example.org", "https://www.example.org/a"),
        (f'{combined("/a")} "www.example.org"', "https://www.example.org/a"),
        (f"{FRANK.replace('/apache_pb.html', '/a')} www.example.org", "https://www.example.org/a"),
        (f'{combined("/a")} "192.0.2.99, 10.0.0.1" rt=0.004', "https://example.com/a"),
        (f"{combined('/a')} 0.004", "https://example.com/a"),
        (combined("/a", address="2001:db8::7"), "https://example.com/a"),
        (combined("http://example.com/a"), "https://example.com/a"),
        (combined("//a//b"), "https://example.com//a//b"),
        (combined("/a/../b/index.html"), "https://example.com/b/"),
        (combined("/b;jsessionid=123#top"), "https://example.com/b"),
        (combined("/a b"), "https://example.com/a%20b"),
        (combined("/a\\x22b\\\\"), "https://example.com/a%22b/"),
        (combined('/a"b'), "https://example.com/a%22b"),
        (combined("/caf\udce9"), "https://example.com/caf%E9"),
        (combined("/café"), "https://example.com/caf%C3%A9"),
        (combined("/a").replace(" HTTP/1.1", ""), "https://example.com/a"),
        (combined("/a", agent='odd "quoted" agent'), "https://example.com/a"),
        (combined("/a", time="10/Oct/2000:13:55:36"), "https://example.com/a"),
        (combined("/a", time="10/oct/2000:13:55:36 +0000"), "https://example.com/a"),
        (combined("/a").replace(" 2326 ", " - "), "https://example.com/a"),
    ],
)
def test_lines_and_their_urls(tmp_path: Path, line: str, url: str) -> None:
    assert [row["url"] for row in read_text(tmp_path, line).rows] == [url]


@pytest.mark.parametrize(
    ("time", "seconds"),
    [
        ("01/Jan/1970:00:00:00 +0000", 0),
        ("01/Jan/1900:00:00:00 +0000", -2_208_988_800),
        ("31/Dec/2099:23:59:59 +0000", 4_102_444_799),
        ("29/Feb/2000:12:00:00 +0000", 951_825_600),
        ("01/Mar/2000:00:00:00 +1400", 951_818_400),
        ("28/Feb/2000:12:30:00 -1130", 951_782_400),
        ("29/Feb/1900:12:00:00 +0000", None),
        ("31/Apr/2000:12:00:00 +0000", None),
        ("01/Jan/2000:24:00:00 +0000", None),
        ("01/Mai/2000:12:00:00 +0000", None),
        ("01/Jan/2000:12:00:00 +2400", None),
        ("00/Jan/2000:12:00:00 +0000", None),
        ("01/Jan/0000:12:00:00 +0000", None),
    ],
)
def test_times(tmp_path: Path, time: str, seconds: int | None) -> None:
    read = read_text(tmp_path, combined(time=time), combined(), combined())
    assert [row["time"] for row in read.rows[:-2]] == ([] if seconds is None else [seconds])
    assert read.dropped == ({REJECTED_LINES: 1} if seconds is None else {})


def test_month_names_are_english_whatever_the_locale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    lines = [combined(time=f"01/{m}/2001:00:00:00 +0000") for m in ("May", "Oct", "Dec")]
    months = [
        datetime.fromtimestamp(row["time"], UTC).month for row in read_text(tmp_path, *lines).rows
    ]
    assert months == [5, 10, 12]


def test_line_ends_blank_lines_and_byte_order_marks(tmp_path: Path) -> None:
    path = tmp_path / "log"
    text = f"\ufeff{combined('/a')}\r\n\r\n{combined('/b')} \n\n{combined('/c')}"
    path.write_bytes(text.encode())
    read = read_log(path)
    assert read.urls == ["/a", "/b", "/c"]
    assert not read.dropped


def test_nul_bytes_and_garbage_are_rejected_or_dropped(tmp_path: Path) -> None:
    lines = [
        combined("/a"),
        combined("/b\0c"),
        "\0" * 100,
        "\udcff\udcfe",
        combined().replace("GET / HTTP/1.1", "-"),
        combined().replace("GET / HTTP/1.1", "\\x16\\x03\\x01"),
        combined().replace("GET / HTTP/1.1", ""),
        combined("*", method="OPTIONS"),
        combined("http://other.example/a"),
        combined(""),
        combined("/" + "x" * 5000),
        combined("/d"),
    ]
    read = read_text(tmp_path, *lines)
    assert read.urls == ["/a", "/b%00c", "/d"]
    assert read.lines == len(lines)
    assert read.dropped == {
        REJECTED_LINES: 2,
        "requests with another method than GET": 4,
        "requests for pages of other sites": 1,
        "requests without a usable URL": 2,
    }


def test_samples_of_rejected_lines_name_nobody(tmp_path: Path) -> None:
    bad = combined("/s?q=secret", address="203.0.113.99", user="alice").replace("[", "(")
    read = read_text(tmp_path, combined(), bad, combined())
    assert read.problems.damage_count == 1
    ((sample,),) = read.problems.locations.values()
    assert ":2: 999.9.999.99 - xxxxx (99/xxx/9999" in sample
    for private in ("203", "alice", "secret"):
        assert private not in sample.removeprefix(str(tmp_path))


@pytest.mark.parametrize(
    "log_format",
    [
        r"%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %D",
        '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
        '"$http_referer" "$http_user_agent" $request_time',
        '%a %l %u [%{%d/%b/%Y:%T %z}t] "%m %U%q %H" %s %B "%{Referer}i" "%{User-agent}i" %D',
    ],
)
def test_a_format_of_apache_or_nginx(tmp_path: Path, log_format: str) -> None:
    line = f"{combined('/a?b=1', referrer='https://example.com/z?q=1')} 1042"
    read = read_text(tmp_path, line, input_format="access-log", log_format=log_format)
    assert [(row["url"], row["referrer"]) for row in read.rows] == [(f"{SITE}/a", f"{SITE}/z")]


@pytest.mark.parametrize("dashes", [0, 2, 300])
def test_forwarded_addresses_are_no_hosts(tmp_path: Path, dashes: int) -> None:
    """The `main` format that nginx comes with has `X-Forwarded-For` at its end."""
    lines = [combined("/a", referrer=f"{SITE}/b") + ' "-"'] * dashes
    lines += [combined(f"/{k}") + f' "203.0.113.{k}, 10.0.0.1"' for k in range(3)]
    lines += [combined("/bot", agent=GOOGLEBOT) + ' "203.0.113.9"']
    read = read_text(tmp_path, *lines)
    assert read.urls == ["/a"] * dashes + ["/0", "/1", "/2"]
    assert {row["referrer"] for row in read.rows} <= {"", f"{SITE}/b"}
    assert read.dropped == {"requests by robots": 1}


@pytest.mark.parametrize("mark", ["|", ";", ","])
def test_fields_with_spaces_between_separators(tmp_path: Path, mark: str) -> None:
    names = ["$http_x_forwarded_for", "$time_local", "$request", "$status", "$http_user_agent"]
    cells = ["192.0.2.1", "29/Feb/2024:10:00:00 +0200", "GET /x?y HTTP/1.1", "200", "An agent"]
    lines = [mark.join(cells), mark.join(cells[:4]), mark.join([*cells[:4], ""])]
    read = read_text(tmp_path, *lines, input_format="access-log", log_format=mark.join(names))
    assert [(row["url"], row["time"]) for row in read.rows] == [(f"{SITE}/x", 1_709_193_600)]
    assert read.dropped == {REJECTED_LINES: 2}


def test_a_format_of_its_own(tmp_path: Path) -> None:
    """Tabs, ISO times, a content type, and path and query as two directives."""
    log_format = "%v\\t$"
    nginx = "$time_iso8601\\t$host\\t$remote_addr\\t$request_method\\t$request_uri\\t$status"
    nginx += "\\t$sent_http_content_type\\t$http_dnt\\t$http_user_agent"
    cells = ["2024-02-29T10:00:00+02:00", "a.example", "192.0.2.1", "GET", "/x?y", "200"]
    lines = [
        "\t".join([*cells, "text/html; charset=utf-8", "-", FIREFOX]),
        "\t".join([*cells, "image/png", "-", FIREFOX]),
        "\t".join([*cells, "text/html", "1", FIREFOX]),
        "\t".join(cells),
    ]
    path = write_lines(tmp_path / "log", lines)
    read = read_log(path, "", "access-log", log_format=nginx)
    assert [(row["url"], row["time"]) for row in read.rows] == [
        ("https://a.example/x", 1_709_193_600)
    ]
    assert read.dropped == {
        "requests for assets": 1,
        "requests with do-not-track": 1,
        REJECTED_LINES: 1,
    }
    for wrong in ("", "no fields", log_format, "%h %t", "$remote_addr $time_local", "%h%u %t %r"):
        with pytest.raises(WeftError) as error:
            read_log(
                write_lines(tmp_path / "junk", ["junk"]), "", "access-log", log_format=wrong or "x"
            )
        assert error.value.hint


@pytest.mark.parametrize("codec", ["gzip", "members", "bz2", "zstd", "lz4", "plain"])
def test_compressed_logs(tmp_path: Path, codec: str) -> None:
    lines = [combined(f"/{k}").encode() + b"\n" for k in range(3000)]
    text, path = b"".join(lines), tmp_path / "log"
    if codec == "members":
        path.write_bytes(b"".join(map(gzip.compress, (text[:1000], text[1000:5000], text[5000:]))))
    elif codec in ("zstd", "lz4"):
        with pa.CompressedOutputStream(str(path), codec) as stream:
            stream.write(text)
    else:
        packed = {"gzip": gzip.compress(text), "bz2": bz2.compress(text), "plain": text}
        path.write_bytes(packed[codec])
    read = read_log(path)
    assert read.urls == [f"/{k}" for k in range(3000)]
    assert not read.dropped


@pytest.mark.parametrize("codec", ["gzip", "bz2", "zstd"])
def test_truncated_compression_keeps_the_lines_before(tmp_path: Path, codec: str) -> None:
    text = "".join(f"{combined(f'/{k}')}\n" for k in range(12_000)).encode()
    with pa.CompressedOutputStream(str(tmp_path / "whole"), codec) as stream:
        stream.write(text)
    packed = (tmp_path / "whole").read_bytes()
    (tmp_path / "cut").write_bytes(packed[: len(packed) * 3 // 4])
    read = read_log(tmp_path / "cut")
    assert read.urls == [f"/{k}" for k in range(len(read.rows))]
    assert len(read.rows) > 4000
    assert read.dropped == {blocks.DAMAGED_COMPRESSION: 1}
    assert read.problems.damage_count == 1


def test_members_after_a_damaged_one_are_read(tmp_path: Path) -> None:
    generator = random.Random(0)
    parts = [
        "".join(f"{combined(f'/{p}/{generator.random()}')}\n" for _ in range(2000)) for p in "abc"
    ]
    members = [bytearray(gzip.compress(part.encode())) for part in parts]
    middle = len(members[1]) // 2
    members[1][middle : middle + 20] = b"\xff" * 20
    (tmp_path / "log").write_bytes(b"".join(members))
    read = read_log(tmp_path / "log")
    counts = {p: sum(url.startswith(f"/{p}/") for url in read.urls) for p in "abc"}
    assert counts["a"] == counts["c"] == 2000
    assert 500 < counts["b"] < 2000
    assert read.problems.counts[blocks.DAMAGED_COMPRESSION] == 1


def test_a_bomb_without_line_ends_is_one_bad_line(tmp_path: Path) -> None:
    bomb = gzip.compress(b"x" * (30 << 20) + b"\n")
    text = gzip.compress(f"{combined('/a')}\n".encode())
    (tmp_path / "log").write_bytes(text * 3 + bomb + text)
    read = read_log(tmp_path / "log")
    assert read.urls == ["/a"] * 4
    assert read.dropped == {blocks.OVERLONG_LINES: 1}


def test_a_line_longer_than_a_block_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(blocks, "MAX_LINE_BYTES", 5000)
    monkeypatch.setattr(blocks, "READ_BLOCK_BYTES", 300)
    long, overlong = (combined("/b", agent="x" * length) for length in (4000, 9000))
    read = read_text(tmp_path, combined("/a"), long, combined("/c"), overlong, combined("/d"))
    assert read.urls == ["/a", "/b", "/c", "/d"]
    assert read.dropped == {blocks.OVERLONG_LINES: 1}


def test_blocks_do_not_change_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [combined(f"/{k % 7}", address=f"192.0.2.{k % 9}") for k in range(500)]
    whole = read_text(tmp_path, *lines).rows
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(blocks, "READ_BLOCK_BYTES", 700)
    monkeypatch.setattr("weft.gather.logs.cleaning.MAX_BATCH_ROWS", 50)
    assert read_text(tmp_path, *lines).rows == whole
    assert len(whole) == 500


def test_the_host_is_inferred_from_referrers(tmp_path: Path) -> None:
    own = [combined("/b", referrer="http://www.own.example/a"), combined("/a")]
    foreign = [combined("/a", referrer="https://search.example/")] * 5
    path = write_lines(tmp_path / "log", own + foreign)
    read = read_log(path, "")
    assert read.rows[0]["url"] == "http://www.own.example/b"
    assert read.rows[0]["referrer"] == "http://www.own.example/a"
    assert read.rows[2]["referrer"] == "https://search.example/"
    with pytest.raises(WeftError, match="does not say which site") as error:
        read_log(write_lines(tmp_path / "log", foreign), "")
    assert "--base-url" in error.value.hint
    with pytest.raises(WeftError, match="is not a base URL"):
        read_log(path, "nonsense")


def test_referrers_on_the_host_have_the_urls_of_its_pages(tmp_path: Path) -> None:
    """Scheme and `www.` may differ; the query is dropped."""
    read = read_text(tmp_path, combined("/b", referrer="http://WWW.example.com:80/a/index.html?q"))
    assert read.rows[0]["referrer"] == f"{SITE}/a/"


def test_the_order_of_rotated_files_does_not_matter(tmp_path: Path) -> None:
    first = write_lines(tmp_path / "log.1", [combined("/a", time="10/Oct/2000:00:00:00 +0000")])
    second = write_lines(tmp_path / "log", [combined("/b", time="11/Oct/2000:00:00:00 +0000")])
    (a,), (b,) = read_log(first).rows, read_log(second).rows
    assert a["visitor"] == b["visitor"]
    assert b["time"] - a["time"] == 86_400


def test_accepted_dropped_and_rejected_lines_add_up(tmp_path: Path) -> None:
    generator = random.Random(1)
    lines = [
        generator.choice(
            [
                combined(f"/{k}", agent=generator.choice([FIREFOX, SAFARI, "curl/8.0"])),
                combined("/a.png"),
                combined(status=404),
                combined(status=302),
                combined(method="POST"),
                "junk",
            ]
        )
        for k in range(2000)
    ]
    read = read_text(tmp_path, *lines)
    assert read.lines == 2000
    assert set(read.dropped) > set(REASONS.values()) & {"requests for assets"}
    assert len(read.rows) > 100


@real
def test_a_real_log() -> None:
    path = DATA / "logs/semicomplete.log.gz"
    assert recognise_input(path).input_format == "access-log"
    read = read_log(path, "")
    assert read.lines == 10_000
    assert read.problems.damage_count <= 1
    assert all(row["url"].startswith("http://www.semicomplete.com/") for row in read.rows)
    assert len(read.rows) > 1500
