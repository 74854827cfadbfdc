"""Revisits in web archives whose original is in the same file, in another, or missing."""

import gzip
import io
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest
from tests.gather.archives import (
    PAGES,
    Read,
    Reader,
    http,
    packs,
    record,
)
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from weft.gather.formats import read_revisits
from weft.gather.html import ParseOptions
from weft.gather.page import Problems, RawPage
from weft.gather.revisits import UNCHANGED_REVISITS, UNRESOLVED_REVISITS, RevisitIndex
from weft.gather.warc import read_warc


@packs
def test_revisits(read: Reader, pack: Callable[[bytes], bytes]) -> None:
    digest = {"WARC_Payload_Digest": "sha1:AAAA"}
    other = {
        **digest,
        "WARC_Refers_To_Target_URI": "http://h/1",
        "WARC_Date": "2021-01-01T00:00:00Z",
    }
    lost = {"WARC_Payload_Digest": "sha1:BBBB", "WARC_Refers_To_Target_URI": "http://h/9"}
    head = http(b"")
    found = read(
        *map(
            pack,
            [
                PAGES[0],
                record("http://h/1", http(b"<html>one"), **digest),
                record("http://h/1", head, "revisit", **digest),
                record("http://h/2", head, "revisit", **other),
                record("http://h/3", head, "revisit", **lost),
            ],
        )
    )
    assert found.names == "012"
    assert found.damage == 0
    copy = found.pages[2]
    assert isinstance(copy, RawPage)
    assert (copy.url, copy.body, copy.time) == ("http://h/2", b"<html>one", 1_609_459_200)
    assert found.problems.counts == {
        "revisits of unchanged pages": 1,
        "revisits whose original is missing": 1,
    }


def test_a_revisit_of_a_record_without_an_offset(read: Reader) -> None:
    """Records that share a gzip member cannot be read again; that is reported, not an error."""
    digest = {"WARC_Payload_Digest": "sha1:AAAA"}
    again = record(
        "http://h/2", http(b""), "revisit", **digest, WARC_Refers_To_Target_URI="http://h/1"
    )
    found = read(gzip.compress(PAGES[0] + record("http://h/1", http(b"<html>"), **digest) + again))
    assert found.names == "01"
    assert found.problems.counts == {"revisits whose original is missing": 1}


def test_a_revisit_that_does_not_say_of_which_url(read: Reader) -> None:
    digest = {"WARC_Payload_Digest": "sha1:AAAA"}
    found = read(
        record("http://h/1", http(b"<html>one"), **digest),
        record("http://h/2", http(b""), "revisit", **digest),
        record("http://h/1", http(b""), "revisit", **digest),
        record("http://h/3", http(b""), "revisit", WARC_Payload_Digest="sha1:BBBB"),
        record("http://h/4", http(b""), "revisit"),
        record("http://h/5", http(b"", status="304 Not Modified"), "revisit"),
    )
    assert found.names == "12"
    one, two = found.pages
    assert isinstance(one, RawPage)
    assert isinstance(two, RawPage)
    assert one.body == two.body
    assert found.problems.counts == {
        "revisits of unchanged pages": 2,
        "revisits whose original is missing": 2,
    }


def test_a_revisit_is_unchanged_only_if_its_original_is_there(read: Reader) -> None:
    same = {"WARC_Payload_Digest": "sha1:AAAA", "WARC_Refers_To_Target_URI": "http://h/1"}
    found = read(record("http://h/1", http(b""), "revisit", **same))
    assert found.problems.counts == {"revisits whose original is missing": 1}


A, B = "2020-01-02T03:04:05Z", "2021-01-01T00:00:00Z"
DIGEST = {"WARC_Payload_Digest": "sha1:AAAA"}
ORIGINAL = record("http://h/1", http(b"<html>one"), **DIGEST)


def revisit(
    url: str, block: bytes = b"", /, refers: str = "", date: str = "", **more: str
) -> bytes:
    headers = {"WARC_Refers_To_Target_URI": refers, "WARC_Refers_To_Date": date, "WARC_Date": B}
    headers = {name: value for name, value in headers.items() if value}
    return record(url, block, "revisit", **headers, **more)


