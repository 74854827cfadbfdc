"""Staging folders and archives on storage that is read by URL, without a cluster."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pyarrow import fs

from weft.core.errors import BadParameter, WeftError
from weft.gather.html import ParseOptions
from weft.spark import archives, array_folder
from weft.spark.archives import Archive, find_archives
from weft.spark.array_folder import ArrayFolder


class ObjectStorage:
    """Storage that is a folder here, but where objects need none, and nobody makes one."""

    create_dir = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem())

    def open_output_stream(self, path: str) -> Any:
        """Open an object to write, which appears with its name."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        return self.files.open_output_stream(path)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.files, name)


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of an empty bucket, which is a folder here."""
    folder = tmp_path / "bucket"
    folder.mkdir()
    storage = ObjectStorage(tmp_path)

    class Storage:
        LocalFileSystem, FileType = fs.LocalFileSystem, fs.FileType

        class FileSystem:
            @staticmethod
            def from_uri(url: str) -> tuple[Any, str]:
                assert url.startswith("s3://")
                return storage, url.removeprefix("s3://")

    monkeypatch.setattr(array_folder, "fs", Storage)
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path}/executor,{tmp_path}/other")
    array_folder.file_system.cache_clear()
    yield "s3a://bucket"
    array_folder.file_system.cache_clear()


def test_arrays(bucket: str, tmp_path: Path) -> None:
    folder = ArrayFolder(bucket).subfolder("links")
    folder.save("numbers", np.arange(5))
    folder.save("none", np.zeros(0))
    assert folder.load("numbers").tolist() == folder.load_kept("numbers").tolist() == [*range(5)]
    assert len(folder.load_kept("none")) == len(folder.load("none")) == 0
    # What is kept is read once, from the folder that Spark deletes with the executor.
    (tmp_path / "bucket" / "links" / "numbers.npy").unlink()
    assert folder.load_kept("numbers").tolist() == [*range(5)]
    assert len([*(tmp_path / "executor").rglob("*.npy")]) == 2
    assert folder.exists("none.npy")
    folder.remove()
    assert not folder.exists("none.npy")


def test_patterns_of_archives(bucket: str, tmp_path: Path, demo_warc: Path) -> None:
    for name in ("a/1.warc.gz", "a/2.warc.gz", "a/deep/3.warc.gz", "a/notes.txt"):
        path = tmp_path / "bucket" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(demo_warc.read_bytes())
    found = [archive.location for archive in find_archives(f"{bucket}/a/*.warc.gz")]
    assert found == [f"{bucket}/a/{number}.warc.gz" for number in (1, 2)]
    assert len(find_archives(f"{bucket}/a/**.warc.gz")) == 3
    assert [own.location for own in find_archives(f"{bucket}/a/1.warc.gz")] == found[:1]
    for pattern in ("b*/x.warc.gz", "none/*.warc.gz", "a/none.warc.gz"):
        with pytest.raises(WeftError, match="nothing matches"):
            find_archives(f"{bucket}/{pattern}")
    with pytest.raises(WeftError, match="nothing matches") as error:
        find_archives(f"{bucket}/a/")
    assert error.value.hint.endswith(f"{bucket}/a/*")


def test_storage_that_cannot_be_listed(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the credentials are wrong: one sentence, before Spark is started."""

    def refuse(*_: object) -> None:
        raise OSError("When listing objects: AWS Error ACCESS_DENIED (Request ID: 7)")

    monkeypatch.setattr(
        archives, "file_system", lambda _: (SimpleNamespace(get_file_info=refuse), "bucket/a*")
    )
    with pytest.raises(WeftError, match="cannot be listed") as error:
        find_archives(f"{bucket}/a*")
    assert error.value.hint.endswith("AWS Error ACCESS_DENIED")


def test_storage_of_an_unknown_kind() -> None:
    with pytest.raises(BadParameter, match=r"https://a\.org/1\.warc\.gz cannot be read") as error:
        find_archives("https://a.org/1.warc.gz")
    assert "s3a://" in error.value.hint


@pytest.mark.slow
def test_two_attempts_at_one_archive(bucket: str, tmp_path: Path, demo_warc: Path) -> None:
    """A speculative attempt writes the same segments, and leaves those of the other alone."""
    (tmp_path / "bucket" / "1.warc.gz").write_bytes(demo_warc.read_bytes())
    archive, options = Archive(f"{bucket}/1.warc.gz"), ParseOptions()
    scan = archives._scan(archive, options, b"k" * 16)
    kept = np.packbits(np.ones(len(scan.captures), bool))
    task, staging = archives._ParseTask(archive, scan.digest, kept), ArrayFolder(f"{bucket}/s")
    one, other = (archives._parse(task, options, staging) for _ in range(2))
    assert one.problems == other.problems
    contents = []
    for parsed in (one, other):
        [segment] = parsed.segments
        with archives._fetch_segment(staging, segment) as path:
            contents.append({name: (path / name).read_bytes() for name in segment.files})
    assert contents[0] == contents[1]
    assert one.segments[0].pages == other.segments[0].pages > 100
    assert one.segments[0].name != other.segments[0].name
