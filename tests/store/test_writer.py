"""The writer: staging, recovery, commit and clean-up."""

import json
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from weft.core.errors import DamagedFile, WeftError
from weft.gather.page import EdgeBatch, Page
from weft.gather.url import UrlPolicy
from weft.store import writer as writers
from weft.store.collection import Collection
from weft.store.manifest import MANIFEST_FILE, Manifest
from weft.store.segment import pages_to_tables
from weft.store.writer import STAGED_FILE, CollectionWriter, find_staged_segments, open_writer
from weft.workspace.ingest import commit_snapshot
from weft.workspace.workspace import Workspace

Keep = Callable[..., Workspace]
Interrupted = Callable[[Path], AbstractContextManager[CollectionWriter]]
ENTRY: dict[str, Any] = {
    "time": "2026-01-01T00:00:00+00:00",
    "version": "0.1.0",
    "inputs": [],
    "pages": 0,
    "already_stored": 0,
    "problems": [],
}


def stage(writer: CollectionWriter, *names: str) -> None:
    pages = [Page(f"http://{name}.com/", text=name) for name in names]
    writer.append_pages(*pages_to_tables(pages, [hash(name) % 2**64 for name in names]))
    writer.flush()


def commit(writer: CollectionWriter) -> None:
    commit_snapshot(writer, ENTRY)


def hosts(folder: Path) -> list[str]:
    urls = Collection.open(folder).pages["url"].to_pylist()
    return [url.removeprefix("http://").removesuffix(".com/") for url in urls]


def graph(*links: tuple[str, str, float]) -> EdgeBatch:
    source, target, weight = (list(column) for column in zip(*links, strict=True))
    columns = {"source": source, "target": target, "weight": pa.array(weight, pa.float32())}
    nodes = pa.table({"name": pa.array([], pa.string()), "title": pa.array([], pa.string())})
    return EdgeBatch("digest", nodes, pa.table({**columns, "anchor": [""] * len(links)}))


def test_pages_become_segments_by_their_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writers, "MAX_BUFFERED_PAGES", 2)
    with open_writer(tmp_path) as writer:
        for name in "abcde":
            writer.append_pages(*pages_to_tables([Page(f"http://{name}.com/")], [ord(name)]))
        assert [segment.pages for segment in writer.staged] == [2, 2]
        commit(writer)
    assert hosts(tmp_path) == list("abcde")
    assert [s.name for s in Manifest.read(tmp_path).segments] == ["000001", "000002", "000003"]


def test_staged_segments_wait_for_the_next_writer(interrupted: Interrupted, tmp_path: Path) -> None:
    with interrupted(tmp_path) as writer:
        stage(writer, "a", "b")
    with pytest.raises(WeftError, match="not a collection"):
        Collection.open(tmp_path)
    with open_writer(tmp_path) as writer:
        assert [segment.pages for segment in writer.staged] == [2]
        assert len(writer.stored_capture_digests()) == 2
        stage(writer, "c")
        commit(writer)
    assert hosts(tmp_path) == ["a", "b", "c"]
    assert find_staged_segments(tmp_path, Manifest.read(tmp_path)) == []


@pytest.mark.parametrize("damage", ["cut", "document", "flip"])
def test_a_damaged_staged_segment_is_deleted(
    interrupted: Interrupted, tmp_path: Path, damage: str
) -> None:
    with interrupted(tmp_path) as writer:
        stage(writer, "a")
        stage(writer, "b")
    at = tmp_path / "segments" / "000002"
    path = at / (STAGED_FILE if damage == "document" else "pages.parquet")
    raw = path.read_bytes()
    damaged = {"cut": raw[:-9], "document": b"{}", "flip": raw.replace(b"PAR1", b"PAR2")}
    path.write_bytes(damaged[damage])
    with open_writer(tmp_path) as writer:
        assert [segment.name for segment in writer.staged] == ["000001"]
        assert not at.exists()