@pytest.fixture
def read_all(tmp_path: Path) -> Reader:
    """Read one file after another, and then their revisits."""

    def put(*files: bytes) -> Read:
        paths = [tmp_path / f"{k}.warc" for k in range(len(files))]
        for path, content in zip(paths, files, strict=True):
            path.write_bytes(content)
        return Read(*paths)

    return put


@packs
def test_an_original_in_another_file(read_all: Reader, pack: Callable[[bytes], bytes]) -> None:
    """It may come before or after its revisits, and is read for each of them."""
    first = b"".join(map(pack, [PAGES[0], ORIGINAL, PAGES[3]]))
    again = [
        revisit("http://h/2", refers="http://h/1", date=A, **DIGEST),
        revisit("http://h/1", refers="http://h/1", date=A, **DIGEST),
        revisit("http://h/4", **DIGEST),
    ]
    for files in permutations([first, *(pack(one) for one in again)]):
        found = read_all(*files)
        assert found.names in ("01324", "01342")
        assert found.problems.counts == {UNCHANGED_REVISITS: 1}
        copies = [page for page in found.pages[3:] if isinstance(page, RawPage)]
        assert {(copy.body, copy.time) for copy in copies} == {(b"<html>one", 1_609_459_200)}


def test_a_revisit_of_the_same_url_is_read_where_only_another_has_the_page(read: Reader) -> None:
    """Its own original is in no input, but another URL has the same payload."""
    again = revisit("http://h/2", refers="http://h/2", date=A, **DIGEST)
    found = read(again, ORIGINAL)
    assert (found.names, found.problems.counts) == ("12", {})


@packs
def test_an_original_among_damaged_records(read: Reader, pack: Callable[[bytes], bytes]) -> None:
    junk, again = b"JUNK" * 99, revisit("http://h/2", **DIGEST)
    found = read(*map(pack, [again, PAGES[0]]), junk, *map(pack, [ORIGINAL, PAGES[3]]), junk)
    assert (found.names, found.damage) == ("0132", 2)


def test_url_and_time_replace_a_missing_digest(read: Reader) -> None:
    bare = record("http://h/1", http(b"<html>one"))
    for original, more in ((ORIGINAL, {}), (bare, {}), (bare, DIGEST)):
        found = read(
            revisit("http://h/2", refers="<http://h/1>", date="2020-01-02T03:04:05.678Z", **more),
            revisit("http://h/3", refers="http://h/1", date=B, **more),
            revisit("http://h/4", refers="http://h/1", **more),
            revisit("http://h/5", refers="http://h/1", date="then", **more),
            revisit("http://h/6", date=A, **more),
            revisit("http://h/1", refers="http://h/1", date=A, **more),
            original,
        )
        assert found.names == "12"
        assert found.problems.counts == {UNRESOLVED_REVISITS: 4, UNCHANGED_REVISITS: 1}


def test_digests_that_differ_are_not_the_same_page(read: Reader) -> None:
    other = {"WARC_Payload_Digest": "sha1:BBBB"}
    found = read(ORIGINAL, revisit("http://h/2", refers="http://h/1", date=A, **other))
    assert (found.names, found.problems.counts) == ("1", {UNRESOLVED_REVISITS: 1})


def test_the_original_that_is_referred_to_is_preferred(read_all: Reader) -> None:
    """Digests may be wrong; the named URL is preferred, whatever the order."""
    liar = record("http://h/9", http(b"<html>spam"), WARC_Date="1999-01-01T00:00:00Z", **DIGEST)
    again = revisit("http://h/2", refers="http://h/1", date=A, **DIGEST)
    for files in permutations([liar, ORIGINAL, again]):
        found = read_all(*files)
        copy = next(page for page in found.pages if page.url == "http://h/2")
        assert isinstance(copy, RawPage)
        assert copy.body == b"<html>one"


def test_revisits_that_refer_to_revisits_and_in_circles(read: Reader) -> None:
    chain = [
        revisit("http://h/2", refers="http://h/3", date=B, **DIGEST),
        revisit("http://h/3", refers="http://h/2", date=B, **DIGEST),
        revisit("http://h/4", refers="http://h/4", date=B, **DIGEST),
    ]
    found = read(*chain)
    assert (found.names, found.problems.counts) == ("", {UNRESOLVED_REVISITS: 3})
    found = read(*chain, ORIGINAL)
    assert (found.names, found.problems.counts) == ("1234", {})


