"""Inputs detected by their content, and read."""

import bz2
import gzip
import io
import os
import zipfile
from pathlib import Path

import pytest
from tests.command import weft
from tests.real import DATA, real

from weft.core.errors import UnknownName, WeftError
from weft.gather.formats import (
    Evidence,
    InputHead,
    InputSource,
    expand_inputs,
    input_format,
    input_formats,
    read_revisits,
    recognise_input,
    spool_to_file,
)
from weft.gather.html import ParseOptions
from weft.gather.page import Problems, RawPage
from weft.gather.revisits import RevisitIndex

BODY = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>x"
WARC = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/w\r\n"
    b"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (len(BODY), BODY)
)
ARC = (
    b"filedesc://x 0.0.0.0 20200101000000 text/plain 2\nx\n\n"
    b"http://h/r 1.2.3.4 20200101000000 text/html %d\n%s\n" % (len(BODY), BODY)
)


def pack(raw: bytes) -> bytes:
    return gzip.compress(raw, mtime=0)


def zipped(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), pack(WARC))
    return buffer.getvalue()


def urls(source: InputSource) -> list[str]:
    return [page.url for page in source.read_pages(ParseOptions(), Problems(), RevisitIndex())]


@pytest.mark.parametrize(
    ("content", "kind", "found"),
    [
        (WARC, "warc", ["http://h/w"]),
        (pack(WARC), "warc", ["http://h/w"]),
        (pack(WARC)[:-9], "warc", ["http://h/w"]),
        (ARC, "arc", ["http://h/r"]),
        (pack(ARC), "arc", ["http://h/r"]),
        (zipped("archive/a.warc.gz"), "wacz", ["http://h/w"]),
        (b'{"url": "http://h/j"}\n', "jsonl", ["http://h/j"]),
        (b'\xef\xbb\xbf\n{"text": 3, "url": "http://h/j"}', "jsonl", None),
        (pack(b'{"url": "http://h/j"}'), "jsonl", ["http://h/j"]),
        (b'{"url": "http://h/j", "text": "' + b"x" * 100_000 + b'"}', "jsonl", ["http://h/j"]),
        (b"", "jsonl", []),
        (pack(b""), "jsonl", []),
        (b"<!DOCTYPE html><p>x", "html", ["file://folder/some%20input.warc"]),
        (b"source,target\na,b\n", "csv", None),
    ],
)
def test_content_decides_not_the_name(
    tmp_path: Path, content: bytes, kind: str, found: list[str] | None
) -> None:
    path = tmp_path / "some input.warc"
    path.write_bytes(content)
    source = recognise_input(path)
    assert (source.input_format, source.display_name, source.is_graph) == (
        kind,
        str(path),
        kind == "csv",
    )
    if found is not None:
        assert urls(source) == found


@pytest.mark.parametrize(
    "content",
    [
        b"just words",
        b"\x89PNG\r\n",
        zipped("word/document.xml"),
        bz2.compress(WARC),
        b"\x00" * 99,
        b"PK\x03\x04",
        b"\x1f\x8b\x08junk",
        b'{"no": "page"}',
        pack(b"words " * 99)[:-20],
    ],
)
def test_an_unknown_format_is_an_error_with_a_hint(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(WeftError, match="cannot tell what") as error:
        recognise_input(path, "my input")
    assert "my input" in str(error.value)
    assert "--as" in error.value.hint


def test_damaged_compression_is_no_error(tmp_path: Path) -> None:
    """The first bytes are enough to detect the format."""
    raw = bytearray(pack(b"".join(WARC.replace(b"/w", b"/%d" % k) for k in range(9000))))
    raw[len(raw) // 2 : len(raw) // 2 + 9] = b"\xff" * 9
    path = tmp_path / "x"
    path.write_bytes(bytes(raw))
    problems = Problems()
    found = list(recognise_input(path).read_pages(ParseOptions(), problems, RevisitIndex()))
    assert len(found) > 1000
    assert problems.damage_count


def test_folders(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>x")
    assert recognise_input(tmp_path).input_format == "folder"
    assert urls(recognise_input(tmp_path, base_url="http://h/d/")) == ["http://h/d/a.html"]
    (tmp_path / "collection.json").write_text("{}")
    assert recognise_input(tmp_path).input_format == "collection"


def test_archives_in_a_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>x")
    for name, content in {
        "b/x.WARC.gz": pack(WARC),
        "c.arc": ARC,
        "d.wacz": zipped("archive/a.warc.gz"),
        "e.warc": b"<p>no archive",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    problems = Problems()
    found = list(
        recognise_input(tmp_path, base_url="http://b/").read_pages(
            ParseOptions(), problems, RevisitIndex()
        )
    )
    assert [page.url for page in found] == [
        "http://b/a.html",
        "http://h/r",
        "http://h/w",
        "http://b/e.warc",
        "http://h/w",
    ]
    assert not problems.counts
    places = [page.offset for page in found if isinstance(page, RawPage)]
    assert places == sorted(places)


WET = b"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://h/t\r\n"
WET += b"Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nwords\r\n\r\n"
WAT_LINK = b'{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{"HTML-Metadata":{}}}}}'
WAT = b"WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: http://h/m\r\n"
WAT += b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(WAT_LINK), WAT_LINK)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ("x.warc.wat.gz", "m"),
        ("x.wat", "m"),
        ("x.warc.wet.gz", "t"),
        ("x.WET.gz", "t"),
        ("x.warc.gz x.warc.wat.gz x.warc.wet.gz", "w"),
        ("x.warc x.wat.gz", "w"),
        ("x.warc.wat.gz x.warc.wet.gz", "m"),
        ("x.warc.gz y.warc.wat.gz", "wm"),
        ("x.warc.gz d/x.warc.wat.gz", "wm"),
    ],
)
def test_wat_and_wet_files_beside_their_archive_are_not_read(
    tmp_path: Path, names: str, found: str
) -> None:
    (tmp_path / "d").mkdir()
    for name in names.split():
        content = WAT if ".wat" in name else WET if ".wet" in name.lower() else WARC
        (tmp_path / name).write_bytes(pack(content) if name.endswith("gz") else content)
    problems = Problems()
    read = list(recognise_input(tmp_path).read_pages(ParseOptions(), problems, RevisitIndex()))
    assert "".join(page.url[-1] for page in read) == found
    left = {"WAT and WET files of archives beside them": len(names.split()) - len(found)}
    assert problems.counts == {reason: times for reason, times in left.items() if times}


def test_text_of_web_assembly_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "code.wat").write_text("(module (func))")
    problems = Problems()
    assert (
        list(recognise_input(tmp_path).read_pages(ParseOptions(), problems, RevisitIndex())) == []
    )
    assert problems.counts == {"files that are not HTML": 1}


