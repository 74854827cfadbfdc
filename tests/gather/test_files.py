"""Pages from folders and JSON lines, with all that may go wrong in them."""

import gzip
import json
import os
import socket
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.gather.processes import run_script

from weft.core.errors import WeftError
from weft.gather.files import BASE_URL_FILE, open_decompressed, read_jsonl
from weft.gather.formats import InputSource
from weft.gather.html import ParseOptions, parse_page
from weft.gather.page import Link, Page, Problems, RawPage
from weft.gather.revisits import RevisitIndex

BAD = "lines that are not pages"


def folder(
    path: Path, base: str = "http://h/", options: ParseOptions | None = None
) -> tuple[list[RawPage], Problems]:
    problems = Problems()
    found = InputSource(path, "folder", "", base).read_pages(
        options or ParseOptions(), problems, RevisitIndex()
    )
    return [page for page in found if isinstance(page, RawPage)], problems


def test_html_files_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("b/z.html", "c.HTM", "a page.html", "b/é#?.html"):
        (tmp_path / name).write_text("<p>x")
    (tmp_path / "notes.txt").write_text("some words")
    (tmp_path / "odd.dat").write_text("<title>x")
    (tmp_path / "image.png").write_bytes(b"\x89PNG")
    (tmp_path / "empty.html").write_bytes(b"")
    found, problems = folder(tmp_path)
    assert [page.url for page in found] == [
        "http://h/a%20page.html",
        "http://h/c.HTM",
        "http://h/notes.txt",
        "http://h/odd.dat",
        "http://h/b/z.html",
        "http://h/b/%C3%A9%23%3F.html",
    ]
    assert [page.is_plain_text for page in found] == [False, False, True, False, False, False]
    assert (problems.counts, problems.damage_count) == ({"files that are not HTML": 2}, 0)


def test_an_empty_folder(tmp_path: Path) -> None:
    found, problems = folder(tmp_path)
    assert (found, problems.counts) == ([], {})


def test_where_the_pages_came_from(tmp_path: Path) -> None:
    site = tmp_path / "www.example.com"
    site.mkdir()
    (site / "a.html").write_text("<p>x")
    assert folder(site, "")[0][0].url == "http://www.example.com/a.html"
    (site / BASE_URL_FILE).write_text("https://other.example/docs\n")
    assert [page.url for page in folder(site, "")[0]] == ["https://other.example/docs/a.html"]
    assert folder(site, "http://h/x/")[0][0].url == "http://h/x/a.html"
    (site / "a.html").write_text("<head><base href='http://own.example/b/index.html'><p>x")
    assert folder(site, "http://h/x/")[0][0].url == "http://own.example/b/a.html"