def test_a_revisit_keeps_its_own_status(read: Reader) -> None:
    """An empty body may be a redirect at one URL, and an error at another."""
    gone, fine = http(b"", status="404 Not Found"), http(b"")
    moved = http(b"", "Location: http://h/8", status="302 Found")
    empty = {"WARC_Payload_Digest": "sha1:EMPTY"}
    found = read(
        ORIGINAL,
        revisit("http://h/2", gone, **DIGEST),
        record("http://h/3", moved, **empty),
        revisit("http://h/4", fine, **empty),
        revisit("http://h/5", **empty),
        revisit("dns:h", **DIGEST),
    )
    kept = [page for page in found.pages if isinstance(page, RawPage)]
    assert [(page.url[-1], page.status, page.location) for page in kept] == [
        ("1", 200, ""),
        ("3", 302, "http://h/8"),
        ("2", 404, ""),
        ("5", 302, "http://h/8"),
    ]
    assert found.problems.counts == {
        "records that are not HTML": 1,
        "records that are not web pages": 1,
    }


def test_pages_reported_as_not_modified_are_unchanged(read: Reader) -> None:
    """Such a record needs no reference and no digest; older ones have the digest of nothing."""
    profile = "http://netpreserve.org/warc/1.%d/revisit/server-not-modified"
    found = read(
        ORIGINAL,
        revisit("http://h/1", WARC_Profile=profile % 0, WARC_Payload_Digest="sha1:EMPTY"),
        revisit("http://h/1", http(b""), WARC_Profile=profile % 1),
        revisit("http://h/1", http(b"", status="304 Not Modified")),
    )
    assert (found.names, found.problems.counts) == ("1", {UNCHANGED_REVISITS: 3})


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "ab"]
    for content in (b"", b"junk" * 99, PAGES[0], revisit("http://h/1", **DIGEST), None):
        paths[0].write_bytes(ORIGINAL)
        paths[1].write_bytes(revisit("http://h/2", **DIGEST))
        revisits, problems = RevisitIndex(), Problems()
        for path in paths:
            revisits.set_current_archive(path)
            list(read_warc(path, "", ParseOptions(), problems, revisits))
        if content is None:
            paths[0].unlink()
        else:
            paths[0].write_bytes(content)
        assert list(read_revisits(revisits, ParseOptions(), problems)) == []
        assert problems.counts == {UNRESOLVED_REVISITS: 1}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_archives_of_warcio(tmp_path: Path) -> None:
    """Digests and dates as warcio writes them; it leaves files open."""
    paths = [tmp_path / name for name in ("a.warc.gz", "b.warc.gz")]
    head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
    with paths[1].open("wb") as file:
        writer = WARCWriter(file, gzip=True, warc_version="WARC/1.1")
        body = io.BytesIO(b"<html><p>one and only")
        one = writer.create_warc_record("http://h/1", "response", body, http_headers=head)
        writer.write_record(one)
    digest, date = (one.rec_headers.get_header(f"WARC-{n}") for n in ("Payload-Digest", "Date"))
    with paths[0].open("wb") as file:
        writer = WARCWriter(file, gzip=True, warc_version="WARC/1.1")
        for url, http_head in (("http://h/2", head), ("http://h/3", None), ("http://h/1", head)):
            again = writer.create_revisit_record(
                url, digest, "http://h/1", date, http_headers=http_head
            )
            writer.write_record(again)
    found = Read(*paths)
    assert (found.names, found.problems.counts) == ("123", {UNCHANGED_REVISITS: 1})
    assert {page.body for page in found.pages if isinstance(page, RawPage)} == {
        b"<html><p>one and only"
    }


def test_a_revisit_may_be_a_redirect(read: Reader) -> None:
    more = {"WARC_Payload_Digest": "sha1:AAAA", "WARC_Refers_To_Target_URI": "http://h/9"}
    moved = http(b"", "Location: http://h/1", status="301 Moved")
    (page,) = read(record("http://h/2", moved, "revisit", **more)).pages
    assert isinstance(page, RawPage)
    assert (page.url, page.status, page.location) == ("http://h/2", 301, "http://h/1")
