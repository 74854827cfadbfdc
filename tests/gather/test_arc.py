"""ARC files: undamaged, damaged in many ways, and equal to the WARC of the same crawl."""

import gzip
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.gather.processes import run_script
from tests.real import DATA, real

from weft.gather.arc import read_arc
from weft.gather.html import ParseOptions
from weft.gather.page import Problems, RawPage
from weft.gather.revisits import RevisitIndex
from weft.gather.warc import read_warc

WORDS = [
    b"see http://x.y/ " + b" ".join(b"%d" % (j * j * k % 9973) for j in range(300))
    for k in range(6)
]
VERSION = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"
FIRST = b"filedesc://x.arc 0.0.0.0 20200102030405 text/plain %d\n%s\n" % (len(VERSION), VERSION)
DAMAGE = "damaged records"


def http(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    lines = b"".join(line + b"\r\n" for line in headers or [b"Content-Type: text/html"])
    return b"HTTP/1.1 %s\r\n%s\r\n%s" % (status, lines, body)


def record(url: bytes, block: bytes, date: bytes = b"20200102030405", length: bytes = b"") -> bytes:
    size = length or b"%d" % len(block)
    return b"%s 1.2.3.4 %s text/html %s\n%s\n" % (url, date, size, block)


PAGES = [record(b"http://h/%d" % k, http(b"<html><p>" + words)) for k, words in enumerate(WORDS)]
PARTS = [FIRST, *PAGES]
Pack = Callable[[bytes], bytes]
packs = pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])


class Read:
    """The pages and problems of an archive."""

    def __init__(self, path: Path, options: ParseOptions | None = None) -> None:
        self.problems = Problems()
        self.pages = list(read_arc(path, "a.arc", options or ParseOptions(), self.problems))

    @property
    def names(self) -> str:
        """The last characters of the URLs."""
        return "".join(page.url[-1] for page in self.pages)

    @property
    def truncated(self) -> str:
        """The last characters of the URLs of truncated pages."""
        return "".join(page.url[-1] for page in self.pages if page.truncated)

    @property
    def damaged(self) -> bool:
        """Whether there are damaged records."""
        assert self.problems.damage_reasons <= {DAMAGE}
        return self.problems.damage_count > 0


Reader = Callable[..., Read]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    def put(*parts: bytes, options: ParseOptions | None = None) -> Read:
        path = tmp_path / "archive"
        path.write_bytes(b"".join(parts))
        return Read(path, options)

    return put


@packs
def test_undamaged(read: Reader, pack: Pack) -> None:
    for parts in (map(pack, PARTS), [pack(b"".join(PARTS))], map(pack, PAGES)):
        found = read(*parts)
        assert (found.names, found.truncated, found.damaged) == ("012345", "", False)
        assert found.pages[0] == RawPage(
            "http://h/0", b"<html><p>" + WORDS[0], 1_577_934_245, mime="text/html"
        )


def test_records_of_many_kinds(read: Reader) -> None:
    found = read(
        FIRST,
        record(b"http://h/a b", http(b"<html>spaced")),
        record(b"http://h/m", http(b"", b"Location: /x", status=b"302 Found")),
        record(b"http://h/s", http(b"<html>s", status=b"strange")),
        record(b"http://h/b", b"<html>bare", date=b"nodate"),
        record(b"dns:h", b"20200102030405\nh. 1 IN A 1.2.3.4"),
        b"http://h/2 1.2.3.4 20200102030405 text/html 200 sum loc 0 x.arc 12\n<html>second\n",
    )
    assert [(page.url, page.body, page.status, page.location) for page in found.pages] == [
        ("http://h/a b", b"<html>spaced", 200, ""),
        ("http://h/m", b"", 302, "/x"),
        ("http://h/s", b"<html>s", 200, ""),
        ("http://h/b", b"<html>bare", 200, ""),
        ("http://h/2", b"<html>second", 200, ""),
    ]
    assert found.pages[3].time == 0
    assert (found.problems.counts, found.damaged) == ({"records that are not web pages": 1}, False)


@packs
@pytest.mark.parametrize(
    "junk", [b"JUNK" * 100, b"JUNK\n" * 100, b"\x1f\x8b\x08" * 50], ids=["word", "lines", "starts"]
)
def test_junk_between_records(read: Reader, pack: Pack, junk: bytes) -> None:
    parts = [pack(part) for part in PARTS]
    found = read(*parts[:3], junk, *parts[3:5], junk, *parts[5:])
    assert (found.names, found.truncated, found.damaged) == ("012345", "", True)


@packs
def test_junk_before_and_after(read: Reader, pack: Pack) -> None:
    parts = [pack(part) for part in PARTS]
    for found in (read(b"JUNK" * 9, *parts), read(*parts, b"JUNK" * 9)):
        assert (found.names, found.damaged) == ("012345", True)


def test_padding_is_no_damage(read: Reader) -> None:
    parts = [gzip.compress(part) for part in PARTS]
    found = read(*parts[:3], b"\0" * 700, *parts[3:], b"\0" * 700)
    assert (found.names, found.damaged) == ("012345", False)


@packs
@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_a_truncated_last_record(read: Reader, pack: Pack, share: float) -> None:
    parts = [pack(part) for part in PARTS]
    found = read(*parts[:6], parts[6][: int(len(parts[6]) * share)])
    assert found.names in ("01234", "012345")
    assert ("5" in found.names) == ("5" in found.truncated)
    assert found.damaged


