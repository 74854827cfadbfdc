"""WACZ files: hostile names, damage, bombs, revisits, and real ones."""

import gzip
import io
import os
import stat
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.gather.processes import run_script
from tests.real import DATA, real

from weft.gather.formats import read_revisits
from weft.gather.html import ParseOptions
from weft.gather.page import Page, Problems, RawPage
from weft.gather.revisits import RevisitIndex
from weft.gather.wacz import is_wacz, read_wacz


def warc(name: str, kind: str = "response", digest: str = "") -> bytes:
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><p>" + name.encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://h/{name}\r\n"
        f"WARC-Payload-Digest: {digest}\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + body + b"\r\n\r\n")


class OneWay(io.BytesIO):
    """A stream that cannot seek, so that sizes are written after the members."""

    def seekable(self) -> bool:
        """Never."""
        return False

    def seek(self, *_: int) -> int:
        """Never."""
        raise io.UnsupportedOperation


def packed(**members: bytes) -> bytes:
    return put_into(io.BytesIO(), members)


def put_into(buffer: io.BytesIO, members: dict[str, bytes]) -> bytes:
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def read_all(*paths: Path) -> tuple[list[RawPage | Page], Problems]:
    """Read the pages of files, and then those of revisits."""
    problems, revisits, found = Problems(), RevisitIndex(), list[RawPage | Page]()
    for path in paths:
        revisits.set_current_archive(path)
        found += read_wacz(path, path.name, ParseOptions(), problems, revisits)
    return [*found, *read_revisits(revisits, ParseOptions(), problems)], problems


Reader = Callable[[bytes], tuple[str, Problems]]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    def put(raw: bytes) -> tuple[str, Problems]:
        path = tmp_path / "x.wacz"
        path.write_bytes(raw)
        found, problems = read_all(path)
        assert list(tmp_path.iterdir()) == [path]
        return "".join(page.url[-1] for page in found), problems

    return put


def test_members_in_the_order_of_names(read: Reader) -> None:
    members = {
        "archive/b.warc.gz": warc("b"),
        "archive/a.warc.gz": warc("a"),
        "pages/p.jsonl": b"{}",
    }
    names, problems = read(packed(**members))
    assert names == "ab"
    assert not problems.counts


def test_members_are_known_by_content(read: Reader) -> None:
    """Members in the folder `archive` may have any name."""
    arc = b"filedesc://x 0.0.0.0 20200101000000 text/plain 2\nx\n\n"
    arc += b"http://h/d 1.2.3.4 20200101000000 text/html 7\n<html>x\n"
    members = {
        "archive/A.WARC": gzip.decompress(warc("a")),
        "archive/b.warc.gz": b"junk",
        "archive/c": warc("c"),
        "archive/d.gz": gzip.compress(arc),
        "archive/notes.txt": b"words",
        "B.WARC.GZ": warc("b"),
    }
    names, problems = read(packed(**members))
    assert names == "bacd"
    assert problems.counts == {"damaged records": 1, "zip members that are not archives": 1}


@pytest.mark.parametrize(
    "name", ["../../evil.warc.gz", "/etc/evil.warc.gz", "a/../../../e.warc.gz"]
)
def test_members_are_never_written_under_their_names(
    read: Reader, tmp_path: Path, name: str
) -> None:
    assert read(packed(**{name: warc("e")}))[0] == "e"
    assert not (tmp_path.parent / "evil.warc.gz").exists()
    assert not Path("/etc/evil.warc.gz").exists()


