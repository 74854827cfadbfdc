"""The WARC file of a demo web, read back by warcio."""

from collections import Counter
from functools import cache
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from weft.core.progress import listener
from weft.demo import DemoPage, DemoWeb, generate_pages, truth_path, write_warc


@cache
def written() -> list[DemoPage]:
    return list(generate_pages(DemoWeb(200)))


def test_same_parameters_give_the_same_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / "one.warc.gz", tmp_path / "two.warc.gz", tmp_path / "three.warc.gz"]
    for path, seed in zip(paths, (3, 3, 4), strict=True):
        write_warc(DemoWeb(200, seed), path)
    first, same_seed, other_seed = (path.read_bytes() for path in paths)
    assert first == same_seed
    assert first != other_seed
    assert truth_path(paths[0]).read_bytes() == truth_path(paths[1]).read_bytes()


def test_warcio_reads_every_record(tmp_path: Path) -> None:
    path = tmp_path / "demo.warc.gz"
    truth = write_warc(DemoWeb(200), path)
    read_back: dict[str, str] = {}
    moved: dict[str, str] = {}
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            body = record.content_stream().read().decode()
            if record.rec_type == "response":
                url = record.rec_headers["WARC-Target-URI"]
                read_back[url] = body
                assert int(record.http_headers["Content-Length"]) == len(body.encode())
                assert record.rec_headers["WARC-Date"].startswith("2004-")
                if record.http_headers.get_statuscode() == "301":
                    moved[url] = record.http_headers["Location"]
    assert read_back == {page.url: page.html for page in written()}
    assert {page.url for page in truth.rows() if page.role != "uncaptured"} == set(read_back)
    assert moved == {page.url: page.location for page in written() if page.location}


def test_each_record_is_a_gzip_member_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "demo.warc.gz"
    write_warc(DemoWeb(200), path)
    assert path.read_bytes().count(b"\x1f\x8b\x08\x00\x00\x00\x00\x00") == len(written()) + 1


def test_record_ids_are_unique(tmp_path: Path) -> None:
    record_ids: Counter[str] = Counter()
    for seed in (0, 1):
        path = tmp_path / f"{seed}.warc.gz"
        write_warc(DemoWeb(200, seed), path)
        with path.open("rb") as file:
            record_ids.update(
                record.rec_headers["WARC-Record-ID"] for record in ArchiveIterator(file)
            )
    assert len(record_ids) == record_ids.total() > 2 * len(written())


def test_progress_is_reported_to_the_end(tmp_path: Path) -> None:
    reports: list[tuple[int, int | None]] = []
    token = listener.set(lambda _label, done, total: reports.append((done, total)))
    write_warc(DemoWeb(200), tmp_path / "demo.warc.gz")
    listener.reset(token)
    assert reports[-1] == (len(written()), len(written()))


def test_truth_path() -> None:
    for name in ("web.warc.gz", "web.warc", "web"):
        assert truth_path(Path("folder", name)) == Path("folder/web.truth.jsonl.gz")
