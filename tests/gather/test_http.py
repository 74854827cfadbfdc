"""HTTP responses: bodies decoded, damaged or oversized, and which are pages."""

import gzip
import zlib
from collections.abc import Callable
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gather.processes import run_script

from weft.gather.html import ParseOptions
from weft.gather.http import HttpResponse, dechunk_and_decompress, parse_content_type, unix_seconds
from weft.gather.page import Problems, RawPage

CAP = 1 << 20
PAGE = b"<html><p>" + b" ".join(b"%d" % (k * k) for k in range(9000))


def brotli(body: bytes) -> bytes:
    return bytes(pa.compress(body, "brotli", asbytes=True))


def zstd(body: bytes) -> bytes:
    return bytes(pa.compress(body, "zstd", asbytes=True))


def deflate(body: bytes) -> bytes:
    worker = zlib.compressobj(wbits=-15)
    return worker.compress(body) + worker.flush()


Pack = Callable[[bytes], bytes]
PACKS: dict[str, Pack] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": deflate,
    "br": brotli,
    "zstd": zstd,
}
packs = pytest.mark.parametrize(("encoding", "pack"), PACKS.items(), ids=PACKS)


def chunked(*parts: bytes) -> bytes:
    return b"".join(b"%x;note\r\n%s\r\n" % (len(part), part) for part in (*parts, b""))


@packs
def test_compression_is_undone(encoding: str, pack: Pack) -> None:
    assert dechunk_and_decompress(pack(PAGE), "", encoding, CAP) == (PAGE, False, False)


@packs
def test_bodies_without_their_declared_compression_are_kept(encoding: str, pack: Pack) -> None:
    assert pack(PAGE) != PAGE
    assert dechunk_and_decompress(PAGE, "", encoding, CAP) == (PAGE, False, False)
    assert dechunk_and_decompress(b"", "", encoding, CAP) == (b"", False, False)


