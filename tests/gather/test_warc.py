"""WARC files: in every compression, damaged in many ways, hostile, and real."""

import gzip
import json
import re
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.gather.archives import (
    PACKS,
    PAGES,
    WORDS,
    Read,
    Reader,
    http,
    packs,
    record,
)
from tests.gather.processes import run_script
from tests.real import DATA, real

from weft.gather.html import ParseOptions
from weft.gather.page import Link, Page, RawPage

Packed = list[bytes]
WILD = [j**5 % 99_991 for j in range(300)]


@packs
def test_every_compression(read: Reader, pack: Callable[[bytes], bytes]) -> None:
    for parts in ([pack(part) for part in PAGES], [pack(b"".join(PAGES))]):
        found = read(*parts)
        assert (found.names, found.truncated, found.damage) == ("012345", "", 0)
        first = found.pages[0]
        assert isinstance(first, RawPage)
        assert (first.url, first.time, first.status) == ("http://h/0", 1_577_934_245, 200)
        assert first.body == b"<html><p>" + WORDS[0]


@packs
@pytest.mark.parametrize(
    "junk",
    [b"JUNK" * 100, b"\0" * 500, b"WARC/", b"\x1f\x8b\x08" * 50],
    ids=["words", "zeros", "a start", "starts of gzip"],
)
def test_junk_between_records(read: Reader, pack: Callable[[bytes], bytes], junk: bytes) -> None:
    parts = [pack(part) for part in PAGES]
    found = read(*parts[:2], junk, *parts[2:4], junk, *parts[4:])
    assert (found.names, found.truncated, found.damage) == ("012345", "", 2)


@packs
def test_junk_before_and_after(read: Reader, pack: Callable[[bytes], bytes]) -> None:
    parts = [pack(part) for part in PAGES]
    found = read(b"JUNK" * 9, *parts)
    assert (found.names, found.damage) == ("012345", 1)
    found = read(*parts, b"JUNK" * 9)
    assert (found.names, found.damage) == ("012345", 1)


@packs
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_truncated_last_record(
    read: Reader, pack: Callable[[bytes], bytes], share: float
) -> None:
    parts = [pack(part) for part in PAGES]
    found = read(*parts[:5], parts[5][: int(len(parts[5]) * share)])
    assert found.names.startswith("01234")
    assert found.names in ("01234", "012345")
    assert found.truncated in ("", "5")
    assert ("5" in found.names) == ("5" in found.truncated)
    assert found.damage == 1


@packs
@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_a_truncated_record_before_others(
    read: Reader, pack: Callable[[bytes], bytes], share: float
) -> None:
    parts = [pack(part) for part in PAGES]
    found = read(*parts[:2], parts[2][: int(len(parts[2]) * share)], *parts[3:])
    assert found.names.replace("2", "") == "01345"
    assert found.damage == 1