@pytest.mark.parametrize("name", ["plain", "with space", "é"])
def test_a_folder_that_is_no_host(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.html").write_text("<p>x")
    (record,), _ = folder(tmp_path / name, "")
    page = parse_page(record, ParseOptions(), Problems())
    assert page.url.startswith("file://")
    assert page.url.endswith("/a.html")


@pytest.mark.parametrize(
    ("head", "url"),
    [
        ("<base href=' http://own.example/a&amp;b/ '>", "http://own.example/a&b/a.html"),
        ("<BASE target=x HREF=HTTPS://own.example>", "https://own.example/a.html"),
        ("<!-- <base href=http://own.example/> -->", "http://h/a.html"),
        ("<base href=/local/>", "http://h/a.html"),
        ("<base href>", "http://h/a.html"),
        ("<base " * 2_000, "http://h/a.html"),
    ],
)
def test_the_base_element_of_a_file(tmp_path: Path, head: str, url: str) -> None:
    (tmp_path / "a.html").write_text(f"{head}<p>x")
    [record], _ = folder(tmp_path)
    assert record.url == url


@pytest.mark.parametrize("base", ["nonsense", "javascript:x", "http://[bad/"])
def test_a_base_url_that_is_invalid(tmp_path: Path, base: str) -> None:
    (tmp_path / "a.html").write_text("<p>x")
    with pytest.raises(WeftError, match="is not a base URL"):
        folder(tmp_path, base)
    (tmp_path / BASE_URL_FILE).write_text(base)
    with pytest.raises(WeftError, match="is not a base URL"):
        folder(tmp_path, "")


def test_only_regular_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe would block for ever, a symbolic link could lead anywhere or in circles."""
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "secret.html").write_text("<p>secret")
    (inside / "a.html").write_text("<p>x")
    os.mkfifo(inside / "pipe.html")
    (inside / "link.html").symlink_to(tmp_path / "secret.html")
    (inside / "broken.html").symlink_to("nowhere")
    (inside / "loop").symlink_to(inside)
    monkeypatch.chdir(inside)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.html")
        found, problems = folder(inside)
    assert [page.url for page in found] == ["http://h/a.html"]
    assert problems.counts == {"files that are not regular": 5}
    assert str(inside / "loop") in problems.locations["files that are not regular"]


UNREADABLE = """
import os, sys
from weft.gather.formats import InputSource, input_formats
from weft.gather.html import ParseOptions
from weft.gather.page import Problems
from weft.gather.revisits import RevisitIndex
input_formats()  # imports the readers while this may read them
if os.geteuid() == 0:
    os.setegid(65534)
    os.seteuid(65534)
problems = Problems()
source = InputSource(Path(sys.argv[1]), "folder", "", "http://h/")
found = source.read_pages(ParseOptions(), problems, RevisitIndex())
print([page.url for page in found], sorted(problems.counts), problems.damage_count)
"""


def test_unreadable_files_and_folders_are_reported(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    (inside / "closed").mkdir(parents=True)
    (inside / "a.html").write_text("<p>x")
    (inside / "b.html").write_text("<p>x")
    (inside / "b.html").chmod(0)
    (inside / "c.warc").write_text("WARC/1.0")
    (inside / "c.warc").chmod(0)
    (inside / "closed").chmod(0)
    for path in (inside, *inside.parents):
        if path == Path(tempfile.gettempdir()):
            break
        path.chmod(0o755)
    found = run_script(UNREADABLE, str(inside))
    reasons = "['files that cannot be read', 'folders that cannot be read']"
    assert found == f"['http://h/a.html'] {reasons} 3\n"


def test_file_names_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.html")).write_text("<p>x")
    (tmp_path / os.fsdecode(b"\xfe.bin")).write_bytes(b"\0")
    found, problems = folder(tmp_path)
    assert [page.url for page in found] == ["http://h/%FF.html"]
    assert all(place.encode() for places in problems.locations.values() for place in places)


def test_large_files_are_cut(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>" + "x" * 200)
    (record,), problems = folder(tmp_path, options=ParseOptions(max_bytes=100))
    assert (len(record.body), record.truncated) == (100, True)
    assert problems.counts == {"pages cut at the size limit": 1}


Reader = Callable[..., tuple[list[RawPage | Page], Problems]]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    def put(
        *rows: object, raw: bytes = b"", options: ParseOptions | None = None
    ) -> tuple[list[RawPage | Page], Problems]:
        problems = Problems()
        path = tmp_path / "pages.jsonl"
        path.write_bytes(raw or b"".join(json.dumps(row).encode() + b"\n" for row in rows))
        return list(read_jsonl(path, "p.jsonl", options or ParseOptions(), problems)), problems

    return put


def test_a_line_is_a_page(read: Reader) -> None:
    links = ["b", {"target": "/c", "anchor": " see  c ", "rel": "NoFollow"}, "mailto:x"]
    found, problems = read(
        {"url": "http://H/a", "text": "words", "title": " A\n page", "links": links, "time": 7},
        {"url": "http://h/b", "html": "<p>é", "title": "B", "date": "1970-01-02"},
        {"url": "http://h/c", "lang": "EN-gb", "timestamp": "1970-01-02T00:00:00+01:00"},
    )
    assert found == [
        Page(
            "http://h/a",
            time=7,
            title="A page",
            text="words",
            original="http://H/a",
            links=(Link("http://h/b"), Link("http://h/c", "see c", rel="nofollow")),
        ),
        RawPage(
            "http://h/b", "<p>é".encode(), 86_400, mime="text/html", charset="utf-8", title="B"
        ),
        Page("http://h/c", time=82_800, language="en"),
    ]
    assert not problems.counts


@pytest.mark.parametrize(
    "line",
    [
        b"junk",
        b"{",
        b"[]",
        b"3",
        b'"x"',
        b"{}",
        b'{"url": 3}',
        b'{"url": "javascript:x"}',
        b"\xff\xfe",
        b'{"url": "http://h/", "links": 3}',
        b'{"url": "http://h/", "links": [3]}',
        b'{"url": "http://h/", "links": [["ab", "cd"]]}',
        b'{"url": "http://h/", "links": true}',
        b'{"url": "http://h/", "links": [{"url": {"a": 1}}]}',
        b'{"url": "http://h/", "text": {"a": 1}}',
        b'{"url": "http://h/", "html": true}',
        b'{"url": "http://h/", "title": [3]}',
        b'{"url": ["http://h/"]}',
        b"[" * 100000,
        b'{"url": ' * 50000,
        b'{"url": "http://h/%s"}' % (b"x" * 1000000),
        b"null",
        b"9" * 5000,
    ],
)
def test_bad_lines_are_reported_and_other_lines_read(read: Reader, line: bytes) -> None:
    good = b'{"url": "http://h/%d"}\n'
    found, problems = read(raw=good % 1 + line + b"\n\n" + good % 2)
    assert [page.url for page in found] == ["http://h/1", "http://h/2"]
    assert (problems.counts, problems.locations[BAD]) == ({BAD: 1}, ["p.jsonl:2"])
    assert problems.damage_count == 1


@pytest.mark.parametrize(
    ("given", "language"),
    [("fil", "fil"), ("zh_Hant", "zh"), (" PT-br", "pt"), ("x" * 99, "x" * 8), ("", "")],
)
def test_languages(read: Reader, given: str, language: str) -> None:
    """Three letters are kept: `fi` is Finnish, `fil` Filipino."""
    (page,), _ = read({"url": "http://h/", "lang": given})
    assert isinstance(page, Page)
    assert page.language == language


@pytest.mark.parametrize("link", ["/to", {"url": "/to", "rel": ["NoFollow", "ugc"]}])
def test_one_link_without_a_list_around_it(read: Reader, link: object) -> None:
    rows = [{"url": "http://h/", "links": link}, {"url": "http://h/", "links": [link]}]
    found, problems = read(*rows)
    rel = "nofollow ugc" if isinstance(link, dict) else ""
    assert [page.links for page in found if isinstance(page, Page)] == [
        (Link("http://h/to", rel=rel),)
    ] * 2
    assert not problems.counts


def test_a_link_without_url_is_ignored(read: Reader) -> None:
    (page,), _ = read({"url": "http://h/a", "links": [{"anchor": "x"}, {}, "", "b"]})
    assert isinstance(page, Page)
    assert page.links == (Link("http://h/b"),)


@pytest.mark.parametrize(
    "time", ["yesterday", "9" * 400, [], {}, -5, 1e300, 10**30, True, None, ""]
)
def test_invalid_times(read: Reader, time: object) -> None:
    (page,), _ = read({"url": "http://h/", "time": time})
    assert page.time in (0, 1)


def test_times_that_are_not_finite(read: Reader) -> None:
    found, _ = read(
        raw=b'{"url": "http://h/", "time": NaN}\n{"url": "http://h/", "time": Infinity}'
    )
    assert [page.time for page in found] == [0, 0]


def test_lone_surrogates_are_replaced(read: Reader) -> None:
    half = "a\ud800"
    rows = [
        {
            "url": "http://h/1",
            "text": half,
            "title": half,
            "lang": "\ud800",
            "links": [{"url": "x", "anchor": half}],
        },
        {"url": "http://h/2", "html": half, "title": half},
    ]
    (page, record), _ = read(*rows)
    assert isinstance(page, Page)
    assert isinstance(record, RawPage)
    assert (page.text, page.title, page.links[0].anchor) == ("a?", "a?", "a?")
    assert (record.body, record.title) == (b"a?", "a?")


def test_limits_are_reported(read: Reader) -> None:
    rows = [
        {"url": "http://h/1", "text": "x" * 101},
        {"url": "http://h/2", "html": "x" * 101},
        {"url": "http://h/3", "links": ["a", "b", "c", "d"]},
    ]
    (text, html, linked), problems = read(*rows, options=ParseOptions(max_bytes=100, max_links=3))
    assert isinstance(text, Page)
    assert isinstance(html, RawPage)
    assert isinstance(linked, Page)
    assert (len(text.text), text.truncated) == (100, True)
    assert (len(html.body), html.truncated) == (100, True)
    assert (len(linked.links), linked.truncated) == (3, True)
    assert problems.counts == {
        "pages cut at the size limit": 2,
        "links over the limit per page": 1,
    }


def test_overlong_lines_are_skipped(read: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of several reads, and one that fills a read exactly; the real limit is 64 MB."""
    monkeypatch.setattr("weft.gather.files.MAX_LINE_BYTES", 1 << 20)
    good = b'{"url": "http://h/%d"}\n'
    long = b"x" * 2_100_000 + b"\n" + b"y" * (1 << 20) + b"\n"
    found, problems = read(raw=good % 1 + long + good % 2)
    assert [page.url for page in found] == ["http://h/1", "http://h/2"]
    assert problems.counts == {"lines longer than 64 MB": 2}


@pytest.mark.parametrize("codec", ["", "gzip", "zstd", "lz4"])
def test_compressed_lines(read: Reader, tmp_path: Path, codec: str) -> None:
    raw = b"".join(b'{"url": "http://h/%d"}\n' % k for k in range(1000))
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) if codec else sink as stream:
        stream.write(raw)
    packed = bytes(sink.getvalue()) if codec else raw
    found, problems = read(raw=packed)
    assert (len(found), problems.counts) == (1000, {})
    path = tmp_path / "copy"
    path.write_bytes(packed)
    with open_decompressed(path) as file:
        assert file.read() == raw