def test_a_symbolic_link_is_not_followed(read: Reader, tmp_path: Path) -> None:
    secret = tmp_path.parent / f"{tmp_path.name}-secret.warc.gz"
    secret.write_bytes(warc("s"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("archive/link.warc.gz")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, os.fsencode(secret))
        archive.writestr("archive/x.warc.gz", warc("x"))
    names, problems = read(buffer.getvalue())
    assert names == "x"
    assert problems.counts == {"damaged records": 1}


def test_two_members_of_one_name_are_read_once(read: Reader) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("a.warc.gz", warc("a"))
        archive.writestr("a.warc.gz", warc("a"))
    assert read(buffer.getvalue())[0] == "a"


def test_a_damaged_member_leaves_the_others(read: Reader) -> None:
    raw = packed(**{"a.warc.gz": warc("a"), "b.warc.gz": warc("b"), "c.warc.gz": warc("c")})
    at = raw.index(warc("b")) + 40
    names, problems = read(raw[:at] + bytes([raw[at] ^ 0xFF]) + raw[at + 1 :])
    assert names.replace("b", "") == "ac"
    assert problems.damage_count


@pytest.mark.parametrize(("share", "intact"), [(0.2, ""), (0.6, "a"), (1, "ab")])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_truncated_file_keeps_its_intact_archives(
    read: Reader, share: float, intact: str, *, streamed: bool
) -> None:
    """The directory of a zip file is at its end, so a truncated one has none."""
    members = {"a.warc.gz": warc("a"), "b.warc.gz": warc("b")}
    raw = put_into(OneWay() if streamed else io.BytesIO(), members)
    end = raw.index(b"PK\x01\x02")
    names, problems = read(raw[: int(end * share)])
    assert names.startswith(intact)
    assert problems.counts["damaged zip files"] == 1


def test_a_wrong_byte_leaves_the_other_records_of_its_archive(read: Reader) -> None:
    plain = b"".join(gzip.decompress(warc(name)) for name in "abc")
    raw = bytearray(packed(**{"a.warc": plain}))
    raw[raw.index(b"<p>b") + 1] ^= 1
    names, problems = read(bytes(raw))
    assert (names, problems.counts) == ("abc", {"damaged zip members": 1})


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_revisits_of_what_is_in_another_archive(tmp_path: Path, method: int) -> None:
    """In another member, or in another file; no unpacked file is left."""
    members = {
        "a.warc.gz": warc("1", "revisit", "x") + warc("2", "revisit", "y"),
        "b.warc.gz": warc("3") + warc("4", "response", "x"),
        "c.warc.gz": warc("5", "revisit", "x"),
        "d.warc.gz": warc("6", "response", "y"),
    }
    paths = [tmp_path / "one.wacz", tmp_path / "two.wacz"]
    for path, names in zip(paths, ("abd", "c"), strict=True):
        with zipfile.ZipFile(path, "w", method) as archive:
            for name in names:
                archive.writestr(f"archive/{name}.warc.gz", members[f"{name}.warc.gz"])
    for order in (paths, paths[::-1]):
        found, problems = read_all(*order)
        assert "".join(page.url[-1] for page in found[:3]) == "346"
        again = {page.url[-1]: page.body[-1:] for page in found[3:] if isinstance(page, RawPage)}
        assert again == {"1": b"4", "5": b"4", "2": b"6"}
        assert not problems.counts
        assert sorted(tmp_path.iterdir()) == paths


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.wacz"
    members = {"a.warc.gz": warc("1", "revisit", "x"), "b.warc.gz": warc("2", digest="x")}
    for other in (packed(**{"a.warc.gz": warc("1")}), b"junk", None):
        path.write_bytes(packed(**members))
        revisits, problems = RevisitIndex(), Problems()
        revisits.set_current_archive(path)
        assert len(list(read_wacz(path, "", ParseOptions(), problems, revisits))) == 1
        if other is None:
            path.unlink()
        else:
            path.write_bytes(other)
        assert list(read_revisits(revisits, ParseOptions(), problems)) == []
        assert problems.counts.total() == 1


def test_files_inside_one(tmp_path: Path) -> None:
    """A crawl of several parts is downloaded like this; revisits are resolved inside, too."""
    parts = {
        "one.wacz": packed(**{"archive/a.warc.gz": warc("1") + warc("2", "revisit", "x")}),
        "two.wacz": packed(
            **{
                "archive/b.warc.gz": warc("3", digest="x") + warc("4", "revisit", "y"),
                "archive/c.warc.gz": warc("5", digest="y") + warc("6", "revisit", "x"),
            }
        ),
        "three.wacz": b"junk",
        "archive/words.docx": packed(**{"word/document.xml": b""}),
        "datapackage.json": b'{"profile": "multi-wacz-package"}',
    }
    path = tmp_path / "all.wacz"
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, content in parts.items():
                archive.writestr(name, content)
        assert is_wacz(path)
        found, problems = read_all(path)
        assert "".join(page.url[-1] for page in found) == "135264"
        assert problems.counts == {"zip members that are not archives": 2}


def test_a_file_two_levels_inside_is_reported(read: Reader) -> None:
    deepest = packed(**{"a.warc.gz": warc("1")})
    names, problems = read(packed(**{"b.wacz": packed(**{"c.wacz": deepest})}))
    assert names == ""
    assert problems.counts["zip members that are not archives"] == 1


def test_a_file_inside_that_is_larger_than_it_looks(read: Reader) -> None:
    """It is not read: its members might expand as much again."""
    bomb, buffer = packed(**{"a.warc": warc("1") + b"\0" * (1 << 20)}), io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("b.wacz", bomb)
        archive.writestr("c.warc.gz", warc("2"))
    names, problems = read(buffer.getvalue())
    assert (names, problems.counts) == ("2", {"zip members that are not archives": 1})


def test_files_without_archives_are_reported(read: Reader) -> None:
    for raw in (
        packed(),
        packed(**{"datapackage.json": b"{}"}),
        packed(**{"a.warc.gz/": b""}),
        packed(**{"archive/notes.txt": b"words"}),
    ):
        names, problems = read(raw)
        assert names == ""
        assert problems.counts["WACZ files without archives"] == 1


def test_encrypted_members_are_reported(read: Reader) -> None:
    raw = bytearray(packed(**{"a.warc.gz": warc("a")}))
    raw[6] |= 1
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    names, problems = read(bytes(raw))
    assert names == ""
    assert problems.counts["damaged zip members"] == 1


def test_recognition(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for raw, answer in [
        (packed(**{"datapackage.json": b""}), True),
        (packed(**{"archive/x.warc": b""}), True),
        (packed(**{"word/document.xml": b""}), False),
        (packed(**{"indexes/index.idx": b"", "archive/x.warc": b""})[:60], True),
        (packed(**{"word/document.xml": b""})[:60], False),
        (b"PK\x03\x04 and then nothing", False),
        (b"", False),
    ]:
        path.write_bytes(raw)
        assert is_wacz(path) == answer


BOMB = """
import sys, zipfile
from weft.gather import wacz
from weft.gather.html import ParseOptions
from weft.gather.page import Problems
from weft.gather.revisits import RevisitIndex
wacz.EXTRA_UNPACK_BYTES = 4 << 20
path = Path(sys.argv[1])
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
    for name in ("a", "b"):
        with archive.open(f"{name}.warc", "w", force_zip64=True) as member:
            for _ in range(64 if name == "a" else 0):
                member.write(bytes(1 << 20))
            head = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n<html>"
            url = "WARC/1.0\\r\\nWARC-Type: response\\r\\nWARC-Target-URI: http://h/%s\\r\\n" % name
            url += "Content-Type: application/http\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(head)
            member.write(url.encode() + head + b"\\r\\n\\r\\n")
before, problems, revisits = peak_mb(), Problems(), RevisitIndex()
revisits.set_current_archive(path)
pages = wacz.read_wacz(path, "", ParseOptions(), problems, revisits)
names = "".join(page.url[-1] for page in pages)
is_cut = "zip members over the size limit" in problems.counts
print(names, path.stat().st_size < 2 << 20, is_cut, peak_mb() - before)
"""


def test_a_zip_bomb(tmp_path: Path) -> None:
    """64 MB that compress to half a megabyte; thirty times that and 4 MB are unpacked."""
    names, is_small, is_cut, used = run_script(BOMB, str(tmp_path / "bomb")).split()
    assert (names, is_small, is_cut) == ("b", "True", "True")
    assert int(used) < 32


@real
def test_a_real_file() -> None:
    found, problems = read_all(DATA / "warc" / "valid.wacz")
    assert found
    assert all(isinstance(page, RawPage) and page.url.startswith("http") for page in found)
    assert not problems.damage_count


@real
def test_a_real_file_that_is_invalid() -> None:
    found, problems = read_all(DATA / "warc" / "invalid.wacz")
    assert found == []
    assert problems.damage_count
