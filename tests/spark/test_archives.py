"""Archives that a cluster adds: the collection of plain `add`, table for table."""

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from benchmarks.spark.archives import cut_archive, differing_tables, tables_of
from tests.gather.archives import http, record
from tests.real import DATA, real
from tests.spark.workers import killed_workers

from weft.core.errors import WeftError
from weft.gather.html import ParseOptions
from weft.spark import Cluster
from weft.spark.archives import add_archives, find_archives
from weft.workspace.ingest import AddResult
from weft.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

Portrait = Callable[..., str]


def add_on_spark(folder: Path, cluster: Cluster, files: Sequence[Path]) -> AddResult:
    archives = [archive for file in files for archive in find_archives(str(file))]
    return add_archives(folder, cluster, archives, ParseOptions())


def test_archives_with_repeated_captures(
    demo_warc: Path, tmp_path: Path, cluster: Cluster, portrait: Portrait
) -> None:
    files = cut_archive(demo_warc, tmp_path / "parts", 5)
    plain = Workspace(tmp_path / "plain.weft").add(*files, workers=1)
    spark = add_on_spark(tmp_path / "spark.weft", cluster, files)
    assert plain.known > 20
    assert not differing_tables(plain, spark)
    assert portrait(Workspace(tmp_path / "spark.weft")) == portrait(
        Workspace(tmp_path / "plain.weft")
    )
    assert len(tables_of(plain)["captures"]) == plain.new
    again = add_on_spark(tmp_path / "spark.weft", cluster, files)
    assert differing_tables(plain, again) == ["new and known"]
    assert (again.new, again.known) == (0, plain.new + plain.known)
    assert len(again.collection.manifest.history) == 1
    assert not list((tmp_path / "spark.weft").glob("segments/*weft*"))


def test_revisits_across_files_and_damage(tmp_path: Path, cluster: Cluster) -> None:
    """A revisit whose original is in a file after it, one without original, a clipped file."""
    digest = {"WARC_Payload_Digest": "sha1:AAAA"}
    original = record("http://a.org/1", http(b"<html><p>One <a href=/2>two</a>"), **digest)
    revisits = [
        record("http://b.org/copy", http(b""), kind="revisit", **digest),
        record("http://b.org/lost", http(b""), kind="revisit", WARC_Payload_Digest="sha1:BBBB"),
        record("http://a.org/1", http(b""), kind="revisit", **digest),
    ]
    clipped = gzip.compress(record("http://c.org/", http(b"<html><p>" + b"words " * 4000)))
    contents = {
        "1.warc": b"".join(revisits),
        "2.warc": original,
        "3.warc.gz": clipped[:-40],
        "4.warc": record("http://d.org/x", http(b"<html>x", "Content-Type: image/png")),
    }
    files = [tmp_path / name for name in contents]
    for file in files:
        file.write_bytes(contents[file.name])
    plain = Workspace(tmp_path / "plain.weft").add(*files, workers=1)
    spark = add_on_spark(tmp_path / "spark.weft", cluster, files)
    assert plain.has_damage
    assert "http://b.org/copy" in spark.collection.pages["url"].to_pylist()
    assert not differing_tables(plain, spark)


def test_workers_killed_while_adding_change_nothing(
    demo_warc: Path, tmp_path: Path, cluster: Cluster
) -> None:
    files = cut_archive(demo_warc, tmp_path / "parts", 3)
    plain = Workspace(tmp_path / "plain.weft").add(*files, workers=1)
    with killed_workers(at_most=2, seconds=0.6) as killed:
        spark = add_on_spark(tmp_path / "spark.weft", cluster, files)
    assert killed
    assert not differing_tables(plain, spark)


def test_what_is_no_archive_is_refused(tmp_path: Path, cluster: Cluster, demo_warc: Path) -> None:
    edges = tmp_path / "edges.csv"
    edges.write_text("source,target\na,b\nb,c\n")
    with pytest.raises(WeftError, match="is no archive of pages"):
        add_on_spark(tmp_path / "c.weft", cluster, [demo_warc, edges])
    with pytest.raises(WeftError, match="nothing matches"):
        find_archives(f"{tmp_path}/*.warc.gz")


@real
@pytest.mark.parametrize("name", ["webkb.warc.gz", "wikispeedia.warc.gz"])
def test_real_webs(name: str, tmp_path: Path, cluster: Cluster) -> None:
    """Their beginnings; `python -m benchmarks.spark --parts archives` adds the whole."""
    files = cut_archive(DATA / name, tmp_path / "parts", 4, most=200)
    plain = Workspace(tmp_path / "plain.weft").add(*files, workers=1)
    assert not differing_tables(plain, add_on_spark(tmp_path / "spark.weft", cluster, files))


@real
def test_samples(tmp_path: Path, cluster: Cluster) -> None:
    """Archives of several kinds and makers, some of them damaged."""
    files = sorted((DATA / "warc").iterdir())
    plain = Workspace(tmp_path / "plain.weft").add(*files, workers=1)
    assert not differing_tables(plain, add_on_spark(tmp_path / "spark.weft", cluster, files))