def test_a_flipped_byte(read: Reader) -> None:
    """Gzip has a checksum: the damage is reported, and what came before it is kept."""
    parts = [gzip.compress(part) for part in PAGES]
    hurt = bytearray(parts[2])
    hurt[len(hurt) // 2] ^= 0x55
    found = read(*parts[:2], bytes(hurt), *parts[3:])
    assert (found.names.replace("2", ""), found.damage) == ("01345", 1)


@packs
def test_a_record_with_a_damaged_start(read: Reader, pack: Callable[[bytes], bytes]) -> None:
    parts = [pack(part) for part in PAGES]
    found = read(*parts[:2], b"\xff\xff\xff\xff" + parts[2][4:], *parts[3:])
    assert (found.names, found.damage) == ("01345", 1)


def test_one_gzip_member_keeps_what_comes_before_the_damage(read: Reader) -> None:
    many = [
        record(f"http://h/{k}", http(b"<p>" + b" ".join(b"%d" % (j * k % 99_991) for j in WILD)))
        for k in range(700)
    ]
    packed = gzip.compress(b"".join(many))
    found = read(packed[: len(packed) // 2])
    assert found.damage == 1
    assert 300 < len(found.pages) < 400
    hurt = bytearray(packed)
    hurt[len(hurt) // 2 : len(hurt) // 2 + 8] = b"\xff" * 8
    found = read(bytes(hurt))
    assert found.damage == 1
    assert 300 < len(found.pages) <= 701


@packs
@pytest.mark.parametrize("length", ["99999999999", "4000", "x1", "-5", ""])
def test_a_wrong_length(read: Reader, pack: Callable[[bytes], bytes], length: str) -> None:
    wrong = re.sub(rb"Content-Length: \d+", f"Content-Length: {length}".encode(), PAGES[2])
    found = read(*map(pack, [*PAGES[:2], wrong, *PAGES[3:]]))
    assert found.names.replace("2", "") == "01345"
    assert found.damage >= 1


@packs
def test_a_record_longer_than_the_file_keeps_its_own_words(
    read: Reader, pack: Callable[[bytes], bytes]
) -> None:
    long = re.sub(rb"Content-Length: \d+", b"Content-Length: 99999999999", PAGES[2])
    found = read(*map(pack, [*PAGES[:2], long, *PAGES[3:]]))
    assert (found.names, found.truncated) == ("012345", "2")
    kept = found.pages[2]
    assert isinstance(kept, RawPage)
    assert kept.body.endswith(WORDS[2])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(list(PACKS)),
    st.lists(st.tuples(st.integers(4, 9000), st.binary(min_size=1, max_size=9)), max_size=4),
)
def test_any_damage_is_survived(
    tmp_path: Path, name: str, damage: Sequence[tuple[int, bytes]]
) -> None:
    """Every undamaged record is read; the first bytes, which are the format, stay."""
    raw = bytearray(b"".join(map(PACKS[name], PAGES)))
    for at, junk in damage:
        raw[at : at + len(junk)] = junk
    path = tmp_path / "archive"
    path.write_bytes(bytes(raw))
    found = Read(path)
    hurt = {(at, at + len(junk)) for at, junk in damage}
    start = 0
    for k, part in enumerate(map(PACKS[name], PAGES)):
        end = start + len(part)
        if not any(a <= end and start <= b for a, b in hurt):
            assert str(k) in found.names
        start = end


@pytest.mark.parametrize(
    "raw", [b"", b"\n", b"WARC/1.0", gzip.compress(b""), b"\0" * 100], ids=count()
)
def test_nothing_to_read(read: Reader, raw: bytes) -> None:
    assert read(raw).pages == []


def test_resources_have_no_http_around_them(read: Reader) -> None:
    found = read(
        record("http://h/r", b"<html>x", "resource", "text/html; charset=latin1"),
        record("http://h/p", b"\x89PNG", "resource", "image/png"),
    )
    (kept,) = found.pages
    assert isinstance(kept, RawPage)
    assert (kept.url, kept.body, kept.charset) == ("http://h/r", b"<html>x", "latin1")
    assert found.problems.counts == {"records that are not HTML": 1}


def test_the_charset_of_the_http_header_counts(read: Reader) -> None:
    text = "Погода".encode("koi8-r")
    found = read(record("http://h/k", http(text, "Content-Type: text/html; charset=koi8-r")))
    (kept,) = found.pages
    assert isinstance(kept, RawPage)
    assert kept.charset == "koi8-r"


def test_responses_are_unwrapped(read: Reader) -> None:
    packed = gzip.compress(b"<html>packed")
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed)
    found = read(
        record(
            "http://h/1",
            http(
                chunks,
                "Content-Type: text/html",
                "Transfer-Encoding: chunked",
                "Content-Encoding: gzip",
            ),
        ),
        record("http://h/2", http(b"", "Location: ../x", status="301 Moved")),
        record("http://h/3", http(b"<html>", "content-type: TEXT/HTML", "X-Robots-Tag: NoIndex")),
        record("http://h/4", http(b"<title>untyped", "Server: x")),
        record("http://h/5", http(b"<p>gone", status="404 Not Found")),
    )
    assert found.damage == 0
    kept = [page for page in found.pages if isinstance(page, RawPage)]
    assert [(p.body, p.status, p.location, p.robots) for p in kept] == [
        (b"<html>packed", 200, "", ""),
        (b"", 301, "../x", ""),
        (b"<html>", 200, "", "noindex"),
        (b"<title>untyped", 200, "", ""),
        (b"<p>gone", 404, "", ""),
    ]


def test_other_records_are_skipped(read: Reader) -> None:
    found = read(
        record("", b"software: x\r\n", "warcinfo", "application/warc-fields"),
        record("http://h/q", b"GET / HTTP/1.1\r\n\r\n", "request"),
        record("dns:h", b"h. 1 IN A 1.2.3.4", "resource", "text/dns"),
        PAGES[1],
    )
    assert found.names == "1"
    assert found.damage == 0


@packs
@pytest.mark.parametrize("end", ["\n\n", "\n\r\n"])
def test_lines_of_headers_may_end_in_line_feeds(
    read: Reader, pack: Callable[[bytes], bytes], end: str
) -> None:
    head = "HTTP/1.0 200 OK\nContent-Type: text/html\nX-Robots-Tag: noindex" + end
    body = b"<p>\r\n\r\n\n\nx"
    found = read(pack(record("http://h/1", head.encode() + body) + PAGES[2]))
    assert found.names == "12"
    kept = found.pages[0]
    assert isinstance(kept, RawPage)
    assert (kept.status, kept.mime, kept.robots, kept.body) == (200, "text/html", "noindex", body)


def test_headers_do_not_count_towards_the_size_limit(read: Reader) -> None:
    found = read(
        record(
            "http://h/1", http(b"<p>" + b"x" * 97, "Content-Type: text/html", "X: " + "y" * 999)
        ),
        record("http://h/2", http(b"<p>" + b"x" * 98)),
        PAGES[3],
        options=ParseOptions(max_bytes=100),
    )
    assert (found.names, found.truncated) == ("123", "23")
    assert found.problems.counts == {"pages cut at the size limit": 2}


def test_wat_gives_links_without_text(read: Reader) -> None:
    links = [
        {"path": "A@/href", "url": "b.html", "text": " to  b ", "rel": "NoFollow"},
        {"path": "IMG@/src", "url": "c.png"},
        {"path": "FRAME@/src", "url": "/f"},
        {"path": "A@/href", "url": "javascript:x"},
    ]
    html = {"Head": {"Title": " A\ntitle ", "Base": "/d/"}, "Links": links}
    response = {"HTTP-Response-Metadata": {"HTML-Metadata": html}}
    wat = json.dumps({"Envelope": {"Payload-Metadata": response}}).encode()
    image = json.dumps({"Envelope": {"Payload-Metadata": {"HTTP-Response-Metadata": {}}}}).encode()
    found = read(
        record("http://h/a", wat, "metadata", "application/json"),
        record("http://h/i", image, "metadata", "application/json"),
        record("http://h/x", b"fetchTimeMs: 3", "metadata", "application/warc-fields"),
        record("http://h/y", b"[" * 100_000, "metadata", "application/json"),
        record("http://h/z", b'{"Envelope": 3}', "metadata", "application/json"),
    )
    assert found.pages == [
        Page(
            "http://h/a",
            time=1_577_934_245,
            title="A title",
            links=(
                Link("http://h/d/b.html", "to b", rel="nofollow"),
                Link("http://h/f", "", element="frame"),
            ),
        )
    ]
    assert found.problems.counts == {"records that are not HTML": 1}


def test_damaged_wat_and_links_over_the_limit_are_reported(read: Reader) -> None:
    html = {"Links": [{"path": "A@/href", "url": str(k)} for k in range(5)]}
    response = {"HTTP-Response-Metadata": {"HTML-Metadata": html}}
    wat = json.dumps({"Container": {}, "Envelope": {"Payload-Metadata": response}}).encode()
    found = read(
        record("http://h/a", wat, "metadata", "application/json"),
        record("http://h/b", wat[:-20], "metadata", "application/json"),
        options=ParseOptions(max_links=3),
    )
    (page,) = found.pages
    assert isinstance(page, Page)
    assert (len(page.links), page.truncated) == (3, True)
    assert found.problems.counts == {
        "links over the limit per page": 2,
        "damaged WAT records": 1,
    }


def test_wet_gives_text_without_links(read: Reader) -> None:
    found = read(
        record("http://h/index.html", "Grüße\xff".encode(), "conversion", "text/plain"),
        record("http://h/long", b"x" * 101, "conversion", "text/plain"),
        record("dns:h", b"text", "conversion", "text/plain"),
        options=ParseOptions(max_bytes=100),
    )
    assert found.pages == [
        Page("http://h/", time=1_577_934_245, text="Grüße\xff"),
        Page("http://h/long", time=1_577_934_245, text="x" * 100, truncated=True),
    ]
    assert found.problems.counts == {
        "pages cut at the size limit": 1,
        "records with unusable URLs": 1,
    }


BOMB = """
import sys, zlib
from weft.gather.html import ParseOptions, parse_page
from weft.gather.page import Problems
from weft.gather.revisits import RevisitIndex
from weft.gather.warc import read_warc
path, piece = Path(sys.argv[1]), eval(sys.argv[2])
url = "WARC/1.0\\r\\nWARC-Type: response\\r\\nWARC-Target-URI: http://h/%d\\r\\n"
url += "Content-Type: application/http\\r\\nContent-Length: %d\\r\\n\\r\\n"
head = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n"
block = piece * ((1 << 20) // len(piece))
with path.open("wb") as file:
    for k, count in ((0, 0), (1, 64), (2, 0)):
        packer = zlib.compressobj(1, zlib.DEFLATED, 31)
        file.write(packer.compress((url % (k, len(head) + len(block) * count)).encode() + head))
        for _ in range(count):
            file.write(packer.compress(block))
        file.write(packer.compress(b"\\r\\n\\r\\n") + packer.flush())
before, problems, options = peak_mb(), Problems(), ParseOptions(max_bytes=1 << 20)
pages = list(read_warc(path, "", options, problems, RevisitIndex()))
reading = peak_mb() - before
names = "".join(parse_page(page, options, problems).url[-1] for page in pages)
is_cut = problems.counts["pages cut at the size limit"] == 1
print(names, path.stat().st_size < 2 << 20, is_cut, reading, peak_mb() - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["bytes(1)", "b'<br>x'", "b'<a href=x>y</a>'", "'\U0001f600 '.encode()"]
)
def test_records_far_over_the_size_limit(tmp_path: Path, piece: str) -> None:
    """64 MB of zeros, tags, links or wide characters, in little memory; other records are read."""
    names, is_small, is_cut, *used = run_script(BOMB, str(tmp_path / "bomb"), piece).split()
    assert (names, is_small, is_cut) == ("012", "True", "True")
    reading, parsing = map(int, used)
    assert reading < 32
    assert parsing < 128


@real
def test_webkb() -> None:
    found = Read(DATA / "webkb.warc.gz")
    assert (len(found.pages), found.damage) == (8274, 0)


@real
def test_a_truncated_archive_keeps_its_page() -> None:
    found = Read(DATA / "warc" / "clipped.warc.gz")
    assert (len(found.pages), found.damage) == (1, 1)
    (kept,) = found.pages
    assert isinstance(kept, RawPage)
    assert kept.truncated
    assert len(kept.body) > 10_000


@real
def test_common_crawl() -> None:
    (page,) = Read(DATA / "warc" / "whirlwind.warc.gz").pages
    (text,) = Read(DATA / "warc" / "whirlwind.warc.wet.gz").pages
    assert isinstance(text, Page)
    assert page.url == text.url
    assert len(text.text) > 1000
    assert text.time == page.time