def test_damaged_compression_keeps_what_was_read(read: Reader) -> None:
    words = [json.dumps({"url": f"http://h/{k}", "text": str(k**9)}) for k in range(20_000)]
    raw = bytearray(gzip.compress("\n".join(words).encode()))
    found, problems = read(raw=bytes(raw[: len(raw) // 2]))
    assert len(found) > 5000
    assert problems.counts == {"damaged compression": 1}
    raw[len(raw) // 2 : len(raw) // 2 + 20] = b"\xff" * 20
    found, problems = read(raw=bytes(raw))
    assert len(found) > 5000
    assert problems.counts["damaged compression"] == 1


@pytest.mark.parametrize("raw", [b"\n", b"\n\n \n", gzip.compress(b"")], ids=count())
def test_nothing_to_read(read: Reader, raw: bytes) -> None:
    found, problems = read(raw=raw)
    assert (found, problems.counts) == ([], {})


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.just("http://h/"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["url", "text"]), inner)
    ),
    max_leaves=5,
)
keys = st.sampled_from(["url", "html", "text", "title", "links", "time", "lang"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(keys, values), max_size=4), st.binary(max_size=30))
def test_any_lines_are_read(read: Reader, rows: list[object], junk: bytes) -> None:
    lines = b"\n".join(json.dumps(row).encode() for row in rows)
    found, problems = read(raw=lines + b"\n" + junk + b"\n")
    assert len(found) + problems.counts[BAD] >= len(rows)
    assert all(page.url.startswith(("http://", "HTTP")) for page in found)