def test_an_interrupted_compaction_is_discarded(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        stage(writer, "a")
        commit(writer)
    writer = CollectionWriter(tmp_path, Manifest.read(tmp_path), Manifest.read(tmp_path), [])
    writer.begin_compaction()
    stage(writer, "a")
    assert (tmp_path / "segments" / "000002").exists()
    with open_writer(tmp_path) as writer:
        assert writer.staged == []
    assert not (tmp_path / "segments" / "000002").exists()
    assert hosts(tmp_path) == ["a"]


def test_a_failed_compaction_loses_nothing(interrupted: Interrupted, tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        stage(writer, "a")
        commit(writer)
    with interrupted(tmp_path) as writer:
        writer.begin_compaction()
        stage(writer, "a")
    assert hosts(tmp_path) == ["a"]
    assert [path.name for path in (tmp_path / "segments").iterdir()] == ["000001"]


def test_a_failed_build_leaves_no_snapshot(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        stage(writer, "a")

    def fail() -> None:
        with open_writer(tmp_path) as writer:
            (writer.begin_snapshot() / "half").touch()
            raise OSError("12 requested and 3 written")

    with pytest.raises(WeftError, match="cannot be written"):
        fail()
    assert list((tmp_path / "snapshots").iterdir()) == []


def test_a_part_added_again_replaces_itself(interrupted: Interrupted, tmp_path: Path) -> None:
    """Also when the writer dies between staging the part and the commit."""
    with open_writer(tmp_path) as writer:
        writer.append_graph(graph(("a", "b", 2.0), ("c", "b", 3.0)), 0)
        commit(writer)
    workspace = Workspace(tmp_path)
    workspace.remove(["a"])
    with interrupted(tmp_path) as writer:
        assert writer.complete_graph_parts("digest") == set()
        writer.append_graph(graph(("a", "b", 2.0), ("c", "b", 3.0)), 0)
    with open_writer(tmp_path) as writer:
        assert writer.complete_graph_parts("digest") == {0}
        commit(writer)
    links = workspace.refresh().graph().to_arrow().to_pylist()
    assert sorted((row["source"], row["weight"]) for row in links) == [("a", 2.0), ("c", 3.0)]


def test_a_history_entry_alone_is_a_commit_of_the_same_snapshot(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        stage(writer, "a")
        commit(writer)
        writer.commit_history_entry({**ENTRY, "inputs": ["x"], "problems": ["y"]})
    manifest = Manifest.read(tmp_path)
    assert (manifest.snapshot, len(manifest.history)) == (1, 2)


def test_everything_is_durable_before_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def record(handle: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        real(handle)

    monkeypatch.setattr(os, "fsync", record)
    with open_writer(tmp_path) as writer:
        stage(writer, "a")
        commit(writer)
    manifest = Manifest.read(tmp_path)
    before = synced[: synced.index(str(tmp_path / f".{MANIFEST_FILE}"))]
    for name in manifest.files:
        half = name.replace("snapshots/000001", "snapshots/.000001")
        assert str(tmp_path / half) in before
        assert str((tmp_path / half).parent) in before
    for name in ("urls", "pages", "links"):
        assert str(tmp_path / f"segments/.000001/{name}.parquet") in before
    assert str(tmp_path / "snapshots") in before
    assert str(tmp_path / "segments") in before
    assert synced[-1] == str(tmp_path)


def test_other_files_in_a_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    (tmp_path / "lock").touch()
    with pytest.raises(WeftError, match="other files"), open_writer(tmp_path):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "thesis.tex"]


def test_a_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(WeftError, match="is a file"), open_writer(place):
            pass
    assert (tmp_path / "file").read_text() == "precious"


def test_other_rules_are_refused(tmp_path: Path) -> None:
    with open_writer(tmp_path, UrlPolicy(index=False)) as writer:
        commit(writer)
    with (
        pytest.raises(WeftError, match="other URL rules") as caught,
        open_writer(tmp_path, UrlPolicy()),
    ):
        pass
    assert "index" in caught.value.hint


def test_a_damaged_segment_is_refused(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        stage(writer, "a")
        commit(writer)
    path = tmp_path / "segments" / "000001" / "pages.parquet"
    state = path.stat()
    raw = bytearray(path.read_bytes())
    raw[-40] ^= 1
    path.write_bytes(raw)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    with pytest.raises(DamagedFile, match=r"pages\.parquet"), open_writer(tmp_path):
        pass


def test_a_reader_keeps_its_snapshot_through_a_compaction(keep: Keep) -> None:
    keep(Page("http://a.com/", text="cat"))
    workspace = keep(Page("http://b.com/", text="cat"))
    reader = Collection.open(workspace.folder)
    workspace.compact()
    keep(Page("http://c.com/", text="cat"))
    assert [snippet.text for snippet in reader.search("cat").snippets] == ["cat", "cat"]
    assert len(list((workspace.folder / "segments").iterdir())) == 4
    del reader
    keep(Page("http://d.com/", text="cat"))
    assert len(list((workspace.folder / "segments").iterdir())) == 3
    assert len(list((workspace.folder / "snapshots").iterdir())) == 1


def test_staged_segments_are_described_in_json(interrupted: Interrupted, tmp_path: Path) -> None:
    with interrupted(tmp_path) as writer:
        stage(writer, "a")
    document = json.loads((tmp_path / "segments" / "000001" / STAGED_FILE).read_bytes())
    assert (document["compacting"], document["segment"]["pages"]) == (False, 1)