@pytest.mark.parametrize("name", ["b.warc.gz", "b.arc", "b.wacz", "b.warc.wat.gz"])
@pytest.mark.parametrize("junk", [b"junk" * 99, b"PK\x03\x04" + b"junk" * 9, b"\x1f\x8b\x08junk"])
def test_junk_in_a_folder_stops_nothing(tmp_path: Path, name: str, junk: bytes) -> None:
    (tmp_path / "a.html").write_text("<p>x")
    (tmp_path / name).write_bytes(junk)
    (tmp_path / "c.warc").write_bytes(WARC)
    problems = Problems()
    found = list(
        recognise_input(tmp_path, base_url="http://h/").read_pages(
            ParseOptions(), problems, RevisitIndex()
        )
    )
    assert [page.url for page in found] == ["http://h/a.html", "http://h/w"]
    assert problems.damage_count
    assert name in str(problems.locations)


def test_revisits_over_the_size_limit_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of a megabyte with a hundred revisits, in a file that is hardly larger."""
    original = WARC.replace(b"WARC-T", b"WARC-Payload-Digest: sha1:A\r\nWARC-T", 1)
    original = original.replace(b"Length: %d" % len(BODY), b"Length: %d" % (len(BODY) + (1 << 20)))
    original = original.replace(b"<html>x", b"<html>x" + b"y" * (1 << 20))
    revisit = original.partition(b"HTTP")[0].replace(b": response", b": revisit")
    revisit = revisit.replace(b"Length: %d" % (len(BODY) + (1 << 20)), b"Length: 0") + b"\r\n\r\n"
    path = tmp_path / "x.warc"
    path.write_bytes(original + b"".join(revisit.replace(b"/w", b"/%d" % k) for k in range(100)))
    monkeypatch.setattr("weft.gather.formats.EXTRA_REVISIT_BYTES", 1 << 20)
    for growth, kept in ((1, 2), (1000, 100)):
        monkeypatch.setattr("weft.gather.formats.MAX_REVISIT_RATIO", growth)
        problems, revisits = Problems(), RevisitIndex()
        assert len(list(recognise_input(path).read_pages(ParseOptions(), problems, revisits))) == 1
        assert len(list(read_revisits(revisits, ParseOptions(), problems))) == kept
        assert problems.counts["revisits over the size limit"] == 100 - kept


def test_a_file_has_the_base_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "a?b.html"
    path.write_text("<p>x")
    assert urls(recognise_input(path, base_url="http://h/d/x.html")) == ["http://h/d/a%3Fb.html"]
    with pytest.raises(WeftError, match="is not a base URL"):
        urls(recognise_input(path, base_url="nonsense"))


def test_a_format_can_be_forced(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"JUNK" * 9 + pack(WARC))
    assert urls(recognise_input(path, input_format="warc")) == ["http://h/w"]
    path.write_bytes(b"no tag at all")
    assert urls(recognise_input(path, input_format="jsonl")) == []
    with pytest.raises(UnknownName, match="'wark'") as error:
        recognise_input(path, input_format="wark")
    assert "warc" in error.value.hint


@pytest.mark.parametrize("kind", ["warc", "arc", "wacz", "jsonl", "html"])
@pytest.mark.parametrize(
    "content", [b"", b"\0", b"junk\n" * 99, bytes(k * k % 251 for k in range(999)), WARC, ARC]
)
def test_a_wrong_format_reads_little_and_never_fails(
    tmp_path: Path, kind: str, content: bytes
) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    assert len(urls(recognise_input(path, input_format=kind))) <= 1


def test_inputs_that_do_not_exist(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="does not exist"):
        recognise_input(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WeftError, match="neither a file nor a folder"):
        recognise_input(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(WeftError):
        recognise_input(tmp_path / "loop")


def test_a_stream_is_spooled_to_a_temporary_file() -> None:
    with spool_to_file(io.BytesIO(WARC)) as path:
        assert path.name.startswith("weft-")
        assert urls(recognise_input(path, "standard input")) == ["http://h/w"]
    assert not path.exists()


def test_graphs_are_the_same_by_their_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"source,target\na,b\n")
    two.write_bytes(b"source,target\na,b\n")
    assert recognise_input(one).digest() == recognise_input(two).digest()
    two.write_bytes(b"source,target\na,c\n")
    assert recognise_input(one).digest() != recognise_input(two).digest()


@real
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("webkb.warc.gz", "warc"),
        ("warc/aut-example.arc.gz", "arc"),
        ("warc/clipped.warc.gz", "warc"),
        ("warc/valid.wacz", "wacz"),
        ("warc/whirlwind.warc.wet.gz", "warc"),
    ],
)
def test_real_inputs(name: str, kind: str) -> None:
    assert recognise_input(DATA / name).input_format == kind
    assert kind in input_formats()


def test_patterns_stand_for_files_in_their_order(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        (tmp_path / f"{name}.jsonl").write_text('{"url": "http://a.com/"}\n')
    (tmp_path / "odd[1].jsonl").write_text('{"url": "http://a.com/"}\n')
    for given, names in {"?": ["a", "b", "c"], "odd[1]": ["odd[1]"]}.items():
        found = expand_inputs(str(tmp_path / f"{given}.jsonl"))
        assert [source.path.stem for source in found] == names


def test_an_empty_name_is_an_error() -> None:
    with pytest.raises(WeftError, match="the name of an input is empty"):
        list(expand_inputs(""))


def test_a_web_graph_in_a_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>a page</p>")
    (tmp_path / "b.graph").write_bytes(b"\x12\x34")
    (tmp_path / "b.properties").write_text(
        "#x\ngraphclass=it.unimi.dsi.webgraph.BVGraph\nnodes=2\n"
    )
    (tmp_path / "c.properties").write_text("colour=red\n")
    problems = Problems()
    pages = list(recognise_input(tmp_path).read_pages(ParseOptions(), problems, RevisitIndex()))
    assert [page.url.rpartition("/")[2] for page in pages] == ["a.html"]
    assert problems.damage_reasons == {"web graphs in a folder, which are added by their own names"}
    assert problems.damage_count == 1


@pytest.mark.parametrize("name", input_formats())
def test_a_registered_format_is_complete(name: str) -> None:
    known = input_formats()[name]
    given = {"path", "display_name", "base_url", "vertices", "ranks", "problems"}
    given |= {
        "links": {"input_digest"},
        "requests": {"log"},
        "pages": {"options", "revisits"},
    }.get(known.yields, set())
    assert {"path"} <= set(known.parameters) <= given
    assert known.summary.endswith(".")
    assert len(known.summary) <= 100


def test_the_order_of_recognition_is_that_of_the_evidence() -> None:
    order = [(known.evidence, known.name) for known in input_formats().values()]
    assert order == sorted(order)
    assert [name for evidence, name in order if evidence > Evidence.STRUCTURE] == [
        "csv",
        "snap",
        "common-crawl",
        "folder",
        "html",
    ]


def test_at_most_one_format_has_a_signature(tmp_path: Path) -> None:
    """So their order among each other does not matter."""
    for content in (WARC, ARC, b"PAR1", b"%%MatrixMarket x", b"\xef\xbb\xbf%%MatrixMarket x"):
        (tmp_path / "x").write_bytes(content)
        head = InputHead(tmp_path / "x")
        found = [f for f in input_formats().values() if f.recognises(head)]
        assert sum(f.evidence is Evidence.SIGNATURE for f in found) == 1


def test_a_format_is_declared_once() -> None:
    declare = input_format(
        "warc", "", evidence=Evidence.ANYTHING, recognise=lambda head: head.is_empty_file
    )
    with pytest.raises(ValueError, match="declared twice"):
        declare(lambda path: iter([path]))


def test_the_help_names_every_format() -> None:
    shown = " ".join(weft("add", "--help").stdout.split()).replace("- ", "-")  # lines end there
    for known in input_formats().values():
        assert known.name in shown
        assert known.title in shown
