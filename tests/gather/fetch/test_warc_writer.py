"""Archives as other tools read them, after a crash, and packed as WACZ."""

import gzip
import json
import zipfile
import zlib
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from tests.gather.archives import Read
from warcio.archiveiterator import ArchiveIterator

from weft.gather.fetch.wacz_writer import write_wacz
from weft.gather.fetch.warc_writer import ArchivePosition, Exchange, WarcWriter
from weft.gather.page import RawPage

BODY = gzip.compress(b"<html><title>One</title><p>Hello</p></html>")
PAGE = Exchange(
    "http://a.example/one?x=1",
    1_700_000_000,
    (("User-Agent", "Weft/1 (+me@example.com)"),),
    200,
    (
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Encoding", "gzip"),
        ("Transfer-Encoding", "chunked"),
        ("X-Odd", "\udcff\u00e9"),
    ),
    BODY,
    "192.0.2.1",
)
FIRST = (PAGE.url, PAGE.time)


def write(folder: Path, *exchanges: Exchange) -> Path:
    with WarcWriter(folder, {"strategy": "best-first", "delay": 1.0}) as writer:
        for exchange in exchanges:
            writer.write_exchange(exchange, {"score": 0.5, "via": "http://a.example/"})
    return folder / "weft-00001.warc.gz"


def test_an_independent_reader_reads_every_record(tmp_path: Path) -> None:
    records = []
    with write(tmp_path, PAGE).open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            body = record.raw_stream.read()
            records.append((record.rec_type, record.rec_headers, record.http_headers, body))
    assert [kind for kind, *_ in records] == ["warcinfo", "response", "request", "metadata"]
    info, response, request, metadata = records
    assert b"strategy: best-first\r\n" in info[3]
    assert response[1]["WARC-IP-Address"] == "192.0.2.1"
    assert response[1]["WARC-Date"] == "2023-11-14T22:13:20Z"
    assert response[2].get_header("Content-Length") == str(len(BODY))
    assert response[2].get_header("Transfer-Encoding") is None
    assert response[3] == BODY
    assert request[2].protocol == "GET"
    assert request[2].get_header("Host") == "a.example"
    assert metadata[3] == b"score: 0.5\r\nvia: http://a.example/\r\n"
    assert {r[1].get_header("WARC-Concurrent-To") for r in (request, metadata)} == {
        response[1]["WARC-Record-ID"]
    }


def test_the_reader_of_add_reads_the_same_page(tmp_path: Path) -> None:
    read = Read(
        write(tmp_path, PAGE, replace(PAGE, url="http://a.example/two", truncated="length"))
    )
    assert read.problems.counts == {}
    one, two = read.pages
    assert isinstance(one, RawPage)
    assert (one.url, one.time, one.charset) == (PAGE.url, PAGE.time, "utf-8")
    assert one.body == gzip.decompress(BODY)
    assert two.url == "http://a.example/two"


def test_each_record_is_a_gzip_member(tmp_path: Path) -> None:
    data, members = write(tmp_path, PAGE).read_bytes(), 0
    while data:
        member = zlib.decompressobj(31)
        assert member.decompress(data).startswith(b"WARC/1.1\r\n")
        data, members = member.unused_data, members + 1
    assert members == 4


def test_revisits_refer_to_the_first_capture(tmp_path: Path) -> None:
    copy = replace(PAGE, url="http://a.example/copy")
    with WarcWriter(tmp_path) as writer:
        writer.write_exchange(PAGE, {})
        writer.write_exchange(copy, {}, first_capture=FIRST)
        path = tmp_path / writer.position.name
    read = Read(path)
    assert [page.url for page in read.pages] == [PAGE.url, copy.url]
    assert len({page.body for page in read.pages if isinstance(page, RawPage)}) == 1
    assert path.stat().st_size == writer.position.length


def test_files_are_limited_in_size(tmp_path: Path) -> None:
    with WarcWriter(tmp_path, max_file_bytes=2000) as writer:
        for k in range(10):
            writer.write_exchange(replace(PAGE, url=f"http://a.example/{k}"), {})
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) > 2
    assert names[0] == "weft-00001.warc.gz"
    assert sum(len(Read(tmp_path / name).pages) for name in names) == 10


def test_what_a_killed_process_left_is_cut_off(tmp_path: Path) -> None:
    with WarcWriter(tmp_path) as writer:
        writer.write_exchange(PAGE, {})
        position = writer.position
        writer.write_exchange(replace(PAGE, url="http://a.example/lost"), {})
    path = tmp_path / position.name
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 40)
    (tmp_path / "weft-00002.warc.gz").write_bytes(b"\x1f\x8b half a file")
    with WarcWriter(tmp_path, resume_at=position) as writer:
        assert writer.position == position
        writer.write_exchange(replace(PAGE, url="http://a.example/again"), {})
    assert [file.name for file in tmp_path.iterdir()] == [position.name]
    read = Read(path)
    assert [page.url for page in read.pages] == [PAGE.url, "http://a.example/again"]
    assert read.problems.counts == {}


def test_without_a_position_a_new_file_is_begun(tmp_path: Path) -> None:
    first = write(tmp_path, PAGE).read_bytes()
    write(tmp_path, PAGE)
    assert (tmp_path / "weft-00001.warc.gz").read_bytes() == first
    with WarcWriter(tmp_path, resume_at=ArchivePosition("weft-00009.warc.gz", 5)) as writer:
        writer.write_exchange(PAGE, {})
        assert writer.position.name == "weft-00003.warc.gz"


def test_wacz(tmp_path: Path) -> None:
    archive, name = tmp_path / "archive", "crawl.wacz"
    path = write(archive, PAGE, replace(PAGE, url="http://A.example:81/Two", status=404))
    assert write_wacz(tmp_path / name, [path], "Demo") == 2
    with zipfile.ZipFile(tmp_path / name) as bundle:
        package = json.loads(bundle.read("datapackage.json"))
        for resource in package["resources"]:
            data = bundle.read(resource["path"])
            assert resource["hash"] == f"sha256:{sha256(data).hexdigest()}"
            assert resource["bytes"] == len(data)
        assert {info.compress_type for info in bundle.infolist()} == {zipfile.ZIP_STORED}
        index = gzip.decompress(bundle.read("indexes/index.cdx.gz")).decode().splitlines()
        keys = [line.split(" ", 2)[:2] for line in index]
        assert keys == [
            ["example,a)/one?x=1", "20231114221320"],
            ["example,a:81)/two", "20231114221320"],
        ]
        entry = json.loads(index[0].split(" ", 2)[2])
        member = bundle.read(f"archive/{entry['filename']}")
        start = int(entry["offset"])
        record = gzip.decompress(member[start : start + int(entry["length"])])
        assert b"WARC-Type: response" in record
        assert record.endswith(BODY + b"\r\n\r\n")
        pages = [json.loads(line) for line in bundle.read("pages/pages.jsonl").splitlines()]
        assert [page.get("url") for page in pages] == [None, PAGE.url]
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == [name]