@packs
def test_truncated_bodies_keep_what_can_be_read(encoding: str, pack: Pack) -> None:
    packed = pack(PAGE)
    body, cut, broken = dechunk_and_decompress(packed[: len(packed) * 3 // 4], "", encoding, CAP)
    assert PAGE.startswith(body)
    assert (cut, broken) == (False, True)
    if encoding != "zstd":
        assert len(body) > len(PAGE) // 3


@packs
def test_invalid_compression_gives_no_body(encoding: str, pack: Pack) -> None:
    assert dechunk_and_decompress(b"\x00\x01\x02" + pack(PAGE), "", encoding, CAP) == (
        b"",
        False,
        True,
    )


def test_nested_compressions() -> None:
    assert dechunk_and_decompress(brotli(gzip.compress(PAGE)), "", "gzip, br", CAP) == (
        PAGE,
        False,
        False,
    )
    assert dechunk_and_decompress(PAGE, "", "identity, unheard-of", CAP) == (PAGE, False, False)


def test_chunks_are_joined() -> None:
    assert dechunk_and_decompress(chunked(b"<html>", b"x" * 300), "chunked", "", CAP) == (
        b"<html>" + b"x" * 300,
        False,
        False,
    )
    assert dechunk_and_decompress(chunked(gzip.compress(PAGE)), "Chunked", "gzip", CAP) == (
        PAGE,
        False,
        False,
    )


def test_a_header_left_on_a_body_without_chunks() -> None:
    assert dechunk_and_decompress(PAGE, "chunked", "", CAP) == (PAGE, False, False)


@pytest.mark.parametrize(
    ("raw", "body"),
    [
        (b"5\r\nhello\r\n", b"hello"),
        (b"5\r\nhel", b"hel"),
        (b"5\r\nhello\r\nzz\r\nworld", b"hello"),
        (b"5\r\nhello\r\n-3\r\nabc", b"hello"),
        (b"5\r\nhello\r\nffffffffffffffffffff\r\nabc", b"helloabc"),
    ],
)
def test_damaged_chunks_keep_what_can_be_read(raw: bytes, body: bytes) -> None:
    assert dechunk_and_decompress(raw, "chunked", "", CAP) == (body, False, True)


def test_bodies_are_cut_at_the_size_limit() -> None:
    assert dechunk_and_decompress(b"x" * 11, "", "", 10) == (b"x" * 10, True, False)
    assert dechunk_and_decompress(b"x" * 10, "", "", 10) == (b"x" * 10, False, False)


@packs
def test_bodies_are_cut_while_they_are_unpacked(encoding: str, pack: Pack) -> None:
    assert dechunk_and_decompress(pack(bytes(5 << 20)), "", encoding, CAP) == (
        bytes(CAP),
        True,
        False,
    )


BOMB = """
import sys, zlib
import pyarrow as pa
from weft.gather.http import dechunk_and_decompress
encoding, block, blocks = sys.argv[1], bytes(1 << 20), 64
if encoding in ("br", "zstd"):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "brotli" if encoding == "br" else "zstd") as stream:
        for _ in range(blocks):
            stream.write(block)
    raw = sink.getvalue().to_pybytes()
else:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31 if encoding == "gzip" else 15)
    raw = b"".join(packer.compress(block) for _ in range(blocks)) + packer.flush()
before = peak_mb()
body, cut, broken = dechunk_and_decompress(raw, "", encoding, 2 << 20)
print(len(raw) < 2 << 20, len(body) == 2 << 20, cut, broken, peak_mb() - before)
"""


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_decompression_bombs(encoding: str) -> None:
    """64 MB that compress to half a megabyte, with a limit of 2 MB."""
    *found, used = run_script(BOMB, encoding).split()
    assert found == ["True", "True", "True", "False"]
    assert int(used) < 32


@given(st.binary(max_size=300), st.sampled_from(["", "chunked"]), st.sampled_from(["", *PACKS]))
def test_any_bytes_are_unwrapped(raw: bytes, transfer: str, encoding: str) -> None:
    body, cut, _ = dechunk_and_decompress(raw, transfer, encoding, 100)
    assert len(body) <= 100
    assert not cut or len(body) == 100


@pytest.mark.parametrize(
    ("header", "mime", "charset"),
    [
        ("text/html", "text/html", ""),
        (" Text/HTML ; Charset=UTF-8", "text/html", "UTF-8"),
        ('text/html; charset="iso-8859-1"; x=y', "text/html", "iso-8859-1"),
        ("text/html; x=y", "text/html", ""),
        ("text/html; charset=", "text/html", ""),
        ("text/html; charset*=utf-8''x", "text/html", ""),
        ("", "", ""),
        (";;;", "", ""),
    ],
)
def test_content_types(header: str, mime: str, charset: str) -> None:
    assert parse_content_type(header) == (mime, charset)


@given(st.text() | st.text().map("text/html; charset={}".format))
def test_any_text_is_a_content_type(header: str) -> None:
    mime, _ = parse_content_type(header)
    assert mime == mime.strip().lower()


def answer(
    url: str = "http://h/", status: int = 200, body: bytes = b"<p>x", **headers: str
) -> tuple[RawPage | None, Problems]:
    problems = Problems()
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    response = HttpResponse(
        url, 7, status, given.get("Content-Type", "text/html"), body, truncated=False
    )
    return response.to_raw_page(given.get, ParseOptions(max_bytes=1000), problems), problems


def test_a_page() -> None:
    record, problems = answer(X_Robots_Tag="NoIndex", Content_Type="text/html; charset=latin1")
    assert record == RawPage(
        "http://h/", b"<p>x", 7, mime="text/html", charset="latin1", robots="noindex"
    )
    assert not problems.counts


def test_a_redirect_needs_no_body() -> None:
    record, _ = answer(status=302, body=b"\x89PNG", Location="/there", Content_Type="image/png")
    assert record == RawPage("http://h/", b"", 7, 302, mime="image/png", location="/there")
    record, _ = answer(status=200, Location="/there")
    assert record is not None
    assert record.location == ""


def test_the_case_of_a_scheme_does_not_matter() -> None:
    record, problems = answer("HTTP://Upper.Example/x")
    assert record is not None
    assert (record.url, problems.counts) == ("HTTP://Upper.Example/x", {})


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("dns:example.com", "records that are not web pages"),
        ("", "records that are not web pages"),
        ("file:///etc/passwd", "records that are not web pages"),
        ("http://h:99999/", "records with unusable URLs"),
        ("http://h/" + "x" * 1_000_000, "records with unusable URLs"),
    ],
)
def test_records_that_are_not_pages_are_reported(url: str, reason: str) -> None:
    record, problems = answer(url)
    assert record is None
    assert problems.counts == {reason: 1}
    assert not problems.damage_count


def test_other_media_types_are_reported() -> None:
    record, problems = answer(Content_Type="image/png")
    assert record is None
    assert (problems.counts, problems.damage_count) == ({"records that are not HTML": 1}, 0)


def test_damage_and_truncation_are_reported() -> None:
    record, problems = answer(body=gzip.compress(PAGE)[:200], Content_Encoding="gzip")
    assert record is not None
    assert record.truncated
    assert (problems.counts, problems.damage_count) == ({"damaged bodies": 1}, 1)
    record, problems = answer(body=gzip.compress(PAGE), Content_Encoding="gzip")
    assert record is not None
    assert (record.truncated, record.body) == (True, PAGE[:1000])
    assert problems.counts == {"pages cut at the size limit": 1}


def test_unix_seconds() -> None:
    assert unix_seconds(datetime(1970, 1, 2, tzinfo=UTC)) == 86_400
    assert unix_seconds(datetime(1970, 1, 2)) == 86_400
    assert unix_seconds(datetime(1900, 1, 1, tzinfo=UTC)) == unix_seconds(None) == 0
    assert datetime.fromtimestamp(unix_seconds(datetime.max.replace(tzinfo=UTC)), UTC).year == 9999


def test_encodings_over_each_other_are_undone_up_to_five() -> None:
    packed = [PAGE]
    for _ in range(6):
        packed.append(gzip.compress(packed[-1]))
    five, six = ", ".join(["gzip"] * 5), ", ".join(["gzip"] * 6)
    assert dechunk_and_decompress(packed[5], "", five, CAP) == (PAGE, False, False)
    assert dechunk_and_decompress(packed[6], "", six, CAP) == (packed[6], False, True)
    assert dechunk_and_decompress(packed[6], "", six, 9) == (packed[6][:9], True, True)
