"""Archives that a cluster adds: the collection of plain `add`, table for table."""

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator
from tests.gather.archives import http, record
from tests.real import DATA, real
from tests.spark.workers import killed_workers

from weft.core.errors import WeftError
from weft.gather.html import ParseOptions
from weft.spark import Cluster
from weft.spark.archives import add_archives, find_archives
from weft.store.collection import Collection
from weft.workspace.ingest import AddResult
from weft.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

Portrait = Callable[..., str]
# Rows of segments are written in the tables of pages; the index has random names.
NOT_THE_SAME_BYTES = ("pages.arrow", "index/", "term_weights/")


def cut_archive(path: Path, folder: Path, parts: int, most: int = 1_000_000) -> list[Path]:
    """Cut an archive, or its first records, into files.

    Each seventh record is in the file after its own as well.
    """
    data = path.read_bytes()
    with path.open("rb") as file:
        starts = [r.stream_pos for r in ArchiveIterator(file, parse_http=False)]
    records = [data[a:b] for a, b in zip(starts, [*starts[1:], len(data)], strict=True)][:most]
    folder.mkdir()
    size, files = -(-len(records) // parts), []
    for part in range(parts):
        again = records[max(0, (part - 1) * size) : part * size : 7]
        files.append(folder / f"part-{part:02d}.warc.gz")
        files[-1].write_bytes(b"".join([*records[part * size : (part + 1) * size], *again]))
    return files


def add_on_spark(folder: Path, cluster: Cluster, files: Sequence[Path]) -> AddResult:
    archives = [archive for file in files for archive in find_archives(str(file))]
    return add_archives(folder, cluster, archives, ParseOptions())


def assert_same_collection(plain: AddResult, spark: AddResult) -> None:
    """Counts, problems, all tables but for the place of a page, and the files of the graph."""
    assert (spark.new, spark.known) == (plain.new, plain.known)
    assert spark.problems.counts == plain.problems.counts
    assert spark.problems.locations == plain.problems.locations
    assert spark.problems.damage_reasons == plain.problems.damage_reasons
    one, other = plain.collection, spark.collection
    assert other.manifest.counts == one.manifest.counts
    places = ["segment", "row"]
    assert other.pages.drop_columns(places).equals(one.pages.drop_columns(places))
    assert other.aliases.equals(one.aliases)
    assert snapshot_bytes(other) == snapshot_bytes(one)
    for name in ("inputs", "pages", "already_stored"):
        assert other.manifest.history[-1][name] == one.manifest.history[-1][name]


def snapshot_bytes(collection: Collection) -> dict[str, bytes]:
    folder = collection.folder / collection.manifest.snapshot_folder
    files = {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*")) if p.is_file()}
    same = {n: p for n, p in files.items() if not n.startswith(NOT_THE_SAME_BYTES)}
    assert len(same) > 5
    return {name: path.read_bytes() for name, path in same.items()}


def test_archives_with_repeated_captures(
    demo_warc: Path, tmp_path: Path, cluster: Cluster, portrait: Portrait
) -> None:
    files = cut_archive(demo_warc, tmp_path / "parts", 5)
    plain = Workspace(tmp_path / "plain.weft").add(*files, workers=1)
    spark = add_on_spark(tmp_path / "spark.weft", cluster, files)
    assert plain.known > 20
    assert_same_collection(plain, spark)
    assert portrait(Workspace(tmp_path / "spark.weft")) == portrait(
        Workspace(tmp_path / "plain.weft")
    )
    again = add_on_spark(tmp_path / "spark.weft", cluster, files)
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
    assert_same_collection(plain, spark)


def test_workers_killed_while_adding_change_nothing(
    demo_warc: Path, tmp_path: Path, cluster: Cluster
) -> None:
    files = cut_archive(demo_warc, tmp_path / "parts", 3)
    plain = Workspace(tmp_path / "plain.weft").add(*files, workers=1)
    with killed_workers(at_most=2, seconds=0.6) as killed:
        spark = add_on_spark(tmp_path / "spark.weft", cluster, files)
    assert killed
    assert_same_collection(plain, spark)


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
    """The beginnings of real archives; `benchmarks/spark.py --archives` compares the whole."""
    files = cut_archive(DATA / name, tmp_path / "parts", 6, most=400)
    plain = Workspace(tmp_path / "plain.weft").add(*files, workers=1)
    assert_same_collection(plain, add_on_spark(tmp_path / "spark.weft", cluster, files))


@real
def test_samples(tmp_path: Path, cluster: Cluster) -> None:
    """Archives of several kinds and makers, some of them damaged."""
    files = sorted((DATA / "warc").iterdir())
    plain = Workspace(tmp_path / "plain.weft").add(*files, workers=1)
    assert_same_collection(plain, add_on_spark(tmp_path / "spark.weft", cluster, files))