@packs
@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
def test_a_truncated_record_before_others(read: Reader, pack: Pack, share: float) -> None:
    parts = [pack(part) for part in PARTS]
    found = read(*parts[:3], parts[3][: int(len(parts[3]) * share)], *parts[4:])
    assert found.names.replace("2", "") == "01345"
    assert found.truncated in ("", "2")
    assert found.damaged


def test_a_flipped_byte(read: Reader) -> None:
    parts = [gzip.compress(part) for part in PARTS]
    hurt = bytearray(parts[3])
    hurt[len(hurt) // 2] ^= 0x55
    found = read(*parts[:3], bytes(hurt), *parts[4:])
    assert (found.names.replace("2", ""), found.damaged) == ("01345", True)


@packs
@pytest.mark.parametrize("length", [b"99999999999", b"2000", b"100", b"x1", b"-5"])
def test_a_wrong_length(read: Reader, pack: Pack, length: bytes) -> None:
    wrong = record(b"http://h/2", http(b"<html>" + b"x" * 500), length=length)
    found = read(*map(pack, [*PARTS[:3], wrong, *PARTS[4:]]))
    assert found.names.replace("2", "") == "01345"
    assert found.damaged


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([bytes, gzip.compress]),
    st.lists(st.tuples(st.integers(4, 9000), st.binary(min_size=1, max_size=9)), max_size=4),
)
def test_any_damage_is_survived(
    tmp_path: Path, pack: Pack, damage: Sequence[tuple[int, bytes]]
) -> None:
    """Every undamaged record is read; the first bytes, which are the format, stay."""
    parts = [pack(part) for part in PARTS]
    raw = bytearray(b"".join(parts))
    for at, junk in damage:
        raw[at : at + len(junk)] = junk
    path = tmp_path / "archive"
    path.write_bytes(bytes(raw))
    found = Read(path)
    start = 0
    for k, part in enumerate(parts):
        end = start + len(part)
        if k and not any(at <= end and start <= at + len(junk) for at, junk in damage):
            assert str(k - 1) in found.names
        start = end


@pytest.mark.parametrize(
    "raw", [b"", b"\n", FIRST, gzip.compress(FIRST), b"\0" * 9, b"x y z"], ids=count()
)
def test_nothing_to_read(read: Reader, raw: bytes) -> None:
    assert read(raw).pages == []


def test_a_line_without_end(read: Reader) -> None:
    found = read(FIRST, PAGES[0], b"http://h/ " * 1_000_000, PAGES[1])
    assert found.names == "01"
    assert found.damaged


def test_pages_are_cut_at_the_size_limit(read: Reader) -> None:
    found = read(*PARTS[:2], options=ParseOptions(max_bytes=200))
    assert len(found.pages[0].body) == 200
    assert found.pages[0].truncated


BOMB = """
import sys, zlib
from weft.gather.arc import read_arc
from weft.gather.html import ParseOptions
from weft.gather.page import Problems
path, block = Path(sys.argv[1]), bytes(1 << 20)
head = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n<html>"
with path.open("wb") as file:
    for k, count in ((0, 0), (1, 64), (2, 0)):
        packer = zlib.compressobj(1, zlib.DEFLATED, 31)
        size = len(head) + len(block) * count
        line = b"http://h/%d 1.2.3.4 20200102030405 text/html %d\\n" % (k, size)
        file.write(packer.compress(line + head))
        for _ in range(count):
            file.write(packer.compress(block))
        file.write(packer.compress(b"\\n") + packer.flush())
before, problems = peak_mb(), Problems()
pages = read_arc(path, "", ParseOptions(max_bytes=2 << 20), problems)
names = "".join(page.url[-1] for page in pages)
print(names, path.stat().st_size < 2 << 20, bool(problems.damage_count), peak_mb() - before)
"""


def test_a_record_far_over_the_size_limit(tmp_path: Path) -> None:
    """64 MB that compress to half a megabyte, with a limit of 2 MB a page."""
    names, is_small, is_cut, used = run_script(BOMB, str(tmp_path / "bomb")).split()
    assert (names, is_small, is_cut) == ("012", "True", "True")
    assert int(used) < 32


@real
def test_arc_and_warc_of_one_crawl_have_the_same_pages() -> None:
    problems = Problems()
    folder = DATA / "warc"
    arc = list(read_arc(folder / "aut-example.arc.gz", "", ParseOptions(), problems))
    path = folder / "aut-example.warc.gz"
    warc = list(read_warc(path, "", ParseOptions(), problems, RevisitIndex()))
    assert not problems.damage_count
    html_pages = [
        {
            (page.url, page.body, page.status, page.time)
            for page in pages
            if page.mime == "text/html"
        }
        for pages in (arc, [page for page in warc if isinstance(page, RawPage)])
    ]
    assert html_pages[0] == html_pages[1]
    assert len(html_pages[0]) == 140


@pytest.mark.slow
def test_many_records_that_claim_the_rest_of_the_file_take_linear_time(tmp_path: Path) -> None:
    """Sixteen times as many may take 28 times as long; copying the rest of the file took 40."""

    def cost(records: int) -> float:
        claims = (
            record(b"http://h/%d" % k, http(b"<p>x"), length=b"9999999") for k in range(records)
        )
        (tmp_path / "x.arc").write_bytes(FIRST + b"\n" + b"".join(claims))
        start = time.process_time()
        found = read_arc(tmp_path / "x.arc", "x", ParseOptions(), Problems())
        assert sum(1 for _ in found) == records
        return time.process_time() - start

    # the shorter one is quick, and noise in its time counts sixteen times
    assert min(cost(32_000) for _ in range(2)) < 28 * max(cost(2_000) for _ in range(3))
